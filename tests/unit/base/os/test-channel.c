/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the messages of the channel that sends descriptors, with real sockets. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/os/channel.h"
#include "tests/unit/base/os/channel-pair.h"

static int receive_error; /* of the next recvmsg(); 0: none */

ssize_t __real_recvmsg(int fd, struct msghdr *message, int flags);
ssize_t __wrap_recvmsg(int fd, struct msghdr *message, int flags);

ssize_t __wrap_recvmsg(int fd, struct msghdr *message, int flags)
{
	if (receive_error) {
		errno = receive_error;
		receive_error = 0;
		return -1;
	}
	return __real_recvmsg(fd, message, flags);
}

static void goes_on_after_a_signal(void **state)
{
	AUTO_CLOSE int server = -1, client = -1, file = channel_pair_file('a'), got = -1;

	(void)state;
	channel_pair_open(&server, &client);
	assert_int_equal(channel_send_fd(server, file), 0);
	receive_error = EINTR;
	assert_int_equal(channel_receive_fd(client, &got), 0);
	receive_error = ECONNRESET;
	assert_int_equal(channel_receive_fd(client, &got), CHANNEL_CLOSED);
	receive_error = ENOMEM;
	assert_int_equal(channel_receive_fd(client, &got), -ENOMEM);
}

/* Several waiting messages arrive in order. */
static void keeps_the_order(void **state)
{
	AUTO_CLOSE int server = -1, client = -1;

	(void)state;
	channel_pair_open(&server, &client);
	for (int c = 'a'; c <= 'c'; c++) {
		AUTO_CLOSE int file = channel_pair_file((char)c);

		assert_int_equal(channel_send_fd(server, file), 0);
	}
	for (int c = 'a'; c <= 'c'; c++) {
		AUTO_CLOSE int got = -1;
		char found;

		assert_int_equal(channel_receive_fd(client, &got), 0);
		assert_int_equal(pread(got, &found, 1, 0), 1);
		assert_int_equal(found, c);
	}
}

static void sending_never_blocks(void **state)
{
	AUTO_CLOSE int server = -1, client = -1, file = channel_pair_file('a');
	int r;

	(void)state;
	channel_pair_open(&server, &client);
	for (unsigned int i = 0; i < 1000000; i++) {
		r = channel_send_fd(server, file);
		if (r < 0)
			break;
	}
	/* ETOOMANYREFS: descriptors in flight count against RLIMIT_NOFILE, except for root. */
	assert_true(r == -EAGAIN || r == -ETOOMANYREFS);
	client = fd_close(client);
	assert_int_equal(channel_send_fd(server, file), -EPIPE); /* and without SIGPIPE */
	assert_int_equal(channel_send_fd(server, -1), -EBADF);
	assert_int_equal(channel_send_fd(file, file), -ENOTSOCK);
}

static void send_message(int socket, const char *data, size_t len, const int *fds, size_t count)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(16 * sizeof(int))];
	} control = {0};
	struct iovec iov = {.iov_base = (char *)(uintptr_t)data, .iov_len = len};
	struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1};

	if (count) {
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(count * sizeof(int));
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(&control.header), fds, count * sizeof(int));
	}
	assert_int_equal(sendmsg(socket, &message, MSG_NOSIGNAL), (ssize_t)len);
}

/* A message is one byte with one descriptor. Descriptors that come with other data are closed. */
static void refuses_other_messages(void **state)
{
	static const struct {
		size_t len, fds;
		int result;
	} cases[] = {
		{1, 1, 0}, {1, 0, -EPROTO}, {1, 2, -EPROTO}, {1, 4, -EPROTO},
		{1, 5, -EPROTO}, /* more than there is room for */
		{1, 16, -EPROTO}, {2, 1, -EPROTO}, {1000, 1, -EPROTO}, {1000, 0, -EPROTO},
		{0, 1, CHANNEL_CLOSED}, /* an empty message looks like the end of the connection */
	};
	static const char data[1000];
	AUTO_CLOSE int server = -1, client = -1, file = channel_pair_file('a');
	int fds[16];

	(void)state;
	channel_pair_open(&server, &client);
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		fds[i] = file;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		unsigned int before = unit_descriptors();
		int got = -7;

		send_message(server, data, cases[i].len, fds, cases[i].fds);
		assert_int_equal(channel_receive_fd(client, &got), cases[i].result);
		if (cases[i].result == 0)
			got = fd_close(got);
		else
			assert_int_equal(got, -7);
		assert_int_equal(unit_descriptors(), before);
	}
}

/* A message of any length comes whole, with its descriptor if it has one. */
static void receives_messages_with_and_without_a_descriptor(void **state)
{
	AUTO_CLOSE int server = -1, client = -1, file = channel_pair_file('a');
	char to[6] = "";
	size_t len = 0;

	(void)state;
	channel_pair_open(&server, &client);
	for (int with = 0; with < 2; with++) {
		AUTO_CLOSE int got = -7;

		assert_int_equal(channel_send(server, "hello", 5, with ? file : CHANNEL_NO_FD), 0);
		assert_int_equal(channel_receive(client, to, sizeof(to), &len, &got), 0);
		assert_int_equal(len, 5);
		assert_string_equal(to, "hello");
		assert_true(with ? got >= 0 : got == CHANNEL_NO_FD);
	}
	assert_int_equal(channel_receive(client, to, sizeof(to), &len, &file), CHANNEL_NOTHING);
}

/* Longer messages and several descriptors are refused, and nothing stays open. */
static void refuses_messages_without_room(void **state)
{
	AUTO_CLOSE int server = -1, client = -1, file = channel_pair_file('a');
	unsigned int before;
	int fds[2] = {file, file}, got = -7;
	size_t len = 7;
	char to[4];

	(void)state;
	channel_pair_open(&server, &client);
	before = unit_descriptors();
	send_message(server, "hello", 5, fds, 1);
	assert_int_equal(channel_receive(client, to, sizeof(to), &len, &got), -EPROTO);
	send_message(server, "hell", 4, fds, 2);
	assert_int_equal(channel_receive(client, to, sizeof(to), &len, &got), -EPROTO);
	assert_int_equal(unit_descriptors(), before);
	assert_int_equal(got, -7);
	assert_int_equal(len, 7);
}

static void refuses_to_receive_from_a_file(void **state)
{
	AUTO_CLOSE int file = channel_pair_file('a');
	int got = -7;

	(void)state;
	assert_int_equal(channel_receive_fd(file, &got), -ENOTSOCK);
	assert_int_equal(channel_receive_fd(-1, &got), -EBADF);
	assert_false(channel_is_drained(-1));
	assert_int_equal(got, -7);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(goes_on_after_a_signal),
		cmocka_unit_test(keeps_the_order),
		cmocka_unit_test(sending_never_blocks),
		cmocka_unit_test(refuses_other_messages),
		cmocka_unit_test(receives_messages_with_and_without_a_descriptor),
		cmocka_unit_test(refuses_messages_without_room),
		cmocka_unit_test(refuses_to_receive_from_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
