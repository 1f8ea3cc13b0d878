/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A write adds to slots of all levels at once: hours and days need not be made later, and a crash
 * cannot leave them behind. Each owner gets a row in each slot; usage is added to a row that
 * exists.
 */
#include "config.h"

#include "ledger/store/store-private.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"

enum { KIB = 1024, MS_PER_S = 1000 };

/* Rounds a sum to an integer for the file. No sum here is negative or near the largest. */
static int64_t flush_whole(double value)
{
	return value > 0 && value < 4e18 ? llround(value) : 0;
}

static void bind_optional(sqlite3_stmt *statement, int i, bool has, int64_t value)
{
	if (has)
		sqlite3_bind_int64(statement, i, value);
	else
		sqlite3_bind_null(statement, i);
}

/* Adds ROW's usage in the span to SLOT. */
static int flush_add_row(
	struct store *s, enum slot_level level, int64_t slot, double share, const struct row *row)
{
	sqlite3_stmt *add = s->add[level];

	sqlite3_bind_int64(add, 1, slot);
	sqlite3_bind_int64(add, 2, row->series);
	sqlite3_bind_int64(add, 3, flush_whole(row->pss_byte_s * share / KIB));
	bind_optional(add, 4, row->has_pss_max, (int64_t)(row->pss_max_bytes / KIB));
	bind_optional(add, 5, row->has_swap_s, flush_whole(row->swap_byte_s * share / KIB));
	sqlite3_bind_int64(add, 6, flush_whole(row->process_s * share * MS_PER_S));
	sqlite3_bind_int64(add, 7, (int64_t)row->processes_max);
	return database_finish(add);
}

static int flush_add_rows(
	struct store *s, const struct bucket *b, enum slot_level level, int64_t slot, double share)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < b->rows.count; i++) {
		const struct row *row = b->rows.row[i];

		if (!row->is_folded && rows_has_content(row))
			r = flush_add_row(s, level, slot, share, row);
	}
	for (unsigned int kind = USAGE_USER; r == 0 && kind < USAGE_KINDS_END; kind++) {
		const struct folding_sum *sum = &b->folding.other[kind];
		struct row other = {
			.pss_byte_s = sum->pss_byte_s,
			.swap_byte_s = sum->swap_byte_s,
			.process_s = sum->process_s,
			.has_swap_s = sum->has_swap_s,
		};

		if (!sum->rows)
			continue;
		r = series_get_other(s, (enum usage_kind)kind, &other.series);
		if (r == 0)
			r = flush_add_row(s, level, slot, share, &other);
	}
	return r;
}

static int add_span(
	struct store *s, const struct bucket *b, enum slot_level level, int64_t slot, double share)
{
	sqlite3_bind_int(s->add_span, 1, (int)level);
	sqlite3_bind_int64(s->add_span, 2, slot);
	sqlite3_bind_int64(
		s->add_span, 3, flush_whole((double)b->covered_ns * share / (double)NS_PER_MSEC));
	sqlite3_bind_int64(
		s->add_span, 4, flush_whole((double)b->sampled_ns * share / (double)NS_PER_MSEC));
	return database_finish(s->add_span);
}

static int add_slot(struct store *s, const struct bucket *b, enum slot_level level, int64_t slot)
{
	double share = slots_share(level, slot, b->from_ns, b->to_ns);
	int r = flush_add_rows(s, b, level, slot, share);

	if (slot < s->names_from[level])
		s->names_from[level] = slot;
	return r == 0 ? add_span(s, b, level, slot, share) : r;
}

/*
 * Adds B to the slots of LEVEL. BASE: the level of slots_level(). Slots finer than BASE are written
 * only at the ends of the span, where a report may cut.
 */
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

/* Looks up the series of all rows. A row with the real name "(other)" gets none. */
static int find_series(struct store *s, struct bucket *b)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < b->rows.count; i++) {
		struct row *row = b->rows.row[i];

		if (rows_is_other(row))
			row->series = ROWS_SERIES_NONE;
		else if (row->series == ROWS_SERIES_UNKNOWN)
			r = series_find(s, row);
	}
	return r;
}

/* Makes s->names those of the day of TO_S (seconds since the epoch). */
static int count_names(struct store *s, int64_t to_s)
{
	int64_t day = slots_of(SLOT_DAY, to_s);

	if (s->names.day < 0)
		return series_count_new(s, day, &s->names);
	if (s->names.day != day)
		s->names = (struct names){.day = day};
	return 0;
}

static int flush_fold(struct store *s, struct bucket *b, int64_t to_s, enum naming naming)
{
	struct folding_room room;

	for (unsigned int k = 0; k < USAGE_KINDS_END; k++) {
		enum usage_kind kind = (enum usage_kind)k;
		bool has_rows = naming == NAMING_ROWS || rows_has_number(kind);

		room.rows[k] = has_rows ? folding_rows_max(kind) : 0;
		room.names[k] = names_left(&s->names, kind, to_s);
	}
	return folding_fold(&b->folding, &b->rows, &room);
}

/* Returns whether ROW has a counter to write. */
static bool has_counter(const struct row *row)
{
	return row->now.is_known || row->next.is_known;
}

/*
 * Returns whether ROW needs a series: it has usage to write, or is a user or group with a counter.
 * The latter matters in a new file, where nothing is written yet: in one counter with all others
 * each would go on with the others' counts.
 */
static bool needs_series(const struct store *s, const struct row *row, int64_t to_s)
{
	if (row->is_folded)
		return false;
	if (rows_has_content(row))
		return true;
	return has_counter(row) && rows_has_number(row->kind) && !rows_is_other(row) &&
	       names_left(&s->names, row->kind, to_s) > 0;
}

static int make_series(struct store *s, struct bucket *b, int64_t to_s)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < b->rows.count; i++) {
		struct row *row = b->rows.row[i];

		if (row->series > 0 || !needs_series(s, row, to_s))
			continue;
		/*
		 * Another row of this write may have made it: two numbers without a meaning in our
		 * user namespace may have one name.
		 */
		r = series_find(s, row);
		if (r != 0 || row->series > 0)
			continue;
		r = series_make(s, row);
		s->names.taken[row->kind]++;
	}
	return r;
}

static int add_counter(struct store *s, const struct row *row)
{
	sqlite3_bind_int64(s->add_counter, 1, row->series);
	sqlite3_bind_int64(s->add_counter, 2, row->number);
	sqlite3_bind_int64(s->add_counter, 3, (int64_t)row->created_ns);
	sqlite3_bind_double(s->add_counter, 4, row->counted);
	bind_optional(s->add_counter, 5, row->now.has_pss, (int64_t)row->now.pss_bytes);
	bind_optional(s->add_counter, 6, row->now.has_swap, (int64_t)row->now.swap_bytes);
	sqlite3_bind_int64(s->add_counter, 7, (int64_t)row->now.processes);
	return database_finish(s->add_counter);
}

/* Adds ROW's counter to the "(other)" counter of its kind. */
static void add_to_other(struct row *other, const struct row *row)
{
	other->now.is_known = true;
	other->counted += row->counted;
	other->now.has_swap |= row->now.has_swap;
	other->now.swap_bytes += row->now.has_swap ? row->now.swap_bytes : 0;
	other->now.processes += row->now.processes;
}

static int write_counters(struct store *s, const struct bucket *b)
{
	struct row other[USAGE_KINDS_END];
	int r = database_run(s, "DELETE FROM counter");

	/* The sums that an earlier run has written, if no snapshot has used them up yet. */
	memcpy(other, b->other, sizeof(other));
	for (size_t i = 0; r == 0 && i < b->rows.count; i++) {
		const struct row *row = b->rows.row[i];

		if (!has_counter(row))
			continue;
		if (row->series > 0)
			r = add_counter(s, row);
		else
			add_to_other(&other[row->kind], row);
	}
	for (unsigned int kind = USAGE_USER; r == 0 && kind < USAGE_KINDS_END; kind++) {
		if (!other[kind].now.is_known)
			continue;
		r = series_get_other(s, (enum usage_kind)kind, &other[kind].series);
		if (r == 0)
			r = add_counter(s, &other[kind]);
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
	for (size_t i = 0; r == 0 && i < b->replaced_count; i++) {
		struct bucket_mark replaced = {.is_set = true};

		memcpy(replaced.instance, b->replaced[i], IMAGE_INSTANCE_SIZE);
		r = write_mark(s, (int)i + 1, &replaced);
	}
	return r;
}

/* Returns how many rows each slot gets. */
static uint64_t count_rows(const struct bucket *b)
{
	uint64_t count = 0;

	for (size_t i = 0; i < b->rows.count; i++)
		count += !b->rows.row[i]->is_folded && rows_has_content(b->rows.row[i]);
	return count + USAGE_KINDS_END;
}

static int write_slots(struct store *s, const struct bucket *b)
{
	enum slot_level base = slots_level(b->from_ns, b->to_ns, count_rows(b));
	int r = 0;

	for (unsigned int level = 0; r == 0 && b->to_ns && level < SLOT_LEVELS; level++)
		r = add_level(s, b, (enum slot_level)level, base);
	return r;
}

int flush_write(struct store *s, struct bucket *b, enum naming naming)
{
	int64_t to_s = b->to_ns ? (int64_t)((b->to_ns - 1) / NS_PER_SEC) : 0;
	int r = find_series(s, b);

	if (r == 0)
		r = count_names(s, to_s);
	if (r == 0)
		r = flush_fold(s, b, to_s, naming);
	if (r == 0)
		r = make_series(s, b, to_s);
	if (r == 0)
		r = write_slots(s, b);
	if (r == 0)
		r = write_counters(s, b);
	if (r == 0)
		r = write_marks(s, b);
	return r;
}
