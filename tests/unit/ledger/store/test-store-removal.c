/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of ledger/store/store.h: slots and names that are kept no longer are removed. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"
#include "tests/unit/support/ledger/fed-store.h"

static void removes_old_slots(void **state)
{
	struct fed_store *f = *state;
	int64_t until_s;
	struct fed_store_answer a;

	f->keeping.limits.slots[SLOT_BUCKET] = 24;
	f->keeping.limits.slots[SLOT_HOUR] = 48;
	f->keeping.limits.slots[SLOT_DAY] = 10;
	fed_store_start(f);
	/* four days, with a write every quarter of an hour */
	for (int i = 0; i < 4 * 24 * 4; i++) {
		fed_store_take_after(f, 900);
	}
	fed_store_flush(f);
	until_s = feed_now_s(&f->feed);
	/* The days that are left have everything, and so has a report over all time. */
	fed_store_check_pss(f, USAGE_USER, START_S - START_S % 86400, until_s, "alice",
		f->alice->true_byte_s / 1024);
	/* For times long ago there are no hours. The report has full days and says so. */
	fed_store_ask(f, USAGE_USER, START_S - START_S % 86400 + 86400 + 3600, until_s, &a);
	assert_int_equal(a.head.since_s, START_S - START_S % 86400 + 86400);
	buffer_done(&a.body);
	assert_in_range(fed_store_count(f, "SELECT count(DISTINCT slot) FROM bucket"), 24, 24 + 12);
	assert_in_range(fed_store_count(f, "SELECT count(DISTINCT slot) FROM hour"), 48, 48 + 24);
	/* Complete slots of the next level have everything that was in those removed. */
	assert_int_equal(fed_store_count(f, "SELECT min(slot) % 12 FROM bucket"), 0);
	assert_int_equal(fed_store_count(f, "SELECT min(slot) % 24 FROM hour"), 0);
	assert_int_equal(fed_store_count(f, "SELECT count(*) FROM span WHERE level = 0"),
		fed_store_count(f, "SELECT count(DISTINCT slot) FROM bucket"));
}

/*
 * After an administrator has shortened what is kept, each write removes a part, so that none takes
 * long.
 */
static void removes_old_slots_gradually(void **state)
{
	const unsigned int slots = 3 * 288, at_once = 16 * 12;
	struct fed_store *f = *state;

	f->keeping.limits.slots[SLOT_BUCKET] = 1000000;
	fed_store_start(f);
	fed_store_pass_slots(f, slots);
	f->keeping.limits.slots[SLOT_BUCKET] = 12;
	f->keeping.limits.slots[SLOT_HOUR] = 24;
	fed_store_reopen(f);
	fed_store_take_after(f, 300);
	fed_store_flush(f);
	assert_in_range(fed_store_count(f, "SELECT count(DISTINCT slot) FROM bucket"),
		slots - 2 * at_once, slots - at_once + 12);
	assert_in_range(fed_store_count(f, "SELECT count(DISTINCT slot) FROM hour"), 72, 74);
	fed_store_pass_slots(f, 6);
	assert_in_range(fed_store_count(f, "SELECT count(DISTINCT slot) FROM bucket"), 12, 24);
	assert_in_range(fed_store_count(f, "SELECT count(DISTINCT slot) FROM hour"), 24, 48);
}

/* The clock was set to the far future for a while. Data is not removed for that. */
static void future_clock_removes_nothing(void **state)
{
	struct fed_store *f = *state;

	fed_store_start(f);
	fed_store_run(f, 3600);
	f->feed.realtime_ns += UINT64_C(20) * 365 * 86400 * NS_PER_SEC;
	fed_store_run(f, 3600);
	f->feed.realtime_ns -= UINT64_C(20) * 365 * 86400 * NS_PER_SEC;
	fed_store_write_for(f, 600);
	fed_store_check_pss(f, USAGE_USER, START_S, START_S + 3600, "alice", 3600 * GIB_S);
}

/*
 * Names are removed together with the last day that has them, not when the next one begins.
 * Otherwise they would count as new until then.
 */
static void names_are_removed_with_their_days(void **state)
{
	static const char left[] =
		"SELECT count(*) FROM series WHERE id NOT IN (SELECT series FROM day)"
		" AND id NOT IN (SELECT series FROM counter)";
	struct fed_store *f = *state;

	fed_store_begin_crowd(f, USAGE_PROGRAM, 20, 0);
	fed_store_start(f);
	for (unsigned int i = 0; i < 20; i++) {
		feed_rename(&f->feed);
		fed_store_write_for(f, 300);
		feed_suspend(&f->feed, 86400);
	}
	fed_store_write_for(f, 600);
	assert_true(fed_store_count(f, "SELECT count(*) FROM series WHERE kind = 2") > 300);
	f->keeping.limits.slots[SLOT_DAY] = 3;
	f->keeping.limits.slots[SLOT_HOUR] = 24;
	fed_store_reopen(f);
	fed_store_pass_slots(f, 8);
	assert_in_range(fed_store_count(f, "SELECT count(DISTINCT slot) FROM day"), 3, 4);
	assert_int_equal(fed_store_count(f, left), 0);
}

/*
 * If hours are kept longer than their days, their rows must not refer to names that were removed.
 */
static void finer_slots_are_removed_with_their_day(void **state)
{
	struct fed_store *f = *state;

	f->keeping.limits.slots[SLOT_DAY] = 3;
	fed_store_start(f);
	for (unsigned int i = 0; i < 10; i++) {
		fed_store_begin_crowd(f, USAGE_PROGRAM, 5, 0);
		feed_rename(&f->feed);
		fed_store_write_for(f, 300);
		feed_suspend(&f->feed, 86400);
	}
	fed_store_write_for(f, 300);
	assert_in_range(fed_store_count(f, "SELECT count(DISTINCT slot) FROM hour"), 3, 6);
	assert_int_equal(
		fed_store_count(
			f, "SELECT count(*) FROM hour WHERE series NOT IN (SELECT id FROM series)"),
		0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		FED_STORE_TEST(removes_old_slots),
		FED_STORE_TEST(removes_old_slots_gradually),
		FED_STORE_TEST(future_clock_removes_nothing),
		FED_STORE_TEST(names_are_removed_with_their_days),
		FED_STORE_TEST(finer_slots_are_removed_with_their_day),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
