/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A walk of one process by slices: reads smaps through a small buffer, with pauses.
 *
 * The kernel releases the address-space lock at the end of each read(). A thread that does not get
 * the lock between two reads has to wait on, so reads without a pause count as one hold. A slice is
 * as many reads as fit into a given time, and the caller pauses between slices. A mapping cannot be
 * divided. Before the first walk of an image its maps can be read, by slices too, to find a mapping
 * that would take too long.
 *
 * If the process exits or calls exec during the walk, the text ends early without an error. The
 * result is then discarded: see process_take().
 */
#ifndef MEMTALLY_COLLECTORS_ADAPTIVE_SMAPS_SLICES_H
#define MEMTALLY_COLLECTORS_ADAPTIVE_SMAPS_SLICES_H

#include "collectors/process/process.h"
#include "collectors/procfs/maps.h"
#include "collectors/workers/stream.h"

struct smaps_slices {
	struct stream stream;    /* of maps or smaps; closed: no walk is under way */
	struct process *process; /* borrowed */
	bool is_mapping;         /* the stream is of maps */
	struct maps_parser maps;
	struct smaps_parser parser;
	uint64_t count;       /* slices read */
	unsigned int losses;  /* how often the walk has lost its worker */
	uint64_t largest_rss; /* of all mappings walked, the largest resident size in bytes */
};

void smaps_slices_init(struct smaps_slices *s);
void smaps_slices_done(struct smaps_slices *s);

static inline bool smaps_slices_are_under_way(const struct smaps_slices *s)
{
	return stream_is_open(&s->stream);
}

/* Drops the walk that is under way, if there is one, with its result. */
void smaps_slices_drop(struct smaps_slices *s);

enum { SMAPS_SLICES_LOSSES = 3 }; /* how often a walk may begin again */

enum smaps_slices_outcome {
	SMAPS_SLICES_MORE = 1, /* call smaps_slices_step() again, after a pause */
	/*
	 * The maps have been read as far as possible: call smaps_slices_largest(), then
	 * smaps_slices_walk() or smaps_slices_drop().
	 */
	SMAPS_SLICES_MAPPED,
	/*
	 * The worker that had the stream is gone (stream.h), which says nothing about the process:
	 * call smaps_slices_again() or smaps_slices_drop(). Returned at most SMAPS_SLICES_LOSSES
	 * times in a walk; the next loss ends the walk with OUTCOME_ERROR.
	 */
	SMAPS_SLICES_LOST,
};

/*
 * Begins a walk of P with a process_look(); if WITH_MAPS is set, its maps are read first. P stays
 * borrowed until the walk is over. Returns 0 or -ENOMEM. If smaps_slices_are_under_way()
 * afterwards, *RET is the result of the look. Otherwise there is no walk, and .outcome of *RET says
 * why (gone, another image, denied, blocked); it is never OUTCOME_MEASURED.
 */
int smaps_slices_begin(struct smaps_slices *s, struct process_reader *r, struct process *p,
	bool with_maps, uint64_t now_ns, struct sample *ret);

/*
 * Reads one slice: for about SLICE_NS, at least one read(). A read that blocks takes longer
 * (workers.h). Returns SMAPS_SLICES_MORE; SMAPS_SLICES_MAPPED; SMAPS_SLICES_LOST; 0 if the walk is
 * over, with its result in *RET as process_take() sets it; or -ENOMEM: the walk is over without a
 * result.
 */
int smaps_slices_step(struct smaps_slices *s, struct process_reader *r, uint64_t slice_ns,
	uint64_t now_ns, struct sample *ret);

/*
 * Returns the size of the largest mapping in bytes, an upper bound of its resident memory; 0: not
 * known. Call it after SMAPS_SLICES_MAPPED.
 */
uint64_t smaps_slices_largest(const struct smaps_slices *s);

/*
 * Continues the walk with smaps. Call it after SMAPS_SLICES_MAPPED. Results are those of
 * smaps_slices_begin().
 */
int smaps_slices_walk(struct smaps_slices *s, struct process_reader *r, struct sample *ret);

/*
 * Reads the maps, or smaps, from the beginning again. Call it after SMAPS_SLICES_LOST. Results are
 * those of smaps_slices_begin().
 */
int smaps_slices_again(struct smaps_slices *s, struct process_reader *r, struct sample *ret);

#endif
