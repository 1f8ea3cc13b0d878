/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resident Memory of the Program
 *
 * Frees resident memory that the program does not need: pages of libraries that only the dynamic
 * linker touched, their neighbours, which the kernel maps around each touched page, and free blocks
 * of the heap.
 */
#ifndef MEMTALLY_BASE_OS_RESIDENT_H
#define MEMTALLY_BASE_OS_RESIDENT_H

/*
 * Drops the resident pages of code and constants of the program and its libraries (MADV_DONTNEED).
 * Pages that are used again come back from the page cache by themselves. Call it at the end of the
 * start. Never fails: pages that cannot be dropped stay.
 */
void resident_rest(void);

/*
 * Returns free memory of the heap to the kernel, and moves the small blocks that glibc caches for
 * this thread next to each other. After a peak, cached blocks lie scattered, and each allocation of
 * one may touch another page again. Call it when much memory has become free. Never fails.
 */
void resident_trim(void);

#endif
