/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Standard Descriptors
 *
 * Fills the descriptors 0, 1 and 2 if the parent process has closed them. Otherwise the next file
 * that is opened gets such a number, and the program would read its input from it or write log
 * lines into it.
 */
#ifndef MEMTALLY_BASE_OS_STANDARD_H
#define MEMTALLY_BASE_OS_STANDARD_H

/*
 * Opens /dev/null at each of the descriptors 0, 1 and 2 that is closed, in the wrong direction:
 * reading 0 and writing 1 or 2 still fails with EBADF. Call it before any file is opened. Returns
 * 0, or a negative errno of open().
 */
int standard_fill(void);

#endif
