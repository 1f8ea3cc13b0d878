/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the publication of survey results in images. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"
#include "base/text.h"
#include "collectors/pass/survey-result.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/snapshot/small.h"
#include "tests/unit/support/snapshot/walk.h"

/* Returns the rows of the survey result C as an image shows them that is published at NOW_NS. */
static struct view *show(const struct survey_result *c, uint64_t now_ns)
{
	AUTO_SMALL struct small s = {0};
	struct view *view;

	small_begin(&s);
	assert_int_equal(survey_result_add_survey(c, now_ns, &s.builder), 0);
	assert_int_equal(survey_result_add_files(c, &s.builder), 0);
	view = small_view(&s.builder, NULL);
	assert_null(walk_view(view));
	return view;
}

static void fill(struct survey_result *c)
{
	struct snapshot_file row = {.major = 8, .minor = 1, .inode = UINT64_MAX};

	survey_result_clear(c);
	ROW_SET(&row, FILE_PSS, 4096);
	survey_result_add(c, &row, "/usr/lib/libc.so.6");
	row.flags = FILE_DELETED;
	ROW_SET(&row, FILE_RSS, 8192);
	survey_result_add(c, &row, "/a\nb\xff");
	survey_result_set(c, SURVEY_FILES, 7);
	c->begun_ns = 100 * NS_PER_SEC;
	c->ended_ns = 130 * NS_PER_SEC;
	c->is_there = true;
}

static void publishes_its_files(void **state)
{
	AUTO_SURVEY_RESULT struct survey_result c = {0};
	AUTO_VIEW struct view *view = NULL;
	const struct snapshot_survey *survey;

	(void)state;
	fill(&c);
	view = show(&c, 135 * NS_PER_SEC);
	assert_int_equal(view_count(view, METRIC_FILE), 2);
	assert_string_equal(view_text(view, view_file(view, 0)->path), "/usr/lib/libc.so.6");
	assert_string_equal(view_text(view, view_file(view, 1)->path), "/a\\x0ab\xef\xbf\xbd");
	assert_int_equal(view_file(view, 0)->flags, 0);
	assert_int_equal(view_file(view, 1)->flags, FILE_DELETED);
	assert_true(view_file(view, 1)->inode == UINT64_MAX);
	assert_int_equal(view_file(view, 1)->q[FILE_PSS], 4096);
	assert_false(ROW_HAS(view_file(view, 0), FILE_RSS));
	survey = view_survey(view);
	assert_int_equal(survey->q[SURVEY_FILES], 7);
	assert_false(ROW_HAS(survey, SURVEY_PSS));
	assert_int_equal(survey->q[SURVEY_AGE], 5 * NS_PER_SEC);
	assert_int_equal(survey->q[SURVEY_DURATION], 30 * NS_PER_SEC);
}

/* Many passes may publish one result; a cleared one is not published. */
static void is_published_again(void **state)
{
	AUTO_SURVEY_RESULT struct survey_result c = {0};
	AUTO_VIEW struct view *none = show(&c, 0), *first = NULL, *second = NULL, *cleared = NULL;

	(void)state;
	assert_null(view_survey(none));
	assert_int_equal(view_count(none, METRIC_FILE), 0);
	fill(&c);
	first = show(&c, 130 * NS_PER_SEC);
	second = show(&c, 140 * NS_PER_SEC);
	assert_int_equal(view_survey(first)->q[SURVEY_AGE], 0);
	assert_int_equal(view_survey(second)->q[SURVEY_AGE], 10 * NS_PER_SEC);
	assert_int_equal(view_count(second, METRIC_FILE), 2);
	survey_result_clear(&c);
	cleared = show(&c, 150 * NS_PER_SEC);
	assert_null(view_survey(cleared));
	assert_int_equal(view_count(cleared, METRIC_FILE), 0);
}

/* No path and no sum is so large that readers would refuse the image. */
static void limits_paths_and_sums(void **state)
{
	AUTO_SURVEY_RESULT struct survey_result c = {0};
	AUTO_VIEW struct view *view = NULL;
	struct snapshot_file row = {0};
	char path[5000];

	(void)state;
	memset(path, 'x', sizeof(path));
	path[sizeof(path) - 1] = 0;
	ROW_SET(&row, FILE_RSS, UINT64_MAX);
	survey_result_add(&c, &row, path);
	survey_result_set(&c, SURVEY_RSS, UINT64_MAX);
	c.is_there = true;
	view = show(&c, 1);
	assert_in_range(strlen(view_text(view, view_file(view, 0)->path)),
		SNAPSHOT_NAME_MAX - TEXT_RESERVED_MORE, SNAPSHOT_NAME_MAX);
	assert_int_equal(view_file(view, 0)->q[FILE_RSS], INT64_MAX);
	assert_int_equal(view_survey(view)->q[SURVEY_RSS], INT64_MAX);
}

/* Wherever a path is cut, it must not end with a mark of memtally's such as " [deleted]". */
static void a_cut_makes_no_mark(void **state)
{
	static const char mark[] = " [deleted]";
	char path[SNAPSHOT_NAME_MAX + 100];

	(void)state;
	for (size_t end = SNAPSHOT_NAME_MAX - 20; end <= SNAPSHOT_NAME_MAX + 20; end++) {
		AUTO_SURVEY_RESULT struct survey_result c = {.is_there = true};
		AUTO_VIEW struct view *view = NULL;
		struct snapshot_file row = {0};
		const char *shown;

		memset(path, 'x', sizeof(path));
		path[0] = '/';
		memcpy(path + end - (sizeof(mark) - 1), mark, sizeof(mark) - 1);
		path[sizeof(path) - 1] = 0;
		survey_result_add(&c, &row, path);
		view = show(&c, 1);
		shown = view_text(view, view_file(view, 0)->path);
		assert_in_range(strlen(shown), 1, SNAPSHOT_NAME_MAX);
		assert_string_not_equal(shown + strlen(shown) - (sizeof(mark) - 1), mark);
	}
}

/* Labels, and names that were escaped, stay unchanged. */
static void labels_stay_unchanged(void **state)
{
	static const char *const paths[] = {"(memfd)", "/a \\x5bdeleted]"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		AUTO_SURVEY_RESULT struct survey_result c = {.is_there = true};
		AUTO_VIEW struct view *view = NULL;
		struct snapshot_file row = {0};

		survey_result_add(&c, &row, paths[i]);
		view = show(&c, 1);
		assert_string_equal(view_text(view, view_file(view, 0)->path), paths[i]);
	}
}

static void reports_lost_rows(void **state)
{
	AUTO_SURVEY_RESULT struct survey_result c = {0};
	unsigned int failures = 0;

	(void)state;
	fill(&c);
	for (unsigned int n = 1;; n++) {
		CLEANUP(builder_done) struct builder b = {0};
		int r;

		builder_begin(&b);
		allocation_fail_at(n);
		r = survey_result_add_survey(&c, 1, &b);
		if (r == 0)
			r = survey_result_add_files(&c, &b);
		if (!allocation_end()) {
			assert_int_equal(r, 0);
			break;
		}
		assert_true(r == -ENOMEM || b.section[SECTION_STRINGS].error == -ENOMEM);
		failures++;
	}
	assert_true(failures >= 2);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(publishes_its_files),
		cmocka_unit_test(is_published_again),
		cmocka_unit_test(limits_paths_and_sums),
		cmocka_unit_test(a_cut_makes_no_mark),
		cmocka_unit_test(labels_stay_unchanged),
		cmocka_unit_test(reports_lost_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
