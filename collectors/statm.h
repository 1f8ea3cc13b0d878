/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /proc/PID/statm: the cheapest that the kernel tells of a process's memory. It walks nothing and takes
 * no lock of the address space.
 */
#ifndef MEMTALLY_COLLECTORS_STATM_H
#define MEMTALLY_COLLECTORS_STATM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In pages. All 0: a kernel thread, a zombie, a leader that has exited while its threads live. */
struct statm {
	uint64_t size, resident;
	uint64_t shared; /* of the resident: file and shmem; the others are anonymous */
};

/* -EBADMSG: fewer than three numbers, anything else, cut off, or pages whose bytes pass 2^63. */
int statm_parse(const char *text, size_t len, struct statm *ret);

static inline bool statm_is_same(const struct statm *a, const struct statm *b)
{
	return a->resident == b->resident && a->shared == b->shared && a->size == b->size;
}

#endif
