/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes of rows
 *
 * Collects the PSS of owners or processes from snapshots in the order of time: at the first and the
 * last one, and the least and most between. A row that does not exist has a PSS of 0; a PSS that is
 * not known is absent, and so is each amount that it is part of. Pure.
 */
#ifndef MEMTALLY_CLI_PAST_CHANGE_H
#define MEMTALLY_CLI_PAST_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/hashmap.h"
#include "base/siphash.h"
#include "snapshot/view.h"

/* The PSS of a row in a snapshot, in bytes. */
struct change_figure {
	bool is_there; /* the row exists, and an owner has processes */
	bool has_pss;  /* the next three are known, .high only if not .is_open */
	bool is_open;  /* there is no upper bound */
	uint64_t pss, low, high;
};

struct change_row {
	size_t name, user, above; /* in .text of struct change; 0: "" */
	uint32_t id;              /* as in struct snapshot_scope; of a process its uid */
	uint32_t pid;             /* of a process; else 0 */
	uint64_t start_ns;        /* of a process: PROCESS_START_TIME; 0: not known */
	struct change_figure first, last;
	bool has_range; /* the next two are known: of the snapshots in which the row has a PSS */
	uint64_t min, max;
};

/* Starts zeroed. */
struct change {
	enum metric_scope scope; /* of owners, or METRIC_PROCESS; set by the caller */
	struct change_row *row;  /* owned */
	size_t rows, room;
	size_t snapshots;     /* that were added */
	struct buffer text;   /* names, each terminated; the first one is empty */
	struct hashmap index; /* of .row */
	struct siphash_key secret;
};

/* Frees what C owns. */
void change_done(struct change *c);
#define AUTO_CHANGE CLEANUP(change_done)

/*
 * Adds the COUNT rows ROWS of .scope of VIEW, which is later than the views before it. Rows of
 * processes are those of processes with memory of their own. A process is the same if it has the
 * same pid and start time, also after exec; it has its last name then. An owner is the same if it
 * has the same name, id, user and owner above. Returns 0 or -ENOMEM.
 */
int change_add(struct change *c, const struct view *view, const uint32_t *rows, size_t count);

/* Returns a name of a row: .name, .user or .above. */
const char *change_text(const struct change *c, size_t at);

/* The growth of a PSS, in bytes. */
struct change_growth {
	bool is_known;
	bool has_low, has_high; /* bounds */
	int64_t bytes, low, high;
};

/* Computes the growth from FIRST to LAST in *RET, within the bounds of both. */
void change_growth(const struct change_figure *first, const struct change_figure *last,
	struct change_growth *ret);

/*
 * Sums the first and last figures of the rows with a known growth. Returns the number of the other
 * rows.
 */
size_t change_sum(
	const struct change *c, struct change_figure *ret_first, struct change_figure *ret_last);

/* Amounts and names by which rows are sorted. */
enum change_field {
	CHANGE_GROWTH,
	CHANGE_FIRST,
	CHANGE_LAST,
	CHANGE_MIN,
	CHANGE_MAX,
	CHANGE_NAME,
	CHANGE_FIELDS
};

/* Writes the amount FIELD (CHANGE_GROWTH to CHANGE_MAX) of ROW to *RET. Returns false if absent. */
bool change_get(const struct change_row *row, enum change_field field, int64_t *ret);

/*
 * Sorts the rows by FIELD. Rows without the amount are last in either order; those with the same are
 * in the order of their names and pids. No row can be added afterwards.
 */
void change_sort(struct change *c, enum change_field field, bool is_ascending);

#endif
