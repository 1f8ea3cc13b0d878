/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the receiving of snapshots, with real sockets. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/os/channel.h"
#include "snapshot/client.h"
#include "tests/unit/support/folder.h"
#include "tests/unit/support/process/stand-in.h"
#include "tests/unit/support/snapshot/sample.h"

/* How many of the next calls of poll() a signal interrupts, and the error after that. */
static unsigned int interruptions;
static int poll_error;

int __real_poll(struct pollfd *fds, nfds_t count, int timeout);
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout);

int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout)
{
	if (interruptions) {
		interruptions--;
		errno = EINTR;
		return -1;
	}
	if (poll_error) {
		errno = poll_error;
		return -1;
	}
	return __real_poll(fds, count, timeout);
}

static void send_sample(int socket, uint64_t sequence)
{
	assert_int_equal(sample_send(socket, &(struct sample_options){.sequence = sequence}), 0);
}

static void make_pair(int *server, int *client)
{
	int pair[2];

	assert_int_equal(
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair), 0);
	*server = pair[0];
	*client = pair[1];
}

static void receives_the_newest(void **state)
{
	AUTO_CLOSE int server = -1, client = -1;
	AUTO_VIEW struct view *view = NULL;
	const char *reason = NULL;
	unsigned int before;

	(void)state;
	make_pair(&server, &client);
	before = unit_descriptors();
	assert_int_equal(client_receive(client, &view, &reason), CLIENT_NOTHING);
	for (uint64_t sequence = 1; sequence <= 5; sequence++)
		send_sample(server, sequence);
	assert_int_equal(client_receive(client, &view, &reason), 0);
	assert_int_equal(view->header->sequence, 5);
	/* the four former snapshots were closed, and the fifth is closed */
	assert_int_equal(unit_descriptors(), before);
	assert_true(channel_is_drained(server));
	assert_int_equal(client_receive(client, &view, &reason), CLIENT_NOTHING);
}

/* A snapshot that was sent before the end is received; then the end is reported. */
static void receives_before_the_end(void **state)
{
	AUTO_CLOSE int server = -1, client = -1;
	AUTO_VIEW struct view *view = NULL;
	const char *reason = NULL;

	(void)state;
	make_pair(&server, &client);
	send_sample(server, 3);
	server = fd_close(server);
	assert_int_equal(client_receive(client, &view, &reason), 0);
	assert_int_equal(view->header->sequence, 3);
	assert_int_equal(client_receive(client, &view, &reason), CLIENT_CLOSED);
}

static int make_file(bool is_sealed, const char *content, size_t len)
{
	int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, content, len), (ssize_t)len);
	if (is_sealed)
		assert_int_equal(fcntl(fd, F_ADD_SEALS,
					 F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE),
			0);
	return fd;
}

/* Any other file is refused with a reason, and nothing of it stays open. */
static void refuses_other_files(void **state)
{
	static const char newer[sizeof(struct image_header)] = "MEMTALLY\x04\x03\x02\x01\x03";
	static const struct {
		bool is_sealed;
		const char *content;
		size_t len;
		int result;
		const char *reason;
	} cases[] = {
		{false, "unsealed", 8, -EINVAL, "not a sealed memory file"},
		{true, "", 0, -EINVAL, "not a sealed memory file"},
		{true, "foreign", 7, -EBADMSG, "shorter than a header"},
		{true, newer + 1, sizeof(newer) - 1, -EBADMSG, "shorter than a header"},
		{true, newer, sizeof(newer), -EPROTO, "another major version"},
	};
	unsigned int before = unit_descriptors();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_CLOSE int server = -1, client = -1;
		AUTO_CLOSE int file = make_file(cases[i].is_sealed, cases[i].content, cases[i].len);
		struct view *view = NULL;
		const char *reason = NULL;

		make_pair(&server, &client);
		assert_int_equal(channel_send_fd(server, file), 0);
		assert_int_equal(client_receive(client, &view, &reason), cases[i].result);
		assert_string_equal(reason, cases[i].reason);
		assert_null(view);
	}
	assert_int_equal(unit_descriptors(), before);
}

static void refuses_other_messages(void **state)
{
	AUTO_CLOSE int server = -1, client = -1;
	struct view *view = NULL;
	const char *reason = NULL;
	unsigned int before;

	(void)state;
	make_pair(&server, &client);
	before = unit_descriptors();
	send_sample(server, 1);
	assert_int_equal(send(server, "hello", 5, 0), 5);
	assert_int_equal(client_receive(client, &view, &reason), -ENOMSG);
	assert_string_equal(reason, "not a message of memtallyd's");
	assert_null(view);
	assert_int_equal(unit_descriptors(), before);
}

static void send_later(int client, const void *delay_ms)
{
	poll(NULL, 0, *(const int *)delay_ms);
	if (sample_send(client, &(struct sample_options){.sequence = 9}) < 0)
		_exit(1);
	stand_in_await_end(client); /* a closed connection would be an error to the client */
}

static void fetches_one_snapshot(void **state)
{
	unsigned int before = unit_descriptors();

	(void)state;
	for (int delay_ms = 0; delay_ms <= 100; delay_ms += 50) {
		AUTO_VIEW struct view *view = NULL;
		const char *reason = NULL;
		pid_t server = stand_in_start("socket", send_later, &delay_ms);

		interruptions = 1;
		assert_int_equal(client_fetch("socket", 10000, &view, &reason), 0);
		assert_int_equal(view->header->sequence, 9);
		stand_in_end(server, "socket");
	}
	assert_int_equal(unit_descriptors(), before);
}

static void send_nothing(int client, const void *context)
{
	(void)client;
	(void)context;
}

static void reports_why_fetching_failed(void **state)
{
	AUTO_CLOSE int listener = -1;
	struct view *view = NULL;
	const char *reason = NULL;
	uint64_t begin;
	pid_t server;

	(void)state;
	assert_int_equal(client_fetch("socket", 1000, &view, &reason), -ENOENT);
	assert_string_equal(reason, "No such file or directory");

	assert_int_equal(channel_listen("socket", SOCK_SEQPACKET, 0600, 4, &listener), 0);
	begin = clock_now_ns(CLOCK_MONOTONIC);
	assert_int_equal(client_fetch("socket", 50, &view, &reason), -ETIMEDOUT);
	assert_string_equal(reason, "no snapshot came in time");
	assert_true(clock_now_ns(CLOCK_MONOTONIC) - begin >= 50 * NS_PER_MSEC);
	interruptions = 3; /* signals do not prolong the wait */
	assert_int_equal(client_fetch("socket", 0, &view, &reason), -ETIMEDOUT);
	interruptions = 0;
	poll_error = ENOMEM;
	assert_int_equal(client_fetch("socket", 1000, &view, &reason), -ENOMEM);
	assert_string_equal(reason, "Cannot allocate memory");
	poll_error = 0;
	listener = fd_close(listener);
	assert_int_equal(client_fetch("socket", 1000, &view, &reason), -ECONNREFUSED);

	server = stand_in_start("socket", send_nothing, NULL);
	assert_int_equal(client_fetch("socket", 10000, &view, &reason), -ECONNRESET);
	assert_string_equal(reason,
		"memtallyd closed the connection: it has exited, or snapshot.public "
		"denies snapshots to this user");
	stand_in_end(server, "socket");
	assert_null(view);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(receives_the_newest),
		cmocka_unit_test(receives_before_the_end),
		cmocka_unit_test(refuses_other_files),
		cmocka_unit_test(refuses_other_messages),
		cmocka_unit_test(fetches_one_snapshot),
		cmocka_unit_test(reports_why_fetching_failed),
	};

	return cmocka_run_group_tests(tests, folder_enter, folder_leave);
}
