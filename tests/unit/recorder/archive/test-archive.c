/* SPDX-License-Identifier: Apache-2.0 */
/* Tests recording: the ring, the tiers, marks, restarts, the schedule of synchronizing. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "recorder/archive/archive.h"
#include "recorder/archive/segment-list.h"
#include "recorder/archive/segment.h"
#include "tests/unit/support/folder.h"
#include "tests/unit/support/recorder/recorded.h"

static void expect_none(struct archive_reader *r, enum past_pick pick, uint64_t at_ns)
{
	struct archive_found found;
	const char *reason = NULL;

	assert_int_equal(archive_reader_find(r, pick, at_ns, &found, &reason), ARCHIVE_NONE);
	assert_non_null(reason);
}

/* Each snapshot is found by its time, also while recording goes on, and after it was closed. */
static void test_records(void **state)
{
	char folder[RECORDED_FOLDER_SIZE];

	(void)state;
	recorded_folder(folder);
	{
		AUTO_ARCHIVE struct archive *a = recorded_open(folder, RECORDED_LIMIT);
		AUTO_ARCHIVE_READER struct archive_reader *r = recorded_reader(folder);
		AUTO_ARCHIVE_READER struct archive_reader *last = NULL;
		char name[SEGMENT_NAME_SIZE + RECORDED_FOLDER_SIZE];
		struct stat st;

		expect_none(r, PAST_AT, recorded_at(0));
		for (uint64_t i = 0; i < 150; i++) { /* more than a chain */
			recorded_add(a, i, i + 1);
			recorded_expect(r, PAST_AT, UINT64_MAX, i);
		}
		for (uint64_t i = 149; i--;)
			recorded_expect(r, PAST_AT, recorded_at(i) + 5, i);
		expect_none(r, PAST_AT, recorded_at(0) - 1);
		assert_int_equal(archive_counts(a).snapshots, 150);
		assert_int_equal(archive_counts(a).bytes, recorded_bytes(folder));
		a = archive_close(a);
		for (uint64_t i = 0; i < 150; i++)
			recorded_expect(r, PAST_AT, recorded_at(i), i);
		last = recorded_reader(folder);
		recorded_expect(last, PAST_AT, recorded_at(77), 77);
		snprintf(name, sizeof(name), "%s/tier0-%020d.rec", folder, 1);
		assert_int_equal(stat(name, &st), 0);
		assert_int_equal(st.st_mode & 0137, 0);
	}
	assert_int_equal(folder_remove(folder), 0);
}

/* The files never have more than the limit; the newest snapshots stay. */
static void test_ring(void **state)
{
	char folder[RECORDED_FOLDER_SIZE];

	(void)state;
	recorded_folder(folder);
	{
		AUTO_ARCHIVE struct archive *a = recorded_open(folder, ARCHIVE_BYTES_MIN);
		AUTO_ARCHIVE_READER struct archive_reader *r = recorded_reader(folder);
		struct archive_coverage c;
		uint64_t i = 0;

		for (; i < 1000 && archive_counts(a).removed < 10; i++) {
			AUTO_VIEW struct view *view = recorded_noise(i);

			assert_int_equal(archive_add(a, view, 0, i), 0);
			assert_in_range(recorded_bytes(folder), 1, ARCHIVE_BYTES_MIN);
		}
		assert_in_range(i, 20, 999);
		assert_int_equal(archive_reader_coverage(r, &c), 0);
		assert_int_equal(c.last_ns, recorded_at(i - 1));
		assert_true(c.tier[0].first_ns > recorded_at(0));
		/* Of the coarser tiers nothing had to be removed. */
		assert_int_equal(c.first_ns, recorded_at(0));
		assert_int_equal(c.skipped, 0);
		assert_in_range(c.tier[0].bytes, ARCHIVE_BYTES_MIN / 3, ARCHIVE_BYTES_MIN / 2);
	}
	{
		/* Less space than before: the oldest go at once. */
		struct archive_limits limits = archive_default_limits(ARCHIVE_BYTES_MIN);
		char reason[ARCHIVE_REASON_SIZE];
		AUTO_ARCHIVE struct archive *a = NULL;

		limits.tier[0].percent = 25;
		assert_int_equal(archive_open(folder, &limits, &a, reason), 0);
		assert_in_range(recorded_bytes(folder), 1, ARCHIVE_BYTES_MIN * 3 / 4);
	}
	assert_int_equal(folder_remove(folder), 0);
}

/* A snapshot that does not fit into a tier is refused, and the next one is recorded. */
static void test_too_large(void **state)
{
	struct archive_limits limits = archive_default_limits(ARCHIVE_BYTES_MIN);
	char folder[RECORDED_FOLDER_SIZE], reason[ARCHIVE_REASON_SIZE];

	(void)state;
	recorded_folder(folder);
	limits.tier[0].percent = 1;
	{
		AUTO_VIEW struct view *noise = recorded_noise(0);
		AUTO_ARCHIVE struct archive *a = NULL;

		assert_int_equal(archive_open(folder, &limits, &a, reason), 0);
		assert_int_equal(archive_add(a, noise, 0, 0), -EFBIG);
		assert_non_null(strstr(archive_reason(a), "recorder.size is too small for "));
		assert_non_null(strstr(archive_reason(a), "tier0-"));
		assert_int_equal(archive_counts(a).failures, 1);
		for (uint64_t i = 1; i < 50; i++) {
			recorded_add(a, i, i + 1);
			assert_in_range(recorded_bytes(folder), 1, ARCHIVE_BYTES_MIN);
		}
	}
	assert_int_equal(folder_remove(folder), 0);
}

/* Tier 1 has the first snapshot of each minute, tier 2 of five minutes. */
static void test_tiers(void **state)
{
	char folder[RECORDED_FOLDER_SIZE];

	(void)state;
	recorded_folder(folder);
	{
		AUTO_ARCHIVE struct archive *a = recorded_open(folder, RECORDED_LIMIT);
		AUTO_ARCHIVE_READER struct archive_reader *r = recorded_reader(folder);
		struct archive_coverage c;

		recorded_add(a, 0, 61);
		assert_int_equal(archive_reader_coverage(r, &c), 0);
		assert_int_equal(c.tier[0].snapshots, 61);
		assert_int_equal(c.tier[1].snapshots, 11);
		assert_int_equal(c.tier[2].snapshots, 3);
		assert_int_equal(c.tier[2].last_ns, recorded_at(60));
		assert_int_equal(c.bytes, recorded_bytes(folder));
	}
	{
		char name[SEGMENT_NAME_SIZE + RECORDED_FOLDER_SIZE];
		AUTO_ARCHIVE_READER struct archive_reader *r = NULL;

		snprintf(name, sizeof(name), "%s/tier0-%020d.rec", folder, 1);
		assert_int_equal(unlink(name), 0);
		r = recorded_reader(folder);
		recorded_expect(r, PAST_AT, recorded_at(35), 30);
		recorded_expect(r, PAST_AFTER, recorded_at(35), 36);
	}
	assert_int_equal(folder_remove(folder), 0);
}

/* Each kind of mark brings a snapshot into each tier, once in its span. */
static void test_marks(void **state)
{
	char folder[RECORDED_FOLDER_SIZE];

	(void)state;
	recorded_folder(folder);
	{
		AUTO_ARCHIVE struct archive *a = recorded_open(folder, RECORDED_LIMIT);
		AUTO_ARCHIVE_READER struct archive_reader *r = recorded_reader(folder);
		struct archive_mark mark[3];
		struct archive_found found;
		struct archive_coverage c;
		const char *reason = "";
		size_t count;

		for (uint64_t i = 0; i < 30; i++) {
			AUTO_VIEW struct view *view = recorded_view(i);
			uint32_t marks = i == 7 || i == 9 ? PAST_MARK_OOM
			                 : i == 8         ? PAST_MARK_PRESSURE
			                                  : 0;

			assert_int_equal(archive_add(a, view, marks, 0), 0);
		}
		assert_int_equal(archive_reader_coverage(r, &c), 0);
		assert_int_equal(c.tier[1].snapshots, 5 + 2);
		assert_int_equal(c.tier[2].snapshots, 1 + 2);
		assert_int_equal(
			archive_reader_marks(r, 0, UINT64_MAX, PAST_MARK_OOM, mark, 3, &count), 0);
		assert_int_equal(count, 2);
		assert_int_equal(mark[0].at_ns, recorded_at(7));
		assert_int_equal(mark[1].at_ns, recorded_at(9));
		assert_int_equal(mark[1].marks, PAST_MARK_OOM);
		assert_int_equal(archive_reader_marks(r, recorded_at(8), recorded_at(9), UINT32_MAX,
					 mark, 1, &count),
			0);
		assert_int_equal(count, 2);
		/* Of too many the newest ones */
		assert_int_equal(mark[0].at_ns, recorded_at(9));
		assert_int_equal(mark[0].marks, PAST_MARK_OOM);
		recorded_expect(r, PAST_OOM, UINT64_MAX, 8);
		recorded_expect(r, PAST_OOM, recorded_at(8), 6);
		expect_none(r, PAST_OOM, recorded_at(6));
		assert_int_equal(archive_reader_find(r, PAST_OOM, UINT64_MAX, &found, &reason), 0);
		assert_int_equal(found.oom_ns, recorded_at(9));
		assert_int_equal(found.marks, PAST_MARK_PRESSURE);
	}
	assert_int_equal(folder_remove(folder), 0);
}

/* A new start begins new segments, and continues their numbers. */
static void test_restart(void **state)
{
	char folder[RECORDED_FOLDER_SIZE];

	(void)state;
	recorded_folder(folder);
	for (uint64_t i = 0; i < 5; i++) {
		AUTO_ARCHIVE struct archive *a = recorded_open(folder, RECORDED_LIMIT);

		recorded_add(a, 10 * i, 10 * i + 10);
	}
	{
		AUTO_ARCHIVE_READER struct archive_reader *r = recorded_reader(folder);
		AUTO_CLOSE int dirfd = open(folder, O_RDONLY | O_DIRECTORY);
		AUTO_SEGMENT_LIST struct segment_list list = {0};

		for (uint64_t i = 0; i < 50; i++)
			recorded_expect(r, PAST_AT, recorded_at(i), i);
		assert_int_equal(segment_list_read(dirfd, &list), 0);
		/* Snapshots 10, 20 and 40 are in five minutes that tier 2 has already. */
		assert_int_equal(list.count, 5 + 5 + 2);
		assert_int_equal(list.file[4].number, 5);
		assert_int_equal(list.file[5].tier, 1);
	}
	assert_int_equal(folder_remove(folder), 0);
}

/* Starts within a span of time add nothing to the higher tiers, so that they reach as far back. */
static void test_restarts(void **state)
{
	char folder[RECORDED_FOLDER_SIZE];

	(void)state;
	recorded_folder(folder);
	for (uint64_t i = 0; i < 60; i++) {
		AUTO_ARCHIVE struct archive *a = recorded_open(folder, RECORDED_LIMIT);
		AUTO_VIEW struct view *view = recorded_view(i);

		assert_int_equal(archive_add(a, view, i ? PAST_MARK_START : 0, i), 0);
	}
	{
		AUTO_ARCHIVE_READER struct archive_reader *r = recorded_reader(folder);
		struct archive_coverage c;

		assert_int_equal(archive_reader_coverage(r, &c), 0);
		assert_int_equal(c.tier[0].snapshots, 60);
		/* One for each span, and the first mark in the first span */
		assert_int_equal(c.tier[1].snapshots, 10 + 1);
		assert_int_equal(c.tier[2].snapshots, 2 + 1);
	}
	assert_int_equal(folder_remove(folder), 0);
}

static void test_refusals(void **state)
{
	char folder[RECORDED_FOLDER_SIZE], reason[ARCHIVE_REASON_SIZE];
	struct archive_limits limits = archive_default_limits(ARCHIVE_BYTES_MIN - 1);
	AUTO_ARCHIVE_READER struct archive_reader *r = NULL;

	(void)state;
	recorded_folder(folder);
	{
		AUTO_ARCHIVE struct archive *a = recorded_open(folder, RECORDED_LIMIT), *b = NULL;

		assert_int_equal(archive_open(folder, &limits, &b, reason), -EINVAL);
		limits = archive_default_limits(RECORDED_LIMIT);
		assert_int_equal(archive_open(folder, &limits, &b, reason), -EWOULDBLOCK);
		assert_non_null(strstr(reason, folder));
		assert_non_null(strstr(reason, "another process"));
		assert_int_equal(archive_open("there-is-none\n", &limits, &b, reason), -ENOENT);
		assert_null(strchr(reason, '\n'));
		limits.tier[2].percent = 60;
		assert_int_equal(archive_open(folder, &limits, &b, reason), -EINVAL);
		assert_null(b);
	}
	assert_int_equal(archive_reader_open("there-is-none", NULL, &r, reason), -ENOENT);
	assert_non_null(strstr(reason, "there-is-none"));
	assert_int_equal(folder_remove(folder), 0);
}

/* If the files are removed while they are written, new ones are begun. */
static void test_removal(void **state)
{
	char folder[RECORDED_FOLDER_SIZE];

	(void)state;
	recorded_folder(folder);
	{
		AUTO_ARCHIVE struct archive *a = recorded_open(folder, RECORDED_LIMIT);
		AUTO_ARCHIVE_READER struct archive_reader *r = recorded_reader(folder);
		char name[SEGMENT_NAME_SIZE + RECORDED_FOLDER_SIZE];

		recorded_add(a, 0, 10);
		recorded_expect(r, PAST_AT, recorded_at(5), 5);
		for (int tier = 0; tier < 3; tier++) {
			snprintf(name, sizeof(name), "%s/tier%d-%020d.rec", folder, tier, 1);
			assert_int_equal(unlink(name), 0);
		}
		recorded_add(a, 10, 20);
		recorded_expect(r, PAST_AT, recorded_at(15), 15);
		recorded_expect(r, PAST_AFTER, 0, 10);
	}
	assert_int_equal(folder_remove(folder), 0);
}

/* The clock is set back and forth: snapshots are found by the time that they have. */
static void test_clock(void **state)
{
	static const uint64_t at[] = {10, 20, 30, 15, 25, 35, 1000, 40, 5, 50, 50};
	static const struct {
		uint64_t at, found;
	} cases[] = {{4, 99}, {5, 8}, {10, 0}, {14, 0}, {15, 3}, {24, 1}, {25, 4}, {29, 4}, {34, 2},
		{39, 5}, {49, 7}, {50, 10}, {999, 10}, {1001, 6}};
	char folder[RECORDED_FOLDER_SIZE];

	(void)state;
	recorded_folder(folder);
	{
		AUTO_ARCHIVE struct archive *a = recorded_open(folder, RECORDED_LIMIT);
		AUTO_ARCHIVE_READER struct archive_reader *r = recorded_reader(folder);

		for (uint64_t i = 0; i < ARRAY_SIZE(at); i++) {
			AUTO_VIEW struct view *view = recorded_view_at(i, recorded_at(at[i]));

			assert_int_equal(archive_add(a, view, 0, 0), 0);
		}
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
			struct archive_found found;
			const char *reason = "";
			int outcome = archive_reader_find(
				r, PAST_AT, recorded_at(cases[i].at), &found, &reason);

			if (cases[i].found == 99) {
				assert_int_equal(outcome, ARCHIVE_NONE);
				continue;
			}
			assert_int_equal(outcome, 0);
			assert_int_equal(found.view->header->sequence, cases[i].found + 1);
		}
	}
	assert_int_equal(folder_remove(folder), 0);
}

/* Makes the directory DIRFD look as if it had changed at AT. */
static void settle(int dirfd, time_t at)
{
	struct timespec times[2] = {{.tv_sec = at}, {.tv_sec = at}};

	assert_int_equal(futimens(dirfd, times), 0);
}

/* A list is read again if the directory has changed; else only the newest segments are looked at. */
static void test_list(void **state)
{
	char folder[RECORDED_FOLDER_SIZE], name[SEGMENT_NAME_SIZE];

	(void)state;
	recorded_folder(folder);
	{
		AUTO_CLOSE int dirfd = open(folder, O_RDONLY | O_DIRECTORY);
		AUTO_SEGMENT_LIST struct segment_list list = {0};
		AUTO_ARCHIVE struct archive *a = NULL;

		for (uint64_t i = 0; i < 3; i++) {
			a = archive_close(a);
			a = recorded_open(folder, RECORDED_LIMIT);
			recorded_add(a, 30 * i, 30 * i + 1);
		}
		assert_int_equal(segment_list_update(dirfd, &list), 0);
		assert_int_equal(list.count, 9);
		assert_int_equal(list.changed_ns, 0); /* just now: it is not trusted */
		settle(dirfd, 1000);
		assert_int_equal(segment_list_update(dirfd, &list), 0);
		assert_int_equal(list.changed_ns, UINT64_C(1000000000000));
		/* A newest segment grows; an older one is not looked at. */
		recorded_add(a, 90, 91);
		segment_name(0, 1, name);
		assert_int_equal(unlinkat(dirfd, name, 0), 0);
		settle(dirfd, 1000);
		assert_int_equal(segment_list_update(dirfd, &list), 0);
		assert_int_equal(list.count, 9);
		for (size_t i = 2; i < 9; i += 3) {
			struct stat st;

			segment_name(list.file[i].tier, 3, name);
			assert_int_equal(fstatat(dirfd, name, &st, 0), 0);
			assert_int_equal(list.file[i].bytes, st.st_size);
		}
		settle(dirfd, 2000);
		assert_int_equal(segment_list_update(dirfd, &list), 0);
		assert_int_equal(list.count, 8);
		/* A newest one is gone. */
		assert_int_equal(unlinkat(dirfd, name, 0), 0);
		settle(dirfd, 2000);
		assert_int_equal(segment_list_update(dirfd, &list), 0);
		assert_int_equal(list.count, 7);
	}
	assert_int_equal(folder_remove(folder), 0);
}

static void test_sync(void **state)
{
	char folder[RECORDED_FOLDER_SIZE];

	(void)state;
	recorded_folder(folder);
	{
		AUTO_ARCHIVE struct archive *a = recorded_open(folder, RECORDED_LIMIT);
		AUTO_VIEW struct view *view = recorded_view(0);
		uint64_t delay_ns = archive_default_limits(RECORDED_LIMIT).sync_ns;

		assert_in_range(delay_ns, 0, 10000000000);
		assert_int_equal(archive_due_ns(a), UINT64_MAX);
		assert_int_equal(archive_add(a, view, 0, 1000), 0);
		assert_int_equal(archive_add(a, view, 0, 2000), 0);
		assert_int_equal(archive_due_ns(a), 1000 + delay_ns);
		assert_int_equal(archive_sync(a, 999 + delay_ns), 0);
		assert_int_equal(archive_due_ns(a), 1000 + delay_ns);
		assert_int_equal(recorded_sync(a, 1000 + delay_ns), ARCHIVE_SYNCED);
		assert_int_equal(archive_due_ns(a), UINT64_MAX);
		assert_int_equal(archive_add(a, view, PAST_MARK_OOM, 3000), 0);
		assert_int_equal(archive_due_ns(a), 3000);
		assert_int_equal(archive_finish(a, 3000), 0);
		assert_int_equal(archive_due_ns(a), UINT64_MAX);
	}
	assert_int_equal(folder_remove(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_ring),
		cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_tiers),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_restart),
		cmocka_unit_test(test_restarts),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_removal),
		cmocka_unit_test(test_clock),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_sync),
	};

	return cmocka_run_group_tests(tests, folder_enter, folder_leave);
}
