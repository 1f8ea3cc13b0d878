/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "ledger/count/folding.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"

size_t folding_rows_max(enum usage_kind kind)
{
	/*
	 * Users and groups, which are billed, have a row in each bucket. Programs and containers
	 * come and go.
	 */
	return kind == USAGE_USER || kind == USAGE_GROUP ? 10000 : 500;
}

/* Orders rows by usage, the largest first. */
static int by_use(const void *a, const void *b)
{
	const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;

	if (x->pss_byte_s != y->pss_byte_s)
		return x->pss_byte_s < y->pss_byte_s ? 1 : -1;
	return x->pss_max_bytes < y->pss_max_bytes   ? 1
	       : x->pss_max_bytes > y->pss_max_bytes ? -1
	                                             : 0;
}

static void folding_add(struct folding_sum *sum, const struct row *row)
{
	sum->rows++;
	sum->pss_byte_s += row->pss_byte_s;
	sum->swap_byte_s += row->swap_byte_s;
	sum->has_swap_s |= row->has_swap_s;
	sum->process_s += row->process_s;
}

/* Folds those of COUNT rows, the largest first, that are beyond ROWS rows and NAMES new names. */
static void fold_rest(
	struct folding_sum *other, struct row *const *row, size_t count, size_t rows, size_t names)
{
	for (size_t i = 0; i < count; i++) {
		bool is_new = row[i]->series <= 0;

		if (!rows || (is_new && !names) || rows_is_other(row[i])) {
			row[i]->is_folded = true;
			folding_add(other, row[i]);
			continue;
		}
		rows--;
		names -= is_new;
	}
}

int folding_fold(struct folding *f, struct rows *rows, const struct folding_room *room)
{
	AUTO_FREE struct row **row = calloc(rows->count + 1, sizeof(struct row *));

	if (!row)
		return -ENOMEM;
	for (unsigned int kind = USAGE_USER; kind < USAGE_KINDS_END; kind++) {
		size_t count = 0;

		for (size_t i = 0; i < rows->count; i++) {
			if (rows->row[i]->kind != (enum usage_kind)kind)
				continue;
			rows->row[i]->is_folded = false;
			if (rows_has_content(rows->row[i]))
				row[count++] = rows->row[i];
		}
		qsort((void *)row, count, sizeof(struct row *), by_use);
		f->other[kind] = f->ended[kind];
		fold_rest(&f->other[kind], row, count, room->rows[kind], room->names[kind]);
	}
	return 0;
}

static bool folding_is_there(const struct row *row)
{
	return !row->is_gone;
}

/* Removes all but the largest of the COUNT exited owners of KIND. */
static void fold_ended(struct folding *f, struct rows *rows, enum usage_kind kind, size_t count)
{
	AUTO_FREE struct row **row = calloc(count, sizeof(struct row *));
	size_t found = 0;

	if (!row)
		return;
	for (size_t i = 0; i < rows->count; i++)
		if (rows->row[i]->kind == kind && !rows->row[i]->now.is_known)
			row[found++] = rows->row[i];
	qsort((void *)row, found, sizeof(struct row *), by_use);
	for (size_t i = folding_rows_max(kind); i < found; i++) {
		if (rows_has_content(row[i]))
			folding_add(&f->ended[kind], row[i]);
		row[i]->is_gone = true;
	}
	rows_sweep(rows, folding_is_there);
}

void folding_forget_ended(struct folding *f, struct rows *rows)
{
	size_t ended[USAGE_KINDS_END] = {0};

	for (size_t i = 0; i < rows->count; i++)
		if (!rows->row[i]->now.is_known)
			ended[rows->row[i]->kind]++;
	for (unsigned int kind = USAGE_USER; kind < USAGE_KINDS_END; kind++)
		if (ended[kind] > 2 * folding_rows_max((enum usage_kind)kind))
			fold_ended(f, rows, (enum usage_kind)kind, ended[kind]);
}

void folding_clear(struct folding *f)
{
	for (unsigned int kind = USAGE_USER; kind < USAGE_KINDS_END; kind++)
		f->ended[kind] = (struct folding_sum){.rows = 0};
}
