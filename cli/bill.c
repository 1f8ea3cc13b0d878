/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/bill.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/decimal.h"
#include "render/human.h"
#include "snapshot/owner.h"

enum { KIB = 1024, MS_PER_S = 1000 };

/* KiB seconds of a GiB hour. */
#define GIB_HOUR (3600.0 * 1048576.0)

static const char absent[] = "-";
static const char *const pers[] = {
	[USAGE_PER_ALL] = "all",
	[USAGE_PER_HOUR] = "hour",
	[USAGE_PER_DAY] = "day",
	[USAGE_PER_MONTH] = "month",
};

void bill_done(struct bill *b)
{
	for (size_t i = 0; i < b->parts; i++)
		buffer_done(&b->part[i].answer);
	free(b->part);
	*b = (struct bill){0};
}

size_t bill_rows(const struct bill *b)
{
	size_t rows = 0;

	for (size_t i = 0; i < b->parts; i++)
		rows += b->part[i].head.rows;
	return rows;
}

double bill_measured(const struct usage_head *head)
{
	int64_t until_s = head->until_s < head->now_s ? head->until_s : head->now_s;
	double part;

	if (until_s <= head->since_s)
		return -1;
	part = (double)head->covered_ms / MS_PER_S / (double)(until_s - head->since_s);
	return part < 1 ? part : 1; /* more where the clock was set back */
}

/* A row with what follows from it. */
struct line {
	const struct usage_head *head;
	struct usage_row row;
	bool has_mean, has_processes;
	double mean_bytes, processes;
};

/* Rounded; what no number holds is the largest: a mean over a moment of what was used in a year. */
static uint64_t whole(double value)
{
	return value < 0x1p63 ? (uint64_t)(value + 0.5) : UINT64_C(1) << 63;
}

static bool has(const struct line *l, enum usage_quantity i)
{
	return (l->row.present >> i) & 1;
}

static void get_line(const struct usage_head *head, const struct usage_row *row, struct line *ret)
{
	*ret = (struct line){.head = head, .row = *row};
	ret->has_mean = has(ret, USAGE_PSS) && head->covered_ms;
	ret->has_processes = has(ret, USAGE_PROCESSES) && head->sampled_ms;
	if (ret->has_mean)
		ret->mean_bytes = (double)row->q[USAGE_PSS] * KIB * MS_PER_S /
		                  (double)head->covered_ms;
	if (ret->has_processes)
		ret->processes = (double)row->q[USAGE_PROCESSES] / (double)head->sampled_ms;
}

/* Calls VISIT for each row that is to be shown. */
static void for_each(const struct bill *b,
	void (*visit)(const struct bill_part *part, const struct line *line, void *to), void *to)
{
	for (size_t i = 0; i < b->parts; i++) {
		const struct bill_part *part = &b->part[i];
		size_t at = USAGE_HEAD_SIZE, shown = 0;
		struct usage_row row;

		while ((!b->limit || shown++ < b->limit) &&
			usage_next(part->answer.data, part->answer.len, &at, &row)) {
			struct line line;

			get_line(&part->head, &row, &line);
			visit(part, &line, to);
		}
	}
}

struct cells {
	const struct bill *bill;
	struct table *table;
	bool has_user;
	double pss, swap; /* of all rows that are shown */
	bool has_swap;
	size_t rows;
};

static void end_cell(struct cells *c)
{
	buffer_add_char(&c->table->text, '\0');
}

static void add_gib_hours(struct cells *c, bool is_there, double kib_s)
{
	if (is_there)
		buffer_printf(&c->table->text, "%.3f", kib_s / GIB_HOUR);
	else
		buffer_add_text(&c->table->text, absent);
	end_cell(c);
}

static void add_bytes(struct cells *c, bool is_there, uint64_t bytes)
{
	if (!is_there)
		buffer_add_text(&c->table->text, absent);
	else if (c->bill->bytes)
		buffer_add_u64(&c->table->text, bytes);
	else
		human_add_bytes(&c->table->text, bytes);
	end_cell(c);
}

static void add_row(const struct bill_part *part, const struct line *l, void *cells)
{
	struct cells *c = cells;
	struct buffer *text = &c->table->text;
	double measured = bill_measured(l->head);

	if (c->bill->per != USAGE_PER_ALL) {
		char name[PERIOD_TEXT_SIZE];

		period_name(c->bill->per, part->period.from_s, name);
		buffer_add_text(text, name);
		end_cell(c);
	}
	add_gib_hours(c, has(l, USAGE_PSS), (double)l->row.q[USAGE_PSS]);
	add_bytes(c, l->has_mean, whole(l->mean_bytes));
	add_bytes(c, has(l, USAGE_PSS_MAX), l->row.q[USAGE_PSS_MAX] * KIB);
	add_gib_hours(c, has(l, USAGE_SWAP), (double)l->row.q[USAGE_SWAP]);
	if (l->has_processes)
		buffer_printf(text, "%.1f", l->processes);
	else
		buffer_add_text(text, absent);
	end_cell(c);
	if (measured >= 0)
		human_add_percent(text, measured);
	else
		buffer_add_text(text, absent);
	end_cell(c);
	buffer_add_text(text, l->row.name);
	end_cell(c);
	if (c->has_user) {
		buffer_add_text(text, l->row.user);
		end_cell(c);
	}
	c->pss += (double)l->row.q[USAGE_PSS];
	c->swap += (double)l->row.q[USAGE_SWAP];
	c->has_swap |= has(l, USAGE_SWAP);
	c->rows++;
	c->table->rows++;
}

static void add_column(struct table *t, const char *head, bool is_right, bool is_wide)
{
	struct table_column *column = &t->column[t->columns++];

	snprintf(column->head, sizeof(column->head), "%s", head);
	column->is_right = is_right;
	column->is_wide = is_wide;
}

/* Means and maxima of several do not add up to one. */
static void add_total(struct cells *c)
{
	struct table *t = c->table;
	size_t rest = t->columns;

	if (c->bill->per != USAGE_PER_ALL) {
		end_cell(c);
		rest--;
	}
	add_gib_hours(c, true, c->pss);
	end_cell(c);
	end_cell(c);
	add_gib_hours(c, c->has_swap, c->swap);
	for (rest -= 4; rest; rest--)
		end_cell(c);
	buffer_printf(&t->total, "total of %zu row%s", c->rows, c->rows == 1 ? "" : "s");
	if (c->rows < bill_rows(c->bill))
		buffer_printf(&t->total, " (%zu not shown)", bill_rows(c->bill) - c->rows);
	t->rows++;
	t->has_total = true;
}

int bill_table(const struct bill *b, struct table *ret)
{
	const struct owner *owner = owner_of(usage_owner(b->kind));
	struct cells cells = {.bill = b, .table = ret, .has_user = owner->has_user};

	*ret = (struct table){0};
	if (b->per != USAGE_PER_ALL)
		add_column(ret,
			b->per == USAGE_PER_HOUR  ? "HOUR"
			: b->per == USAGE_PER_DAY ? "DAY"
						  : "MONTH",
			false, false);
	add_column(ret, "GIB-HOURS", true, false);
	add_column(ret, "MEAN", true, false);
	add_column(ret, "MAX", true, false);
	add_column(ret, "SWAP-GIB-HOURS", true, false);
	add_column(ret, "PROCESSES", true, false);
	add_column(ret, "MEASURED", true, false);
	add_column(ret, owner->title, false, true);
	if (owner->has_user)
		add_column(ret, "USER", false, true);
	for_each(b, add_row, &cells);
	add_total(&cells);
	return ret->text.error ? ret->text.error : ret->total.error;
}

static int add_to_buffer(const char *bytes, size_t len, void *to)
{
	buffer_add(to, bytes, len);
	return 0;
}

static void add_json_text(struct buffer *to, const char *text)
{
	json_t *string = json_string(text);

	if (!string || json_dump_callback(string, add_to_buffer, to, JSON_ENCODE_ANY) < 0)
		to->error = -ENOMEM;
	json_decref(string);
}

/* The columns of JSON and of comma-separated values are the same. */
enum field {
	FIELD_PSS,
	FIELD_PSS_HOURS,
	FIELD_MEAN,
	FIELD_MAX,
	FIELD_SWAP,
	FIELD_SWAP_HOURS,
	FIELD_PROCESSES,
	FIELD_PROCESSES_MAX,
	FIELDS
};

static const char *const field_names[FIELDS] = {
	[FIELD_PSS] = "pss_byte_seconds",
	[FIELD_PSS_HOURS] = "pss_gib_hours",
	[FIELD_MEAN] = "pss_mean_bytes",
	[FIELD_MAX] = "pss_max_bytes",
	[FIELD_SWAP] = "swap_pss_byte_seconds",
	[FIELD_SWAP_HOURS] = "swap_pss_gib_hours",
	[FIELD_PROCESSES] = "processes_mean",
	[FIELD_PROCESSES_MAX] = "processes_max",
};

/* Whole numbers may be beyond 2^64, so they are written as a product. */
static void add_byte_seconds(struct buffer *to, uint64_t kib_s)
{
	unsigned __int128 value = (unsigned __int128)kib_s * KIB;
	const uint64_t piece = UINT64_C(10000000000);

	if (value / piece)
		buffer_printf(to, "%llu%010llu", (unsigned long long)(value / piece),
			(unsigned long long)(value % piece));
	else
		buffer_add_u64(to, (uint64_t)value);
}

/* False: L has none. */
static bool add_field(struct buffer *to, const struct line *l, enum field field)
{
	const uint64_t *q = l->row.q;

	switch (field) {
	case FIELD_PSS:
	case FIELD_SWAP:
		if (!has(l, field == FIELD_PSS ? USAGE_PSS : USAGE_SWAP))
			return false;
		add_byte_seconds(to, q[field == FIELD_PSS ? USAGE_PSS : USAGE_SWAP]);
		return true;
	case FIELD_PSS_HOURS:
	case FIELD_SWAP_HOURS:
		if (!has(l, field == FIELD_PSS_HOURS ? USAGE_PSS : USAGE_SWAP))
			return false;
		decimal_add_real(to,
			(double)q[field == FIELD_PSS_HOURS ? USAGE_PSS : USAGE_SWAP] / GIB_HOUR);
		return true;
	case FIELD_MEAN:
		if (l->has_mean)
			buffer_add_u64(to, whole(l->mean_bytes));
		return l->has_mean;
	case FIELD_MAX:
		if (has(l, USAGE_PSS_MAX))
			buffer_add_u64(to, q[USAGE_PSS_MAX] * KIB);
		return has(l, USAGE_PSS_MAX);
	case FIELD_PROCESSES:
		if (l->has_processes)
			decimal_add_real(to, l->processes);
		return l->has_processes;
	case FIELD_PROCESSES_MAX:
		if (has(l, USAGE_PROCESSES_MAX))
			buffer_add_u64(to, q[USAGE_PROCESSES_MAX]);
		return has(l, USAGE_PROCESSES_MAX);
	default: return false;
	}
}

struct json_rows {
	const struct bill *bill;
	const struct owner *owner;
	struct buffer *to;
	bool is_first;
};

static void add_json_row(const struct bill_part *part, const struct line *l, void *rows)
{
	struct json_rows *r = rows;
	struct buffer *to = r->to;

	(void)part;
	buffer_printf(to, "%s{\"%s\":", r->is_first ? "" : ",", r->owner->name);
	r->is_first = false;
	add_json_text(to, l->row.name);
	if (r->owner->id && !r->owner->words && l->row.id != OWNER_NO_ID)
		buffer_printf(to, ",\"%s\":%u", r->owner->id, l->row.id);
	if (r->owner->has_user && *l->row.user) {
		buffer_add_text(to, ",\"user\":");
		add_json_text(to, l->row.user);
	}
	for (unsigned int i = 0; i < FIELDS; i++) {
		size_t before = to->len;

		buffer_printf(to, ",\"%s\":", field_names[i]);
		if (!add_field(to, l, (enum field)i) && !to->error)
			to->len = before;
	}
	buffer_add_char(to, '}');
}

static void add_json_part(const struct bill *b, const struct bill_part *part, struct buffer *to)
{
	const struct bill one = {.kind = b->kind,
		.per = b->per,
		.part = (struct bill_part *)(uintptr_t)part,
		.parts = 1,
		.limit = b->limit};
	const struct owner *owner = owner_of(usage_owner(b->kind));
	struct json_rows rows = {.bill = b, .owner = owner, .to = to, .is_first = true};
	char since[PERIOD_TEXT_SIZE], until[PERIOD_TEXT_SIZE];
	double measured = bill_measured(&part->head);

	period_format(part->head.since_s, since);
	period_format(part->head.until_s, until);
	buffer_printf(to, "{\"since\":\"%s\",\"until\":\"%s\",", since, until);
	if (measured >= 0) {
		buffer_add_text(to, "\"measured_ratio\":");
		decimal_add_real(to, measured);
		buffer_add_char(to, ',');
	}
	buffer_printf(to, "\"%s\":[", owner->list);
	for_each(&one, add_json_row, &rows);
	buffer_add_text(to, "]}");
}

void bill_json(const struct bill *b, struct buffer *to)
{
	const struct usage_head *last = &b->part[b->parts - 1].head;
	char first[PERIOD_TEXT_SIZE];

	buffer_printf(to, "{\"usage\":{\"by\":\"%s\",\"per\":\"%s\",\"own_only\":%s,\"periods\":[",
		owner_of(usage_owner(b->kind))->name, pers[b->per],
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

/* As RFC 4180 has it. */
static void add_csv_text(struct buffer *to, const char *text)
{
	if (!text[strcspn(text, ",\"\r\n")]) {
		buffer_add_text(to, text);
		return;
	}
	buffer_add_char(to, '"');
	for (; *text; text++) {
		if (*text == '"')
			buffer_add_char(to, '"');
		buffer_add_char(to, *text);
	}
	buffer_add_char(to, '"');
}

static void add_csv_row(const struct bill_part *part, const struct line *l, void *rows)
{
	const struct json_rows *r = rows;
	char since[PERIOD_TEXT_SIZE], until[PERIOD_TEXT_SIZE];
	double measured = bill_measured(&part->head);
	struct buffer *to = r->to;

	period_format(part->head.since_s, since);
	period_format(part->head.until_s, until);
	buffer_printf(to, "%s,%s,", since, until);
	if (measured >= 0)
		decimal_add_real(to, measured);
	buffer_add_char(to, ',');
	add_csv_text(to, l->row.name);
	if (r->owner->has_user) {
		buffer_add_char(to, ',');
		add_csv_text(to, l->row.user);
	}
	for (unsigned int i = 0; i < FIELDS; i++) {
		buffer_add_char(to, ',');
		add_field(to, l, (enum field)i);
	}
	buffer_add_char(to, '\n');
}

void bill_csv(const struct bill *b, struct buffer *to)
{
	const struct owner *owner = owner_of(usage_owner(b->kind));
	struct json_rows rows = {.bill = b, .owner = owner, .to = to};

	buffer_printf(
		to, "since,until,measured_ratio,%s%s", owner->name, owner->has_user ? ",user" : "");
	for (unsigned int i = 0; i < FIELDS; i++)
		buffer_printf(to, ",%s", field_names[i]);
	buffer_add_char(to, '\n');
	for_each(b, add_csv_row, &rows);
}
