/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "base/os/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <stdint.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"

#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59
#endif

enum {
	LOCK_TRIES = 200,
	LOCK_WAIT_NS = 10000000, /* between two tries */
};

static int make_address(const char *path, struct sockaddr_un *ret)
{
	size_t len = strlen(path);

	if (!len)
		return -EINVAL;
	if (len > CHANNEL_PATH_MAX)
		return -ENAMETOOLONG;
	*ret = (struct sockaddr_un){.sun_family = AF_UNIX};
	memcpy(ret->sun_path, path, len + 1);
	return 0;
}

/*
 * Removes the socket file at ADDRESS if no process listens there, that is, if connect() fails with
 * ECONNREFUSED. Returns 0, also if there is no file; -EADDRINUSE if a process listens; -ENOTSOCK;
 * or a negative errno of lstat(), socket() or unlink().
 */
static int remove_stale(const struct sockaddr_un *address, int type)
{
	AUTO_CLOSE int probe = -1;
	struct stat st;

	if (lstat(address->sun_path, &st) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(st.st_mode))
		return -ENOTSOCK;
	probe = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (probe < 0)
		return -errno;
	if (connect(probe, (const struct sockaddr *)address, sizeof(*address)) == 0 ||
		errno != ECONNREFUSED)
		return -EADDRINUSE;
	return unlink(address->sun_path) < 0 && errno != ENOENT ? -errno : 0;
}

static int open_parent(const struct sockaddr_un *address)
{
	char parent[CHANNEL_PATH_MAX + 1];
	char *slash;

	memcpy(parent, address->sun_path, sizeof(parent));
	slash = strrchr(parent, '/');
	if (slash)
		slash[slash == parent] = 0;
	return open(slash ? parent : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/*
 * Locks the directory of the socket. Between remove_stale() and listen(), a socket that another
 * process is about to serve looks stale. The lock makes processes that start at the same time do
 * both steps one after the other.
 *
 * Returns the locked descriptor. Returns -1 without a lock if the directory may not be read or
 * cannot be locked, and after 2 s: any process that may read the directory may hold its lock, and
 * must not be able to prevent the start.
 */
static int lock_parent(const struct sockaddr_un *address)
{
	AUTO_CLOSE int fd = open_parent(address);

	for (int i = 0; fd >= 0 && i < LOCK_TRIES; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return TAKE_FD(fd);
		if (errno != EWOULDBLOCK && errno != EINTR)
			break;
		nanosleep(&(struct timespec){.tv_nsec = LOCK_WAIT_NS}, NULL);
	}
	return -1;
}

int channel_listen(const char *path, int type, mode_t mode, int backlog, int *ret_fd)
{
	AUTO_CLOSE int fd = -1, lock = -1;
	struct sockaddr_un address;
	mode_t old;
	int r = make_address(path, &address);

	if (r < 0)
		return r;
	lock = lock_parent(&address);
	r = remove_stale(&address, type);
	if (r < 0)
		return r;
	fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	old = umask(0777 & ~mode); /* the file never has a wider mode than MODE */
	r = bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ? -errno : 0;
	umask(old);
	if (r < 0)
		return r;
	if (listen(fd, backlog) < 0) {
		r = -errno;
		unlink(address.sun_path);
		return r;
	}
	*ret_fd = TAKE_FD(fd);
	return 0;
}

int channel_connect(const char *path, int *ret_fd)
{
	AUTO_CLOSE int fd = -1;
	struct sockaddr_un address;
	int r = make_address(path, &address);

	if (r < 0)
		return r;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	/* On AF_UNIX a non-blocking connect() completes or fails at once. */
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

int channel_peer(int fd, struct channel_peer *ret)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);
	int domain;
	socklen_t domain_len = sizeof(domain);

	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &domain_len) < 0)
		return -errno;
	if (domain != AF_UNIX)
		return -EPERM;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
		return -errno;
	if (cred.uid == (uid_t)-1)
		return -EPERM;
	*ret = (struct channel_peer){.pid = cred.pid, .uid = cred.uid, .gid = cred.gid};
	return 0;
}

bool channel_peer_in_group(int fd, const struct channel_peer *peer, gid_t gid)
{
	AUTO_FREE gid_t *groups = NULL;
	socklen_t len = 0;

	if (peer->gid == gid)
		return true;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, NULL, &len) == 0 || errno != ERANGE)
		return false; /* no supplementary groups, or a kernel before 4.13 */
	groups = malloc(len);
	if (!groups || getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &len) < 0)
		return false;
	for (size_t i = 0; i < len / sizeof(*groups); i++)
		if (groups[i] == gid)
			return true;
	return false;
}

bool channel_is_drained(int fd)
{
	int queued = 0;

	return ioctl(fd, SIOCOUTQ, &queued) == 0 && queued == 0;
}

int channel_send(int socket, const void *data, size_t len, int fd)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct iovec iov = {.iov_base = (void *)(uintptr_t)data, .iov_len = len};
	struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1};

	if (fd != CHANNEL_NO_FD) {
		struct cmsghdr *c = &control.header;

		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &fd, sizeof(int));
	}
	if (sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0)
		return 0;
	return errno == ECONNRESET ? -EPIPE : -errno; /* reset: the peer left data unread */
}

int channel_send_fd(int socket, int fd)
{
	return fd < 0 ? -EBADF : channel_send(socket, "", 1, fd);
}

/*
 * Returns the first descriptor of MESSAGE, or -1 if there is none, and closes all others.
 * *RET_COUNT is how many there were.
 */
static int take_descriptors(struct msghdr *message, size_t *ret_count)
{
	int first = -1;
	size_t count = 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		size_t n;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < n; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
			if (count++)
				close(fd);
			else
				first = fd;
		}
	}
	*ret_count = count;
	return first;
}

int channel_receive(int socket, void *data, size_t size, size_t *ret_len, int *ret_fd)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(4 * sizeof(int))];
	} control;
	struct iovec iov = {.iov_base = data, .iov_len = size};
	struct msghdr message = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	AUTO_CLOSE int fd = -1;
	size_t count;
	ssize_t n;

	do
		n = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN       ? CHANNEL_NOTHING
		       : errno == ECONNRESET ? CHANNEL_CLOSED
		                             : -errno;
	fd = take_descriptors(&message, &count);
	if (n == 0)
		return CHANNEL_CLOSED;
	if (count > 1 || (message.msg_flags & (MSG_CTRUNC | MSG_TRUNC)))
		return -EPROTO;
	*ret_len = (size_t)n;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

int channel_receive_fd(int socket, int *ret_fd)
{
	int fd = CHANNEL_NO_FD, r;
	size_t len;
	char byte;

	r = channel_receive(socket, &byte, sizeof(byte), &len, &fd);
	if (r == 0 && fd == CHANNEL_NO_FD)
		r = -EPROTO;
	if (r == 0)
		*ret_fd = fd;
	return r;
}
