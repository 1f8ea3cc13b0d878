/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selection
 *
 * The view of a snapshot, its rows and their order, as the command line asks for them.
 */
#ifndef MEMTALLY_CLI_COMMON_SELECTION_H
#define MEMTALLY_CLI_COMMON_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/common/source.h"
#include "config/settings.h"
#include "snapshot/query.h"
#include "snapshot/sums.h"

struct selection {
	enum metric_scope scope; /* METRIC_SELF: memtallyd's status, and no other field is set */
	struct query query;      /* over rows of .scope, without a limit; unused for the host */
	struct query members;    /* if .has_members: over processes; their sums are the result */
	bool has_members;
	uint32_t limit; /* rows to show; 0: all */
};

enum selection_outcome {
	SELECTION_BAD_SORT = 1, /* rows have no field --sort; only .scope is set */
};

/*
 * Reads the view, filters, order and limit from SETTINGS into *RET. Returns 0, SELECTION_BAD_SORT,
 * or -EINVAL with a sentence for the user in ERROR. Pure.
 */
int selection_parse(const struct settings *settings, struct selection *ret,
	char error[static QUERY_ERROR_SIZE]);

/*
 * Reads only the filters of SETTINGS except --pid, as a selection of processes. *RET_HAS_FILTERS is
 * false if there are none. Returns 0, or -EINVAL with a sentence for the user in ERROR. Pure.
 */
int selection_parse_processes(const struct settings *settings, struct selection *ret,
	bool *ret_has_filters, char error[static QUERY_ERROR_SIZE]);

/* Returns the values of the filter by KIND; of --pid if that is OWNER_KINDS. */
const struct text_list *selection_filter(const struct settings *settings, enum owner_kind kind);

/*
 * Appends the filters of SETTINGS as options, such as " --user=alice --unit=a.service"; nothing if
 * there is no memory.
 */
void selection_add_filters(const struct settings *settings, struct buffer *to);

/*
 * Finds the kind of rows of NAME: a list such as "users", "host" or "status". Returns 0, or -EINVAL
 * if there is none.
 */
int selection_find_view(const char *name, enum metric_scope *ret);

/*
 * Limits S to the processes that SIGHT allows. If these are not all, rows of owners become the sums
 * of these processes.
 */
void selection_set_sight(struct selection *s, const struct sight *sight);

/* Returns the rows that S needs of a snapshot. */
enum source_rows selection_needs(const struct selection *s);

/*
 * Applies S to VIEW. *RET_VIEW, which the caller owns, is VIEW itself or, with .has_members, a
 * snapshot of the matching processes only. *RET_ROWS, which the caller frees, has *RET_COUNT
 * indices of rows of .scope in it; none for the host. Returns 0, -ENOMEM, or an error of
 * aggregate_processes().
 */
int selection_run(const struct selection *s, struct view *view, struct view **ret_view,
	uint32_t **ret_rows, size_t *ret_count);

/* Returns true if S has a filter. Even then no row may match. */
bool selection_has_filters(const struct selection *s);

/*
 * Computes in *RET the sums of the COUNT ROWS of VIEW; if .scope is METRIC_HOST, of the host's row.
 * Calls sums_end().
 */
void selection_sum(const struct selection *s, const struct view *view, const uint32_t *rows,
	size_t count, struct sums *ret);

#endif
