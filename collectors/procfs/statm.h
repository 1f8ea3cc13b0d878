/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parser of /proc/PID/statm: the cheapest source for a process's memory. The kernel walks no page
 * tables for it and takes no address-space lock.
 */
#ifndef MEMTALLY_COLLECTORS_PROCFS_STATM_H
#define MEMTALLY_COLLECTORS_PROCFS_STATM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * In pages. All 0 for a kernel thread, a zombie, or a leader that has exited while its threads
 * live.
 */
struct statm {
	uint64_t size, resident;
	/* resident pages of files and shmem; the other resident pages are anonymous */
	uint64_t shared;
};

/*
 * Parses TEXT into RET. Returns 0; or -EBADMSG, with RET unchanged, if there are fewer than three
 * numbers, anything else, no newline at the end, or more pages than fit in 2^63 bytes.
 */
int statm_parse(const char *text, size_t len, struct statm *ret);

static inline bool statm_is_same(const struct statm *a, const struct statm *b)
{
	return a->resident == b->resident && a->shared == b->shared && a->size == b->size;
}

#endif
