/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/usage/usage-table.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/table/column.h"
#include "render/decimal.h"
#include "render/human.h"
#include "snapshot/owner.h"

enum {
	KIB = 1024,
	MS_PER_S = 1000,
	BUCKET_S = 300, /* the ledger's shortest slot */
	/* a period keeps its name if at most this part of it, one in ten, is different */
	NAMED_PARTS = 10
};

static const char absent[] = "-";
static const char *const pers[] = {
	[USAGE_PER_ALL] = "all",
	[USAGE_PER_HOUR] = "hour",
	[USAGE_PER_DAY] = "day",
	[USAGE_PER_MONTH] = "month",
};

const char *usage_table_per(const struct usage_table *b)
{
	return pers[b->per];
}

void usage_table_done(struct usage_table *b)
{
	for (size_t i = 0; i < b->parts; i++) {
		buffer_done(&b->part[i].answer);
		free(b->part[i].item);
	}
	free(b->part);
	*b = (struct usage_table){0};
}

static int select_part(const struct usage_line_choice *choice, struct usage_table_part *part)
{
	size_t at = USAGE_HEAD_SIZE;
	struct usage_row row;

	free(part->item);
	part->items = 0;
	part->item = calloc((size_t)part->head.rows + 1, sizeof(*part->item));
	if (!part->item)
		return -ENOMEM;
	while (usage_next(part->answer.data, part->answer.len, &at, &row)) {
		struct usage_line *item = &part->item[part->items];

		usage_line_of(&part->head, &row, item);
		part->items += usage_line_is_chosen(item, choice);
	}
	usage_line_sort(part->item, part->items, choice);
	return 0;
}

int usage_table_select(struct usage_table *b)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < b->parts; i++)
		r = select_part(&b->choice, &b->part[i]);
	return r;
}

size_t usage_table_rows(const struct usage_table *b)
{
	size_t rows = 0;

	for (size_t i = 0; i < b->parts; i++)
		rows += b->part[i].items;
	return rows;
}

bool usage_table_has_other(const struct usage_table *b)
{
	for (size_t i = 0; i < b->parts; i++) {
		size_t at = USAGE_HEAD_SIZE;
		struct usage_row row;

		while (usage_next(b->part[i].answer.data, b->part[i].answer.len, &at, &row))
			if (row.id == OWNER_NO_ID && !strcmp(row.name, USAGE_OTHER))
				return true;
	}
	return false;
}

static size_t count_unread(const struct usage_table_part *part)
{
	size_t count = 0;

	for (size_t i = 0; i < part->items; i++)
		count += usage_line_is_unread(&part->item[i]);
	return count;
}

double usage_table_covered(const struct usage_head *head)
{
	int64_t until_s = head->until_s < head->now_s ? head->until_s : head->now_s;
	double part;

	if (until_s <= head->since_s)
		return -1;
	part = (double)head->covered_ms / MS_PER_S / (double)(until_s - head->since_s);
	return part < 1 ? part : 1; /* more than 1 if the clock was set back */
}

static int64_t apart_s(int64_t a, int64_t b)
{
	return a < b ? b - a : a - b;
}

bool usage_table_is_coarse(const struct usage_table_part *part)
{
	return apart_s(part->head.since_s, part->period.from_s) >= BUCKET_S ||
	       apart_s(part->head.until_s, part->period.to_s) >= BUCKET_S;
}

bool usage_table_is_misnamed(const struct usage_table *b, const struct usage_table_part *part)
{
	int64_t moved_s = apart_s(part->head.since_s, part->period.from_s) +
	                  apart_s(part->head.until_s, part->period.to_s);

	return b->per != USAGE_PER_ALL && usage_table_is_coarse(part) &&
	       moved_s > (part->period.to_s - part->period.from_s) / NAMED_PARTS;
}

static size_t shown_of(const struct usage_table *b, const struct usage_table_part *part)
{
	return b->limit && b->limit < part->items ? b->limit : part->items;
}

struct cells {
	const struct usage_table *bill;
	struct table *table;
	bool has_user;
	double pss, swap; /* KiB seconds of all rows, also those that are not shown */
	bool has_pss, has_swap;
};

static void usage_table_end_cell(struct cells *c)
{
	buffer_add_char(&c->table->text, '\0');
}

static void add_gib_hours(struct cells *c, bool is_there, double kib_s)
{
	if (is_there)
		buffer_printf(&c->table->text, "%.3f", kib_s / USAGE_LINE_GIB_HOUR);
	else
		buffer_add_text(&c->table->text, absent);
	usage_table_end_cell(c);
}

static void usage_table_add_bytes(struct cells *c, bool is_there, uint64_t bytes)
{
	if (!is_there)
		buffer_add_text(&c->table->text, absent);
	else if (c->bill->bytes)
		buffer_add_u64(&c->table->text, bytes);
	else
		human_add_bytes(&c->table->text, bytes);
	usage_table_end_cell(c);
}

/* Adds the quantity as in JSON. */
static void add_plain(struct cells *c, const struct usage_line *item, enum usage_line_field field)
{
	if (!usage_line_add(&c->table->text, item, field))
		buffer_add_text(&c->table->text, absent);
	usage_table_end_cell(c);
}

static void usage_table_add_quantities(struct cells *c, const struct usage_line *item)
{
	const uint64_t *q = item->row.q;

	add_gib_hours(c, usage_line_has(item, USAGE_PSS), (double)q[USAGE_PSS]);
	usage_table_add_bytes(c, item->has_mean, usage_line_mean_bytes(item));
	usage_table_add_bytes(c, usage_line_has(item, USAGE_PSS_MAX), q[USAGE_PSS_MAX] * KIB);
	add_gib_hours(c, usage_line_has(item, USAGE_SWAP), (double)q[USAGE_SWAP]);
	if (item->has_processes)
		buffer_printf(&c->table->text, "%.1f", item->processes);
	else
		buffer_add_text(&c->table->text, absent);
	usage_table_end_cell(c);
	if (c->bill->choice.sort == USAGE_LINE_PROCESSES_MAX)
		add_plain(c, item, USAGE_LINE_PROCESSES_MAX);
}

/* Adds the time of a row, so that no day is billed as an hour. */
static void add_time(struct cells *c, const struct usage_table_part *part)
{
	struct buffer *text = &c->table->text;
	char name[PERIOD_TEXT_SIZE];

	if (usage_table_is_misnamed(c->bill, part)) {
		period_name(USAGE_PER_ALL, part->head.since_s, name);
		buffer_printf(text, "%s to ", name);
		period_name(USAGE_PER_ALL, part->head.until_s, name);
	} else {
		period_name(c->bill->per, part->period.from_s, name);
	}
	buffer_add_text(text, name);
	usage_table_end_cell(c);
}

static void usage_table_add_row(
	struct cells *c, const struct usage_table_part *part, const struct usage_line *item)
{
	struct buffer *text = &c->table->text;
	double covered = usage_table_covered(&part->head);

	if (c->bill->per != USAGE_PER_ALL)
		add_time(c, part);
	usage_table_add_quantities(c, item);
	if (covered >= 0)
		human_add_percent(text, covered);
	else
		buffer_add_text(text, absent);
	usage_table_end_cell(c);
	buffer_add_text(text, item->row.name);
	usage_table_end_cell(c);
	if (c->has_user) {
		buffer_add_text(text, item->row.user);
		usage_table_end_cell(c);
	}
	c->table->rows++;
}

static void add_to_total(struct cells *c, const struct usage_line *item)
{
	c->pss += (double)item->row.q[USAGE_PSS];
	c->swap += (double)item->row.q[USAGE_SWAP];
	c->has_pss |= usage_line_has(item, USAGE_PSS);
	c->has_swap |= usage_line_has(item, USAGE_SWAP);
}

static void usage_table_add_column(struct table *t, const char *head, bool is_right, bool is_wide)
{
	struct table_column *column = &t->column[t->columns++];

	snprintf(column->head, sizeof(column->head), "%s", head);
	column->is_right = is_right;
	column->is_wide = is_wide;
}

/* Means and maxima do not add up, so the total has none. */
static void usage_table_add_total(struct cells *c)
{
	struct table *t = c->table;
	size_t rest = t->columns, unread = 0, rows = usage_table_rows(c->bill);

	for (size_t i = 0; i < c->bill->parts; i++)
		unread += count_unread(&c->bill->part[i]);
	if (c->bill->per != USAGE_PER_ALL) {
		usage_table_end_cell(c);
		rest--;
	}
	add_gib_hours(c, c->has_pss, c->pss);
	usage_table_end_cell(c);
	usage_table_end_cell(c);
	add_gib_hours(c, c->has_swap, c->swap);
	for (rest -= 4; rest; rest--)
		usage_table_end_cell(c);
	buffer_printf(&t->total, "total of %zu row%s", rows, rows == 1 ? "" : "s");
	if (t->rows < rows)
		buffer_printf(&t->total, " (%zu not shown)", rows - t->rows);
	if (unread)
		buffer_printf(&t->total, ", %zu could not be read", unread);
	t->rows++;
	t->has_total = true;
}

int usage_table_build(const struct usage_table *b, struct table *ret)
{
	const struct owner *owner = owner_of(usage_owner(b->kind));
	struct cells cells = {.bill = b, .table = ret, .has_user = owner->has_user};

	*ret = (struct table){0};
	if (b->per != USAGE_PER_ALL)
		usage_table_add_column(ret,
			b->per == USAGE_PER_HOUR  ? "HOUR"
			: b->per == USAGE_PER_DAY ? "DAY"
						  : "MONTH",
			false, false);
	usage_table_add_column(ret, "GIB-HOURS", true, false);
	usage_table_add_column(ret, "MEAN", true, false);
	usage_table_add_column(ret, "MAX", true, false);
	usage_table_add_column(ret, "SWAP-GIB-HOURS", true, false);
	usage_table_add_column(ret, "PROCESSES", true, false);
	if (b->choice.sort == USAGE_LINE_PROCESSES_MAX)
		usage_table_add_column(ret, "MAX-PROCESSES", true, false);
	usage_table_add_column(ret, "COVERED", true, false);
	usage_table_add_column(ret, owner->title, false, true);
	if (owner->has_user)
		usage_table_add_column(ret, "USER", false, true);
	for (size_t i = 0; i < b->parts; i++)
		for (size_t k = 0; k < b->part[i].items; k++) {
			if (k < shown_of(b, &b->part[i]))
				usage_table_add_row(&cells, &b->part[i], &b->part[i].item[k]);
			add_to_total(&cells, &b->part[i].item[k]);
		}
	usage_table_add_total(&cells);
	return ret->text.error ? ret->text.error : ret->total.error;
}

/*
 * Returns the name of the row's .id in JSON and CSV, next to the name of KIND; for a container it
 * is the uid of its user.
 */
static const char *usage_table_id_of(enum usage_kind kind)
{
	const struct owner *owner = owner_of(usage_owner(kind));

	return owner->has_user ? "uid" : owner->id;
}

static void usage_table_add_json_row(
	const struct usage_table *b, const struct usage_line *item, struct buffer *to)
{
	const struct owner *owner = owner_of(usage_owner(b->kind));
	const struct usage_row *row = &item->row;

	buffer_printf(to, "{\"%s\":", owner->name);
	column_add_json_text(to, row->name);
	if (owner->has_user && *row->user) {
		buffer_add_text(to, ",\"user\":");
		column_add_json_text(to, row->user);
	}
	if (usage_table_id_of(b->kind) && row->id != OWNER_NO_ID)
		buffer_printf(to, ",\"%s\":%u", usage_table_id_of(b->kind), row->id);
	for (unsigned int i = 0; i < USAGE_LINE_FIELDS; i++) {
		size_t before = to->len;

		buffer_printf(to, ",\"%s\":", usage_line_field_name((enum usage_line_field)i));
		if (!usage_line_add(to, item, (enum usage_line_field)i) && !to->error)
			to->len = before;
	}
	buffer_add_char(to, '}');
}

static void add_json_part(
	const struct usage_table *b, const struct usage_table_part *part, struct buffer *to)
{
	char since[PERIOD_TEXT_SIZE], until[PERIOD_TEXT_SIZE];
	double covered = usage_table_covered(&part->head);

	period_format(part->head.since_s, since);
	period_format(part->head.until_s, until);
	buffer_printf(to, "{\"since\":\"%s\",\"until\":\"%s\",", since, until);
	if (covered >= 0) {
		buffer_add_text(to, "\"covered_ratio\":");
		decimal_add_real(to, covered);
		buffer_add_char(to, ',');
	}
	buffer_printf(to, "\"unread\":%zu,\"%s\":[", count_unread(part),
		owner_of(usage_owner(b->kind))->list);
	for (size_t i = 0; i < shown_of(b, part); i++) {
		if (i)
			buffer_add_char(to, ',');
		usage_table_add_json_row(b, &part->item[i], to);
	}
	buffer_add_text(to, "]}");
}

void usage_table_json(const struct usage_table *b, struct buffer *to)
{
	const struct usage_head *last = &b->part[b->parts - 1].head;
	char first[PERIOD_TEXT_SIZE];

	buffer_printf(to, "{\"usage\":{\"by\":\"%s\",\"per\":\"%s\",\"own_only\":%s,\"periods\":[",
		owner_of(usage_owner(b->kind))->name, usage_table_per(b),
		last->flags & USAGE_OWN_ONLY ? "true" : "false");
	for (size_t i = 0; i < b->parts; i++) {
		if (i)
			buffer_add_char(to, ',');
		add_json_part(b, &b->part[i], to);
	}
	buffer_add_text(to, "]},\"ledger\":{");
	if (last->first_s >= 0) {
		period_format(last->first_s, first);
		buffer_printf(to, "\"first\":\"%s\",", first);
	}
	if (last->written_s >= 0) {
		period_format(last->written_s, first);
		buffer_printf(to, "\"written\":\"%s\",", first);
	}
	buffer_printf(to, "\"late\":%s,\"failing\":%s,",
		last->flags & USAGE_LATE ? "true" : "false",
		last->flags & USAGE_FAILING ? "true" : "false");
	buffer_printf(to, "\"clock_sets\":%llu,\"write_failures\":%llu,\"set_aside\":%llu}}\n",
		(unsigned long long)last->clock_sets, (unsigned long long)last->write_failures,
		(unsigned long long)last->set_aside);
}

static void add_csv_row(const struct usage_table *b, const struct usage_table_part *part,
	const struct usage_line *item, struct buffer *to)
{
	char since[PERIOD_TEXT_SIZE], until[PERIOD_TEXT_SIZE];
	double covered = usage_table_covered(&part->head);

	period_format(part->head.since_s, since);
	period_format(part->head.until_s, until);
	buffer_printf(to, "%s,%s,", since, until);
	if (covered >= 0)
		decimal_add_real(to, covered);
	buffer_add_text(to, part->head.flags & USAGE_OWN_ONLY ? ",true," : ",false,");
	column_add_csv_text(to, item->row.name);
	if (owner_of(usage_owner(b->kind))->has_user) {
		buffer_add_char(to, ',');
		column_add_csv_text(to, item->row.user);
	}
	if (usage_table_id_of(b->kind)) {
		buffer_add_char(to, ',');
		if (item->row.id != OWNER_NO_ID)
			buffer_add_u64(to, item->row.id);
	}
	for (unsigned int i = 0; i < USAGE_LINE_FIELDS; i++) {
		buffer_add_char(to, ',');
		usage_line_add(to, item, (enum usage_line_field)i);
	}
	buffer_add_char(to, '\n');
}

void usage_table_csv(const struct usage_table *b, struct buffer *to)
{
	const struct owner *owner = owner_of(usage_owner(b->kind));

	buffer_printf(to, "since,until,covered_ratio,own_only,%s", owner->name);
	if (owner->has_user)
		buffer_add_text(to, ",user");
	if (usage_table_id_of(b->kind))
		buffer_printf(to, ",%s", usage_table_id_of(b->kind));
	for (unsigned int i = 0; i < USAGE_LINE_FIELDS; i++)
		buffer_printf(to, ",%s", usage_line_field_name((enum usage_line_field)i));
	buffer_add_char(to, '\n');
	for (size_t i = 0; i < b->parts; i++)
		for (size_t k = 0; k < shown_of(b, &b->part[i]); k++)
			add_csv_row(b, &b->part[i], &b->part[i].item[k], to);
}
