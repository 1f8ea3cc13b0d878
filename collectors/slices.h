/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A walk of one process by slices: smaps through a small buffer. The kernel gives the lock of the address
 * space back at the end of each read(), but who waits for it in vain between two reads has to wait on: reads without a
 * pause count as one hold. A slice is as many of them as fit into the time that is given; the pauses between slices
 * are the caller's. A mapping can't be divided.
 *
 * Before the first walk of an image its maps can be read, by slices too, to find out whether there is a mapping that
 * would take too long.
 *
 * The text ends early, without an error, when the process ends or executes a program in the middle. What
 * was read then is thrown away: see process_take().
 */
#ifndef MEMTALLY_COLLECTORS_SLICES_H
#define MEMTALLY_COLLECTORS_SLICES_H

#include "collectors/maps.h"
#include "collectors/process.h"

struct slices {
	int fd;                  /* of maps or smaps; -1: no walk is under way */
	struct process *process; /* borrowed */
	bool is_mapping;         /* maps are being read */
	struct maps_parser maps;
	struct smaps_parser parser;
	uint64_t count;       /* slices read */
	uint64_t largest_rss; /* bytes of the mapping that has the most resident, of those walked */
	uint64_t largest_ns;  /* CLOCK_BOOTTIME at which that was walked; 0: none was */
	uint64_t begun_ns;    /* likewise, of the last mapping that has begun in the text */
};

void slices_init(struct slices *s);
void slices_done(struct slices *s);

static inline bool slices_are_under_way(const struct slices *s)
{
	return s->fd >= 0;
}

/* Gives up the walk that is under way, if there is one. */
void slices_drop(struct slices *s);

enum slices_outcome {
	SLICES_MORE = 1, /* call slices_step() again, after a pause */
	/* The maps have been read, as far as they can be: slices_largest(), and slices_walk() or slices_drop(). */
	SLICES_MAPPED,
};

/*
 * Begins a walk of P, which stays borrowed until the walk is over: looks at it first. WITH_MAPS: its maps come before.
 * 0: a walk that is under way, of which nothing was read; SAMPLE is the look's. Else there is none: SAMPLE says
 * why (gone, another image, no right); SAMPLE->outcome is then never OUTCOME_MEASURED. -ENOMEM.
 */
int slices_begin(struct slices *s, struct process_reader *r, struct process *p, bool with_maps,
	uint64_t now_ns, struct sample *ret);

/*
 * Reads one slice, for about SLICE_NS, at least one read(). SLICES_MORE; SLICES_MAPPED; 0: the walk is over, and SAMPLE
 * says what became of it, as process_take() does; -ENOMEM: likewise over, with nothing.
 */
int slices_step(struct slices *s, struct process_reader *r, uint64_t slice_ns, uint64_t now_ns,
	struct sample *ret);

/* After SLICES_MAPPED: the bytes of the largest mapping; it has no more resident. 0: there is no telling. */
uint64_t slices_largest(const struct slices *s);

/* After SLICES_MAPPED: goes on with smaps. 0; else there is no walk, as slices_begin() says. */
int slices_walk(struct slices *s, struct process_reader *r, struct sample *ret);

#endif
