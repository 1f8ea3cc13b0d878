/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that is looked into, with the rights of whoever asks: what it is called, and its files in /proc, which are of
 * one image, or it is said that they are not.
 */
#ifndef MEMTALLY_INSIDE_TARGET_H
#define MEMTALLY_INSIDE_TARGET_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "collectors/process.h"
#include "inside/mapping.h"

/* Why there is nothing to look into. */
enum target_outcome {
	TARGET_KERNEL_THREAD = 1, /* it has no memory of its own */
	TARGET_ENDED,             /* a zombie, or about to be one: nor has this any more */
	TARGET_GONE,              /* there is no such process, or not any more */
	TARGET_DENIED,            /* the kernel refuses it */
	TARGET_CHANGED,           /* it executes another program by now, or executes all the time */
	TARGET_OUTCOMES
};

struct target {
	struct process_reader reader;
	struct process process;
	struct sample sample;  /* what its counters said first */
	struct buffer program; /* terminated */
};

/* Opens PID of PROCFS, which is borrowed. 0, a target_outcome, or a shortage of ours. */
int target_open(const struct procfs *procfs, pid_t pid, struct target *ret);
void target_done(struct target *t);
#define AUTO_TARGET CLEANUP(target_done)

/* What its program is called, clean. */
const char *target_program(const struct target *t);

/* Opens FILE of its directory, of a live thread where its leader is dead: "smaps". 0, a target_outcome, or open's error. */
int target_file(struct target *t, const char *file, int *ret_fd);

/*
 * Whether it is still what it was when it was opened, so that what was read since is of one image, and whole: the kernel
 * ends files of an image that has gone without a word. 0, or a target_outcome.
 */
int target_confirm(struct target *t);

/*
 * Has TAKE called for each mapping of its smaps. 0, a target_outcome, what TAKE returned, -EBADMSG: what no kernel
 * prints, or read's error. It may have ended early without a word: see target_confirm().
 */
int target_mappings(struct target *t, mapping_taker take, void *context);

/* The same of its maps: where mappings are and of what, without any field. The kernel walks no page tables for it. */
int target_places(struct target *t, mapping_taker take, void *context);

/*
 * What R comes to, which reading it returned: 0, a target_outcome or an error. An image that goes ends what is read without a
 * word, or with one that says something else; so it is confirmed before R is believed.
 */
int target_end(struct target *t, int r);

/* The first, and then target_end(): confirms that they are of one image. What was taken before any outcome or error stands. */
int target_walk(struct target *t, mapping_taker take, void *context);

/* A sentence's end for people: "is a kernel thread, which has no memory of its own". */
const char *target_text(enum target_outcome outcome);

#endif
