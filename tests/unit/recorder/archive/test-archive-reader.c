/* SPDX-License-Identifier: Apache-2.0 */
/* Tests steps from snapshot to snapshot, series, and coverage. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "recorder/archive/segment.h"
#include "snapshot/past.h"
#include "tests/unit/support/folder.h"
#include "tests/unit/support/recorder/recorded.h"

enum { SNAPSHOTS = 400 }; /* more than an hour, three chains */

static char folder[RECORDED_FOLDER_SIZE];

static int record_all(void **state)
{
	struct archive *a;

	if (folder_enter(state) < 0)
		return -1;
	recorded_folder(folder);
	a = recorded_open(folder, RECORDED_LIMIT);
	recorded_add(a, 0, SNAPSHOTS);
	archive_close(a);
	return 0;
}

static int remove_all(void **state)
{
	return folder_remove(folder) < 0 ? -1 : folder_leave(state);
}

static void test_steps(void **state)
{
	AUTO_ARCHIVE_READER struct archive_reader *r = recorded_reader(folder);
	struct archive_found found;
	const char *reason = NULL;

	(void)state;
	recorded_expect(r, PAST_BEFORE, recorded_at(200), 199);
	recorded_expect(r, PAST_BEFORE, recorded_at(200) + 1, 200);
	recorded_expect(r, PAST_AFTER, recorded_at(200), 201);
	recorded_expect(r, PAST_AFTER, recorded_at(200) - 1, 200);
	recorded_expect(r, PAST_AFTER, 0, 0);
	recorded_expect(r, PAST_BEFORE, UINT64_MAX, SNAPSHOTS - 1);
	assert_int_equal(archive_reader_find(r, PAST_BEFORE, 0, &found, &reason), ARCHIVE_NONE);
	assert_int_equal(
		archive_reader_find(r, PAST_BEFORE, recorded_at(0), &found, &reason), ARCHIVE_NONE);
	assert_int_equal(
		archive_reader_find(r, PAST_AFTER, recorded_at(SNAPSHOTS - 1), &found, &reason),
		ARCHIVE_NONE);
	assert_int_equal(
		archive_reader_find(r, PAST_AFTER, UINT64_MAX, &found, &reason), ARCHIVE_NONE);
	assert_int_equal(
		archive_reader_find(r, PAST_OOM, UINT64_MAX, &found, &reason), ARCHIVE_NONE);
	assert_int_equal(archive_reader_find(r, PAST_AT, recorded_at(200), &found, &reason), 0);
	assert_int_equal(found.before_ns, recorded_at(199));
	assert_int_equal(found.after_ns, recorded_at(201));
	assert_int_equal(found.tier, 0);
	assert_int_equal(archive_reader_find(r, PAST_AT, recorded_at(0), &found, &reason), 0);
	assert_int_equal(found.before_ns, 0);
	assert_int_equal(archive_reader_find(r, PAST_AT, UINT64_MAX, &found, &reason), 0);
	assert_int_equal(found.after_ns, 0);
}

/* Checks a series from snapshot FROM to UNTIL, of which each EVERYth is expected, in TIER. */
static void expect_series(
	struct archive_reader *r, uint64_t from, uint64_t until, uint64_t every, unsigned int tier)
{
	struct archive_series s = archive_reader_series(
		recorded_at(from), recorded_at(until), every == 1 ? 0 : every * RECORDED_STEP_NS);
	uint64_t i = (from + every - 1) / every * every;
	struct archive_found found;
	const char *reason = NULL;

	for (; i <= until; i += every) {
		AUTO_VIEW struct view *expected = recorded_view(i);

		assert_int_equal(archive_reader_next(r, &s, &found, &reason), 0);
		assert_int_equal(found.at_ns, recorded_at(i));
		assert_int_equal(found.tier, tier);
		recorded_assert_same(found.view, expected);
	}
	assert_int_equal(archive_reader_next(r, &s, &found, &reason), ARCHIVE_NONE);
}

static void test_series(void **state)
{
	AUTO_ARCHIVE_READER struct archive_reader *r = recorded_reader(folder);

	(void)state;
	expect_series(r, 0, 30, 1, 0);
	expect_series(r, 100, 200, 2, 0);
	expect_series(r, 0, SNAPSHOTS - 1, 6, 1);
	expect_series(r, 60, SNAPSHOTS - 1, 30, 2);
	expect_series(r, 90, SNAPSHOTS - 1, 90, 2);
}

/* The first snapshot counts, wherever in its span it is; and other calls do not disturb. */
static void test_odd_series(void **state)
{
	AUTO_ARCHIVE_READER struct archive_reader *r = recorded_reader(folder);
	struct archive_series s = archive_reader_series(
		recorded_at(3) - 1, recorded_at(12), 4 * RECORDED_STEP_NS);
	static const uint64_t expected[] = {3, 4, 8, 12};
	struct archive_found found;
	const char *reason = NULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		assert_int_equal(archive_reader_next(r, &s, &found, &reason), 0);
		assert_int_equal(found.at_ns, recorded_at(expected[i]));
		recorded_expect(r, PAST_AT, recorded_at(300), 300);
	}
	assert_int_equal(archive_reader_next(r, &s, &found, &reason), ARCHIVE_NONE);
}

static void remove_segment(const char *other, unsigned int tier, uint64_t number)
{
	char path[RECORDED_FOLDER_SIZE + SEGMENT_NAME_SIZE], name[SEGMENT_NAME_SIZE];

	segment_name(tier, number, name);
	snprintf(path, sizeof(path), "%s/%s", other, name);
	assert_int_equal(unlink(path), 0);
}

/* Lower tiers give what the tier for the step does not have: before it began, and in between. */
static void test_holes(void **state)
{
	char other[RECORDED_FOLDER_SIZE];

	(void)state;
	recorded_folder(other);
	for (uint64_t part = 0; part < 4; part++) {
		AUTO_ARCHIVE struct archive *a = recorded_open(other, RECORDED_LIMIT);

		recorded_add(a, part * 60, part * 60 + 60);
	}
	remove_segment(other, 2, 1);
	remove_segment(other, 2, 3);
	remove_segment(other, 1, 3);
	{
		AUTO_ARCHIVE_READER struct archive_reader *r = recorded_reader(other);
		static const unsigned int tier[] = {0, 2, 0, 2};

		for (unsigned int every = 6; every <= 30; every += 24) {
			struct archive_series s = archive_reader_series(
				recorded_at(0), recorded_at(239), every * RECORDED_STEP_NS);
			struct archive_found found;
			const char *reason = "";

			for (uint64_t i = 0; i < 240; i += every) {
				assert_int_equal(archive_reader_next(r, &s, &found, &reason), 0);
				assert_int_equal(found.at_ns, recorded_at(i));
				if (every == 30)
					assert_int_equal(found.tier, tier[i / 60]);
			}
			assert_int_equal(archive_reader_next(r, &s, &found, &reason), ARCHIVE_NONE);
		}
	}
	assert_int_equal(folder_remove(other), 0);
}

/* The one that was recorded last, whatever its time; if its file is gone, the one before. */
static void test_last(void **state)
{
	static const uint64_t at[] = {10, 20, 500, 30, 40, 15};
	char other[RECORDED_FOLDER_SIZE], path[RECORDED_FOLDER_SIZE + SEGMENT_NAME_SIZE];
	char name[SEGMENT_NAME_SIZE];

	(void)state;
	recorded_folder(other);
	{
		AUTO_ARCHIVE_READER struct archive_reader *r = recorded_reader(other);
		struct archive_found found;
		const char *reason = NULL;

		assert_int_equal(archive_reader_last(r, &found, &reason), ARCHIVE_NONE);
		for (uint64_t i = 0; i < ARRAY_SIZE(at); i++) {
			AUTO_ARCHIVE struct archive *a = recorded_open(other, RECORDED_LIMIT);
			AUTO_VIEW struct view *view = recorded_view_at(i, recorded_at(at[i]));

			assert_int_equal(archive_add(a, view, 0, 0), 0);
			assert_int_equal(archive_reader_last(r, &found, &reason), 0);
			assert_int_equal(found.at_ns, recorded_at(at[i]));
			recorded_assert_same(found.view, view);
		}
		segment_name(0, 6, name);
		snprintf(path, sizeof(path), "%s/%s", other, name);
		/* Its payload has no whole frame any more. */
		assert_int_equal(truncate(path, sizeof(struct segment_head) + 100), 0);
		assert_int_equal(archive_reader_last(r, &found, &reason), 0);
		assert_int_equal(found.at_ns, recorded_at(40));
	}
	assert_int_equal(folder_remove(other), 0);
}

/* A series that has come to its end goes on with what is recorded later. */
static void test_growing_series(void **state)
{
	char other[RECORDED_FOLDER_SIZE];

	(void)state;
	recorded_folder(other);
	{
		AUTO_ARCHIVE struct archive *a = recorded_open(other, RECORDED_LIMIT);
		AUTO_ARCHIVE_READER struct archive_reader *r = recorded_reader(other);
		struct archive_series s = archive_reader_series(0, UINT64_MAX, 0);
		struct archive_found found;
		const char *reason = NULL;

		for (uint64_t i = 0; i < 5; i++) {
			assert_int_equal(archive_reader_next(r, &s, &found, &reason), ARCHIVE_NONE);
			recorded_add(a, i, i + 1);
			assert_int_equal(archive_reader_next(r, &s, &found, &reason), 0);
			assert_int_equal(found.at_ns, recorded_at(i));
		}
	}
	assert_int_equal(folder_remove(other), 0);
}

static void test_coverage(void **state)
{
	AUTO_ARCHIVE_READER struct archive_reader *r = recorded_reader(folder);
	struct archive_coverage c;

	(void)state;
	assert_int_equal(archive_reader_coverage(r, &c), 0);
	assert_int_equal(c.first_ns, recorded_at(0));
	assert_int_equal(c.last_ns, recorded_at(SNAPSHOTS - 1));
	assert_int_equal(c.tier[0].snapshots, SNAPSHOTS);
	assert_int_equal(c.tier[1].last_ns, recorded_at(SNAPSHOTS - 1) / 60000000000 * 60000000000);
	assert_int_equal(c.bytes, recorded_bytes(folder));
	assert_int_equal(c.skipped, 0);
}

static void test_seal(void **state)
{
	AUTO_ARCHIVE_READER struct archive_reader *r = recorded_reader(folder);
	AUTO_VIEW struct view *expected = recorded_view(5), *kept = NULL;
	struct archive_found found;
	const char *reason = NULL;
	AUTO_CLOSE int fd = -1;

	(void)state;
	assert_int_equal(archive_reader_find(r, PAST_AT, recorded_at(5), &found, &reason), 0);
	assert_int_equal(archive_reader_seal(found.view, &fd), 0);
	assert_int_equal(archive_reader_find(r, PAST_AT, recorded_at(7), &found, &reason), 0);
	assert_int_equal(view_open(fd, &kept, &reason), 0);
	recorded_assert_same(kept, expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_series),
		cmocka_unit_test(test_odd_series),
		cmocka_unit_test(test_holes),
		cmocka_unit_test(test_last),
		cmocka_unit_test(test_growing_series),
		cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_seal),
	};

	return cmocka_run_group_tests(tests, record_all, remove_all);
}
