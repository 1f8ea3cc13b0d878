/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of ledger/store/store.h: many names do not fill the file. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"
#include "tests/unit/support/ledger/fed-store.h"

static void file_stays_below_its_limit(void **state)
{
	static char name[FEED_OWNERS][64];
	struct fed_store *f = *state;
	struct fed_store_answer a;

	f->keeping.limits.bytes = 16 * MIB;
	for (unsigned int i = f->feed.owners; i < FEED_OWNERS; i++) {
		snprintf(name[i], sizeof(name[i]), "%060u", i);
		feed_set(feed_add(&f->feed, USAGE_PROGRAM, 0, name[i], ""), MIB, 1);
	}
	f->keeping.limits.slots[SLOT_BUCKET] = 1000000;
	fed_store_start(f);
	for (unsigned int i = 0; i < unit_rounds(5000); i++) {
		fed_store_take_after(f, 300);
		assert_true(store_bytes(f->store) <= 16 * MIB);
	}
	fed_store_flush(f);
	fed_store_ask(f, USAGE_USER, START_S - START_S % 86400, feed_now_s(&f->feed), &a);
	keeping_check_near(fed_store_pss(&a, "alice"), f->alice->true_byte_s / 1024, 1e-6);
	buffer_done(&a.body);
}

/*
 * The limit holds until the day ends, whatever becomes of the programs. A restart does not reset
 * it.
 */
static void limits_new_names_per_day(void **state)
{
	struct fed_store *f = *state;
	size_t half = folding_rows_max(USAGE_PROGRAM);
	static const char new_names[] = "SELECT count(*) FROM series WHERE kind = 2";

	f->feed.realtime_ns += 86400 * NS_PER_SEC - f->feed.realtime_ns % (86400 * NS_PER_SEC);
	fed_store_begin_crowd(f, USAGE_PROGRAM, (unsigned int)half + 200, 0);
	fed_store_start(f);
	for (int i = 0; i < 12; i++) {
		if (i % 4 != 1)
			feed_rename(&f->feed);
		fed_store_take_after(f, 300);
		if (i % 4 != 0)
			continue;
		fed_store_flush(f);
		fed_store_reopen(f);
	}
	fed_store_flush(f);
	assert_in_range(fed_store_count(f, new_names), half + half / 25, half + half / 24 + 2);
	/* The largest ones get a name although earlier ones used up the limit. */
	feed_set(feed_add(&f->feed, USAGE_PROGRAM, 0, "postgres", ""), GIB, 1);
	f->alice->pss_bytes += GIB;
	fed_store_take_after(f, 600);
	fed_store_take_after(f, 600);
	fed_store_flush(f);
	{
		struct fed_store_answer a;

		fed_store_ask(f, USAGE_PROGRAM, START_S, feed_now_s(&f->feed), &a);
		assert_true(fed_store_pss(&a, "postgres") > 600 * GIB_S);
		buffer_done(&a.body);
	}
	keeping_check_near(fed_store_sum(f, USAGE_PROGRAM), fed_store_sum(f, USAGE_USER), 1e-6);
}

/* A restart does not make running programs new, even if earlier days have no names any more. */
static void running_programs_are_not_new_after_a_restart(void **state)
{
	struct fed_store *f = *state;
	static char name[20][16];
	struct fed_store_answer a;

	f->feed.realtime_ns += 86400 * NS_PER_SEC - f->feed.realtime_ns % (86400 * NS_PER_SEC);
	fed_store_begin_crowd(
		f, USAGE_PROGRAM, (unsigned int)folding_rows_max(USAGE_PROGRAM) - 1, 0);
	fed_store_start(f);
	fed_store_run(f, 300);
	feed_suspend(&f->feed, 86400);
	fed_store_write_for(f, 300);
	/* As if the file had been full. */
	fed_store_count(f,
		"DELETE FROM day WHERE series IN (SELECT id FROM series WHERE kind = 2) RETURNING 1");
	for (unsigned int i = 0; i < ARRAY_SIZE(name); i++) {
		snprintf(name[i], sizeof(name[i]), "new-%u", i);
		feed_set(feed_add(&f->feed, USAGE_PROGRAM, 0, name[i], ""), GIB, 1);
	}
	fed_store_write_for(f, 600);
	fed_store_ask(f, USAGE_PROGRAM, START_S, feed_now_s(&f->feed), &a);
	for (unsigned int i = 0; i < ARRAY_SIZE(name); i++)
		assert_true(fed_store_pss(&a, name[i]) > 500 * GIB_S);
	buffer_done(&a.body);
}

/*
 * Programs without a row have no counter in the file. After a restart they are neither lost nor
 * counted twice.
 */
static void programs_without_a_name_count_once(void **state)
{
	struct fed_store *f = *state;

	fed_store_begin_crowd(f, USAGE_UNIT, 900, 0);
	f->alice->swap_bytes = 0;
	fed_store_start(f);
	fed_store_write(f);
	for (int i = 0; i < 10; i++) {
		fed_store_run(f, 170);
		if (i == 5)
			fed_store_flush(f);
		fed_store_reopen(f); /* without another flush */
		if (i == 5)
			feed_restart(&f->feed);
	}
	fed_store_take(f);
	fed_store_write_for(f, 300);
	assert_in_range(fed_store_count(f, "SELECT count(*) FROM counter"), 2, 902);
	keeping_check_near(fed_store_sum(f, USAGE_UNIT), fed_store_sum(f, USAGE_USER), 1e-6);
	keeping_check_near(fed_store_sum(f, USAGE_USER), f->alice->true_byte_s / 1024, 0.01);
}

/* Each hour 1500 new names of 1000 bytes, in a file of at most 8 MiB. */
static void endless_names_do_not_fill_the_file(void **state)
{
	struct fed_store *f = *state;
	unsigned int hours = 24 + unit_rounds(5 * 24);
	int64_t last_day_s;
	struct fed_store_answer a;

	f->keeping.limits.bytes = 16 * MIB;
	fed_store_begin_crowd(f, USAGE_PROGRAM, 1500, 1000);
	fed_store_start(f);
	for (unsigned int i = 0; i < hours; i++) {
		feed_rename(&f->feed);
		fed_store_take_after(f, 3600);
		assert_true(store_bytes(f->store) <= 8 * MIB);
	}
	fed_store_flush(f);
	fed_store_check_sum(f, USAGE_USER);
	/* For programs that exit between two snapshots an hour apart, half an interval counts. */
	assert_true(fed_store_sum(f, USAGE_PROGRAM) > f->alice->true_byte_s / 1024 * 0.4);
	/* The last day exists, with users at full resolution. */
	last_day_s = feed_now_s(&f->feed) - 86400;
	fed_store_ask(f, USAGE_USER, last_day_s, last_day_s + 86400, &a);
	keeping_check_near(fed_store_pss(&a, "alice"), 86400.0 * 1500 * 1024, 1e-6);
	assert_int_equal(a.head.since_s, last_day_s);
	buffer_done(&a.body);
}

/* In one write: programs that do not fit are written without names, and users keep their usage. */
static void many_names_at_once_do_not_fill_the_file(void **state)
{
	struct fed_store *f = *state;

	f->keeping.limits.bytes = 8 * MIB + MIB / 2;
	fed_store_begin_crowd(f, USAGE_PROGRAM, 3000, 1000);
	fed_store_start(f);
	for (unsigned int i = 0; i < 6; i++) {
		feed_rename(&f->feed);
		fed_store_take_after(f, 300);
		assert_true(store_bytes(f->store) <= MIB / 2);
	}
	fed_store_flush(f);
	fed_store_check_sum(f, USAGE_USER);
	fed_store_check_sum(f, USAGE_PROGRAM);
}

/* Users are never dropped. What cannot be written stays in memory. */
static void reports_usage_that_does_not_fit(void **state)
{
	static char name[FEED_OWNERS][1000];
	struct fed_store *f = *state;

	f->keeping.limits.bytes = 8 * MIB + 16384;
	for (unsigned int i = f->feed.owners; i < FEED_OWNERS; i++) {
		memset(name[i], 'a' + (int)i % 26, sizeof(name[i]) - 1);
		feed_set(feed_add(&f->feed, USAGE_USER, 2000 + i, name[i], ""), MIB, 1);
	}
	fed_store_open(f);
	for (unsigned int i = 0; i < 2; i++) {
		AUTO_VIEW struct view *view = NULL;

		feed_wait(&f->feed, 10);
		view = feed_pass(&f->feed);
		assert_true(bucket_take(&f->b, view, 0, true) >= 0);
		assert_false(bucket_advance(&f->b));
	}
	assert_int_equal(store_write(f->store, &f->b), STORE_UNWRITABLE);
	assert_non_null(strstr(store_error(f->store), "ledger.max_size"));
}

/*
 * In a full file names of programs are removed first. All usage of users stays at full resolution.
 */
static void removes_names_before_users(void **state)
{
	struct fed_store *f = *state;
	int64_t until_s;
	struct fed_store_answer a;

	f->keeping.limits.bytes = 10 * MIB;
	f->keeping.limits.slots[SLOT_BUCKET] = 1000000;
	f->keeping.limits.slots[SLOT_HOUR] = 1000000;
	fed_store_begin_crowd(f, USAGE_PROGRAM, 300, 60);
	fed_store_start(f);
	for (unsigned int i = 0; i < 576; i++) {
		fed_store_take_after(f, 300);
		assert_true(store_bytes(f->store) <= 2 * MIB);
	}
	fed_store_flush(f);
	until_s = feed_now_s(&f->feed);
	assert_int_equal(fed_store_count(f, "SELECT count(DISTINCT slot) FROM bucket"), 576);
	fed_store_ask(f, USAGE_USER, START_S + 300, START_S + 1500, &a);
	assert_int_equal(a.head.since_s, START_S + 300);
	keeping_check_near(fed_store_pss(&a, "alice"), 1200.0 * 300 * 1024, 1e-6);
	buffer_done(&a.body);
	/*
	 * In that time programs are one row with all usage. In the last slots they have their
	 * names.
	 */
	fed_store_ask(f, USAGE_PROGRAM, START_S + 300, START_S + 1500, &a);
	assert_int_equal(a.head.rows, 1);
	keeping_check_near(fed_store_pss(&a, USAGE_OTHER), 1200.0 * 300 * 1024, 1e-6);
	assert_false(fed_store_row(&a, USAGE_OTHER).present & 1U << USAGE_PSS_MAX);
	buffer_done(&a.body);
	fed_store_ask(f, USAGE_PROGRAM, until_s - 300, until_s, &a);
	assert_int_equal(a.head.rows, 300);
	buffer_done(&a.body);
	keeping_check_near(fed_store_sum(f, USAGE_PROGRAM), fed_store_sum(f, USAGE_USER), 1e-6);
	/* A name in a slot is also in the slot's day. */
	assert_int_equal(
		fed_store_count(f,
			"SELECT count(*) FROM bucket WHERE series NOT IN (SELECT id FROM series)"),
		0);
	assert_int_equal(
		fed_store_count(
			f, "SELECT count(*) FROM hour WHERE series NOT IN (SELECT id FROM series)"),
		0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		FED_STORE_TEST(file_stays_below_its_limit),
		FED_STORE_TEST(limits_new_names_per_day),
		FED_STORE_TEST(running_programs_are_not_new_after_a_restart),
		FED_STORE_TEST(programs_without_a_name_count_once),
		FED_STORE_TEST(endless_names_do_not_fill_the_file),
		FED_STORE_TEST(many_names_at_once_do_not_fill_the_file),
		FED_STORE_TEST(reports_usage_that_does_not_fit),
		FED_STORE_TEST(removes_names_before_users),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
