/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/compare/compare-row.h"

#include "base/saturate.h"
#include "cli/compare/reason-text.h"

enum { COMPARE_VERSION = 1 /* of the JSON format */ };

enum {
	COMPARE_ROW_NAME,
	COMPARE_ROW_LOW,
	COMPARE_ROW_HIGH,
	COMPARE_ROW_UNMEASURED,
	COMPARE_ROW_AGE,
	COMPARE_ROW_DIFFERENCE,
	COMPARE_ROW_REASON,
	COMPARE_ROW_EXPLAINED,
	COMPARE_ROW_WHY,
};

/* Gets the PSS of memtally less that of process-exporter. */
static bool compare_row_get_difference(const struct comparison_row *row, struct column_value *ret)
{
	ret->change = saturate_difference(row->ours.q[SCRAPE_PSS], row->theirs.q[SCRAPE_PSS]);
	return ROW_HAS(&row->ours, SCRAPE_PSS) && ROW_HAS(&row->theirs, SCRAPE_PSS);
}

static bool compare_row_get(
	const struct list *l, const struct column *c, const void *row_, struct column_value *ret)
{
	const struct comparison_row *row = row_;

	(void)l;
	switch (c->index) {
	case COMPARE_ROW_NAME: return column_use_text(ret, row->name);
	case COMPARE_ROW_LOW: ret->number = row->pss_low_bytes; return row->has_low;
	case COMPARE_ROW_HIGH: ret->number = row->pss_high_bytes; return row->has_high;
	case COMPARE_ROW_UNMEASURED:
		ret->number = comparison_unmeasured(row);
		return ROW_HAS(&row->ours, SCRAPE_PROCESSES);
	case COMPARE_ROW_AGE: ret->number = row->age_ns; return row->has_age;
	case COMPARE_ROW_DIFFERENCE: return compare_row_get_difference(row, ret);
	case COMPARE_ROW_REASON: return column_use_text(ret, comparison_reason_name(row->reason));
	case COMPARE_ROW_EXPLAINED: ret->number = comparison_is_explained(row->reason); return true;
	default: reason_text_add(row, ret->room); return column_use_room(ret);
	}
}

/* .index is the quantity. */
static bool compare_row_get_ours(
	const struct list *l, const struct column *c, const void *row_, struct column_value *ret)
{
	const struct comparison_row *row = row_;

	(void)l;
	ret->number = row->ours.q[c->index];
	return ROW_HAS(&row->ours, c->index);
}

static bool compare_row_get_theirs(
	const struct list *l, const struct column *c, const void *row_, struct column_value *ret)
{
	const struct comparison_row *row = row_;

	(void)l;
	ret->number = row->theirs.q[c->index];
	return ROW_HAS(&row->theirs, c->index);
}

/* clang-format off */
#define OURS(name, type, of)                                                                       \
	.field = (name), .kind = (type), .get = compare_row_get_ours, .index = (of),               \
	.flags = COLUMN_SUM
#define THEIRS(name, type, of)                                                                     \
	.field = (name), .kind = (type), .get = compare_row_get_theirs, .index = (of),             \
	.flags = COLUMN_SUM
#define OTHER(name, type, of) .field = (name), .kind = (type), .get = compare_row_get, .index = (of)
/* clang-format on */

static const struct column columns[] = {
	{OTHER("namegroup", COLUMN_TEXT, COMPARE_ROW_NAME), .head = "NAMEGROUP", .place = 4,
		.flags = COLUMN_CUT},
	{OURS("processes", COLUMN_COUNT, SCRAPE_PROCESSES), .head = "PROCESSES", .place = 3,
		.drop = 1},
	{THEIRS("their_processes", COLUMN_COUNT, SCRAPE_PROCESSES), .head = "THEIR-PROCESSES",
		.place = 3, .drop = 2},
	{OURS("rss_bytes", COLUMN_BYTES, SCRAPE_RSS), .head = "RSS", .place = 2, .drop = 3},
	{THEIRS("their_rss_bytes", COLUMN_BYTES, SCRAPE_RSS), .head = "THEIR-RSS", .place = 2,
		.drop = 4},
	{OURS("pss_bytes", COLUMN_BYTES, SCRAPE_PSS), .head = "PSS"},
	{THEIRS("their_pss_bytes", COLUMN_BYTES, SCRAPE_PSS), .head = "THEIR-PSS"},
	{OTHER("difference_bytes", COLUMN_CHANGE, COMPARE_ROW_DIFFERENCE), .head = "DIFFERENCE",
		.place = 1, .drop = 5, .flags = COLUMN_SUM},
	{OTHER("pss_low_bytes", COLUMN_BYTES, COMPARE_ROW_LOW)},
	{OTHER("pss_high_bytes", COLUMN_BYTES, COMPARE_ROW_HIGH)},
	{OTHER("unmeasured_processes", COLUMN_COUNT, COMPARE_ROW_UNMEASURED), .flags = COLUMN_SUM},
	{OTHER("age_seconds", COLUMN_SECONDS, COMPARE_ROW_AGE)},
	{OTHER("reason", COLUMN_WORD, COMPARE_ROW_REASON)},
	{OTHER("explained", COLUMN_FLAG, COMPARE_ROW_EXPLAINED)},
	{OTHER("why", COLUMN_TEXT, COMPARE_ROW_WHY), .head = "WHY", .place = 5,
		.flags = COLUMN_PROSE},
};

static void compare_row_add_side(struct scrape_group *total, const struct scrape_group *g)
{
	for (unsigned int i = 0; i < SCRAPE_QUANTITIES; i++)
		if (ROW_HAS(g, i))
			ROW_SET(total, i, saturate_min(total->q[i] + g->q[i], INT64_MAX));
}

static struct comparison_row compare_row_total(const struct comparison *c)
{
	struct comparison_row total = {.name = ""};

	for (size_t i = 0; i < c->count; i++) {
		compare_row_add_side(&total.ours, &c->row[i].ours);
		compare_row_add_side(&total.theirs, &c->row[i].theirs);
		for (size_t k = 0; k < SUMS_REASONS; k++)
			total.unmeasured[k] = saturate_add(
				total.unmeasured[k], c->row[i].unmeasured[k]);
	}
	return total;
}

/* "total of 25 namegroups (15 not shown), 2 not explained" */
static void compare_row_add_total(
	const struct comparison *c, const struct comparison_row *total, struct list *l)
{
	AUTO_BUFFER struct buffer beside = {0};

	buffer_printf(&beside, "total of %zu namegroup%s", c->count, c->count == 1 ? "" : "s");
	list_add_not_shown(l, &beside);
	if (c->unexplained)
		buffer_printf(&beside, ", %zu not explained", c->unexplained);
	list_total(l, total, &beside);
}

static int compare_row_add_rows(
	const struct comparison *c, const struct comparison_row *total, struct list *l)
{
	int r = 0;

	list_begin(l);
	for (size_t i = 0; r == 0 && i < c->count; i++)
		r = list_add(l, &c->row[i]);
	compare_row_add_total(c, total, l);
	return r == 0 ? list_end(l) : r;
}

int compare_row_print(const struct comparison *c, const struct list_look *look, struct buffer *to)
{
	struct comparison_row total = compare_row_total(c);
	AUTO_LIST struct list l = list_make(
		&(const struct columns){columns, ARRAY_SIZE(columns)}, look, NULL, to);
	int r;

	if (look->form != LIST_JSON)
		return compare_row_add_rows(c, &total, &l);
	buffer_printf(to, "{\"version\":%d,\"count\":%zu,\"unexplained\":%zu,\"namegroups\":[",
		COMPARE_VERSION, c->count, c->unexplained);
	r = compare_row_add_rows(c, &total, &l);
	buffer_add_text(to, "],\"total\":");
	list_add_sums(&l, &total, to);
	buffer_add_text(to, "}\n");
	return r == 0 ? to->error : r;
}
