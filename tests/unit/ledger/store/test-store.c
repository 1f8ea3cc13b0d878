/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of ledger/store/store.h and its writer: what is written is read, restarts and kills lose nothing. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <signal.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "tests/unit/support/ledger/fed-store.h"

static void reads_written_usage(void **state)
{
	struct fed_store *f = *state;
	struct fed_store_answer a;

	fed_store_open(f);
	f->alice->swap_bytes = MIB;
	fed_store_take(f);
	fed_store_write_for(f, 7200);
	fed_store_ask(f, USAGE_USER, START_S, START_S + 7200, &a);
	assert_int_equal(a.head.rows, 2);
	assert_int_equal(a.head.since_s, START_S);
	assert_int_equal(a.head.first_s, START_S);
	assert_int_equal(a.head.covered_ms, 7200000);
	assert_int_equal(a.head.sampled_ms, 7200000);
	keeping_check_near(fed_store_pss(&a, "alice"), 7200 * GIB_S, 1e-6);
	keeping_check_near(fed_store_pss(&a, "bob"), 3 * 7200 * GIB_S, 1e-6);
	assert_int_equal(fed_store_row(&a, "alice").q[USAGE_PSS_MAX], GIB >> 10);
	assert_int_equal(fed_store_row(&a, "alice").q[USAGE_PROCESSES_MAX], 2);
	keeping_check_near(
		(double)fed_store_row(&a, "alice").q[USAGE_PROCESSES], 2 * 7200 * 1000.0, 1e-6);
	keeping_check_near((double)fed_store_row(&a, "alice").q[USAGE_SWAP], 7200 * 1024.0, 1e-6);
	assert_int_equal(fed_store_row(&a, "alice").id, 1000);
	buffer_done(&a.body);
	/* A part of the time, from slots of hours and of five minutes. */
	fed_store_ask(f, USAGE_UNIT, START_S + 600, START_S + 5700, &a);
	keeping_check_near(fed_store_pss(&a, "job.service"), 4 * 5100 * GIB_S, 1e-6);
	assert_int_equal(a.head.covered_ms, 5100000);
	buffer_done(&a.body);
	fed_store_ask(f, USAGE_GROUP, START_S, START_S + 7200, &a);
	assert_int_equal(a.head.rows, 0);
	buffer_done(&a.body);
	fed_store_ask(f, USAGE_USER, START_S - 7200, START_S, &a);
	assert_int_equal(a.head.rows, 0);
	assert_int_equal(a.head.covered_ms, 0);
	buffer_done(&a.body);
}

/* Usage is neither lost nor counted twice, at whatever time the ledger stops. */
static void a_restart_loses_nothing(void **state)
{
	struct fed_store *f = *state;
	uint64_t random = 5;
	struct fed_store_answer a;

	fed_store_start(f);
	feed_wait(&f->feed, 3); /* so that slots end between passes */
	fed_store_take(f);
	for (int i = 0; i < 30; i++) {
		fed_store_run(f, 10.0 * (double)(1 + unit_random(&random) % 60));
		fed_store_reopen(f); /* without a flush */
		assert_true(f->b.mark.is_set);
	}
	fed_store_take(f);
	fed_store_flush(f);
	fed_store_ask(f, USAGE_USER, START_S, feed_now_s(&f->feed), &a);
	keeping_check_near(fed_store_pss(&a, "alice"), f->alice->true_byte_s / 1024, 1e-6);
	keeping_check_near(fed_store_pss(&a, "bob"), f->bob->true_byte_s / 1024, 1e-6);
	assert_int_equal(
		a.head.covered_ms / 1000, (f->feed.realtime_ns / NS_PER_SEC) - FEED_START_S);
	buffer_done(&a.body);
}

/* Killed at any point of a write. */
static void a_kill_loses_at_most_a_bucket(void **state)
{
	struct fed_store *f = *state;

	fed_store_start(f);
	fed_store_write_for(f, 10);
	for (int i = 0; i < 20; i++) {
		pid_t child;
		int status;

		f->store = store_close(f->store);
		feed_wait(&f->feed, 150);
		child = fork();
		assert_true(child >= 0);
		if (child == 0) {
			alarm(60);
			bucket_done(&f->b);
			fed_store_start(f);
			if (i % 2 == 0)
				fed_store_flush(f);
			raise(SIGKILL);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		f->feed.sequence++; /* the child's pass, which increased the counters */
		for (unsigned int k = 0; k < f->feed.owners; k++)
			f->feed.owner[k].byte_s += (double)f->feed.owner[k].pss_bytes * 150;
		f->feed.last_ns = f->feed.monotonic_ns;
	}
	fed_store_reopen(f);
	fed_store_take_after(f, 10);
	fed_store_flush(f);
	fed_store_check_pss(f, USAGE_USER, START_S, feed_now_s(&f->feed), "alice",
		f->alice->true_byte_s / 1024);
}

static void memtallyd_restarts_while_the_ledger_is_away(void **state)
{
	struct fed_store *f = *state;
	struct fed_store_answer a;
	double lost;

	fed_store_start(f);
	fed_store_write_for(f, 1000);
	fed_store_close(f);
	feed_wait(&f->feed, 100); /* of the first memtallyd; its exit was not seen */
	lost = f->alice->true_byte_s;
	feed_restart(&f->feed);
	lost = f->alice->true_byte_s - lost + 100.0 * GIB;
	view_unref(feed_pass(&f->feed));
	for (int i = 0; i < 30; i++) {
		feed_wait(&f->feed, 10);
		view_unref(feed_pass(&f->feed));
	}
	fed_store_open(f);
	fed_store_take_after(f, 10);
	fed_store_write_for(f, 500);
	fed_store_ask(f, USAGE_USER, START_S, feed_now_s(&f->feed), &a);
	keeping_check_near(fed_store_pss(&a, "alice"), (f->alice->true_byte_s - lost) / 1024, 1e-6);
	assert_int_equal(a.head.covered_ms, 1810000);
	buffer_done(&a.body);
}

static bool has(const struct usage_row *row, enum usage_quantity i)
{
	return (row->present >> i) & 1;
}

/* Unknown memory is not 0. The number of processes is known. */
static void denied_users_have_no_value(void **state)
{
	struct fed_store *f = *state;
	struct usage_row row;
	struct fed_store_answer a;

	f->bob->is_denied = true;
	feed_set(f->bob, 0, 2);
	fed_store_start(f);
	fed_store_write_for(f, 600);
	fed_store_ask(f, USAGE_USER, START_S, START_S + 600, &a);
	assert_int_equal(a.head.rows, 2);
	row = fed_store_row(&a, "bob");
	assert_int_equal(row.id, 1001);
	assert_false(has(&row, USAGE_PSS));
	assert_false(has(&row, USAGE_PSS_MAX));
	assert_int_equal(row.q[USAGE_PROCESSES_MAX], 2);
	keeping_check_near((double)row.q[USAGE_PROCESSES], 2 * 600 * 1000.0, 1e-6);
	keeping_check_near(fed_store_pss(&a, "alice"), 600 * GIB_S, 1e-6);
	buffer_done(&a.body);
	/* A user without processes is known to have none. */
	f->bob->is_denied = false;
	feed_set(f->bob, 0, 1);
	fed_store_write_for(f, 600);
	fed_store_ask(f, USAGE_USER, START_S + 900, START_S + 1200, &a);
	row = fed_store_row(&a, "bob");
	assert_true(has(&row, USAGE_PSS) && has(&row, USAGE_PSS_MAX));
	assert_int_equal(row.q[USAGE_PSS], 0);
	buffer_done(&a.body);
}

/* The current slot of five minutes ends now. */
static void no_report_ends_in_the_future(void **state)
{
	struct fed_store *f = *state;
	struct fed_store_answer a;

	fed_store_start(f);
	fed_store_write_for(f, 700);
	fed_store_ask(f, USAGE_USER, START_S + 10, START_S + 7000, &a);
	assert_int_equal(a.head.since_s, START_S + 300);
	assert_int_equal(a.head.until_s, START_S + 700);
	assert_int_equal(a.head.covered_ms, 400000);
	buffer_done(&a.body);
	fed_store_ask(f, USAGE_USER, START_S + 610, START_S + 700, &a);
	assert_int_equal(a.head.since_s, START_S + 700);
	assert_int_equal(a.head.until_s, START_S + 700);
	assert_int_equal(a.head.rows, 0);
	buffer_done(&a.body);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		FED_STORE_TEST(reads_written_usage),
		FED_STORE_TEST(a_restart_loses_nothing),
		FED_STORE_TEST(a_kill_loses_at_most_a_bucket),
		FED_STORE_TEST(memtallyd_restarts_while_the_ledger_is_away),
		FED_STORE_TEST(denied_users_have_no_value),
		FED_STORE_TEST(no_report_ends_in_the_future),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
