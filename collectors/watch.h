/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What adaptive passes remember of one process: its last measurement, what its counters said then and say
 * now, and what cheap looks at it brought. A row of a snapshot is made of it. Pure, but for the memory.
 */
#ifndef MEMTALLY_COLLECTORS_WATCH_H
#define MEMTALLY_COLLECTORS_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/cost.h"
#include "collectors/estimate.h"
#include "collectors/kin.h"
#include "collectors/process.h"
#include "collectors/statm.h"
#include "snapshot/record.h"

enum {
	WATCH_KEPT = 14, /* quantities that are neither carried nor counted: see watch.c */
};

struct watch {
	struct kin_member kin;        /* if .is_related; must not move */
	struct estimate_doubt *doubt; /* owned: about the measurement; NULL: none */
	struct estimate_base base;    /* of the measurement, if .has_base */
	struct statm seen;            /* the last one */
	uint64_t moved;    /* pages by which it has moved since the last pass, either way */
	uint64_t present;  /* by process_quantity, of .kib and of those that statm tells */
	uint64_t start_ns; /* PROCESS_START_TIME */
	uint32_t kib[WATCH_KEPT];
	uint64_t *
		wide; /* owned: bytes of those that .kib does not hold; NULL: it holds all, as it nearly always does */
	uint64_t
		measured_ns; /* CLOCK_BOOTTIME of the measurement, or of an attempt that was refused */
	uint64_t looked_ns; /* CLOCK_BOOTTIME of the last status */
	uint64_t first_ns;  /* CLOCK_BOOTTIME at which the image was first seen */
	uint64_t
		leaving; /* resident bytes when it exited, while the kernel frees them; 0: it does not */
	uint64_t broken_ns; /* CLOCK_BOOTTIME of .broken_kib */
	struct cost_habit habit;
	uint32_t huge_kib, mappings; /* of the measurement; 0 mappings: not known */
	uint32_t largest_kib;        /* of the largest mapping, at most; 0: not known */
	uint32_t mapped_kib;         /* the RSS when that was found out */
	uint32_t faults;             /* that it had when it was measured, if .has_faults; wraps */
	uint32_t
		shown_kib; /* by how much its row in the last pass may be wrong; 0 once it was measured again */
	uint32_t broken_kib;    /* that it may have broken since, as its faults said last */
	uint32_t looked_faults; /* that it had then, at .broken_ns */
	uint32_t unsure; /* bytes by which .base may be off either way, since it moved meanwhile */
	uint32_t fell_anon_kib, fell_file_kib; /* by which .base was less than what was known of */
	uint32_t lack_anon,
		lack_file; /* bytes; what .base has added to the kernel's Pss_Anon and Pss_File */
	uint8_t source, outcome;
	bool is_member;  /* as of the last look: it has memory */
	bool is_seen;    /* .seen holds what statm said */
	bool is_settled; /* who it is is known; else the next pass looks */
	uint8_t calm;    /* how often faults were for nothing; each time they count half */
	bool has_faults;
	bool is_unwatched; /* nobody could look at its faults for too long: it may have written to anything */
	bool lacks_looks; /* in the last pass there were too few looks at faults for an alarm */
	bool has_base;
	bool is_related;
	bool is_cut; /* its maps were too long to be read to the end (maps.h): it may share any of its files */
	bool by_slices;     /* .habit is of walks by slices */
	bool guesses_parts; /* those of .base, if it has any: no row shows them */
	bool was_there;     /* in memtallyd's first pass, and was not measured since */
	bool is_asked;      /* whether it may be walked, which was put off */
	bool is_waiting; /* it was to be measured, and the budget or the host's memory was too short for that */
	bool is_elsewhere; /* its address space was counted at another process in the last pass */
};

struct watch *watch_new(uint64_t now_ns);

struct watch *watch_free(
	struct watch *w); /* which has no relations (any more); accepts NULL, returns NULL */

/* Another image, or another process: nothing of it is known, but its relations. */
void watch_renew(struct watch *w, uint64_t now_ns);

/* Takes over what a look or a measurement S found, all but the PSS. PAGE_BYTES is the kernel's page. */
void watch_note(struct watch *w, const struct sample *s, uint64_t now_ns, uint64_t page_bytes);

/*
 * Whether the walk of S, which watch_note() was told of, has found what status had said just
 * before: then nothing moved between the two, and what moved later is for the next look to see.
 */
bool watch_agrees(const struct watch *w, const struct sample *s, uint64_t page_bytes);

/*
 * Takes over the measurement S, which watch_note() was told of. BEFORE is statm before the walk, NULL if status of S was read
 * before it; AFTER is statm after the walk, NULL if there is none. The figures go with these counters if they are the same, and
 * the walk has found at most LATE_BYTES more. Otherwise W moved during the walk, and they go with the walk's own counts.
 * Returns false if S has no PSS.
 */
bool watch_measure(struct watch *w, const struct sample *s, const struct statm *before,
	const struct statm *after, uint64_t late_bytes, uint64_t now_ns, uint64_t page_bytes);

/* What the counters say now. */
struct estimate_now watch_now(const struct watch *w, uint64_t page_bytes);

/* Whether nothing that the counters tell has moved since the measurement. */
bool watch_is_quiet(const struct watch *w, uint64_t page_bytes);

/*
 * Fills in ROW's quantities: what is kept, RSS, and, where ESTIMATE is not NULL, the PSS with its
 * bounds and parts, and, of who was measured, the USS. PROCESS_PSS_AGE becomes the CLOCK_BOOTTIME
 * of the measurement.
 */
void watch_fill(const struct watch *w, const struct estimate *estimate, uint64_t page_bytes,
	struct snapshot_process *row);

#endif
