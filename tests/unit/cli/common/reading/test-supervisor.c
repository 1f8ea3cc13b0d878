/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of cli/common/reading/supervisor.h: if a read blocks, its task is killed and another one continues.
 */
#include "config.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/log.h"
#include "cli/common/reading/supervisor.h"
#include "cli/common/reading/task.h"
#include "inspect/maps/target.h"
#include "tests/unit/support/extent.h"

enum { BLOCKS = 100000, BLOCKS_TOO, FINE, SLOW, RETURNED = 17, STATUS = 42, WORD = 1234 };

/* Results of a test's tasks. */
struct memory {
	int works;   /* number of tasks begun */
	int results; /* number of expected results of supervisor_try() */
	int sum;
	char text[4096];
};

/*
 * Sleeps like a blocked read, in state D, until SIGKILL or until the vfork() child exits, which
 * happens at SIGKILL.
 */
static int block(void *context)
{
	struct memory *m = context;
	char *volatile lost = malloc(WORD); /* not a leak */
	pid_t pid;

	m->works++;
	pid = vfork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	free(lost);
	return RETURNED;
}

/* A blocked read that returns just before the supervisor kills its task. */
static struct race {
	/* the block ends before this signal is sent; 0: before the first signal of any kind */
	int signal;
	volatile pid_t task;
	volatile bool is_over; /* the block has ended */
	volatile bool goes_on; /* the view's code runs again */
} race;

int __real_kill(pid_t pid, int signal);
int __wrap_kill(pid_t pid, int signal);

static void wait_a_little(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 5 * NS_PER_MSEC}, NULL);
}

static bool task_survives; /* SIGKILL has no effect yet */

int __wrap_kill(pid_t pid, int signal)
{
	if (task_survives && signal == SIGKILL)
		return 0;
	if (race.task && pid == race.task && !race.is_over &&
		(!race.signal || signal == race.signal)) {
		uint64_t end_ns = clock_now_ns(CLOCK_MONOTONIC) +
		                  (race.signal ? 200 * NS_PER_MSEC : 20 * NS_PER_SEC);

		race.is_over = true;
		while (!race.goes_on && clock_now_ns(CLOCK_MONOTONIC) < end_ns)
			wait_a_little();
	}
	return __real_kill(pid, signal);
}

/* Sleeps in state D until the block ends. */
static int block_for_a_while(void *context)
{
	struct memory *m = context;
	pid_t pid;

	m->works++;
	race.task = getpid();
	pid = vfork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (!race.is_over)
			wait_a_little();
		_exit(0);
	}
	race.goes_on = true;
	return RETURNED;
}

static int return_at_once(void *context)
{
	struct memory *m = context;

	m->works++;
	m->sum += WORD;
	return RETURNED;
}

/* Takes longer than a read may block, by computing and by a sleep outside of the kernel's locks. */
static int take_time(void *context)
{
	struct memory *m = context;
	uint64_t end_ns = clock_now_ns(CLOCK_MONOTONIC) + NS_PER_SEC;
	struct timespec second = {.tv_sec = 1};

	m->works++;
	while (clock_now_ns(CLOCK_MONOTONIC) < end_ns)
		m->sum++;
	nanosleep(&second, NULL);
	return RETURNED;
}

static int view(void *context)
{
	struct memory *m = context;
	char text[sizeof(m->text)];

	/* After a blocked process, stack and heap are unchanged. */
	memset(text, 'x', sizeof(text));
	m->results += supervisor_try(FINE, return_at_once, m) == RETURNED;
	m->results += supervisor_try(BLOCKS, block, m) == TARGET_BLOCKED;
	m->results += supervisor_try(FINE, return_at_once, m) == RETURNED;
	m->results += supervisor_try(BLOCKS_TOO, block, m) == TARGET_BLOCKED;
	/* Nothing is started for a process that is known to block. */
	m->results += supervisor_try(BLOCKS, block, m) == TARGET_BLOCKED;
	m->results += supervisor_try(FINE, return_at_once, m) == RETURNED;
	supervisor_say();
	memcpy(m->text, text, sizeof(text));
	return STATUS;
}

static void test_continues_after_blocked_processes(void **state)
{
	struct memory m = {0};

	(void)state;
	if (extent_is_valgrind())
		skip();
	assert_int_equal(supervisor_run("/proc", view, &m), STATUS);
	assert_int_equal(m.results, 6);
	assert_int_equal(m.works, 5);
	assert_int_equal(m.sum, 3 * WORD);
	for (size_t i = 0; i < sizeof(m.text); i++)
		assert_int_equal(m.text[i], 'x');
}

static int view_slowly(void *context)
{
	return supervisor_try(SLOW, take_time, context);
}

static int view_for_a_while(void *context)
{
	return supervisor_try(BLOCKS, block_for_a_while, context);
}

static void test_waits_for_slow_tasks(void **state)
{
	struct memory m = {0};

	(void)state;
	assert_int_equal(supervisor_run("/proc", view_slowly, &m), RETURNED);
	assert_int_equal(m.works, 1);
}

static void test_works_without_supervision(void **state)
{
	struct memory m = {0};

	(void)state;
	assert_int_equal(supervisor_try(FINE, return_at_once, &m), RETURNED);
	assert_int_equal(m.works, 1);
	supervisor_say();
}

/* Once the task goes on it may take a lock of malloc(), so it must not be killed. */
static void test_kills_no_task_that_goes_on(void **state)
{
	struct memory m = {0};

	(void)state;
	if (extent_is_valgrind())
		skip();
	race = (struct race){0};
	assert_int_equal(supervisor_run("/proc", view_for_a_while, &m), RETURNED);
	assert_true(race.is_over);
	assert_true(race.goes_on);
	assert_int_equal(m.works, 1);

	/*
	 * After the supervisor has decided that the task is blocked, none of its code runs any
	 * more.
	 */
	race = (struct race){.signal = SIGKILL};
	assert_int_equal(supervisor_run("/proc", view_for_a_while, &m), TARGET_BLOCKED);
	assert_true(race.is_over);
	assert_false(race.goes_on);
	assert_int_equal(m.works, 2);
}

/* The task is taken to be in a page fault, whatever /proc says. */
static bool is_in_fault;

bool __real_task_is_in_call(pid_t pid);
bool __wrap_task_is_in_call(pid_t pid);

bool __wrap_task_is_in_call(pid_t pid)
{
	return !is_in_fault && __real_task_is_in_call(pid);
}

/* Sleeps in state D for longer than a read may. */
static int take_long(void *context)
{
	struct memory *m = context;

	m->works++;
	if (vfork() == 0) {
		const struct timespec time = {.tv_sec = 2};

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		nanosleep(&time, NULL);
		_exit(0);
	}
	return RETURNED;
}

static int view_long(void *context)
{
	return supervisor_try(SLOW, take_long, context);
}

/* The page fault may be one of malloc(): a killed task would leave its lock held. */
static void test_kills_no_task_in_a_page_fault(void **state)
{
	struct memory m = {0};

	(void)state;
	if (extent_is_valgrind())
		skip();
	is_in_fault = true;
	assert_int_equal(supervisor_run("/proc", view_long, &m), RETURNED);
	is_in_fault = false;
	assert_int_equal(supervisor_run("/proc", view_long, &m), TARGET_BLOCKED);
	assert_int_equal(m.works, 2);
}

/* If it cannot end the task, the warnings that were held back until then still appear. */
static void test_writes_held_warnings_before_it_fails(void **state)
{
	struct memory m = {0};
	char said[512] = "";
	size_t len = 0;
	int ends[2], status;
	ssize_t n;
	pid_t pid;

	(void)state;
	if (extent_is_valgrind())
		skip();
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(ends[1], STDERR_FILENO);
		close(ends[1]);
		task_survives = true;
		log_hold();
		log_warning("held back");
		_exit(supervisor_run("/proc", view_long, &m));
	}
	close(ends[1]);
	while ((n = read(ends[0], said + len, sizeof(said) - 1 - len)) > 0)
		len += (size_t)n;
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), EXIT_FAILURE);
	assert_non_null(strstr(said, "cannot be ended\n"));
	assert_non_null(strstr(said, "held back\n"));
}

static int end_by_signal(void *context)
{
	(void)context;
	kill(getpid(), SIGTERM);
	return 0;
}

static int end_by_exit(void *context)
{
	(void)context;
	_exit(STATUS);
}

static int status_of(int (*work)(void *))
{
	int status = -1;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(supervisor_run("/proc", work, NULL));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void test_exits_like_the_view(void **state)
{
	int status;

	(void)state;
	if (extent_is_valgrind())
		skip(); /* the task is a process of its own there, and ends by itself */
	status = status_of(end_by_signal);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
	status = status_of(end_by_exit);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), STATUS);
}

/* The view has the write end of the pipe too, so it closes when both have exited. */
static int wait_for_ever(void *context)
{
	int *pipe_fds = context;
	char byte = 'x';

	if (write(pipe_fds[1], &byte, 1) == 1)
		for (;;)
			pause();
	return 0;
}

static void test_view_exits_with_the_program(void **state)
{
	int pipe_fds[2];
	char byte;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(pipe_fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		close(pipe_fds[0]);
		_exit(supervisor_run("/proc", wait_for_ever, pipe_fds));
	}
	close(pipe_fds[1]);
	assert_int_equal(read(pipe_fds[0], &byte, 1), 1);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(read(pipe_fds[0], &byte, 1), 0);
	close(pipe_fds[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_continues_after_blocked_processes),
		cmocka_unit_test(test_waits_for_slow_tasks),
		cmocka_unit_test(test_kills_no_task_that_goes_on),
		cmocka_unit_test(test_kills_no_task_in_a_page_fault),
		cmocka_unit_test(test_works_without_supervision),
		cmocka_unit_test(test_writes_held_warnings_before_it_fails),
		cmocka_unit_test(test_exits_like_the_view),
		cmocka_unit_test(test_view_exits_with_the_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
