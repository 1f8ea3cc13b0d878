/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/lists/owner-rows.h"

#include <string.h>

#include "cli/lists/owner-rows-private.h"
#include "render/json.h"
#include "snapshot/owner.h"

/* Processes without a PSS are not part of the sums: notes count them. */
static bool is_in_sums(const struct owner_row *row)
{
	return row->process ? ROW_HAS(row, PROCESS_PSS) : ROW_HAS(row, SCOPE_PSS);
}

/* The sums of the rows, of each metric. */
struct owner_rows_sums {
	uint64_t present, lacking;
	uint64_t q[64];
};

/* Follows snapshot/sums.h: if a value of one summed row is not known, the sum is not known. */
static void add_to_sums(
	const struct owner_rows_build *b, const struct owner_row *row, struct owner_rows_sums *sums)
{
	for (size_t i = 0; i < b->columns; i++) {
		const struct metric *m = owner_rows_summed(b, i);
		uint64_t value;

		if (!m)
			continue;
		if (owner_rows_get_value(m, b->rows->scope, row, &value)) {
			sums->q[m->index] += value;
			sums->present |= UINT64_C(1) << m->index;
		} else if (is_in_sums(row)) {
			sums->lacking |= UINT64_C(1) << m->index;
		}
	}
}

/*
 * "total of 9 units and (none) (2 not shown), MemTotal 15.6 GiB, 3 denied, PSS between 2.7 and 3.1
 * GiB"
 */
static void add_total_text(const struct owner_rows_build *b, struct buffer *to)
{
	const struct snapshot_scope *host = view_host(b->view);
	size_t count = b->to->rows - b->has_none;
	struct note note;

	buffer_printf(to, "total of %zu %s%s", count,
		count == 1 ? metric_scope_name(b->rows->scope) : json_list_name(b->rows->scope),
		b->has_none ? " and " OWNER_NONE : "");
	list_add_not_shown(b->to, to);
	if (b->rows->everybodys && ROW_HAS(b->rows->everybodys, SCOPE_PSS)) {
		buffer_add_text(to, ", PSS of all users ");
		column_add_amount(to, b->rows->everybodys->q[SCOPE_PSS], b->rows->look.bytes);
	}
	if (ROW_HAS(host, SCOPE_MEM_TOTAL)) {
		buffer_add_text(to, ", MemTotal ");
		column_add_amount(to, host->q[SCOPE_MEM_TOTAL], b->rows->look.bytes);
	}
	note_of_sums(b->rows->sums->present, b->rows->sums->q, &note);
	note_add_to_total(to, &note, b->rows->look.bytes);
}

static void owner_rows_add_total(struct owner_rows_build *b, const struct owner_rows_sums *sums)
{
	struct owner_row total = {.present = sums->present & ~sums->lacking, .q = sums->q};
	AUTO_BUFFER struct buffer beside = {0};

	for (size_t i = 0; !b->to->rows && i < b->columns; i++) /* the sum of no rows is 0 */
		if (owner_rows_summed(b, i))
			total.present |= UINT64_C(1) << b->metric[i]->index;
	add_total_text(b, &beside);
	list_total(b->to, &total, &beside);
}

/*
 * An owner without processes stays in the snapshot for an hour, so that its series goes on; tables
 * leave it out.
 */
static bool owner_rows_is_shown(const struct owner_row *row)
{
	return row->process || (ROW_HAS(row, SCOPE_PROCESSES) && row->q[SCOPE_PROCESSES]);
}

static bool owner_rows_has_notes(const struct owner_rows_build *b)
{
	for (size_t i = 0; i < b->rows->count; i++) {
		struct note note;
		struct owner_row row;

		owner_rows_get(b, b->rows->row[i], &row);
		owner_rows_note_of(&row, &note);
		if (!note_is_empty(&note, b->rows->look.bytes))
			return true;
	}
	return false;
}

static int build_csv(struct owner_rows_build *b)
{
	int r = 0;

	owner_rows_add_columns(b, false);
	list_begin(b->to);
	for (size_t i = 0; r == 0 && i < b->rows->count; i++) {
		struct owner_row row;

		owner_rows_get(b, b->rows->row[i], &row);
		r = list_add(b->to, &row);
	}
	return r;
}

static int build_table(struct owner_rows_build *b)
{
	struct owner_rows_sums sums = {0};
	int r = 0;

	owner_rows_add_columns(b, owner_rows_has_notes(b));
	list_begin(b->to);
	for (size_t i = 0; r == 0 && i < b->rows->count; i++) {
		struct owner_row row;

		owner_rows_get(b, b->rows->row[i], &row);
		if (!owner_rows_is_shown(&row))
			continue;
		add_to_sums(b, &row, &sums);
		b->has_none |= row.owner && !strcmp(row.name, OWNER_NONE);
		r = list_add(b->to, &row);
	}
	owner_rows_add_total(b, &sums);
	return r;
}

int owner_rows_print(const struct view *view, const struct owner_rows *rows, struct buffer *to)
{
	struct owner_rows_build b = {.view = view, .rows = rows};
	AUTO_LIST struct list list = list_make(&(const struct columns){0}, &rows->look, &b, to);
	int r;

	b.to = &list;
	r = list.form == LIST_CSV ? build_csv(&b) : build_table(&b);
	return r == 0 ? list_end(&list) : r;
}
