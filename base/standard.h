/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Standard input, output and error where whoever started us has closed them: the next descriptor that is opened would get
 * their number, and be read from, or have what is said written into it.
 */
#ifndef MEMTALLY_BASE_STANDARD_H
#define MEMTALLY_BASE_STANDARD_H

/*
 * Takes the numbers that are free, and nothing else: reading and writing there fails as before (EBADF). To be called before
 * anything is opened. Errors of opening /dev/null.
 */
int standard_fill(void);

#endif
