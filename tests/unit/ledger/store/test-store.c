/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of ledger/store/store.h and its writer: what is written, kept, read and recovered. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/os/file.h"
#include "ledger/store/quarantine.h"
#include "ledger/store/store.h"
#include "tests/unit/support/ledger/keeping.h"

/* For each prefix: the next .times SQL statements that begin with it fail for lack of memory. */
static struct {
	const char *begin;
	unsigned int times;
} failing[] = {{"DELETE FROM memtallyd", 0}, {"ROLLBACK", 0}};

/* Number of transactions begun. */
static unsigned int begun;

typedef int exec_row(void *, int, char **, char **);
int __real_sqlite3_exec(sqlite3 *db, const char *sql, exec_row *row, void *context, char **error);
int __wrap_sqlite3_exec(sqlite3 *db, const char *sql, exec_row *row, void *context, char **error);

int __wrap_sqlite3_exec(sqlite3 *db, const char *sql, exec_row *row, void *context, char **error)
{
	for (size_t i = 0; i < ARRAY_SIZE(failing); i++)
		if (failing[i].times && !strncmp(sql, failing[i].begin, strlen(failing[i].begin))) {
			failing[i].times--;
			return SQLITE_NOMEM;
		}
	begun += !strcmp(sql, "BEGIN IMMEDIATE");
	return __real_sqlite3_exec(db, sql, row, context, error);
}

struct fixture {
	struct keeping keeping;
	struct store *store;
	struct bucket b;
	struct feed feed;
	struct feed_owner *alice, *bob, *job;
};

static int begin(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

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

static int end(void **state)
{
	struct fixture *f = *state;

	store_close(f->store);
	bucket_done(&f->b);
	keeping_end(&f->keeping);
	free(f);
	return 0;
}

static void open_store(struct fixture *f)
{
	char error[STORE_ERROR_SIZE] = "";
	int r = store_open(f->keeping.dir, &f->keeping.limits, NULL, &f->store, error);

	if (r != 0)
		fail_msg("%d: %s", r, error);
	assert_int_equal(store_load(f->store, &f->b), 0);
}

static int try_open(struct fixture *f, const char *expected)
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

static void close_store(struct fixture *f)
{
	f->store = store_close(f->store);
	bucket_done(&f->b);
}

/* As after a crash: the state in memory is gone. */
static void reopen(struct fixture *f)
{
	close_store(f);
	open_store(f);
}

static void write_down(struct fixture *f)
{
	int r = store_write(f->store, &f->b);

	if (r != 0)
		fail_msg("%d: %s", r, store_error(f->store));
	bucket_clear(&f->b);
}

static void take(void *fixture)
{
	struct fixture *f = fixture;
	AUTO_VIEW struct view *view = feed_pass(&f->feed);

	assert_true(bucket_take(&f->b, view, f->feed.suspended_ns, true) >= 0);
	while (bucket_advance(&f->b))
		write_down(f);
}

static void run(struct fixture *f, double seconds)
{
	keeping_run(&f->feed, seconds, take, f);
}

static void flush(struct fixture *f)
{
	if (bucket_has_content(&f->b))
		write_down(f);
}

/* Opens the store, and takes a first snapshot. */
static void start(struct fixture *f)
{
	open_store(f);
	take(f);
}

/* Lets SECONDS pass with a snapshot each 10 s, and writes all of it. */
static void write_for(struct fixture *f, double seconds)
{
	run(f, seconds);
	flush(f);
}

static void take_after(struct fixture *f, double seconds)
{
	feed_wait(&f->feed, seconds);
	take(f);
}

/* Lets SLOTS slots of five minutes pass with a snapshot each, and writes all of them. */
static void pass_slots(struct fixture *f, unsigned int slots)
{
	for (unsigned int i = 0; i < slots; i++)
		take_after(f, 300);
	flush(f);
}

struct answer {
	struct usage_head head;
	struct buffer body;
};

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

static void ask_as(struct fixture *f, enum usage_kind kind, int64_t since_s, int64_t until_s,
	const struct store_reader *reader, struct answer *ret)
{
	const struct usage_request request = {.kind = kind, .since_s = since_s, .until_s = until_s};
	struct usage_head head;
	int r;

	*ret = (struct answer){.head = {.status = USAGE_GOOD}};
	usage_begin(&ret->body);
	clock_stands = true;
	r = store_report(f->store, &request, reader, feed_now_s(&f->feed), &ret->head, &ret->body);
	clock_stands = false;
	assert_int_equal(r, 0);
	usage_end(&ret->body, &ret->head);
	assert_int_equal(usage_check(ret->body.data, ret->body.len, &head), 0);
}

static void ask(struct fixture *f, enum usage_kind kind, int64_t since_s, int64_t until_s,
	struct answer *ret)
{
	const struct store_reader all = {.sees_all = true};

	ask_as(f, kind, since_s, until_s, &all, ret);
}

/* Returns the row NAME, or an empty one. */
static struct usage_row row_of(const struct answer *a, const char *name)
{
	size_t at = USAGE_HEAD_SIZE;
	struct usage_row row;

	while (usage_next(a->body.data, a->body.len, &at, &row))
		if (!strcmp(row.name, name))
			return row;
	return (struct usage_row){.name = ""};
}

static double pss_of(const struct answer *a, const char *name)
{
	return (double)row_of(a, name).q[USAGE_PSS];
}

static const int64_t start_s = (int64_t)FEED_START_S;

/* Checks the PSS of NAME in a report of KIND: PSS_KIB_S, in KiB seconds. */
static void check_pss(struct fixture *f, enum usage_kind kind, int64_t since_s, int64_t until_s,
	const char *name, double pss_kib_s)
{
	struct answer a;

	ask(f, kind, since_s, until_s, &a);
	keeping_check_near(pss_of(&a, name), pss_kib_s, 1e-6);
	buffer_done(&a.body);
}

/* Returns the PSS of all rows of KIND over all time. */
static double sum_of(struct fixture *f, enum usage_kind kind)
{
	size_t at = USAGE_HEAD_SIZE;
	struct usage_row row;
	struct answer a;
	double sum = 0;

	ask(f, kind, start_s - start_s % 86400, feed_now_s(&f->feed), &a);
	while (usage_next(a.body.data, a.body.len, &at, &row))
		sum += (double)row.q[USAGE_PSS];
	buffer_done(&a.body);
	return sum;
}

/* Checks that all rows of KIND together have alice's usage. */
static void check_sum(struct fixture *f, enum usage_kind kind)
{
	keeping_check_near(sum_of(f, kind), f->alice->true_byte_s / 1024, 1e-6);
}

static void reads_written_usage(void **state)
{
	struct fixture *f = *state;
	struct answer a;

	open_store(f);
	f->alice->swap_bytes = MIB;
	take(f);
	write_for(f, 7200);
	ask(f, USAGE_USER, start_s, start_s + 7200, &a);
	assert_int_equal(a.head.rows, 2);
	assert_int_equal(a.head.since_s, start_s);
	assert_int_equal(a.head.first_s, start_s);
	assert_int_equal(a.head.covered_ms, 7200000);
	assert_int_equal(a.head.sampled_ms, 7200000);
	keeping_check_near(pss_of(&a, "alice"), 7200 * GIB_S, 1e-6);
	keeping_check_near(pss_of(&a, "bob"), 3 * 7200 * GIB_S, 1e-6);
	assert_int_equal(row_of(&a, "alice").q[USAGE_PSS_MAX], GIB >> 10);
	assert_int_equal(row_of(&a, "alice").q[USAGE_PROCESSES_MAX], 2);
	keeping_check_near((double)row_of(&a, "alice").q[USAGE_PROCESSES], 2 * 7200 * 1000.0, 1e-6);
	keeping_check_near((double)row_of(&a, "alice").q[USAGE_SWAP], 7200 * 1024.0, 1e-6);
	assert_int_equal(row_of(&a, "alice").id, 1000);
	buffer_done(&a.body);
	/* A part of the time, from slots of hours and of five minutes. */
	ask(f, USAGE_UNIT, start_s + 600, start_s + 5700, &a);
	keeping_check_near(pss_of(&a, "job.service"), 4 * 5100 * GIB_S, 1e-6);
	assert_int_equal(a.head.covered_ms, 5100000);
	buffer_done(&a.body);
	ask(f, USAGE_GROUP, start_s, start_s + 7200, &a);
	assert_int_equal(a.head.rows, 0);
	buffer_done(&a.body);
	ask(f, USAGE_USER, start_s - 7200, start_s, &a);
	assert_int_equal(a.head.rows, 0);
	assert_int_equal(a.head.covered_ms, 0);
	buffer_done(&a.body);
}

/* Usage is neither lost nor counted twice, at whatever time the ledger stops. */
static void a_restart_loses_nothing(void **state)
{
	struct fixture *f = *state;
	uint64_t random = 5;
	struct answer a;

	start(f);
	feed_wait(&f->feed, 3); /* so that slots end between passes */
	take(f);
	for (int i = 0; i < 30; i++) {
		run(f, 10.0 * (double)(1 + unit_random(&random) % 60));
		reopen(f); /* without a flush */
		assert_true(f->b.mark.is_set);
	}
	take(f);
	flush(f);
	ask(f, USAGE_USER, start_s, feed_now_s(&f->feed), &a);
	keeping_check_near(pss_of(&a, "alice"), f->alice->true_byte_s / 1024, 1e-6);
	keeping_check_near(pss_of(&a, "bob"), f->bob->true_byte_s / 1024, 1e-6);
	assert_int_equal(
		a.head.covered_ms / 1000, (f->feed.realtime_ns / NS_PER_SEC) - FEED_START_S);
	buffer_done(&a.body);
}

/* Killed at any point of a write. */
static void a_kill_loses_at_most_a_bucket(void **state)
{
	struct fixture *f = *state;

	start(f);
	write_for(f, 10);
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
			start(f);
			if (i % 2 == 0)
				flush(f);
			raise(SIGKILL);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		f->feed.sequence++; /* the child's pass, which increased the counters */
		for (unsigned int k = 0; k < f->feed.owners; k++)
			f->feed.owner[k].byte_s += (double)f->feed.owner[k].pss_bytes * 150;
		f->feed.last_ns = f->feed.monotonic_ns;
	}
	reopen(f);
	take_after(f, 10);
	flush(f);
	check_pss(f, USAGE_USER, start_s, feed_now_s(&f->feed), "alice",
		f->alice->true_byte_s / 1024);
}

static void memtallyd_restarts_while_the_ledger_is_away(void **state)
{
	struct fixture *f = *state;
	struct answer a;
	double lost;

	start(f);
	write_for(f, 1000);
	close_store(f);
	feed_wait(&f->feed, 100); /* of the first memtallyd; its exit was not seen */
	lost = f->alice->true_byte_s;
	feed_restart(&f->feed);
	lost = f->alice->true_byte_s - lost + 100.0 * GIB;
	view_unref(feed_pass(&f->feed));
	for (int i = 0; i < 30; i++) {
		feed_wait(&f->feed, 10);
		view_unref(feed_pass(&f->feed));
	}
	open_store(f);
	take_after(f, 10);
	write_for(f, 500);
	ask(f, USAGE_USER, start_s, feed_now_s(&f->feed), &a);
	keeping_check_near(pss_of(&a, "alice"), (f->alice->true_byte_s - lost) / 1024, 1e-6);
	assert_int_equal(a.head.covered_ms, 1810000);
	buffer_done(&a.body);
}

static void users_see_their_own_usage(void **state)
{
	const struct store_reader bob = {.uid = 1001}, stranger = {.uid = 4711},
				  nobody = {.uid = OWNER_NO_ID};
	struct fixture *f = *state;
	struct answer a;

	feed_set(feed_add(&f->feed, USAGE_CONTAINER, 0, "c0ffee", "bob"), MIB, 1);
	feed_set(feed_add(&f->feed, USAGE_CONTAINER, 0, "c0ffee", "alice"), 2 * MIB, 1);
	feed_set(feed_add(&f->feed, USAGE_CONTAINER, 0, "(none)", ""), 2 * MIB, 1);
	feed_set(feed_add(&f->feed, USAGE_GROUP, 1001, "bob", ""), 2 * MIB, 1);
	start(f);
	write_for(f, 600);
	ask_as(f, USAGE_USER, start_s, start_s + 600, &bob, &a);
	assert_int_equal(a.head.rows, 1);
	keeping_check_near(pss_of(&a, "bob"), 3 * 600 * GIB_S, 1e-6);
	assert_int_equal(a.head.flags, USAGE_OWN_ONLY);
	buffer_done(&a.body);
	ask_as(f, USAGE_CONTAINER, start_s, start_s + 600, &bob, &a);
	assert_int_equal(a.head.rows, 1);
	assert_string_equal(row_of(&a, "c0ffee").user, "bob");
	buffer_done(&a.body);
	for (unsigned int kind = USAGE_USER; kind < USAGE_KINDS_END; kind++) {
		bool has_own = kind == USAGE_USER || kind == USAGE_CONTAINER;

		ask_as(f, (enum usage_kind)kind, start_s, start_s + 600, &stranger, &a);
		assert_int_equal(a.head.rows, 0);
		assert_int_equal(a.head.flags, USAGE_OWN_ONLY | (has_own ? 0 : USAGE_NOT_OWN));
		buffer_done(&a.body);
		ask_as(f, (enum usage_kind)kind, start_s, start_s + 600, &nobody, &a);
		assert_int_equal(a.head.rows, 0);
		buffer_done(&a.body);
	}
	/* A gid is not a uid. */
	ask_as(f, USAGE_GROUP, start_s, start_s + 600, &bob, &a);
	assert_int_equal(a.head.rows, 0);
	buffer_done(&a.body);
}

static bool has(const struct usage_row *row, enum usage_quantity i)
{
	return (row->present >> i) & 1;
}

/* Unknown memory is not 0. The number of processes is known. */
static void denied_users_have_no_value(void **state)
{
	struct fixture *f = *state;
	struct usage_row row;
	struct answer a;

	f->bob->is_denied = true;
	feed_set(f->bob, 0, 2);
	start(f);
	write_for(f, 600);
	ask(f, USAGE_USER, start_s, start_s + 600, &a);
	assert_int_equal(a.head.rows, 2);
	row = row_of(&a, "bob");
	assert_int_equal(row.id, 1001);
	assert_false(has(&row, USAGE_PSS));
	assert_false(has(&row, USAGE_PSS_MAX));
	assert_int_equal(row.q[USAGE_PROCESSES_MAX], 2);
	keeping_check_near((double)row.q[USAGE_PROCESSES], 2 * 600 * 1000.0, 1e-6);
	keeping_check_near(pss_of(&a, "alice"), 600 * GIB_S, 1e-6);
	buffer_done(&a.body);
	/* A user without processes is known to have none. */
	f->bob->is_denied = false;
	feed_set(f->bob, 0, 1);
	write_for(f, 600);
	ask(f, USAGE_USER, start_s + 900, start_s + 1200, &a);
	row = row_of(&a, "bob");
	assert_true(has(&row, USAGE_PSS) && has(&row, USAGE_PSS_MAX));
	assert_int_equal(row.q[USAGE_PSS], 0);
	buffer_done(&a.body);
}

/* The current slot of five minutes ends now. */
static void no_report_ends_in_the_future(void **state)
{
	struct fixture *f = *state;
	struct answer a;

	start(f);
	write_for(f, 700);
	ask(f, USAGE_USER, start_s + 10, start_s + 7000, &a);
	assert_int_equal(a.head.since_s, start_s + 300);
	assert_int_equal(a.head.until_s, start_s + 700);
	assert_int_equal(a.head.covered_ms, 400000);
	buffer_done(&a.body);
	ask(f, USAGE_USER, start_s + 610, start_s + 700, &a);
	assert_int_equal(a.head.since_s, start_s + 700);
	assert_int_equal(a.head.until_s, start_s + 700);
	assert_int_equal(a.head.rows, 0);
	buffer_done(&a.body);
}

/*
 * If a uid has been reused, its new user does not see the former user's usage, as the names
 * differ.
 */
static void reused_uid_shows_no_former_usage(void **state)
{
	const struct store_reader reader = {.uid = 1001}, all = {.sees_all = true};
	struct feed_owner *container;
	struct fixture *f = *state;
	struct answer a;

	container = feed_add(&f->feed, USAGE_CONTAINER, 0, "c0ffee", "bob");
	feed_set(container, MIB, 1);
	start(f);
	write_for(f, 600);
	feed_set(container, 0, 0);
	f->bob->name = "1001";
	write_for(f, 600);
	ask_as(f, USAGE_USER, start_s, start_s + 1200, &reader, &a);
	assert_int_equal(a.head.rows, 1);
	keeping_check_near(pss_of(&a, "bob"), 3 * 1200 * GIB_S, 1e-6);
	buffer_done(&a.body);
	f->bob->name = "carol";
	write_for(f, 600);
	ask_as(f, USAGE_USER, start_s, start_s + 1800, &reader, &a);
	assert_int_equal(a.head.rows, 1);
	keeping_check_near(pss_of(&a, "carol"), 3 * 600 * GIB_S, 1e-6);
	buffer_done(&a.body);
	ask_as(f, USAGE_CONTAINER, start_s, start_s + 1800, &reader, &a);
	assert_int_equal(a.head.rows, 0);
	buffer_done(&a.body);
	ask_as(f, USAGE_USER, start_s, start_s + 1800, &all, &a);
	keeping_check_near(pss_of(&a, "bob"), 3 * 1200 * GIB_S, 1e-6);
	buffer_done(&a.body);
}

static void check_own(struct fixture *f, int64_t until_s, const char *name, double gib_s)
{
	const struct store_reader reader = {.uid = 1001};
	struct answer a;

	ask_as(f, USAGE_USER, start_s, until_s, &reader, &a);
	assert_int_equal(a.head.rows, 1);
	keeping_check_near(pss_of(&a, name), gib_s * GIB_S, 0.01);
	buffer_done(&a.body);
	ask_as(f, USAGE_CONTAINER, start_s, until_s, &reader, &a);
	assert_int_equal(a.head.rows, 1);
	assert_string_equal(row_of(&a, "c0ffee").user, name);
	buffer_done(&a.body);
}

/*
 * After a uid got a former name back, that is its current name, although another name has the
 * newest series, whatever processes run.
 */
static void uid_may_get_a_former_name_back(void **state)
{
	struct feed_owner *bobs, *carols;
	struct fixture *f = *state;

	feed_set(bobs = feed_add(&f->feed, USAGE_CONTAINER, 0, "c0ffee", "bob"), MIB, 1);
	carols = feed_add(&f->feed, USAGE_CONTAINER, 0, "c0ffee", "carol");
	start(f);
	write_for(f, 600);
	f->bob->name = "carol";
	feed_set(bobs, 0, 0);
	feed_set(carols, MIB, 1);
	write_for(f, 600);
	check_own(f, start_s + 1200, "carol", 3 * 600);
	f->bob->name = "bob";
	feed_set(carols, 0, 0);
	feed_set(bobs, MIB, 1);
	write_for(f, 600);
	check_own(f, start_s + 1800, "bob", 3 * 1200);
	/* The number as a name is not the newest name either. */
	f->bob->name = "1001";
	write_for(f, 600);
	check_own(f, start_s + 2400, "bob", 3 * 1800);
	/* No process of either runs any more. */
	feed_set(f->bob, 0, 0);
	feed_set(bobs, 0, 0);
	write_for(f, 600);
	reopen(f);
	check_own(f, start_s + 3000, "bob", 3 * 1800);
}

/* Until the name service answers, a user is called by the uid. That is the same user. */
static void uid_as_a_name_is_the_same_user(void **state)
{
	struct fixture *f = *state;
	struct answer a;

	f->alice->name = "1000";
	start(f);
	write_for(f, 300);
	f->alice->name = "alice";
	write_for(f, 300);
	f->alice->name = "1000";
	write_for(f, 300);
	ask(f, USAGE_USER, start_s, start_s + 900, &a);
	assert_int_equal(a.head.rows, 2);
	keeping_check_near(pss_of(&a, "alice"), 900 * GIB_S, 1e-6);
	buffer_done(&a.body);
	/* Another name is another user, to whom the uid may have been given. */
	f->alice->name = "carol";
	write_for(f, 300);
	ask(f, USAGE_USER, start_s, start_s + 1200, &a);
	assert_int_equal(a.head.rows, 3);
	keeping_check_near(pss_of(&a, "carol"), 300 * GIB_S, 1e-6);
	buffer_done(&a.body);
}

static int64_t count(struct fixture *f, const char *sql)
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
	open_store(f);
	return n;
}

/* An outage is written by hours, which also count in days of another time zone. */
static void long_outage_is_spread(void **state)
{
	struct fixture *f = *state;
	struct answer a;

	start(f);
	run(f, 300);
	take_after(f, 3 * 86400);
	flush(f);
	check_pss(
		f, USAGE_USER, start_s, start_s + 4 * 86400, "alice", f->alice->true_byte_s / 1024);
	ask(f, USAGE_USER, start_s + 36000 - start_s % 3600,
		start_s + 36000 - start_s % 3600 + 86400, &a);
	keeping_check_near(pss_of(&a, "alice"), 86400 * GIB_S, 1e-6);
	assert_false(row_of(&a, "alice").present & 1U << USAGE_SWAP && a.head.sampled_ms > 300000);
	buffer_done(&a.body);
	assert_in_range(count(f, "SELECT count(DISTINCT slot) FROM bucket"), 1, 24);
	assert_in_range(count(f, "SELECT count(DISTINCT slot) FROM hour"), 72, 74);
}

/* A snapshot every quarter of an hour. */
static void go_on(struct fixture *f, int64_t seconds)
{
	for (; seconds > 0; seconds -= 900) {
		take_after(f, seconds < 900 ? (double)seconds : 900);
	}
}

/* Returns alice's usage between two times, and adds the covered time. */
static double sum_between(struct fixture *f, int64_t since_s, int64_t until_s, double *covered_ms)
{
	struct answer a;
	double sum;

	ask(f, USAGE_USER, since_s, until_s, &a);
	sum = pss_of(&a, "alice");
	*covered_ms += (double)a.head.covered_ms;
	buffer_done(&a.body);
	return sum;
}

/* Asserts that two reports, split at AT_S, add up to one. */
static void check_halves(struct fixture *f, int64_t since_s, int64_t at_s, int64_t until_s)
{
	double covered_ms = 0, parts_ms = 0;
	double sum = sum_between(f, since_s, until_s, &covered_ms);
	double parts = sum_between(f, since_s, at_s, &parts_ms);

	parts += sum_between(f, at_s, until_s, &parts_ms);
	keeping_check_near(parts, sum, 1e-6);
	keeping_check_near(parts_ms, covered_ms, 1e-6);
}

/* Asserts the same for parts of STEP_S. */
static void check_parts(struct fixture *f, int64_t since_s, int64_t until_s, int64_t step_s)
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
static void wait_until(struct fixture *f, int64_t day, int64_t seconds)
{
	int64_t s = start_s - start_s % 86400 + day * 86400 + seconds;

	feed_wait(&f->feed, (double)(s - feed_now_s(&f->feed)));
}

/*
 * An outage is kept by hours only. A report that begins or ends within it is extended to full
 * hours, and says so.
 */
static void parts_within_an_outage_add_up(void **state)
{
	const int64_t day_s = start_s - start_s % 86400 + 86400;
	struct fixture *f = *state;
	struct answer a;

	open_store(f);
	wait_until(f, 1, 0);
	take(f);
	go_on(f, 80 * 60);
	wait_until(f, 1, 9 * 3600 + 2400);
	take(f);
	go_on(f, 3 * 3600);
	flush(f);
	check_halves(f, day_s, day_s + 3 * 3600 + 1500, day_s + 12 * 3600);
	ask(f, USAGE_USER, day_s, day_s + 3 * 3600 + 1500, &a);
	assert_int_equal(a.head.since_s, day_s);
	assert_int_equal(a.head.until_s, day_s + 3 * 3600);
	assert_int_equal(a.head.covered_ms, 3 * 3600000);
	keeping_check_near(pss_of(&a, "alice"), 3 * 3600 * GIB_S, 1e-6);
	buffer_done(&a.body);
	ask(f, USAGE_USER, day_s + 3 * 3600 + 1800, day_s + 12 * 3600, &a);
	assert_int_equal(a.head.since_s, day_s + 4 * 3600);
	buffer_done(&a.body);
	/* Before and after the outage nothing changes. */
	ask(f, USAGE_USER, day_s + 3600 + 300, day_s + 9 * 3600 + 1500, &a);
	assert_int_equal(a.head.since_s, day_s + 3600 + 300);
	assert_int_equal(a.head.until_s, day_s + 9 * 3600 + 1500);
	keeping_check_near(pss_of(&a, "alice"), (8 * 3600 + 1200) * GIB_S, 1e-6);
	buffer_done(&a.body);
	/* Hours of India, which begin at half past. */
	check_parts(f, day_s + 1800, day_s + 11 * 3600 + 1800, 3600);
}

/* A longer outage is kept by days. */
static void parts_within_a_long_outage_add_up(void **state)
{
	const int64_t day_s = start_s - start_s % 86400 + 86400;
	struct fixture *f = *state;
	struct answer a;

	open_store(f);
	wait_until(f, 1, 3 * 3600 + 1200);
	take(f);
	wait_until(f, 36, 5 * 3600 + 900);
	take(f);
	go_on(f, 7200);
	flush(f);
	ask(f, USAGE_USER, day_s + 10 * 86400 + 7 * 3600, day_s + 20 * 86400 + 14 * 3600, &a);
	assert_int_equal(a.head.since_s, day_s + 10 * 86400);
	assert_int_equal(a.head.until_s, day_s + 21 * 86400);
	keeping_check_near(pss_of(&a, "alice"), 11 * 86400 * GIB_S, 1e-6);
	buffer_done(&a.body);
	/* Its first and last day have hours, its first and last hour have slots of five minutes. */
	ask(f, USAGE_USER, day_s + 3 * 3600 + 2400, day_s + 35 * 86400 + 2 * 3600 + 1801, &a);
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
	struct fixture *f = *state;
	int64_t now_s;

	open_store(f);
	wait_until(f, 1, 0);
	take(f);
	go_on(f, 10 * 3600);
	f->feed.realtime_ns -= 6 * 3600 * NS_PER_SEC;
	take_after(f, 9 * 3600 + 1900);
	flush(f);
	now_s = feed_now_s(&f->feed);
	check_parts(f, start_s, now_s, 3600 - 600);
	check_parts(f, start_s, now_s, 3600);
}

/*
 * The current hour has an outage from before the clock was set back. A report until now includes
 * it.
 */
static void report_until_now_includes_outages_ahead_of_the_clock(void **state)
{
	const int64_t day_s = start_s - start_s % 86400 + 86400;
	struct fixture *f = *state;
	struct answer a;

	open_store(f);
	wait_until(f, 1, 0);
	take(f);
	wait_until(f, 1, 10 * 3600);
	take(f);
	f->feed.realtime_ns -= 5 * 3600 * NS_PER_SEC;
	go_on(f, 900);
	flush(f);
	ask(f, USAGE_USER, day_s, day_s + 12 * 3600, &a);
	assert_int_equal(a.head.until_s, day_s + 5 * 3600 + 900);
	keeping_check_near(pss_of(&a, "alice"), (6 * 3600 + 900) * GIB_S, 1e-6);
	buffer_done(&a.body);
	check_parts(f, day_s, day_s + 12 * 3600, 1000);
}

/* If the first usage was known only as a whole, slots of five minutes begin within an hour. */
static void parts_of_the_first_usage_add_up(void **state)
{
	const int64_t day_s = start_s - start_s % 86400 + 86400;
	struct fixture *f = *state;

	open_store(f);
	wait_until(f, 1, 3600);
	take(f);
	wait_until(f, 1, 8 * 3600);
	take(f);
	feed_suspend(&f->feed, (7 * 3600 + 2700));
	go_on(f, 7200);
	flush(f);
	check_halves(f, day_s + 15 * 3600, day_s + 15 * 3600 + 1900, day_s + 15 * 3600 + 2700);
	check_parts(f, day_s, day_s + 86400, 1000);
}

/* Random events, and random ends of parts. */
static void parts_of_random_histories_add_up(void **state)
{
	static const int64_t longest[] = {1800, 86400, 20 * 86400, 50 * 86400};
	struct fixture *f = *state;
	uint64_t random = 11;
	int64_t first_s, now_s;

	start(f);
	first_s = start_s - start_s % 86400;
	for (unsigned int i = 0; i < 40; i++) {
		feed_wait(&f->feed, (double)(unit_random(&random) %
					     (uint64_t)longest[unit_random(&random) % 4]));
		if (i % 8 == 7)
			f->feed.realtime_ns -= unit_random(&random) % 40000 * NS_PER_SEC;
		take(f);
		go_on(f, (int64_t)(unit_random(&random) % 20000));
	}
	flush(f);
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

static void removes_old_slots(void **state)
{
	struct fixture *f = *state;
	int64_t until_s;
	struct answer a;

	f->keeping.limits.slots[SLOT_BUCKET] = 24;
	f->keeping.limits.slots[SLOT_HOUR] = 48;
	f->keeping.limits.slots[SLOT_DAY] = 10;
	start(f);
	/* four days, with a write every quarter of an hour */
	for (int i = 0; i < 4 * 24 * 4; i++) {
		take_after(f, 900);
	}
	flush(f);
	until_s = feed_now_s(&f->feed);
	/* The days that are left have everything, and so has a report over all time. */
	check_pss(f, USAGE_USER, start_s - start_s % 86400, until_s, "alice",
		f->alice->true_byte_s / 1024);
	/* For times long ago there are no hours. The report has full days and says so. */
	ask(f, USAGE_USER, start_s - start_s % 86400 + 86400 + 3600, until_s, &a);
	assert_int_equal(a.head.since_s, start_s - start_s % 86400 + 86400);
	buffer_done(&a.body);
	assert_in_range(count(f, "SELECT count(DISTINCT slot) FROM bucket"), 24, 24 + 12);
	assert_in_range(count(f, "SELECT count(DISTINCT slot) FROM hour"), 48, 48 + 24);
	/* Complete slots of the next level have everything that was in those removed. */
	assert_int_equal(count(f, "SELECT min(slot) % 12 FROM bucket"), 0);
	assert_int_equal(count(f, "SELECT min(slot) % 24 FROM hour"), 0);
	assert_int_equal(count(f, "SELECT count(*) FROM span WHERE level = 0"),
		count(f, "SELECT count(DISTINCT slot) FROM bucket"));
}

/*
 * After an administrator has shortened what is kept, each write removes a part, so that none takes
 * long.
 */
static void removes_old_slots_gradually(void **state)
{
	const unsigned int slots = 3 * 288, at_once = 16 * 12;
	struct fixture *f = *state;

	f->keeping.limits.slots[SLOT_BUCKET] = 1000000;
	start(f);
	pass_slots(f, slots);
	f->keeping.limits.slots[SLOT_BUCKET] = 12;
	f->keeping.limits.slots[SLOT_HOUR] = 24;
	reopen(f);
	take_after(f, 300);
	flush(f);
	assert_in_range(count(f, "SELECT count(DISTINCT slot) FROM bucket"), slots - 2 * at_once,
		slots - at_once + 12);
	assert_in_range(count(f, "SELECT count(DISTINCT slot) FROM hour"), 72, 74);
	pass_slots(f, 6);
	assert_in_range(count(f, "SELECT count(DISTINCT slot) FROM bucket"), 12, 24);
	assert_in_range(count(f, "SELECT count(DISTINCT slot) FROM hour"), 24, 48);
}

/* The clock was set to the far future for a while. Data is not removed for that. */
static void future_clock_removes_nothing(void **state)
{
	struct fixture *f = *state;

	start(f);
	run(f, 3600);
	f->feed.realtime_ns += UINT64_C(20) * 365 * 86400 * NS_PER_SEC;
	run(f, 3600);
	f->feed.realtime_ns -= UINT64_C(20) * 365 * 86400 * NS_PER_SEC;
	write_for(f, 600);
	check_pss(f, USAGE_USER, start_s, start_s + 3600, "alice", 3600 * GIB_S);
}

static void file_stays_below_its_limit(void **state)
{
	static char name[FEED_OWNERS][64];
	struct fixture *f = *state;
	struct answer a;

	f->keeping.limits.bytes = 16 * MIB;
	for (unsigned int i = f->feed.owners; i < FEED_OWNERS; i++) {
		snprintf(name[i], sizeof(name[i]), "%060u", i);
		feed_set(feed_add(&f->feed, USAGE_PROGRAM, 0, name[i], ""), MIB, 1);
	}
	f->keeping.limits.slots[SLOT_BUCKET] = 1000000;
	start(f);
	for (unsigned int i = 0; i < unit_rounds(5000); i++) {
		take_after(f, 300);
		assert_true(store_bytes(f->store) <= 16 * MIB);
	}
	flush(f);
	ask(f, USAGE_USER, start_s - start_s % 86400, feed_now_s(&f->feed), &a);
	keeping_check_near(pss_of(&a, "alice"), f->alice->true_byte_s / 1024, 1e-6);
	buffer_done(&a.body);
}

/* The file has the container under the former name of its user. */
static void user_is_renamed_while_the_ledger_is_away(void **state)
{
	struct feed_owner *container;
	struct fixture *f = *state;
	struct answer a;

	container = feed_add(&f->feed, USAGE_CONTAINER, 0, "c0ffee", "1001");
	feed_set(container, GIB, 1);
	f->bob->name = "1001";
	start(f);
	write_for(f, 600);
	close_store(f);
	feed_wait(&f->feed, 300);
	container->user = f->bob->name = "bob";
	start(f);
	write_for(f, 300);
	keeping_check_near(sum_of(f, USAGE_CONTAINER), container->true_byte_s / 1024, 1e-6);
	ask(f, USAGE_CONTAINER, start_s, start_s + 1200, &a);
	assert_int_equal(a.head.rows, 2);
	buffer_done(&a.body);
}

/* The memory of all the programs is alice's. */
static void begin_crowd(
	struct fixture *f, enum usage_kind kind, unsigned int count, size_t name_bytes)
{
	f->feed.crowd = (struct feed_crowd){
		.kind = kind, .count = count, .name_bytes = name_bytes, .pss_bytes = MIB};
	feed_set(f->alice, count * MIB, count);
	feed_set(f->bob, 0, 0);
	feed_set(f->job, 0, 0);
}

/* By hours it would fit neither into the file nor into the limit of a write. */
static void writes_a_long_outage_of_many_rows(void **state)
{
	const unsigned int days = 20, groups = 5500;
	struct fixture *f = *state;
	struct answer a;

	f->keeping.limits.bytes = 32 * MIB;
	begin_crowd(f, USAGE_GROUP, groups, 0);
	start(f);
	run(f, 300);
	take_after(f, days * 86400);
	write_for(f, 300);
	check_sum(f, USAGE_USER);
	keeping_check_near(sum_of(f, USAGE_GROUP), f->alice->true_byte_s / 1024, 1e-3);
	ask(f, USAGE_GROUP, start_s, start_s + days * 86400, &a);
	assert_int_equal(a.head.rows, groups);
	buffer_done(&a.body);
	assert_in_range(count(f, "SELECT count(DISTINCT slot) FROM day"), days, days + 2);
	assert_in_range(count(f, "SELECT count(DISTINCT slot) FROM hour"), 2, 48);
	assert_true(store_bytes(f->store) <= 24 * MIB);
}

/*
 * The limit holds until the day ends, whatever becomes of the programs. A restart does not reset
 * it.
 */
static void limits_new_names_per_day(void **state)
{
	struct fixture *f = *state;
	size_t half = folding_rows_max(USAGE_PROGRAM);
	static const char new_names[] = "SELECT count(*) FROM series WHERE kind = 2";

	f->feed.realtime_ns += 86400 * NS_PER_SEC - f->feed.realtime_ns % (86400 * NS_PER_SEC);
	begin_crowd(f, USAGE_PROGRAM, (unsigned int)half + 200, 0);
	start(f);
	for (int i = 0; i < 12; i++) {
		if (i % 4 != 1)
			feed_rename(&f->feed);
		take_after(f, 300);
		if (i % 4 != 0)
			continue;
		flush(f);
		reopen(f);
	}
	flush(f);
	assert_in_range(count(f, new_names), half + half / 25, half + half / 24 + 2);
	/* The largest ones get a name although earlier ones used up the limit. */
	feed_set(feed_add(&f->feed, USAGE_PROGRAM, 0, "postgres", ""), GIB, 1);
	f->alice->pss_bytes += GIB;
	take_after(f, 600);
	take_after(f, 600);
	flush(f);
	{
		struct answer a;

		ask(f, USAGE_PROGRAM, start_s, feed_now_s(&f->feed), &a);
		assert_true(pss_of(&a, "postgres") > 600 * GIB_S);
		buffer_done(&a.body);
	}
	keeping_check_near(sum_of(f, USAGE_PROGRAM), sum_of(f, USAGE_USER), 1e-6);
}

/* A restart does not make running programs new, even if earlier days have no names any more. */
static void running_programs_are_not_new_after_a_restart(void **state)
{
	struct fixture *f = *state;
	static char name[20][16];
	struct answer a;

	f->feed.realtime_ns += 86400 * NS_PER_SEC - f->feed.realtime_ns % (86400 * NS_PER_SEC);
	begin_crowd(f, USAGE_PROGRAM, (unsigned int)folding_rows_max(USAGE_PROGRAM) - 1, 0);
	start(f);
	run(f, 300);
	feed_suspend(&f->feed, 86400);
	write_for(f, 300);
	/* As if the file had been full. */
	count(f,
		"DELETE FROM day WHERE series IN (SELECT id FROM series WHERE kind = 2) RETURNING 1");
	for (unsigned int i = 0; i < ARRAY_SIZE(name); i++) {
		snprintf(name[i], sizeof(name[i]), "new-%u", i);
		feed_set(feed_add(&f->feed, USAGE_PROGRAM, 0, name[i], ""), GIB, 1);
	}
	write_for(f, 600);
	ask(f, USAGE_PROGRAM, start_s, feed_now_s(&f->feed), &a);
	for (unsigned int i = 0; i < ARRAY_SIZE(name); i++)
		assert_true(pss_of(&a, name[i]) > 500 * GIB_S);
	buffer_done(&a.body);
}

/*
 * Programs without a row have no counter in the file. After a restart they are neither lost nor
 * counted twice.
 */
static void programs_without_a_name_count_once(void **state)
{
	struct fixture *f = *state;

	begin_crowd(f, USAGE_UNIT, 900, 0);
	f->alice->swap_bytes = 0;
	start(f);
	write_down(f);
	for (int i = 0; i < 10; i++) {
		run(f, 170);
		if (i == 5)
			flush(f);
		reopen(f); /* without another flush */
		if (i == 5)
			feed_restart(&f->feed);
	}
	take(f);
	write_for(f, 300);
	assert_in_range(count(f, "SELECT count(*) FROM counter"), 2, 902);
	keeping_check_near(sum_of(f, USAGE_UNIT), sum_of(f, USAGE_USER), 1e-6);
	keeping_check_near(sum_of(f, USAGE_USER), f->alice->true_byte_s / 1024, 0.01);
}

/* Each hour 1500 new names of 1000 bytes, in a file of at most 8 MiB. */
static void endless_names_do_not_fill_the_file(void **state)
{
	struct fixture *f = *state;
	unsigned int hours = 24 + unit_rounds(5 * 24);
	int64_t last_day_s;
	struct answer a;

	f->keeping.limits.bytes = 16 * MIB;
	begin_crowd(f, USAGE_PROGRAM, 1500, 1000);
	start(f);
	for (unsigned int i = 0; i < hours; i++) {
		feed_rename(&f->feed);
		take_after(f, 3600);
		assert_true(store_bytes(f->store) <= 8 * MIB);
	}
	flush(f);
	check_sum(f, USAGE_USER);
	/* For programs that exit between two snapshots an hour apart, half an interval counts. */
	assert_true(sum_of(f, USAGE_PROGRAM) > f->alice->true_byte_s / 1024 * 0.4);
	/* The last day exists, with users at full resolution. */
	last_day_s = feed_now_s(&f->feed) - 86400;
	ask(f, USAGE_USER, last_day_s, last_day_s + 86400, &a);
	keeping_check_near(pss_of(&a, "alice"), 86400.0 * 1500 * 1024, 1e-6);
	assert_int_equal(a.head.since_s, last_day_s);
	buffer_done(&a.body);
}

/* In one write: programs that do not fit are written without names, and users keep their usage. */
static void many_names_at_once_do_not_fill_the_file(void **state)
{
	struct fixture *f = *state;

	f->keeping.limits.bytes = 8 * MIB + MIB / 2;
	begin_crowd(f, USAGE_PROGRAM, 3000, 1000);
	start(f);
	for (unsigned int i = 0; i < 6; i++) {
		feed_rename(&f->feed);
		take_after(f, 300);
		assert_true(store_bytes(f->store) <= MIB / 2);
	}
	flush(f);
	check_sum(f, USAGE_USER);
	check_sum(f, USAGE_PROGRAM);
}

/* Users are never dropped. What cannot be written stays in memory. */
static void reports_usage_that_does_not_fit(void **state)
{
	static char name[FEED_OWNERS][1000];
	struct fixture *f = *state;

	f->keeping.limits.bytes = 8 * MIB + 16384;
	for (unsigned int i = f->feed.owners; i < FEED_OWNERS; i++) {
		memset(name[i], 'a' + (int)i % 26, sizeof(name[i]) - 1);
		feed_set(feed_add(&f->feed, USAGE_USER, 2000 + i, name[i], ""), MIB, 1);
	}
	open_store(f);
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
	struct fixture *f = *state;
	int64_t until_s;
	struct answer a;

	f->keeping.limits.bytes = 10 * MIB;
	f->keeping.limits.slots[SLOT_BUCKET] = 1000000;
	f->keeping.limits.slots[SLOT_HOUR] = 1000000;
	begin_crowd(f, USAGE_PROGRAM, 300, 60);
	start(f);
	for (unsigned int i = 0; i < 576; i++) {
		take_after(f, 300);
		assert_true(store_bytes(f->store) <= 2 * MIB);
	}
	flush(f);
	until_s = feed_now_s(&f->feed);
	assert_int_equal(count(f, "SELECT count(DISTINCT slot) FROM bucket"), 576);
	ask(f, USAGE_USER, start_s + 300, start_s + 1500, &a);
	assert_int_equal(a.head.since_s, start_s + 300);
	keeping_check_near(pss_of(&a, "alice"), 1200.0 * 300 * 1024, 1e-6);
	buffer_done(&a.body);
	/*
	 * In that time programs are one row with all usage. In the last slots they have their
	 * names.
	 */
	ask(f, USAGE_PROGRAM, start_s + 300, start_s + 1500, &a);
	assert_int_equal(a.head.rows, 1);
	keeping_check_near(pss_of(&a, USAGE_OTHER), 1200.0 * 300 * 1024, 1e-6);
	assert_false(row_of(&a, USAGE_OTHER).present & 1U << USAGE_PSS_MAX);
	buffer_done(&a.body);
	ask(f, USAGE_PROGRAM, until_s - 300, until_s, &a);
	assert_int_equal(a.head.rows, 300);
	buffer_done(&a.body);
	keeping_check_near(sum_of(f, USAGE_PROGRAM), sum_of(f, USAGE_USER), 1e-6);
	/* A name in a slot is also in the slot's day. */
	assert_int_equal(
		count(f, "SELECT count(*) FROM bucket WHERE series NOT IN (SELECT id FROM series)"),
		0);
	assert_int_equal(
		count(f, "SELECT count(*) FROM hour WHERE series NOT IN (SELECT id FROM series)"),
		0);
}

static int64_t bytes_used(struct fixture *f)
{
	return count(f, "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count(),"
			" pragma_freelist_count(), pragma_page_size()");
}

static void count_beat(void *beats)
{
	++*(unsigned int *)beats;
}

/* Many slots of five minutes with 300 programs. */
static void begin_slots(struct fixture *f, unsigned int slots)
{
	f->keeping.limits.slots[SLOT_BUCKET] = 1000000;
	f->keeping.limits.slots[SLOT_HOUR] = 1000000;
	begin_crowd(f, USAGE_PROGRAM, 300, 60);
	start(f);
	pass_slots(f, slots);
}

enum { DAYS = 5, SLOTS = DAYS * 288, FILE_MAX = 64 << 20 };

/* The slots of DAYS, and the feed behind them. They take seconds to write, and two tests need them. */
static struct {
	struct buffer file; /* empty: not written yet */
	struct feed feed;
} days;

static void begin_days(struct fixture *f)
{
	int fd;

	if (!days.file.len) {
		begin_slots(f, SLOTS);
		close_store(f); /* its log is in the file then */
		assert_int_equal(file_read_all(AT_FDCWD, f->keeping.path, FILE_MAX, &days.file), 0);
		days.feed = f->feed;
	}
	f->keeping.limits.slots[SLOT_BUCKET] = 1000000;
	f->keeping.limits.slots[SLOT_HOUR] = 1000000;
	f->feed = days.feed;
	fd = open(f->keeping.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, days.file.data, days.file.len), days.file.len);
	close(fd);
	open_store(f);
}

static int forget_days(void **state)
{
	(void)state;
	buffer_done(&days.file);
	return 0;
}

/*
 * Far too much, as after the limit was reduced: each write removes a part, so that no write looks
 * like a hang.
 */
static void large_surplus_is_removed_gradually(void **state)
{
	static const char with_names[] =
		"SELECT count(DISTINCT slot) FROM bucket WHERE series IN"
		" (SELECT id FROM series WHERE kind = 2 AND name != '(other)')";
	struct fixture *f = *state;
	unsigned int beats = 0;

	begin_days(f);
	assert_int_equal(count(f, with_names), SLOTS);
	assert_true(bytes_used(f) > (int64_t)(4 * MIB));
	f->keeping.limits.bytes = 9 * MIB;
	reopen(f);
	store_set_beat(f->store, (struct store_beat){.call = count_beat, .context = &beats});
	take_after(f, 300);
	flush(f);
	assert_true(beats > 0);
	assert_in_range(count(f, with_names), SLOTS - 2 * 16 * 12, SLOTS - 15 * 12);
	pass_slots(f, 12);
	assert_true(bytes_used(f) <= (int64_t)MIB);
	check_sum(f, USAGE_USER);
	check_sum(f, USAGE_PROGRAM);
}

static int64_t count_slots(struct fixture *f)
{
	return count(f, "SELECT count(*) FROM span WHERE level = 0");
}

/* If less is to be kept, or in less space, the file shrinks gradually. */
static void free_space_is_given_back(void **state)
{
	const uint64_t at_once = 1024 * UINT64_C(4096);
	struct fixture *f = *state;
	uint64_t before, bytes;

	begin_days(f);
	before = store_bytes(f->store);
	assert_true(before > 10 * MIB);
	f->keeping.limits.slots[SLOT_BUCKET] = 300;
	reopen(f);
	for (unsigned int i = 0; i < 12; i++, before = bytes) {
		pass_slots(f, 1);
		bytes = store_bytes(f->store);
		assert_true(
			bytes + 2 * at_once >= before); /* a slot ends, and another one begins */
	}
	assert_in_range(bytes, 2 * MIB, 6 * MIB);
	assert_in_range(count_slots(f), 300, 320);
	/* A little free space is reused. */
	before = store_bytes(f->store);
	pass_slots(f, 24);
	assert_in_range(store_bytes(f->store), before - MIB / 2, before + MIB / 2);
	f->keeping.limits.bytes = 9 * MIB;
	reopen(f);
	pass_slots(f, 12);
	assert_true(store_bytes(f->store) <= MIB);
	check_sum(f, USAGE_USER);
	check_sum(f, USAGE_PROGRAM);
	/* Nor does it grow again. */
	for (unsigned int i = 0; i < 100; i++) {
		pass_slots(f, 1);
		assert_true(store_bytes(f->store) <= MIB);
	}
}

/*
 * Most writes do not touch the damaged page. The one that does is written and reports the damage.
 */
static void reports_damage_found_by_a_write(void **state)
{
	struct fixture *f = *state;
	unsigned int writes = 0;
	int r = 0;

	begin_slots(f, 400);
	f->keeping.limits.slots[SLOT_BUCKET] = 12;
	reopen(f);
	keeping_spoil_map(&f->keeping, f->store);
	while (r == 0) {
		AUTO_VIEW struct view *view = NULL;

		assert_in_range(writes, 0, 6);
		feed_wait(&f->feed, 300);
		view = feed_pass(&f->feed);
		assert_int_equal(bucket_take(&f->b, view, 0, true), 0);
		while (r == 0 && bucket_advance(&f->b)) {
			r = store_write(f->store, &f->b);
			bucket_clear(&f->b);
			writes++;
		}
	}
	assert_int_equal(r, STORE_DAMAGED);
	assert_non_null(strstr(store_error(f->store), "malformed"));
	assert_in_range(writes, 2, 6);
	f->store = store_abandon(f->store);
	assert_int_equal(try_open(f, "damaged"), STORE_DAMAGED);
}

/* A file made without auto-vacuum stays as it is. */
static void writes_to_files_that_cannot_shrink(void **state)
{
	struct fixture *f = *state;

	begin_slots(f, 200);
	f->store = store_close(f->store);
	{
		sqlite3 *db;

		assert_int_equal(sqlite3_open(f->keeping.path, &db), SQLITE_OK);
		assert_int_equal(
			sqlite3_exec(db, "PRAGMA auto_vacuum = NONE; VACUUM", NULL, NULL, NULL),
			SQLITE_OK);
		sqlite3_close(db);
	}
	f->keeping.limits.slots[SLOT_BUCKET] = 12;
	f->keeping.limits.bytes = 9 * MIB;
	reopen(f);
	pass_slots(f, 6);
	assert_in_range(count_slots(f), 12, 24);
}

/* Mounts a tmpfs of SIZE. Returns false if this is not permitted. */
static bool mount_small(const char *dir, const char *size)
{
	char options[64];

	snprintf(options, sizeof(options), "mode=700,size=%s", size);
	if (unshare(CLONE_NEWNS) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		return false;
	return mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("none", dir, "tmpfs", 0, options) == 0;
}

/* Fills the file system except LEFT bytes. */
static void fill(const struct fixture *f, off_t left)
{
	static const char block[65536];
	char path[80];
	int fd;

	snprintf(path, sizeof(path), "%s/filler", f->keeping.dir);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	while (write(fd, block, sizeof(block)) > 0)
		;
	assert_int_equal(errno, ENOSPC);
	assert_int_equal(ftruncate(fd, lseek(fd, 0, SEEK_END) - left), 0);
	close(fd);
}

static uint64_t room_in(const struct fixture *f)
{
	struct statvfs st;

	assert_int_equal(statvfs(f->keeping.dir, &st), 0);
	return (uint64_t)st.f_bavail * st.f_frsize;
}

/* A file system with room for a log of 1 MiB. That of 16 hours is larger. */
static void shorten_on_a_full_disk(struct fixture *f)
{
	begin_slots(f, 600);
	f->store = store_close(f->store);
	fill(f, (off_t)MIB);
	f->keeping.limits.slots[SLOT_BUCKET] = 12;
	reopen(f);
	pass_slots(f, 12);
	assert_in_range(count_slots(f), 12, 600 - 100);
	pass_slots(f, 60);
	assert_in_range(count_slots(f), 12, 24);
	assert_true(room_in(f) > 3 * MIB);
	check_sum(f, USAGE_USER);
}

static void keeps_less_on_a_full_disk(void **state)
{
	enum { CANNOT = 77 };
	struct fixture *f = *state;
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		if (!mount_small(f->keeping.dir, "16m"))
			_exit(CANNOT);
		shorten_on_a_full_disk(f);
		store_close(
			f->store); /* leaks that valgrind finds would become the child's status */
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == CANNOT)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
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
	struct fixture *f = *state;

	begin_crowd(f, USAGE_PROGRAM, 20, 0);
	start(f);
	for (unsigned int i = 0; i < 20; i++) {
		feed_rename(&f->feed);
		write_for(f, 300);
		feed_suspend(&f->feed, 86400);
	}
	write_for(f, 600);
	assert_true(count(f, "SELECT count(*) FROM series WHERE kind = 2") > 300);
	f->keeping.limits.slots[SLOT_DAY] = 3;
	f->keeping.limits.slots[SLOT_HOUR] = 24;
	reopen(f);
	pass_slots(f, 8);
	assert_in_range(count(f, "SELECT count(DISTINCT slot) FROM day"), 3, 4);
	assert_int_equal(count(f, left), 0);
}

/*
 * If hours are kept longer than their days, their rows must not refer to names that were removed.
 */
static void finer_slots_are_removed_with_their_day(void **state)
{
	struct fixture *f = *state;

	f->keeping.limits.slots[SLOT_DAY] = 3;
	start(f);
	for (unsigned int i = 0; i < 10; i++) {
		begin_crowd(f, USAGE_PROGRAM, 5, 0);
		feed_rename(&f->feed);
		write_for(f, 300);
		feed_suspend(&f->feed, 86400);
	}
	write_for(f, 300);
	assert_in_range(count(f, "SELECT count(DISTINCT slot) FROM hour"), 3, 6);
	assert_int_equal(
		count(f, "SELECT count(*) FROM hour WHERE series NOT IN (SELECT id FROM series)"),
		0);
}

static void put(const char *path, const char *text, size_t len, off_t at)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, text, len, at), len);
	close(fd);
}

static void damaged_files_are_quarantined(void **state)
{
	struct fixture *f = *state;
	char name[STORE_ERROR_SIZE], noise[8192], other[STORE_ERROR_SIZE + 8];
	struct stat st;

	memset(noise, 0xa5, sizeof(noise));
	/* A file that is no database. */
	put(f->keeping.path, noise, sizeof(noise), 0);
	assert_int_equal(try_open(f, "damaged"), STORE_DAMAGED);
	assert_int_equal(quarantine_put(f->keeping.dir, f->feed.realtime_ns, name), 0);
	assert_non_null(strstr(name, "/ledger.db.damaged-20231114T"));
	assert_int_equal(stat(name, &st), 0);
	assert_int_equal(st.st_size, sizeof(noise));
	assert_int_equal(stat(f->keeping.path, &st), -1);
	/* A database that was good, with its log files. */
	start(f);
	write_for(f, 6000);
	close_store(f);
	assert_int_equal(stat(f->keeping.path, &st), 0);
	for (off_t at = 4096; at < st.st_size; at += 4096)
		put(f->keeping.path, noise, 512, at);
	snprintf(other, sizeof(other), "%s-wal", f->keeping.path);
	put(other, noise, 100, 0);
	assert_int_equal(try_open(f, "damaged"), STORE_DAMAGED);
	assert_int_equal(quarantine_put(f->keeping.dir, f->feed.realtime_ns + NS_PER_SEC, name), 0);
	snprintf(other, sizeof(other), "%s-wal", name);
	assert_int_equal(stat(f->keeping.path, &st), -1);
	snprintf(other, sizeof(other), "%s-wal", f->keeping.path);
	assert_int_equal(stat(other, &st), -1);
	open_store(f);
	assert_false(f->b.mark.is_set);
	take(f);
	write_for(f, 600);
}

/* As after a crash: a log is beside the file. */
static void leave_log(struct fixture *f)
{
	char log[80];
	struct stat st;

	start(f);
	write_for(f, 600);
	f->store = store_abandon(f->store);
	bucket_done(&f->b);
	snprintf(log, sizeof(log), "%s-wal", f->keeping.path);
	assert_int_equal(stat(log, &st), 0);
	assert_true(st.st_size > 0);
}

/* A new file is empty too, but has no log. */
static void truncated_file_is_no_new_file(void **state)
{
	char name[STORE_ERROR_SIZE], log[STORE_ERROR_SIZE + 8];
	struct fixture *f = *state;
	struct stat st;

	put(f->keeping.path, "", 0, 0);
	leave_log(f);
	assert_int_equal(truncate(f->keeping.path, 0), 0);
	assert_int_equal(try_open(f, "damaged"), STORE_DAMAGED);
	assert_int_equal(try_open(f, "damaged"), STORE_DAMAGED); /* unchanged */
	assert_int_equal(quarantine_put(f->keeping.dir, f->feed.realtime_ns, name), 0);
	snprintf(log, sizeof(log), "%s-wal", name);
	assert_int_equal(stat(log, &st), 0);
	assert_true(st.st_size > 0);
	open_store(f);
	assert_false(f->b.mark.is_set);
	/* An empty log is no evidence. */
	close_store(f);
	assert_int_equal(truncate(f->keeping.path, 0), 0);
	snprintf(log, sizeof(log), "%s-wal", f->keeping.path);
	put(log, "", 0, 0);
	open_store(f);
}

/* A new file is missing too, but has no log. */
static void lost_file_is_no_new_file(void **state)
{
	char name[STORE_ERROR_SIZE], log[80];
	struct fixture *f = *state;
	struct stat before, after;

	leave_log(f);
	snprintf(log, sizeof(log), "%s-wal", f->keeping.path);
	assert_int_equal(stat(log, &before), 0);
	assert_int_equal(unlink(f->keeping.path), 0);
	assert_int_equal(try_open(f, "damaged"), STORE_DAMAGED);
	assert_int_equal(try_open(f, "damaged"), STORE_DAMAGED); /* unchanged */
	assert_int_equal(
		quarantine_put(f->keeping.dir, f->feed.realtime_ns, name), QUARANTINE_NO_FILE);
	assert_int_equal(stat(name, &after), 0);
	assert_int_equal(after.st_ino, before.st_ino);
	assert_int_equal(after.st_size, before.st_size);
	open_store(f);
	assert_false(f->b.mark.is_set);
	/* An empty log is no evidence. */
	close_store(f);
	assert_int_equal(unlink(f->keeping.path), 0);
	put(log, "", 0, 0);
	open_store(f);
}

static void check_sql(struct fixture *f, const char *sql, int expected, const char *said)
{
	sqlite3 *db;

	unlink(f->keeping.path);
	assert_int_equal(sqlite3_open(f->keeping.path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	assert_int_equal(try_open(f, said), expected);
}

static void foreign_databases_are_refused(void **state)
{
	struct fixture *f = *state;
	struct stat before, after;

	check_sql(f, "CREATE TABLE t(x)", STORE_FOREIGN, "another program's");
	check_sql(f, "PRAGMA application_id = 7; CREATE TABLE t(x)", STORE_FOREIGN,
		"another program's");
	check_sql(f,
		"PRAGMA application_id = 1297370233; PRAGMA user_version = 2; CREATE TABLE t(x)",
		STORE_FOREIGN, "later memtally");
	/* Unchanged. */
	assert_int_equal(stat(f->keeping.path, &before), 0);
	assert_int_equal(try_open(f, "another program's"), STORE_FOREIGN);
	assert_int_equal(stat(f->keeping.path, &after), 0);
	assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
	assert_int_equal(before.st_size, after.st_size);
	/* Ours by its application id, but with other tables. */
	check_sql(f,
		"PRAGMA application_id = 1297370233; PRAGMA user_version = 1; CREATE TABLE series(x)",
		STORE_DAMAGED, "damaged");
}

static void open_databases_are_refused(void **state)
{
	struct fixture *f = *state;
	sqlite3 *db;

	open_store(f);
	assert_int_equal(try_open(f, "locked"), STORE_LOCKED);
	take(f);
	write_for(f, 600);
	f->store = store_close(f->store);
	assert_int_equal(sqlite3_open(f->keeping.path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "BEGIN; SELECT count(*) FROM series", NULL, NULL, NULL),
		SQLITE_OK);
	assert_int_equal(try_open(f, "locked"), STORE_LOCKED);
	sqlite3_close(db);
	bucket_done(&f->b);
	open_store(f);
	assert_true(f->b.mark.is_set);
}

static void other_file_types_are_refused(void **state)
{
	struct fixture *f = *state;
	char target[80];

	/* A link could lead anywhere. */
	snprintf(target, sizeof(target), "%s/target", f->keeping.dir);
	put(target, "", 0, 0);
	assert_int_equal(symlink(target, f->keeping.path), 0);
	assert_int_equal(try_open(f, ""), STORE_UNWRITABLE);
	unlink(f->keeping.path);
	assert_int_equal(mkdir(f->keeping.path, 0700), 0);
	assert_int_equal(try_open(f, ""), STORE_UNWRITABLE);
	rmdir(f->keeping.path);
}

/*
 * A limit of the file size stands in for a full disk. In a child, because not every user can raise
 * the limit again.
 */
static void reports_a_full_disk(void **state)
{
	struct fixture *f = *state;
	int status;
	pid_t child;

	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct rlimit limit, full = {.rlim_cur = 0};

		signal(SIGXFSZ, SIG_IGN);
		start(f);
		write_for(f, 600);
		take_after(f, 100);
		getrlimit(RLIMIT_FSIZE, &limit);
		full.rlim_max = limit.rlim_max;
		setrlimit(RLIMIT_FSIZE, &full);
		for (int i = 0; i < 3; i++) {
			assert_int_equal(store_write(f->store, &f->b), STORE_UNWRITABLE);
			assert_true(strlen(store_error(f->store)) > 0);
		}
		bucket_stretch(&f->b);
		setrlimit(RLIMIT_FSIZE, &limit);
		write_for(f, 1000);
		check_pss(f, USAGE_USER, start_s, start_s + 1700, "alice",
			f->alice->true_byte_s / 1024);
		reopen(f);
		check_pss(f, USAGE_UNIT, start_s, start_s + 1700, "job.service",
			f->job->true_byte_s / 1024);
		store_close(f->store);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* errno of writes to files */
static int write_error;

static ssize_t fail_to_write(int fd, const void *data, size_t len)
{
	(void)fd, (void)data, (void)len;
	errno = write_error;
	return -1;
}

static ssize_t fail_to_pwrite(int fd, const void *data, size_t len, off_t at)
{
	(void)at;
	return fail_to_write(fd, data, len);
}

/* All of SQLite's writing calls fail with ERROR; 0: none. */
static void fail_writes(int error)
{
	sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
	sqlite3_syscall_ptr write_call = error ? (sqlite3_syscall_ptr)fail_to_write : NULL;
	sqlite3_syscall_ptr pwrite_call = error ? (sqlite3_syscall_ptr)fail_to_pwrite : NULL;

	write_error = error;
	assert_int_equal(vfs->xSetSystemCall(vfs, "write", write_call), SQLITE_OK);
	assert_int_equal(vfs->xSetSystemCall(vfs, "pwrite", pwrite_call), SQLITE_OK);
	assert_int_equal(vfs->xSetSystemCall(vfs, "pwrite64", pwrite_call), SQLITE_OK);
}

/* errno of fdatasync() and fsync(); 0: they succeed */
static int sync_error;

/* Wraps the C library's function: SQLite calls it directly, and its VFS cannot replace it. */
int fdatasync(int fildes)
{
	errno = sync_error;
	return sync_error ? -1 : (int)syscall(SYS_fdatasync, fildes);
}

static void fail_syncs(int error)
{
	sync_error = error;
}

/* Returns the number of attempts to write if writes fail with ERROR. */
static unsigned int count_tries(struct fixture *f, void (*hurt)(int), int error)
{
	take_after(f, 10);
	begun = 0;
	hurt(error);
	assert_int_equal(store_write(f->store, &f->b), STORE_UNWRITABLE);
	hurt(0);
	assert_true(strlen(store_error(f->store)) > 0);
	return begun;
}

/*
 * If space is short, a smaller write may fit. A failing or read-only disk is not tried again. File
 * systems that allocate late, for example over the network, report a lack of space only when data
 * is synchronised.
 */
static void retries_with_less_if_space_is_short(void **state)
{
	static void (*const hurt[])(int) = {fail_writes, fail_syncs};
	static const int no_room[] = {ENOSPC, EDQUOT, EFBIG}, failure[] = {EIO, EROFS, EPERM};
	struct fixture *f = *state;

	start(f);
	for (size_t i = 0; i < ARRAY_SIZE(failure); i++)
		assert_int_equal(count_tries(f, fail_writes, failure[i]), 1);
	for (size_t i = 0; i < ARRAY_SIZE(hurt) * ARRAY_SIZE(no_room); i++) {
		assert_int_equal(count_tries(f, hurt[i % 2], no_room[i / 2]), 4);
		assert_int_equal(count_tries(f, hurt[i % 2], failure[i / 2]), 1);
		for (unsigned int n = 0; n < 6; n++) { /* then the same amount is tried as before */
			write_for(f, 10);
		}
	}
	check_pss(f, USAGE_USER, start_s, start_s + 7200, "alice", f->alice->true_byte_s / 1024);
	reopen(f);
	check_pss(f, USAGE_USER, start_s, start_s + 7200, "alice", f->alice->true_byte_s / 1024);
}

static off_t size_of_log(const struct fixture *f)
{
	char log[128];
	struct stat st;

	snprintf(log, sizeof(log), "%s-wal", f->keeping.path);
	return stat(log, &st) < 0 ? 0 : st.st_size;
}

static int fail_to_stat(const char *path, struct stat *ret)
{
	(void)path, (void)ret;
	errno = EIO;
	return -1;
}

/* A file that stat() cannot examine is still the same file. */
static void unexaminable_file_is_not_gone(void **state)
{
	sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
	struct fixture *f = *state;

	start(f);
	run(f, 10);
	assert_int_equal(
		vfs->xSetSystemCall(vfs, "stat", (sqlite3_syscall_ptr)fail_to_stat), SQLITE_OK);
	assert_int_equal(store_write(f->store, &f->b), 0);
	assert_int_equal(vfs->xSetSystemCall(vfs, "stat", NULL), SQLITE_OK);
}

/*
 * The log goes with a file that was removed; otherwise the next file would take over its content.
 */
static void log_is_removed_with_its_file(void **state)
{
	struct fixture *f = *state;
	char away[128];

	snprintf(away, sizeof(away), "%s-away", f->keeping.path);
	for (unsigned int closes = 0; closes < 3; closes++) {
		start(f);
		write_for(f, 10);
		assert_true(size_of_log(f) > 0);
		assert_int_equal(rename(f->keeping.path, away), 0);
		run(f, 10);
		if (!closes) {
			fail_writes(ENOSPC);
			assert_int_equal(store_write(f->store, &f->b), STORE_UNWRITABLE);
			fail_writes(0);
			assert_true(size_of_log(f) > 0);
			assert_int_equal(store_write(f->store, &f->b), STORE_GONE);
			assert_int_equal(size_of_log(f), 0);
		}
		f->store = closes < 2 ? store_close(f->store) : store_abandon(f->store);
		bucket_done(&f->b);
		assert_int_equal(size_of_log(f), 0);
		assert_int_equal(rename(away, f->keeping.path), 0);
		open_store(f); /* complete, and not damaged */
		close_store(f);
		assert_int_equal(unlink(f->keeping.path), 0);
	}
	open_store(f);
}

/* An open transaction is no damage of the file, and is rolled back as soon as possible. */
static void survives_a_failed_rollback(void **state)
{
	struct fixture *f = *state;
	struct answer a;

	start(f);
	for (unsigned int rollbacks = 0; rollbacks < 4; rollbacks++) {
		run(f, 200);
		failing[0].times = 1; /* after slots were written */
		failing[1].times = rollbacks;
		assert_int_equal(store_write(f->store, &f->b), -ENOMEM);
		while (failing[1].times)
			assert_int_equal(store_write(f->store, &f->b), -ENOMEM);
		flush(f);
	}
	ask(f, USAGE_USER, start_s, start_s + 900, &a);
	keeping_check_near(pss_of(&a, "alice"), f->alice->true_byte_s / 1024, 1e-6);
	assert_int_equal(a.head.covered_ms, 800000);
	buffer_done(&a.body);
}

/* Names in the file that no snapshot can have are not shown. */
static void does_not_trust_names_in_the_file(void **state)
{
	struct fixture *f = *state;
	struct answer a;

	start(f);
	write_for(f, 600);
	count(f, "DELETE FROM counter RETURNING 1");
	count(f, "UPDATE series SET name = 'x' || char(27) WHERE name = 'bob' RETURNING 1");
	count(f, "UPDATE day SET pss = -5, processes = 'many' WHERE series = 1 RETURNING 1");
	count(f, "UPDATE hour SET pss = -5, processes = 'many' WHERE series = 1 RETURNING 1");
	count(f, "UPDATE bucket SET pss = -5, processes = 'many' WHERE series = 1 RETURNING 1");
	ask(f, USAGE_USER, start_s, start_s + 600, &a);
	assert_int_equal(a.head.rows, 1);
	assert_false(row_of(&a, "alice").present & 1U << USAGE_PSS);
	buffer_done(&a.body);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	static const struct CMUnitTest tests[] = {
		TEST(reads_written_usage),
		TEST(a_restart_loses_nothing),
		TEST(a_kill_loses_at_most_a_bucket),
		TEST(memtallyd_restarts_while_the_ledger_is_away),
		TEST(users_see_their_own_usage),
		TEST(denied_users_have_no_value),
		TEST(no_report_ends_in_the_future),
		TEST(reused_uid_shows_no_former_usage),
		TEST(uid_may_get_a_former_name_back),
		TEST(uid_as_a_name_is_the_same_user),
		TEST(long_outage_is_spread),
		TEST(parts_within_an_outage_add_up),
		TEST(parts_within_a_long_outage_add_up),
		TEST(parts_add_up_after_the_clock_was_set_back),
		TEST(report_until_now_includes_outages_ahead_of_the_clock),
		TEST(parts_of_the_first_usage_add_up),
		TEST(parts_of_random_histories_add_up),
		TEST(removes_old_slots),
		TEST(removes_old_slots_gradually),
		TEST(future_clock_removes_nothing),
		TEST(file_stays_below_its_limit),
		TEST(user_is_renamed_while_the_ledger_is_away),
		TEST(writes_a_long_outage_of_many_rows),
		TEST(limits_new_names_per_day),
		TEST(running_programs_are_not_new_after_a_restart),
		TEST(programs_without_a_name_count_once),
		TEST(endless_names_do_not_fill_the_file),
		TEST(many_names_at_once_do_not_fill_the_file),
		TEST(reports_usage_that_does_not_fit),
		TEST(removes_names_before_users),
		TEST(large_surplus_is_removed_gradually),
		TEST(free_space_is_given_back),
		TEST(reports_damage_found_by_a_write),
		TEST(writes_to_files_that_cannot_shrink),
		TEST(keeps_less_on_a_full_disk),
		TEST(names_are_removed_with_their_days),
		TEST(finer_slots_are_removed_with_their_day),
		TEST(damaged_files_are_quarantined),
		TEST(truncated_file_is_no_new_file),
		TEST(lost_file_is_no_new_file),
		TEST(foreign_databases_are_refused),
		TEST(open_databases_are_refused),
		TEST(other_file_types_are_refused),
		TEST(reports_a_full_disk),
		TEST(retries_with_less_if_space_is_short),
		TEST(unexaminable_file_is_not_gone),
		TEST(log_is_removed_with_its_file),
		TEST(survives_a_failed_rollback),
		TEST(does_not_trust_names_in_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, forget_days);
}
