/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows that may grow
 *
 * The owners and processes of the newest snapshot, their memory in each five minutes of earlier
 * snapshots, and the verdict on it (trend/trend.h). Memory is PSS and, where it is known, SwapPss:
 * memory that goes to swap is not freed. Pure.
 */
#ifndef MEMTALLY_GROWTH_GROWTH_ROWS_H
#define MEMTALLY_GROWTH_GROWTH_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/hashmap.h"
#include "base/siphash.h"
#include "snapshot/view.h"
#include "trend/trend.h"

/* By default a day and a half is judged: a day of history, a warm-up, and windows of some hours. */
enum { GROWTH_ROWS_SPAN_S = 36 * 3600 };

/* A row needs so much memory now, in bytes, to be judged. */
#define GROWTH_ROWS_LEAST (UINT64_C(16) << 20)

/* Growth below so many bytes does not matter. */
#define GROWTH_ROWS_MATTERS (UINT64_C(4) << 20)

/* Room up to a limit, in bytes. */
struct growth_limit {
	const char *
		name; /* static: "MemAvailable", "memory.max" or "RLIMIT_AS"; NULL: none is known */
	uint64_t room;
};

struct growth_row {
	enum metric_scope scope; /* of owners, or METRIC_PROCESS */
	uint32_t at;             /* its index in the newest snapshot */
	size_t name, user;       /* in .text of struct growth_rows; .user of a process */
	uint32_t id;             /* as in struct snapshot_scope; of a process its uid */
	uint32_t pid;            /* of a process; else 0 */
	/*
	 * CLOCK_REALTIME: the start of a process, or of the oldest process of an owner that is a
	 * cgroup; 0: not known, or of no meaning
	 */
	uint64_t start_ns;
	uint64_t bytes; /* now */
	struct floors floors;
	bool is_judged; /* .trend is known: the series is long enough */
	struct trend trend;
	struct growth_limit limit; /* the one that is reached first */
};

/* Starts zeroed. */
struct growth_rows {
	struct growth_row *row; /* owned */
	size_t rows, room;
	size_t left_out;    /* by growth_rows_ready() */
	struct buffer text; /* names, each terminated; the first one is empty */
	struct hashmap index;
	struct siphash_key secret;
	int64_t first_s, last_s; /* of the snapshots that were added, seconds since the epoch */
	size_t snapshots;
};

/* Frees what G owns. */
void growth_rows_done(struct growth_rows *g);
#define AUTO_GROWTH_ROWS CLEANUP(growth_rows_done)

/*
 * Takes row AT of SCOPE (of owners, or METRIC_PROCESS) of NEWEST into G, if it has GROWTH_ROWS_LEAST.
 * The sums of owners without a row, or of processes without an owner, are not taken. Returns 0 or
 * -ENOMEM.
 */
int growth_rows_take(
	struct growth_rows *g, const struct view *newest, enum metric_scope scope, uint32_t at);

/*
 * Leaves only the MOST largest rows, each of which takes up to 16 KiB. To be called once, when all
 * rows are taken. Returns 0 or -ENOMEM.
 */
int growth_rows_ready(struct growth_rows *g, size_t most);

/*
 * Adds the memory of the rows in VIEW, which is later than the views before it. An owner is the same
 * if it has the same name and id; a process if it has the same pid and, within two seconds, the
 * same start. Returns 0 or -ENOMEM.
 */
int growth_rows_add(struct growth_rows *g, const struct view *view);

/* Judges ROW with the memory J. */
void growth_row_judge(struct trend_judge *j, struct growth_row *row);

/*
 * Judges all rows and sorts them: leaks first, then rows to watch, then the others; within these by
 * slope. Returns 0 or -ENOMEM.
 */
int growth_rows_judge(struct growth_rows *g);

/* Returns a name of a row: .name or .user. */
const char *growth_rows_text(const struct growth_rows *g, size_t at);

/* Returns the number of judged rows with VERDICT. */
size_t growth_rows_count(const struct growth_rows *g, enum trend_verdict verdict);

#endif
