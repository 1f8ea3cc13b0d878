/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of snapshot/link.h: the connection to memtallyd, with a server and a clock of the test's
 * own.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/os/channel.h"
#include "snapshot/link.h"
#include "tests/unit/support/snapshot/sample.h"

struct fixture {
	struct link link;
	char dir[32], path[64];
	int listener;
	uint64_t now_ns;
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){.listener = -1, .now_ns = 100 * NS_PER_SEC};
	snprintf(f->dir, sizeof(f->dir), "/tmp/test-link.XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->path, sizeof(f->path), "%s/socket", f->dir);
	assert_int_equal(link_init(&f->link, f->path), 0);
}

static void listen_there(struct fixture *f)
{
	assert_int_equal(channel_listen(f->path, SOCK_SEQPACKET, 0600, 4, &f->listener), 0);
}

static void finish(struct fixture *f)
{
	link_done(&f->link);
	fd_close(f->listener);
	unlink(f->path);
	rmdir(f->dir);
}

static int accept_there(struct fixture *f)
{
	int fd = accept(f->listener, NULL, NULL);

	assert_true(fd >= 0);
	return fd;
}

static void send_sample(int client, uint64_t sequence)
{
	assert_int_equal(sample_send(client, &(struct sample_options){.sequence = sequence}), 0);
}

/* Moves the clock to the next attempt and runs it. Checks that nothing is tried before. */
static bool run_when_due(struct fixture *f, struct view **ret)
{
	uint64_t due = link_due_ns(&f->link);

	assert_true(due != UINT64_MAX && due <= f->now_ns + LINK_PAUSE_UNSERVED_MAX_NS);
	if (due > f->now_ns) {
		f->now_ns = due - 1;
		assert_false(link_run(&f->link, f->now_ns, ret));
		assert_false(link_is_connected(&f->link));
		f->now_ns = due;
	}
	return link_run(&f->link, f->now_ns, ret);
}

static void retries_with_growing_pauses(void **state)
{
	uint64_t delay = 0;
	struct fixture f;
	struct view *view;

	(void)state;
	begin(&f);
	for (int i = 0; i < 12; i++) {
		uint64_t before = f.now_ns;

		assert_false(run_when_due(&f, &view));
		if (i > 0 && i < 6)
			assert_true(f.now_ns - before > delay);
		delay = f.now_ns - before;
	}
	assert_true(delay > LINK_PAUSE_MAX_NS / 100 * 74 && delay <= LINK_PAUSE_MAX_NS);
	listen_there(&f);
	assert_false(run_when_due(&f, &view));
	assert_true(link_is_connected(&f.link));
	assert_int_equal(link_due_ns(&f.link), UINT64_MAX);
	finish(&f);
}

static void receives_the_newest_snapshot(void **state)
{
	struct fixture f;
	struct view *view;
	int client;

	(void)state;
	begin(&f);
	listen_there(&f);
	assert_false(run_when_due(&f, &view));
	client = accept_there(&f);
	send_sample(client, 7);
	send_sample(client, 8);
	assert_true(link_run(&f.link, f.now_ns, &view));
	assert_int_equal(view->header->sequence, 8); /* the newest of the waiting snapshots */
	view_unref(view);
	assert_false(link_run(&f.link, f.now_ns, &view));
	assert_int_equal(f.link.received, 1);
	/*
	 * After the server closed the connection, the next attempt comes soon and the pauses start
	 * anew.
	 */
	close(client);
	assert_false(link_run(&f.link, f.now_ns, &view));
	assert_false(link_is_connected(&f.link));
	assert_true(link_due_ns(&f.link) <= f.now_ns + BACKOFF_FIRST_NS);
	assert_false(run_when_due(&f, &view));
	client = accept_there(&f);
	send_sample(client, 1);
	assert_true(link_run(&f.link, f.now_ns, &view));
	view_unref(view);
	close(client);
	finish(&f);
}

static void assert_explains(struct fixture *f, const char *before, const char *behind)
{
	AUTO_BUFFER struct buffer b = {0};
	char expected[256] = "";

	if (*before || *behind)
		snprintf(expected, sizeof(expected), "%s%s%s", before, f->path, behind);
	link_explain(&f->link, f->now_ns, &b);
	buffer_add_char(&b, '\0');
	assert_string_equal(b.data, expected);
}

/* From the first attempt to the first snapshot, and after the connection was closed. */
static void explains_why_there_is_no_snapshot(void **state)
{
	static const char none[] = "no connection to memtallyd at ";
	AUTO_VIEW struct view *view = NULL;
	struct fixture f;
	int client;

	(void)state;
	begin(&f);
	assert_explains(&f, none, ": not tried yet");
	assert_false(run_when_due(&f, &view));
	assert_explains(&f, none, ": No such file or directory");
	listen_there(&f);
	assert_false(run_when_due(&f, &view));
	f.now_ns += 12 * NS_PER_SEC;
	assert_explains(&f, "connected to ", " for 12 s: memtallyd's first pass is not complete");
	client = accept_there(&f);
	assert_int_equal(send(client, "x", 1, 0), 1);
	assert_false(link_run(&f.link, f.now_ns, &view));
	assert_explains(&f, none, ": it sent something that is no snapshot of this version");
	close(client);
	assert_false(run_when_due(&f, &view));
	close(accept_there(&f));
	assert_false(link_run(&f.link, f.now_ns, &view));
	assert_explains(&f, none, ": it closed the connection without a snapshot; see its log");
	assert_false(run_when_due(&f, &view));
	client = accept_there(&f);
	send_sample(client, 7);
	assert_true(link_run(&f.link, f.now_ns, &view));
	assert_explains(&f, "", "");
	close(client);
	assert_false(link_run(&f.link, f.now_ns, &(struct view *){NULL}));
	assert_explains(&f, none, ": it closed the connection");
	finish(&f);
}

/*
 * systemd causes this with the socket of a memtallyd that exits at its start: connecting succeeds,
 * and each connection starts memtallyd again. The unit allows 20 starts a minute, and two readers
 * connect.
 */
static void backs_off_if_connections_bring_no_snapshot(void **state)
{
	unsigned int attempts = 0, lines = 0;
	enum link_weight weight;
	uint64_t begin_ns, delay;
	struct fixture f;
	struct view *view;

	(void)state;
	begin(&f);
	listen_there(&f);
	begin_ns = f.now_ns;
	do {
		uint64_t before = f.now_ns;

		assert_false(run_when_due(&f, &view));
		delay = f.now_ns - before;
		assert_true(link_is_connected(&f.link));
		close(accept_there(&f));
		assert_false(link_run(&f.link, f.now_ns, &view));
		assert_false(link_is_connected(&f.link));
		lines += link_news(&f.link, &weight) != NULL;
		attempts += f.now_ns - begin_ns <= 60 * NS_PER_SEC;
	} while (f.now_ns - begin_ns < 600 * NS_PER_SEC);
	assert_in_range(attempts, 5, 10);
	assert_true(delay > LINK_PAUSE_UNSERVED_MAX_NS / 100 * 74);
	assert_int_equal(lines, 1);
	finish(&f);
}

/* A connection with an invalid snapshot does not reset the pauses. */
static void refuses_a_file_that_is_no_snapshot(void **state)
{
	unsigned int before = unit_descriptors();
	struct fixture f;
	struct view *view;

	(void)state;
	begin(&f);
	listen_there(&f);
	for (uint64_t i = 1; i <= 4; i++) {
		int file = open("/dev/null", O_RDONLY | O_CLOEXEC), client;

		assert_false(run_when_due(&f, &view));
		client = accept_there(&f);
		assert_int_equal(channel_send_fd(client, file), 0);
		assert_false(link_run(&f.link, f.now_ns, &view));
		assert_false(link_is_connected(&f.link));
		assert_int_equal(f.link.refused, i);
		assert_true(
			link_due_ns(&f.link) - f.now_ns > (BACKOFF_FIRST_NS << (i - 1)) / 100 * 74);
		close(file);
		close(client);
	}
	assert_int_equal(f.link.received, 0);
	finish(&f);
	assert_int_equal(unit_descriptors(), before);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(retries_with_growing_pauses),
		cmocka_unit_test(receives_the_newest_snapshot),
		cmocka_unit_test(explains_why_there_is_no_snapshot),
		cmocka_unit_test(backs_off_if_connections_bring_no_snapshot),
		cmocka_unit_test(refuses_a_file_that_is_no_snapshot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
