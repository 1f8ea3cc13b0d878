/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the feed: snapshots of a stand-in for memtallyd, of the measuring child, and their ends. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/os/channel.h"
#include "cli/top/feed.h"
#include "tests/unit/support/folder.h"
#include "tests/unit/support/snapshot/sample.h"
#include "tests/unit/support/snapshot/snapshot-socket.h"

static char socket_path[] = "socket", procfs[] = "/proc", nowhere[] = "/nonexistent";

static struct settings settings_for(bool is_live, char *proc)
{
	return (struct settings){
		.snapshot_socket = socket_path,
		.path_procfs = proc,
		.live = is_live,
	};
}

static uint64_t now_ns(void)
{
	return clock_now_ns(CLOCK_MONOTONIC);
}

/* Publishes a snapshot that was complete AGO_NS ago. */
static void publish(struct snapshot_socket *s, uint64_t sequence, uint64_t ago_ns)
{
	const struct sample_options options = {
		.sequence = sequence,
		.boottime_ns = clock_now_ns(CLOCK_BOOTTIME) - ago_ns,
		.interval_ns = NS_PER_SEC,
	};
	int image;

	assert_int_equal(sample_seal(&options, &image), 0);
	snapshot_socket_publish(s, image);
}

/* Runs F until it has a new snapshot. */
static void await_snapshot(struct feed *f, struct snapshot_socket *s)
{
	while (!feed_run(f, now_ns())) {
		struct pollfd polls[FEED_POLLS];
		size_t count = feed_poll(f, polls);

		if (s)
			snapshot_socket_serve(s);
		poll(polls, count, 20);
	}
}

static void expect_problem(const struct feed *f, const char *wanted)
{
	AUTO_BUFFER struct buffer text = {0};

	feed_add_problem(f, &text);
	buffer_add_char(&text, '\0');
	if (!wanted)
		assert_string_equal(text.data, "");
	else if (!strstr(text.data, wanted))
		fail_msg("'%s' instead of '%s'", text.data, wanted);
}

static void expect_origin(const struct feed *f, const char *wanted)
{
	AUTO_BUFFER struct buffer text = {0};

	feed_add_origin(f, &text);
	buffer_add_char(&text, '\0');
	if (!*wanted)
		assert_string_equal(text.data, "");
	assert_non_null(strstr(text.data, wanted));
}

static void snapshots_of_memtallyd_are_shown(void **state)
{
	const struct settings settings = settings_for(false, procfs);
	struct snapshot_socket s;
	struct feed f;

	(void)state;
	assert_int_equal(snapshot_socket_open(&s, socket_path), 0);
	assert_int_equal(feed_open(&f, &settings), 0);
	assert_false(feed_run(&f, now_ns()));
	expect_problem(&f, "memtallyd's first pass is not complete");
	publish(&s, 1, 0);
	await_snapshot(&f, &s);
	assert_int_equal(f.view->header->sequence, 1);
	assert_false(f.is_own);
	expect_problem(&f, NULL);
	expect_origin(&f, "");
	assert_int_equal(feed_sight(&f).kind, SIGHT_ALL);
	publish(&s, 2, 0);
	await_snapshot(&f, &s);
	assert_int_equal(f.view->header->sequence, 2);
	/* The connection is lost: a message at once, and no measuring child in its place. */
	snapshot_socket_close(&s);
	assert_false(feed_run(&f, now_ns()));
	expect_problem(&f, "no connection to memtallyd at ");
	assert_int_equal(f.own_pid, 0);
	assert_true(feed_due_ns(&f) != UINT64_MAX);
	/* memtallyd is back. */
	assert_int_equal(snapshot_socket_open(&s, socket_path), 0);
	publish(&s, 3, 0);
	await_snapshot(&f, &s);
	expect_problem(&f, NULL);
	feed_close(&f);
	snapshot_socket_close(&s);
	unlink(socket_path);
}

static void stale_snapshots_are_no_figures(void **state)
{
	const struct settings settings = settings_for(false, procfs);
	struct snapshot_socket s;
	struct feed f;

	(void)state;
	assert_int_equal(snapshot_socket_open(&s, socket_path), 0);
	publish(&s, 1, 100 * NS_PER_SEC);
	assert_int_equal(feed_open(&f, &settings), 0);
	await_snapshot(&f, &s);
	expect_problem(
		&f, "memtallyd's next snapshot is overdue. The last one is of 1 min 40 s ago.");
	feed_close(&f);
	snapshot_socket_close(&s);
	unlink(socket_path);
}

static void without_memtallyd_a_child_measures(void **state)
{
	const struct settings settings = settings_for(false, procfs);
	unsigned int before = unit_descriptors();
	struct snapshot_socket s;
	struct feed f;

	(void)state;
	unlink(socket_path);
	assert_int_equal(feed_open(&f, &settings), 0);
	assert_false(feed_run(&f, now_ns()));
	assert_true(f.own_pid > 0);
	expect_problem(&f, "reading all processes for the first time");
	expect_origin(&f, "measured by memtally itself, with the rights of ");
	await_snapshot(&f, NULL);
	assert_true(f.is_own);
	expect_problem(&f, NULL);
	assert_non_null(view_find_process(f.view, (uint32_t)getpid()));
	expect_origin(&f, "no connection to memtallyd at ");
	/* memtallyd comes: the child goes, and leaves no zombie. */
	assert_int_equal(snapshot_socket_open(&s, socket_path), 0);
	publish(&s, 1, 0);
	while (f.is_own)
		await_snapshot(&f, &s);
	assert_int_equal(f.own_pid, 0);
	expect_origin(&f, "");
	while (f.ended_pid)
		feed_run(&f, now_ns());
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	feed_close(&f);
	snapshot_socket_close(&s);
	unlink(socket_path);
	assert_int_equal(unit_descriptors(), before);
}

static void a_child_that_ends_says_why(void **state)
{
	struct settings settings = settings_for(true, nowhere);
	struct feed f;

	(void)state;
	assert_int_equal(feed_open(&f, &settings), 0);
	while (f.own_fd >= 0)
		feed_run(&f, now_ns());
	expect_problem(&f, "cannot measure: /nonexistent: No such file or directory");
	feed_close(&f);
	settings = settings_for(true, procfs);
	assert_int_equal(feed_open(&f, &settings), 0);
	await_snapshot(&f, NULL);
	expect_problem(&f, NULL);
	kill(f.own_pid, SIGKILL);
	while (f.own_fd >= 0)
		feed_run(&f, now_ns());
	expect_problem(&f, "the measuring process was ended");
	feed_close(&f);
}

/* A message that is no image ends the child, which is not waited for: here it hangs. */
static void a_broken_message_ends_the_child(void **state)
{
	struct settings settings = settings_for(true, procfs);
	struct feed f;
	int fds[2];

	(void)state;
	assert_int_equal(feed_open(&f, &settings), 0);
	assert_int_equal(kill(f.own_pid, SIGSTOP), 0);
	assert_int_equal(
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds), 0);
	fd_close(f.own_fd);
	f.own_fd = fds[0];
	assert_int_equal(send(fds[1], "x", 1, 0), 1);
	assert_false(feed_run(&f, now_ns()));
	assert_int_equal(f.own_pid, 0);
	expect_problem(&f, "cannot measure: /proc: ");
	while (f.ended_pid)
		feed_run(&f, now_ns());
	feed_close(&f);
	fd_close(fds[1]);
}

/* Images that are not taken do not pile up. */
static void the_child_waits_for_its_reader(void **state)
{
	enum { TWO_PASSES_MS = 4000 };
	const struct settings settings = settings_for(true, procfs);
	struct pollfd polls[FEED_POLLS];
	struct feed f;
	int image;

	(void)state;
	assert_int_equal(feed_open(&f, &settings), 0);
	assert_int_equal(poll(polls, feed_poll(&f, polls), -1), 1);
	poll(NULL, 0, TWO_PASSES_MS);
	assert_int_equal(channel_receive_fd(f.own_fd, &image), 0);
	fd_close(image);
	assert_int_equal(channel_receive_fd(f.own_fd, &image), CHANNEL_NOTHING);
	await_snapshot(&f, NULL);
	feed_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(snapshots_of_memtallyd_are_shown),
		cmocka_unit_test(stale_snapshots_are_no_figures),
		cmocka_unit_test(without_memtallyd_a_child_measures),
		cmocka_unit_test(a_child_that_ends_says_why),
		cmocka_unit_test(a_broken_message_ends_the_child),
		cmocka_unit_test(the_child_waits_for_its_reader),
	};

	return cmocka_run_group_tests(tests, folder_enter, folder_leave);
}
