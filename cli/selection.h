/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the command line selects: which view of a snapshot, which rows of it, in which order.
 */
#ifndef MEMTALLY_CLI_SELECTION_H
#define MEMTALLY_CLI_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/settings.h"
#include "snapshot/query.h"
#include "snapshot/sums.h"

struct selection {
	enum metric_scope scope; /* METRIC_SELF: memtallyd's state, for which nothing else is set */
	struct query query;      /* of rows of .scope, without a limit; not for the host */
	struct query members;    /* of processes, whose sums are wanted: where .has_members */
	bool has_members;
	uint32_t limit; /* rows to show; 0: all */
};

/* Pure. -EINVAL with a sentence for the user in ERROR. */
int selection_parse(const struct settings *settings, struct selection *ret,
	char error[static QUERY_ERROR_SIZE]);

/*
 * The same of processes, by the filters alone, --pid apart, whatever else SETTINGS ask for; whether there are any. Pure.
 * -EINVAL likewise.
 */
int selection_parse_processes(const struct settings *settings, struct selection *ret,
	bool *ret_has_filters, char error[static QUERY_ERROR_SIZE]);

/* Has S select of processes only those that SIGHT has. */
void selection_set_sight(struct selection *s, const struct sight *sight);

/* Whether only a snapshot with rows of processes will do. */
bool selection_needs_processes(const struct selection *s);

/*
 * The rows of VIEW that S selects: *ret_view, which the caller owns, is VIEW or, with .has_members, a
 * snapshot of those processes alone; *ret_rows, which the caller frees, are indices in it. For the host
 * there are none. -ENOMEM, or the errors of aggregate_processes().
 */
int selection_run(const struct selection *s, struct view *view, struct view **ret_view,
	uint32_t **ret_rows, size_t *ret_count);

/* Whether something other than everything is selected, which may be nothing. */
bool selection_has_filters(const struct selection *s);

/* Sums of the COUNT selected ROWS of VIEW, for the host of everything in it; ended. */
void selection_sum(const struct selection *s, const struct view *view, const uint32_t *rows,
	size_t count, struct sums *ret);

#endif
