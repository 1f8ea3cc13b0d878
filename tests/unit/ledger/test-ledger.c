/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fault injection into memtally-ledger: its loop runs in a child, and each system call and
 * allocation of taking a snapshot, writing and answering, including SQLite's, fails in turn. Usage
 * is then counted once, never too high, and soon complete, and no file is set aside. The child's
 * clocks other than CLOCK_REALTIME run 100 times as fast, so that it retries soon.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/os/channel.h"
#include "ledger/ledger.h"
#include "tests/unit/support/ledger/keeping.h"
#include "tests/unit/support/process/child.h"
#include "tests/unit/support/snapshot/snapshot-socket.h"
#include "tests/unit/support/tree/tree.h"

#define PATIENCE_NS (20 * NS_PER_SEC)

enum {
	SPEED = 100,
	SLOT_S = 300,
	DAYS_AGO = 30, /* All snapshots are this old, so that a complete slot is written at once. */
	ASKED = 2,
	WAIT_MS = 5000,
	MANY = 20,
	SOME = 5, /* calls between two injections; the long check injects at every call */
};

static struct fixture {
	struct tree tree;
	char file_flag[96], snapshot_flag[96], ledger_flag[96], directory_flag[96];
	char snapshots[64], ledger[64], directory[64];
	struct child child;
	struct snapshot_socket socket;
	struct feed feed;
	uint64_t begin_ns; /* wall-clock time of the first snapshot */
	double told;       /* highest usage reported so far, in byte seconds */
	int64_t written_s; /* from the last answer */
} f;

#define FAIL(...) CHILD_FAIL(&f.child, __VA_ARGS__)

static int speed = 1;

int __real_clock_gettime(clockid_t clock, struct timespec *ret);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
	uint64_t ns;

	if (clock == CLOCK_REALTIME || speed == 1)
		return __real_clock_gettime(clock, ret);
	__real_clock_gettime(
		CLOCK_MONOTONIC, ret); /* also for CLOCK_BOOTTIME: the host was never suspended */
	ns = ((uint64_t)ret->tv_sec * NS_PER_SEC + (uint64_t)ret->tv_nsec) * (uint64_t)speed;
	*ret = (struct timespec){
		.tv_sec = (time_t)(ns / NS_PER_SEC), .tv_nsec = (long)(ns % NS_PER_SEC)};
	return 0;
}

static void publish(void)
{
	feed_wait(&f.feed, SLOT_S);
	snapshot_socket_publish(&f.socket, feed_image(&f.feed));
}

/* Byte seconds used so far: one user has 1 GiB all the time. */
static double truth(void)
{
	return GIB_S * (double)(f.feed.realtime_ns - f.begin_ns) / (double)NS_PER_SEC;
}

/* Receives the answer, which is one message. Returns true if its status is USAGE_GOOD. */
static bool receive(int fd, struct usage_head *head, struct usage_row *row)
{
	static uint64_t answer[USAGE_MESSAGE_MAX / 8];
	struct pollfd p = {.fd = fd, .events = POLLIN};
	size_t at = USAGE_HEAD_SIZE;
	ssize_t n;

	if (poll(&p, 1, WAIT_MS) <= 0) {
		child_assert_running(&f.child);
		FAIL("no answer");
	}
	n = recv(fd, answer, sizeof(answer), MSG_DONTWAIT);
	if (n <= 0)
		return false;
	if (usage_check(answer, (size_t)n, head) < 0)
		FAIL("the answer is malformed");
	*row = (struct usage_row){0};
	if (head->rows > 1 || (head->rows && !usage_next(answer, (size_t)n, &at, row)))
		FAIL("%u rows", head->rows);
	return head->status == USAGE_GOOD;
}

/*
 * Asks for the usage and checks a good answer, which must never be wrong. Returns false if there
 * was no good answer.
 */
static bool ask(void)
{
	const struct usage_request request = {.kind = USAGE_USER,
		.since_s = (int64_t)(f.begin_ns / NS_PER_SEC),
		.until_s = (int64_t)(f.begin_ns / NS_PER_SEC) + DAYS_AGO * 86400};
	unsigned char question[USAGE_REQUEST_SIZE];
	AUTO_CLOSE int fd = -1;
	struct usage_head head;
	struct usage_row row;
	double told, known;

	usage_request_write(&request, question);
	if (channel_connect(f.ledger, &fd) < 0 ||
		send(fd, question, sizeof(question), MSG_NOSIGNAL) != sizeof(question) ||
		!receive(fd, &head, &row))
		return false;
	told = (double)row.q[USAGE_PSS];
	known = GIB_S * (double)head.covered_ms / 1000;
	if (fabs(told - known) > 1e-6 * told + 64)
		FAIL("covered time implies %.0f, but the answer has %.0f", known, told);
	if (told > truth() + 1e-6 * told + 64)
		FAIL("%.0f were used, but the answer has %.0f", truth(), told);
	if (told < f.told)
		FAIL("the usage fell from %.0f to %.0f", f.told, told);
	if (head.set_aside)
		FAIL("the file was set aside");
	f.told = told;
	f.written_s = head.written_s;
	return true;
}

/* Waits until the ledger counts from the first snapshot on. */
static void await_baseline(void)
{
	for (int i = 0; f.written_s <= 0 && i < 2000; i++) {
		usleep(10000);
		snapshot_socket_serve(&f.socket);
		ask();
	}
}

/* Publishes a snapshot and waits until all usage is reported. */
static void follow(void)
{
	uint64_t end_ns = clock_now_ns(CLOCK_MONOTONIC) + PATIENCE_NS;

	publish();
	while (!ask() || f.told < truth() - 1e-6 * truth() - 64) {
		child_assert_running(&f.child);
		if (clock_now_ns(CLOCK_MONOTONIC) > end_ns)
			FAIL("%.0f were used, but the answer has %.0f", truth(), f.told);
		usleep(2000);
		snapshot_socket_serve(&f.socket);
	}
}

/* Injects at call N and checks recovery. Returns false if there were fewer than N calls. */
static bool survives(const struct injector_sweep *s, unsigned int n, unsigned int way)
{
	bool has_struck;

	injector_arm_many(s->kind, n, s->times, way);
	publish();
	for (int i = 0; i < ASKED; i++)
		ask();
	has_struck = injector_has_struck();
	injector_end();
	follow();
	return has_struck;
}

static void survives_all(enum injector_kind kind, unsigned int times, unsigned int step)
{
	const struct injector_sweep sweep = {
		.kind = kind, .times = times, .step = step, .round = survives};
	unsigned int before;

	if (f.child.pid == 0)
		skip();
	injector_arm(kind, 0, 0);
	follow();
	before = child_descriptors(&f.child);
	assert_true(injector_run(&sweep) > 20);
	usleep(10000);
	if (child_descriptors(&f.child) > before + 1)
		FAIL("%u descriptors, and %u before", child_descriptors(&f.child), before);
}

static void recovers_from_each_failed_call(void **state)
{
	(void)state;
	survives_all(INJECTOR_CALLS, 1, injector_step(SOME));
}

static void recovers_from_each_failed_allocation(void **state)
{
	(void)state;
	survives_all(INJECTOR_ALLOCATIONS, 1, SOME);
}

/* As on a full disk, or while memory is short. */
static void recovers_from_many_failures_in_a_row(void **state)
{
	(void)state;
	survives_all(INJECTOR_CALLS, MANY, injector_step(SOME));
}

static void run_ledger(void)
{
	char *argv[] = {(char *)"memtally-ledger", f.file_flag, f.snapshot_flag, f.ledger_flag,
		f.directory_flag, (char *)"--ledger.keep_buckets=60d", NULL};

	speed = SPEED;
	_exit(child_begin(&f.child) ? ledger_run(6, argv) : EXIT_FAILURE);
}

static int start(void **state)
{
	struct feed_owner *alice;
	uid_t uid;

	(void)state;
	tree_open(&f.tree);
	if (chmod(f.tree.path, 0755) < 0)
		return -1;
	tree_write(&f.tree, "none.yaml", "");
	snprintf(f.snapshots, sizeof(f.snapshots), "%s/snapshots", f.tree.path);
	snprintf(f.ledger, sizeof(f.ledger), "%s/ledger", f.tree.path);
	snprintf(f.directory, sizeof(f.directory), "%s/state", f.tree.path);
	snprintf(f.child.log, sizeof(f.child.log), "%s/log", f.tree.path);
	snprintf(f.file_flag, sizeof(f.file_flag), "--config.file=%s/none.yaml", f.tree.path);
	snprintf(f.snapshot_flag, sizeof(f.snapshot_flag), "--snapshot.socket=%s", f.snapshots);
	snprintf(f.ledger_flag, sizeof(f.ledger_flag), "--ledger.socket=%s", f.ledger);
	snprintf(f.directory_flag, sizeof(f.directory_flag), "--ledger.directory=%s", f.directory);
	feed_init(&f.feed);
	f.feed.realtime_ns = (clock_now_ns(CLOCK_REALTIME) / NS_PER_SEC / SLOT_S * SLOT_S -
				     DAYS_AGO * UINT64_C(86400)) *
	                     NS_PER_SEC;
	feed_restart(&f.feed);
	alice = feed_add(&f.feed, USAGE_USER, 1000, "alice", "");
	feed_set(alice, UINT64_C(1) << 30, 1);
	if (mkdir(f.directory, 0700) < 0 || keeping_give(f.directory, &uid) < 0 ||
		snapshot_socket_open(&f.socket, f.snapshots) < 0)
		return -1;
	publish();
	f.begin_ns = f.feed.realtime_ns;
	if (!injector_open())
		return -1;
	if (!injector_works())
		return 0;
	f.child.pid = fork();
	if (f.child.pid == 0)
		run_ledger();
	if (f.child.pid < 0)
		return -1;
	await_baseline();
	return f.written_s > 0 ? 0 : -1;
}

static int stop(void **state)
{
	int status = 0;

	(void)state;
	if (f.child.pid > 0) {
		kill(f.child.pid, SIGTERM);
		waitpid(f.child.pid, &status, 0);
	}
	snapshot_socket_close(&f.socket);
	tree_done(&f.tree);
	return status;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(recovers_from_each_failed_call),
		cmocka_unit_test(recovers_from_each_failed_allocation),
		cmocka_unit_test(recovers_from_many_failures_in_a_row),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
