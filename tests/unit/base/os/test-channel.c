/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the channel that sends descriptors, with real sockets, and some answers of the kernel
 * simulated.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/os/channel.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/folder.h"

/* Answers of the kernel that a test replaces. */
static struct {
	int receive_error; /* of the next recvmsg() */
	bool forge;        /* SO_PEERCRED and SO_PEERGROUPS */
	uid_t uid;
	const gid_t *groups;
	size_t group_count;
	bool knows_groups;
	int listen_error; /* of listen(); 0: none */
	/* delays connect() without a listener, and bind(), so that other processes come first */
	bool slow;
} kernel;

static void wait_if_slow(void)
{
	if (kernel.slow)
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

int __real_connect(int fd, const struct sockaddr *address, socklen_t len);
int __wrap_connect(int fd, const struct sockaddr *address, socklen_t len);

int __wrap_connect(int fd, const struct sockaddr *address, socklen_t len)
{
	int r = __real_connect(fd, address, len), saved = errno;

	if (r < 0)
		wait_if_slow();
	errno = saved;
	return r;
}

int __real_bind(int fd, const struct sockaddr *address, socklen_t len);
int __wrap_bind(int fd, const struct sockaddr *address, socklen_t len);

int __wrap_bind(int fd, const struct sockaddr *address, socklen_t len)
{
	int r = __real_bind(fd, address, len), saved = errno;

	wait_if_slow();
	errno = saved;
	return r;
}

int __real_listen(int fd, int backlog);
int __wrap_listen(int fd, int backlog);

int __wrap_listen(int fd, int backlog)
{
	if (!kernel.listen_error)
		return __real_listen(fd, backlog);
	errno = kernel.listen_error;
	return -1;
}

int __real_getsockopt(int fd, int level, int name, void *value, socklen_t *len);
int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *len);

int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	size_t need = kernel.group_count * sizeof(gid_t);

	if (!kernel.forge || (name != SO_PEERCRED && name != SO_PEERGROUPS))
		return __real_getsockopt(fd, level, name, value, len);
	if (name == SO_PEERCRED) {
		memcpy(value, &(struct ucred){.pid = 1, .uid = kernel.uid, .gid = 1}, *len);
		return 0;
	}
	if (!kernel.knows_groups || *len < need) {
		errno = kernel.knows_groups ? ERANGE : ENOPROTOOPT;
		*len = (socklen_t)need;
		return -1;
	}
	*len = (socklen_t)need;
	if (need)
		memcpy(value, kernel.groups, need);
	return 0;
}

ssize_t __real_recvmsg(int fd, struct msghdr *message, int flags);
ssize_t __wrap_recvmsg(int fd, struct msghdr *message, int flags);

ssize_t __wrap_recvmsg(int fd, struct msghdr *message, int flags)
{
	if (kernel.receive_error) {
		errno = kernel.receive_error;
		kernel.receive_error = 0;
		return -1;
	}
	return __real_recvmsg(fd, message, flags);
}

static int reset_kernel(void **state)
{
	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	return 0;
}

static void make_pair(int *server, int *client)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	*server = pair[0];
	*client = pair[1];
}

/* Returns a descriptor of a file that holds the one byte C. */
static int make_file(char c)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, &c, 1, 0), 1);
	return fd;
}

static void listens_and_connects(void **state)
{
	AUTO_CLOSE int listener = -1, client = -1, server = -1, file = make_file('a'), got = -1;
	char c;

	(void)state;
	assert_int_equal(channel_listen("socket", SOCK_SEQPACKET, 0600, 4, &listener), 0);
	assert_int_equal(fcntl(listener, F_GETFD), FD_CLOEXEC);
	assert_true(fcntl(listener, F_GETFL) & O_NONBLOCK);
	assert_int_equal(channel_connect("socket", &client), 0);
	assert_int_equal(fcntl(client, F_GETFD), FD_CLOEXEC);
	assert_true(fcntl(client, F_GETFL) & O_NONBLOCK);
	server = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	assert_true(server >= 0);

	assert_int_equal(channel_receive_fd(client, &got), CHANNEL_NOTHING);
	assert_true(channel_is_drained(server));
	assert_int_equal(channel_send_fd(server, file), 0);
	assert_false(channel_is_drained(server));
	assert_int_equal(channel_receive_fd(client, &got), 0);
	assert_true(channel_is_drained(server));
	assert_int_not_equal(got, file);
	assert_int_equal(fcntl(got, F_GETFD), FD_CLOEXEC);
	assert_int_equal(pread(got, &c, 1, 0), 1);
	assert_int_equal(c, 'a');
	server = fd_close(server);
	assert_int_equal(channel_receive_fd(client, &got), CHANNEL_CLOSED);
	assert_int_equal(unlink("socket"), 0);
}

static void leaves_no_file_if_it_cannot_listen(void **state)
{
	unsigned int before = unit_descriptors();
	int listener = 777;

	(void)state;
	kernel.listen_error = ENOBUFS;
	assert_int_equal(channel_listen("socket", SOCK_SEQPACKET, 0600, 4, &listener), -ENOBUFS);
	assert_int_equal(listener, 777);
	assert_int_equal(access("socket", F_OK), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(unit_descriptors(), before);
}

static void goes_on_after_a_signal(void **state)
{
	AUTO_CLOSE int server = -1, client = -1, file = make_file('a'), got = -1;

	(void)state;
	make_pair(&server, &client);
	assert_int_equal(channel_send_fd(server, file), 0);
	kernel.receive_error = EINTR;
	assert_int_equal(channel_receive_fd(client, &got), 0);
	kernel.receive_error = ECONNRESET;
	assert_int_equal(channel_receive_fd(client, &got), CHANNEL_CLOSED);
	kernel.receive_error = ENOMEM;
	assert_int_equal(channel_receive_fd(client, &got), -ENOMEM);
}

/* Several waiting messages arrive in order. */
static void keeps_the_order(void **state)
{
	AUTO_CLOSE int server = -1, client = -1;

	(void)state;
	make_pair(&server, &client);
	for (int c = 'a'; c <= 'c'; c++) {
		AUTO_CLOSE int file = make_file((char)c);

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

static void sets_the_mode_at_once(void **state)
{
	static const mode_t modes[] = {0600, 0660, 0666};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		AUTO_CLOSE int listener = -1;
		mode_t old = umask(0);
		struct stat st;

		umask(027);
		assert_int_equal(channel_listen("socket", SOCK_STREAM, modes[i], 4, &listener), 0);
		assert_int_equal(umask(old), 027);
		assert_int_equal(stat("socket", &st), 0);
		assert_int_equal(st.st_mode & 07777, modes[i]);
		assert_int_equal(unlink("socket"), 0);
	}
}

/*
 * A socket file without a listener is replaced; one with a listener is not, whatever the type of
 * socket.
 */
static void replaces_only_stale_sockets(void **state)
{
	static const int types[] = {SOCK_SEQPACKET, SOCK_STREAM};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		for (size_t k = 0; k < ARRAY_SIZE(types); k++) {
			AUTO_CLOSE int first = -1, second = -1;
			unsigned int before;

			assert_int_equal(channel_listen("socket", types[i], 0600, 4, &first), 0);
			before = unit_descriptors();
			assert_int_equal(
				channel_listen("socket", types[k], 0600, 4, &second), -EADDRINUSE);
			assert_int_equal(unit_descriptors(), before);
			first = fd_close(first);
			assert_int_equal(channel_listen("socket", types[k], 0600, 4, &second), 0);
			assert_int_equal(unlink("socket"), 0);
		}
}

/* A server with a full backlog is alive. */
static void a_server_with_a_full_backlog_is_alive(void **state)
{
	AUTO_CLOSE int first = -1, second = -1;
	int client[8];
	size_t count = 0;
	int r;

	(void)state;
	assert_int_equal(channel_listen("socket", SOCK_SEQPACKET, 0600, 1, &first), 0);
	do
		r = channel_connect("socket", &client[count]);
	while (r == 0 && ++count < ARRAY_SIZE(client));
	assert_int_equal(r, -EAGAIN);
	assert_int_equal(channel_listen("socket", SOCK_SEQPACKET, 0600, 1, &second), -EADDRINUSE);
	while (count)
		fd_close(client[--count]);
	assert_int_equal(unlink("socket"), 0);
}

enum { STARTERS = 12 };

/*
 * Child: starts to listen when GO ends, reports the result, and then serves clients until it is
 * killed.
 */
static void run_starter(int go, int results)
{
	struct pollfd wait = {.fd = -1, .events = POLLIN};
	int r;
	char c;

	if (read(go, &c, 1) != 0)
		_exit(1);
	r = channel_listen("socket", SOCK_SEQPACKET, 0600, 4, &wait.fd);
	if (write(results, &r, sizeof(r)) != sizeof(r) || r < 0)
		_exit(1);
	while (poll(&wait, 1, 10000) == 1) {
		AUTO_CLOSE int server = accept4(wait.fd, NULL, NULL, SOCK_CLOEXEC);

		if (server >= 0) /* removes the connections of processes that only probed */
			channel_send_fd(server, wait.fd);
	}
	_exit(1);
}

static void fork_starters(pid_t *pids, int *ret_go, int *ret_results)
{
	int go[2], results[2];

	assert_int_equal(pipe2(go, O_CLOEXEC), 0);
	assert_int_equal(pipe2(results, O_CLOEXEC), 0);
	for (size_t i = 0; i < STARTERS; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (!pids[i]) {
			close(go[1]);
			run_starter(go[0], results[1]);
		}
	}
	close(go[0]);
	close(results[1]);
	*ret_go = go[1];
	*ret_results = results[0];
}

/* Many processes start at once, with a stale socket or none: one of them wins, and serves. */
static void one_of_many_wins(void **state)
{
	(void)state;
	for (unsigned int round = 0; round < 6; round++) {
		AUTO_CLOSE int client = -1, got = -1, go = -1, results = -1, stale = -1;
		struct pollfd wait = {.events = POLLIN};
		pid_t pids[STARTERS];
		unsigned int winners = 0;
		int r;

		if (round % 2)
			assert_int_equal(
				channel_listen("socket", SOCK_SEQPACKET, 0600, 4, &stale), 0);
		stale = fd_close(stale);
		kernel.slow = true;
		fork_starters(pids, &go, &results);
		kernel.slow = false;
		go = fd_close(go);
		for (size_t i = 0; i < STARTERS; i++) {
			assert_int_equal(read(results, &r, sizeof(r)), sizeof(r));
			winners += r == 0;
			if (r < 0)
				assert_int_equal(r, -EADDRINUSE);
		}
		assert_int_equal(winners, 1);
		do
			r = channel_connect("socket", &client);
		while (r == -EAGAIN); /* connections of the others' probes are still queued */
		assert_int_equal(r, 0);
		wait.fd = client;
		assert_int_equal(poll(&wait, 1, 10000), 1);
		assert_int_equal(channel_receive_fd(client, &got), 0);
		for (size_t i = 0; i < STARTERS; i++) {
			kill(pids[i], SIGKILL);
			assert_int_equal(waitpid(pids[i], NULL, 0), pids[i]);
		}
		assert_int_equal(unlink("socket"), 0);
	}
}

/* Any user who can read the directory can lock it. That causes a delay and nothing more. */
static void a_foreign_lock_only_delays(void **state)
{
	AUTO_CLOSE int stranger = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd = -1;

	(void)state;
	assert_true(stranger >= 0);
	assert_int_equal(flock(stranger, LOCK_SH), 0);
	assert_int_equal(channel_listen("socket", SOCK_SEQPACKET, 0600, 4, &fd), 0);
	assert_int_equal(unlink("socket"), 0);
}

/* The lock is released as soon as the socket listens. */
static void the_lock_is_not_kept(void **state)
{
	AUTO_CLOSE int dir = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd = -1;
	unsigned int before = unit_descriptors();

	(void)state;
	assert_true(dir >= 0);
	assert_int_equal(channel_listen("socket", SOCK_SEQPACKET, 0600, 4, &fd), 0);
	assert_int_equal(unit_descriptors(), before + 1);
	assert_int_equal(flock(dir, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(flock(dir, LOCK_UN), 0);
	assert_int_equal(unlink("socket"), 0);
}

/* A process that can create files in a directory but not list it can listen there. */
static void the_directory_need_not_be_readable(void **state)
{
	pid_t pid;
	int status;

	(void)state;
	assert_int_equal(mkdir("closed", 0300), 0);
	if (!geteuid())
		assert_int_equal(chown("closed", 65534, 65534), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		int fd;

		if (chdir("closed") < 0 || (!geteuid() && setresuid(65534, 65534, 65534) < 0))
			_exit(1);
		if (open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) >= 0 || errno != EACCES)
			_exit(2);
		for (int i = 0; i < 2; i++) /* the second time on a stale socket */
			if (channel_listen("socket", SOCK_SEQPACKET, 0600, 4, &fd) < 0 ||
				channel_listen("socket", SOCK_SEQPACKET, 0600, 4, &status) !=
					-EADDRINUSE ||
				close(fd) < 0)
				_exit(3);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	unlink("closed/socket");
	assert_int_equal(rmdir("closed"), 0);
	assert_int_equal(status, 0);
}

static void leaves_other_files_alone(void **state)
{
	AUTO_CLOSE int file = open("file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	int fd = -7;
	struct stat st;

	(void)state;
	assert_true(file >= 0);
	assert_int_equal(symlink("nowhere", "link"), 0);
	assert_int_equal(channel_listen("file", SOCK_SEQPACKET, 0600, 4, &fd), -ENOTSOCK);
	assert_int_equal(channel_listen("link", SOCK_SEQPACKET, 0600, 4, &fd), -ENOTSOCK);
	assert_int_equal(channel_listen(".", SOCK_SEQPACKET, 0600, 4, &fd), -ENOTSOCK);
	assert_int_equal(channel_connect("file", &fd), -ECONNREFUSED);
	assert_int_equal(fd, -7);
	assert_int_equal(lstat("file", &st), 0);
	assert_int_equal(unlink("file"), 0);
	assert_int_equal(unlink("link"), 0);
}

static void refuses_invalid_paths(void **state)
{
	char path[sizeof(((struct sockaddr_un *)NULL)->sun_path) + 1];
	int fd = -7;

	(void)state;
	memset(path, 'x', sizeof(path));
	path[sizeof(path) - 1] = 0; /* one byte too long */
	assert_int_equal(channel_listen(path, SOCK_STREAM, 0600, 4, &fd), -ENAMETOOLONG);
	assert_int_equal(channel_connect(path, &fd), -ENAMETOOLONG);
	assert_int_equal(channel_listen("", SOCK_STREAM, 0600, 4, &fd), -EINVAL);
	assert_int_equal(channel_connect("", &fd), -EINVAL);
	assert_int_equal(channel_listen("none/socket", SOCK_STREAM, 0600, 4, &fd), -ENOENT);
	assert_int_equal(channel_connect("none", &fd), -ENOENT);
	assert_int_equal(fd, -7);

	path[sizeof(path) - 2] = 0; /* just fits */
	assert_int_equal(channel_listen(path, SOCK_STREAM, 0600, 4, &fd), 0);
	fd_close(fd);
	assert_int_equal(unlink(path), 0);
}

static void sending_never_blocks(void **state)
{
	AUTO_CLOSE int server = -1, client = -1, file = make_file('a');
	int r;

	(void)state;
	make_pair(&server, &client);
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
	AUTO_CLOSE int server = -1, client = -1, file = make_file('a');
	int fds[16];

	(void)state;
	make_pair(&server, &client);
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

static void refuses_to_receive_from_a_file(void **state)
{
	AUTO_CLOSE int file = make_file('a');
	int got = -7;

	(void)state;
	assert_int_equal(channel_receive_fd(file, &got), -ENOTSOCK);
	assert_int_equal(channel_receive_fd(-1, &got), -EBADF);
	assert_false(channel_is_drained(-1));
	assert_int_equal(got, -7);
}

static void knows_its_peer(void **state)
{
	AUTO_CLOSE int server = -1, client = -1;
	struct channel_peer peer;

	(void)state;
	make_pair(&server, &client);
	assert_int_equal(channel_peer(server, &peer), 0);
	assert_int_equal(peer.pid, getpid());
	assert_int_equal(peer.uid, geteuid());
	assert_int_equal(peer.gid, getegid());
	assert_true(channel_peer_in_group(server, &peer, getegid()));
}

/* For TCP the kernel would report uid -1 and succeed. */
static void trusts_only_unix_sockets(void **state)
{
	AUTO_CLOSE int tcp = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	AUTO_CLOSE int file = make_file('a');
	struct channel_peer peer = {.uid = 777};

	(void)state;
	assert_int_equal(channel_peer(file, &peer), -ENOTSOCK);
	kernel.forge = true; /* even if the kernel names root */
	if (tcp >= 0)
		assert_int_equal(channel_peer(tcp, &peer), -EPERM);
	assert_int_equal(peer.uid, 777);
}

static void refuses_uid_minus_one(void **state)
{
	AUTO_CLOSE int server = -1, client = -1;
	struct channel_peer peer = {.uid = 777};

	(void)state;
	make_pair(&server, &client);
	kernel.forge = true;
	kernel.uid = (uid_t)-1;
	assert_int_equal(channel_peer(server, &peer), -EPERM);
	assert_int_equal(peer.uid, 777);
	kernel.uid = 65534;
	assert_int_equal(channel_peer(server, &peer), 0);
	assert_int_equal(peer.uid, 65534);
}

static void finds_groups(void **state)
{
	static const gid_t groups[] = {7, 4242, 9};
	static const struct {
		size_t count;
		bool known;
		gid_t gid;
		bool expected;
	} cases[] = {
		{3, true, 1, true}, /* the primary group */
		{3, true, 7, true},
		{3, true, 4242, true},
		{3, true, 9, true},
		{2, true, 9, false},
		{3, true, 0, false},
		{0, true, 7, false},
		{3, false, 7, false}, /* before Linux 4.13, without SO_PEERGROUPS */
		{3, false, 1, true},
	};
	AUTO_CLOSE int server = -1, client = -1;
	struct channel_peer peer = {.pid = 1, .uid = 1, .gid = 1};

	(void)state;
	make_pair(&server, &client);
	kernel.forge = true;
	kernel.groups = groups;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		kernel.group_count = cases[i].count;
		kernel.knows_groups = cases[i].known;
		assert_int_equal(
			channel_peer_in_group(server, &peer, cases[i].gid), cases[i].expected);
	}
	kernel.group_count = 3;
	kernel.knows_groups = true;
	allocation_fail_at(1); /* if unknown: not a member */
	assert_false(channel_peer_in_group(server, &peer, 4242));
	assert_true(allocation_end());
}

/* As above, with the real kernel and the groups of this process. */
static void finds_its_own_groups(void **state)
{
	AUTO_CLOSE int server = -1, client = -1;
	struct channel_peer peer;
	gid_t groups[64];
	int count = getgroups(ARRAY_SIZE(groups), groups);

	(void)state;
	make_pair(&server, &client);
	assert_int_equal(channel_peer(server, &peer), 0);
	for (int i = 0; i < count; i++)
		assert_true(channel_peer_in_group(server, &peer, groups[i]));
	assert_false(channel_peer_in_group(server, &peer, 3999999999));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(listens_and_connects, reset_kernel),
		cmocka_unit_test_setup(leaves_no_file_if_it_cannot_listen, reset_kernel),
		cmocka_unit_test_setup(goes_on_after_a_signal, reset_kernel),
		cmocka_unit_test_setup(keeps_the_order, reset_kernel),
		cmocka_unit_test_setup(sets_the_mode_at_once, reset_kernel),
		cmocka_unit_test_setup(replaces_only_stale_sockets, reset_kernel),
		cmocka_unit_test_setup(a_server_with_a_full_backlog_is_alive, reset_kernel),
		cmocka_unit_test_setup(one_of_many_wins, reset_kernel),
		cmocka_unit_test_setup(a_foreign_lock_only_delays, reset_kernel),
		cmocka_unit_test_setup(the_lock_is_not_kept, reset_kernel),
		cmocka_unit_test_setup(the_directory_need_not_be_readable, reset_kernel),
		cmocka_unit_test_setup(leaves_other_files_alone, reset_kernel),
		cmocka_unit_test_setup(refuses_invalid_paths, reset_kernel),
		cmocka_unit_test_setup(sending_never_blocks, reset_kernel),
		cmocka_unit_test_setup(refuses_other_messages, reset_kernel),
		cmocka_unit_test_setup(refuses_to_receive_from_a_file, reset_kernel),
		cmocka_unit_test_setup(knows_its_peer, reset_kernel),
		cmocka_unit_test_setup(trusts_only_unix_sockets, reset_kernel),
		cmocka_unit_test_setup(refuses_uid_minus_one, reset_kernel),
		cmocka_unit_test_setup(finds_groups, reset_kernel),
		cmocka_unit_test_setup(finds_its_own_groups, reset_kernel),
	};

	/* In a folder of their own: the path of a socket has room for 107 bytes only. */
	return cmocka_run_group_tests(tests, folder_enter, folder_leave);
}
