/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of ledger/store/store.h: outages and clocks that are set; parts of a report add up. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"
#include "tests/unit/support/ledger/fed-store.h"

/* An outage is written by hours, which also count in days of another time zone. */
static void long_outage_is_spread(void **state)
{
	struct fed_store *f = *state;
	struct fed_store_answer a;

	fed_store_start(f);
	fed_store_run(f, 300);
	fed_store_take_after(f, 3 * 86400);
	fed_store_flush(f);
	fed_store_check_pss(
		f, USAGE_USER, START_S, START_S + 4 * 86400, "alice", f->alice->true_byte_s / 1024);
	fed_store_ask(f, USAGE_USER, START_S + 36000 - START_S % 3600,
		START_S + 36000 - START_S % 3600 + 86400, &a);
	keeping_check_near(fed_store_pss(&a, "alice"), 86400 * GIB_S, 1e-6);
	assert_false(fed_store_row(&a, "alice").present & 1U << USAGE_SWAP &&
		     a.head.sampled_ms > 300000);
	buffer_done(&a.body);
	assert_in_range(fed_store_count(f, "SELECT count(DISTINCT slot) FROM bucket"), 1, 24);
	assert_in_range(fed_store_count(f, "SELECT count(DISTINCT slot) FROM hour"), 72, 74);
}

/* A snapshot every quarter of an hour. */
static void go_on(struct fed_store *f, int64_t seconds)
{
	for (; seconds > 0; seconds -= 900) {
		fed_store_take_after(f, seconds < 900 ? (double)seconds : 900);
	}
}

/* Returns alice's usage between two times, and adds the covered time. */
static double sum_between(struct fed_store *f, int64_t since_s, int64_t until_s, double *covered_ms)
{
	struct fed_store_answer a;
	double sum;

	fed_store_ask(f, USAGE_USER, since_s, until_s, &a);
	sum = fed_store_pss(&a, "alice");
	*covered_ms += (double)a.head.covered_ms;
	buffer_done(&a.body);
	return sum;
}

/* Asserts that two reports, split at AT_S, add up to one. */
static void check_halves(struct fed_store *f, int64_t since_s, int64_t at_s, int64_t until_s)
{
	double covered_ms = 0, parts_ms = 0;
	double sum = sum_between(f, since_s, until_s, &covered_ms);
	double parts = sum_between(f, since_s, at_s, &parts_ms);

	parts += sum_between(f, at_s, until_s, &parts_ms);
	keeping_check_near(parts, sum, 1e-6);
	keeping_check_near(parts_ms, covered_ms, 1e-6);
}

/* Asserts the same for parts of STEP_S. */
static void check_parts(struct fed_store *f, int64_t since_s, int64_t until_s, int64_t step_s)
{
	double sum_ms = 0, parts_ms = 0, parts = 0;
	double sum = sum_between(f, since_s, until_s, &sum_ms);

	for (int64_t s = since_s; s < until_s; s += step_s)
		parts += sum_between(f, s, s + step_s < until_s ? s + step_s : until_s, &parts_ms);
	keeping_check_near(parts, sum, 1e-6);
	keeping_check_near(parts_ms, sum_ms, 1e-6);
}

/*
 * Moves the clock to SECONDS after the beginning of DAY, counted from the day after the feed's
 * first.
 */
static void wait_until(struct fed_store *f, int64_t day, int64_t seconds)
{
	int64_t s = START_S - START_S % 86400 + day * 86400 + seconds;

	feed_wait(&f->feed, (double)(s - feed_now_s(&f->feed)));
}

/*
 * An outage is kept by hours only. A report that begins or ends within it is extended to full
 * hours, and says so.
 */
static void parts_within_an_outage_add_up(void **state)
{
	const int64_t day_s = START_S - START_S % 86400 + 86400;
	struct fed_store *f = *state;
	struct fed_store_answer a;

	fed_store_open(f);
	wait_until(f, 1, 0);
	fed_store_take(f);
	go_on(f, 80 * 60);
	wait_until(f, 1, 9 * 3600 + 2400);
	fed_store_take(f);
	go_on(f, 3 * 3600);
	fed_store_flush(f);
	check_halves(f, day_s, day_s + 3 * 3600 + 1500, day_s + 12 * 3600);
	fed_store_ask(f, USAGE_USER, day_s, day_s + 3 * 3600 + 1500, &a);
	assert_int_equal(a.head.since_s, day_s);
	assert_int_equal(a.head.until_s, day_s + 3 * 3600);
	assert_int_equal(a.head.covered_ms, 3 * 3600000);
	keeping_check_near(fed_store_pss(&a, "alice"), 3 * 3600 * GIB_S, 1e-6);
	buffer_done(&a.body);
	fed_store_ask(f, USAGE_USER, day_s + 3 * 3600 + 1800, day_s + 12 * 3600, &a);
	assert_int_equal(a.head.since_s, day_s + 4 * 3600);
	buffer_done(&a.body);
	/* Before and after the outage nothing changes. */
	fed_store_ask(f, USAGE_USER, day_s + 3600 + 300, day_s + 9 * 3600 + 1500, &a);
	assert_int_equal(a.head.since_s, day_s + 3600 + 300);
	assert_int_equal(a.head.until_s, day_s + 9 * 3600 + 1500);
	keeping_check_near(fed_store_pss(&a, "alice"), (8 * 3600 + 1200) * GIB_S, 1e-6);
	buffer_done(&a.body);
	/* Hours of India, which begin at half past. */
	check_parts(f, day_s + 1800, day_s + 11 * 3600 + 1800, 3600);
}

/* A longer outage is kept by days. */
static void parts_within_a_long_outage_add_up(void **state)
{
	const int64_t day_s = START_S - START_S % 86400 + 86400;
	struct fed_store *f = *state;
	struct fed_store_answer a;

	fed_store_open(f);
	wait_until(f, 1, 3 * 3600 + 1200);
	fed_store_take(f);
	wait_until(f, 36, 5 * 3600 + 900);
	fed_store_take(f);
	go_on(f, 7200);
	fed_store_flush(f);
	fed_store_ask(
		f, USAGE_USER, day_s + 10 * 86400 + 7 * 3600, day_s + 20 * 86400 + 14 * 3600, &a);
	assert_int_equal(a.head.since_s, day_s + 10 * 86400);
	assert_int_equal(a.head.until_s, day_s + 21 * 86400);
	keeping_check_near(fed_store_pss(&a, "alice"), 11 * 86400 * GIB_S, 1e-6);
	buffer_done(&a.body);
	/* Its first and last day have hours, its first and last hour have slots of five minutes. */
	fed_store_ask(
		f, USAGE_USER, day_s + 3 * 3600 + 2400, day_s + 35 * 86400 + 2 * 3600 + 1801, &a);
	assert_int_equal(a.head.since_s, day_s + 3 * 3600 + 2400);
	assert_int_equal(a.head.until_s, day_s + 35 * 86400 + 3 * 3600);
	buffer_done(&a.body);
	check_parts(f, day_s - 2 * 3600, day_s + 36 * 86400, 86400);
	check_halves(f, day_s, day_s + 10 * 86400 + 3600, day_s + 36 * 86400);
}

/*
 * Time that the clock was set back over has slots of five minutes for one pass through it, and
 * coarser ones for the other.
 */
static void parts_add_up_after_the_clock_was_set_back(void **state)
{
	struct fed_store *f = *state;
	int64_t now_s;

	fed_store_open(f);
	wait_until(f, 1, 0);
	fed_store_take(f);
	go_on(f, 10 * 3600);
	f->feed.realtime_ns -= 6 * 3600 * NS_PER_SEC;
	fed_store_take_after(f, 9 * 3600 + 1900);
	fed_store_flush(f);
	now_s = feed_now_s(&f->feed);
	check_parts(f, START_S, now_s, 3600 - 600);
	check_parts(f, START_S, now_s, 3600);
}

/*
 * The current hour has an outage from before the clock was set back. A report until now includes
 * it.
 */
static void report_until_now_includes_outages_ahead_of_the_clock(void **state)
{
	const int64_t day_s = START_S - START_S % 86400 + 86400;
	struct fed_store *f = *state;
	struct fed_store_answer a;

	fed_store_open(f);
	wait_until(f, 1, 0);
	fed_store_take(f);
	wait_until(f, 1, 10 * 3600);
	fed_store_take(f);
	f->feed.realtime_ns -= 5 * 3600 * NS_PER_SEC;
	go_on(f, 900);
	fed_store_flush(f);
	fed_store_ask(f, USAGE_USER, day_s, day_s + 12 * 3600, &a);
	assert_int_equal(a.head.until_s, day_s + 5 * 3600 + 900);
	keeping_check_near(fed_store_pss(&a, "alice"), (6 * 3600 + 900) * GIB_S, 1e-6);
	buffer_done(&a.body);
	check_parts(f, day_s, day_s + 12 * 3600, 1000);
}

/* If the first usage was known only as a whole, slots of five minutes begin within an hour. */
static void parts_of_the_first_usage_add_up(void **state)
{
	const int64_t day_s = START_S - START_S % 86400 + 86400;
	struct fed_store *f = *state;

	fed_store_open(f);
	wait_until(f, 1, 3600);
	fed_store_take(f);
	wait_until(f, 1, 8 * 3600);
	fed_store_take(f);
	feed_suspend(&f->feed, (7 * 3600 + 2700));
	go_on(f, 7200);
	fed_store_flush(f);
	check_halves(f, day_s + 15 * 3600, day_s + 15 * 3600 + 1900, day_s + 15 * 3600 + 2700);
	check_parts(f, day_s, day_s + 86400, 1000);
}

/* Random events, and random ends of parts. */
static void parts_of_random_histories_add_up(void **state)
{
	static const int64_t longest[] = {1800, 86400, 20 * 86400, 50 * 86400};
	struct fed_store *f = *state;
	uint64_t random = 11;
	int64_t first_s, now_s;

	fed_store_start(f);
	first_s = START_S - START_S % 86400;
	for (unsigned int i = 0; i < 40; i++) {
		feed_wait(&f->feed, (double)(unit_random(&random) %
					     (uint64_t)longest[unit_random(&random) % 4]));
		if (i % 8 == 7)
			f->feed.realtime_ns -= unit_random(&random) % 40000 * NS_PER_SEC;
		fed_store_take(f);
		go_on(f, (int64_t)(unit_random(&random) % 20000));
	}
	fed_store_flush(f);
	now_s = feed_now_s(&f->feed);
	for (unsigned int i = 0; i < unit_rounds(3000); i++) {
		int64_t at_s[3];

		for (size_t k = 0; k < ARRAY_SIZE(at_s); k++)
			at_s[k] = first_s + (int64_t)(unit_random(&random) %
						      (uint64_t)(now_s - first_s + 3600));
		for (size_t k = 0; k < 2; k++)
			for (size_t l = 0; l < 2; l++)
				if (at_s[l] > at_s[l + 1]) {
					int64_t s = at_s[l];

					at_s[l] = at_s[l + 1];
					at_s[l + 1] = s;
				}
		check_halves(f, at_s[0], at_s[1], at_s[2]);
	}
	check_parts(f, first_s, now_s, 86400 + 5 * 3600);
}

/* By hours it would fit neither into the file nor into the limit of a write. */
static void writes_a_long_outage_of_many_rows(void **state)
{
	const unsigned int days = 20, groups = 5500;
	struct fed_store *f = *state;
	struct fed_store_answer a;

	f->keeping.limits.bytes = 32 * MIB;
	fed_store_begin_crowd(f, USAGE_GROUP, groups, 0);
	fed_store_start(f);
	fed_store_run(f, 300);
	fed_store_take_after(f, days * 86400);
	fed_store_write_for(f, 300);
	fed_store_check_sum(f, USAGE_USER);
	keeping_check_near(fed_store_sum(f, USAGE_GROUP), f->alice->true_byte_s / 1024, 1e-3);
	fed_store_ask(f, USAGE_GROUP, START_S, START_S + days * 86400, &a);
	assert_int_equal(a.head.rows, groups);
	buffer_done(&a.body);
	assert_in_range(fed_store_count(f, "SELECT count(DISTINCT slot) FROM day"), days, days + 2);
	assert_in_range(fed_store_count(f, "SELECT count(DISTINCT slot) FROM hour"), 2, 48);
	assert_true(store_bytes(f->store) <= 24 * MIB);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		FED_STORE_TEST(long_outage_is_spread),
		FED_STORE_TEST(parts_within_an_outage_add_up),
		FED_STORE_TEST(parts_within_a_long_outage_add_up),
		FED_STORE_TEST(parts_add_up_after_the_clock_was_set_back),
		FED_STORE_TEST(report_until_now_includes_outages_ahead_of_the_clock),
		FED_STORE_TEST(parts_of_the_first_usage_add_up),
		FED_STORE_TEST(parts_of_random_histories_add_up),
		FED_STORE_TEST(writes_a_long_outage_of_many_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
