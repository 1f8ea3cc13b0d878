/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of recorder/recording.h: what is recorded, across restarts and failures of the disk. */
#include "config.h"

#include "tests/unit/support/recorder/taped.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include "base/log.h"
#include "recorder/archive/segment.h"
#include "tests/unit/support/snapshot/small.h"

#define NOW_NS (1000 * NS_PER_SEC)

static int sync_error; /* errno of fdatasync(); 0: it succeeds */

int __wrap_fdatasync(int fd);
int __wrap_fsync(int fd);

/* Real ones take long on a busy disk. */
int __wrap_fdatasync(int fd)
{
	(void)fd;
	errno = sync_error;
	return sync_error ? -1 : 0;
}

int __wrap_fsync(int fd)
{
	(void)fd;
	return 0;
}

static void check_sample(struct taped *t, uint64_t i)
{
	AUTO_VIEW struct view *view = taped_sample(i);
	struct archive_found found;
	const char *reason;

	assert_int_equal(
		archive_reader_find(t->recording.reader, PAST_AT, taped_ns(i) + 1, &found, &reason),
		0);
	assert_int_equal(found.at_ns, taped_ns(i));
	assert_int_equal(found.view->size, view->size);
	assert_memory_equal(found.view->data, view->data, view->size);
}

static void records_whole_images(void **state)
{
	struct taped t;

	(void)state;
	taped_begin(&t);
	taped_take(&t, 0, 20);
	assert_int_equal(taped_count(&t), 20);
	for (uint64_t i = 0; i < 20; i++)
		check_sample(&t, i);
	taped_end(&t);
}

/* memtallyd sends its last snapshot again to each connection. It is recorded once. */
static void records_each_snapshot_once(void **state)
{
	struct taped t;

	(void)state;
	taped_begin(&t);
	taped_take(&t, 0, 3);
	taped_take(&t, 2, 3);
	assert_int_equal(taped_count(&t), 3);
	recording_close(&t.recording);
	assert_int_equal(recording_open(&t.recording, t.dir, &t.limits), 0);
	taped_take(&t, 2, 4);
	assert_int_equal(taped_count(&t), 4);
	check_sample(&t, 3);
	taped_end(&t);
}

static uint32_t marks_at(struct taped *t, uint64_t i)
{
	struct archive_found found;
	const char *reason;

	assert_int_equal(
		archive_reader_find(t->recording.reader, PAST_AT, taped_ns(i), &found, &reason), 0);
	assert_int_equal(found.at_ns, taped_ns(i));
	return found.marks;
}

/* A gap is seen across a restart, since the last snapshot is read again. */
static void marks_survive_a_restart(void **state)
{
	struct taped t;

	(void)state;
	taped_begin(&t);
	taped_take(&t, 0, 2);
	assert_int_equal(marks_at(&t, 0), PAST_MARK_START);
	assert_int_equal(marks_at(&t, 1), 0);
	recording_close(&t.recording);
	assert_int_equal(recording_open(&t.recording, t.dir, &t.limits), 0);
	taped_take(&t, 9, 11);
	assert_int_equal(marks_at(&t, 9), PAST_MARK_GAP);
	assert_int_equal(marks_at(&t, 10), 0);
	taped_end(&t);
}

/* The clock was set back before a restart: the next snapshot follows the last recorded one. */
static void marks_survive_a_restart_after_the_clock_was_set_back(void **state)
{
	AUTO_VIEW struct view *behind = sample_open(&(struct sample_options){.sequence = 3,
		.realtime_ns = taped_ns(0) - 3600 * NS_PER_SEC,
		.boottime_ns = SAMPLE_BOOTTIME_NS + 2 * SAMPLE_INTERVAL_NS,
		.more = 20});
	struct taped t;

	(void)state;
	taped_begin(&t);
	taped_take(&t, 0, 2);
	recording_take(&t.recording, behind, clock_now_ns(CLOCK_MONOTONIC));
	assert_int_equal(taped_count(&t), 3);
	recording_close(&t.recording);
	assert_int_equal(recording_open(&t.recording, t.dir, &t.limits), 0);
	assert_int_equal(t.recording.marks.sequence, 3);
	recording_take(&t.recording, behind, clock_now_ns(CLOCK_MONOTONIC));
	assert_int_equal(taped_count(&t), 3);
	taped_end(&t);
}

/* Records snapshot SEQUENCE with KILLS OOM kills at NOW_NS. */
static void take_kills(struct taped *t, uint64_t sequence, uint64_t kills, uint64_t now_ns)
{
	const struct image_header head = {.sequence = sequence,
		.realtime_ns = taped_ns(sequence),
		.boottime_ns = SAMPLE_BOOTTIME_NS + sequence * SAMPLE_INTERVAL_NS,
		.stale_ns = UINT64_MAX >> 1,
		.interval_ns = SAMPLE_INTERVAL_NS};
	AUTO_SMALL struct small small = {0};
	AUTO_VIEW struct view *view = NULL;

	small_begin(&small);
	ROW_SET(small.host, SCOPE_OOM_KILLS, kills);
	view = small_view(&small.builder, &head);
	recording_take(&t->recording, view, now_ns);
}

/* Snapshots that did not come are counted, and said once. */
static void counts_lost_snapshots(void **state)
{
	struct taped t;
	uint64_t said_ns;

	(void)state;
	taped_begin(&t);
	take_kills(&t, 3, 1, NOW_NS);
	assert_int_equal(t.recording.lost, 0);
	take_kills(&t, 4, 1, NOW_NS);
	assert_int_equal(t.recording.lost, 0);
	take_kills(&t, 7, 1, NOW_NS);
	assert_int_equal(t.recording.lost, 2);
	assert_int_equal(marks_at(&t, 7), PAST_MARK_GAP);
	said_ns = t.recording.said_ns;
	assert_true(said_ns > 0);
	take_kills(&t, 9, 1, NOW_NS);
	assert_int_equal(t.recording.lost, 3);
	assert_int_equal(t.recording.said_ns, said_ns);
	taped_end(&t);
}

/* All names of the next segments of tier 2 are taken, so that tier fails. The others go on. */
static void a_failing_tier_changes_no_marks(void **state)
{
	struct taped t;

	(void)state;
	taped_begin(&t);
	for (uint64_t number = 0; number < 200; number++) {
		char name[SEGMENT_NAME_SIZE], path[sizeof(t.dir) + SEGMENT_NAME_SIZE];

		segment_name(2, number, name);
		snprintf(path, sizeof(path), "%s/%s", t.dir, name);
		fd_close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	}
	take_kills(&t, 1, 7, NOW_NS);
	assert_true(t.recording.is_thinning_badly);
	for (uint64_t sequence = 2; sequence < 8; sequence++)
		take_kills(&t, sequence, 8, NOW_NS);
	assert_int_equal(taped_count(&t), 7);
	assert_int_equal(marks_at(&t, 2), PAST_MARK_OOM);
	for (uint64_t sequence = 3; sequence < 8; sequence++)
		assert_int_equal(marks_at(&t, sequence), 0);
	assert_false(t.recording.is_failing);
	assert_int_equal(t.recording.failures, 0);
	taped_end(&t);
}

/* Two recorders would damage each other's files. */
static void a_second_recording_is_refused(void **state)
{
	struct recording other;
	struct taped t;

	(void)state;
	taped_begin(&t);
	assert_int_equal(recording_open(&other, t.dir, &t.limits), -EWOULDBLOCK);
	recording_close(&other);
	taped_take(&t, 0, 1);
	check_sample(&t, 0);
	taped_end(&t);
}

static void a_missing_directory_is_refused(void **state)
{
	const struct archive_limits limits = archive_default_limits(ARCHIVE_BYTES_MIN);
	struct recording r;

	(void)state;
	assert_int_equal(recording_open(&r, "/nonexistent/recorder", &limits), -ENOENT);
	recording_close(&r);
}

/* Files may not grow, as on a full disk. What is recorded is still there, and recording goes on. */
static void goes_on_after_a_full_disk(void **state)
{
	struct rlimit before, none;
	struct view *lost[3];
	struct taped t;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	taped_begin(&t);
	taped_take(&t, 0, 3);
	for (uint64_t i = 0; i < ARRAY_SIZE(lost); i++)
		lost[i] = taped_sample(3 + i);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	none = (struct rlimit){.rlim_cur = 0, .rlim_max = before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	for (size_t i = 0; i < ARRAY_SIZE(lost); i++)
		recording_take(&t.recording, lost[i], clock_now_ns(CLOCK_MONOTONIC));
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_true(t.recording.is_failing);
	assert_int_equal(t.recording.failures, ARRAY_SIZE(lost));
	check_sample(&t, 2);
	for (size_t i = 0; i < ARRAY_SIZE(lost); i++)
		view_unref(lost[i]);
	taped_take(&t, 6, 8);
	assert_false(t.recording.is_failing);
	for (uint64_t i = 0; i < 3; i++)
		check_sample(&t, i);
	check_sample(&t, 6);
	check_sample(&t, 7);
	assert_int_equal(marks_at(&t, 6), PAST_MARK_GAP);
	taped_end(&t);
}

/* Runs T at the times that are due, until nothing is. Returns the last one. */
static uint64_t run_to_the_end(struct taped *t)
{
	const struct timespec nap = {.tv_nsec = 100000};
	uint64_t now_ns = 0;

	for (uint64_t due; (due = recording_due_ns(&t->recording)) != UINT64_MAX;
		nanosleep(&nap, NULL)) {
		now_ns = due;
		recording_run(&t->recording, now_ns);
	}
	return now_ns;
}

/* The disk has a snapshot within the time that is set. */
static void synchronizes_in_time(void **state)
{
	uint64_t now = clock_now_ns(CLOCK_MONOTONIC), due;
	struct taped t;

	(void)state;
	taped_begin(&t);
	assert_int_equal(recording_due_ns(&t.recording), UINT64_MAX);
	taped_take(&t, 0, 1);
	due = recording_due_ns(&t.recording);
	assert_true(due > now && due <= clock_now_ns(CLOCK_MONOTONIC) + t.limits.sync_ns);
	recording_run(&t.recording, due - 1);
	assert_int_equal(recording_due_ns(&t.recording), due);
	recording_run(&t.recording, due);
	assert_in_range(recording_due_ns(&t.recording), due + NS_PER_SEC, due + 5 * NS_PER_SEC);
	run_to_the_end(&t);
	taped_end(&t);
}

/*
 * The disk has a marked snapshot at once. The next ones wait for a pause, which begins with a
 * synchronization.
 */
static void marked_snapshots_are_synchronized_soon(void **state)
{
	uint64_t now_ns, due;
	struct taped t;

	(void)state;
	taped_begin(&t);
	take_kills(&t, 1, 1, NOW_NS);
	assert_true(recording_due_ns(&t.recording) > NOW_NS);
	now_ns = run_to_the_end(&t) + 1;
	take_kills(&t, 2, 2, now_ns);
	assert_int_equal(marks_at(&t, 2), PAST_MARK_OOM);
	assert_true(recording_due_ns(&t.recording) <= now_ns);
	recording_run(&t.recording, now_ns);
	for (uint64_t sequence = 3; sequence < 9; sequence++) {
		take_kills(&t, sequence, sequence, now_ns + 1);
		due = recording_due_ns(&t.recording);
		assert_int_equal(due, now_ns + 3 * NS_PER_SEC);
		recording_run(&t.recording, due - 1);
		assert_int_equal(recording_due_ns(&t.recording), due);
	}
	run_to_the_end(&t);
	taped_end(&t);
}

/* Returns how many times TEXT is in the file FD. */
static unsigned int count_text(int fd, const char *text)
{
	char data[4096] = "";
	unsigned int count = 0;

	assert_in_range(pread(fd, data, sizeof(data) - 1, 0), 0, sizeof(data) - 2);
	for (const char *at = data; (at = strstr(at, text)); at++)
		count++;
	return count;
}

/* Lets each synchronization fail, with two snapshots before each. Returns how many times T seems well. */
static unsigned int fail_to_synchronize(struct taped *t, uint64_t rounds)
{
	uint64_t now_ns = NOW_NS;
	unsigned int well = 0;

	sync_error = EIO;
	for (uint64_t i = 1; i <= rounds; i++) {
		take_kills(t, 2 * i, 1, now_ns);
		take_kills(t, 2 * i + 1, 1, now_ns);
		well += i > 1 && !recording_is_failing(&t->recording);
		now_ns = run_to_the_end(t);
		well += !recording_is_failing(&t->recording);
	}
	sync_error = 0;
	take_kills(t, 2 * rounds + 2, 1, now_ns);
	well += !recording_is_failing(&t->recording);
	return well;
}

/* The disk takes snapshots and does not synchronize them: one line, and another one at the end. */
static void says_once_that_it_cannot_synchronize(void **state)
{
	int log = memfd_create("log", MFD_CLOEXEC), saved = dup(STDERR_FILENO);
	unsigned int well;
	struct taped t;

	(void)state;
	taped_begin(&t);
	assert_true(dup2(log, STDERR_FILENO) >= 0);
	log_set_level(LOG_LEVEL_INFO);
	well = fail_to_synchronize(&t, 3);
	run_to_the_end(&t);
	log_set_level(LOG_LEVEL_ERROR);
	assert_true(dup2(saved, STDERR_FILENO) >= 0);
	assert_int_equal(well, 0);
	assert_false(recording_is_failing(&t.recording));
	assert_int_equal(count_text(log, "cannot synchronize"), 1);
	assert_int_equal(count_text(log, "synchronized with the disk again"), 1);
	assert_int_equal(count_text(log, "\n"), 2);
	fd_close(saved);
	fd_close(log);
	taped_end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_whole_images),
		cmocka_unit_test(records_each_snapshot_once),
		cmocka_unit_test(marks_survive_a_restart),
		cmocka_unit_test(marks_survive_a_restart_after_the_clock_was_set_back),
		cmocka_unit_test(counts_lost_snapshots),
		cmocka_unit_test(a_failing_tier_changes_no_marks),
		cmocka_unit_test(a_second_recording_is_refused),
		cmocka_unit_test(a_missing_directory_is_refused),
		cmocka_unit_test(goes_on_after_a_full_disk),
		cmocka_unit_test(synchronizes_in_time),
		cmocka_unit_test(marked_snapshots_are_synchronized_soon),
		cmocka_unit_test(says_once_that_it_cannot_synchronize),
	};

	log_open("test", LOG_LEVEL_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
