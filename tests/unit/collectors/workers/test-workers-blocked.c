/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/workers/workers.h with real workers: reads that block. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "collectors/adaptive/smaps-slices.h"
#include "collectors/process/fetch.h"
#include "collectors/workers/workers.h"
#include "tests/unit/support/tree/crewed.h"

static void wait_for_standing_by(struct crewed *s)
{
	for (int i = 0; i < 1000; i++) {
		unsigned int idle = 0;

		crew_reap(&s->crew);
		workers_begin_pass(&s->crew.workers);
		for (unsigned int lane = 0; lane < LANES; lane++)
			idle += s->crew.workers.lanes.lane[lane].use == LANE_STANDS_BY;
		if (idle && s->crew.workers.lanes.replaced)
			return;
		usleep(10000);
	}
	fail_msg("no worker was replaced");
}

static void blocked_read_is_given_up(void **state)
{
	struct crewed *s = *state;
	char text[64];

	assert_int_equal(crewed_read(s, CREWED_BLOCKS, "stat", text), -ETIMEDOUT);
	assert_int_equal(s->crew.workers.lanes.blocked, 1);
	/* Other processes are read meanwhile. This one is not tried while that read goes on. */
	assert_int_equal(crewed_read(s, CREWED_FREE, "stat", text), 0);
	assert_int_equal(crewed_read(s, CREWED_BLOCKS, "stat", text), -ETIMEDOUT);
	assert_int_equal(s->crew.workers.lanes.blocked, 1);
	wait_for_standing_by(s);
	assert_int_equal(s->crew.workers.lanes.replaced, 1);
	assert_int_equal(crewed_read(s, CREWED_FREE, "stat", text), 0);
}

/* An announced read that blocks only delays the others. */
static void blocked_read_delays_announced_reads_only(void **state)
{
	struct crewed *s = *state;
	char text[64];

	workers_ahead(&s->crew.workers, CREWED_BLOCKS, "stat", false);
	workers_ahead(&s->crew.workers, CREWED_FREE, "stat", false);
	assert_int_equal(crewed_read(s, CREWED_FREE, "stat", text), 0);
	assert_string_equal(text, "12 (free) S 1\n");
	assert_int_equal(crewed_read(s, CREWED_BLOCKS, "stat", text), -ETIMEDOUT);
	assert_int_equal(s->crew.workers.lanes.blocked, 1);
}

/* A lock that is released and taken again blocks a reader as long as one that is held. */
static void read_that_blocks_in_pieces_is_given_up(void **state)
{
	struct crewed *s = *state;
	uint64_t begin_ns = clock_now_ns(CLOCK_MONOTONIC);
	pid_t writer = fork();
	char text[64];

	if (writer == 0) {
		int fd = openat(s->fd, "13/stat", O_WRONLY | O_CLOEXEC);

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (write(fd, "x", 1) == 1)
			usleep(6000);
		_exit(0);
	}
	assert_true(writer > 0);
	/* State S for a second counts as blocked. */
	assert_int_equal(crewed_read(s, CREWED_BLOCKS, "stat", text), -ETIMEDOUT);
	assert_true(clock_now_ns(CLOCK_MONOTONIC) - begin_ns < 10 * NS_PER_SEC);
	assert_true(s->crew.workers.lanes.waited_ns >= NS_PER_SEC);
	kill(writer, SIGKILL);
	waitpid(writer, NULL, 0);
}

/* Texts that block do not take the worker of a stream, however many there are. */
static void stream_survives_blocked_texts(void **state)
{
	struct stream stream = STREAM_CLOSED;
	struct stream_piece told;
	struct worker_request stat = {.op = WORKER_READ, .pid = CREWED_BLOCKS, .path = "stat"};
	struct crewed *s = *state;
	char text[64];

	crewed_add(s, "12/smaps", "line\nmore\n");
	assert_int_equal(workers_open_stream(&s->crew.workers, CREWED_FREE, "smaps", &stream), 0);
	for (unsigned int i = 1; i <= 3; i++) {
		assert_int_equal(crewed_read(s, CREWED_BLOCKS, "stat", text), -ETIMEDOUT);
		assert_int_equal(s->crew.workers.lanes.blocked, i);
		assert_int_equal(crewed_read(s, CREWED_FREE, "stat", text), 0);
		while (lanes_has_parked(&s->crew.workers.lanes, &stat)) {
			usleep(10000);
			crew_reap(&s->crew);
			workers_begin_pass(&s->crew.workers);
		}
	}
	assert_int_equal(stream_read(&stream, text, 5, 0, &told), 5);
	assert_memory_equal(text, "line\n", 5);
	stream_close(&stream);
}

/*
 * The lock that a comparison waits for may be held by either process. Both can still be read, and
 * are compared with none meanwhile.
 */
static void blocked_comparison_blocks_no_read(void **state)
{
	struct crewed *s = *state;
	struct workers *w = &s->crew.workers;
	char text[64];

	assert_int_equal(crewed_read(s, CREWED_FREE, "stat", text), 0);
	kill(s->crew.pid[w->lanes.at[LANES_TEXTS]], SIGSTOP);
	assert_int_equal(workers_compare(w, CREWED_FREE, CREWED_MISSING), -ETIMEDOUT);
	assert_int_equal(w->lanes.blocked, 1);
	assert_int_equal(crewed_read(s, CREWED_FREE, "stat", text), 0);
	assert_int_equal(workers_compare(w, CREWED_FREE, CREWED_BLOCKS), -ETIMEDOUT);
	assert_int_equal(workers_compare(w, CREWED_BLOCKS, CREWED_MISSING), -ETIMEDOUT);
	assert_int_equal(w->lanes.blocked, 1);
}

/* All workers sleep in the kernel, which does not end them. */
static void without_a_worker_reads_fail_at_once(void **state)
{
	struct crewed *s = *state;
	struct lanes *lanes = &s->crew.workers.lanes;
	struct lane before[LANES];
	unsigned int blocked = lanes->at[LANES_TEXTS];
	uint64_t begin_ns;
	char text[64];

	memcpy(before, lanes->lane, sizeof(before));
	for (unsigned int i = 0; i < LANES; i++)
		if (i != blocked)
			lanes->lane[i].use = LANE_KILLED;
	s->crew.cannot_kill = true;
	assert_int_equal(crewed_read(s, CREWED_BLOCKS, "stat", text), -ECHILD);
	begin_ns = clock_now_ns(CLOCK_MONOTONIC);
	for (int i = 0; i < 1000; i++) {
		workers_ahead(&s->crew.workers, CREWED_FREE, "stat", false);
		assert_int_equal(crewed_read(s, CREWED_FREE, "stat", text), -ECHILD);
	}
	assert_true(clock_now_ns(CLOCK_MONOTONIC) - begin_ns < 5 * NS_PER_SEC);
	s->crew.cannot_kill = false;
	for (unsigned int i = 0; i < LANES; i++)
		if (i != blocked)
			lanes->lane[i].use = before[i].use;
	usleep(300000);
	assert_int_equal(crewed_read(s, CREWED_FREE, "stat", text), 0);
	assert_string_equal(text, "12 (free) S 1\n");
}

static void waiting_can_be_cancelled(void **state)
{
	struct crewed *s = *state;
	char text[64];

	s->crew.is_stopped = true;
	assert_int_equal(crewed_read(s, CREWED_BLOCKS, "stat", text), -ECANCELED);
	assert_int_equal(crewed_read(s, CREWED_FREE, "stat", text), -ECANCELED);
}

/*
 * If blocked reads have used up a user's share, waits for this user are shorter, and those for
 * others are unchanged.
 */
static void each_user_has_a_share(void **state)
{
	static const struct {
		uint32_t ruid;
		bool is_single, is_hurried;
	} reads[] = {
		{1000, false, false}, {2000, false, false}, {1000, false, true},
		{3000, false, false}, {4000, true, true},
		{5000, false, true}, /* reads of all users have used ten shares */
	};
	struct crewed *s = *state;
	struct lanes *lanes = &s->crew.workers.lanes;
	struct process_reader reader = {.workers = &s->crew.workers, .own_pid = getpid()};
	int dir = openat(s->fd, "13", O_PATH | O_DIRECTORY | O_CLOEXEC);

	for (size_t i = 0; i < ARRAY_SIZE(reads); i++) {
		struct process p = {.pid = (pid_t)(1300 + i), .known = true, .ruid = reads[i].ruid};
		char path[32];
		bool unproven;
		size_t len;

		snprintf(path, sizeof(path), "%d", p.pid);
		assert_int_equal(symlinkat("13", s->fd, path), 0); /* another one that blocks */
		if (i + 1 == ARRAY_SIZE(reads))
			lanes->waited_ns = 10 * lanes->control.patience.share_ns;
		reader.is_single = reads[i].is_single;
		assert_int_equal(
			fetch_text(&reader, &p, dir, FETCH_STAT, &len, &unproven), -ETIMEDOUT);
		assert_int_equal(s->crew.was_hurried, reads[i].is_hurried);
		assert_false(s->crew.workers.lanes.is_hurried);
		assert_int_equal(unlinkat(s->fd, path, 0), 0);
	}
	close(dir);
}

/* Blocks a read of an open stream: its worker is stopped, which counts as asleep. */
static int read_blocked(
	struct crewed *s, struct process_reader *reader, struct process *p, int dir, bool is_probe)
{
	struct smaps_slices slices;
	struct stream_piece piece = {0};
	struct sample sample;
	int e;

	smaps_slices_init(&slices);
	slices.process = p;
	smaps_parser_init(&slices.parser);
	assert_int_equal(fetch_stream(reader, p, dir, FETCH_SMAPS, &slices.stream), 0);
	crewed_signal(s, LANES_STREAMS, SIGSTOP);
	if (is_probe) {
		e = (int)fetch_read_stream(
			reader, p, FETCH_SMAPS, &slices.stream, &(char){0}, 1, 0, &piece);
	} else {
		e = smaps_slices_step(&slices, reader, 100 * NS_PER_USEC, 1, &sample);
		if (e == 0 && sample.outcome == OUTCOME_BLOCKED)
			e = -ETIMEDOUT;
	}
	smaps_slices_done(&slices);
	return e;
}

/*
 * Slices and probes that block count for the user's share, and are waited for less once it is used
 * up, like texts.
 */
static void streams_count_for_the_share(void **state)
{
	static const struct {
		uint32_t ruid;
		bool is_probe, is_hurried;
	} reads[] = {
		{1000, false, false}, {1000, true, true}, {2000, true, false}, {2000, false, true}};
	struct crewed *s = *state;
	struct process_reader reader = {.workers = &s->crew.workers, .own_pid = getpid()};
	int dir = openat(s->fd, "12", O_PATH | O_DIRECTORY | O_CLOEXEC);

	crewed_add(s, "12/smaps", "line\n");
	crewed_add(s, "12/statm", "1 1 1 1 1 1 1\n");
	for (size_t i = 0; i < ARRAY_SIZE(reads); i++) {
		uint64_t waited_ns = attempts_waited_ns(&reader.attempts, reads[i].ruid);
		struct process p = {.pid = (pid_t)(1200 + i), .known = true, .ruid = reads[i].ruid};
		char path[32];

		snprintf(path, sizeof(path), "%d", p.pid);
		assert_int_equal(symlinkat("12", s->fd, path), 0);
		assert_int_equal(read_blocked(s, &reader, &p, dir, reads[i].is_probe), -ETIMEDOUT);
		assert_int_equal(s->crew.was_hurried, reads[i].is_hurried);
		assert_false(s->crew.workers.lanes.is_hurried);
		assert_true(attempts_waited_ns(&reader.attempts, reads[i].ruid) >=
			    waited_ns + NS_PER_SEC);
		assert_int_equal(unlinkat(s->fd, path, 0), 0);
	}
	close(dir);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, crewed_set_up, crewed_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(blocked_read_is_given_up),
		TEST(blocked_read_delays_announced_reads_only),
		TEST(read_that_blocks_in_pieces_is_given_up),
		TEST(stream_survives_blocked_texts),
		TEST(blocked_comparison_blocks_no_read),
		TEST(without_a_worker_reads_fail_at_once),
		TEST(waiting_can_be_cancelled),
		TEST(each_user_has_a_share),
		TEST(streams_count_for_the_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
