/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A walk of one process by slices: smaps through a small buffer. The kernel gives the lock of the address
 * space back at the end of each read(), so that a slice holds it for a mapping or few; the pauses
 * between the slices, which are the caller's, are what lets the target through. A mapping can't be divided.
 *
 * The text ends early, without an error, when the process ends or executes a program in the middle. What
 * was read then is thrown away: see process_take().
 */
#ifndef MEMTALLY_COLLECTORS_SLICES_H
#define MEMTALLY_COLLECTORS_SLICES_H

#include "collectors/process.h"

struct slices {
	int fd;                  /* of smaps; -1: no walk is under way */
	struct process *process; /* borrowed */
	struct smaps_parser parser;
	uint64_t count;       /* slices read */
	uint64_t largest_rss; /* bytes of the mapping that has the most resident */
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
};

/*
 * Begins a walk of P, which stays borrowed until the walk is over: looks at it first. 0: a walk that is
 * under way, of which nothing was read; SAMPLE is the look's. Else there is none: SAMPLE says why (gone, another
 * image, no right); SAMPLE->outcome is then never OUTCOME_MEASURED. -ENOMEM.
 */
int slices_begin(struct slices *s, struct process_reader *r, struct process *p, uint64_t now_ns,
	struct sample *ret);

/*
 * Reads one slice. SLICES_MORE; 0: the walk is over, and SAMPLE says what became of it, as
 * process_take() does; -ENOMEM: likewise over, with nothing.
 */
int slices_step(struct slices *s, struct process_reader *r, uint64_t now_ns, struct sample *ret);

#endif
