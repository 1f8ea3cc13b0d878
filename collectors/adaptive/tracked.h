/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracked Process
 *
 * What adaptive passes remember of one process: its last measurement, its counters at that time and
 * now, and the results of cheap reads. Rows of snapshots are filled from it. Pure, except for
 * memory.
 */
#ifndef MEMTALLY_COLLECTORS_ADAPTIVE_TRACKED_H
#define MEMTALLY_COLLECTORS_ADAPTIVE_TRACKED_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/model/estimate.h"
#include "collectors/model/family/fork-families.h"
#include "collectors/process/process.h"
#include "collectors/procfs/statm.h"
#include "collectors/schedule/walk-cost.h"
#include "snapshot/record.h"

enum {
	TRACKED_KEPT = 14, /* quantities that are shown as last read: see tracked.c */
};

/*
 * The state of a process's image. tracked_note() sets it from each sample, from any state to any
 * other; tracked_renew() sets TRACKED_UNKNOWN. pass-phases.c changes TRACKED_SETTLED to
 * TRACKED_CHANGING if the process's user, program or unit could not be recorded.
 */
enum tracked_image {
	TRACKED_UNKNOWN,  /* not read yet, or gone: the next pass reads it from the beginning */
	TRACKED_EMPTY,    /* a kernel thread or a zombie: it has no memory */
	TRACKED_LEAVING,  /* it has exited; the kernel frees its memory (.leaving) */
	TRACKED_CHANGING, /* it has memory, and the next pass reads it from the beginning */
	TRACKED_SETTLED,  /* it has memory, and its image is known */
};

/*
 * The relations of a process to other processes. sharing_state_born() sets TRACKED_RELATED, from
 * either of the others. sharing_state_ended() sets TRACKED_ALONE after an exit, and leaves
 * TRACKED_RELATED after an exec. adaptive-pass.h sets TRACKED_ELSEWHERE, from TRACKED_ALONE.
 * tracked_renew() leaves TRACKED_RELATED, and changes TRACKED_ELSEWHERE to TRACKED_ALONE.
 */
enum tracked_relations {
	TRACKED_ALONE,     /* none: they have not begun, or have ended */
	TRACKED_RELATED,   /* .member has them */
	TRACKED_ELSEWHERE, /* its address space counts at another process, which has them */
};

/*
 * The state of a process's counter of minor faults. cow_faults_measured() sets TRACKED_UNCOUNTED or
 * TRACKED_COUNTED after each measurement. sharing_state_unmeasured() and tracked_renew() set
 * TRACKED_UNCOUNTED. cow_faults_look() changes TRACKED_COUNTED to TRACKED_OVERDUE; it and
 * cow_faults_alarmed() change TRACKED_OVERDUE to TRACKED_COUNTED when they have read the counter.
 */
enum tracked_watch {
	TRACKED_UNCOUNTED, /* it shares too little for them to matter, or they could not be read */
	TRACKED_COUNTED,   /* .faults are those at the measurement */
	TRACKED_OVERDUE, /* they were not read for too long: it may have written to all it shares */
};

struct tracked {
	struct family_member member; /* valid if TRACKED_RELATED; must not move */
	/* owned: the doubt of births and exits about .base; NULL: none */
	struct estimate_doubt *doubt;
	struct estimate_base base; /* of the measurement, valid if .has_base */
	struct statm seen;         /* the last statm, in pages */
	/* pages by which the counters moved since the last pass, up and down added */
	uint64_t moved;
	/*
	 * bits by process_quantity: which of .kib, .start_ns, .threads and statm's quantities are
	 * known
	 */
	uint64_t present;
	uint64_t start_ns; /* PROCESS_START_TIME */
	uint32_t threads;  /* PROCESS_THREADS */
	uint32_t kib[TRACKED_KEPT];
	uint32_t huge_kib; /* at the measurement */
	/* owned: bytes of values that .kib cannot hold; NULL: it holds all, which is nearly always
	 * so */
	uint64_t *wide;
	/* CLOCK_BOOTTIME of the measurement, or of an attempt that the kernel refused */
	uint64_t measured_ns;
	uint64_t looked_ns; /* CLOCK_BOOTTIME of the last read of status */
	uint64_t first_ns;  /* CLOCK_BOOTTIME at which the image was first seen */
	uint64_t leaving;   /* if TRACKED_LEAVING: resident bytes when it exited; else 0 */
	uint64_t broken_ns; /* CLOCK_BOOTTIME of .broken_kib */
	struct walk_cost_habit habit;
	uint32_t mappings;    /* at the measurement; 0: not known */
	uint32_t largest_kib; /* upper bound of the largest mapping; 0: not known */
	uint32_t mapped_kib;  /* RSS when .largest_kib was found */
	uint32_t faults;      /* minor faults at the measurement, by .watch; wraps */
	/* by how much its row in the last pass may be wrong; 0 after a measurement */
	uint32_t shown_kib;
	/* that it may have copied since, by its faults when they were read last */
	uint32_t broken_kib;
	uint32_t looked_faults; /* minor faults then, at .broken_ns */
	/* bytes by which .base may be off either way, because it moved during the walk */
	uint32_t unsure;
	uint32_t fell_anon_kib, fell_file_kib; /* by how much .base was below the estimate */
	/* bytes that .base has in addition to the kernel's Pss_Anon and Pss_File */
	uint32_t lack_anon, lack_file;
	enum tracked_image image : 8;
	enum tracked_relations relations : 8;
	enum tracked_watch watch : 8;
	uint8_t source, outcome;
	/* how often faults had other causes than copies; each time, faults count half */
	uint8_t calm;
	/* status has the counters of .seen, too; not set if .seen is of tracked_poll() */
	bool is_seen;
	bool lacks_looks; /* in the last pass, too few readings of faults were left for an alarm */
	bool has_base;
	/* its maps were too long to be read to the end (maps.h): it may share any of its files */
	bool is_cut;
	bool by_slices;     /* .habit is from walks by slices */
	bool guesses_parts; /* the parts of .base are guesses: rows do not show them */
	/* it was there in memtallyd's first pass, and has not been measured since */
	bool was_there;
	/* process_permits() was called, whether it may be measured; asked once for each image */
	bool is_asked;
	/* it was to be measured, but was deferred: the budget or the host's memory was short */
	bool is_waiting;
};

/* Returns true if the process of T had memory when it was read last. */
static inline bool tracked_has_memory(const struct tracked *t)
{
	return t->image >= TRACKED_CHANGING;
}

/* Returns a new record of an image first seen at NOW_NS (CLOCK_BOOTTIME); NULL: out of memory. */
struct tracked *tracked_new(uint64_t now_ns);

/* Frees T, which must not have relations any more. Accepts NULL. Returns NULL. */
struct tracked *tracked_free(struct tracked *t);

/* Drops the doubt of T, if there is one. */
void tracked_drop_doubt(struct tracked *t);

/* Resets T for another image or another process. Only its relations stay. */
void tracked_renew(struct tracked *t, uint64_t now_ns);

/* Records all quantities of the sample S except PSS. PAGE_BYTES is the kernel's page size. */
void tracked_note(struct tracked *t, const struct sample *s, uint64_t now_ns, uint64_t page_bytes);

/*
 * Records the counters M of a statm that no status accompanies. The high-water mark of RSS follows;
 * all other quantities stay as they were read last. The next look reads status, whatever statm says.
 */
void tracked_poll(struct tracked *t, const struct statm *m, uint64_t page_bytes);

/*
 * T has the quantities of S. Returns true if the walk of S agrees with status, which was read just
 * before: then nothing moved in between, and later movements show in later polls.
 */
bool tracked_agrees(const struct tracked *t, const struct sample *s, uint64_t page_bytes);

/*
 * Makes S the measurement of T, which has its quantities. BEFORE is statm before the walk, NULL if
 * status of S was read before it; AFTER is statm after the walk, NULL if there is none. If both are
 * equal, and the walk has found at most LATE_BYTES more, these counters are the base's. Otherwise T
 * moved during the walk, and the walk's own sums are. Returns false if S has no PSS.
 */
bool tracked_measure(struct tracked *t, const struct sample *s, const struct statm *before,
	const struct statm *after, uint64_t late_bytes, uint64_t now_ns, uint64_t page_bytes);

/* Returns T's counters now, in bytes. */
struct estimate_now tracked_now(const struct tracked *t, uint64_t page_bytes);

/* Returns true if T has a measurement, and its counters have not moved since. */
bool tracked_is_quiet(const struct tracked *t, uint64_t page_bytes);

/*
 * Fills quantities of ROW: the kept ones and RSS, and, if ESTIMATE is not NULL, PSS with bounds and
 * parts; if T was measured, also USS, and PROCESS_PSS_AGE as the CLOCK_BOOTTIME of the measurement.
 */
void tracked_fill(const struct tracked *t, const struct estimate *estimate, uint64_t page_bytes,
	struct snapshot_process *row);

#endif
