/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/sharing/sharing-row.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/table/cell.h"
#include "cli/table/column.h"
#include "render/decimal.h"
#include "render/human.h"

/* The version of the JSON format. */
enum { SHARING_VERSION = 1 };

enum {
	NAME_COLUMNS = 16,     /* width of a name that is the head of a column */
	NOTED_BYTES = 1 << 20, /* of memory that may stay; less gets no note */
	NOTED_PART = 20,       /* nor does less than 5 % of FREED-ON-EXIT */
};

static const char absent[] = "-";

static const struct {
	const char *name;
	const char *head; /* NULL: no column of the table */
} fields[SHARING_FIELDS] = {
	[SHARING_COMES_BACK] = {"comes_back_bytes", "FREED-ON-EXIT"},
	[SHARING_ANON] = {"unique_anon_bytes", NULL},
	[SHARING_SHMEM] = {"unique_shmem_bytes", NULL},
	[SHARING_KEPT] = {"kept_shmem_bytes", NULL},
	[SHARING_UNMAPPED] = {"unmapped_bytes", NULL},
	[SHARING_UNLINKED] = {"unique_unlinked_bytes", NULL},
	[SHARING_DRIVER] = {"unique_driver_bytes", NULL},
	[SHARING_DRIVER_KEPT] = {"kept_driver_bytes", NULL},
	[SHARING_DRIVER_UNTOLD] = {"untold_driver_bytes", NULL},
	[SHARING_STAYS_CACHED] = {"stays_cached_bytes", "CACHED"},
	[SHARING_PAGE_TABLES] = {"page_tables_bytes", NULL},
	[SHARING_USS] = {"uss_bytes", "USS"},
	[SHARING_SWAP_UNIQUE] = {"unique_swap_bytes", "SWAP"},
	[SHARING_FAIR] = {"fair_bytes", "PER-GROUP-PSS"},
	[SHARING_RESIDENT] = {"resident_bytes", "RESIDENT"},
	[SHARING_PSS] = {"pss_bytes", "PSS"},
	[SHARING_RSS] = {"rss_bytes", "RSS"},
	[SHARING_SWAP] = {"swap_bytes", NULL},
	[SHARING_HUGETLB_UNIQUE] = {"unique_hugetlb_bytes", NULL},
	[SHARING_HUGETLB] = {"hugetlb_bytes", NULL},
	[SHARING_PROCESSES] = {"processes", "PROCESSES"},
};

const char *sharing_field_name(enum sharing_field field)
{
	return fields[field].name;
}

enum sharing_field sharing_find_field(const char *name)
{
	unsigned int i = 0;

	while (i < SHARING_FIELDS && strcmp(fields[i].name, name) != 0)
		i++;
	return (enum sharing_field)i;
}

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

static bool sharing_row_has(const struct sharing_row *row, unsigned int field)
{
	return (row->present >> field) & 1;
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

void sharing_sort(struct sharing_report *r, enum sharing_field field, bool ascending)
{
	struct order order = {field, ascending};

	if (r->rows)
		qsort_r(r->row, r->rows, sizeof(*r->row), sharing_row_compare, &order);
}

static void sharing_row_add_column(struct table *t, const char *head, bool is_right)
{
	struct table_column *column = &t->column[t->columns++];

	snprintf(column->head, sizeof(column->head), "%s", head);
	column->is_right = is_right;
	column->is_wide = !is_right;
}

static void add_name_columns(const struct sharing_report *r, struct table *t)
{
	sharing_row_add_column(t, r->title, false);
	if (r->has_user)
		sharing_row_add_column(t, "USER", false);
}

static const char *sharing_row_user_of(const struct sharing_row *row)
{
	return row->user ? row->user : "";
}

/*
 * Names may be long and contain any character. The user comes first, because long names are cut at
 * the end.
 */
static void add_named_column(struct table *t, const struct sharing_row *row)
{
	AUTO_BUFFER struct buffer printable = {0}, head = {0};

	if (*sharing_row_user_of(row)) {
		cell_add_printable(&printable, sharing_row_user_of(row));
		buffer_add_char(&printable, ':');
	}
	cell_add_printable(&printable, row->name);
	buffer_add_char(&printable, '\0');
	if (!printable.error)
		cell_add_cut(&head, printable.data, NAME_COLUMNS);
	buffer_add_char(&head, '\0');
	if (printable.error || head.error)
		t->text.error = -ENOMEM;
	else
		sharing_row_add_column(t, head.data, true);
}

static void sharing_row_end_cell(struct table *t)
{
	buffer_add_char(&t->text, '\0');
}

static void sharing_row_add_bytes(
	const struct sharing_report *r, struct table *t, bool is_there, uint64_t bytes)
{
	if (!is_there)
		buffer_add_text(&t->text, absent);
	else if (r->bytes)
		buffer_add_u64(&t->text, bytes);
	else
		human_add_bytes(&t->text, bytes);
	sharing_row_end_cell(t);
}

static size_t sharing_row_shown(const struct sharing_report *r)
{
	return r->limit && r->limit < r->rows ? r->limit : r->rows;
}

/* Returns true if ROW has enough memory that may stay to note it beside FREED-ON-EXIT. */
static bool may_stay(const struct sharing_row *row)
{
	uint64_t bytes = row->q[SHARING_DRIVER_UNTOLD];

	return sharing_row_has(row, SHARING_DRIVER_UNTOLD) && bytes >= NOTED_BYTES &&
	       bytes >= row->q[SHARING_COMES_BACK] / NOTED_PART;
}

static bool sharing_row_has_notes(const struct sharing_report *r)
{
	for (size_t i = 0; i < sharing_row_shown(r); i++)
		if (r->row[i].denied || r->row[i].blocked || r->row[i].elsewhere ||
			may_stay(&r->row[i]))
			return true;
	return false;
}

static void add_may_stay(
	const struct sharing_report *r, const struct sharing_row *row, struct buffer *to)
{
	if (r->bytes)
		buffer_add_u64(to, row->q[SHARING_DRIVER_UNTOLD]);
	else
		human_add_bytes(to, row->q[SHARING_DRIVER_UNTOLD]);
	buffer_add_text(to, " of drivers may stay");
}

/* Adds the note of a row, or an empty cell for the total: its note stands beside it. */
static void sharing_row_add_note(
	const struct sharing_report *r, struct table *t, const struct sharing_row *row)
{
	const char *comma = "";

	if (row->name && row->denied) {
		buffer_printf(&t->text, "%u denied", row->denied);
		comma = ", ";
	}
	if (row->name && row->blocked) {
		buffer_printf(&t->text, "%s%u blocked", comma, row->blocked);
		comma = ", ";
	}
	if (row->name && row->elsewhere) {
		buffer_printf(&t->text, "%s%u counted elsewhere", comma, row->elsewhere);
		comma = ", ";
	}
	if (row->name && may_stay(row)) {
		buffer_add_text(&t->text, comma);
		add_may_stay(r, row, &t->text);
	}
	sharing_row_end_cell(t);
}

static void add_names(
	const struct sharing_report *r, struct table *t, const struct sharing_row *row)
{
	buffer_add_text(&t->text, row->name ? row->name : "");
	sharing_row_end_cell(t);
	if (!r->has_user)
		return;
	buffer_add_text(&t->text,
		!row->name || *sharing_row_user_of(row) ? sharing_row_user_of(row) : absent);
	sharing_row_end_cell(t);
}

static void add_cells(
	const struct sharing_report *r, struct table *t, const struct sharing_row *row)
{
	for (unsigned int i = 0; i < SHARING_FIELDS; i++) {
		if (!fields[i].head)
			continue;
		if (i != SHARING_PROCESSES) {
			sharing_row_add_bytes(r, t, sharing_row_has(row, i), row->q[i]);
			continue;
		}
		buffer_add_u64(&t->text, row->q[i]);
		sharing_row_end_cell(t);
	}
	add_names(r, t, row);
	if (sharing_row_has_notes(r))
		sharing_row_add_note(r, t, row);
	t->rows++;
}

/* The total is of all groups, also if only some were asked for. */
static void add_beside_total(const struct sharing_report *r, struct buffer *to)
{
	buffer_printf(to, "total of %s%zu group%s", r->rows < r->groups ? "all " : "", r->groups,
		r->groups == 1 ? "" : "s");
	if (sharing_row_shown(r) < r->rows)
		buffer_printf(to, " (%zu not shown)", r->rows - sharing_row_shown(r));
	if (r->total.denied)
		buffer_printf(to, ", %u denied", r->total.denied);
	if (r->total.blocked)
		buffer_printf(to, ", %u blocked", r->total.blocked);
	if (may_stay(&r->total)) {
		buffer_add_text(to, ", ");
		add_may_stay(r, &r->total, to);
	}
}

int sharing_table(const struct sharing_report *r, struct table *ret)
{
	*ret = (struct table){0};
	for (unsigned int i = 0; i < SHARING_FIELDS; i++)
		if (fields[i].head)
			sharing_row_add_column(ret, fields[i].head, true);
	add_name_columns(r, ret);
	if (sharing_row_has_notes(r))
		sharing_row_add_column(ret, "NOTE", false);
	for (size_t i = 0; i < sharing_row_shown(r); i++)
		add_cells(r, ret, &r->row[i]);
	if (r->by) {
		add_cells(r, ret, &r->total);
		ret->has_total = true;
		add_beside_total(r, &ret->total);
	}
	return ret->text.error ? ret->text.error : ret->total.error;
}

int sharing_matrix_table(const struct sharing_report *r, struct table *ret)
{
	size_t count = r->compared, most = TABLE_COLUMNS_MAX - (r->has_user ? 2 : 1);

	if (count > most)
		count = most;
	*ret = (struct table){0};
	for (size_t i = 0; i < count; i++)
		add_named_column(ret, &r->row[i]);
	add_name_columns(r, ret);
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < count; j++)
			sharing_row_add_bytes(r, ret, true, r->matrix[i * r->compared + j]);
		add_names(r, ret, &r->row[i]);
		ret->rows++;
	}
	return ret->text.error;
}

static void sharing_row_add_json_user(
	struct buffer *to, const char *field, const struct sharing_row *row)
{
	if (!*sharing_row_user_of(row))
		return;
	buffer_printf(to, ",\"%s\":", field);
	column_add_json_text(to, row->user);
}

static void sharing_row_add_json_row(struct buffer *to, const struct sharing_row *row)
{
	const char *comma = "";

	buffer_add_char(to, '{');
	if (row->name) {
		buffer_add_text(to, "\"name\":");
		column_add_json_text(to, row->name);
		sharing_row_add_json_user(to, "user", row);
		comma = ",";
	}
	for (unsigned int i = 0; i < SHARING_FIELDS; i++) {
		if (!sharing_row_has(row, i))
			continue;
		buffer_printf(to, "%s\"%s\":", comma, fields[i].name);
		buffer_add_u64(to, row->q[i]);
		comma = ",";
	}
	if (row->denied)
		buffer_printf(to, "%s\"denied\":%u", comma, row->denied);
	if (row->blocked)
		buffer_printf(to, ",\"blocked\":%u", row->blocked);
	if (row->elsewhere)
		buffer_printf(to, ",\"elsewhere\":%u", row->elsewhere);
	buffer_add_char(to, '}');
}

static void add_json_matrix(const struct sharing_report *r, struct buffer *to)
{
	const char *comma = "";

	buffer_printf(to, ",\"compared\":%zu,\"matrix\":[", r->compared);
	for (size_t i = 0; i < r->compared; i++)
		for (size_t j = i + 1; j < r->compared; j++) {
			uint64_t bytes = r->matrix[i * r->compared + j];

			if (!bytes)
				continue;
			buffer_printf(to, "%s{\"a\":", comma);
			column_add_json_text(to, r->row[i].name);
			buffer_add_text(to, ",\"b\":");
			column_add_json_text(to, r->row[j].name);
			sharing_row_add_json_user(to, "a_user", &r->row[i]);
			sharing_row_add_json_user(to, "b_user", &r->row[j]);
			buffer_printf(to, ",\"shared_bytes\":%llu}", (unsigned long long)bytes);
			comma = ",";
		}
	buffer_add_char(to, ']');
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

void sharing_json(const struct sharing_report *r, struct buffer *to)
{
	buffer_printf(to, "{\"version\":%d,\"by\":\"%s\",\"groups\":[", SHARING_VERSION,
		r->by ? r->by : "selection");
	for (size_t i = 0; i < sharing_row_shown(r); i++) {
		if (i)
			buffer_add_char(to, ',');
		sharing_row_add_json_row(to, &r->row[i]);
	}
	buffer_add_text(to, "],\"total\":");
	sharing_row_add_json_row(to, &r->total);
	buffer_printf(to, ",\"others\":{\"shared_bytes\":%llu,\"pss_bytes\":%llu",
		(unsigned long long)r->others_shared, (unsigned long long)r->others_pss);
	if (r->by)
		buffer_printf(to, ",\"fair_bytes\":%llu", (unsigned long long)r->others_fair);
	buffer_printf(to, "},\"untold_bytes\":%llu,\"changed_bytes\":%llu,\"gone_bytes\":%llu",
		(unsigned long long)r->many, (unsigned long long)r->changed,
		(unsigned long long)r->gone);
	buffer_printf(to, ",\"unmapped\":{\"kept_bytes\":%llu,\"untold\":%llu}",
		(unsigned long long)r->unmapped_kept, (unsigned long long)r->unmapped_untold);
	if (r->matrix)
		add_json_matrix(r, to);
	add_json_statistics(&r->statistics, to);
	buffer_add_text(to, "}\n");
}

static void sharing_row_add_csv_user(struct buffer *to, const struct sharing_row *row)
{
	buffer_add_char(to, ',');
	column_add_csv_text(to, sharing_row_user_of(row));
}

void sharing_csv(const struct sharing_report *r, struct buffer *to)
{
	buffer_printf(to, "%s%s", r->by ? r->by : "selection", r->has_user ? ",user" : "");
	for (unsigned int i = 0; i < SHARING_FIELDS; i++)
		buffer_printf(to, ",%s", fields[i].name);
	buffer_add_char(to, '\n');
	for (size_t i = 0; i < sharing_row_shown(r); i++) {
		column_add_csv_text(to, r->row[i].name);
		if (r->has_user)
			sharing_row_add_csv_user(to, &r->row[i]);
		for (unsigned int k = 0; k < SHARING_FIELDS; k++) {
			buffer_add_char(to, ',');
			if (sharing_row_has(&r->row[i], k))
				buffer_add_u64(to, r->row[i].q[k]);
		}
		buffer_add_char(to, '\n');
	}
}

void sharing_matrix_csv(const struct sharing_report *r, struct buffer *to)
{
	buffer_printf(to, "a,b,%sshared_bytes\n", r->has_user ? "a_user,b_user," : "");
	for (size_t i = 0; i < r->compared; i++)
		for (size_t j = i + 1; j < r->compared; j++) {
			uint64_t bytes = r->matrix[i * r->compared + j];

			if (!bytes)
				continue;
			column_add_csv_text(to, r->row[i].name);
			buffer_add_char(to, ',');
			column_add_csv_text(to, r->row[j].name);
			if (r->has_user) {
				sharing_row_add_csv_user(to, &r->row[i]);
				sharing_row_add_csv_user(to, &r->row[j]);
			}
			buffer_printf(to, ",%llu\n", (unsigned long long)bytes);
		}
}
