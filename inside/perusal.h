/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A survey of the files that all processes of a host have mapped: one process after the other is read slowly, a piece of
 * its smaps at a time, and what comes out is a catalogue. Who is read, and when, is the caller's.
 *
 * A process counts when all of it was read, or not at all. The kernel ends the text of an address space that is gone
 * (exit, exec) without a word. But it is the same address space as long as the file is open, so when its beginning can be
 * read once more at the end, it was there all the time (m_start() in fs/proc/task_mmu.c). One with
 * more than 128 MiB of text is given up: it might have no end.
 */
#ifndef MEMTALLY_INSIDE_PERUSAL_H
#define MEMTALLY_INSIDE_PERUSAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "collectors/catalogue.h"
#include "inside/mapping.h"
#include "inside/shelf.h"

/* Of each: the files with the most PSS, those with the most that is written privately, and those that are deleted. */
enum { PERUSAL_SHOWN = 200 };

struct perusal {
	struct shelf shelf;
	struct mapping_reader reader;
	uint64_t begun_ns;             /* CLOCK_BOOTTIME */
	uint64_t q[SURVEY_QUANTITIES]; /* counts of processes so far */
	int fd;                        /* of the smaps that are being read; -1: none are */
	uint32_t uid;                  /* whose they are */
	uint64_t bytes, max_bytes; /* read of them, and at most: of more a process is left out */
	uint64_t hold_ns; /* how long the last perusal_step() kept the process waiting at most */
};

/* SEED: nobody who names files may know it. */
void perusal_init(struct perusal *s, uint64_t seed);
void perusal_done(struct perusal *s);
#define AUTO_PERUSAL CLEANUP(perusal_done)

/* A survey begins, at BEGUN_NS (CLOCK_BOOTTIME); what was under way is forgotten. */
void perusal_begin(struct perusal *s, uint64_t begun_ns);

/* A process of which nothing is read: SURVEY_DENIED to SURVEY_ERROR. */
void perusal_count(struct perusal *s, enum survey_quantity outcome);

/* The next process, one of user UID, is read from FD, its smaps at their beginning. Consumes FD. */
void perusal_enter(struct perusal *s, int fd, uint32_t uid);

static inline bool perusal_is_reading(const struct perusal *s)
{
	return s->fd >= 0;
}

enum perusal_outcome {
	PERUSAL_MORE = 1, /* of the same process, after a pause */
};

/*
 * Reads for about SLICE_NS, at least once. 0: that was all of the process, and it is counted; PERUSAL_MORE; -ENOMEM,
 * -EOVERFLOW: the survey is lost.
 */
int perusal_step(struct perusal *s, uint64_t slice_ns);

/* It is over, at ENDED_NS (CLOCK_BOOTTIME): fills in *RET and gives its memory back. -ENOMEM: there is nothing in *RET. */
int perusal_end(struct perusal *s, uint64_t ended_ns, struct catalogue *ret);

#endif
