/* SPDX-License-Identifier: Apache-2.0 */
/* Tests how a channel listens at a path, with real sockets: only one process gets the path. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/os/channel.h"
#include "tests/unit/base/os/channel-pair.h"
#include "tests/unit/support/folder.h"

/* Answers of the kernel that a test replaces. */
static struct {
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

static int reset_kernel(void **state)
{
	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	return 0;
}

static void listens_and_connects(void **state)
{
	AUTO_CLOSE int listener = -1, client = -1, server = -1, file = channel_pair_file('a'),
		       got = -1;
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

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(listens_and_connects, reset_kernel),
		cmocka_unit_test_setup(leaves_no_file_if_it_cannot_listen, reset_kernel),
		cmocka_unit_test_setup(sets_the_mode_at_once, reset_kernel),
		cmocka_unit_test_setup(replaces_only_stale_sockets, reset_kernel),
		cmocka_unit_test_setup(a_server_with_a_full_backlog_is_alive, reset_kernel),
		cmocka_unit_test_setup(one_of_many_wins, reset_kernel),
		cmocka_unit_test_setup(a_foreign_lock_only_delays, reset_kernel),
		cmocka_unit_test_setup(the_lock_is_not_kept, reset_kernel),
		cmocka_unit_test_setup(the_directory_need_not_be_readable, reset_kernel),
		cmocka_unit_test_setup(leaves_other_files_alone, reset_kernel),
		cmocka_unit_test_setup(refuses_invalid_paths, reset_kernel),
	};

	/* In a folder of their own: the path of a socket has room for 107 bytes only. */
	return cmocka_run_group_tests(tests, folder_enter, folder_leave);
}
