/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A write goes to slots of all levels at once, so that hours and days need not be made later, are never behind, and
 * no crash leaves one without the others. It takes a row of each for each owner, and what those have already is added
 * to.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "ledger/database.h"
#include "ledger/retention.h"

enum { KIB = 1024, MS_PER_S = 1000 };

/* What is written of a double: as an integer, rounded; no sum here is negative or near the largest. */
static int64_t whole(double value)
{
	return value > 0 && value < 4e18 ? llround(value) : 0;
}

static int64_t number_of(const struct row *row)
{
	return row->id == OWNER_NO_ID ? -1 : (int64_t)row->id;
}

static int bind_series(sqlite3_stmt *statement, enum usage_kind kind, int64_t number,
	const char *name, const char *user)
{
	sqlite3_bind_int(statement, 1, (int)kind);
	sqlite3_bind_int64(statement, 2, number);
	sqlite3_bind_text(statement, 3, name, -1, SQLITE_STATIC);
	return database_outcome(sqlite3_bind_text(statement, 4, user, -1, SQLITE_STATIC));
}

/* Steps STATEMENT, bound, to a series' id; 0 where there is none. */
static int select_series(sqlite3_stmt *statement, int64_t *ret)
{
	int step = sqlite3_step(statement);

	*ret = step == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
	sqlite3_reset(statement);
	return database_outcome(step);
}

/*
 * The series of a NUMBER that has another name than before. Its name may be nothing but the number, which is what it
 * is called until the name service has answered: then it is the one that it was last; and one that was a number gets
 * its name.
 */
static int find_renamed(
	struct store *s, enum usage_kind kind, int64_t number, const char *name, int64_t *ret)
{
	char digits[24], last[24] = "";
	int64_t id;
	int r, step;

	*ret = 0;
	snprintf(digits, sizeof(digits), "%lld", (long long)number);
	sqlite3_bind_int(s->last_series, 1, (int)kind);
	sqlite3_bind_int64(s->last_series, 2, number);
	step = sqlite3_step(s->last_series);
	id = step == SQLITE_ROW ? sqlite3_column_int64(s->last_series, 0) : 0;
	if (id && sqlite3_column_text(s->last_series, 1))
		snprintf(last, sizeof(last), "%s",
			(const char *)sqlite3_column_text(s->last_series, 1));
	sqlite3_reset(s->last_series);
	r = database_outcome(step);
	if (r != 0 || !id)
		return r;
	if (!strcmp(name, digits)) {
		*ret = id;
		return 0;
	}
	if (strcmp(last, digits) != 0)
		return 0;
	sqlite3_bind_int64(s->rename_series, 1, id);
	sqlite3_bind_text(s->rename_series, 2, name, -1, SQLITE_STATIC);
	*ret = id;
	return database_finish(s->rename_series);
}

static int get_series(struct store *s, enum usage_kind kind, int64_t number, const char *name,
	const char *user, int64_t *ret)
{
	int r = bind_series(s->find_series, kind, number, name, user);

	if (r == 0)
		r = select_series(s->find_series, ret);
	if (r == 0 && !*ret && number >= 0 && rows_has_number(kind))
		r = find_renamed(s, kind, number, name, ret);
	if (r != 0 || *ret)
		return r;
	r = bind_series(s->make_series, kind, number, name, user);
	if (r == 0)
		r = database_finish(s->make_series);
	*ret = sqlite3_last_insert_rowid(s->db);
	return r;
}

/* One row's part of a span of time. */
struct entry {
	int64_t series;
	double pss_byte_s, swap_byte_s, process_s;
	bool has_pss_max, has_swap_s;
	uint64_t pss_max_bytes, processes_max;
};

static int add_entry(
	struct store *s, enum slot_level level, int64_t slot, double share, const struct entry *e)
{
	sqlite3_stmt *add = s->add[level];

	sqlite3_bind_int64(add, 1, slot);
	sqlite3_bind_int64(add, 2, e->series);
	sqlite3_bind_int64(add, 3, whole(e->pss_byte_s * share / KIB));
	if (e->has_pss_max)
		sqlite3_bind_int64(add, 4, (int64_t)(e->pss_max_bytes / KIB));
	else
		sqlite3_bind_null(add, 4);
	if (e->has_swap_s)
		sqlite3_bind_int64(add, 5, whole(e->swap_byte_s * share / KIB));
	else
		sqlite3_bind_null(add, 5);
	sqlite3_bind_int64(add, 6, whole(e->process_s * share * MS_PER_S));
	sqlite3_bind_int64(add, 7, (int64_t)e->processes_max);
	return database_finish(add);
}

static int add_rows(
	struct store *s, const struct bucket *b, enum slot_level level, int64_t slot, double share)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < b->rows.count; i++) {
		const struct row *row = b->rows.row[i];
		const struct entry entry = {
			.series = row->series,
			.pss_byte_s = row->pss_byte_s,
			.swap_byte_s = row->swap_byte_s,
			.process_s = row->process_s,
			.has_pss_max = row->has_pss_max,
			.has_swap_s = row->has_swap_s,
			.pss_max_bytes = row->pss_max_bytes,
			.processes_max = row->processes_max,
		};

		if (!row->is_folded && bucket_row_has_content(row))
			r = add_entry(s, level, slot, share, &entry);
	}
	for (unsigned int kind = USAGE_USER; r == 0 && kind < USAGE_KINDS_END; kind++) {
		const struct bucket_other *other = &b->other[kind];
		struct entry entry = {
			.pss_byte_s = other->pss_byte_s,
			.swap_byte_s = other->swap_byte_s,
			.process_s = other->process_s,
			.has_swap_s = other->has_swap_s,
		};

		if (!other->rows)
			continue;
		r = get_series(s, (enum usage_kind)kind, -1, USAGE_OTHER, "", &entry.series);
		if (r == 0)
			r = add_entry(s, level, slot, share, &entry);
	}
	return r;
}

static int add_span(
	struct store *s, const struct bucket *b, enum slot_level level, int64_t slot, double share)
{
	sqlite3_bind_int(s->add_span, 1, (int)level);
	sqlite3_bind_int64(s->add_span, 2, slot);
	sqlite3_bind_int64(
		s->add_span, 3, whole((double)b->covered_ns * share / (double)NS_PER_MSEC));
	sqlite3_bind_int64(
		s->add_span, 4, whole((double)b->sampled_ns * share / (double)NS_PER_MSEC));
	return database_finish(s->add_span);
}

static int add_slot(struct store *s, const struct bucket *b, enum slot_level level, int64_t slot)
{
	double share = slots_share(level, slot, b->from_ns, b->to_ns);
	int r = add_rows(s, b, level, slot, share);

	return r == 0 ? add_span(s, b, level, slot, share) : r;
}

/* BASE: how finely it is to be written. Finer slots are only those at its ends, which a report may cut off. */
static int add_level(
	struct store *s, const struct bucket *b, enum slot_level level, enum slot_level base)
{
	int64_t from_s = (int64_t)(b->from_ns / NS_PER_SEC);
	int64_t last_s = (int64_t)((b->to_ns - 1) / NS_PER_SEC);
	int64_t slot = slots_of(level, from_s), last = slots_of(level, last_s);
	int r = 0;

	for (; r == 0 && slot <= last; slot++) {
		if (level < base) {
			int64_t whole_ones = slots_whole_until(
				level + 1, slot * slots_seconds(level), b->from_ns, b->to_ns);

			slot = whole_ones / slots_seconds(level);
			if (slot > last)
				break;
		}
		r = add_slot(s, b, level, slot);
	}
	return r;
}

/*
 * Whoever lives has a series: of his counter it has to be known how far it has been counted. Of who ended and is in
 * "(other)" nothing is written by name.
 */
static int find_series(struct store *s, struct bucket *b)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < b->rows.count; i++) {
		struct row *row = b->rows.row[i];

		if (row->is_folded && !row->is_known && !row->will_be_known)
			continue;
		if (!row->series)
			r = get_series(
				s, row->kind, number_of(row), row->name, row->user, &row->series);
	}
	return r;
}

static void bind_optional(sqlite3_stmt *statement, int i, bool has, uint64_t value)
{
	if (has)
		sqlite3_bind_int64(statement, i, (int64_t)value);
	else
		sqlite3_bind_null(statement, i);
}

static int write_counters(struct store *s, const struct bucket *b)
{
	int r = database_run(s, "DELETE FROM counter");

	for (size_t i = 0; r == 0 && i < b->rows.count; i++) {
		const struct row *row = b->rows.row[i];

		if (!row->is_known && !row->will_be_known)
			continue;
		sqlite3_bind_int64(s->add_counter, 1, row->series);
		sqlite3_bind_int64(s->add_counter, 2, row->number);
		sqlite3_bind_int64(s->add_counter, 3, (int64_t)row->created_ns);
		sqlite3_bind_double(s->add_counter, 4, row->counted);
		bind_optional(s->add_counter, 5, row->has_pss, row->pss_bytes);
		bind_optional(s->add_counter, 6, row->has_swap, row->swap_bytes);
		sqlite3_bind_int64(s->add_counter, 7, (int64_t)row->processes);
		r = database_finish(s->add_counter);
	}
	return r;
}

static int write_mark(struct store *s, int age, const struct bucket_mark *m)
{
	sqlite3_bind_int(s->add_mark, 1, age);
	sqlite3_bind_blob(s->add_mark, 2, m->instance, IMAGE_INSTANCE_SIZE, SQLITE_STATIC);
	sqlite3_bind_int64(s->add_mark, 3, (int64_t)m->sequence);
	sqlite3_bind_int64(s->add_mark, 4, (int64_t)m->monotonic_ns);
	sqlite3_bind_int64(s->add_mark, 5, (int64_t)m->boottime_ns);
	sqlite3_bind_int64(s->add_mark, 6, (int64_t)m->realtime_ns);
	return database_finish(s->add_mark);
}

static int write_marks(struct store *s, const struct bucket *b)
{
	int r = database_run(s, "DELETE FROM memtallyd");

	if (r == 0)
		r = write_mark(s, 0, &b->mark);
	for (size_t i = 0; r == 0 && i < b->formers; i++) {
		struct bucket_mark former = {.is_set = true};

		memcpy(former.instance, b->former[i], IMAGE_INSTANCE_SIZE);
		r = write_mark(s, (int)i + 1, &former);
	}
	return r;
}

static int write_all(struct store *s, struct bucket *b)
{
	enum slot_level base = slots_level(b->from_ns, b->to_ns);
	int64_t day = slots_of(SLOT_DAY, (int64_t)(b->to_ns / NS_PER_SEC));
	int r = find_series(s, b);

	for (unsigned int level = 0; r == 0 && level < SLOT_LEVELS; level++)
		r = add_level(s, b, (enum slot_level)level, base);
	if (r == 0)
		r = write_counters(s, b);
	if (r == 0)
		r = write_marks(s, b);
	return r == 0 ? retention_apply(s, day) : r;
}

int store_write(struct store *s, struct bucket *b)
{
	int r = database_run(s, "BEGIN IMMEDIATE");

	if (r != 0)
		return r;
	r = write_all(s, b);
	if (r == 0)
		r = database_run(s, "COMMIT");
	if (r == 0)
		return 0;
	/* Some failures have ended the transaction already; and what was made in it is no more. */
	if (!sqlite3_get_autocommit(s->db))
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	for (size_t i = 0; i < b->rows.count; i++)
		b->rows.row[i]->series = 0;
	s->tidied_slot = -1;
	return r;
}
