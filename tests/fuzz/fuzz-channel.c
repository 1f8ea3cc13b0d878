/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes messages to the client's end of the snapshot channel, as a program in memtallyd's place
 * may send them
 *
 * For each message one byte gives its number of bytes, and one its number of descriptors. The
 * client must accept exactly one descriptor with one byte, and leave nothing open after any other
 * message.
 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/os/channel.h"

enum { FDS_MAX = 8, BYTES_MAX = 3, MESSAGES_MAX = 16 };

/* Returns the number that the next received descriptor will have. */
static int lowest_free(void)
{
	int fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		exit(99);
	close(fd);
	return fd;
}

/*
 * Returns the number of open descriptors from FIRST on. It must be the same before and after; some
 * may be inherited.
 */
static int open_from(int first)
{
	int count = 0;

	for (int fd = first; fd < first + 2 * FDS_MAX; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

/* Returns false if the queue is full. */
static bool send_message(int socket, size_t bytes, size_t fds)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(FDS_MAX * sizeof(int))];
	} control = {0};
	char text[BYTES_MAX] = {0};
	struct iovec iov = {.iov_base = text, .iov_len = bytes};
	struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1};

	if (fds) {
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(fds * sizeof(int));
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(fds * sizeof(int));
		for (size_t i = 0; i < fds; i++)
			memcpy(CMSG_DATA(&control.header) + i * sizeof(int), &(int){STDERR_FILENO},
				sizeof(int));
	}
	return sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int before = lowest_free(), open_before = open_from(before), pair[2], unused;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		exit(99);
	for (size_t i = 0; i + 1 < size && i < 2 * MESSAGES_MAX; i += 2) {
		size_t bytes = data[i] % (BYTES_MAX + 1), fds = data[i + 1] % (FDS_MAX + 1);
		int first = lowest_free(), open_now = open_from(first), fd = -1, r;

		if (!send_message(pair[0], bytes, fds))
			break;
		r = channel_receive_fd(pair[1], &fd);
		if (bytes == 0)
			fuzz_check(r == CHANNEL_CLOSED);
		else
			fuzz_check(r == (bytes == 1 && fds == 1 ? 0 : -EPROTO));
		fuzz_check((r == 0) == (fd >= 0));
		fuzz_check(r || fcntl(fd, F_GETFD) & FD_CLOEXEC);
		if (fd >= 0)
			close(fd);
		fuzz_check(open_from(first) == open_now);
	}
	/*
	 * A process that looks at our descriptors in /proc holds each file for a moment, so close()
	 * need not be the last one.
	 */
	shutdown(pair[0], SHUT_RDWR);
	close(pair[0]);
	fuzz_check(channel_receive_fd(pair[1], &unused) == CHANNEL_CLOSED);
	close(pair[1]);
	fuzz_check(open_from(before) == open_before);
	return 0;
}
