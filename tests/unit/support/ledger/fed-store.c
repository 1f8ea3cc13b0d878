/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <sqlite3.h>

#include "base/clock.h"
#include "tests/unit/support/ledger/fed-store.h"

int fed_store_begin(void **state)
{
	struct fed_store *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	keeping_begin(&f->keeping);
	keeping_start(&f->feed);
	f->alice = feed_add(&f->feed, USAGE_USER, 1000, "alice", "");
	f->bob = feed_add(&f->feed, USAGE_USER, 1001, "bob", "");
	f->job = feed_add(&f->feed, USAGE_UNIT, 0, "job.service", "");
	feed_set(f->alice, GIB, 2);
	feed_set(f->bob, 3 * GIB, 1);
	feed_set(f->job, 4 * GIB, 3);
	*state = f;
	return 0;
}

int fed_store_end(void **state)
{
	struct fed_store *f = *state;

	store_close(f->store);
	bucket_done(&f->b);
	keeping_end(&f->keeping);
	free(f);
	return 0;
}

void fed_store_open(struct fed_store *f)
{
	char error[STORE_ERROR_SIZE] = "";
	int r = store_open(f->keeping.dir, &f->keeping.limits, NULL, &f->store, error);

	if (r != 0)
		fail_msg("%d: %s", r, error);
	assert_int_equal(store_load(f->store, &f->b), 0);
}

int fed_store_try_open(struct fed_store *f, const char *expected)
{
	char error[STORE_ERROR_SIZE] = "";
	struct store *store = NULL;
	int r = store_open(f->keeping.dir, &f->keeping.limits, NULL, &store, error);

	store_close(store);
	if (r != 0)
		assert_non_null(strstr(error, f->keeping.path));
	if (r != 0 && !strstr(error, expected))
		fail_msg("'%s' is not in '%s'", expected, error);
	return r;
}

void fed_store_close(struct fed_store *f)
{
	f->store = store_close(f->store);
	bucket_done(&f->b);
}

void fed_store_reopen(struct fed_store *f)
{
	fed_store_close(f);
	fed_store_open(f);
}

void fed_store_write(struct fed_store *f)
{
	int r = store_write(f->store, &f->b);

	if (r != 0)
		fail_msg("%d: %s", r, store_error(f->store));
	bucket_clear(&f->b);
}

void fed_store_take(void *fixture)
{
	struct fed_store *f = fixture;
	AUTO_VIEW struct view *view = feed_pass(&f->feed);

	assert_true(bucket_take(&f->b, view, f->feed.suspended_ns, true) >= 0);
	while (bucket_advance(&f->b))
		fed_store_write(f);
}

void fed_store_run(struct fed_store *f, double seconds)
{
	keeping_run(&f->feed, seconds, fed_store_take, f);
}

void fed_store_flush(struct fed_store *f)
{
	if (bucket_has_content(&f->b))
		fed_store_write(f);
}

void fed_store_start(struct fed_store *f)
{
	fed_store_open(f);
	fed_store_take(f);
}

void fed_store_write_for(struct fed_store *f, double seconds)
{
	fed_store_run(f, seconds);
	fed_store_flush(f);
}

void fed_store_take_after(struct fed_store *f, double seconds)
{
	feed_wait(&f->feed, seconds);
	fed_store_take(f);
}

void fed_store_pass_slots(struct fed_store *f, unsigned int slots)
{
	for (unsigned int i = 0; i < slots; i++)
		fed_store_take_after(f, 300);
	fed_store_flush(f);
}

/*
 * Stops the clock during a report. Its time limit is not tested here, and is too short under
 * valgrind, which is fifty times slower.
 */
static bool clock_stands;

uint64_t __real_clock_now_ns(clockid_t clock);
uint64_t __wrap_clock_now_ns(clockid_t clock);

uint64_t __wrap_clock_now_ns(clockid_t clock)
{
	return clock_stands ? NS_PER_SEC : __real_clock_now_ns(clock);
}

void fed_store_ask_as(struct fed_store *f, enum usage_kind kind, int64_t since_s, int64_t until_s,
	const struct store_reader *reader, struct fed_store_answer *ret)
{
	const struct usage_request request = {.kind = kind, .since_s = since_s, .until_s = until_s};
	struct usage_head head;
	int r;

	*ret = (struct fed_store_answer){.head = {.status = USAGE_GOOD}};
	usage_begin(&ret->body);
	clock_stands = true;
	r = store_report(f->store, &request, reader, feed_now_s(&f->feed), &ret->head, &ret->body);
	clock_stands = false;
	assert_int_equal(r, 0);
	usage_end(&ret->body, &ret->head);
	assert_int_equal(usage_check(ret->body.data, ret->body.len, &head), 0);
}

void fed_store_ask(struct fed_store *f, enum usage_kind kind, int64_t since_s, int64_t until_s,
	struct fed_store_answer *ret)
{
	const struct store_reader all = {.sees_all = true};

	fed_store_ask_as(f, kind, since_s, until_s, &all, ret);
}

struct usage_row fed_store_row(const struct fed_store_answer *a, const char *name)
{
	size_t at = USAGE_HEAD_SIZE;
	struct usage_row row;

	while (usage_next(a->body.data, a->body.len, &at, &row))
		if (!strcmp(row.name, name))
			return row;
	return (struct usage_row){.name = ""};
}

double fed_store_pss(const struct fed_store_answer *a, const char *name)
{
	return (double)fed_store_row(a, name).q[USAGE_PSS];
}

void fed_store_check_pss(struct fed_store *f, enum usage_kind kind, int64_t since_s,
	int64_t until_s, const char *name, double pss_kib_s)
{
	struct fed_store_answer a;

	fed_store_ask(f, kind, since_s, until_s, &a);
	keeping_check_near(fed_store_pss(&a, name), pss_kib_s, 1e-6);
	buffer_done(&a.body);
}

double fed_store_sum(struct fed_store *f, enum usage_kind kind)
{
	size_t at = USAGE_HEAD_SIZE;
	struct usage_row row;
	struct fed_store_answer a;
	double sum = 0;

	fed_store_ask(f, kind, START_S - START_S % 86400, feed_now_s(&f->feed), &a);
	while (usage_next(a.body.data, a.body.len, &at, &row))
		sum += (double)row.q[USAGE_PSS];
	buffer_done(&a.body);
	return sum;
}

void fed_store_check_sum(struct fed_store *f, enum usage_kind kind)
{
	keeping_check_near(fed_store_sum(f, kind), f->alice->true_byte_s / 1024, 1e-6);
}

int64_t fed_store_count(struct fed_store *f, const char *sql)
{
	sqlite3 *db;
	sqlite3_stmt *statement;
	int64_t n;

	f->store = store_close(f->store);
	assert_int_equal(
		sqlite3_open_v2(f->keeping.path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	n = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	sqlite3_close(db);
	bucket_done(&f->b);
	fed_store_open(f);
	return n;
}

void fed_store_begin_crowd(
	struct fed_store *f, enum usage_kind kind, unsigned int count, size_t name_bytes)
{
	f->feed.crowd = (struct feed_crowd){
		.kind = kind, .count = count, .name_bytes = name_bytes, .pss_bytes = MIB};
	feed_set(f->alice, count * MIB, count);
	feed_set(f->bob, 0, 0);
	feed_set(f->job, 0, 0);
}

void fed_store_begin_slots(struct fed_store *f, unsigned int slots)
{
	f->keeping.limits.slots[SLOT_BUCKET] = 1000000;
	f->keeping.limits.slots[SLOT_HOUR] = 1000000;
	fed_store_begin_crowd(f, USAGE_PROGRAM, 300, 60);
	fed_store_start(f);
	fed_store_pass_slots(f, slots);
}
