/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks of memtallyd's own memory
 *
 * Under memory pressure the kernel takes pages of programs that were not used for some
 * seconds, and memtallyd would wait for its own code and data to come back, while it is needed most.
 * Locked pages stay. Pages are locked as they are used (MLOCK_ONFAULT, Linux 4.4), so locks make no
 * page resident. The limit of locked memory (RLIMIT_MEMLOCK) counts whole mappings.
 */
#ifndef MEMTALLY_DAEMON_MEMORY_LOCK_H
#define MEMTALLY_DAEMON_MEMORY_LOCK_H

#include <stddef.h>
#include <stdint.h>

enum memory_lock_part {
	MEMORY_LOCK_CODE, /* private mappings of files that are not writable: code and constants */
	MEMORY_LOCK_DATA, /* private writable mappings: heap, data of libraries; not the stack */
	MEMORY_LOCK_NONE, /* of a mapping: neither, such as shared memory */
};

/*
 * Returns the part that a mapping belongs to. LINE is its line of /proc/PID/maps, LEN bytes without
 * the newline. Sets *RET_BEGIN and *RET_END to its range, unless it returns MEMORY_LOCK_NONE. Pure.
 */
enum memory_lock_part memory_lock_parse(
	const char *line, size_t len, uint64_t *ret_begin, uint64_t *ret_end);

/*
 * Locks all mappings of PART that this process has now, as far as the limit allows: a mapping that
 * would exceed it stays as it is. Returns the bytes of the locked mappings; 0 also if the mappings
 * or the system call are not to be had.
 */
uint64_t memory_lock(enum memory_lock_part part);

/* Unlocks all mappings of PART. The heap can only be trimmed while it is not locked. */
void memory_unlock(enum memory_lock_part part);

#endif
