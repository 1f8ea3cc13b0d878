/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of one process's memory, as a page for people or as JSON: what it has alone and shares with whom, what is
 * swapped out, what has grown, what is largest, what would come back if it ended, and how each figure was got. Pure but
 * for LC_CTYPE, which decides what of names can be printed.
 */
#ifndef MEMTALLY_CLI_EXPLANATION_H
#define MEMTALLY_CLI_EXPLANATION_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buffer.h"
#include "inside/portrait.h"
#include "inside/sharers.h"
#include "snapshot/record.h"

/* All of it is borrowed. */
struct explanation {
	pid_t pid;
	const char *program, *user; /* clean; .user NULL: not known */
	/* Of its status, by process_quantity. */
	uint64_t present;
	const uint64_t *q;
	struct portrait *portrait; /* sorted by this */
	struct sharers *sharers;   /* likewise */
	size_t looked, refused; /* other processes whose maps could be read, and that could not */
	bool hides;             /* /proc hides others' processes, which are in neither number, */
	bool is_inside;         /* and so it does those outside of a pid namespace */
	const struct snapshot_process
		*grown;      /* its row in memtallyd's snapshot; NULL: there is none, and */
	const char *unknown; /* why, clean */
	uint64_t snapshot_age_ns;
	bool bytes;   /* exact */
	size_t limit; /* of the largest of each kind of row; not 0 */
};

/* .bytes and .limit count here. */
void explanation_add_text(const struct explanation *e, struct buffer *to);

/* An object, exact and whole, the caller's; NULL: out of memory. */
json_t *explanation_json(const struct explanation *e);

#endif
