/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/sharing/sharing-row.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cli/table/cell.h"
#include "render/decimal.h"
#include "snapshot/owner.h"

/* The version of the JSON format. */
enum { SHARING_VERSION = 1 };

enum {
	NAME_COLUMNS = 16,     /* width of a name that is the head of a column */
	SQUARE_COLUMNS = 12,   /* columns of the matrix as a table */
	NOTED_BYTES = 1 << 20, /* of memory that may stay; less gets no note */
	NOTED_PART = 20,       /* nor does less than 5 % of FREED-ON-EXIT */
};

enum {
	SHARING_NAME = SHARING_FIELDS,
	SHARING_USER,
	SHARING_DENIED,
	SHARING_BLOCKED,
	SHARING_ELSEWHERE,
	SHARING_NOTE
};

/* Variants of the list. */
enum { WITH_USER = 1 << 0, WITH_NOTE = 1 << 1 };

static bool sharing_row_has(const struct sharing_row *row, unsigned int field)
{
	return (row->present >> field) & 1;
}

static bool sharing_row_count(uint32_t count, struct column_value *ret)
{
	ret->number = count;
	return count;
}

/* Returns true if ROW has enough memory that may stay to note it beside FREED-ON-EXIT. */
static bool may_stay(const struct sharing_row *row)
{
	uint64_t bytes = row->q[SHARING_DRIVER_UNTOLD];

	return sharing_row_has(row, SHARING_DRIVER_UNTOLD) && bytes >= NOTED_BYTES &&
	       bytes >= row->q[SHARING_COMES_BACK] / NOTED_PART;
}

static void add_may_stay(const struct sharing_row *row, bool bytes, struct buffer *to)
{
	column_add_amount(to, row->q[SHARING_DRIVER_UNTOLD], bytes);
	buffer_add_text(to, " of drivers may stay");
}

static bool sharing_row_is_noted(const struct sharing_row *row)
{
	return row->denied || row->blocked || row->elsewhere || may_stay(row);
}

static void add_note_part(struct buffer *to, uint32_t count, const char *what)
{
	if (count)
		buffer_printf(to, "%s%u %s", to->len ? ", " : "", count, what);
}

static bool get_note(const struct sharing_row *row, bool bytes, struct column_value *ret)
{
	add_note_part(ret->room, row->denied, "denied");
	add_note_part(ret->room, row->blocked, "blocked");
	add_note_part(ret->room, row->elsewhere, "counted elsewhere");
	if (may_stay(row)) {
		buffer_add_text(ret->room, ret->room->len ? ", " : "");
		add_may_stay(row, bytes, ret->room);
	}
	return column_use_room(ret);
}

static bool sharing_row_get(
	const struct list *l, const struct column *c, const void *row_, struct column_value *ret)
{
	const struct sharing_row *row = row_;

	switch (c->index) {
	case SHARING_NAME: return column_use_name(ret, row->name);
	case SHARING_USER: return column_use_name(ret, row->user);
	case SHARING_DENIED: return sharing_row_count(row->denied, ret);
	case SHARING_BLOCKED: return sharing_row_count(row->blocked, ret);
	case SHARING_ELSEWHERE: return sharing_row_count(row->elsewhere, ret);
	case SHARING_NOTE: return get_note(row, l->bytes, ret);
	default: ret->number = row->q[c->index]; return sharing_row_has(row, c->index);
	}
}

/* clang-format off */
#define OTHER(name, type, of) .field = (name), .kind = (type), .get = sharing_row_get, .index = (of)
#define AMOUNT(name, of)                                                                           \
	.field = (name), .kind = COLUMN_BYTES, .get = sharing_row_get, .index = (of),              \
	.flags = COLUMN_SUM | COLUMN_SORT
/* clang-format on */

/* The names of the groups, which are set for each report: in CSV, in JSON, and in a table. */
enum { NAME_COLUMN };

static const struct column columns[] = {
	[NAME_COLUMN] = {OTHER("name", COLUMN_TEXT, SHARING_NAME), .place = 1, .flags = COLUMN_CUT},
	{OTHER("user", COLUMN_TEXT, SHARING_USER), .head = "USER", .only = WITH_USER, .place = 1,
		.flags = COLUMN_CUT},
	{AMOUNT("comes_back_bytes", SHARING_COMES_BACK), .head = "FREED-ON-EXIT"},
	{AMOUNT("unique_anon_bytes", SHARING_ANON)},
	{AMOUNT("unique_shmem_bytes", SHARING_SHMEM)},
	{AMOUNT("kept_shmem_bytes", SHARING_KEPT)},
	{AMOUNT("unmapped_bytes", SHARING_UNMAPPED)},
	{AMOUNT("unique_unlinked_bytes", SHARING_UNLINKED)},
	{AMOUNT("unique_driver_bytes", SHARING_DRIVER)},
	{AMOUNT("kept_driver_bytes", SHARING_DRIVER_KEPT)},
	{AMOUNT("untold_driver_bytes", SHARING_DRIVER_UNTOLD)},
	{AMOUNT("stays_cached_bytes", SHARING_STAYS_CACHED), .head = "CACHED", .drop = 1},
	{AMOUNT("page_tables_bytes", SHARING_PAGE_TABLES)},
	{AMOUNT("uss_bytes", SHARING_USS), .head = "USS", .drop = 2},
	{.field = "unique_swap_bytes",
		.kind = COLUMN_BYTES,
		.get = sharing_row_get,
		.index = SHARING_SWAP_UNIQUE,
		.head = "SWAP",
		.drop = 4,
		.flags = COLUMN_SUM | COLUMN_SORT | COLUMN_SPARE},
	{AMOUNT("fair_bytes", SHARING_FAIR), .head = "PER-GROUP-PSS"},
	{AMOUNT("resident_bytes", SHARING_RESIDENT), .head = "RESIDENT", .drop = 6},
	{AMOUNT("pss_bytes", SHARING_PSS), .head = "PSS", .drop = 7},
	{AMOUNT("rss_bytes", SHARING_RSS), .head = "RSS", .drop = 8},
	{AMOUNT("swap_bytes", SHARING_SWAP)},
	{AMOUNT("unique_hugetlb_bytes", SHARING_HUGETLB_UNIQUE)},
	{AMOUNT("hugetlb_bytes", SHARING_HUGETLB)},
	{OTHER("processes", COLUMN_COUNT, SHARING_PROCESSES), .head = "PROCESSES", .drop = 3,
		.flags = COLUMN_SUM | COLUMN_SORT},
	{OTHER("denied", COLUMN_COUNT, SHARING_DENIED), .forms = LIST_JSON, .flags = COLUMN_SUM},
	{OTHER("blocked", COLUMN_COUNT, SHARING_BLOCKED), .forms = LIST_JSON, .flags = COLUMN_SUM},
	{OTHER("elsewhere", COLUMN_COUNT, SHARING_ELSEWHERE), .forms = LIST_JSON,
		.flags = COLUMN_SUM},
	{OTHER(NULL, COLUMN_TEXT, SHARING_NOTE), .head = "NOTE", .only = WITH_NOTE, .place = 2,
		.drop = 5, .flags = COLUMN_CUT | COLUMN_NOTE | COLUMN_SPARE},
};

const struct columns sharing_columns = {columns, ARRAY_SIZE(columns)};

void sharing_report_done(struct sharing_report *r)
{
	free(r->row);
	free(r->matrix);
	*r = (struct sharing_report){0};
}

void sharing_fill(struct sharing_row *row, const struct frame_owner *owner, uint64_t page_tables,
	uint32_t processes, bool has_fair, bool has_swap)
{
	const uint64_t *unique = owner->unique;

	row->present = (UINT64_C(1) << SHARING_FIELDS) - 1;
	if (!has_fair)
		row->present &= ~(UINT64_C(1) << SHARING_FAIR);
	if (!has_swap && owner->resident[FRAME_OWNER_SWAP])
		row->present &= ~(UINT64_C(1) << SHARING_SWAP_UNIQUE);
	row->q[SHARING_ANON] = unique[FRAME_OWNER_ANON];
	row->q[SHARING_SHMEM] = unique[FRAME_OWNER_SHMEM] + unique[FRAME_OWNER_SHMEM_KEPT];
	row->q[SHARING_KEPT] = unique[FRAME_OWNER_SHMEM_KEPT];
	row->q[SHARING_STAYS_CACHED] = unique[FRAME_OWNER_FILE];
	row->q[SHARING_PAGE_TABLES] = page_tables;
	row->q[SHARING_UNMAPPED] = owner->unmapped;
	row->q[SHARING_UNLINKED] = unique[FRAME_OWNER_UNLINKED];
	row->q[SHARING_DRIVER] = unique[FRAME_OWNER_DRIVER] + unique[FRAME_OWNER_DRIVER_KEPT] +
	                         unique[FRAME_OWNER_DRIVER_UNTOLD];
	row->q[SHARING_DRIVER_KEPT] = unique[FRAME_OWNER_DRIVER_KEPT];
	row->q[SHARING_DRIVER_UNTOLD] = unique[FRAME_OWNER_DRIVER_UNTOLD];
	row->q[SHARING_COMES_BACK] = unique[FRAME_OWNER_ANON] + unique[FRAME_OWNER_SHMEM] +
	                             unique[FRAME_OWNER_UNLINKED] + unique[FRAME_OWNER_DRIVER] +
	                             unique[FRAME_OWNER_DRIVER_UNTOLD] + owner->unmapped +
	                             page_tables;
	row->q[SHARING_USS] = frame_owner_unique(owner);
	row->q[SHARING_SWAP_UNIQUE] = unique[FRAME_OWNER_SWAP];
	row->q[SHARING_FAIR] = owner->fair;
	row->q[SHARING_RESIDENT] = frame_owner_resident(owner);
	row->q[SHARING_PSS] = owner->pss;
	row->q[SHARING_RSS] = owner->rss;
	row->q[SHARING_SWAP] = owner->resident[FRAME_OWNER_SWAP];
	row->q[SHARING_HUGETLB_UNIQUE] = unique[FRAME_OWNER_HUGETLB];
	row->q[SHARING_HUGETLB] = owner->resident[FRAME_OWNER_HUGETLB];
	row->q[SHARING_PROCESSES] = processes;
}

void sharing_lack(struct sharing_row *row, uint32_t denied, uint32_t blocked, uint32_t elsewhere)
{
	const uint64_t *q = row->q;

	row->denied = denied;
	row->blocked = blocked;
	row->elsewhere = elsewhere;
	/* Memory that was seen before a process exited or was refused still counts. */
	if (q[SHARING_PROCESSES] <= elsewhere &&
		!(q[SHARING_RESIDENT] | q[SHARING_SWAP] | q[SHARING_HUGETLB]))
		row->present = UINT64_C(1) << SHARING_PROCESSES;
}

struct order {
	enum sharing_field field;
	bool ascending;
};

static int sharing_row_compare(const void *a, const void *b, void *context)
{
	const struct sharing_row *x = a, *y = b;
	const struct order *order = context;
	uint64_t p = x->q[order->field], q = y->q[order->field];

	if (sharing_row_has(x, order->field) != sharing_row_has(y, order->field))
		return sharing_row_has(x, order->field) ? -1 : 1;
	if (p != q && sharing_row_has(x, order->field))
		return (p > q) != order->ascending ? -1 : 1;
	return (x->group > y->group) - (x->group < y->group);
}

void sharing_sort(struct sharing_report *r, bool ascending)
{
	struct order order = {r->sort, ascending};

	if (r->rows)
		qsort_r(r->row, r->rows, sizeof(*r->row), sharing_row_compare, &order);
}

static size_t sharing_row_shown(const struct sharing_report *r)
{
	return r->look.limit && r->look.limit < r->rows ? r->look.limit : r->rows;
}

static bool sharing_row_has_notes(const struct sharing_report *r)
{
	for (size_t i = 0; i < sharing_row_shown(r); i++)
		if (sharing_row_is_noted(&r->row[i]))
			return true;
	return false;
}

/* Returns the word for COUNT groups of R: "user" or "users"; "set" for chosen processes. */
static const char *sharing_row_word(const struct sharing_report *r, size_t count)
{
	const struct owner *owner;

	if (!r->by)
		return count == 1 ? "set" : "sets";
	owner = owner_of(owner_find(r->by));
	return count == 1 ? owner->name : owner->list;
}

/* The total is of all groups, also if only some were asked for. */
static void add_beside_total(
	const struct sharing_report *r, const struct list *l, struct buffer *to)
{
	size_t count = r->groups - r->has_none;

	buffer_printf(to, "total of %s%zu %s%s", r->rows < r->groups ? "all " : "", count,
		sharing_row_word(r, count), r->has_none ? " and " OWNER_NONE : "");
	list_add_not_shown(l, to);
	if (r->total.denied)
		buffer_printf(to, ", %u denied", r->total.denied);
	if (r->total.blocked)
		buffer_printf(to, ", %u blocked", r->total.blocked);
	if (may_stay(&r->total)) {
		buffer_add_text(to, ", ");
		add_may_stay(&r->total, r->look.bytes, to);
	}
}

static struct list sharing_row_list(
	const struct sharing_report *r, const struct columns *of, struct buffer *to)
{
	struct list l = list_make(of, &r->look, r, to);

	l.variant = (r->has_user ? WITH_USER : 0) | (sharing_row_has_notes(r) ? WITH_NOTE : 0);
	return l;
}

int sharing_print_rows(const struct sharing_report *r, struct buffer *to)
{
	struct column own[ARRAY_SIZE(columns)];
	AUTO_LIST struct list l = sharing_row_list(
		r, &(const struct columns){own, ARRAY_SIZE(own)}, to);
	AUTO_BUFFER struct buffer beside = {0};
	int result = 0;

	memcpy(own, columns, sizeof(own));
	own[NAME_COLUMN].head = r->title;
	if (l.form == LIST_CSV)
		own[NAME_COLUMN].field = r->by ? r->by : SHARING_SELECTION;
	list_keep_sort(&l, r->sort);
	list_begin(&l);
	for (size_t i = 0; result == 0 && i < r->rows; i++)
		result = list_add(&l, &r->row[i]);
	add_beside_total(r, &l, &beside);
	if (r->by)
		list_total(&l, &r->total, &beside);
	return result == 0 ? list_end(&l) : result;
}

/*
 * Appends the name of a row as the head of a column. Names may be long and contain any character.
 * The user comes first, because long names are cut at the end.
 */
static void add_named_head(const struct sharing_row *row, struct buffer *to)
{
	AUTO_BUFFER struct buffer printable = {0};

	if (row->user && *row->user) {
		cell_add_printable(&printable, row->user);
		buffer_add_char(&printable, ':');
	}
	cell_add_printable(&printable, row->name);
	buffer_add_char(&printable, '\0');
	if (printable.error)
		to->error = printable.error;
	else
		cell_add_cut(to, printable.data, NAME_COLUMNS);
	buffer_add_char(to, '\0');
}

/* Gets the memory that ROW shares with the group of number .index. */
static bool get_shared(
	const struct list *l, const struct column *c, const void *row, struct column_value *ret)
{
	const struct sharing_report *r = l->context;
	size_t i = (size_t)((const struct sharing_row *)row - r->row);

	ret->number = r->matrix[i * r->compared + c->index];
	return true;
}

/* Prints the matrix with a column for each of the first groups. */
static int print_square(const struct sharing_report *r, struct buffer *to)
{
	size_t names = r->has_user ? 2 : 1, most = SQUARE_COLUMNS - names;
	size_t count = r->compared < most ? r->compared : most, at[SQUARE_COLUMNS];
	struct column own[SQUARE_COLUMNS] = {0};
	AUTO_LIST struct list l = sharing_row_list(
		r, &(const struct columns){own, count + names}, to);
	AUTO_BUFFER struct buffer heads = {0};
	int result = 0;

	for (size_t i = 0; i < count; i++) {
		at[i] = heads.len;
		add_named_head(&r->row[i], &heads);
	}
	if (heads.error)
		return heads.error;
	for (size_t i = 0; i < count; i++)
		own[i] = (struct column){.head = heads.data + at[i],
			.kind = COLUMN_BYTES,
			.get = get_shared,
			.index = (unsigned int)i};
	memcpy(&own[count], &columns[NAME_COLUMN], names * sizeof(*own));
	own[count].head = r->title;
	list_begin(&l);
	for (size_t i = 0; result == 0 && i < count; i++)
		result = list_add(&l, &r->row[i]);
	return result == 0 ? list_end(&l) : result;
}

/* Two groups, and the memory that both map. */
struct pair {
	const struct sharing_row *a, *b;
	uint64_t bytes;
};

enum { PAIR_A, PAIR_B, PAIR_A_USER, PAIR_B_USER, PAIR_SHARED };

static bool get_pair(
	const struct list *l, const struct column *c, const void *row, struct column_value *ret)
{
	const struct pair *pair = row;

	(void)l;
	switch (c->index) {
	case PAIR_A: return column_use_name(ret, pair->a->name);
	case PAIR_B: return column_use_name(ret, pair->b->name);
	case PAIR_A_USER: return column_use_name(ret, pair->a->user);
	case PAIR_B_USER: return column_use_name(ret, pair->b->user);
	default: ret->number = pair->bytes; return true;
	}
}

static const struct column pair_columns[] = {
	{.field = "a", .kind = COLUMN_TEXT, .get = get_pair, .index = PAIR_A},
	{.field = "b", .kind = COLUMN_TEXT, .get = get_pair, .index = PAIR_B},
	{.field = "a_user",
		.kind = COLUMN_TEXT,
		.get = get_pair,
		.index = PAIR_A_USER,
		.only = WITH_USER},
	{.field = "b_user",
		.kind = COLUMN_TEXT,
		.get = get_pair,
		.index = PAIR_B_USER,
		.only = WITH_USER},
	{.field = "shared_bytes", .kind = COLUMN_BYTES, .get = get_pair, .index = PAIR_SHARED},
};

/* Appends each two groups that share memory. */
static int print_pairs(const struct sharing_report *r, struct buffer *to)
{
	static const struct columns of_pairs = {pair_columns, ARRAY_SIZE(pair_columns)};
	AUTO_LIST struct list l = sharing_row_list(r, &of_pairs, to);
	int result = 0;

	l.limit = 0;
	list_begin(&l);
	for (size_t i = 0; i < r->compared; i++)
		for (size_t j = i + 1; result == 0 && j < r->compared; j++) {
			const struct pair pair = {
				&r->row[i], &r->row[j], r->matrix[i * r->compared + j]};

			if (pair.bytes)
				result = list_add(&l, &pair);
		}
	if (l.form == LIST_CSV && r->compared < r->rows)
		log_info("%zu of %zu groups compared", r->compared, r->rows);
	return result;
}

int sharing_print_matrix(const struct sharing_report *r, struct buffer *to)
{
	return r->look.form == LIST_TABLE ? print_square(r, to) : print_pairs(r, to);
}

static void add_json_statistics(const struct sharing_statistics *c, struct buffer *to)
{
	buffer_printf(to,
		",\"read\":{\"processes\":%llu,\"ended\":%llu,\"refused\":%llu,\"seconds\":",
		(unsigned long long)c->read, (unsigned long long)c->ended,
		(unsigned long long)c->refused);
	decimal_add_seconds(to, c->span_ns);
	buffer_add_text(to, ",\"cpu_seconds\":");
	decimal_add_seconds(to, c->cpu_ns);
	buffer_printf(to, ",\"memory_bytes\":%llu}", (unsigned long long)c->memory_bytes);
}

int sharing_json(const struct sharing_report *r, struct buffer *to)
{
	int result;

	buffer_printf(to, "{\"version\":%d,\"by\":\"%s\",\"groups\":[", SHARING_VERSION,
		r->by ? r->by : SHARING_SELECTION);
	result = sharing_print_rows(r, to);
	buffer_add_text(to, "],\"total\":");
	list_add_sums(
		&(struct list){.column = columns, .columns = ARRAY_SIZE(columns)}, &r->total, to);
	buffer_printf(to, ",\"others\":{\"shared_bytes\":%llu,\"pss_bytes\":%llu",
		(unsigned long long)r->others_shared, (unsigned long long)r->others_pss);
	if (r->by)
		buffer_printf(to, ",\"fair_bytes\":%llu", (unsigned long long)r->others_fair);
	buffer_printf(to, "},\"untold_bytes\":%llu,\"changed_bytes\":%llu,\"gone_bytes\":%llu",
		(unsigned long long)r->many, (unsigned long long)r->changed,
		(unsigned long long)r->gone);
	buffer_printf(to, ",\"unmapped\":{\"kept_bytes\":%llu,\"untold\":%llu}",
		(unsigned long long)r->unmapped_kept, (unsigned long long)r->unmapped_untold);
	if (r->matrix) {
		buffer_printf(to, ",\"compared\":%zu,\"matrix\":[", r->compared);
		if (result == 0)
			result = print_pairs(r, to);
		buffer_add_char(to, ']');
	}
	add_json_statistics(&r->statistics, to);
	buffer_add_text(to, "}\n");
	return result == 0 ? to->error : result;
}
