/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes that share one address space (CLONE_VM without CLONE_THREAD, vfork): their memory
 * counts once. Only kcmp(KCMP_VM) tells them from forked siblings, which have identical texts in
 * /proc.
 *
 * Only a fork can make processes share an address space. So each new image is compared once, with
 * images at the same place (start of code and of stack, as stat prints them): kcmp() orders address
 * spaces, so this is a binary search. Later passes make one call for each process that is left out
 * of the sums, to confirm that it still shares.
 */
#ifndef MEMTALLY_COLLECTORS_PROCESS_SHARED_MM_H
#define MEMTALLY_COLLECTORS_PROCESS_SHARED_MM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "collectors/process/process.h"

/* As kcmp_memory() (kcmp.h). */
typedef int shared_mm_compare(pid_t a, pid_t b);

struct shared_mm {
	shared_mm_compare *compare; /* NULL: pids have no meaning (a tree of files) */
	/* borrowed: they call kcmp(), which may block, instead of .compare; NULL: none */
	struct workers *workers;
	bool refused;       /* the kernel refused a comparison since shared_mm_begin() */
	uint64_t waited_ns; /* time that comparisons by workers have cost since then */
	uint32_t last_group;
	/* owned: processes at the place of a new image, ordered by place and address space */
	struct process **item;
	size_t count, capacity;
	/*
	 * of the processes at one place (the run): its beginning, the end of its sorted part, the
	 * next item
	 */
	size_t first, sorted, next;
};

/* Frees what S owns. */
void shared_mm_done(struct shared_mm *s);

/*
 * Finds new images among the COUNT processes of a pass, except for processes without a known place.
 * Returns 0 or -ENOMEM.
 */
int shared_mm_begin(struct shared_mm *s, struct process *const *processes, size_t count);

/*
 * Compares the next new image, and sets .mm_group of processes that share it. Returns false if
 * there are no more.
 */
bool shared_mm_step(struct shared_mm *s);

/*
 * Returns whether the new process P has the address space of PARENT, which seems to have forked it.
 * If so, both get the same .mm_group, although they were not measured.
 */
bool shared_mm_is_one(struct shared_mm *s, struct process *p, struct process *parent);

/*
 * Chooses, for each shared address space, the process at which it counts. In this order: a measured
 * one; a blocked one (block.h) with a PSS; one that has a guess and no measurement; a blocked one
 * without a PSS. Of several, the oldest, and of equally old ones that with the lowest pid. So a
 * fork does not change the choice, even if the child has a lower pid. The ROWS of the others get
 * OUTCOME_SHARED_MM and keep only their start time and threads. A process that is blocked inside
 * execve() counts by itself, unless the size of its address space shows that it still shares.
 *
 * MEMBERS are the processes of ROWS, by index (COUNT of them). SCRATCH is overwritten. Returns 0 or
 * -ENOMEM.
 */
int shared_mm_elect(struct shared_mm *s, struct process *const *members,
	struct snapshot_process *rows, size_t count, struct buffer *scratch);

#endif
