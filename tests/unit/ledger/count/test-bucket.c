/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the ledger's bucket against a simulated memtallyd with known true usage (feed.h): the sum
 * of all that the bucket writes must equal the truth, whatever happens.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/ledger/book.h"

enum { SLOT_S = 300 };

static void all_is_counted_from_the_first_snapshot_on(void **state)
{
	struct book k;
	struct feed_owner *alice, *job;
	double before;

	(void)state;
	book_begin(&k);
	alice = feed_add(&k.feed, USAGE_USER, 1000, "alice", "");
	job = feed_add(&k.feed, USAGE_UNIT, 0, "job.service", "");
	feed_set(alice, 3 * GIB, 5);
	alice->swap_bytes = MIB;
	feed_set(job, GIB, 1);
	book_take(&k);
	/*
	 * No ledger is running: nothing of this time counts, nor does the counter's value before
	 * the first snapshot.
	 */
	feed_wait(&k.feed, 3000);
	before = alice->true_byte_s;
	bucket_done(&k.b);
	assert_int_equal(book_take(&k), BUCKET_BASELINE);
	book_run(&k, 3600);
	book_flush(&k);
	book_check(&k, USAGE_USER, "alice", alice->true_byte_s - before);
	keeping_check_near(book_sum(&k, USAGE_USER, "alice")->swap, 3600.0 * MIB, 1e-9);
	keeping_check_near(book_sum(&k, USAGE_USER, "alice")->processes, 3600.0 * 5, 1e-9);
	book_check(&k, USAGE_UNIT, "job.service", 3600.0 * GIB);
	keeping_check_near(k.covered_s, 3600, 1e-9);
	keeping_check_near(k.sampled_s, 3600, 1e-9);
	/* Each slot is written once, and no span covers two slots. */
	assert_true(k.writes >= 12 && k.writes <= 13);
	assert_int_equal(
		k.last_from_ns / NS_PER_SEC / SLOT_S, (k.last_to_ns - 1) / NS_PER_SEC / SLOT_S);
	book_end(&k);
}

static void new_and_exited_owners_are_counted(void **state)
{
	struct book k;
	struct feed_owner *short_lived, *all;

	(void)state;
	book_begin(&k);
	all = feed_add(&k.feed, USAGE_USER, 0, "root", "");
	short_lived = feed_add(&k.feed, USAGE_PROGRAM, 0, "cc1", "");
	feed_set(all, GIB, 1);
	book_take(&k);
	for (int i = 0; i < 50; i++) {
		feed_set(short_lived, GIB, 3);
		book_run(&k, 40);
		feed_set(short_lived, 0, 0);
		book_run(&k, 30);
	}
	book_flush(&k);
	/* the errors of the trapezoids at start and end cancel */
	book_check(&k, USAGE_PROGRAM, "cc1", 50 * 40.0 * GIB);
	keeping_check_near(book_sum(&k, USAGE_PROGRAM, "cc1")->processes, 50 * 40.0 * 3, 1e-9);
	book_check_pss(&k, all, 1e-9);
	book_end(&k);
}

/* Another memtallyd makes six passes before the next snapshot for the ledger. */
static void restart_memtallyd(struct feed *f)
{
	feed_restart(f);
	for (int i = 0; i < 6; i++) {
		view_unref(feed_pass(f));
		feed_wait(f, 10);
	}
}

/*
 * A new memtallyd's counters start at 0: all of their value is new. Nothing counts for the time
 * without memtallyd.
 */
static void another_memtallyd_goes_on(void **state)
{
	struct book k;
	struct feed_owner *alice;
	double lost;

	(void)state;
	alice = book_begin_alice(&k);
	book_run(&k, 1000);
	feed_wait(&k.feed, 60);
	lost = 60.0 * GIB;
	restart_memtallyd(&k.feed);
	assert_int_equal(book_take(&k), 0);
	book_run(&k, 1000);
	book_flush(&k);
	book_check(&k, USAGE_USER, "alice", alice->true_byte_s - lost);
	keeping_check_near(k.covered_s, 2060, 1e-9);
	book_end(&k);
}

/*
 * An owner that exits while no memtallyd runs counts up to the last snapshot. Nothing counts after
 * that.
 */
static void owners_that_exit_without_memtallyd_end_there(void **state)
{
	struct book k;
	struct feed_owner *alice, *job;

	(void)state;
	book_begin(&k);
	alice = feed_add(&k.feed, USAGE_USER, 1000, "alice", "");
	job = feed_add(&k.feed, USAGE_UNIT, 0, "job.service", "");
	feed_set(alice, GIB, 1);
	feed_set(job, GIB, 1);
	book_take(&k);
	book_run(&k, 1000);
	feed_set(job, 0, 0);
	restart_memtallyd(&k.feed);
	book_take(&k);
	book_run(&k, 600);
	book_flush(&k);
	book_check_pss(&k, alice, 1e-9);
	book_check(&k, USAGE_UNIT, "job.service", 1000.0 * GIB);
	book_end(&k);
}

/*
 * Snapshots of one memtallyd come back after those of another. Its counters do not start at 0
 * again.
 */
static void a_former_memtallyd_is_not_counted_twice(void **state)
{
	struct book k;
	struct feed other;
	double before;

	(void)state;
	book_begin_alice(&k);
	book_run(&k, 600);
	book_flush(&k);
	before = book_sum(&k, USAGE_USER, "alice")->pss;
	other = k.feed;
	feed_restart(&other);
	for (int i = 0; i < 2; i++) {
		AUTO_VIEW struct view *view = feed_pass(&other);

		assert_int_equal(bucket_take(&k.b, view, 0, true), 0);
		assert_false(bucket_advance(&k.b));
	}
	feed_wait(&k.feed, 10);
	assert_int_equal(book_take(&k), BUCKET_BASELINE);
	book_flush(&k);
	book_check(&k, USAGE_USER, "alice", before);
	book_end(&k);
}

static void the_same_snapshot_counts_once(void **state)
{
	struct book k;

	(void)state;
	book_begin_alice(&k);
	for (int i = 0; i < 10; i++) {
		AUTO_VIEW struct view *view = NULL;

		feed_wait(&k.feed, 10);
		view = feed_pass(&k.feed);
		assert_int_equal(bucket_take(&k.b, view, 0, true), 0);
		assert_false(bucket_advance(&k.b));
		assert_int_equal(bucket_take(&k.b, view, 0, true), BUCKET_OLD);
		assert_false(bucket_advance(&k.b));
	}
	book_flush(&k);
	book_check(&k, USAGE_USER, "alice", 100.0 * GIB);
	book_end(&k);
}

static void the_clock_may_be_set(void **state)
{
	static const int64_t by_s[] = {-3600, 3600, -7, 86400, -30 * 86400, 2};
	struct book k;
	struct feed_owner *alice;

	(void)state;
	alice = book_begin_alice(&k);
	for (size_t i = 0; i < sizeof(by_s) / sizeof(by_s[0]); i++) {
		book_run(&k, 500);
		k.feed.realtime_ns += (uint64_t)by_s[i] * NS_PER_SEC;
		book_run(&k, 500);
		assert_int_equal(k.b.clock_sets, i + 1);
	}
	book_flush(&k);
	book_check_pss(&k, alice, 1e-9);
	keeping_check_near(k.covered_s, 6000, 1e-9);
	book_end(&k);
}

/* memtallyd's clock stops during suspend, so nothing is used. */
static void a_suspended_machine_uses_nothing(void **state)
{
	struct book k;
	struct feed_owner *alice;

	(void)state;
	alice = book_begin_alice(&k);
	book_run(&k, 500);
	feed_suspend(&k.feed, 7200);
	book_run(&k, 500);
	book_flush(&k);
	book_check_pss(&k, alice, 1e-9);
	keeping_check_near(k.covered_s, 1000, 1e-9);
	assert_int_equal(k.b.clock_sets, 0);
	book_end(&k);
}

/* The machine is suspended for SECONDS right after a pass; the snapshot is received afterwards. */
static void suspend_behind_a_pass(struct book *k, double seconds)
{
	AUTO_VIEW struct view *view = NULL;

	feed_wait(&k->feed, 10);
	view = feed_pass(&k->feed);
	feed_suspend(&k->feed, seconds);
	assert_int_equal(bucket_take(&k->b, view, k->feed.suspended_ns, true), 0);
	while (bucket_advance(&k->b))
		book_write_down(k);
}

/* Time of suspension counts for neither the snapshot that was waiting nor the next one. */
static void suspension_with_a_snapshot_waiting(void **state)
{
	static const double seconds[] = {3, 10, 300, 7200, 86400};
	struct book k;
	struct feed_owner *alice;

	(void)state;
	book_begin(&k);
	alice = feed_add(&k.feed, USAGE_USER, 1000, "alice", "");
	feed_set(alice, GIB, 2);
	alice->swap_bytes = MIB;
	book_take(&k);
	for (size_t i = 0; i < ARRAY_SIZE(seconds); i++) {
		book_run(&k, 490);
		suspend_behind_a_pass(&k, seconds[i]);
		book_run(&k, 500);
	}
	book_flush(&k);
	book_check_pss(&k, alice, 1e-9);
	keeping_check_near(k.covered_s, 5000, 1e-9);
	keeping_check_near(k.sampled_s, 5000, 1e-9);
	keeping_check_near(
		book_sum(&k, USAGE_USER, "alice")->processes, alice->true_process_s, 1e-9);
	keeping_check_near(book_sum(&k, USAGE_USER, "alice")->swap, alice->true_swap_byte_s, 1e-9);
	assert_int_equal(k.b.clock_sets, 0);
	book_end(&k);
}

/*
 * After missing snapshots PSS comes from memtallyd's counter. Swap and number of processes are
 * unknown for the gap.
 */
static void a_gap_is_counted_by_counters(void **state)
{
	struct book k;
	struct feed_owner *alice, *make;

	(void)state;
	book_begin(&k);
	alice = feed_add(&k.feed, USAGE_USER, 1000, "alice", "");
	make = feed_add(&k.feed, USAGE_PROGRAM, 0, "make", "");
	feed_set(alice, GIB, 2);
	feed_set(make, GIB, 2);
	alice->swap_bytes = GIB;
	book_take(&k);
	book_run(&k, 600);
	feed_set(make, 0, 0);
	feed_wait(&k.feed, 7200);
	book_take(&k);
	book_flush(&k);
	book_check_pss(&k, alice, 1e-9);
	/* An owner that exited in the gap does not count for hours. */
	book_check(&k, USAGE_PROGRAM, "make", 605.0 * GIB);
	keeping_check_near(k.covered_s, 7800, 1e-9);
	keeping_check_near(k.sampled_s, 600, 1e-9);
	keeping_check_near(book_sum(&k, USAGE_USER, "alice")->swap, 600.0 * GIB, 1e-9);
	keeping_check_near(book_sum(&k, USAGE_USER, "alice")->processes, 600.0 * 2, 1e-9);
	book_end(&k);
}

static void unwritten_usage_stays(void **state)
{
	struct book k;
	struct feed_owner *alice, *bob;

	(void)state;
	book_begin(&k);
	alice = feed_add(&k.feed, USAGE_USER, 1000, "alice", "");
	bob = feed_add(&k.feed, USAGE_USER, 1001, "bob", "");
	feed_set(alice, GIB, 1);
	book_take(&k);
	book_run(&k, 450);
	k.is_full = true;
	feed_set(bob, 2 * GIB, 1);
	book_run(&k, 2000);
	feed_set(bob, 0, 0);
	feed_restart(&k.feed);
	book_take(&k);
	book_run(&k, 2000);
	k.is_full = false;
	book_write_down(&k);
	book_run(&k, 450);
	book_flush(&k);
	book_check_pss(&k, alice, 1e-9);
	keeping_check_near(book_sum(&k, USAGE_USER, "bob")->pss, 2000.0 * 2 * GIB, 0.01);
	keeping_check_near(k.covered_s, 4900, 1e-9);
	book_end(&k);
}

/*
 * Days of usage of a group that grows and shrinks, with restarts of memtallyd: exact to 1 % for
 * each user.
 */
static void days_are_accounted_for(void **state)
{
	static const char *const names[] = {"u0", "u1", "u2", "u3", "u4", "u5", "u6", "u7"};
	struct feed_owner *user[8];
	uint64_t random = 11;
	struct book k;

	(void)state;
	book_begin(&k);
	k.feed.interval_ns = 10 * NS_PER_SEC;
	for (unsigned int i = 0; i < 8; i++) {
		user[i] = feed_add(&k.feed, USAGE_USER, 1000 + i, names[i], "");
		feed_set(user[i], (i + 1) * 100 * MIB, 1);
	}
	book_take(&k);
	for (unsigned int step = 0; step < unit_rounds(3 * 144); step++) {
		for (unsigned int i = 0; i < 8; i++)
			feed_set(user[i], (1 + unit_random(&random) % 1000) * MIB, 1 + step % 3);
		book_run(&k, 600);
		if (step % 36 == 35) {
			feed_wait(&k.feed, 1);
			feed_restart(&k.feed);
			book_take(&k);
		}
	}
	book_flush(&k);
	for (unsigned int i = 0; i < 8; i++)
		book_check_pss(&k, user[i], 0.01);
	book_end(&k);
}

/*
 * Many owners come and go while nothing can be written. Memory stays bounded, and users keep their
 * usage.
 */
static void exited_owners_do_not_stay_in_memory(void **state)
{
	struct book k;
	struct feed_owner *alice, *bob;
	size_t most = 0;

	(void)state;
	book_begin(&k);
	k.names = 5;
	alice = feed_add(&k.feed, USAGE_USER, 1000, "alice", "");
	bob = feed_add(&k.feed, USAGE_USER, 1001, "bob", "");
	k.feed.crowd = (struct feed_crowd){.kind = USAGE_PROGRAM, .count = 700, .pss_bytes = MIB};
	feed_set(alice, 700 * MIB, 700);
	feed_set(bob, GIB, 1);
	book_take(&k);
	book_run(&k, 200);
	feed_set(bob, 0, 0);
	k.is_full = true;
	for (unsigned int i = 0; i < 200; i++) {
		feed_rename(&k.feed);
		book_run(&k, 10);
		most = k.b.rows.count > most ? k.b.rows.count : most;
	}
	assert_in_range(most, 700, 700 + 2 * folding_rows_max(USAGE_PROGRAM) + 700 + 2);
	k.is_full = false;
	book_write_down(&k);
	book_run(&k, 400);
	book_flush(&k);
	book_check_pss(&k, alice, 1e-9);
	book_check_pss(&k, bob, 0.05);
	{
		double sum = 0;

		for (size_t i = 0; i < k.sums; i++)
			sum += k.sum[i].kind == USAGE_PROGRAM ? k.sum[i].pss : 0;
		keeping_check_near(sum, alice->true_byte_s, 1e-9);
	}
	book_end(&k);
}

static void nothing_is_lost_without_memory(void **state)
{
	struct book k;
	struct feed_owner *alice;

	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_VIEW struct view *view = NULL;

		book_begin(&k);
		alice = feed_add(&k.feed, USAGE_USER, 1000, "alice", "");
		feed_add(&k.feed, USAGE_PROGRAM, 0, "bash", "");
		feed_set(alice, GIB, 1);
		book_take(&k);
		book_run(&k, 50);
		feed_set(&k.feed.owner[1], MIB, 1);
		feed_wait(&k.feed, 10);
		view = feed_pass(&k.feed);
		allocation_fail_at(n);
		allocation_check(bucket_take(&k.b, view, 0, true));
		while (bucket_advance(&k.b))
			book_write_down(&k);
		book_run(&k, 50);
		book_flush(&k);
		book_check_pss(&k, alice, 1e-9);
		book_end(&k);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_is_counted_from_the_first_snapshot_on),
		cmocka_unit_test(new_and_exited_owners_are_counted),
		cmocka_unit_test(another_memtallyd_goes_on),
		cmocka_unit_test(owners_that_exit_without_memtallyd_end_there),
		cmocka_unit_test(a_former_memtallyd_is_not_counted_twice),
		cmocka_unit_test(the_same_snapshot_counts_once),
		cmocka_unit_test(the_clock_may_be_set),
		cmocka_unit_test(a_suspended_machine_uses_nothing),
		cmocka_unit_test(suspension_with_a_snapshot_waiting),
		cmocka_unit_test(a_gap_is_counted_by_counters),
		cmocka_unit_test(unwritten_usage_stays),
		cmocka_unit_test(days_are_accounted_for),
		cmocka_unit_test(exited_owners_do_not_stay_in_memory),
		cmocka_unit_test(nothing_is_lost_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
