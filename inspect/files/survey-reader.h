/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Survey Reader
 *
 * Reads smaps of one process after the other, slowly and in small pieces, and sums by file how much
 * memory is mapped. The result is a survey result (collectors/pass/survey-result.h). The caller
 * chooses the processes and the times.
 *
 * A process counts only if all of its smaps was read. The kernel ends the text of an address space
 * that is gone (exit, exec) without an error. But an open file stays with its address space, so if
 * its beginning can be read again at the end, the address space was there all the time (m_start()
 * in fs/proc/task_mmu.c). A process with more than 128 MiB of text is left out.
 */
#ifndef MEMTALLY_INSPECT_FILES_SURVEY_READER_H
#define MEMTALLY_INSPECT_FILES_SURVEY_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "collectors/pass/survey-result.h"
#include "collectors/workers/stream.h"
#include "inspect/files/file-table.h"
#include "inspect/maps/mapping.h"
#include "inspect/pages/drivermemory.h"

/*
 * Number of files listed by each of these: most PSS, most private dirty bytes, and most PSS of
 * deleted files.
 */
enum { SURVEY_READER_SHOWN = 200 };

struct survey_reader {
	struct file_table files;
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
	 * Duration of the last survey_reader_step(): the longest time for which it can have kept
	 * the process waiting.
	 */
	uint64_t hold_ns;
};

/* Makes S empty. SEED is for hashing, and must be secret: users choose the names of files. */
void survey_reader_init(struct survey_reader *s, uint64_t seed);
/* Frees what S owns. */
void survey_reader_done(struct survey_reader *s);
#define AUTO_SURVEY_READER CLEANUP(survey_reader_done)

/* Begins a survey at BEGUN_NS (CLOCK_BOOTTIME), and drops one that is under way. */
void survey_reader_begin(struct survey_reader *s, uint64_t begun_ns);

/* Counts a process that is not read. OUTCOME: SURVEY_DENIED to SURVEY_ERROR, or SURVEY_BLOCKED. */
void survey_reader_count(struct survey_reader *s, enum survey_quantity outcome);

/*
 * Begins the next process, of user UID. STREAM: its smaps, at the beginning. Takes STREAM over, and
 * closes it.
 */
void survey_reader_enter(struct survey_reader *s, struct stream *stream, uint32_t uid);

static inline bool survey_reader_is_reading(const struct survey_reader *s)
{
	return stream_is_open(&s->stream);
}

enum survey_reader_outcome {
	SURVEY_READER_MORE = 1, /* call survey_reader_step() again after a pause */
	SURVEY_READER_BLOCKED,  /* the read has blocked: the process counts as SURVEY_BLOCKED */
	/*
	 * The worker that read is gone (collectors/workers/stream.h): the process is not counted,
	 * and can be entered again.
	 */
	SURVEY_READER_LOST,
};

/*
 * Reads for about SLICE_NS nanoseconds, at least once. A read that blocks takes longer
 * (collectors/workers/workers.h). Returns 0 if the process was read to its end, or left out, and is
 * counted; an enum survey_reader_outcome; -ENOMEM or -EOVERFLOW: the survey is lost.
 */
int survey_reader_step(struct survey_reader *s, uint64_t slice_ns);

/*
 * Ends the survey at ENDED_NS (CLOCK_BOOTTIME): writes the result to *RET, and frees the memory of
 * S. Returns 0, or a negative errno, such as -ENOMEM: then RET->is_there is false.
 */
int survey_reader_end(struct survey_reader *s, uint64_t ended_ns, struct survey_result *ret);

#endif
