/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "ledger/store/store-private.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"

static int64_t series_number_of(const struct row *row)
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

/*
 * Runs STATEMENT, with its parameters bound. Sets *RET to the id of the series; 0 if there is none.
 */
static int select_series(sqlite3_stmt *statement, int64_t *ret)
{
	int step = sqlite3_step(statement);

	*ret = step == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
	sqlite3_reset(statement);
	return database_outcome(step);
}

/*
 * Sets *RET to the series of NUMBER if its name only looks different; 0 if it is another one. If
 * NAME is only the number (the name service has not answered), that is the series that the number
 * had last. If that series' name is only the number, it is renamed to NAME.
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

int series_find(struct store *s, struct row *row)
{
	int64_t number = series_number_of(row), id = 0;
	int r = bind_series(s->find_series, row->kind, number, row->name, row->user);

	if (r == 0)
		r = select_series(s->find_series, &id);
	if (r == 0 && !id && number >= 0 && rows_has_number(row->kind))
		r = find_renamed(s, row->kind, number, row->name, &id);
	if (r == 0)
		row->series = id > 0 ? id : ROWS_SERIES_NONE;
	return r;
}

static int series_make_id(struct store *s, enum usage_kind kind, int64_t number, const char *name,
	const char *user, int64_t *ret)
{
	int r = bind_series(s->make_series, kind, number, name, user);

	if (r == 0)
		r = database_finish(s->make_series);
	if (r == 0)
		*ret = sqlite3_last_insert_rowid(s->db);
	return r;
}

int series_make(struct store *s, struct row *row)
{
	return series_make_id(
		s, row->kind, series_number_of(row), row->name, row->user, &row->series);
}

int series_get_other(struct store *s, enum usage_kind kind, int64_t *ret)
{
	int64_t id = 0;
	int r = bind_series(s->find_series, kind, -1, USAGE_OTHER, "");

	if (r == 0)
		r = select_series(s->find_series, &id);
	if (r == 0 && !id)
		r = series_make_id(s, kind, -1, USAGE_OTHER, "", &id);
	if (r == 0)
		*ret = id;
	return r;
}

/*
 * Days with names folded into "(other)" do not tell which owners they had. So an owner with a
 * counter that began before DAY is not new, either: otherwise all present owners would be new after
 * a restart, and no room would be left for really new ones.
 */
int series_count_new(struct store *s, int64_t day, struct names *ret)
{
	uint64_t begin_ns = (uint64_t)(day * slots_seconds(SLOT_DAY)) * NS_PER_SEC;
	AUTO_STATEMENT sqlite3_stmt *statement = NULL;
	struct names found = {.day = day};
	int step = SQLITE_DONE;
	int r = database_prepare(s,
		"SELECT kind, count(*) FROM series WHERE id NOT IN (SELECT series FROM day WHERE slot < ?1)"
		" AND id NOT IN (SELECT series FROM counter WHERE created < ?2)"
		" AND NOT (number = -1 AND user = '' AND name = '" USAGE_OTHER "') GROUP BY kind",
		&statement);

	if (r == 0)
		r = database_outcome(sqlite3_bind_int64(statement, 1, day));
	if (r == 0)
		r = database_outcome(sqlite3_bind_int64(statement, 2, (int64_t)begin_ns));
	while (r == 0 && (step = sqlite3_step(statement)) == SQLITE_ROW) {
		int64_t kind = sqlite3_column_int64(statement, 0);

		if (kind >= USAGE_USER && kind < USAGE_KINDS_END)
			found.taken[kind] = (size_t)sqlite3_column_int64(statement, 1);
	}
	if (r == 0)
		r = database_outcome(step);
	if (r == 0)
		*ret = found;
	return r;
}
