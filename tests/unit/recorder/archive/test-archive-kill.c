/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kills a process that records with SIGKILL, 100 times at random moments: all snapshots that it had
 * recorded are there afterwards, and recording goes on.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/unit/support/folder.h"
#include "tests/unit/support/recorder/recorded.h"

enum {
	KILLS = 100,
	SNAPSHOTS = 16, /* different ones */
	MOST_US = 2500, /* from the first record to the kill */
};

/* In a child: records snapshots from number FIRST on, and writes each number that is recorded to FD. */
static void record_for_ever(const char *folder, struct view *const *view, uint64_t first, int fd)
{
	struct archive *a = recorded_open(folder, RECORDED_LIMIT);

	for (uint64_t i = first;; i++) {
		if (archive_add(a, view[i % SNAPSHOTS], 0, i) < 0 || archive_sync(a, i) < 0 ||
			write(fd, &i, sizeof(i)) != sizeof(i))
			_exit(1);
	}
}

/* Returns the last number in FD, all of which are there. */
static uint64_t last_of(int fd)
{
	uint64_t i = 0, next;

	while (read(fd, &next, sizeof(next)) == sizeof(next))
		i = next;
	return i;
}

/* Records and kills. Returns the number of the last snapshot that was recorded for certain. */
static uint64_t record_and_kill(
	const char *folder, struct view *const *view, uint64_t first, uint64_t after_us)
{
	struct timespec pause = {.tv_nsec = (long)after_us * 1000};
	int pipe_fd[2], status;
	uint64_t i;
	pid_t pid;

	assert_int_equal(pipe(pipe_fd), 0);
	pid = fork();
	if (!pid)
		record_for_ever(folder, view, first, pipe_fd[1]);
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

static void test_kills(void **state)
{
	char folder[RECORDED_FOLDER_SIZE];
	struct view *view[SNAPSHOTS];
	unsigned int kills = unit_rounds(KILLS);
	uint64_t dice = (uint64_t)getpid(), next = 0;

	(void)state;
	recorded_folder(folder);
	for (uint64_t i = 0; i < SNAPSHOTS; i++)
		view[i] = recorded_view(i);
	for (unsigned int k = 0; k < kills; k++) {
		uint64_t last = record_and_kill(folder, view, next, unit_random(&dice) % MOST_US);
		AUTO_ARCHIVE_READER struct archive_reader *r = recorded_reader(folder);
		struct archive_coverage c;

		assert_int_equal(archive_reader_coverage(r, &c), 0);
		/* The one that was being recorded may be there, too. */
		assert_in_range(c.tier[0].snapshots, last + 1, last + 2);
		next = c.tier[0].snapshots;
		assert_true(c.skipped <= 3 * k);
		for (uint64_t i = k % 4; i < SNAPSHOTS && i <= last; i += 4)
			recorded_expect(r, PAST_AT, recorded_at(i), i);
	}
	for (uint64_t i = 0; i < SNAPSHOTS; i++)
		view_unref(view[i]);
	assert_int_equal(folder_remove(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kills),
	};

	return cmocka_run_group_tests(tests, folder_enter, folder_leave);
}
