/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "ledger/count/intake.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/saturate.h"
#include "ledger/count/renamed-owners.h"
#include "snapshot/owner.h"

static const struct snapshot_scope *intake_row_at(
	const struct view *view, enum usage_kind kind, uint32_t i)
{
	return view_scope(view, metric_owner_scope(usage_owner(kind)), i);
}

static uint32_t rows_of(const struct view *view, enum usage_kind kind)
{
	return view_count(view, metric_owner_scope(usage_owner(kind)));
}

/* Returns whether S is "(other)": a sum of rows that the image has, too. */
static bool is_sum(const struct snapshot_scope *s)
{
	return s->flags & SCOPE_OTHER;
}

static const char *intake_user_of(
	const struct view *view, enum usage_kind kind, const struct snapshot_scope *s)
{
	return owner_of(usage_owner(kind))->has_user ? view_text(view, s->user) : "";
}

/* Returns the uid of ROW's user, or the gid of a group; OWNER_NO_ID if it is not known. */
static uint32_t intake_id_of(const struct rows *rows, const struct row *row)
{
	if (rows_has_number(row->kind))
		return row->number;
	for (size_t i = 0; *row->user && i < rows->count; i++)
		if (rows->row[i]->kind == USAGE_USER && !strcmp(rows->row[i]->name, row->user))
			return rows->row[i]->id;
	return OWNER_NO_ID;
}

/* Finds or makes the rows of all owners in the snapshot. Returns 0 or -ENOMEM. */
static int make_rows(const struct intake *in, struct rows *rows)
{
	const struct view *view = in->view;

	for (unsigned int k = USAGE_USER; k < USAGE_KINDS_END; k++)
		for (uint32_t i = 0; i < rows_of(view, (enum usage_kind)k); i++) {
			enum usage_kind kind = (enum usage_kind)k;
			const struct snapshot_scope *s = intake_row_at(view, kind, i);
			const char *name = view_text(view, s->name);
			struct row *row;

			if (is_sum(s))
				continue;
			row = rows_get(rows, kind, s->id, name, intake_user_of(view, kind, s));
			if (!row || rows_rename(row, name) < 0)
				return -ENOMEM;
			if (row->id == OWNER_NO_ID && in->own_userns)
				row->id = intake_id_of(rows, row);
			row->seen = in->number;
		}
	return 0;
}

/* Sets *RET to quantity I of S, 0 if it is absent. Returns whether it is present. */
static bool intake_get(const struct snapshot_scope *s, enum scope_quantity i, uint64_t *ret)
{
	*ret = ROW_HAS(s, i) ? s->q[i] : 0;
	return ROW_HAS(s, i);
}

/* Returns whether ROW has counted the same counter as that of S. */
static bool has_counter_of(const struct row *row, const struct snapshot_scope *s)
{
	return row->now.is_known && row->created_ns == s->created_ns;
}

static double counter_of(const struct snapshot_scope *s)
{
	return ROW_HAS(s, SCOPE_PSS_BYTE_SECONDS) ? metric_real(s->q[SCOPE_PSS_BYTE_SECONDS]) : 0;
}

/* Sets ROW's gain by the counter of S, and the count that the gain will be added to. */
static void intake_gain(
	enum intake_relation relation, struct row *row, const struct snapshot_scope *s)
{
	double value = counter_of(s);
	bool goes_on = relation == INTAKE_SEQUEL && has_counter_of(row, s);

	if (relation == INTAKE_FIRST) {
		row->counted = value;
	} else if (!goes_on) {
		row->counted = 0;
		row->gain = value;
	} else if (value > row->counted) {
		row->gain = value - row->counted;
	}
	/* Set before all of the gain is added: a write in between needs this, too. */
	row->created_ns = s->created_ns;
	row->counts = ROW_HAS(s, SCOPE_PSS_BYTE_SECONDS);
}

/*
 * Integrates swap and processes by the trapezoid rule, as memtallyd does. A new owner rises from 0.
 */
static void intake_sample(const struct intake *in, struct row *row, bool is_there_before)
{
	double seconds = (double)in->brings_ns / (double)NS_PER_SEC / 2;
	double swap = is_there_before ? (double)row->now.swap_bytes : 0;
	double processes = is_there_before ? (double)row->now.processes : 0;

	row->samples_swap = (!is_there_before || row->now.has_swap) &&
	                    (row->next.has_swap || !row->next.is_known);
	if (row->samples_swap)
		row->swap_gain = (swap + (double)row->next.swap_bytes) * seconds;
	row->process_gain = (processes + (double)row->next.processes) * seconds;
}

static void take_row(const struct intake *in, struct row *row, const struct snapshot_scope *s)
{
	row->next.is_known = true;
	row->next.has_pss = intake_get(s, SCOPE_PSS, &row->next.pss_bytes);
	row->next.has_swap = intake_get(s, SCOPE_SWAP_PSS, &row->next.swap_bytes);
	intake_get(s, SCOPE_PROCESSES, &row->next.processes);
	intake_gain(in->relation, row, s);
	if (in->is_sampled)
		intake_sample(in, row, row->now.is_known);
}

/*
 * Takes the end of an owner that is not in the snapshot. memtallyd has removed its row, so the last
 * step of its counter, down to 0, is not visible. If several passes lie between the snapshots, the
 * best estimate is half of that time; over a long time only that one step is added.
 */
static void take_ended(const struct intake *in, struct row *row)
{
	uint64_t ns = in->is_sampled ? in->brings_ns
	                             : saturate_min(in->brings_ns, in->view->header->interval_ns);

	if (in->relation != INTAKE_SEQUEL)
		row->now.is_known = false; /* its counter ended with its memtallyd */
	if (!row->now.is_known)
		return;
	row->gain = (double)row->now.pss_bytes * ((double)ns / (double)NS_PER_SEC) / 2;
	if (in->is_sampled)
		intake_sample(in, row, true);
}

static void intake_prepare(struct row *row)
{
	row->counts = row->samples_swap = false;
	row->gain = row->swap_gain = row->process_gain = 0;
	row->next = (struct row_state){.is_known = false};
}

static double intake_part_of(double part, double whole)
{
	return part < whole ? part / whole : 1;
}

/* Returns the row of S; NULL if S is "(other)". */
static struct row *intake_find_row(const struct rows *rows, const struct view *view,
	enum usage_kind kind, const struct snapshot_scope *s)
{
	return is_sum(s) ? NULL
	                 : rows_find(rows, kind, s->id, view_text(view, s->name),
				   intake_user_of(view, kind, s));
}

/* Returns the row of S if it has no counter yet; else NULL. */
static struct row *find_unknown(const struct rows *rows, const struct view *view,
	enum usage_kind kind, const struct snapshot_scope *s)
{
	struct row *row = intake_find_row(rows, view, kind, s);

	return row && !row->now.is_known ? row : NULL;
}

/* Hands OLD's counter on to ROW. OLD's usage stays its own. */
static void go_on_from(struct row *row, struct row *old)
{
	row->now = old->now;
	row->created_ns = old->created_ns;
	row->counted = old->counted;
	if (row->id == OWNER_NO_ID)
		row->id = old->id;
	old->now.is_known = false;
}

/*
 * Finds owners with a user that has another name now: memtallyd identifies the user by its uid, and
 * shows its present name. The counter goes on.
 */
static void follow_users(
	const struct rows *rows, const struct renamed_owners *renamed, const struct view *view)
{
	for (unsigned int k = USAGE_USER; k < USAGE_KINDS_END; k++) {
		enum usage_kind kind = (enum usage_kind)k;

		if (!renamed->count || !owner_of(usage_owner(kind))->has_user)
			continue;
		for (uint32_t i = 0; i < rows_of(view, kind); i++) {
			const struct snapshot_scope *s = intake_row_at(view, kind, i);
			struct row *row = intake_find_row(rows, view, kind, s), *old;

			if (!row || has_counter_of(row, s))
				continue;
			old = renamed_owners_find(renamed, row, s->created_ns, counter_of(s));
			if (old)
				go_on_from(row, old);
		}
	}
}

/*
 * Divides the "(other)" counter of KIND among the owners that have no counter of their own in the
 * file: the same part of each counter is taken as counted. Together they gain what they have
 * gained, and not more if some have exited meanwhile.
 */
static void intake_recall(
	const struct row *other, struct rows *rows, const struct view *view, enum usage_kind kind)
{
	double counted = 0, swap_bytes = 0, processes = 0;

	for (uint32_t i = 0; i < rows_of(view, kind); i++) {
		const struct snapshot_scope *s = intake_row_at(view, kind, i);

		if (!find_unknown(rows, view, kind, s))
			continue;
		counted += counter_of(s);
		swap_bytes += ROW_HAS(s, SCOPE_SWAP_PSS) ? (double)s->q[SCOPE_SWAP_PSS] : 0;
		processes += ROW_HAS(s, SCOPE_PROCESSES) ? (double)s->q[SCOPE_PROCESSES] : 0;
	}
	for (uint32_t i = 0; i < rows_of(view, kind); i++) {
		const struct snapshot_scope *s = intake_row_at(view, kind, i);
		struct row *row = find_unknown(rows, view, kind, s);

		if (!row)
			continue;
		row->now.is_known = true;
		row->created_ns = s->created_ns;
		if (ROW_HAS(s, SCOPE_PSS_BYTE_SECONDS))
			row->counted = metric_real(s->q[SCOPE_PSS_BYTE_SECONDS]) *
			               intake_part_of(other->counted, counted);
		row->now.has_swap = other->now.has_swap &&
		                    intake_get(s, SCOPE_SWAP_PSS, &row->now.swap_bytes);
		row->now.swap_bytes = (uint64_t)((double)row->now.swap_bytes *
						 intake_part_of((double)other->now.swap_bytes,
							 swap_bytes));
		intake_get(s, SCOPE_PROCESSES, &row->now.processes);
		row->now.processes = (uint64_t)((double)row->now.processes *
							intake_part_of((double)other->now.processes,
								processes) +
						0.5);
	}
}

static void take_rows(const struct intake *in, struct rows *rows)
{
	const struct view *view = in->view;

	for (size_t i = 0; i < rows->count; i++)
		intake_prepare(rows->row[i]);
	for (unsigned int k = USAGE_USER; k < USAGE_KINDS_END; k++)
		for (uint32_t i = 0; i < rows_of(view, (enum usage_kind)k); i++) {
			enum usage_kind kind = (enum usage_kind)k;
			const struct snapshot_scope *s = intake_row_at(view, kind, i);
			struct row *row = intake_find_row(rows, view, kind, s);

			if (row)
				take_row(in, row, s);
		}
	for (size_t i = 0; i < rows->count; i++)
		if (rows->row[i]->seen != in->number)
			take_ended(in, rows->row[i]);
}

int intake_take(
	const struct intake *in, struct rows *rows, struct row other[static USAGE_KINDS_END])
{
	AUTO_RENAMED_OWNERS struct renamed_owners renamed = {0};
	int r = make_rows(in, rows);

	if (r == 0 && in->relation == INTAKE_SEQUEL)
		r = renamed_owners_collect(&renamed, rows, in->number);
	if (r < 0)
		return r;
	follow_users(rows, &renamed, in->view);
	for (unsigned int k = USAGE_USER; k < USAGE_KINDS_END; k++) {
		if (other[k].now.is_known && in->relation == INTAKE_SEQUEL)
			intake_recall(&other[k], rows, in->view, (enum usage_kind)k);
		other[k] = (struct row){.series = 0};
	}
	take_rows(in, rows);
	return 0;
}
