/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/common/reading/task.h: whether a task sleeps in a system call, and for which file. */
#include "config.h"

#include "cli/common/reading/task.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "tests/unit/support/unit.h"

static void parses_system_calls(void **state)
{
	static const struct {
		const char *text;
		int expected;
		struct task_call call;
	} cases[] = {
		{"0 0x3 0x7f57b9314000 0x20000 0x0 0x0 0x0 0x7ffc 0x7f57\n", 0,
			{0, {3, 0x7f57b9314000}}},
		{"257 0xffffff9c 0x7ffcedba99b4 0x0 0x0 0x0 0x0 0x7ffc 0x7fac\n", 0,
			{257, {0xffffff9c, 0x7ffcedba99b4}}},
		{"-1 0x7fa69edd2ed8 0x5602d915e874\n", 0, {TASK_NO_CALL, {0, 0}}},
		{"running\n", -EBADMSG, {0}},
		{"", -EBADMSG, {0}},
		{"0 0x", -EBADMSG, {0}},
		{"0 0x3\n", -EBADMSG, {0}},
		{"99999999999999999999999 0x3 0x4\n", -EBADMSG, {0}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct task_call call = {.number = 12345};

		assert_int_equal(task_parse_call(cases[i].text, strlen(cases[i].text), &call),
			cases[i].expected);
		if (cases[i].expected < 0) {
			assert_int_equal(call.number, 12345);
			continue;
		}
		assert_int_equal(call.number, cases[i].call.number);
		for (size_t k = 0; k < ARRAY_SIZE(call.argument); k++)
			assert_int_equal(call.argument[k], cases[i].call.argument[k]);
	}
}

static void names_files(void **state)
{
	AUTO_CLOSE int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	const struct {
		struct task_call call;
		const char *expected;
	} cases[] = {
		{{SYS_read, {(uint64_t)fd, 0}}, "status"},
		{{SYS_pread64, {(uint64_t)fd, 0}}, "status"},
		{{SYS_read, {9999, 0}}, ""},
		{{SYS_openat, {0, (uintptr_t) "/proc/12/smaps"}}, "smaps"},
		{{SYS_readlinkat, {0, (uintptr_t) "exe"}}, "exe"},
		{{SYS_openat, {0, (uintptr_t) "12/map_files/1000-2000"}}, "map_files"},
		{{SYS_openat, {0, 0}}, ""},
		{{SYS_kcmp, {1, 2}}, "kcmp()"},
		{{SYS_getpid, {0, 0}}, ""},
		{{TASK_NO_CALL, {0, 0}}, ""},
	};

	(void)state;
	assert_true(fd >= 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char file[TASK_FILE_SIZE];

		task_name_file(&cases[i].call, file);
		assert_string_equal(file, cases[i].expected);
	}
}

static pid_t start_waiting(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return pid;
}

static void sees_a_child_in_a_system_call(void **state)
{
	pid_t pid = start_waiting();
	struct task_call call;
	int r = -EBADMSG;

	(void)state;
	for (int i = 0; i < 1000 && (task_state(pid) != 'S' || r == -EBADMSG); i++) {
		usleep(10000);
		r = task_call(pid, &call);
	}
	assert_int_equal(task_state(pid), 'S');
	if (r == 0)
		assert_true(call.number != TASK_NO_CALL);
	else
		assert_true(r == -ENOENT || r == -EPERM || r == -EACCES);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(task_state(pid), '?');
}

/* In another pid namespace than that of /proc the pid would be another process's. */
static void another_pid_namespace_tells_nothing(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0) {
		struct task_call call;

		if (unshare(CLONE_NEWPID) < 0)
			_exit(77);
		pid = fork(); /* its pid in that namespace is 1 */
		if (pid == 0)
			_exit(task_state(getpid()) != '?' || task_call(getpid(), &call) != -ENOENT);
		_exit(pid < 0 || waitpid(pid, &status, 0) != pid || status != 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_system_calls),
		cmocka_unit_test(names_files),
		cmocka_unit_test(sees_a_child_in_a_system_call),
		cmocka_unit_test(another_pid_namespace_tells_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
