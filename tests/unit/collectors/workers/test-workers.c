/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of collectors/workers/workers.h with real workers that read a tree of files. A FIFO without
 * a writer blocks its reader like a held lock.
 */
#include "config.h"

#include "collectors/workers/workers.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "collectors/adaptive/smaps-slices.h"
#include "collectors/process/fetch.h"
#include "tests/unit/support/extent.h"
#include "tests/unit/support/tree/crew.h"
#include "tests/unit/support/tree/tree.h"
#include "tests/unit/support/unit.h"

enum { FREE = 12, BLOCKS = 13, MISSING = 14, LONG_LINES = 5000 };

struct scene {
	struct crew crew;
	struct tree tree;
};

static int set_up(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	tree_open(&s->tree);
	tree_write(&s->tree, "12/status", "Name:\tfree\n");
	tree_write(&s->tree, "12/stat", "12 (free) S 1\n");
	assert_int_equal(symlinkat("/bin/free", s->tree.fd, "12/exe"), 0);
	tree_write(&s->tree, "13/status", "Name:\tblocks\n");
	assert_int_equal(mkfifoat(s->tree.fd, "13/stat", 0600), 0);
	crew_open(&s->crew, s->tree.fd);
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *s = *state;

	crew_close(&s->crew);
	tree_done(&s->tree);
	free(s);
	return 0;
}

static int read_text(struct scene *s, pid_t pid, const char *path, char to[static 64])
{
	uint64_t took_ns;
	size_t len = 0;
	int e = workers_read(&s->crew.workers, pid, path, false, to, 63, &len, &took_ns);

	to[len] = 0;
	return e;
}

/*
 * Sends SIGNAL (SIGKILL or SIGSTOP) to the worker that serves ROLE, and waits until it has exited
 * or stopped.
 */
static void signal_worker(const struct scene *s, enum lanes_role role, int signal)
{
	pid_t pid = s->crew.pid[s->crew.workers.lanes.at[role]];
	siginfo_t info;

	assert_int_equal(kill(pid, signal), 0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WNOWAIT), 0);
}

static void reads_texts_and_links(void **state)
{
	struct scene *s = *state;
	char text[64];
	size_t len;

	workers_ahead(&s->crew.workers, FREE, "status", false);
	workers_ahead(&s->crew.workers, FREE, "exe", true);
	assert_int_equal(read_text(s, FREE, "status", text), 0);
	assert_string_equal(text, "Name:\tfree\n");
	assert_int_equal(workers_read(&s->crew.workers, FREE, "exe", true, text, sizeof(text), &len,
				 &(uint64_t){0}),
		0);
	assert_int_equal(len, strlen("/bin/free"));
	assert_int_equal(read_text(s, FREE, "stat", text), 0); /* not announced */
	assert_string_equal(text, "12 (free) S 1\n");
	assert_int_equal(read_text(s, FREE, "none", text), -ENOENT);
	assert_int_equal(read_text(s, 14, "stat", text), -ENOENT);
	assert_int_equal(workers_read(&s->crew.workers, FREE, "stat", false, text, 3, &(size_t){0},
				 &(uint64_t){0}),
		-EFBIG);
	assert_true(s->crew.workers.cpu_ns > 0);
	assert_true(lanes_total_cpu_ns(&s->crew.workers.lanes) >= s->crew.workers.cpu_ns);
}

/* More than there are slots, in the order of their announcement. */
static void serves_announced_reads_in_order(void **state)
{
	struct scene *s = *state;
	char text[64];

	for (unsigned int i = 0; i < 10 * WORKER_SLOTS; i++) {
		while (workers_ahead_room(&s->crew.workers))
			workers_ahead(&s->crew.workers, FREE, i % 2 ? "stat" : "status", false);
		assert_int_equal(read_text(s, FREE, i % 3 ? "stat" : "status", text), 0);
		assert_string_equal(text, i % 3 ? "12 (free) S 1\n" : "Name:\tfree\n");
	}
}

/*
 * After a process's files were read, a proof that the process exists covers these reads and no
 * others.
 */
static void waits_for_announced_reads(void **state)
{
	struct scene *s = *state;
	char text[64];

	workers_ahead(&s->crew.workers, FREE, "stat", false);
	workers_ahead(&s->crew.workers, FREE, "status", false);
	workers_ahead(&s->crew.workers, MISSING, "stat", false);
	assert_false(workers_is_awaited(&s->crew.workers, FREE, "stat"));
	assert_true(workers_await(&s->crew.workers, FREE));
	assert_true(workers_is_awaited(&s->crew.workers, FREE, "stat"));
	assert_true(workers_is_awaited(&s->crew.workers, FREE, "status"));
	assert_false(workers_is_awaited(&s->crew.workers, FREE, "exe"));
	assert_false(workers_is_awaited(&s->crew.workers, MISSING, "stat"));
	assert_int_equal(read_text(s, FREE, "status", text), 0);
	assert_false(workers_is_awaited(&s->crew.workers, FREE, "status")); /* it was taken */
	workers_ahead(&s->crew.workers, FREE, "stat", false);
	assert_false(workers_is_awaited(&s->crew.workers, FREE, "stat")); /* announced later */
	/* A worker that blocks also loses the requests announced with it. */
	workers_ahead(&s->crew.workers, BLOCKS, "stat", false);
	assert_false(workers_await(&s->crew.workers, BLOCKS));
	assert_false(workers_is_awaited(&s->crew.workers, FREE, "stat"));
	assert_int_equal(read_text(s, FREE, "stat", text), 0);
	assert_int_equal(read_text(s, BLOCKS, "stat", text), -ETIMEDOUT);
}

static void wait_for_standing_by(struct scene *s)
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
	struct scene *s = *state;
	char text[64];

	assert_int_equal(read_text(s, BLOCKS, "stat", text), -ETIMEDOUT);
	assert_int_equal(s->crew.workers.lanes.blocked, 1);
	/* Other processes are read meanwhile. This one is not tried while that read goes on. */
	assert_int_equal(read_text(s, FREE, "stat", text), 0);
	assert_int_equal(read_text(s, BLOCKS, "stat", text), -ETIMEDOUT);
	assert_int_equal(s->crew.workers.lanes.blocked, 1);
	wait_for_standing_by(s);
	assert_int_equal(s->crew.workers.lanes.replaced, 1);
	assert_int_equal(read_text(s, FREE, "stat", text), 0);
}

/* An announced read that blocks only delays the others. */
static void blocked_read_delays_announced_reads_only(void **state)
{
	struct scene *s = *state;
	char text[64];

	workers_ahead(&s->crew.workers, BLOCKS, "stat", false);
	workers_ahead(&s->crew.workers, FREE, "stat", false);
	assert_int_equal(read_text(s, FREE, "stat", text), 0);
	assert_string_equal(text, "12 (free) S 1\n");
	assert_int_equal(read_text(s, BLOCKS, "stat", text), -ETIMEDOUT);
	assert_int_equal(s->crew.workers.lanes.blocked, 1);
}

static void killed_worker_is_replaced(void **state)
{
	struct scene *s = *state;
	char text[64];

	assert_int_equal(read_text(s, FREE, "stat", text), 0);
	signal_worker(s, LANES_TEXTS, SIGKILL);
	assert_int_equal(read_text(s, FREE, "stat", text), 0);
	assert_string_equal(text, "12 (free) S 1\n");
	assert_int_equal(s->crew.workers.lanes.replaced, 1);
}

/* A lock that is released and taken again blocks a reader as long as one that is held. */
static void read_that_blocks_in_pieces_is_given_up(void **state)
{
	struct scene *s = *state;
	uint64_t begin_ns = clock_now_ns(CLOCK_MONOTONIC);
	pid_t writer = fork();
	char text[64];

	if (writer == 0) {
		int fd = openat(s->tree.fd, "13/stat", O_WRONLY | O_CLOEXEC);

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (write(fd, "x", 1) == 1)
			usleep(6000);
		_exit(0);
	}
	assert_true(writer > 0);
	/* State S for a second counts as blocked. */
	assert_int_equal(read_text(s, BLOCKS, "stat", text), -ETIMEDOUT);
	assert_true(clock_now_ns(CLOCK_MONOTONIC) - begin_ns < 10 * NS_PER_SEC);
	assert_true(s->crew.workers.lanes.waited_ns >= NS_PER_SEC);
	kill(writer, SIGKILL);
	waitpid(writer, NULL, 0);
}

/* All workers sleep in the kernel, which does not end them. */
static void without_a_worker_reads_fail_at_once(void **state)
{
	struct scene *s = *state;
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
	assert_int_equal(read_text(s, BLOCKS, "stat", text), -ECHILD);
	begin_ns = clock_now_ns(CLOCK_MONOTONIC);
	for (int i = 0; i < 1000; i++) {
		workers_ahead(&s->crew.workers, FREE, "stat", false);
		assert_int_equal(read_text(s, FREE, "stat", text), -ECHILD);
	}
	assert_true(clock_now_ns(CLOCK_MONOTONIC) - begin_ns < 5 * NS_PER_SEC);
	s->crew.cannot_kill = false;
	for (unsigned int i = 0; i < LANES; i++)
		if (i != blocked)
			lanes->lane[i].use = before[i].use;
	usleep(300000);
	assert_int_equal(read_text(s, FREE, "stat", text), 0);
	assert_string_equal(text, "12 (free) S 1\n");
}

/* status never blocks: without a worker for an announced read it is read directly. */
static void announced_status_needs_no_worker(void **state)
{
	static const enum fetch_file files[] = {FETCH_STATUS};
	struct scene *s = *state;
	struct lanes *lanes = &s->crew.workers.lanes;
	struct process_reader reader = {.workers = &s->crew.workers, .own_pid = getpid()};
	struct process p = {.pid = FREE, .dirfd = -1, .file_fd = -1};
	int dir = openat(s->tree.fd, "12", O_PATH | O_DIRECTORY | O_CLOEXEC);
	size_t len = 0;
	bool unproven = false;

	fetch_announce(&reader, &p, files, ARRAY_SIZE(files));
	assert_true(workers_has_ahead(&s->crew.workers, FREE, "status"));
	s->crew.cannot_kill = true;
	for (unsigned int i = 0; i < LANES; i++)
		lanes->lane[i].use = LANE_KILLED;
	lanes->at[LANES_TEXTS] = LANES;
	assert_int_equal(fetch_text(&reader, &p, dir, FETCH_STATUS, &len, &unproven), 0);
	assert_int_equal(len, strlen("Name:\tfree\n"));
	assert_memory_equal(reader.text, "Name:\tfree\n", len);
	close(dir);
}

static void waiting_can_be_cancelled(void **state)
{
	struct scene *s = *state;
	char text[64];

	s->crew.is_stopped = true;
	assert_int_equal(read_text(s, BLOCKS, "stat", text), -ECANCELED);
	assert_int_equal(read_text(s, FREE, "stat", text), -ECANCELED);
}

static void stream_has_the_files_content(void **state)
{
	struct stream stream = STREAM_CLOSED;
	struct scene *s = *state;
	size_t size = LONG_LINES * 16, at = 0;
	char *text = malloc(size + 1), piece[1024];
	struct stream_piece told;
	ssize_t n;

	for (size_t i = 0; i < LONG_LINES; i++)
		snprintf(text + i * 16, 17, "line %9zu\n", i);
	tree_write(&s->tree, "12/smaps", text);
	assert_int_equal(workers_open_stream(&s->crew.workers, FREE, "smaps", &stream), 0);
	assert_int_equal(stream_probe(&stream), 0);
	while ((n = stream_read(&stream, piece, sizeof(piece), 50 * NS_PER_USEC, &told)) > 0) {
		assert_memory_equal(text + at, piece, (size_t)n);
		assert_int_equal(told.len, n);
		at += (size_t)n;
	}
	assert_int_equal(n, 0);
	assert_int_equal(at, strlen(text));
	stream_close(&stream);
	free(text);
}

/* The worker that has the stream is gone. */
static void stream_ends_with_its_worker(void **state)
{
	struct stream stream = STREAM_CLOSED;
	struct stream_piece told;
	struct scene *s = *state;
	char text[64];

	tree_write(&s->tree, "12/smaps", "line\n");
	assert_int_equal(workers_open_stream(&s->crew.workers, FREE, "smaps", &stream), 0);
	signal_worker(s, LANES_STREAMS, SIGKILL);
	assert_int_equal(stream_read(&stream, text, sizeof(text), 0, &told), -ESTALE);
	stream_close(&stream);
	assert_int_equal(read_text(s, FREE, "stat", text), 0);
}

/* Texts that block do not take the worker of a stream, however many there are. */
static void stream_survives_blocked_texts(void **state)
{
	struct stream stream = STREAM_CLOSED;
	struct stream_piece told;
	struct worker_request stat = {.op = WORKER_READ, .pid = BLOCKS, .path = "stat"};
	struct scene *s = *state;
	char text[64];

	tree_write(&s->tree, "12/smaps", "line\nmore\n");
	assert_int_equal(workers_open_stream(&s->crew.workers, FREE, "smaps", &stream), 0);
	for (unsigned int i = 1; i <= 3; i++) {
		assert_int_equal(read_text(s, BLOCKS, "stat", text), -ETIMEDOUT);
		assert_int_equal(s->crew.workers.lanes.blocked, i);
		assert_int_equal(read_text(s, FREE, "stat", text), 0);
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
 * Workers open files by pid. A reaped process has no directory: the same error as below a kept
 * directory.
 */
static void reaped_process_is_gone(void **state)
{
	struct scene *s = *state;
	struct process_reader reader = {.workers = &s->crew.workers, .own_pid = getpid()};
	struct process p = {.pid = 14};
	struct stream stream = STREAM_CLOSED;
	size_t len;
	bool unproven = false;
	int dir;

	tree_write(&s->tree, "14/statm", "1 1 1 1 1 1 1\n");
	dir = openat(s->tree.fd, "14", O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_true(dir >= 0);
	/* The process exists, and these files do not. */
	assert_int_equal(fetch_stream(&reader, &p, dir, FETCH_SMAPS, &stream), -ENOENT);
	assert_int_equal(fetch_text(&reader, &p, dir, FETCH_EXE, &len, &unproven), -ENOENT);
	assert_int_equal(fetch_text(&reader, &p, dir, FETCH_STAT, &len, &unproven), -ENOENT);
	tree_remove(&s->tree, "14");
	assert_int_equal(fetch_stream(&reader, &p, dir, FETCH_SMAPS, &stream), -ESRCH);
	assert_int_equal(fetch_text(&reader, &p, dir, FETCH_EXE, &len, &unproven), -ESRCH);
	assert_int_equal(fetch_text(&reader, &p, dir, FETCH_STAT, &len, &unproven), -ESRCH);
	close(dir);
}

static int count_processors(pid_t pid)
{
	cpu_set_t set;

	assert_int_equal(sched_getaffinity(pid, sizeof(set), &set), 0);
	return CPU_COUNT(&set);
}

/* Reader and worker share a processor until a wait takes long. */
static void worker_runs_on_the_readers_processor(void **state)
{
	struct scene *s = *state;
	struct lanes *lanes = &s->crew.workers.lanes;
	int usual = count_processors(0);
	pid_t worker;
	char text[64];

	if (usual < 2)
		skip();
	/* On a busy host an answer may take long. */
	for (int i = 0; i < 100 && !lanes->gathers; i++) {
		workers_begin_pass(&s->crew.workers);
		assert_int_equal(read_text(s, FREE, "stat", text), 0);
	}
	if (!lanes->gathers)
		skip();
	worker = s->crew.pid[lanes->at[LANES_TEXTS]];
	assert_int_equal(count_processors(0), 1);
	assert_int_equal(count_processors(worker), 1);
	assert_int_equal(read_text(s, BLOCKS, "stat", text), -ETIMEDOUT);
	assert_int_equal(count_processors(0), usual);
	assert_int_equal(read_text(s, FREE, "stat", text), 0);
	assert_int_equal(count_processors(s->crew.pid[lanes->at[LANES_TEXTS]]), usual);
	workers_begin_pass(&s->crew.workers);
	assert_int_equal(read_text(s, FREE, "stat", text), 0);
	lanes_end_pass(lanes);
	assert_int_equal(count_processors(0), usual);
}

/* A request that is posted before the worker starts is served on that processor, too. */
static void new_worker_moves_to_the_processor_first(void **state)
{
	struct scene *s = *state;
	struct worker_lane *lane = mmap(
		NULL, sizeof(*lane), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	if (count_processors(0) < 2)
		skip();
	assert_true(lane != MAP_FAILED);
	lane->slot[0].request = (struct worker_request){
		.op = WORKER_READ, .pid = FREE, .path = "stat"};
	atomic_store(&lane->processor, (uint32_t)sched_getcpu());
	atomic_store(&lane->posted, 1);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(worker_serve(lane, s->tree.fd) < 0);
	}
	assert_true(pid > 0);
	while (atomic_load(&lane->done) == 0)
		usleep(1000);
	assert_int_equal(lane->slot[0].reply.result, 0);
	assert_int_equal(count_processors(pid), 1);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	munmap(lane, sizeof(*lane));
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
	struct scene *s = *state;
	struct lanes *lanes = &s->crew.workers.lanes;
	struct process_reader reader = {.workers = &s->crew.workers, .own_pid = getpid()};
	int dir = openat(s->tree.fd, "13", O_PATH | O_DIRECTORY | O_CLOEXEC);

	for (size_t i = 0; i < ARRAY_SIZE(reads); i++) {
		struct process p = {.pid = (pid_t)(1300 + i), .known = true, .ruid = reads[i].ruid};
		char path[32];
		bool unproven;
		size_t len;

		snprintf(path, sizeof(path), "%d", p.pid);
		assert_int_equal(
			symlinkat("13", s->tree.fd, path), 0); /* another one that blocks */
		if (i + 1 == ARRAY_SIZE(reads))
			lanes->waited_ns = 10 * lanes->control.patience.share_ns;
		reader.is_single = reads[i].is_single;
		assert_int_equal(
			fetch_text(&reader, &p, dir, FETCH_STAT, &len, &unproven), -ETIMEDOUT);
		assert_int_equal(s->crew.was_hurried, reads[i].is_hurried);
		assert_false(s->crew.workers.lanes.is_hurried);
		tree_remove(&s->tree, path);
	}
	close(dir);
}

/* Blocks a read of an open stream: its worker is stopped, which counts as asleep. */
static int read_blocked(
	struct scene *s, struct process_reader *reader, struct process *p, int dir, bool is_probe)
{
	struct smaps_slices slices;
	struct stream_piece piece;
	struct sample sample;
	int e;

	smaps_slices_init(&slices);
	slices.process = p;
	smaps_parser_init(&slices.parser);
	assert_int_equal(fetch_stream(reader, p, dir, FETCH_SMAPS, &slices.stream), 0);
	signal_worker(s, LANES_STREAMS, SIGSTOP);
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
	struct scene *s = *state;
	struct process_reader reader = {.workers = &s->crew.workers, .own_pid = getpid()};
	int dir = openat(s->tree.fd, "12", O_PATH | O_DIRECTORY | O_CLOEXEC);

	tree_write(&s->tree, "12/smaps", "line\n");
	tree_write(&s->tree, "12/statm", "1 1 1 1 1 1 1\n");
	for (size_t i = 0; i < ARRAY_SIZE(reads); i++) {
		uint64_t waited_ns = attempts_waited_ns(&reader.attempts, reads[i].ruid);
		struct process p = {.pid = (pid_t)(1200 + i), .known = true, .ruid = reads[i].ruid};
		char path[32];

		snprintf(path, sizeof(path), "%d", p.pid);
		assert_int_equal(symlinkat("12", s->tree.fd, path), 0);
		assert_int_equal(read_blocked(s, &reader, &p, dir, reads[i].is_probe), -ETIMEDOUT);
		assert_int_equal(s->crew.was_hurried, reads[i].is_hurried);
		assert_false(s->crew.workers.lanes.is_hurried);
		assert_true(attempts_waited_ns(&reader.attempts, reads[i].ruid) >=
			    waited_ns + NS_PER_SEC);
		tree_remove(&s->tree, path);
	}
	close(dir);
}

static void compares_address_spaces(void **state)
{
	struct scene *s = *state;
	int r = workers_compare(&s->crew.workers, getpid(), getpid());

	if (r == -ENOSYS || r == -EPERM)
		skip();
	assert_int_equal(r, 0);
	assert_true(workers_compare(&s->crew.workers, getpid(),
			    s->crew.pid[s->crew.workers.lanes.at[LANES_TEXTS]]) > 0);
}

/* The first attempt to kill the worker is lost. */
static void killing_a_worker_is_repeated(void **state)
{
	struct scene *s = *state;
	struct lanes *lanes = &s->crew.workers.lanes;
	unsigned int blocked = lanes->at[LANES_TEXTS];
	uint64_t end_ns = clock_now_ns(CLOCK_MONOTONIC) + 20 * NS_PER_SEC;
	char text[64];

	s->crew.cannot_kill = true;
	assert_int_equal(read_text(s, BLOCKS, "stat", text), -ETIMEDOUT);
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

/*
 * The lock that a comparison waits for may be held by either process. Both can still be read, and
 * are compared with none meanwhile.
 */
static void blocked_comparison_blocks_no_read(void **state)
{
	struct scene *s = *state;
	struct workers *w = &s->crew.workers;
	char text[64];

	assert_int_equal(read_text(s, FREE, "stat", text), 0);
	kill(s->crew.pid[w->lanes.at[LANES_TEXTS]], SIGSTOP);
	assert_int_equal(workers_compare(w, FREE, MISSING), -ETIMEDOUT);
	assert_int_equal(w->lanes.blocked, 1);
	assert_int_equal(read_text(s, FREE, "stat", text), 0);
	assert_int_equal(workers_compare(w, FREE, BLOCKS), -ETIMEDOUT);
	assert_int_equal(workers_compare(w, BLOCKS, MISSING), -ETIMEDOUT);
	assert_int_equal(w->lanes.blocked, 1);
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
static int read_dozing(const struct scene *s, bool sees_workers)
{
	struct crew crew = {.fd = s->tree.fd};
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
	e = workers_read(&crew.workers, FREE, "stat", false, text, sizeof(text), &len, &took_ns);
	crew_close(&crew);
	return e;
}

/* A worker that sleeps for a page of its own memory is not blocked by the process that it reads. */
static void worker_waiting_for_memory_is_slow(void **state)
{
	static const char *const waits[] = {"folio_wait_bit_common", "mem_cgroup_handle_over_high"};
	struct scene *s = *state;

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
	struct scene *s = *state;

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
	struct scene *s = *state;
	struct crew crew = {.fd = s->tree.fd};
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
	assert_int_equal(workers_read(&crew.workers, FREE, "stat", false, text, sizeof(text), &len,
				 &took_ns),
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
	struct scene *s = *state;
	struct crew crew = {.fd = s->tree.fd};
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
	assert_int_equal(workers_read(&crew.workers, FREE, "stat", false, text, sizeof(text), &len,
				 &took_ns),
		-EIO);
	assert_int_equal(len, 0);
	assert_int_equal(
		workers_read(&crew.workers, FREE, "exe", true, text, sizeof(text), &len, &took_ns),
		-EIO);
	assert_int_equal(workers_compare(&crew.workers, FREE, BLOCKS), -EIO);
	assert_int_equal(workers_open_stream(&crew.workers, FREE, "smaps", &stream), -EIO);
	crew_close(&crew);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(reads_texts_and_links),
		TEST(serves_announced_reads_in_order),
		TEST(waits_for_announced_reads),
		TEST(blocked_read_is_given_up),
		TEST(blocked_read_delays_announced_reads_only),
		TEST(killed_worker_is_replaced),
		TEST(read_that_blocks_in_pieces_is_given_up),
		TEST(without_a_worker_reads_fail_at_once),
		TEST(announced_status_needs_no_worker),
		TEST(waiting_can_be_cancelled),
		TEST(stream_has_the_files_content),
		TEST(stream_ends_with_its_worker),
		TEST(stream_survives_blocked_texts),
		TEST(reaped_process_is_gone),
		TEST(worker_runs_on_the_readers_processor),
		TEST(new_worker_moves_to_the_processor_first),
		TEST(each_user_has_a_share),
		TEST(streams_count_for_the_share),
		TEST(compares_address_spaces),
		TEST(worker_hidden_from_proc_may_be_blocked),
		TEST(worker_that_does_not_start_is_replaced),
		TEST(worker_may_answer_anything),
		TEST(killing_a_worker_is_repeated),
		TEST(blocked_comparison_blocks_no_read),
		TEST(worker_waiting_for_memory_is_slow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
