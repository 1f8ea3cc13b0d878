/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/top/rows/samples.h"

#include "cli/top/rows/top-row.h"
#include "cli/top/rows/top-state.h"

static void samples_add_owners(struct history *h, const struct view *view, enum metric_scope scope,
	const struct siphash_key *secret)
{
	for (uint32_t i = 0; i < view_count(view, scope); i++) {
		const struct snapshot_scope *s = view_scope(view, scope, i);
		struct top_row row;

		if (s->flags & SCOPE_OTHER || !ROW_HAS(s, SCOPE_PSS))
			continue;
		top_row_of_owner(
			metric_owner_kind(scope), view_text(view, s->name), 0, 0, secret, &row);
		history_add(h, &row.past, s->q[SCOPE_PSS]);
	}
}

static void samples_add_processes(
	struct history *h, const struct view *view, const struct siphash_key *secret)
{
	for (uint32_t i = 0; i < view_count(view, METRIC_PROCESS); i++) {
		const struct snapshot_process *p = view_process(view, i);
		struct top_row row;

		if (!snapshot_has_figure(p) || !ROW_HAS(p, PROCESS_PSS))
			continue;
		top_row_of_process(view, p, secret, &row);
		history_add(h, &row.past, p->q[PROCESS_PSS]);
	}
}

void samples_take(struct history *h, const struct view *view, enum history_source source,
	const struct siphash_key *secret)
{
	history_take_from(h, source);
	if (!history_begin(h, view->header->boottime_ns, view->header->interval_ns))
		return;
	for (unsigned int v = 0; v < TOP_VIEWS; v++)
		if (metric_is_owner(top_state_scope((enum top_view)v)))
			samples_add_owners(h, view, top_state_scope((enum top_view)v), secret);
	samples_add_processes(h, view, secret);
	history_end(h);
}
