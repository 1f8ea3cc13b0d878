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
#ifndef MEMTALLY_COLLECTORS_ADAPTIVE_SLICES_H
#define MEMTALLY_COLLECTORS_ADAPTIVE_SLICES_H

#include "collectors/process/process.h"
#include "collectors/procfs/maps.h"
#include "collectors/workers/stream.h"

struct slices {
	struct stream stream;    /* of maps or smaps; closed: no walk is under way */
	struct process *process; /* borrowed */
	bool is_mapping;         /* the stream is of maps */
	struct maps_parser maps;
	struct smaps_parser parser;
	uint64_t count;       /* slices read */
	unsigned int losses;  /* how often the walk has lost its worker */
	uint64_t largest_rss; /* of all mappings walked, the largest resident size in bytes */
};

void slices_init(struct slices *s);
void slices_done(struct slices *s);

static inline bool slices_are_under_way(const struct slices *s)
{
	return stream_is_open(&s->stream);
}

/* Drops the walk that is under way, if there is one, with its result. */
void slices_drop(struct slices *s);

enum { SLICES_LOSSES = 3 }; /* how often a walk may begin again */

enum slices_outcome {
	SLICES_MORE = 1, /* call slices_step() again, after a pause */
	/*
	 * The maps have been read as far as possible: call slices_largest(), then slices_walk() or
	 * slices_drop().
	 */
	SLICES_MAPPED,
	/*
	 * The worker that had the stream is gone (stream.h), which says nothing about the process:
	 * call slices_again() or slices_drop(). Returned at most SLICES_LOSSES times in a walk; the
	 * next loss ends the walk with OUTCOME_ERROR.
	 */
	SLICES_LOST,
};

/*
 * Begins a walk of P with a process_look(); if WITH_MAPS is set, its maps are read first. P stays
 * borrowed until the walk is over. Returns 0 or -ENOMEM. If slices_are_under_way() afterwards, *RET
 * is the result of the look. Otherwise there is no walk, and .outcome of *RET says why (gone,
 * another image, denied, blocked); it is never OUTCOME_MEASURED.
 */
int slices_begin(struct slices *s, struct process_reader *r, struct process *p, bool with_maps,
	uint64_t now_ns, struct sample *ret);

/*
 * Reads one slice: for about SLICE_NS, at least one read(). A read that blocks takes longer
 * (workers.h). Returns SLICES_MORE; SLICES_MAPPED; SLICES_LOST; 0 if the walk is over, with its
 * result in *RET as process_take() sets it; or -ENOMEM: the walk is over without a result.
 */
int slices_step(struct slices *s, struct process_reader *r, uint64_t slice_ns, uint64_t now_ns,
	struct sample *ret);

/*
 * Returns the size of the largest mapping in bytes, an upper bound of its resident memory; 0: not
 * known. Call it after SLICES_MAPPED.
 */
uint64_t slices_largest(const struct slices *s);

/* Continues the walk with smaps. Call it after SLICES_MAPPED. Results are those of slices_begin(). */
int slices_walk(struct slices *s, struct process_reader *r, struct sample *ret);

/*
 * Reads the maps, or smaps, from the beginning again. Call it after SLICES_LOST. Results are those
 * of slices_begin().
 */
int slices_again(struct slices *s, struct process_reader *r, struct sample *ret);

#endif
