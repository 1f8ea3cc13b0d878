/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mmap lock trial: finds out whether a page-table walk blocks mmap on this kernel.
 *
 * On kernels where a walk holds the address-space lock, mmap, munmap and brk of the walked process
 * wait for it. A kernel that walks under locks of single mappings would not disturb the process,
 * and walks by slices would have no purpose.
 *
 * A child process tries it once. Its own child (the grandchild) has large page tables without
 * memory, since all pages are the zero page, and calls mmap and munmap all the time. Meanwhile the
 * child reads the grandchild's smaps_rollup. Both have no rights, and no descriptors but those that
 * they need. The trial takes some tens of ms of CPU. If the result is unclear, walks are taken to
 * disturb.
 */
#ifndef MEMTALLY_COLLECTORS_PROCESS_SELF_LOCK_TRIAL_H
#define MEMTALLY_COLLECTORS_PROCESS_SELF_LOCK_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum lock_trial_verdict {
	LOCK_TRIAL_UNKNOWN, /* no trial was made, or its result was unclear: treated as YES */
	LOCK_TRIAL_YES,
	LOCK_TRIAL_NO,
};

/* One walk of the trial. */
struct lock_trial_try {
	uint64_t walk_ns; /* CPU time of the walk */
	uint64_t took_ns; /* wall-clock time of the walk */
	/* calls of mmap and munmap that the grandchild completed during the walk */
	uint64_t calls;
	/* longest of these calls, without the time for which it waited for a CPU */
	uint64_t wait_ns;
};

enum { LOCK_TRIAL_TRIES = 8 };

/*
 * Judges COUNT walks; those with less than 1 ms of CPU time are ignored. Returns YES if in at least
 * two of them a call took a quarter of the walk or more. Returns NO if in at least four of them at
 * least 100 calls completed and none took more than an eighth of the walk, and no walk contradicts
 * that. Else returns UNKNOWN. Pure.
 */
enum lock_trial_verdict lock_trial_judge(const struct lock_trial_try *tries, size_t count);

struct lock_trial {
	enum lock_trial_verdict verdict;
	unsigned int asked; /* trials begun */
	pid_t pid;          /* of the child; 0: none */
	int fd;             /* read end of the pipe for the child's result */
};

void lock_trial_init(struct lock_trial *t);

/* Kills the child of a trial that is under way, and waits for it. */
void lock_trial_done(struct lock_trial *t);

/*
 * Forks a child that makes the trial, and returns at once. Does nothing if the verdict is known, a
 * trial is under way, or three trials were made. Returns 0, or a negative errno of fork() or
 * pipe2(), for example -EAGAIN, -ENOMEM or -EMFILE.
 */
int lock_trial_ask(struct lock_trial *t);

/*
 * Checks whether the child has exited, and never waits. Returns false if it has not, or if there is
 * none. Returns true if it has: .verdict is set from its result, and *RET_CPU_NS is the CPU time
 * that it used.
 */
bool lock_trial_answer(struct lock_trial *t, uint64_t *ret_cpu_ns);

#endif
