/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of service/loop.h: signals, snapshots, deadlines and the watchdog. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/os/channel.h"
#include "service/loop.h"
#include "tests/unit/support/snapshot/sample.h"

enum { OWN = LOOP_POLLS, POLLS };

struct fixture {
	char dir[32], path[48], notify[48];
	int listener, manager;
	struct loop loop;
	struct pollfd p[POLLS];
};

static int begin(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	assert_non_null(f);
	log_open("test", LOG_LEVEL_ERROR);
	snprintf(f->dir, sizeof(f->dir), "/tmp/test-loop.XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->path, sizeof(f->path), "%s/socket", f->dir);
	snprintf(f->notify, sizeof(f->notify), "%s/notify", f->dir);
	assert_int_equal(channel_listen(f->path, SOCK_SEQPACKET, 0600, 4, &f->listener), 0);
	f->manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	memcpy(address.sun_path, f->notify, sizeof(f->notify));
	assert_int_equal(bind(f->manager, (struct sockaddr *)&address, sizeof(address)), 0);
	f->p[OWN].fd = -1;
	*state = f;
	return 0;
}

static int end(void **state)
{
	struct fixture *f = *state;

	loop_close(&f->loop);
	fd_close(f->listener);
	fd_close(f->manager);
	unlink(f->path);
	unlink(f->notify);
	rmdir(f->dir);
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	free(f);
	return 0;
}

static uint64_t now(void)
{
	return clock_now_ns(CLOCK_MONOTONIC);
}

/* Waits for events for at most NS. */
static void wait_for(struct fixture *f, uint64_t ns)
{
	uint64_t begin_ns = now();

	assert_true(loop_wait(&f->loop, f->p, POLLS, begin_ns, begin_ns + ns));
}

static void signals_are_kept_until_they_are_read(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(loop_open(&f->loop, f->path), 0);
	assert_int_equal(loop_signal(&f->loop), 0);
	raise(SIGHUP);
	raise(SIGTERM);
	raise(SIGPIPE);
	wait_for(f, 10 * NS_PER_SEC);
	assert_true(f->p[LOOP_SIGNALS].revents & POLLIN);
	assert_int_equal(loop_signal(&f->loop) + loop_signal(&f->loop), SIGHUP + SIGTERM);
	assert_int_equal(loop_signal(&f->loop), 0);
}

/* loop_open() sets the first attempt to connect to now. */
static void receives_snapshots(void **state)
{
	struct fixture *f = *state;
	const struct sample_options options = {.sequence = 7};
	AUTO_CLOSE int client = -1;
	AUTO_VIEW struct view *view = NULL;

	assert_int_equal(loop_open(&f->loop, f->path), 0);
	assert_true(loop_wait(&f->loop, f->p, POLLS, now(), UINT64_MAX));
	assert_false(loop_receive(&f->loop, now(), &view));
	client = accept4(f->listener, NULL, NULL, SOCK_CLOEXEC);
	assert_int_equal(sample_send(client, &options), 0);
	assert_true(loop_wait(&f->loop, f->p, POLLS, now(), UINT64_MAX));
	assert_true(f->p[LOOP_LINK].revents & POLLIN);
	assert_true(loop_receive(&f->loop, now(), &view));
	assert_int_equal(view->header->sequence, 7);
}

static void wait_ends_at_its_deadline(void **state)
{
	struct fixture *f = *state;
	AUTO_VIEW struct view *view = NULL;
	int own[2] = {-1, -1};
	uint64_t begin_ns;

	assert_int_equal(loop_open(&f->loop, f->path), 0);
	assert_false(loop_receive(&f->loop, now(), &view));
	begin_ns = now();
	wait_for(f, 30 * NS_PER_MSEC);
	assert_true(now() - begin_ns >= 30 * NS_PER_MSEC);
	assert_int_equal(f->p[LOOP_SIGNALS].revents | f->p[LOOP_LINK].revents, 0);
	/* Also if the deadline has passed, or if the caller's own descriptor is ready. */
	assert_true(loop_wait(&f->loop, f->p, POLLS, now(), 0));
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, own), 0);
	f->p[OWN] = (struct pollfd){.fd = own[0], .events = POLLIN};
	assert_int_equal(write(own[1], "x", 1), 1);
	assert_true(loop_wait(&f->loop, f->p, POLLS, now(), UINT64_MAX));
	assert_true(f->p[OWN].revents & POLLIN);
	fd_close(own[0]);
	fd_close(own[1]);
}

static unsigned int beats(const struct fixture *f)
{
	unsigned int count = 0;
	char text[64];
	ssize_t n;

	while ((n = recv(f->manager, text, sizeof(text), 0)) > 0)
		count += (size_t)n == strlen("WATCHDOG=1") &&
		         !memcmp(text, "WATCHDOG=1", (size_t)n);
	return count;
}

/* Twice per watchdog interval; loop_wait() returns in time for that. */
static void sends_watchdog_messages_twice_per_interval(void **state)
{
	struct fixture *f = *state;
	AUTO_VIEW struct view *view = NULL;
	uint64_t at;

	setenv("NOTIFY_SOCKET", f->notify, 1);
	setenv("WATCHDOG_USEC", "40000", 1);
	unsetenv("WATCHDOG_PID");
	assert_int_equal(loop_open(&f->loop, f->path), 0);
	assert_false(loop_receive(&f->loop, now(), &view));
	at = now();
	loop_beat(&f->loop, at);
	assert_int_equal(beats(f), 1);
	loop_beat(&f->loop, at + 19 * NS_PER_MSEC);
	assert_int_equal(beats(f), 0);
	assert_true(loop_wait(&f->loop, f->p, POLLS, at, UINT64_MAX));
	assert_true(now() >= at + 20 * NS_PER_MSEC);
	loop_beat(&f->loop, now());
	assert_int_equal(beats(f), 1);
}

static void sends_no_watchdog_messages_unless_configured(void **state)
{
	struct fixture *f = *state;

	setenv("NOTIFY_SOCKET", f->notify, 1);
	assert_int_equal(loop_open(&f->loop, f->path), 0);
	loop_beat(&f->loop, now());
	assert_int_equal(beats(f), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(signals_are_kept_until_they_are_read, begin, end),
		cmocka_unit_test_setup_teardown(receives_snapshots, begin, end),
		cmocka_unit_test_setup_teardown(wait_ends_at_its_deadline, begin, end),
		cmocka_unit_test_setup_teardown(
			sends_watchdog_messages_twice_per_interval, begin, end),
		cmocka_unit_test_setup_teardown(
			sends_no_watchdog_messages_unless_configured, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
