/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of service/listener.h: the socket of its own, and the one of systemd. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/os/channel.h"
#include "service/listener.h"
#include "tests/unit/support/folder.h"

#define PATH "some.sock"

enum { PASSED = 3 }; /* systemd's first descriptor */

static void makes_a_socket_for_all_users(void **state)
{
	AUTO_CLOSE int fd = -1, client = -1, other = -1;
	const char *made = NULL;
	struct stat st;

	(void)state;
	assert_int_equal(listener_open(PATH, &fd, &made), 0);
	assert_string_equal(made, PATH);
	assert_int_equal(stat(PATH, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0666);
	assert_int_equal(channel_connect(PATH, &client), 0);
	assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
	assert_int_equal(listener_open(PATH, &other, &made), -EADDRINUSE);
	assert_null(made);
	assert_int_equal(listener_open("none/x", &other, &made), -ENOENT);
	assert_int_equal(unlink(PATH), 0);
}

/* Calls listener_open() in a child to which systemd has passed COUNT sockets, the first of TYPE. */
static void open_passed(int type, const char *count, int expected)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		const char *made = "?";
		char self[16];
		int fd = -1, r;

		close(PASSED);
		r = socket(AF_UNIX, type, 0);
		if (r >= 0 && r != PASSED && dup2(r, PASSED) < 0)
			_exit(2);
		if (bind(PASSED, (struct sockaddr *)&(sa_family_t){AF_UNIX}, sizeof(sa_family_t)) <
			0)
			_exit(3);
		if (dup2(PASSED, PASSED + 1) < 0)
			_exit(7);
		if (type != SOCK_DGRAM && listen(PASSED, 1) < 0)
			_exit(4);
		snprintf(self, sizeof(self), "%d", (int)getpid());
		setenv("LISTEN_PID", self, 1);
		setenv("LISTEN_FDS", count, 1);
		r = listener_open(PATH, &fd, &made);
		if (made || r != expected || (r == 0 && fd != PASSED))
			_exit(5);
		_exit(r == 0 && !(fcntl(fd, F_GETFL) & O_NONBLOCK) ? 6 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void takes_the_socket_of_systemd(void **state)
{
	(void)state;
	open_passed(SOCK_SEQPACKET, "1", 0);
	open_passed(SOCK_SEQPACKET, "2", -EINVAL);
	open_passed(SOCK_STREAM, "1", -EINVAL);
	open_passed(SOCK_DGRAM, "1", -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(makes_a_socket_for_all_users),
		cmocka_unit_test(takes_the_socket_of_systemd),
	};

	log_open("test", LOG_LEVEL_ERROR);
	return cmocka_run_group_tests(tests, folder_enter, folder_leave);
}
