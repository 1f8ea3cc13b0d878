/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A walk of one process by slices: smaps through a small buffer. The kernel releases the lock of the address space at the end
 * of each read(). But a thread that does not get the lock between two reads has to wait on, so reads without a pause count as
 * one hold. A slice is as many reads as fit into a given time; the caller pauses between slices. A mapping cannot be divided.
 *
 * Before the first walk of an image its maps can be read, by slices too, to find a mapping that would take too long.
 *
 * The text ends early, without an error, if the process exits or executes a program during the walk. The result is then
 * thrown away: see process_take().
 */
#ifndef MEMTALLY_COLLECTORS_SLICES_H
#define MEMTALLY_COLLECTORS_SLICES_H

#include "collectors/maps.h"
#include "collectors/process.h"
#include "collectors/stream.h"

struct slices {
	struct stream stream;    /* of maps or smaps; closed: no walk is under way */
	struct process *process; /* borrowed */
	bool is_mapping;         /* maps are being read */
	struct maps_parser maps;
	struct smaps_parser parser;
	uint64_t count;       /* slices read */
	unsigned int losses;  /* times that the walk has lost its worker */
	uint64_t largest_rss; /* bytes of the mapping that has the most resident, of those walked */
};

void slices_init(struct slices *s);
void slices_done(struct slices *s);

static inline bool slices_are_under_way(const struct slices *s)
{
	return stream_is_open(&s->stream);
}

/* Drops the walk that is under way, if there is one, with its result. */
void slices_drop(struct slices *s);

enum { SLICES_LOSSES = 3 }; /* times that a walk may begin again */

enum slices_outcome {
	SLICES_MORE = 1, /* call slices_step() again, after a pause */
	/* The maps have been read as far as possible: call slices_largest(), then slices_walk() or slices_drop(). */
	SLICES_MAPPED,
	/*
	 * The worker with the text is gone (stream.h), which says nothing about the process: call slices_again() or slices_drop().
	 * Returned at most SLICES_LOSSES times in a walk: the next loss ends the walk with OUTCOME_ERROR.
	 */
	SLICES_LOST,
};

/*
 * Begins a walk of P, which stays borrowed until the walk is over, after a process_look(); with WITH_MAPS by its maps.
 * Returns 0 or -ENOMEM. If slices_are_under_way() then, *RET is the result of the look. Otherwise there is no walk, and
 * .outcome of *RET says why (gone, another image, denied, blocked); it is never OUTCOME_MEASURED.
 */
int slices_begin(struct slices *s, struct process_reader *r, struct process *p, bool with_maps,
	uint64_t now_ns, struct sample *ret);

/*
 * Reads one slice, for about SLICE_NS, at least one read(); a read that blocks takes longer (workers.h). Returns SLICES_MORE;
 * SLICES_MAPPED; SLICES_LOST; 0 if the walk is over, with its result in *RET as by process_take(); or -ENOMEM: it is over without a
 * result.
 */
int slices_step(struct slices *s, struct process_reader *r, uint64_t slice_ns, uint64_t now_ns,
	struct sample *ret);

/* After SLICES_MAPPED: the size of the largest mapping in bytes, an upper limit of its resident memory. 0: not known. */
uint64_t slices_largest(const struct slices *s);

/* After SLICES_MAPPED: continues with smaps. Results as of slices_begin(). */
int slices_walk(struct slices *s, struct process_reader *r, struct sample *ret);

/* After SLICES_LOST: reads the maps, or smaps, from the beginning again. Results as of slices_begin(). */
int slices_again(struct slices *s, struct process_reader *r, struct sample *ret);

#endif
