/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/channel.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "service/loop.h"
#include "tests/unit/sample.h"

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

/* For so long at most. */
static void wait_for(struct fixture *f, uint64_t ns)
{
	uint64_t begin_ns = now();

	assert_true(loop_wait(&f->loop, f->p, POLLS, begin_ns, begin_ns + ns));
}

static void signals_wait_to_be_asked_for(void **state)
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

/* What it first does is to connect: nobody has to wait for that. */
static void snapshots_come(void **state)
{
	struct fixture *f = *state;
	const struct sample_options options = {.sequence = 7};
	AUTO_CLOSE int client = -1, image = -1;
	AUTO_VIEW struct view *view = NULL;

	assert_int_equal(loop_open(&f->loop, f->path), 0);
	assert_true(loop_wait(&f->loop, f->p, POLLS, now(), UINT64_MAX));
	assert_false(loop_receive(&f->loop, now(), &view));
	client = accept4(f->listener, NULL, NULL, SOCK_CLOEXEC);
	assert_int_equal(sample_seal(&options, &image), 0);
	assert_int_equal(channel_send_fd(client, image), 0);
	assert_true(loop_wait(&f->loop, f->p, POLLS, now(), UINT64_MAX));
	assert_true(f->p[LOOP_LINK].revents & POLLIN);
	assert_true(loop_receive(&f->loop, now(), &view));
	assert_int_equal(view->header->sequence, 7);
}

static void nobody_waits_longer_than_he_is_to(void **state)
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
	/* Neither when it is due already, nor when what is its own has come. */
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

/* Twice in the time that it is given, and it wakes up for that. */
static void the_service_manager_hears_of_it(void **state)
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

static void nobody_hears_who_did_not_ask(void **state)
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
		cmocka_unit_test_setup_teardown(signals_wait_to_be_asked_for, begin, end),
		cmocka_unit_test_setup_teardown(snapshots_come, begin, end),
		cmocka_unit_test_setup_teardown(nobody_waits_longer_than_he_is_to, begin, end),
		cmocka_unit_test_setup_teardown(the_service_manager_hears_of_it, begin, end),
		cmocka_unit_test_setup_teardown(nobody_hears_who_did_not_ask, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
