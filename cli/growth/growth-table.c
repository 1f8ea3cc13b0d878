/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/growth/growth-table.h"

#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/when.h"
#include "render/human.h"
#include "snapshot/owner.h"

enum { HOUR_S = 3600, DAY_S = 86400, TIME_SIZE = 32 };

enum growth_field {
	GROWTH_OF,
	GROWTH_NAME,
	GROWTH_USER,
	GROWTH_ID,
	GROWTH_PID,
	GROWTH_VERDICT,
	GROWTH_SLOPE,
	GROWTH_SLOPE_LOW,
	GROWTH_SLOPE_HIGH,
	GROWTH_SINCE,
	GROWTH_JUDGED_FROM,
	GROWTH_MEMORY,
	GROWTH_LIMIT,
	GROWTH_LIMIT_ROOM,
	GROWTH_LIMIT_S,
	GROWTH_LIMIT_EARLIEST_S,
	GROWTH_LIMIT_LATEST_S,
};

static bool does_grow(const struct growth_row *row)
{
	return row->is_judged && row->trend.verdict != TREND_NONE;
}

/* Appends S as local time for tables, or as RFC 3339 in UTC. */
static bool growth_table_get_time(const struct list *l, int64_t s, struct column_value *ret)
{
	bool is_local = l->form == LIST_TABLE;
	time_t t = (time_t)s;
	char text[TIME_SIZE];
	struct tm tm = when_local(s);

	if (!is_local)
		gmtime_r(&t, &tm);
	strftime(text, sizeof(text), is_local ? "%Y-%m-%d %H:%M" : "%Y-%m-%dT%H:%M:%SZ", &tm);
	buffer_add_text(ret->room, text);
	return column_use_room(ret);
}

static bool growth_table_get_name(
	const struct growth_rows *g, const struct growth_row *row, struct column_value *ret)
{
	return column_use_text(ret, growth_rows_text(g, row->name));
}

static bool growth_table_get_id(const struct growth_row *row, struct column_value *ret)
{
	bool has_id = row->scope == METRIC_PROCESS ||
	              (owner_of(metric_owner_kind(row->scope))->id &&
			      !owner_of(metric_owner_kind(row->scope))->words);

	ret->number = row->id;
	return has_id && row->id != OWNER_NO_ID;
}

/* .index is an enum growth_field. */
static bool growth_table_get(
	const struct list *l, const struct column *c, const void *row_, struct column_value *ret)
{
	const struct growth_rows *g = l->context;
	const struct growth_row *row = row_;

	switch (c->index) {
	case GROWTH_OF: return column_use_text(ret, metric_scope_name(row->scope));
	case GROWTH_NAME: return growth_table_get_name(g, row, ret);
	case GROWTH_USER: return column_use_name(ret, growth_rows_text(g, row->user));
	case GROWTH_ID: return growth_table_get_id(row, ret);
	case GROWTH_PID: ret->number = row->pid; return row->scope == METRIC_PROCESS;
	case GROWTH_VERDICT:
		return row->is_judged && column_use_text(ret, trend_name(row->trend.verdict));
	case GROWTH_SINCE:
		return does_grow(row) && growth_table_get_time(l, row->trend.since_s, ret);
	case GROWTH_JUDGED_FROM:
		return row->is_judged && growth_table_get_time(l, row->trend.begin_s, ret);
	case GROWTH_MEMORY: ret->number = row->bytes; return true;
	case GROWTH_LIMIT: return column_use_text(ret, row->limit.name);
	default: ret->number = row->limit.room; return row->limit.name != NULL;
	}
}

/* Bytes an hour. */
static bool growth_table_get_slope(
	const struct list *l, const struct column *c, const void *row_, struct column_value *ret)
{
	const struct growth_row *row = row_;
	const struct trend *t = &row->trend;
	double slope = c->index == GROWTH_SLOPE       ? t->slope
	               : c->index == GROWTH_SLOPE_LOW ? t->low
	                                              : t->high;

	(void)l;
	if (!does_grow(row))
		return false;
	ret->change = (int64_t)(slope * HOUR_S);
	return true;
}

/* Appends S as people say it: with days from two on. */
static void add_duration(double s, struct buffer *to)
{
	if (s >= 2 * DAY_S)
		buffer_printf(to, "%.0f days", s / DAY_S);
	else
		human_add_age(to, (uint64_t)(s / 60) * 60 * NS_PER_SEC);
}

/* The time until the limit, in seconds; with the bounds of the slope the earliest and the latest. */
static bool growth_table_get_limit(
	const struct list *l, const struct column *c, const void *row_, struct column_value *ret)
{
	const struct growth_row *row = row_;
	struct trend t = row->trend;
	double s;

	if (!row->limit.name || !does_grow(row))
		return false;
	t.slope = c->index == GROWTH_LIMIT_S            ? t.slope
	          : c->index == GROWTH_LIMIT_EARLIEST_S ? t.high
	                                                : t.low;
	if (!trend_time_until(&t, (double)row->limit.room, &s))
		return false;
	if (l->form == LIST_TABLE) {
		add_duration(s, ret->room);
		return column_use_room(ret);
	}
	ret->real = s;
	return true;
}

/* clang-format off */
#define FIELD(name, type, of) .field = (name), .kind = (type), .get = growth_table_get, .index = (of)
#define SLOPE(name, of)                                                                            \
	.field = (name), .kind = COLUMN_SIGNED, .get = growth_table_get_slope, .index = (of)
#define LIMIT(name, of)                                                                            \
	.field = (name), .kind = COLUMN_REAL, .get = growth_table_get_limit, .index = (of)
/* clang-format on */

static const struct column columns[] = {
	{FIELD("scope", COLUMN_WORD, GROWTH_OF), .head = "OF"},
	{FIELD("name", COLUMN_TEXT, GROWTH_NAME), .head = "NAME", .flags = COLUMN_CUT},
	{FIELD("user", COLUMN_TEXT, GROWTH_USER), .head = "USER", .drop = 5,
		.flags = COLUMN_CUT | COLUMN_SPARE},
	{FIELD("id", COLUMN_COUNT, GROWTH_ID)},
	{FIELD("pid", COLUMN_COUNT, GROWTH_PID), .head = "PID"},
	{FIELD("verdict", COLUMN_TEXT, GROWTH_VERDICT), .head = "VERDICT"},
	{SLOPE("slope_bytes_per_hour", GROWTH_SLOPE), .head = "PER-HOUR"},
	{SLOPE("slope_low_bytes_per_hour", GROWTH_SLOPE_LOW), .head = "LOW", .drop = 3},
	{SLOPE("slope_high_bytes_per_hour", GROWTH_SLOPE_HIGH), .head = "HIGH", .drop = 3},
	{FIELD("since", COLUMN_WORD, GROWTH_SINCE), .head = "SINCE", .drop = 2},
	{FIELD("judged_from", COLUMN_WORD, GROWTH_JUDGED_FROM)},
	{FIELD("memory_bytes", COLUMN_BYTES, GROWTH_MEMORY), .head = "MEMORY", .drop = 4},
	{FIELD("limit", COLUMN_WORD, GROWTH_LIMIT), .head = "LIMIT", .drop = 1},
	{FIELD("limit_room_bytes", COLUMN_BYTES, GROWTH_LIMIT_ROOM)},
	{LIMIT("limit_seconds", GROWTH_LIMIT_S), .forms = LIST_JSON | LIST_CSV},
	{LIMIT("limit_earliest_seconds", GROWTH_LIMIT_EARLIEST_S), .forms = LIST_JSON | LIST_CSV},
	{LIMIT("limit_latest_seconds", GROWTH_LIMIT_LATEST_S), .forms = LIST_JSON | LIST_CSV},
	{.kind = COLUMN_TEXT,
		.get = growth_table_get_limit,
		.index = GROWTH_LIMIT_S,
		.head = "LIMIT-IN",
		.drop = 1,
		.forms = LIST_TABLE},
};

static const struct columns growth_table_columns = {columns, ARRAY_SIZE(columns)};

static bool growth_table_shows(const struct growth_table *t, const struct growth_row *row)
{
	return t->has_all || does_grow(row);
}

size_t growth_table_rows(const struct growth_table *t)
{
	size_t count = 0;

	for (size_t i = 0; i < t->rows->rows; i++)
		count += growth_table_shows(t, &t->rows->row[i]);
	return count;
}

static int growth_table_add_rows(const struct growth_table *t, struct list *l)
{
	int r = 0;

	list_begin(l);
	for (size_t i = 0; r == 0 && i < t->rows->rows; i++)
		if (growth_table_shows(t, &t->rows->row[i]))
			r = list_add(l, &t->rows->row[i]);
	return r;
}

static void add_time_member(struct buffer *to, const char *name, int64_t s)
{
	char text[TIME_SIZE];
	time_t t = (time_t)s;
	struct tm tm;

	gmtime_r(&t, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	buffer_printf(to, "\"%s\":\"%s\",", name, text);
}

static const char *growth_table_flag(bool value)
{
	return value ? "true" : "false";
}

/* Appends how many rows have each verdict. */
static void growth_table_add_counts(const struct growth_rows *g, struct buffer *to)
{
	size_t none = growth_rows_count(g, TREND_NONE), watch = growth_rows_count(g, TREND_WATCH);
	size_t leak = growth_rows_count(g, TREND_LEAK);

	buffer_printf(to,
		"\"verdicts\":{\"none\":%zu,\"watch\":%zu,\"consistent_with_a_leak\":%zu,"
		"\"too_short\":%zu},",
		none, watch, leak, g->rows - none - watch - leak);
}

int growth_table_print(const struct growth_table *t, struct buffer *to)
{
	const struct growth_rows *g = t->rows;
	AUTO_LIST struct list l = list_make(&growth_table_columns, &t->look, g, to);
	int r;

	if (t->look.form != LIST_JSON) {
		r = growth_table_add_rows(t, &l);
		return r == 0 ? list_end(&l) : r;
	}
	buffer_add_text(to, "{\"growth\":{");
	add_time_member(to, "first", g->first_s);
	add_time_member(to, "last", g->last_s);
	buffer_printf(to, "\"snapshots\":%zu,\"damaged\":%zu,\"own_only\":%s,\"failing\":%s,",
		g->snapshots, t->damaged, growth_table_flag(t->is_own_only),
		growth_table_flag(t->is_failing));
	growth_table_add_counts(g, to);
	buffer_add_text(to, "\"rows\":[");
	r = growth_table_add_rows(t, &l);
	if (r == 0)
		r = list_end(&l);
	buffer_add_text(to, "]}}\n");
	return r == 0 ? to->error : r;
}
