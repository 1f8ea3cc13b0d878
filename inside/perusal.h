/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Survey reader: reads smaps of one process after the other, slowly and in small pieces, and sums by file how much memory is
 * mapped. The result is a catalogue. The caller chooses the processes and the times.
 *
 * A process counts only if all of its smaps was read. The kernel ends the text of an address space that is gone (exit, exec)
 * without an error. But an open file stays with its address space, so if its beginning can be read again at the end, the
 * address space was there all the time (m_start() in fs/proc/task_mmu.c). A process with more than 128 MiB of text is
 * dropped.
 */
#ifndef MEMTALLY_INSIDE_PERUSAL_H
#define MEMTALLY_INSIDE_PERUSAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "collectors/catalogue.h"
#include "collectors/stream.h"
#include "inside/drivermemory.h"
#include "inside/mapping.h"
#include "inside/shelf.h"

/* Of each: the files with the most PSS, those with the most that is written privately, and those that are deleted. */
enum { PERUSAL_SHOWN = 200 };

struct perusal {
	struct shelf shelf;
	struct mapping_reader reader;
	uint64_t begun_ns;             /* CLOCK_BOOTTIME */
	uint64_t q[SURVEY_QUANTITIES]; /* counts of processes so far */
	struct stream stream;          /* of the smaps that are being read; closed: none are */
	uint32_t uid;                  /* of the process that is being read */
	uint64_t bytes,
		max_bytes; /* of its text so far, and the limit above which it is left out */
	/*
	 * Drivers' memory of the process that is being read, or was read last. .is_read: smaps was read to its end, and the
	 * address space was there all the time.
	 */
	struct drivermemory driver;
	bool is_read;
	bool skips_files; /* set by the owner: only drivers' memory is counted */
	uint64_t
		hold_ns; /* the longest time for which the last perusal_step() kept the process waiting */
};

/* SEED is of hashes, and must be secret: users choose the names of files. */
void perusal_init(struct perusal *s, uint64_t seed);
void perusal_done(struct perusal *s);
#define AUTO_PERUSAL CLEANUP(perusal_done)

/* Begins a survey at BEGUN_NS (CLOCK_BOOTTIME), and drops one that is under way. */
void perusal_begin(struct perusal *s, uint64_t begun_ns);

/* Counts a process that is not read, with OUTCOME from SURVEY_DENIED to SURVEY_ERROR, or SURVEY_BLOCKED. */
void perusal_count(struct perusal *s, enum survey_quantity outcome);

/* Begins the next process, of user UID: STREAM is its smaps, at the beginning. Takes STREAM over, and closes it. */
void perusal_enter(struct perusal *s, struct stream *stream, uint32_t uid);

static inline bool perusal_is_reading(const struct perusal *s)
{
	return stream_is_open(&s->stream);
}

enum perusal_outcome {
	PERUSAL_MORE = 1, /* call perusal_step() again after a pause */
	PERUSAL_BLOCKED,  /* the read has blocked: the process is counted as SURVEY_BLOCKED */
	PERUSAL_LOST, /* the worker that read is gone (stream.h): the process is not counted, and can be entered again */
};

/*
 * Reads for about SLICE_NS, at least once; a read that blocks takes longer (collectors/workers.h). Returns 0 if the process
 * has been read to its end, or left out, and counted; an outcome; -ENOMEM or -EOVERFLOW: the survey is lost.
 */
int perusal_step(struct perusal *s, uint64_t slice_ns);

/* Ends the survey at ENDED_NS (CLOCK_BOOTTIME): fills *RET, and frees the memory of S. Returns 0, or -ENOMEM: *RET is empty. */
int perusal_end(struct perusal *s, uint64_t ended_ns, struct catalogue *ret);

#endif
