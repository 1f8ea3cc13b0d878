/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/usage/usage-table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "render/decimal.h"
#include "snapshot/owner.h"

enum {
	MS_PER_S = 1000,
	BUCKET_S = 300, /* the ledger's shortest slot */
	/* a period keeps its name if at most this part of it, one in ten, is different */
	NAMED_PARTS = 10,
	MIB_PER_GIB = 1024,
};

/* The heads of columns in MiB hours. */
#define MIB_HOURS      "MIB-HOURS"
#define SWAP_MIB_HOURS "SWAP-MIB-HOURS"

const char *usage_table_per(const struct usage_table *b)
{
	return option_find("per", PROGRAM_MEMTALLY)->choices[b->per];
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

/* Returns true if a row of PART has a GiB hour of PSS or SwapPss. */
static bool has_gib_hour(const struct usage_table_part *part)
{
	for (size_t i = 0; i < part->items; i++) {
		const struct usage_line *item = &part->item[i];

		if ((usage_line_has(item, USAGE_PSS) &&
			    (double)item->row.q[USAGE_PSS] >= USAGE_LINE_GIB_HOUR) ||
			(usage_line_has(item, USAGE_SWAP) &&
				(double)item->row.q[USAGE_SWAP] >= USAGE_LINE_GIB_HOUR))
			return true;
	}
	return false;
}

int usage_table_select(struct usage_table *b)
{
	int r = 0;

	b->is_small = true;
	for (size_t i = 0; r == 0 && i < b->parts; i++) {
		r = select_part(&b->choice, &b->part[i]);
		b->is_small = b->is_small && r == 0 && !has_gib_hour(&b->part[i]);
	}
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

/* The row of a list: an item and its part, or the total, which has neither. */
struct usage_row_of {
	const struct usage_table_part *part;
	const struct usage_line *item;
	double pss, swap; /* of the total: KiB seconds of all rows, also those that are not shown */
	bool has_pss, has_swap;
};

enum {
	USAGE_TABLE_TIME = USAGE_LINE_FIELDS,
	USAGE_TABLE_SINCE,
	USAGE_TABLE_UNTIL,
	USAGE_TABLE_COVERED,
	USAGE_TABLE_OWN_ONLY,
	USAGE_TABLE_NAME,
	USAGE_TABLE_USER,
	USAGE_TABLE_ID,
};

/* Variants of the list. */
enum { WITH_TIME = 1 << 0, WITH_USER = 1 << 1, WITH_ID = 1 << 2, BY_PROCESSES_MAX = 1 << 3 };

/* Gets the time of a row, so that no day is billed as an hour. */
static bool get_time(
	const struct usage_table *b, const struct usage_table_part *part, struct column_value *ret)
{
	char name[PERIOD_TEXT_SIZE];

	if (usage_table_is_misnamed(b, part)) {
		period_name(USAGE_PER_ALL, part->head.since_s, name);
		buffer_printf(ret->room, "%s to ", name);
		period_name(USAGE_PER_ALL, part->head.until_s, name);
	} else {
		period_name(b->per, part->period.from_s, name);
	}
	buffer_add_text(ret->room, name);
	return column_use_room(ret);
}

static bool get_moment(int64_t s, struct column_value *ret)
{
	char text[PERIOD_TEXT_SIZE];

	period_format(s, text);
	buffer_add_text(ret->room, text);
	return column_use_room(ret);
}

static bool usage_table_get(
	const struct list *l, const struct column *c, const void *row_, struct column_value *ret)
{
	const struct usage_table *b = l->context;
	const struct usage_row_of *row = row_;
	const struct usage_head *head = &row->part->head;

	switch (c->index) {
	case USAGE_TABLE_TIME: return get_time(b, row->part, ret);
	case USAGE_TABLE_SINCE: return get_moment(head->since_s, ret);
	case USAGE_TABLE_UNTIL: return get_moment(head->until_s, ret);
	case USAGE_TABLE_COVERED: ret->real = usage_table_covered(head); return ret->real >= 0;
	case USAGE_TABLE_OWN_ONLY: ret->number = (head->flags & USAGE_OWN_ONLY) != 0; return true;
	case USAGE_TABLE_NAME: return column_use_text(ret, row->item->row.name);
	case USAGE_TABLE_USER:
		ret->text = row->item->row.user;
		return *ret->text || l->form == LIST_TABLE;
	default: ret->number = row->item->row.id; return row->item->row.id != OWNER_NO_ID;
	}
}

/* .index is the field. */
static bool usage_table_get_quantity(
	const struct list *l, const struct column *c, const void *row_, struct column_value *ret)
{
	const struct usage_table *b = l->context;
	const struct usage_row_of *row = row_;
	bool is_pss = c->index == USAGE_LINE_PSS_HOURS, is_there;

	if (row->item) {
		is_there = usage_line_get(row->item, (enum usage_line_field)c->index, ret);
	} else {
		ret->real = (is_pss ? row->pss : row->swap) / USAGE_LINE_GIB_HOUR;
		is_there = is_pss ? row->has_pss : row->has_swap;
	}
	if (l->form == LIST_TABLE && b->is_small && (is_pss || c->index == USAGE_LINE_SWAP_HOURS))
		ret->real *= MIB_PER_GIB;
	return is_there;
}

/* clang-format off */
#define OTHER(name, type, of) .field = (name), .kind = (type), .get = usage_table_get, .index = (of)
#define QUANTITY(name, type, of)                                                                   \
	.field = (name), .kind = (type), .get = usage_table_get_quantity, .index = (of), .place = 1
/* clang-format on */

/* These columns have a head or a name that depends on the kind of owners, periods or amounts. */
enum { TIME_COLUMN = 0, NAME_COLUMN = 5, ID_COLUMN = 7, HOURS_COLUMN = 9, SWAP_HOURS_COLUMN = 13 };

static const struct column columns[] = {
	[TIME_COLUMN] = {OTHER(NULL, COLUMN_TEXT, USAGE_TABLE_TIME), .only = WITH_TIME},
	{OTHER("since", COLUMN_WORD, USAGE_TABLE_SINCE), .forms = LIST_CSV},
	{OTHER("until", COLUMN_WORD, USAGE_TABLE_UNTIL), .forms = LIST_CSV},
	{OTHER("covered_ratio", COLUMN_RATIO, USAGE_TABLE_COVERED), .head = "COVERED", .place = 2,
		.drop = 2, .forms = LIST_TABLE | LIST_CSV},
	{OTHER("own_only", COLUMN_FLAG, USAGE_TABLE_OWN_ONLY), .forms = LIST_CSV},
	[NAME_COLUMN] = {OTHER(NULL, COLUMN_TEXT, USAGE_TABLE_NAME), .place = 3,
		.flags = COLUMN_CUT},
	{OTHER("user", COLUMN_TEXT, USAGE_TABLE_USER), .head = "USER", .only = WITH_USER,
		.place = 3, .flags = COLUMN_CUT},
	[ID_COLUMN] = {OTHER(NULL, COLUMN_COUNT, USAGE_TABLE_ID)},
	{QUANTITY("pss_byte_seconds", COLUMN_DIGITS, USAGE_LINE_PSS), .flags = COLUMN_SORT},
	[HOURS_COLUMN] = {QUANTITY("pss_gib_hours", COLUMN_REAL, USAGE_LINE_PSS_HOURS),
		.head = "GIB-HOURS", .decimals = 3, .flags = COLUMN_SUM | COLUMN_SORT},
	{QUANTITY("pss_mean_bytes", COLUMN_BYTES, USAGE_LINE_MEAN), .head = "MEAN", .drop = 3,
		.flags = COLUMN_SORT},
	{QUANTITY("pss_max_bytes", COLUMN_BYTES, USAGE_LINE_MAX), .head = "MAX", .drop = 1,
		.flags = COLUMN_SORT},
	{QUANTITY("swap_pss_byte_seconds", COLUMN_DIGITS, USAGE_LINE_SWAP), .flags = COLUMN_SORT},
	[SWAP_HOURS_COLUMN] = {QUANTITY("swap_pss_gib_hours", COLUMN_REAL, USAGE_LINE_SWAP_HOURS),
		.head = "SWAP-GIB-HOURS", .decimals = 3,
		.flags = COLUMN_SUM | COLUMN_SORT | COLUMN_SPARE},
	{QUANTITY("processes_mean", COLUMN_REAL, USAGE_LINE_PROCESSES), .head = "PROCESSES",
		.decimals = 1, .drop = 4, .flags = COLUMN_SORT},
	{QUANTITY("processes_max", COLUMN_COUNT, USAGE_LINE_PROCESSES_MAX),
		.forms = LIST_JSON | LIST_CSV, .flags = COLUMN_SORT},
	{QUANTITY(NULL, COLUMN_COUNT, USAGE_LINE_PROCESSES_MAX), .head = "MAX-PROCESSES",
		.only = BY_PROCESSES_MAX, .flags = COLUMN_SORT},
};

const struct columns usage_table_columns = {columns, ARRAY_SIZE(columns)};

enum usage_line_field usage_table_find_sort(const char *name)
{
	const struct column *c = list_find_sort(&usage_table_columns, name);

	if (!strcasecmp(name, MIB_HOURS))
		return USAGE_LINE_PSS_HOURS;
	if (!strcasecmp(name, SWAP_MIB_HOURS))
		return USAGE_LINE_SWAP_HOURS;
	return c ? (enum usage_line_field)c->index : USAGE_LINE_FIELDS;
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

static const char *time_head(enum usage_per per)
{
	return per == USAGE_PER_HOUR ? "HOUR" : per == USAGE_PER_DAY ? "DAY" : "MONTH";
}

/* Makes in *RET a list of struct usage_row_of, with its columns in OWN. */
static void usage_table_list(const struct usage_table *b, struct buffer *to,
	struct column own[static ARRAY_SIZE(columns)], struct list *ret)
{
	const struct owner *owner = owner_of(usage_owner(b->kind));

	memcpy(own, columns, sizeof(columns));
	own[TIME_COLUMN].head = time_head(b->per);
	own[NAME_COLUMN].head = owner->title;
	own[NAME_COLUMN].field = owner->name;
	own[ID_COLUMN].field = usage_table_id_of(b->kind);
	if (b->is_small) {
		own[HOURS_COLUMN].head = MIB_HOURS;
		own[SWAP_HOURS_COLUMN].head = SWAP_MIB_HOURS;
	}
	*ret = list_make(&(const struct columns){own, ARRAY_SIZE(columns)}, &b->look, b, to);
	ret->variant = (b->per != USAGE_PER_ALL ? WITH_TIME : 0) |
	               (owner->has_user ? WITH_USER : 0) |
	               (b->choice.sort == USAGE_LINE_PROCESSES_MAX ? BY_PROCESSES_MAX : 0);
	list_keep_sort(ret, b->choice.sort);
}

/* The limit is one of each part. */
static int add_part(
	const struct usage_table *b, const struct usage_table_part *part, struct list *l)
{
	int r = 0;

	l->limit = b->look.limit ? l->shown + b->look.limit : 0;
	for (size_t i = 0; r == 0 && i < part->items; i++)
		r = list_add(l, &(struct usage_row_of){.part = part, .item = &part->item[i]});
	return r;
}

/* Means and maxima do not add up, so the total has none. */
static void usage_table_add_total(const struct usage_table *b, struct list *l)
{
	struct usage_row_of total = {.item = NULL};
	size_t unread = 0;
	AUTO_BUFFER struct buffer beside = {0};

	for (size_t i = 0; i < b->parts; i++) {
		unread += count_unread(&b->part[i]);
		for (size_t k = 0; k < b->part[i].items; k++) {
			const struct usage_line *item = &b->part[i].item[k];

			total.pss += (double)item->row.q[USAGE_PSS];
			total.swap += (double)item->row.q[USAGE_SWAP];
			total.has_pss |= usage_line_has(item, USAGE_PSS);
			total.has_swap |= usage_line_has(item, USAGE_SWAP);
		}
	}
	buffer_printf(&beside, "total of %zu row%s", l->rows, l->rows == 1 ? "" : "s");
	list_add_not_shown(l, &beside);
	if (unread)
		buffer_printf(&beside, ", %zu could not be read", unread);
	list_total(l, &total, &beside);
}

int usage_table_print(const struct usage_table *b, struct buffer *to)
{
	struct column own[ARRAY_SIZE(columns)];
	AUTO_LIST struct list l;
	int r = 0;

	usage_table_list(b, to, own, &l);
	list_begin(&l);
	for (size_t i = 0; r == 0 && i < b->parts; i++)
		r = add_part(b, &b->part[i], &l);
	usage_table_add_total(b, &l);
	return r == 0 ? list_end(&l) : r;
}

static int add_json_part(const struct usage_table *b, const struct usage_table_part *part,
	struct list *l, struct buffer *to)
{
	char since[PERIOD_TEXT_SIZE], until[PERIOD_TEXT_SIZE];
	double covered = usage_table_covered(&part->head);
	int r;

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
	list_begin(l);
	r = add_part(b, part, l);
	buffer_add_text(to, "]}");
	return r;
}

int usage_table_json(const struct usage_table *b, struct buffer *to)
{
	struct column own[ARRAY_SIZE(columns)];
	AUTO_LIST struct list l;
	int r = 0;
	const struct usage_head *last = &b->part[b->parts - 1].head;
	char first[PERIOD_TEXT_SIZE];

	usage_table_list(b, to, own, &l);
	buffer_printf(to, "{\"usage\":{\"by\":\"%s\",\"per\":\"%s\",\"own_only\":%s,\"periods\":[",
		owner_of(usage_owner(b->kind))->name, usage_table_per(b),
		last->flags & USAGE_OWN_ONLY ? "true" : "false");
	for (size_t i = 0; r == 0 && i < b->parts; i++) {
		if (i)
			buffer_add_char(to, ',');
		r = add_json_part(b, &b->part[i], &l, to);
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
	return r == 0 ? to->error : r;
}
