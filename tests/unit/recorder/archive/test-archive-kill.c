/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kills a process that records with SIGKILL, 100 times at random moments: all snapshots that it had
 * recorded are there afterwards, each of them whole, and recording goes on.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "base/saturate.h"
#include "tests/unit/support/folder.h"
#include "tests/unit/support/recorder/recorded.h"

enum {
	KILLS = 100,
	MOST_US = 12000, /* from the first record to the kill */
	WHOLE_EACH = 10, /* kills, all snapshots are compared, else the last ones before */
	RECENT = 8,
	NOISE = 4,       /* different ones */
	NOISE_EACH = 16, /* snapshots; so that segments end, and the oldest ones go */
};

static struct view *noise[NOISE];

/* Returns snapshot I of the recording; the caller unrefs it. Its time is recorded_at(I). */
static struct view *kill_view(uint64_t i)
{
	uint64_t number = i % NOISE;

	if (i % NOISE_EACH)
		return recorded_view(i);
	if (!noise[number])
		noise[number] = recorded_noise(number);
	return recorded_copy_at(noise[number], recorded_at(i));
}

/*
 * In a child: records snapshots from number FIRST on, synchronizes at random, and writes each number
 * that is recorded to FD.
 */
static void record_for_ever(const char *folder, uint64_t first, uint64_t dice, int fd)
{
	struct archive *a = recorded_open(folder, ARCHIVE_BYTES_MIN);

	for (uint64_t i = first;; i++) {
		uint64_t now_ns = unit_random(&dice) % 8 ? 0 : UINT64_MAX;
		AUTO_VIEW struct view *view = kill_view(i);

		if (archive_add(a, view, 0, 0) < 0 || archive_sync(a, now_ns) < 0 ||
			write(fd, &i, sizeof(i)) != sizeof(i))
			_exit(1);
	}
}

/* Returns the last number in FD. The process that writes them has exited. */
static uint64_t last_of(int fd)
{
	uint64_t i = 0, next;

	while (read(fd, &next, sizeof(next)) == sizeof(next))
		i = next;
	return i;
}

/* Records and kills. Returns the number of the last snapshot that was recorded for certain. */
static uint64_t record_and_kill(const char *folder, uint64_t first, uint64_t dice)
{
	uint64_t after_us = unit_random(&dice) % MOST_US;
	struct timespec pause = {.tv_nsec = (long)after_us * 1000};
	int pipe_fd[2], status;
	uint64_t i;
	pid_t pid;

	assert_int_equal(pipe(pipe_fd), 0);
	pid = fork();
	if (!pid)
		record_for_ever(folder, first, dice, pipe_fd[1]);
	assert_true(pid > 0);
	close(pipe_fd[1]);
	assert_int_equal(read(pipe_fd[0], &i, sizeof(i)), sizeof(i));
	nanosleep(&pause, NULL);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	i = last_of(pipe_fd[0]);
	close(pipe_fd[0]);
	return i ? i : first;
}

/*
 * Asserts that each snapshot from FROM to LAST that the ring has not dropped is in FOLDER, whole and
 * once; perhaps one more, that was being recorded. *OLDEST: which the ring has. Returns the number of
 * the newest one.
 */
static uint64_t expect_all(const char *folder, uint64_t from, uint64_t last, uint64_t *oldest)
{
	AUTO_ARCHIVE_READER struct archive_reader *r = recorded_reader(folder);
	struct archive_series s;
	struct archive_coverage c;
	struct archive_found found;
	const char *reason = "";
	uint64_t next;
	int outcome;

	assert_int_equal(archive_reader_coverage(r, &c), 0);
	assert_int_equal((c.tier[0].first_ns - recorded_at(0)) % RECORDED_STEP_NS, 0);
	next = (c.tier[0].first_ns - recorded_at(0)) / RECORDED_STEP_NS;
	assert_in_range(next, *oldest, last);
	*oldest = next;
	next = saturate_max(next, from);
	s = archive_reader_series(recorded_at(next), UINT64_MAX, 0);
	while ((outcome = archive_reader_next(r, &s, &found, &reason)) == 0) {
		AUTO_VIEW struct view *view = kill_view(next);

		assert_int_equal(found.at_ns, recorded_at(next++));
		assert_int_equal(found.tier, 0);
		recorded_assert_same(found.view, view);
	}
	assert_int_equal(outcome, ARCHIVE_NONE);
	assert_in_range(next, last + 1, last + 2);
	return next - 1;
}

static void test_kills(void **state)
{
	char folder[RECORDED_FOLDER_SIZE];
	unsigned int kills = unit_rounds(KILLS);
	uint64_t dice = (uint64_t)getpid(), oldest = 0, next = 0;

	(void)state;
	recorded_folder(folder);
	for (unsigned int k = 0; k < kills; k++) {
		uint64_t last = record_and_kill(folder, next, unit_random(&dice));
		bool is_whole = k % WHOLE_EACH == 0 || k + 1 == kills;
		uint64_t from = is_whole ? 0 : saturate_less(next, RECENT);

		next = expect_all(folder, from, last, &oldest) + 1;
	}
	print_message("%u snapshots, the oldest one is number %u\n", (unsigned int)next,
		(unsigned int)oldest);
	for (unsigned int i = 0; i < NOISE; i++)
		view_unref(noise[i]);
	assert_int_equal(folder_remove(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kills),
	};

	return cmocka_run_group_tests(tests, folder_enter, folder_leave);
}
