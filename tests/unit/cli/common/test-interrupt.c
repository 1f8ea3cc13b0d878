/* SPDX-License-Identifier: Apache-2.0 */
/* Tests what memtally does at Ctrl-C. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/common/interrupt.h"

enum { STATUS = 130 };

/* Holds a warning back and is interrupted; if IN_CHILD, in a child process that it then waits for. */
static void interrupted(int status, bool in_child)
{
	pid_t child;

	unsetenv("JOURNAL_STREAM");
	log_open("test", LOG_LEVEL_INFO);
	log_hold();
	log_warning("held back");
	interrupt_hear(0);
	if (status)
		interrupt_hear(status);
	child = in_child ? fork() : -1;
	if (child <= 0)
		raise(SIGINT);
	else
		waitpid(child, NULL, 0);
	_exit(0);
}

/* Returns the status of interrupted(), as of waitpid(), and what it says in SAID. */
static int interrupt(int status, bool in_child, char said[static 128])
{
	size_t len = 0;
	int ends[2], ended;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(ends[1], STDERR_FILENO);
		close(ends[0]);
		close(ends[1]);
		interrupted(status, in_child);
	}
	close(ends[1]);
	while ((n = read(ends[0], said + len, 127 - len)) > 0)
		len += (size_t)n;
	close(ends[0]);
	said[len] = '\0';
	assert_int_equal(waitpid(pid, &ended, 0), pid);
	return ended;
}

static void held_warnings_are_not_lost(void **state)
{
	char said[128];
	int status = interrupt(0, false, said);

	(void)state;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGINT);
	assert_string_equal(said, "test: warning: held back\n");
	status = interrupt(STATUS, false, said);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), STATUS);
	assert_string_equal(said, "test: warning: held back\n");
}

/* A terminal interrupts all processes of the program. */
static void children_write_nothing(void **state)
{
	char said[128];

	(void)state;
	assert_int_equal(interrupt(0, true, said), 0);
	assert_string_equal(said, "");
}

static int hear_by_default(void **state)
{
	(void)state;
	signal(SIGINT, SIG_DFL); /* a shell ignores it in background jobs */
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(held_warnings_are_not_lost),
		cmocka_unit_test(children_write_nothing),
	};

	return cmocka_run_group_tests(tests, hear_by_default, NULL);
}
