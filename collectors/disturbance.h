/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether walking a process's page tables keeps that process waiting. As long as a walk holds the address-space lock,
 * mmap, munmap and brk of its process wait; a kernel that walks under the locks of single mappings would not
 * disturb, and then there is no reason to read by slices.
 *
 * A child process finds out, once, by trial: a grandchild has page tables without memory (all of its pages are the
 * zero page), and maps and unmaps all the time, while the child reads the grandchild's smaps_rollup. Both have no
 * rights and no descriptors but these; it takes some tens of ms of CPU. In doubt walks disturb.
 */
#ifndef MEMTALLY_COLLECTORS_DISTURBANCE_H
#define MEMTALLY_COLLECTORS_DISTURBANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum disturbance_verdict {
	DISTURBANCE_UNKNOWN, /* nobody has tried, or it could not be told: taken for yes */
	DISTURBANCE_YES,
	DISTURBANCE_NO,
};

/* One walk. */
struct disturbance_try {
	uint64_t walk_ns; /* CPU */
	uint64_t took_ns; /* wall clock */
	uint64_t calls;   /* of mmap and munmap, that the other got done meanwhile */
	uint64_t wait_ns; /* the longest of them, less the time that it waited for a processor */
};

enum { DISTURBANCE_TRIES = 8 };

/*
 * YES if in two tries a call took a considerable part of the walk. NO if in four many calls were
 * done during the walk, and in none one took more than a small part of it. Pure.
 */
enum disturbance_verdict disturbance_judge(const struct disturbance_try *tries, size_t count);

struct disturbance {
	enum disturbance_verdict verdict;
	unsigned int asked; /* how often */
	pid_t pid;          /* of the child; 0: none */
	int fd;             /* where its result comes from */
};

void disturbance_init(struct disturbance *d);

/* Ends what is under way. */
void disturbance_done(struct disturbance *d);

/*
 * Has a child try, unless it is known, one does already, or several could not tell. Returns at once. -EAGAIN,
 * -ENOMEM, -EMFILE ... of fork() and pipe2().
 */
int disturbance_ask(struct disturbance *d);

/*
 * Looks whether the child has ended, and never waits. True: it has, .verdict is what it has found, and it has used
 * *RET_CPU_NS.
 */
bool disturbance_answer(struct disturbance *d, uint64_t *ret_cpu_ns);

#endif
