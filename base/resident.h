/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is resident of a program and its libraries for no reason: the dynamic linker touches most of each library
 * once, and the kernel maps what lies around each page that is touched.
 */
#ifndef MEMTALLY_BASE_RESIDENT_H
#define MEMTALLY_BASE_RESIDENT_H

/*
 * Gives back the pages of code and constants of the program and all its libraries; whichever is
 * used comes back from the page cache by itself. For the end of a start. Never fails: what can't be
 * given back stays.
 */
void resident_rest(void);

/*
 * Gives back what is free of the heap, and moves the small blocks that the C library keeps for this thread to one place:
 * where they lie scattered, after a peak, every allocation between them may touch other pages again. For a moment when
 * much has become free. Never fails.
 */
void resident_trim(void);

#endif
