/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heap trim
 *
 * Decides when to call resident_trim(): after the number of processes has dropped sharply. The C
 * library would keep that memory for allocations that may never come. Pure.
 */
#ifndef MEMTALLY_DAEMON_HEAP_TRIM_H
#define MEMTALLY_DAEMON_HEAP_TRIM_H

#include <stdbool.h>
#include <stdint.h>

struct heap_trim {
	uint64_t most; /* most processes of any pass since the last drop */
	/* Passes after which to trim once more: not all memory is freed with the processes */
	unsigned int passes;
};

/*
 * Call after each pass with the number of its processes. Returns whether to trim now: true if the
 * number has fallen to half of .most or below, and by 100 or more; and after each of the four
 * passes behind that one.
 */
bool heap_trim_is_due(struct heap_trim *e, uint64_t processes);

#endif
