/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Survey Reader
 *
 * Reads smaps of one process after the other, slowly and in small pieces, and sums by file how much
 * memory is mapped. The result is a survey result (collectors/pass/catalogue.h). The caller chooses the
 * processes and the times.
 *
 * A process counts only if all of its smaps was read. The kernel ends the text of an address space
 * that is gone (exit, exec) without an error. But an open file stays with its address space, so if
 * its beginning can be read again at the end, the address space was there all the time (m_start()
 * in fs/proc/task_mmu.c). A process with more than 128 MiB of text is left out.
 */
#ifndef MEMTALLY_INSPECT_FILES_PERUSAL_H
#define MEMTALLY_INSPECT_FILES_PERUSAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "collectors/pass/catalogue.h"
#include "collectors/workers/stream.h"
#include "inspect/files/shelf.h"
#include "inspect/maps/mapping.h"
#include "inspect/pages/drivermemory.h"

/*
 * Number of files listed by each of these: most PSS, most private dirty bytes, and most PSS of
 * deleted files.
 */
enum { PERUSAL_SHOWN = 200 };

struct perusal {
	struct shelf shelf;
	struct mapping_reader reader;
	uint64_t begun_ns;             /* CLOCK_BOOTTIME */
	uint64_t q[SURVEY_QUANTITIES]; /* counts of processes so far */
	struct stream stream;          /* the smaps that is being read; closed: none */
	uint32_t uid;                  /* of the process that is being read */
	/* Bytes of its text so far, and the limit above which it is left out. */
	uint64_t bytes, max_bytes;
	/*
	 * Drivers' memory of the process that is being read, or was read last. .is_read: smaps was
	 * read to its end, and the address space was there all the time.
	 */
	struct drivermemory driver;
	bool is_read;
	bool skips_files; /* set by the owner: only drivers' memory is counted */
	/*
	 * Duration of the last perusal_step(): the longest time for which it can have kept the
	 * process waiting.
	 */
	uint64_t hold_ns;
};

/* Makes S empty. SEED is for hashing, and must be secret: users choose the names of files. */
void perusal_init(struct perusal *s, uint64_t seed);
/* Frees what S owns. */
void perusal_done(struct perusal *s);
#define AUTO_PERUSAL CLEANUP(perusal_done)

/* Begins a survey at BEGUN_NS (CLOCK_BOOTTIME), and drops one that is under way. */
void perusal_begin(struct perusal *s, uint64_t begun_ns);

/* Counts a process that is not read. OUTCOME: SURVEY_DENIED to SURVEY_ERROR, or SURVEY_BLOCKED. */
void perusal_count(struct perusal *s, enum survey_quantity outcome);

/*
 * Begins the next process, of user UID. STREAM: its smaps, at the beginning. Takes STREAM over, and
 * closes it.
 */
void perusal_enter(struct perusal *s, struct stream *stream, uint32_t uid);

static inline bool perusal_is_reading(const struct perusal *s)
{
	return stream_is_open(&s->stream);
}

enum perusal_outcome {
	PERUSAL_MORE = 1, /* call perusal_step() again after a pause */
	PERUSAL_BLOCKED,  /* the read has blocked: the process counts as SURVEY_BLOCKED */
	/*
	 * The worker that read is gone (collectors/workers/stream.h): the process is not counted, and can
	 * be entered again.
	 */
	PERUSAL_LOST,
};

/*
 * Reads for about SLICE_NS nanoseconds, at least once. A read that blocks takes longer
 * (collectors/workers/workers.h). Returns 0 if the process was read to its end, or left out, and is
 * counted; an enum perusal_outcome; -ENOMEM or -EOVERFLOW: the survey is lost.
 */
int perusal_step(struct perusal *s, uint64_t slice_ns);

/*
 * Ends the survey at ENDED_NS (CLOCK_BOOTTIME): writes the result to *RET, and frees the memory of
 * S. Returns 0, or a negative errno, such as -ENOMEM: then RET->is_there is false.
 */
int perusal_end(struct perusal *s, uint64_t ended_ns, struct catalogue *ret);

#endif
