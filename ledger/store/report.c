/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A report sums up the fewest slots that make up the time: days in the middle, hours at both ends,
 * five minutes at the ends of those. So a year takes about as long as a month, and what is kept
 * limits what a report reads.
 */
#include "config.h"

#include <errno.h>

#include "base/clock.h"
#include "ledger/store/store-private.h"
#include "snapshot/owner.h"

/* The longest time for a report. Meanwhile nothing else is done. */
#define REPORT_NS (5 * NS_PER_SEC)

enum {
	LOOK_EVERY = 100000, /* instructions of SQLite's virtual machine */
	/* Milliseconds by which the rounding of a day's writes may lower the sum of finer slots. */
	ROUNDINGS_MS = 1000,
};

struct report {
	struct store *store;
	const struct usage_request *request;
	const struct store_reader *reader;
	struct usage_head *head;
	struct buffer *to;
	uint64_t until_ns;     /* CLOCK_MONOTONIC at which it is stopped */
	struct usage_row rest; /* the sum of the rows beyond USAGE_ROWS_MAX - 1 */
	/* The client's series as a user, under the current name of its uid; -1: there is none. */
	int64_t own;
	size_t runs;
	struct slots_run run[SLOTS_RUNS_MAX];
};

/*
 * Sets *RET to the start of the first slot of LEVEL, in seconds since the epoch; INT64_MAX if there
 * is none.
 */
static int first_second(struct store *s, enum slot_level level, int64_t *ret)
{
	int r = database_number(
		s, -1, ret, "SELECT min(slot) FROM span WHERE level = %d", (int)level);

	*ret = r == 0 && *ret >= 0 && *ret < USAGE_TIME_MAX / slots_seconds(level)
	               ? *ret * slots_seconds(level)
	               : INT64_MAX;
	return r;
}

/*
 * Finds from when on the file has slots of each level. If a finer level begins with the next
 * coarser one, nothing was removed from it, and all earlier time is empty in both. Else it is kept
 * from the start of its first hour or day; find_boundary() checks whether it has all of that.
 */
static int find_kept(struct store *s, struct slots_kept *ret, int64_t *ret_first_s)
{
	int64_t first[SLOT_LEVELS];
	int r = 0;

	for (unsigned int level = 0; r == 0 && level < SLOT_LEVELS; level++)
		r = first_second(s, (enum slot_level)level, &first[level]);
	if (r != 0)
		return r;
	ret->from_s[SLOT_DAY] = 0;
	*ret_first_s = first[SLOT_DAY] == INT64_MAX ? -1 : first[SLOT_DAY];
	for (unsigned int level = SLOT_DAY; level-- > 0;) {
		bool is_all = first[level] == INT64_MAX ? first[level + 1] == INT64_MAX
		                                        : slots_begin((enum slot_level)(level + 1),
								  first[level]) <= first[level + 1];

		ret->from_s[level] = is_all ? ret->from_s[level + 1]
		                            : slots_begin(
						      (enum slot_level)(level + 1), first[level]);
		if (is_all && !ret->from_s[level] && first[level] != INT64_MAX)
			*ret_first_s = first[level];
	}
	return 0;
}

/*
 * Sets *RET to 1 if the finer slots contain less time than SLOT of LEVEL, as after an outage that
 * was written as a whole; else to 0. Each write rounds each of them to a millisecond.
 */
static int report_is_partial(struct store *s, enum slot_level level, int64_t slot, int64_t *ret)
{
	enum slot_level finer = (enum slot_level)(level - 1);
	int64_t count = slots_seconds(level) / slots_seconds(finer);
	int64_t first = slot * count, end = first + count;

	return database_number(s, 0, ret,
		"SELECT count(*) FROM span AS whole WHERE level = %d AND slot = %lld AND covered >"
		" (SELECT coalesce(sum(covered) + %d, -1) FROM span"
		" WHERE level = %d AND slot >= %lld AND slot < %lld)",
		(int)level, (long long)slot, ROUNDINGS_MS, (int)finer, (long long)first,
		(long long)end);
}

/*
 * Sets *RET to AT_S as a boundary of a report. If finer slots do not contain all of an hour or day,
 * there is no boundary within it: the parts before and after would not add up to the whole.
 */
static int find_boundary(
	struct store *s, int64_t at_s, int64_t now_s, const struct slots_kept *kept, int64_t *ret)
{
	int64_t found_s = slots_boundary(at_s, now_s, kept), partial = 0;
	int r = 0;

	for (unsigned int i = SLOT_DAY; r == 0 && !partial && i > SLOT_BUCKET; i--) {
		enum slot_level level = (enum slot_level)i;

		if (found_s % slots_seconds(level) == 0)
			break;
		r = report_is_partial(s, level, slots_of(level, found_s), &partial);
		if (partial)
			found_s = slots_nearest(level, at_s, now_s);
	}
	if (r == 0)
		*ret = found_s;
	return r;
}

static int find_time(struct report *p, const struct slots_kept *kept)
{
	struct usage_head *head = p->head;
	int r = find_boundary(p->store, p->request->since_s, head->now_s, kept, &head->since_s);

	if (r == 0)
		r = find_boundary(p->store, p->request->until_s, head->now_s, kept, &head->until_s);
	return r;
}

static int sum_spans(struct report *p)
{
	AUTO_STATEMENT sqlite3_stmt *statement = NULL;
	int r = database_prepare(p->store,
		"SELECT sum(covered), sum(sampled) FROM span WHERE level = ?1 AND slot >= ?2 AND slot < ?3",
		&statement);

	for (size_t i = 0; r == 0 && i < p->runs; i++) {
		int64_t covered, sampled;

		sqlite3_bind_int(statement, 1, (int)p->run[i].level);
		sqlite3_bind_int64(statement, 2, p->run[i].first);
		sqlite3_bind_int64(statement, 3, p->run[i].end);
		r = database_outcome(sqlite3_step(statement));
		covered = sqlite3_column_int64(statement, 0);
		sampled = sqlite3_column_int64(statement, 1);
		if (r == 0) {
			p->head->covered_ms += covered > 0 ? (uint64_t)covered : 0;
			p->head->sampled_ms += sampled > 0 ? (uint64_t)sampled : 0;
		}
		sqlite3_reset(statement);
	}
	return r;
}

static long long uid_of(const struct report *p)
{
	return p->reader->uid == OWNER_NO_ID ? -2 : (long long)p->reader->uid;
}

static int find_own(struct report *p)
{
	return database_number(p->store, -1, &p->own,
		"SELECT id FROM series WHERE kind = %d AND number = %lld" DATABASE_CURRENT_FIRST
		" LIMIT 1",
		(int)USAGE_USER, uid_of(p));
}

/*
 * Limits the query to the client's own series: those of its uid, under its current name, or under
 * the number, which stands for a uid that is not resolved yet. When the uid was another account's,
 * it had another name.
 */
static void add_own(const struct report *p, const char *series, struct buffer *sql)
{
	long long uid = uid_of(p);

	buffer_printf(sql,
		" AND %s.number = %lld AND %s.%s IN ('%lld', (SELECT name FROM series WHERE id = %lld))",
		series, uid, series, p->request->kind == USAGE_USER ? "name" : "user", uid,
		(long long)p->own);
}

/*
 * Adds the rows of the slots of RUN. For a client with few series of its own the query skips all
 * other rows of these slots.
 */
static void add_run(const struct report *p, const struct slots_run *run, struct buffer *sql)
{
	const char *table = database_slots[run->level];

	if (p->reader->sees_all) {
		buffer_printf(sql, "SELECT * FROM %s WHERE slot >= %lld AND slot < %lld", table,
			(long long)run->first, (long long)run->end);
		return;
	}
	buffer_printf(sql,
		"SELECT t.* FROM span AS n CROSS JOIN series AS o CROSS JOIN %s AS t ON t.slot = n.slot AND"
		" t.series = o.id WHERE n.level = %d AND n.slot >= %lld AND n.slot < %lld AND o.kind = %d",
		table, (int)run->level, (long long)run->first, (long long)run->end,
		(int)p->request->kind);
	add_own(p, "o", sql);
}

/* CROSS JOIN fixes the order. Otherwise SQLite may search all slots for each owner. */
static void add_query(struct report *p, struct buffer *sql)
{
	buffer_add_text(sql,
		"SELECT s.number, s.name, s.user, sum(u.pss), max(u.pss_max), sum(u.swap),"
		" sum(u.processes), max(u.processes_max) FROM (");
	for (size_t i = 0; i < p->runs; i++) {
		if (i)
			buffer_add_text(sql, " UNION ALL ");
		add_run(p, &p->run[i], sql);
	}
	buffer_printf(sql, ") AS u CROSS JOIN series AS s ON s.id = u.series WHERE s.kind = %d",
		(int)p->request->kind);
	if (!p->reader->sees_all)
		add_own(p, "s", sql);
	buffer_add_text(sql, " GROUP BY u.series ORDER BY 4 DESC, s.name, s.user");
	buffer_add_char(sql, '\0');
}

static bool report_has(const struct usage_row *row, enum usage_quantity i)
{
	return (row->present >> i) & 1;
}

/*
 * Removes quantities that are not known but 0 in the file: PSS of an owner that was in snapshots,
 * but without a PSS in any; the most processes of an owner that was in none, as one folded into
 * "(other)".
 */
static void drop_unknown(struct usage_row *row)
{
	if (!row->q[USAGE_PSS] && !report_has(row, USAGE_PSS_MAX) && row->q[USAGE_PROCESSES_MAX])
		row->present &= ~(1U << USAGE_PSS);
	if (row->q[USAGE_PROCESSES] && !row->q[USAGE_PROCESSES_MAX])
		row->present &= ~(1U << USAGE_PROCESSES_MAX);
}

static bool read_row(sqlite3_stmt *statement, struct usage_row *ret)
{
	int64_t number = sqlite3_column_int64(statement, 0);

	*ret = (struct usage_row){
		.id = number >= 0 && number < OWNER_NO_ID ? (uint32_t)number : OWNER_NO_ID,
		.name = database_text(statement, 1),
		.user = database_text(statement, 2),
	};
	for (int i = 0; i < USAGE_QUANTITIES; i++) {
		int64_t value = sqlite3_column_int64(statement, 3 + i);

		if (sqlite3_column_type(statement, 3 + i) == SQLITE_NULL || value < 0 ||
			!usage_is_possible((enum usage_quantity)i, (uint64_t)value))
			continue;
		ret->q[i] = (uint64_t)value;
		ret->present |= 1U << i;
	}
	drop_unknown(ret);
	return ret->name && ret->user;
}

static void add_to_rest(struct usage_row *rest, const struct usage_row *row)
{
	static const enum usage_quantity sums[] = {USAGE_PSS, USAGE_SWAP, USAGE_PROCESSES};

	for (size_t i = 0; i < ARRAY_SIZE(sums); i++)
		if (report_has(row, sums[i]) &&
			usage_is_possible(sums[i], rest->q[sums[i]] + row->q[sums[i]])) {
			rest->q[sums[i]] += row->q[sums[i]];
			rest->present |= 1U << sums[i];
		}
}

static void report_add_row(struct report *p, const struct usage_row *row)
{
	if (p->head->rows < USAGE_ROWS_MAX - 1) {
		usage_add(p->to, row);
		p->head->rows++;
		return;
	}
	add_to_rest(&p->rest, row);
	p->head->flags |= USAGE_CUT;
}

static int report_add_rows(struct report *p)
{
	AUTO_STATEMENT sqlite3_stmt *statement = NULL;
	AUTO_BUFFER struct buffer sql = {0};
	int step = SQLITE_DONE, r = p->reader->sees_all ? 0 : find_own(p);

	if (r != 0)
		return r;
	add_query(p, &sql);
	r = sql.error ? sql.error : database_prepare(p->store, sql.data, &statement);
	while (r == 0 && (step = sqlite3_step(statement)) == SQLITE_ROW) {
		struct usage_row row;

		if (read_row(statement, &row))
			report_add_row(p, &row);
	}
	if (r == 0)
		r = database_outcome(step);
	if (r == 0 && p->head->flags & USAGE_CUT) {
		usage_add(p->to, &p->rest);
		p->head->rows++;
	}
	return r == 0 ? p->to->error : r;
}

/*
 * Called by SQLite: returns whether the report takes too long. Clients may ask for several at once.
 */
static int is_too_late(void *report)
{
	const struct report *p = report;

	database_beat(p->store);
	return clock_now_ns(CLOCK_MONOTONIC) > p->until_ns;
}

/*
 * Returns whether rows of KIND belong to a user. Clients that see only their own rows get none of
 * other kinds.
 */
static bool has_own(enum usage_kind kind)
{
	return kind == USAGE_USER || owner_of(usage_owner(kind))->has_user;
}

int store_report(struct store *s, const struct usage_request *request,
	const struct store_reader *reader, int64_t now_s, struct usage_head *head,
	struct buffer *to)
{
	struct report p = {
		.store = s,
		.request = request,
		.reader = reader,
		.head = head,
		.to = to,
		.until_ns = clock_now_ns(CLOCK_MONOTONIC) + REPORT_NS,
		.rest = {.id = OWNER_NO_ID, .name = USAGE_OTHER, .user = ""},
	};
	struct slots_kept kept;
	int r;

	head->now_s = now_s;
	sqlite3_progress_handler(s->db, LOOK_EVERY, is_too_late, &p);
	r = find_kept(s, &kept, &head->first_s);
	if (r == 0)
		r = find_time(&p, &kept);
	if (r == 0) {
		p.runs = slots_split(head->since_s, head->until_s, p.run);
		r = sum_spans(&p);
		/* The last slot may not have ended yet. */
		head->until_s = head->until_s < now_s ? head->until_s : now_s;
		head->since_s = head->since_s < head->until_s ? head->since_s : head->until_s;
	}
	if (!reader->sees_all)
		head->flags |= USAGE_OWN_ONLY | (has_own(request->kind) ? 0 : USAGE_NOT_OWN);
	if (r == 0 && p.runs && !(head->flags & USAGE_NOT_OWN))
		r = report_add_rows(&p);
	sqlite3_progress_handler(s->db, 0, NULL, NULL);
	return r;
}
