/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/workers/workers.h with real workers: what they read and where they run. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "collectors/process/fetch.h"
#include "collectors/workers/workers.h"
#include "tests/unit/support/tree/crewed.h"

static void reads_texts_and_links(void **state)
{
	struct crewed *s = *state;
	char text[64];
	size_t len;

	workers_ahead(&s->crew.workers, CREWED_FREE, "status", false);
	workers_ahead(&s->crew.workers, CREWED_FREE, "exe", true);
	assert_int_equal(crewed_read(s, CREWED_FREE, "status", text), 0);
	assert_string_equal(text, "Name:\tfree\n");
	assert_int_equal(workers_read(&s->crew.workers, CREWED_FREE, "exe", true, text,
				 sizeof(text), &len, &(uint64_t){0}),
		0);
	assert_int_equal(len, strlen("/bin/free"));
	assert_int_equal(crewed_read(s, CREWED_FREE, "stat", text), 0); /* not announced */
	assert_string_equal(text, "12 (free) S 1\n");
	assert_int_equal(crewed_read(s, CREWED_FREE, "none", text), -ENOENT);
	assert_int_equal(crewed_read(s, 14, "stat", text), -ENOENT);
	assert_int_equal(workers_read(&s->crew.workers, CREWED_FREE, "stat", false, text, 3,
				 &(size_t){0}, &(uint64_t){0}),
		-EFBIG);
	assert_true(s->crew.workers.cpu_ns > 0);
	assert_true(lanes_total_cpu_ns(&s->crew.workers.lanes) >= s->crew.workers.cpu_ns);
}

/* More than there are slots, in the order of their announcement. */
static void serves_announced_reads_in_order(void **state)
{
	struct crewed *s = *state;
	char text[64];

	for (unsigned int i = 0; i < 10 * WORKER_SLOTS; i++) {
		while (workers_ahead_room(&s->crew.workers))
			workers_ahead(
				&s->crew.workers, CREWED_FREE, i % 2 ? "stat" : "status", false);
		assert_int_equal(crewed_read(s, CREWED_FREE, i % 3 ? "stat" : "status", text), 0);
		assert_string_equal(text, i % 3 ? "12 (free) S 1\n" : "Name:\tfree\n");
	}
}

/*
 * After a process's files were read, a proof that the process exists covers these reads and no
 * others.
 */
static void waits_for_announced_reads(void **state)
{
	struct crewed *s = *state;
	char text[64];

	workers_ahead(&s->crew.workers, CREWED_FREE, "stat", false);
	workers_ahead(&s->crew.workers, CREWED_FREE, "status", false);
	workers_ahead(&s->crew.workers, CREWED_MISSING, "stat", false);
	assert_false(workers_is_awaited(&s->crew.workers, CREWED_FREE, "stat"));
	assert_true(workers_await(&s->crew.workers, CREWED_FREE));
	assert_true(workers_is_awaited(&s->crew.workers, CREWED_FREE, "stat"));
	assert_true(workers_is_awaited(&s->crew.workers, CREWED_FREE, "status"));
	assert_false(workers_is_awaited(&s->crew.workers, CREWED_FREE, "exe"));
	assert_false(workers_is_awaited(&s->crew.workers, CREWED_MISSING, "stat"));
	assert_int_equal(crewed_read(s, CREWED_FREE, "status", text), 0);
	assert_false(
		workers_is_awaited(&s->crew.workers, CREWED_FREE, "status")); /* it was taken */
	workers_ahead(&s->crew.workers, CREWED_FREE, "stat", false);
	assert_false(
		workers_is_awaited(&s->crew.workers, CREWED_FREE, "stat")); /* announced later */
	/* A worker that blocks also loses the requests announced with it. */
	workers_ahead(&s->crew.workers, CREWED_BLOCKS, "stat", false);
	assert_false(workers_await(&s->crew.workers, CREWED_BLOCKS));
	assert_false(workers_is_awaited(&s->crew.workers, CREWED_FREE, "stat"));
	assert_int_equal(crewed_read(s, CREWED_FREE, "stat", text), 0);
	assert_int_equal(crewed_read(s, CREWED_BLOCKS, "stat", text), -ETIMEDOUT);
}

/* status never blocks: without a worker for an announced read it is read directly. */
static void announced_status_needs_no_worker(void **state)
{
	static const enum fetch_file files[] = {FETCH_STATUS};
	struct crewed *s = *state;
	struct lanes *lanes = &s->crew.workers.lanes;
	struct process_reader reader = {.workers = &s->crew.workers, .own_pid = getpid()};
	struct process p = {.pid = CREWED_FREE, .dirfd = -1, .file_fd = -1};
	int dir = openat(s->fd, "12", O_PATH | O_DIRECTORY | O_CLOEXEC);
	size_t len = 0;
	bool unproven = false;

	fetch_announce(&reader, &p, files, ARRAY_SIZE(files));
	assert_true(workers_has_ahead(&s->crew.workers, CREWED_FREE, "status"));
	s->crew.cannot_kill = true;
	for (unsigned int i = 0; i < LANES; i++)
		lanes->lane[i].use = LANE_KILLED;
	lanes->at[LANES_TEXTS] = LANES;
	assert_int_equal(fetch_text(&reader, &p, dir, FETCH_STATUS, &len, &unproven), 0);
	assert_int_equal(len, strlen("Name:\tfree\n"));
	assert_memory_equal(reader.text, "Name:\tfree\n", len);
	close(dir);
}

enum { LINES = 5000 };

static void stream_has_the_files_content(void **state)
{
	struct stream stream = STREAM_CLOSED;
	struct crewed *s = *state;
	size_t size = LINES * 16, at = 0;
	char *text = malloc(size + 1), piece[1024];
	struct stream_piece told;
	ssize_t n;

	for (size_t i = 0; i < LINES; i++)
		snprintf(text + i * 16, 17, "line %9zu\n", i);
	crewed_add(s, "12/smaps", text);
	assert_int_equal(workers_open_stream(&s->crew.workers, CREWED_FREE, "smaps", &stream), 0);
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
	struct crewed *s = *state;
	char text[64];

	crewed_add(s, "12/smaps", "line\n");
	assert_int_equal(workers_open_stream(&s->crew.workers, CREWED_FREE, "smaps", &stream), 0);
	crewed_signal(s, LANES_STREAMS, SIGKILL);
	assert_int_equal(stream_read(&stream, text, sizeof(text), 0, &told), -ESTALE);
	stream_close(&stream);
	assert_int_equal(crewed_read(s, CREWED_FREE, "stat", text), 0);
}

/*
 * Workers open files by pid. A reaped process has no directory: the same error as below a kept
 * directory.
 */
static void reaped_process_is_gone(void **state)
{
	struct crewed *s = *state;
	struct process_reader reader = {.workers = &s->crew.workers, .own_pid = getpid()};
	struct process p = {.pid = 14};
	struct stream stream = STREAM_CLOSED;
	size_t len;
	bool unproven = false;
	int dir;

	assert_int_equal(mkdirat(s->fd, "14", 0700), 0);
	crewed_add(s, "14/statm", "1 1 1 1 1 1 1\n");
	dir = openat(s->fd, "14", O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_true(dir >= 0);
	/* The process exists, and these files do not. */
	assert_int_equal(fetch_stream(&reader, &p, dir, FETCH_SMAPS, &stream), -ENOENT);
	assert_int_equal(fetch_text(&reader, &p, dir, FETCH_EXE, &len, &unproven), -ENOENT);
	assert_int_equal(fetch_text(&reader, &p, dir, FETCH_STAT, &len, &unproven), -ENOENT);
	assert_int_equal(unlinkat(s->fd, "14/statm", 0), 0);
	assert_int_equal(unlinkat(s->fd, "14", AT_REMOVEDIR), 0);
	assert_int_equal(fetch_stream(&reader, &p, dir, FETCH_SMAPS, &stream), -ESRCH);
	assert_int_equal(fetch_text(&reader, &p, dir, FETCH_EXE, &len, &unproven), -ESRCH);
	assert_int_equal(fetch_text(&reader, &p, dir, FETCH_STAT, &len, &unproven), -ESRCH);
	close(dir);
}

static void compares_address_spaces(void **state)
{
	struct crewed *s = *state;
	int r = workers_compare(&s->crew.workers, getpid(), getpid());

	if (r == -ENOSYS || r == -EPERM)
		skip();
	assert_int_equal(r, 0);
	assert_true(workers_compare(&s->crew.workers, getpid(),
			    s->crew.pid[s->crew.workers.lanes.at[LANES_TEXTS]]) > 0);
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
	struct crewed *s = *state;
	struct lanes *lanes = &s->crew.workers.lanes;
	int usual = count_processors(0);
	pid_t worker;
	char text[64];

	if (usual < 2)
		skip();
	/* On a busy host an answer may take long. */
	for (int i = 0; i < 100 && !lanes->gathers; i++) {
		workers_begin_pass(&s->crew.workers);
		assert_int_equal(crewed_read(s, CREWED_FREE, "stat", text), 0);
	}
	if (!lanes->gathers)
		skip();
	worker = s->crew.pid[lanes->at[LANES_TEXTS]];
	assert_int_equal(count_processors(0), 1);
	assert_int_equal(count_processors(worker), 1);
	assert_int_equal(crewed_read(s, CREWED_BLOCKS, "stat", text), -ETIMEDOUT);
	assert_int_equal(count_processors(0), usual);
	assert_int_equal(crewed_read(s, CREWED_FREE, "stat", text), 0);
	assert_int_equal(count_processors(s->crew.pid[lanes->at[LANES_TEXTS]]), usual);
	workers_begin_pass(&s->crew.workers);
	assert_int_equal(crewed_read(s, CREWED_FREE, "stat", text), 0);
	lanes_end_pass(lanes);
	assert_int_equal(count_processors(0), usual);
}

/* A request that is posted before the worker starts is served on that processor, too. */
static void new_worker_moves_to_the_processor_first(void **state)
{
	struct crewed *s = *state;
	struct worker_lane *lane = mmap(
		NULL, sizeof(*lane), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	if (count_processors(0) < 2)
		skip();
	assert_true(lane != MAP_FAILED);
	lane->slot[0].request = (struct worker_request){
		.op = WORKER_READ, .pid = CREWED_FREE, .path = "stat"};
	atomic_store(&lane->processor, (uint32_t)sched_getcpu());
	atomic_store(&lane->posted, 1);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(worker_serve(lane, s->fd) < 0);
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, crewed_set_up, crewed_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(reads_texts_and_links),
		TEST(serves_announced_reads_in_order),
		TEST(waits_for_announced_reads),
		TEST(announced_status_needs_no_worker),
		TEST(stream_has_the_files_content),
		TEST(stream_ends_with_its_worker),
		TEST(reaped_process_is_gone),
		TEST(compares_address_spaces),
		TEST(worker_runs_on_the_readers_processor),
		TEST(new_worker_moves_to_the_processor_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
