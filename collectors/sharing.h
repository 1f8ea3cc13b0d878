/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes that share one address space (CLONE_VM without CLONE_THREAD, vfork): their memory counts
 * once. Only kcmp(KCMP_VM) can tell; texts can't, since forked siblings print identical ones.
 *
 * An address space can come to be shared only by the birth of a process, so each image is compared
 * once, when it is first seen, with those whose address range is the same: kcmp orders address spaces,
 * which makes that a binary search among siblings. In the steady state the only calls are one for each
 * process that is about to be left out of the sums: that it shares is made sure of in every pass.
 */
#ifndef MEMTALLY_COLLECTORS_SHARING_H
#define MEMTALLY_COLLECTORS_SHARING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "collectors/process.h"

/* As kcmp(2) with KCMP_VM: 0 equal, 1 less, 2 greater, 3 unequal; or a negative errno. */
typedef int sharing_compare(pid_t a, pid_t b);

struct sharing {
	sharing_compare
		*compare; /* NULL: pids mean nothing here (a tree that is not the kernel's) */
	bool refused;     /* the kernel refused a comparison since sharing_begin() */
	uint32_t last_group;
	struct process **item; /* those whose range a new image has, by range and order */
	size_t count, capacity;
	size_t first, sorted, next; /* the run of one range: begins, is in order up to, is at */
};

int sharing_kcmp(pid_t a, pid_t b);

void sharing_done(struct sharing *s);

/*
 * Looks for new images among the COUNT processes of a pass (those not .measured are passed over).
 * -ENOMEM.
 */
int sharing_begin(struct sharing *s, struct process *const *processes, size_t count);

/* Compares one new image; false when there are no more. Sets .mm_group of those that share. */
bool sharing_step(struct sharing *s);

/*
 * Whether P, which is new, has the address space of PARENT, from which it looks forked. Then both
 * are of one .mm_group, without having been measured.
 */
bool sharing_is_one(struct sharing *s, struct process *p, struct process *parent);

/*
 * Of the measured members that share an address space, lets the eldest stand for it, so that none
 * takes another's place by its birth (a child's pid may be the lower one), of those as old the one
 * with the lowest pid; and makes the others' ROWS say so: OUTCOME_SHARED_MM, without figures.
 * MEMBERS are those of ROWS, by index; SCRATCH is memory that is used again. -ENOMEM.
 */
int sharing_elect(struct sharing *s, struct process *const *members, struct snapshot_process *rows,
	size_t count, struct buffer *scratch);

#endif
