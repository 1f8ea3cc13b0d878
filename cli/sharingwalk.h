/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Goes from process to process for `memtally sharing`, and has all pages counted.
 */
#ifndef MEMTALLY_CLI_SHARINGWALK_H
#define MEMTALLY_CLI_SHARINGWALK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/crowd.h"
#include "cli/progress.h"
#include "cli/sharingasked.h"
#include "collectors/procfs.h"
#include "config/settings.h"
#include "inside/muster.h"

/* What became of a group's members. */
struct sharing_tally {
	uint64_t page_tables; /* bytes */
	uint32_t read, denied, ended;
};

struct sharing_walk {
	const struct sharing_asked *asked; /* borrowed, as the next */
	const struct view *view;           /* who is there */
	struct procfs procfs;
	struct crowd crowd;          /* owned */
	struct sharing_tally *tally; /* owned; by group */
	struct muster muster;        /* complete after sharing_walk_all() */
	struct progress progress;
	struct sharing_course course;
	uint64_t begin_ns; /* CLOCK_MONOTONIC */
	bool has_failed;   /* one of those who were asked for could not be looked at */
	pid_t refused;     /* one who could not be; 0: there is none */
};

/*
 * Opens what may not be seen without rights of root's. 0, or -ECANCELED: it was said which are missing. W stays where it is until
 * sharing_walk_done(), which is to follow in either case.
 */
int sharing_walk_open(
	struct sharing_walk *w, const struct sharing_asked *asked, const struct settings *settings);
void sharing_walk_done(struct sharing_walk *w);
#define AUTO_SHARING_WALK CLEANUP(sharing_walk_done)

/*
 * Walks who is in .crowd, of .view, and counts what was found. On a terminal it says how far it is, and of whom was asked for and
 * can't be looked at why. -ENOMEM, -ERANGE; errors of read.
 */
int sharing_walk_all(struct sharing_walk *w);

/* Whether nobody could have pages in swap that are somebody's, too, and was not asked: the kernel does not count these. */
bool sharing_walk_tells_swap(const struct sharing_walk *w);

#endif
