/* SPDX-License-Identifier: Apache-2.0 */
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
#include "cli/supervisor.h"
#include "cli/task.h"
#include "inside/target.h"

enum { BLOCKS = 100000, BLOCKS_TOO, FINE, SLOW, RETURNED = 17, STATUS = 42, WORD = 1234 };

/* Results of the works of a test. */
struct memory {
	int works;   /* that have begun */
	int results; /* of supervisor_try() */
	int sum;
	char text[4096];
};

/* Sleeps as a blocked read does, in state D: until SIGKILL comes, or the child of vfork() ends, which waits for that. */
static int block(void *context)
{
	struct memory *m = context;
	char *volatile lost = malloc(WORD); /* which is no leak */
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

/* A blocked read that returns while the supervisor is about to kill its task. */
static struct race {
	int signal; /* before which the block ends; 0: before the first signal to the task, whichever that is */
	volatile pid_t task;
	volatile bool is_over; /* the block */
	volatile bool goes_on; /* the view's code runs again */
} race;

int __real_kill(pid_t pid, int signal);
int __wrap_kill(pid_t pid, int signal);

static void wait_a_little(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 5 * NS_PER_MSEC}, NULL);
}

int __wrap_kill(pid_t pid, int signal)
{
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

/* Sleeps in state D until the block is over. */
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

/* Longer than a read may be blocked: by work, and by a sleep that is none for a lock. */
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

	/* Stack and heap are the same behind a blocked process. */
	memset(text, 'x', sizeof(text));
	m->results += supervisor_try(FINE, return_at_once, m) == RETURNED;
	m->results += supervisor_try(BLOCKS, block, m) == TARGET_BLOCKED;
	m->results += supervisor_try(FINE, return_at_once, m) == RETURNED;
	m->results += supervisor_try(BLOCKS_TOO, block, m) == TARGET_BLOCKED;
	/* No work is begun for a process that is known to block. */
	m->results += supervisor_try(BLOCKS, block, m) == TARGET_BLOCKED;
	m->results += supervisor_try(FINE, return_at_once, m) == RETURNED;
	supervisor_say();
	memcpy(m->text, text, sizeof(text));
	return STATUS;
}

static void test_goes_on_behind_blocked_processes(void **state)
{
	struct memory m = {0};

	(void)state;
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

static void test_is_patient_with_slow_ones(void **state)
{
	struct memory m = {0};

	(void)state;
	assert_int_equal(supervisor_run("/proc", view_slowly, &m), RETURNED);
	assert_int_equal(m.works, 1);
}

static void test_without_supervision(void **state)
{
	struct memory m = {0};

	(void)state;
	assert_int_equal(supervisor_try(FINE, return_at_once, &m), RETURNED);
	assert_int_equal(m.works, 1);
	supervisor_say();
}

/* Whatever the task does once it goes on, as to take a lock of malloc(), it is not killed in the middle. */
static void test_kills_no_task_that_goes_on(void **state)
{
	struct memory m = {0};

	(void)state;
	race = (struct race){0};
	assert_int_equal(supervisor_run("/proc", view_for_a_while, &m), RETURNED);
	assert_true(race.is_over);
	assert_true(race.goes_on);
	assert_int_equal(m.works, 1);

	/* Later, when it has been decided that the task is blocked: none of its code runs any more. */
	race = (struct race){.signal = SIGKILL};
	assert_int_equal(supervisor_run("/proc", view_for_a_while, &m), TARGET_BLOCKED);
	assert_true(race.is_over);
	assert_false(race.goes_on);
	assert_int_equal(m.works, 2);
}

/* The task is in a page fault, whatever /proc says. */
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

/* The fault may be one of malloc(): a killed task would keep the lock of that. */
static void test_kills_no_task_in_a_page_fault(void **state)
{
	struct memory m = {0};

	(void)state;
	is_in_fault = true;
	assert_int_equal(supervisor_run("/proc", view_long, &m), RETURNED);
	is_in_fault = false;
	assert_int_equal(supervisor_run("/proc", view_long, &m), TARGET_BLOCKED);
	assert_int_equal(m.works, 2);
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

static void test_ends_as_the_view_does(void **state)
{
	int status = status_of(end_by_signal);

	(void)state;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
	status = status_of(end_by_exit);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), STATUS);
}

/* The write end of the pipe is the view's as well: it is closed when all that have it are gone. */
static int wait_for_ever(void *context)
{
	int *pipe_fds = context;
	char byte = 'x';

	if (write(pipe_fds[1], &byte, 1) == 1)
		for (;;)
			pause();
	return 0;
}

static void test_the_view_ends_with_the_program(void **state)
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
		cmocka_unit_test(test_goes_on_behind_blocked_processes),
		cmocka_unit_test(test_is_patient_with_slow_ones),
		cmocka_unit_test(test_kills_no_task_that_goes_on),
		cmocka_unit_test(test_kills_no_task_in_a_page_fault),
		cmocka_unit_test(test_without_supervision),
		cmocka_unit_test(test_ends_as_the_view_does),
		cmocka_unit_test(test_the_view_ends_with_the_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
