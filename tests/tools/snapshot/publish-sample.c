/* SPDX-License-Identifier: Apache-2.0 */
/*
 * publish-sample - stands in for memtallyd in tests of its clients
 *
 * Sends the sample snapshot of the unit tests to the clients of a snapshot socket, with a new
 * sequence number at each interval after the first client connected. On request it sends faulty
 * snapshots.
 *
 *   publish-sample SOCKET [interval=MS] [told=MS] [count=N] [more=N] [moving=1] [public=1]
 *       [exported=N] [restricted=1] [fault=KIND] [good=N] [userns=N] [step=MS] [growth=KIB]
 *
 * TOLD is the interval stated in snapshots, by which they become stale; default: the true interval.
 * MORE adds processes, and EXPORTED of these have series of their own. After COUNT snapshots it
 * sends nothing more and keeps connections open. With STEP, the COUNT snapshots are STEP apart by
 * their own times, and the last one is of the time when publish-sample was started. Each client
 * gets all that follow its first one, however slow it is. Process I of MORE, counted from 0, has I
 * times KIB more in each snapshot than in the one before. The first GOOD snapshots have no fault.
 * Later ones have KIND: torn, truncated, unsealed, foreign, file, empty (no descriptor), two
 * (descriptors), close.
 */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/os/channel.h"
#include "base/os/memfd.h"
#include "base/os/userns.h"
#include "snapshot/image.h"
#include "tests/unit/support/snapshot/sample.h"
#include "tests/unit/support/snapshot/snapshot-socket.h"

enum { RETRY_MS = 20 }; /* until a client that has not read is tried again */

struct publisher {
	uint64_t interval_ms, told_ms, count, more, exported, is_restricted, is_moving, is_public,
		good, userns, step_ms, growth_kib;
	const char *fault;
	uint64_t sequence;
	uint64_t begin_realtime_ns, begin_boottime_ns; /* when the program was started */
	struct snapshot_socket socket;
};

static void die(const char *what, int error)
{
	fprintf(stderr, "publish-sample: %s: %s\n", what, strerror(error < 0 ? -error : error));
	exit(EXIT_FAILURE);
}

static void parse_arg(struct publisher *p, char *arg)
{
	struct {
		const char *name;
		uint64_t *value;
	} numbers[] = {
		{"interval", &p->interval_ms},
		{"told", &p->told_ms},
		{"count", &p->count},
		{"more", &p->more},
		{"exported", &p->exported},
		{"restricted", &p->is_restricted},
		{"moving", &p->is_moving},
		{"public", &p->is_public},
		{"good", &p->good},
		{"userns", &p->userns},
		{"step", &p->step_ms},
		{"growth", &p->growth_kib},
	};
	char *value = strchr(arg, '=');

	if (!value)
		die(arg, EINVAL);
	*value++ = 0;
	if (!strcmp(arg, "fault")) {
		p->fault = value;
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (!strcmp(arg, numbers[i].name) &&
			number_parse_u64(value, strlen(value), numbers[i].value) == 0)
			return;
	die(arg, EINVAL);
}

static int seal(const void *bytes, size_t len)
{
	struct iovec iov = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = len};
	int fd, r = memfd_new_sealed("publish-sample", &iov, 1, &fd);

	if (r < 0)
		die("memfd", r);
	return fd;
}

static int plain_file(int fd, const void *bytes, size_t len)
{
	if (fd < 0 || write(fd, bytes, len) != (ssize_t)len)
		die("file", errno);
	return fd;
}

/* Returns GOOD, which it closes, with the requested fault. */
static int spoil(const struct publisher *p, int good)
{
	AUTO_CLOSE int fd = good;
	off_t size = lseek(fd, 0, SEEK_END);
	unsigned char *bytes = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	size_t len = (size_t)size;
	int bad = -1;

	if (bytes == MAP_FAILED)
		die("mmap", errno);
	if (!strcmp(p->fault, "torn")) {
		memset(bytes + len / 2, 0xff, len / 4); /* as if this part came from another pass */
		bad = seal(bytes, len);
	} else if (!strcmp(p->fault, "truncated")) {
		bad = seal(bytes, len - 8);
	} else if (!strcmp(p->fault, "foreign")) {
		memcpy(bytes, "FOREIGN!", 8);
		bad = seal(bytes, len);
	} else if (!strcmp(p->fault, "unsealed")) {
		bad = plain_file(memfd_create("publish-sample", MFD_CLOEXEC), bytes, len);
	} else if (!strcmp(p->fault, "file")) {
		char path[] = "/tmp/publish-sample.XXXXXX";

		bad = plain_file(mkstemp(path), bytes, len);
		unlink(path);
	}
	munmap(bytes, len);
	return bad >= 0 ? bad : TAKE_FD(fd);
}

/* Sends a message with COUNT copies of IMAGE. */
static int send_copies(int client, int image, size_t count)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(2 * sizeof(int))];
	} control = {0};
	int fds[2] = {image, image};
	struct iovec iov = {.iov_base = (void *)(uintptr_t) "x", .iov_len = 1};
	struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1};

	if (count) {
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(count * sizeof(int));
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(&control.header), fds, count * sizeof(int));
	}
	return sendmsg(client, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}

static int send_empty(int client, int image)
{
	return send_copies(client, image, 0);
}

static int send_two(int client, int image)
{
	return send_copies(client, image, 2);
}

static int send_nothing(int client, int image)
{
	(void)client;
	(void)image;
	return -EPIPE;
}

/* Returns the function that sends an image with FAULT. */
static int (*sender(const char *fault))(int client, int image)
{
	if (!strcmp(fault, "empty"))
		return send_empty;
	if (!strcmp(fault, "two"))
		return send_two;
	return !strcmp(fault, "close") ? send_nothing : channel_send_fd;
}

static bool is_spoilt(const struct publisher *p)
{
	return p->fault && p->sequence > p->good;
}

static void publish(struct publisher *p)
{
	uint64_t step_ns = p->step_ms * NS_PER_MSEC;
	uint64_t ago_ns = step_ns * (p->count - ++p->sequence);
	struct sample_options options = {
		.sequence = p->sequence,
		.realtime_ns = step_ns ? p->begin_realtime_ns - ago_ns
	                               : clock_now_ns(CLOCK_REALTIME),
		.boottime_ns = step_ns ? p->begin_boottime_ns - ago_ns
	                               : clock_now_ns(CLOCK_BOOTTIME),
		.older_ns = step_ns * p->sequence,
		.growth_kib = (uint32_t)p->growth_kib,
		.interval_ns = (p->told_ms ? p->told_ms : p->interval_ms) * NS_PER_MSEC,
		.userns = p->userns ? p->userns : userns_id(),
		.is_public = p->is_public,
		.more = (uint32_t)p->more,
		.exported = (uint32_t)p->exported,
		.is_restricted = p->is_restricted,
		.is_moving = p->is_moving,
	};
	int fd, r = sample_seal(&options, &fd);

	if (r < 0)
		die("sample", r);
	if (is_spoilt(p)) {
		p->socket.send = sender(p->fault);
		fd = spoil(p, fd);
	}
	snapshot_socket_publish(&p->socket, fd);
}

/* Returns whether the next snapshot may be sent: with STEP, if no client lacks the last one. */
static bool is_taken(const struct publisher *p)
{
	for (size_t i = 0; p->step_ms && i < p->socket.clients; i++)
		if (!p->socket.client[i].has_image)
			return false;
	return true;
}

int main(int argc, char *argv[])
{
	struct publisher p = {
		.interval_ms = 10000,
		.count = UINT64_MAX,
		.begin_realtime_ns = clock_now_ns(CLOCK_REALTIME),
		.begin_boottime_ns = clock_now_ns(CLOCK_BOOTTIME),
	};
	struct pollfd clients = {.events = POLLIN};
	uint64_t due;
	int r;

	if (argc < 2)
		die("usage: publish-sample SOCKET [NAME=VALUE]...", EINVAL);
	for (int i = 2; i < argc; i++)
		parse_arg(&p, argv[i]);
	r = snapshot_socket_open(&p.socket, argv[1]);
	if (r < 0)
		die(argv[1], r);
	clients.fd = p.socket.listener;
	publish(&p);
	due = clock_now_ns(CLOCK_MONOTONIC) + p.interval_ms * NS_PER_MSEC;
	for (;;) {
		uint64_t now = clock_now_ns(CLOCK_MONOTONIC);
		bool is_over = p.sequence >= p.count;

		if (!p.socket.accepted)
			due = now + p.interval_ms * NS_PER_MSEC;
		if (!is_over && now >= due && is_taken(&p)) {
			publish(&p);
			due += p.interval_ms * NS_PER_MSEC;
			continue;
		}
		poll(&clients, 1,
			is_over || now >= due ? RETRY_MS : (int)((due - now) / NS_PER_MSEC + 1));
		snapshot_socket_serve(&p.socket);
	}
}
