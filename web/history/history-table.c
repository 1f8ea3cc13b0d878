/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/history/history-table.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "web/history/history-table-private.h"

void history_table_done(struct history_table *t)
{
	free(t->slot);
	free(t->row);
	free(t->cells);
	*t = (struct history_table){0};
}

static void filling_done(struct history_filling *f)
{
	for (size_t i = 0; i < HISTORY_PARTS; i++) {
		free(f->part[i].slot_of);
		free(f->part[i].candidate_of);
	}
	free(f->candidate);
	free(f->points);
	free(f->total);
	free(f->totals);
	free(f->unknown);
}
#define AUTO_FILLING CLEANUP(filling_done)

/* Returns whether ROW of PART is to be in the table if it is large enough. */
static bool history_table_wants(const struct history_filling *f, const struct history_part *part,
	const struct ring_row *row)
{
	const struct history_query *q = f->query;

	/* The ledger has answered for this caller, so all of its rows are visible. */
	if (!part->is_ledger && !history_sight_has(f->sight, row))
		return false;
	if (part->is_ledger && !q->names && !strcmp(row->name, USAGE_OTHER))
		return false;
	for (size_t i = 0; i < q->names; i++)
		if (!strcmp(row->name, history_query_name(q, i)))
			return true;
	return !q->names;
}

/* Finds or makes the candidate of ROW of PART, with its index + 1 in *RET; 0 if it is not wanted. */
static int find_candidate(struct history_filling *f, const struct history_part *part,
	const struct ring_row *row, size_t *ret)
{
	if (!row->points || row->scope != f->query->scope || !history_table_wants(f, part, row))
		return 0;
	for (const struct history_part *other = f->part; other < part; other++) {
		int64_t known = ring_find(other->ring, row->scope, row->name, row->user);

		if (known >= 0 && other->candidate_of[known]) {
			*ret = other->candidate_of[known];
			return 0;
		}
	}
	if (ARRAY_RESERVE(f->candidate, f->room, f->candidates + 1) < 0)
		return -ENOMEM;
	f->candidate[f->candidates++] = (struct history_candidate){
		.row = row, .weight = NAN, .place = -1};
	*ret = f->candidates;
	return 0;
}

static int find_candidates(struct history_filling *f)
{
	if (f->query->scope == METRIC_HOST)
		return 0;
	for (size_t k = 0; k < HISTORY_PARTS; k++) {
		struct history_part *part = &f->part[k];

		for (size_t i = 0; i < part->ring->rows; i++) {
			int r = find_candidate(
				f, part, &part->ring->row[i], &part->candidate_of[i]);

			if (r < 0)
				return r;
		}
	}
	return 0;
}

/* Returns the scope that the points of PART have rows of. */
static enum metric_scope filling_scope(
	const struct history_filling *f, const struct history_part *part)
{
	return part->is_ledger && f->query->scope == METRIC_HOST ? METRIC_USER : f->query->scope;
}

/* Returns the candidate of SAMPLE of PART; NULL: it is not wanted. */
static struct history_candidate *candidate_of(const struct history_filling *f,
	const struct history_part *part, const struct ring_sample *sample)
{
	size_t i = part->candidate_of[sample->row];

	return i ? &f->candidate[i - 1] : NULL;
}

/* Weighs the candidates of the point that C has read. */
static void weigh_point(struct history_filling *f, const struct history_part *part,
	const struct ring_cursor *c, size_t slot)
{
	double seconds = (double)part->ring->point[c->next - 1]->length_ns / (double)NS_PER_SEC;
	size_t count;
	const struct ring_sample *sample = ring_cursor_samples(c, filling_scope(f, part), &count);

	(void)slot;
	for (size_t i = 0; i < count; i++) {
		struct history_candidate *found = candidate_of(f, part, &sample[i]);
		double value = sample[i].q[f->query->metric->value];

		if (found && !isnan(value))
			found->weight = (isnan(found->weight) ? 0 : found->weight) +
			                value * seconds;
	}
}

typedef void history_visit(struct history_filling *f, const struct history_part *part,
	const struct ring_cursor *c, size_t slot);

/* Calls VISIT for each point of PART that has a slot. Returns 0 or -ENOMEM. */
static int visit_part(
	struct history_filling *f, const struct history_part *part, history_visit *visit)
{
	AUTO_RING_CURSOR struct ring_cursor c = {0};
	int r = ring_cursor_open(&c, part->ring);

	if (r < 0)
		return r;
	for (size_t i = 0; ring_cursor_next(&c); i++)
		if (part->slot_of[i] != HISTORY_NO_SLOT)
			visit(f, part, &c, (size_t)part->slot_of[i]);
	return 0;
}

static int visit_points(struct history_filling *f, history_visit *visit)
{
	int r = 0;

	for (size_t k = 0; r == 0 && k < HISTORY_PARTS; k++)
		r = visit_part(f, &f->part[k], visit);
	return r;
}

/* The largest first; without a value last; then by name. */
static int compare_candidates(const void *a_, const void *b_, void *candidates)
{
	const struct history_candidate *a = (struct history_candidate *)candidates +
	                                    *(const size_t *)a_;
	const struct history_candidate *b = (struct history_candidate *)candidates +
	                                    *(const size_t *)b_;
	double x = isnan(a->weight) ? -1 : a->weight, y = isnan(b->weight) ? -1 : b->weight;
	int r = strcmp(a->row->name, b->row->name);

	if (x != y)
		return x > y ? -1 : 1;
	return r ? r : strcmp(a->row->user, b->row->user);
}

static struct history_row *history_table_add_row(
	struct history_table *t, enum history_row_kind kind)
{
	struct history_row *row = &t->row[t->rows++];

	*row = (struct history_row){.kind = kind, .name = "", .user = ""};
	return row;
}

/* Returns whether the rows are to add up to the host. */
static bool has_other(const struct history_filling *f)
{
	return f->query->scope != METRIC_HOST && !f->query->names && f->sight->recent == SIGHT_ALL;
}

/* Makes the rows of the table. */
static int history_table_choose_rows(struct history_filling *f)
{
	AUTO_FREE size_t *order = calloc(f->candidates + 1, sizeof(*order));
	struct history_table *t = f->table;
	/* A name may match a row for each user. */
	size_t limit = f->query->names ? HISTORY_QUERY_ROWS_MAX : f->query->limit;

	/* One more for the host, and one for the others. */
	t->row = calloc(limit + 2, sizeof(*t->row));
	if (!order || !t->row)
		return -ENOMEM;
	for (size_t i = 0; i < f->candidates; i++)
		order[i] = i;
	qsort_r(order, f->candidates, sizeof(*order), compare_candidates, f->candidate);
	if (f->query->scope == METRIC_HOST)
		history_table_add_row(t, HISTORY_ROW_HOST);
	for (size_t i = 0; i < f->candidates && i < limit; i++) {
		struct history_candidate *c = &f->candidate[order[i]];
		struct history_row *row;

		if (isnan(c->weight))
			break;
		row = history_table_add_row(t, HISTORY_ROW_OWNER);
		row->name = c->row->name;
		row->user = c->row->user;
		row->id = c->row->id;
		c->place = (int64_t)(t->rows - 1);
	}
	if (has_other(f))
		history_table_add_row(t, HISTORY_ROW_OTHER);
	return 0;
}

static int make_cells(struct history_filling *f)
{
	struct history_table *t = f->table;
	size_t slots = t->slots;

	t->cells = calloc(3 * t->rows * slots + 1, sizeof(*t->cells));
	f->unknown = calloc(t->rows * slots + 1, sizeof(*f->unknown));
	f->points = calloc(slots + 1, sizeof(*f->points));
	f->total = calloc(slots + 1, sizeof(*f->total));
	f->totals = calloc(slots + 1, sizeof(*f->totals));
	if (!t->cells || !f->unknown || !f->points || !f->total || !f->totals)
		return -ENOMEM;
	for (size_t i = 0; i < t->rows; i++) {
		struct history_row *row = &t->row[i];

		row->value = t->cells + 3 * i * slots;
		row->low = row->value + slots;
		row->high = row->low + slots;
		for (size_t k = 0; k < slots; k++)
			row->value[k] = NAN;
	}
	return 0;
}

/* Adds SAMPLE to cell SLOT of row PLACE. */
static void history_table_add_sample(
	struct history_filling *f, size_t place, size_t slot, const struct ring_sample *sample)
{
	const struct history_metric *metric = f->query->metric;
	struct history_row *row = &f->table->row[place];
	double value = sample->q[metric->value];

	assert(row->value);
	if (isnan(value)) {
		f->unknown[place * f->table->slots + slot]++;
		return;
	}
	row->value[slot] = (isnan(row->value[slot]) ? 0 : row->value[slot]) + value;
	row->low[slot] += metric->has_bounds ? (double)sample->q[RING_PSS_LOW] : (double)NAN;
	row->high[slot] += metric->has_bounds ? (double)sample->q[RING_PSS_HIGH] : (double)NAN;
}

/*
 * Adds the host's value in the point that C has read to SLOT. The ledger's is the sum of all owners
 * of a kind.
 */
static void history_table_add_total(struct history_filling *f, const struct history_part *part,
	const struct ring_cursor *c, size_t slot)
{
	size_t count;
	const struct ring_sample *sample = ring_cursor_samples(
		c, part->is_ledger ? filling_scope(f, part) : METRIC_HOST, &count);
	double total = NAN;

	for (size_t i = 0; i < count; i++) {
		double value = sample[i].q[f->query->metric->value];

		if (!isnan(value))
			total = (isnan(total) ? 0 : total) + value;
	}
	if (isnan(total))
		return;
	f->total[slot] += total;
	f->totals[slot]++;
}

static void fill_point(struct history_filling *f, const struct history_part *part,
	const struct ring_cursor *c, size_t slot)
{
	enum metric_scope scope = filling_scope(f, part);
	size_t count;
	const struct ring_sample *sample = ring_cursor_samples(c, scope, &count);

	f->points[slot]++;
	history_table_add_total(f, part, c, slot);
	for (size_t i = 0; i < count; i++) {
		const struct history_candidate *found = candidate_of(f, part, &sample[i]);

		if (found && found->place >= 0)
			history_table_add_sample(f, (size_t)found->place, slot, &sample[i]);
		else if (scope == METRIC_HOST)
			history_table_add_sample(f, 0, slot, &sample[i]);
	}
}

/* Makes means of the sums in row PLACE. */
static void finish_row(struct history_filling *f, size_t place)
{
	struct history_row *row = &f->table->row[place];

	for (size_t slot = 0; slot < f->table->slots; slot++) {
		double count = f->points[slot] - f->unknown[place * f->table->slots + slot];
		bool is_sampled = !isnan(row->value[slot]);

		if (row->kind == HISTORY_ROW_HOST && f->totals[slot] > 0)
			row->value[slot] = f->total[slot] / f->totals[slot];
		else
			row->value[slot] /= count;
		row->low[slot] = is_sampled ? row->low[slot] / count : NAN;
		row->high[slot] = is_sampled ? row->high[slot] / count : NAN;
		row->has_bounds |= !isnan(row->low[slot]) && !isnan(row->high[slot]);
	}
}

/* Makes row OTHER the host less all other rows. */
static void finish_other(struct history_filling *f, struct history_row *other)
{
	const struct history_table *t = f->table;

	for (size_t slot = 0; slot < t->slots; slot++) {
		double left = f->totals[slot] > 0 ? f->total[slot] / f->totals[slot] : NAN;

		for (size_t i = 0; i < t->rows; i++)
			if (&t->row[i] != other && !isnan(t->row[i].value[slot]))
				left -= t->row[i].value[slot];
		/* Rounding may take it below 0. */
		other->value[slot] = left < 0 ? 0 : left;
		other->low[slot] = other->high[slot] = NAN;
	}
}

static void finish_rows(struct history_filling *f)
{
	for (size_t i = 0; i < f->table->rows; i++)
		if (f->table->row[i].kind == HISTORY_ROW_OTHER)
			finish_other(f, &f->table->row[i]);
		else
			finish_row(f, i);
}

int history_table_fill(struct history_table *t, const struct history_query *q,
	const struct history_plan *p, const struct history_sight *s, const struct ring *web,
	const struct ring *recorder, const struct ring *ledger)
{
	AUTO_FILLING struct history_filling f = {.table = t,
		.query = q,
		.plan = p,
		.sight = s,
		.part = {[HISTORY_PART_WEB] = {.ring = web},
			[HISTORY_PART_RECORDER] = {.ring = recorder},
			[HISTORY_PART_LEDGER] = {.ring = ledger, .is_ledger = true}}};
	int r = history_table_make_slots(&f);

	if (r == 0)
		r = find_candidates(&f);
	if (r < 0)
		return r;
	r = visit_points(&f, weigh_point);
	if (r == 0)
		r = history_table_choose_rows(&f);
	if (r == 0)
		r = make_cells(&f);
	if (r == 0)
		r = visit_points(&f, fill_point);
	if (r == 0)
		finish_rows(&f);
	return r;
}
