/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/past/ledger-points.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/saturate.h"
#include "cli/common/command.h"
#include "cli/usage/billing.h"
#include "cli/usage/usage-table.h"
#include "cli/usage/usage.h"
#include "snapshot/owner.h"

enum { PERIOD_MIN_S = 300 }; /* the ledger's shortest slot */

/* Returns the kind of the ledger's rows for SCOPE; USAGE_KINDS_END: there is none. */
static enum usage_kind ledger_points_kind(enum metric_scope scope)
{
	if (scope == METRIC_HOST)
		return USAGE_USER;
	return metric_is_owner(scope) ? usage_find(owner_of(metric_owner_kind(scope))->name)
	                              : USAGE_KINDS_END;
}

/* Makes COUNT periods of about the same length. Returns 0 or -ENOMEM. */
static int make_periods(struct usage_table *t, int64_t from_s, int64_t until_s, size_t count)
{
	uint64_t all_s = (uint64_t)(until_s - from_s);

	t->part = calloc(count, sizeof(*t->part));
	if (!t->part)
		return -ENOMEM;
	t->parts = count;
	for (size_t i = 0; i < count; i++)
		t->part[i].period = (struct period){
			.from_s = from_s + (int64_t)saturate_part(all_s, i, count),
			.to_s = from_s + (int64_t)saturate_part(all_s, i + 1, count),
		};
	return 0;
}

/* Returns when the figures of an answer with HEAD begin: not before the ledger. */
static uint64_t ledger_points_begin_ns(const struct usage_head *head)
{
	bool is_first = head->first_s > head->since_s && head->first_s < head->until_s;

	return (uint64_t)(is_first ? head->first_s : head->since_s) * NS_PER_SEC;
}

/* Makes the point of PART. Returns false if it has no figures. */
static bool ledger_points_of(
	const struct usage_table_part *part, bool is_host, struct past_series_point *ret)
{
	double mean_bytes = 0;
	uint64_t max = 0;

	*ret = (struct past_series_point){
		.source = PAST_SERIES_LEDGER,
		.from_ns = ledger_points_begin_ns(&part->head),
		.until_ns = (uint64_t)part->head.until_s * NS_PER_SEC,
	};
	for (size_t i = 0; i < part->items; i++) {
		const struct usage_line *item = &part->item[i];
		struct column_value value = {.number = 0};

		ret->has_pss |= item->has_mean;
		mean_bytes += item->has_mean ? item->mean_bytes : 0;
		ret->has_max |= !is_host && usage_line_get(item, USAGE_LINE_MAX, &value);
		max = saturate_max(max, value.number);
	}
	ret->pss = mean_bytes < 0x1p62 ? (uint64_t)(mean_bytes + 0.5) : UINT64_C(1) << 62;
	ret->max = max;
	return ret->has_pss;
}

/* Adds the points of all parts. Several may be one, because the ledger has longer slots of old time. */
static int add_points(const struct usage_table *t, bool is_host, struct past_series *s)
{
	uint64_t end_ns = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < t->parts; i++) {
		struct past_series_point point;

		if (!ledger_points_of(&t->part[i], is_host, &point) || point.from_ns < end_ns)
			continue;
		r = past_series_add(s, &point);
		end_ns = point.until_ns;
	}
	return r;
}

static int ledger_points_fail(const struct settings *settings, int r, struct buffer *reason)
{
	buffer_printf(reason, "nothing from memtally-ledger: %s: %s", settings->ledger_socket,
		billing_why(r));
	command_add_advice(reason, r, PROGRAM_LEDGER, settings);
	return r;
}

int ledger_points_add(const struct settings *settings, enum metric_scope scope, const char *name,
	uint64_t from_ns, uint64_t until_ns, size_t count, struct past_series *s,
	struct buffer *reason)
{
	int64_t from_s = (int64_t)(from_ns / NS_PER_SEC),
		until_s = (int64_t)(until_ns / NS_PER_SEC);
	char *item = (char *)(uintptr_t)name; /* which is only read */
	const struct text_list names = {.item = &item, .count = 1};
	AUTO_USAGE_TABLE struct usage_table table = {
		.kind = ledger_points_kind(scope), .choice.names = name ? &names : NULL};
	size_t most;
	int r;

	if (table.kind == USAGE_KINDS_END || until_s - from_s < PERIOD_MIN_S)
		return 1;
	most = saturate_min((uint64_t)(until_s - from_s) / PERIOD_MIN_S, LEDGER_POINTS_MAX);
	r = make_periods(&table, from_s, until_s, saturate_clamp(count, 1, most));
	if (r == 0)
		r = usage_ask(settings->ledger_socket, USAGE_TIMEOUT_NS, &table);
	if (r < 0)
		return ledger_points_fail(settings, r, reason);
	if (table.part[0].head.flags & (USAGE_OWN_ONLY | USAGE_NOT_OWN) && scope == METRIC_HOST) {
		buffer_add_text(reason,
			"memtally-ledger shows usage of all users to root and group memtally only");
		return -EACCES;
	}
	return add_points(&table, scope == METRIC_HOST, s);
}
