/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of collectors/workers/workers.h with workers that are killed, do not start, sleep for another
 * reason than the process that they read, or lie.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "collectors/workers/workers.h"
#include "tests/unit/support/tree/crewed.h"

static void killed_worker_is_replaced(void **state)
{
	struct crewed *s = *state;
	char text[64];

	assert_int_equal(crewed_read(s, CREWED_FREE, "stat", text), 0);
	crewed_signal(s, LANES_TEXTS, SIGKILL);
	assert_int_equal(crewed_read(s, CREWED_FREE, "stat", text), 0);
	assert_string_equal(text, "12 (free) S 1\n");
	assert_int_equal(s->crew.workers.lanes.replaced, 1);
}

/* The first attempt to kill the worker is lost. */
static void killing_a_worker_is_repeated(void **state)
{
	struct crewed *s = *state;
	struct lanes *lanes = &s->crew.workers.lanes;
	unsigned int blocked = lanes->at[LANES_TEXTS];
	uint64_t end_ns = clock_now_ns(CLOCK_MONOTONIC) + 20 * NS_PER_SEC;
	char text[64];

	s->crew.cannot_kill = true;
	assert_int_equal(crewed_read(s, CREWED_BLOCKS, "stat", text), -ETIMEDOUT);
	while (lanes->lane[blocked].use != LANE_KILLED) {
		usleep(10000);
		workers_begin_pass(&s->crew.workers);
	}
	s->crew.cannot_kill = false;
	while (lanes->lane[blocked].use == LANE_KILLED && clock_now_ns(CLOCK_MONOTONIC) < end_ns) {
		usleep(10000);
		crew_reap(&s->crew);
		workers_begin_pass(&s->crew.workers);
	}
	assert_int_not_equal(lanes->lane[blocked].use, LANE_KILLED);
	assert_int_equal(lanes->replaced, 1);
}

enum { DOZE_MS = 500 };

/* Contents of /proc/PID/wchan and /proc/PID/status of a worker; NULL: the kernel's. */
static const char *wchan, *status;

int __real_file_read(int dirfd, const char *path, char *buf, size_t size, size_t *ret_len);
int __wrap_file_read(int dirfd, const char *path, char *buf, size_t size, size_t *ret_len);

int __wrap_file_read(int dirfd, const char *path, char *buf, size_t size, size_t *ret_len)
{
	const char *text = strstr(path, "/wchan") ? wchan : strstr(path, "/status") ? status : NULL;

	if (!text)
		return __real_file_read(dirfd, path, buf, size, ret_len);
	*ret_len = strlen(text);
	memcpy(buf, text, *ret_len);
	return 0;
}

/* Runs a worker that is first in state D, while the child of its vfork() lives. */
static int start_dozing(void *to, unsigned int lane)
{
	struct crew *crew = to;
	struct worker_lane *shared = &crew->workers.lanes.shared[lane];

	crew->pid[lane] = fork();
	if (crew->pid[lane] == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		atomic_store(&shared->pid, getpid());
		atomic_store(&shared->state, WORKER_SERVING);
		if (vfork() == 0) {
			usleep(DOZE_MS * 1000);
			_exit(0);
		}
		_exit(worker_serve(shared, crew->fd) < 0);
	}
	return crew->pid[lane] < 0 ? -errno : 0;
}

static void leave_alone(void *to, unsigned int lane)
{
	(void)to;
	(void)lane;
}

/* Reads a file that never blocks, with workers that sleep and that /proc shows. */
static int read_dozing(const struct crewed *s, bool sees_workers)
{
	struct crew crew = {.fd = s->fd};
	struct lanes_control control = {.start = start_dozing,
		.kill = leave_alone,
		.to = &crew,
		.patience = {.long_ns = 10 * NS_PER_MSEC,
			.short_ns = NS_PER_MSEC,
			.share_ns = NS_PER_SEC}};
	uint64_t took_ns;
	char text[64];
	size_t len;
	int e;

	assert_int_equal(workers_open(&crew.workers), 0);
	assert_int_equal(workers_start(&crew.workers, &control), 0);
	crew.workers.lanes.sees_workers = sees_workers;
	e = workers_read(
		&crew.workers, CREWED_FREE, "stat", false, text, sizeof(text), &len, &took_ns);
	crew_close(&crew);
	return e;
}

/* A worker that sleeps for a page of its own memory is not blocked by the process that it reads. */
static void worker_waiting_for_memory_is_slow(void **state)
{
	static const char *const waits[] = {"folio_wait_bit_common", "mem_cgroup_handle_over_high"};
	struct crewed *s = *state;

	if (extent_is_valgrind())
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(waits); i++) {
		wchan = waits[i];
		assert_int_equal(read_dozing(s, true), 0);
	}
	wchan = "mm_access";
	assert_int_equal(read_dozing(s, true), -ETIMEDOUT);
	wchan = NULL;
	assert_int_equal(read_dozing(s, true), -ETIMEDOUT);
}

/* In the /proc of another pid namespace a worker's pid may be another process's. */
static void worker_hidden_from_proc_may_be_blocked(void **state)
{
	struct crewed *s = *state;

	if (extent_is_valgrind())
		skip();
	assert_true(s->crew.workers.lanes.sees_workers);
	status = "Name:\tother\nState:\tS (sleeping)\nTgid:\t1\nUid:\t0\t0\t0\t0\n";
	assert_int_equal(read_dozing(s, true), 0);
	assert_int_equal(read_dozing(s, false), -ETIMEDOUT);
	status = NULL;
}

/* How far CLOCK_MONOTONIC is ahead. */
static uint64_t ahead_ns;

uint64_t __real_clock_now_ns(clockid_t clock);
uint64_t __wrap_clock_now_ns(clockid_t clock);

uint64_t __wrap_clock_now_ns(clockid_t clock)
{
	return __real_clock_now_ns(clock) + (clock == CLOCK_MONOTONIC ? ahead_ns : 0);
}

/* The first worker never starts. */
static int start_but_the_first(void *to, unsigned int lane)
{
	struct crew *crew = to;

	if (!lane)
		return 0;
	crew->pid[lane] = fork();
	if (crew->pid[lane] == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(worker_serve(&crew->workers.lanes.shared[lane], crew->fd) < 0);
	}
	return crew->pid[lane] < 0 ? -errno : 0;
}

static bool let_time_pass(void *to)
{
	(void)to;
	ahead_ns = 10 * NS_PER_SEC; /* once */
	return true;
}

/*
 * Without a worker the result of the read is unknown. The worker's lane is free after it has
 * exited.
 */
static void worker_that_does_not_start_is_replaced(void **state)
{
	struct crewed *s = *state;
	struct crew crew = {.fd = s->fd};
	struct lanes *lanes = &crew.workers.lanes;
	struct lanes_control control = s->crew.workers.lanes.control;
	uint64_t took_ns;
	char text[64];
	size_t len;

	control.start = start_but_the_first;
	control.kill = leave_alone;
	control.wait = let_time_pass;
	control.to = &crew;
	assert_int_equal(workers_open(&crew.workers), 0);
	assert_int_equal(workers_start(&crew.workers, &control), 0);
	assert_int_equal(workers_read(&crew.workers, CREWED_FREE, "stat", false, text, sizeof(text),
				 &len, &took_ns),
		0);
	assert_true(ahead_ns >= 10 * NS_PER_SEC);
	assert_int_equal(lanes->blocked, 0);
	assert_int_equal(lanes->replaced, 1);
	assert_int_equal(lanes->lane[0].use, LANE_KILLED);
	worker_exited(&lanes->shared[0]);
	workers_begin_pass(&crew.workers);
	assert_int_not_equal(lanes->lane[0].use, LANE_KILLED);
	assert_int_equal(lanes->replaced, 1);
	crew_close(&crew);
	ahead_ns = 0;
}

/* Answers each request at once with a result and a length that no worker has. */
static void serve_lies(struct worker_lane *lane)
{
	for (;;) {
		uint32_t at = atomic_load(&lane->done);

		if (at == atomic_load(&lane->posted)) {
			sched_yield();
			continue;
		}
		lane->slot[at % WORKER_SLOTS].reply = (struct worker_reply){
			.result = 4096, .len = 64};
		atomic_store(&lane->done, at + 1);
		worker_wake(&lane->done);
	}
}

static int start_liar(void *to, unsigned int lane)
{
	struct crew *crew = to;

	crew->pid[lane] = fork();
	if (crew->pid[lane] == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		atomic_store(&crew->workers.lanes.shared[lane].pid, getpid());
		atomic_store(&crew->workers.lanes.shared[lane].state, WORKER_SERVING);
		serve_lies(&crew->workers.lanes.shared[lane]);
	}
	return crew->pid[lane] < 0 ? -errno : 0;
}

/* A positive result would be taken for the length of a link, or for a documented outcome. */
static void worker_may_answer_anything(void **state)
{
	struct crewed *s = *state;
	struct crew crew = {.fd = s->fd};
	struct lanes_control control = s->crew.workers.lanes.control;
	struct stream_bulk bulk = {0};
	struct stream stream = {.fd = -1, .bulk = &bulk};
	uint64_t took_ns;
	char text[64];
	size_t len = 0;

	control.start = start_liar;
	control.to = &crew;
	assert_int_equal(workers_open(&crew.workers), 0);
	assert_int_equal(workers_start(&crew.workers, &control), 0);
	assert_int_equal(workers_read(&crew.workers, CREWED_FREE, "stat", false, text, sizeof(text),
				 &len, &took_ns),
		-EIO);
	assert_int_equal(len, 0);
	assert_int_equal(workers_read(&crew.workers, CREWED_FREE, "exe", true, text, sizeof(text),
				 &len, &took_ns),
		-EIO);
	assert_int_equal(workers_compare(&crew.workers, CREWED_FREE, CREWED_BLOCKS), -EIO);
	assert_int_equal(workers_open_stream(&crew.workers, CREWED_FREE, "smaps", &stream), -EIO);
	crew_close(&crew);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, crewed_set_up, crewed_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(killed_worker_is_replaced),
		TEST(killing_a_worker_is_repeated),
		TEST(worker_waiting_for_memory_is_slow),
		TEST(worker_hidden_from_proc_may_be_blocked),
		TEST(worker_that_does_not_start_is_replaced),
		TEST(worker_may_answer_anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
