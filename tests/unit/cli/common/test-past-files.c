/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/common/past-files.h: answers from the files of a recording, made by its own writer. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/log.h"
#include "cli/common/past-files.h"
#include "recorder/archive/archive.h"
#include "tests/unit/support/folder.h"
#include "tests/unit/support/snapshot/sample.h"

#define SECOND (SAMPLE_REALTIME_NS / NS_PER_SEC * NS_PER_SEC)
#define AT(i)  (SECOND + (uint64_t)(i)*10 * NS_PER_SEC)

enum { COUNT = 20, OOM = 8 };

/* Removes the recording of a test. */
static int forget(void **state)
{
	(void)state;
	return access("recording", F_OK) < 0 ? 0 : folder_remove("recording");
}

/* Records COUNT snapshots, one each 10 s, in the folder. An OOM kill is before number OOM. */
static void record(void)
{
	const struct archive_limits limits = archive_default_limits(UINT64_C(16) << 20);
	AUTO_ARCHIVE struct archive *a = NULL;
	char reason[ARCHIVE_REASON_SIZE] = "";

	assert_int_equal(mkdir("recording", 0755), 0);
	assert_int_equal(archive_open("recording", &limits, &a, reason), 0);
	for (unsigned int i = 0; i < COUNT; i++) {
		const struct sample_options options = {.sequence = i + 1,
			.realtime_ns = AT(i),
			.boottime_ns = SAMPLE_BOOTTIME_NS + i * 10 * NS_PER_SEC,
			.more = 5,
			.growth_kib = 1024};
		AUTO_VIEW struct view *view = sample_open(&options);

		assert_int_equal(archive_add(a, view, i == OOM ? PAST_MARK_OOM : 0, i), 0);
	}
}

static struct past_files *open_files(void)
{
	AUTO_BUFFER struct buffer reason = {0};
	struct past_files *f = NULL;

	if (past_files_open("recording", &f, &reason) < 0)
		fail_msg("%.*s", (int)reason.len, reason.data);
	return f;
}

static void snapshots_are_found_by_time(void **state)
{
	static const struct {
		enum past_pick pick;
		uint64_t at_ns;
		uint64_t sequence; /* 0: there is none */
	} cases[] = {
		{PAST_AT, AT(3), 4},
		{PAST_AT, AT(4) - 1, 4},
		{PAST_AT, AT(100), COUNT},
		{PAST_AT, AT(0) - 1, 0},
		{PAST_BEFORE, AT(3), 3},
		{PAST_AFTER, AT(3), 5},
		{PAST_AFTER, AT(COUNT), 0},
		{PAST_OOM, AT(100), OOM},
		{PAST_OOM, AT(2), 0},
	};
	AUTO_PAST_FILES struct past_files *f = NULL;

	(void)state;
	record();
	f = open_files();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct past_request q = {.pick = cases[i].pick, .at_ns = cases[i].at_ns};
		AUTO_PAST_ANSWER struct past_answer a = {.points = NULL};
		const char *why = "";

		assert_int_equal(past_files_ask(f, &q, &a, &why), 0);
		assert_int_equal(a.head.first_ns, AT(0));
		assert_int_equal(a.head.last_ns, AT(COUNT - 1));
		assert_int_equal(a.head.status, cases[i].sequence ? PAST_GOOD : PAST_NONE);
		assert_int_equal(a.view ? a.view->header->sequence : 0, cases[i].sequence);
		assert_int_equal(a.head.at_ns, a.view ? a.view->header->realtime_ns : 0);
	}
}

static void series_have_each_snapshot(void **state)
{
	const struct past_request q = {.pick = PAST_SERIES,
		.at_ns = AT(5),
		.until_ns = AT(14),
		.scope = METRIC_PROCESS,
		.quantity = PROCESS_PSS,
		.pid = SAMPLE_FIRST_MORE + 2};
	AUTO_PAST_FILES struct past_files *f = NULL;
	AUTO_PAST_ANSWER struct past_answer a = {.points = NULL};
	const char *why = "";

	(void)state;
	record();
	f = open_files();
	assert_int_equal(past_files_ask(f, &q, &a, &why), 0);
	assert_int_equal(a.head.points, 10);
	for (uint32_t i = 0; i < a.head.points; i++) {
		assert_int_equal(a.points[i].at_ns, AT(5 + i));
		assert_true(a.points[i].present & 1);
		/* process 2 has 2 MiB more in each snapshot */
		assert_int_equal(a.points[i].value - a.points[0].value, (uint64_t)i << 21);
		assert_int_equal(a.points[i].marks, 5 + i == OOM ? PAST_MARK_OOM : 0);
	}
}

static void marks_are_listed(void **state)
{
	static const struct {
		uint64_t from_ns, until_ns;
		uint32_t mask, marks;
	} cases[] = {
		{0, AT(100), 0, 1},
		{0, AT(100), PAST_MARK_OOM, 1},
		{0, AT(100), PAST_MARK_GAP, 0},
		{AT(OOM), AT(OOM), 0, 1},
		{AT(OOM) + 1, AT(100), 0, 0},
		{0, AT(OOM) - 1, 0, 0},
	};
	AUTO_PAST_FILES struct past_files *f = NULL;

	(void)state;
	record();
	f = open_files();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct past_request q = {.pick = PAST_MARKS,
			.at_ns = cases[i].from_ns,
			.until_ns = cases[i].until_ns,
			.marks = cases[i].mask};
		AUTO_PAST_ANSWER struct past_answer a = {.points = NULL};
		const char *why = "";

		assert_int_equal(past_files_ask(f, &q, &a, &why), 0);
		assert_int_equal(a.head.status, PAST_GOOD);
		assert_int_equal(a.head.flags & PAST_CUT, 0);
		assert_int_equal(a.head.points, cases[i].marks);
		if (a.head.points) {
			assert_int_equal(a.points[0].at_ns, AT(OOM));
			assert_int_equal(a.points[0].marks, PAST_MARK_OOM);
			assert_int_equal(a.points[0].present, 0);
		}
	}
}

/* Spoils the last quarter of each file. */
static void spoil(void)
{
	AUTO_BUFFER struct buffer path = {0};
	DIR *dir = opendir("recording");
	struct dirent *entry;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		static const char zero[64];
		AUTO_CLOSE int fd = -1;
		struct stat st;

		if (entry->d_name[0] == '.')
			continue;
		fd = openat(dirfd(dir), entry->d_name, O_RDWR | O_CLOEXEC);
		assert_true(fd >= 0 && fstat(fd, &st) == 0);
		for (off_t at = st.st_size / 4 * 3; at < st.st_size; at += (off_t)sizeof(zero))
			assert_true(pwrite(fd, zero, sizeof(zero), at) > 0);
	}
	closedir(dir);
}

/* Snapshots before the damage can still be read. */
static void the_rest_of_a_damaged_recording_is_shown(void **state)
{
	static const uint64_t times[] = {AT(0), AT(100)};
	uint64_t sequence[ARRAY_SIZE(times)];
	AUTO_PAST_FILES struct past_files *f = NULL;

	(void)state;
	record();
	spoil();
	f = open_files();
	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		const struct past_request q = {.pick = PAST_AT, .at_ns = times[i]};
		AUTO_PAST_ANSWER struct past_answer a = {.points = NULL};
		const char *why = "";

		assert_int_equal(past_files_ask(f, &q, &a, &why), 0);
		assert_int_equal(a.head.status, PAST_GOOD);
		sequence[i] = a.view->header->sequence;
	}
	assert_int_equal(sequence[0], 1);
	assert_in_range(sequence[1], 2, COUNT - 1);
}

static void a_folder_without_a_recording_is_refused(void **state)
{
	static const struct {
		const char *directory;
		int r;
		const char *said;
	} cases[] = {
		{"none", -ENOENT, "cannot read the recording in none: No such file or directory"},
		{".", -ENODATA, "nothing is recorded in ."},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_PAST_FILES struct past_files *f = NULL;
		AUTO_BUFFER struct buffer reason = {0};

		assert_int_equal(past_files_open(cases[i].directory, &f, &reason), cases[i].r);
		buffer_add_char(&reason, '\0');
		assert_string_equal(reason.data, cases[i].said);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(snapshots_are_found_by_time, forget),
		cmocka_unit_test_teardown(series_have_each_snapshot, forget),
		cmocka_unit_test_teardown(marks_are_listed, forget),
		cmocka_unit_test_teardown(the_rest_of_a_damaged_recording_is_shown, forget),
		cmocka_unit_test_teardown(a_folder_without_a_recording_is_refused, forget),
	};

	log_open("test", LOG_LEVEL_ERROR);
	return cmocka_run_group_tests(tests, folder_enter, folder_leave);
}
