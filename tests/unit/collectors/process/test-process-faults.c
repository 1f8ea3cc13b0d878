/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of collectors/process/process.h: files that cannot be read or make no sense, and lack of
 * descriptors and memory.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "collectors/process/process.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/tree/subject.h"
#include "tests/unit/support/tree/tree.h"

/* Makes the next read() fail, for files that can be opened but not read. */
static bool read_fails;
static int read_error;

ssize_t __real_read(int fd, void *buf, size_t size);
ssize_t __wrap_read(int fd, void *buf, size_t size);

ssize_t __wrap_read(int fd, void *buf, size_t size)
{
	if (!read_fails)
		return __real_read(fd, buf, size);
	read_fails = false;
	errno = read_error;
	return -1;
}

static void fail_read(void *to)
{
	(void)to;
	read_fails = true;
}

static void continues_after_a_signal(void **state)
{
	static const struct {
		int error;
		enum process_outcome outcome;
	} cases[] = {{EINTR, OUTCOME_MEASURED}, {EIO, OUTCOME_ERROR}, {ESRCH, OUTCOME_CHANGING}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_SUBJECT struct subject *s = subject_bash();
		struct tree_event event = {.suffix = "smaps", .nth = 0, .call = fail_read};

		tree_remove(&s->tree, "42/smaps_rollup");
		tree_add_smaps(&s->tree, &s->p);
		read_error = cases[i].error;
		tree_expect(&event, 1);
		assert_int_equal(subject_read(s, 1000)->outcome, cases[i].outcome);
		read_fails = false;
	}
}

/*
 * A text that ends early without an error, as when its process becomes a zombie, is no
 * measurement.
 */
static void refuses_bad_smaps(void **state)
{
	static const struct {
		const char *text;
		enum process_outcome outcome;
	} cases[] = {
		{"", OUTCOME_CHANGING},
		{"garbage", OUTCOME_MALFORMED},
		{"1-2 r\nRss: 1 kB\n", OUTCOME_MALFORMED},
		{"1-2 r\nRss: 1 kB\nPss: 1 kB\n1-2", OUTCOME_MALFORMED},
		{"1-2 r\nRss: 1 kB\nRss: 1 kB\nPss: 1 kB\n", OUTCOME_MALFORMED},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_SUBJECT struct subject *s = subject_bash();

		tree_remove(&s->tree, "42/smaps_rollup");
		tree_write(&s->tree, "42/smaps", cases[i].text);
		for (int pass = 0; pass < 2; pass++) {
			subject_read(s, 1000);
			subject_assert_without_pss(s, cases[i].outcome);
		}
	}
}

/* The reason follows from the error of the walk. The counters of status are kept. */
static void says_why_there_is_no_pss(void **state)
{
	static const struct {
		int error;
		enum process_outcome outcome;
	} cases[] = {
		{EACCES, OUTCOME_DENIED},
		{EPERM, OUTCOME_DENIED},
		{EMFILE, OUTCOME_ERROR},
		{ENFILE, OUTCOME_ERROR},
		{EIO, OUTCOME_ERROR},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_SUBJECT struct subject *s = subject_bash();
		struct tree_event event = {.suffix = "smaps_rollup", .error = cases[i].error};

		tree_expect(&event, 1);
		for (int pass = 0; pass < 2; pass++) {
			subject_read(s, 1000);
			subject_assert_without_pss(s, cases[i].outcome);
		}
		tree_expect(NULL, 0);
		subject_read(s, 1000);
		subject_assert_measured(s);
	}
}

static void lacking_both_files_is_an_error(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();

	(void)state;
	tree_remove(&s->tree, "42/smaps_rollup");
	subject_read(s, 1000);
	subject_assert_without_pss(s, OUTCOME_ERROR);
}

static void a_malformed_rollup_is_no_measurement(void **state)
{
	static const char *const texts[] = {"garbage", "1-2 r\nRss: 1 kB\n",
		"1-2 r\nRss: 1 kB\nPss: 1 MB\n", "1-2 r\nRss: 1 kB\nPss: 2 kB\n"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		AUTO_SUBJECT struct subject *s = subject_bash();

		tree_write(&s->tree, "42/smaps_rollup", texts[i]);
		subject_read(s, 1000);
		subject_assert_without_pss(s, OUTCOME_MALFORMED);
	}
}

/* smaps_rollup is empty, without an error, while a process becomes a zombie. */
static void an_empty_rollup_is_no_measurement(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();
	const struct sample *got;

	(void)state;
	for (int known = 0; known < 2; known++) {
		if (known)
			subject_read(s, 1000);
		tree_write(&s->tree, "42/smaps_rollup", "");
		got = subject_read(s, 1000);
		assert_int_equal(got->outcome, OUTCOME_CHANGING);
		assert_false(ROW_HAS(got, PROCESS_PSS));
		tree_add(&s->tree, &s->p);
	}
}

/* Without an owner the process is not counted. A known owner is kept. */
static void malformed_status_keeps_the_owner(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();
	const struct sample *got;

	(void)state;
	tree_write(&s->tree, "42/status", "garbage\n");
	got = subject_read(s, 1000);
	assert_int_equal(got->outcome, OUTCOME_MALFORMED);
	assert_false(got->is_member);

	tree_add(&s->tree, &s->p);
	subject_read(s, 1000);
	tree_write(&s->tree, "42/status", "garbage\n");
	got = subject_read(s, 1000);
	assert_int_equal(got->outcome, OUTCOME_MALFORMED);
	assert_true(got->is_member);
	assert_int_equal(got->source, SOURCE_NONE);
	assert_int_equal(got->uid, 1000);
	assert_int_equal(got->present, 0);
}

/* After any failed allocation the next reading is complete. */
static void recovers_from_each_failed_allocation(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();

	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		struct process_reader fresh = {.procfs = &s->procfs, .cgroup_max_age_ns = 100};

		process_done(&s->process);
		process_reader_done(&s->reader);
		s->reader = fresh;
		process_init(&s->process, 42);
		allocation_fail_at(n);
		if (allocation_check(process_read(&s->reader, &s->process, 1000, &s->sample))) {
			subject_read(s, 1000);
			subject_assert_measured(s);
		}
	}
	assert_true(allocation_count() >= 2);
}

/*
 * If an allocation fails while a new image is reported, the next sample reports it. Otherwise its
 * values would pass for the former image's.
 */
static void reports_a_new_image_again_after_a_failure(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();

	(void)state;
	subject_read(s, 1000);
	s->p.image++;
	tree_add(&s->tree, &s->p);
	buffer_done(&s->reader.program);
	allocation_fail_at(1);
	assert_int_equal(process_look(&s->reader, &s->process, 1001, &s->sample), -ENOMEM);
	assert_true(allocation_end());
	assert_int_equal(process_look(&s->reader, &s->process, 1002, &s->sample), 0);
	assert_true(s->sample.is_new_image && s->sample.is_renamed);
	subject_assert_text(&s->reader.program, "bash");
}

/*
 * A known process that cannot be opened for lack of descriptors keeps its identity, and its growth
 * continues later.
 */
static void lack_of_descriptors_keeps_known_processes(void **state)
{
	static const struct {
		const char *file;
		unsigned int nth; /* number of its opens */
		size_t kept_max;
		bool is_renamed;
	} cases[] = {
		{"42", 0, 0, false},
		{"stat", 0, 0, false},
		{"status", 0, 0, false},
		{"status", 0, 1, false},
		{"stat", 0, 1, true},
		{"stat", 2, 1, true},
		{"status", 2, 1, true},
	};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		AUTO_SUBJECT struct subject *s = subject_bash();
		struct tree_event event = {.suffix = cases[i / 2].file,
			.nth = cases[i / 2].nth,
			.error = i % 2 ? EMFILE : ENFILE};
		unsigned int descriptors;

		s->reader.kept_max = cases[i / 2].kept_max;
		subject_read(s, 1000);
		s->process.growth.has_hwm = true;
		descriptors = unit_descriptors();
		if (cases[i / 2].is_renamed)
			s->p.name = "worker";
		tree_add(&s->tree, &s->p);
		tree_expect(&event, 1);
		subject_read(s, 1001);
		subject_assert_unread(s);
		assert_int_equal(unit_descriptors(), descriptors);
		tree_expect(NULL, 0);
		assert_false(subject_read(s, 1002)->is_new_image);
		subject_assert_measured(s);
		assert_true(s->process.growth.has_hwm);
	}
}

/* An unknown process that cannot be opened is not counted. */
static void lack_of_descriptors_adds_no_process(void **state)
{
	static const char *const files[] = {"42", "stat", "status"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		AUTO_SUBJECT struct subject *s = subject_bash();
		struct tree_event event = {.suffix = files[i], .error = EMFILE};

		tree_expect(&event, 1);
		subject_read(s, 1000);
		assert_int_equal(s->sample.outcome, OUTCOME_ERROR);
		assert_false(s->sample.is_member);
		assert_false(s->process.known);
		tree_expect(NULL, 0);
		assert_true(subject_read(s, 1001)->is_new_image);
		subject_assert_measured(s);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(continues_after_a_signal),
		cmocka_unit_test(refuses_bad_smaps),
		cmocka_unit_test(says_why_there_is_no_pss),
		cmocka_unit_test(lacking_both_files_is_an_error),
		cmocka_unit_test(a_malformed_rollup_is_no_measurement),
		cmocka_unit_test(an_empty_rollup_is_no_measurement),
		cmocka_unit_test(malformed_status_keeps_the_owner),
		cmocka_unit_test(recovers_from_each_failed_allocation),
		cmocka_unit_test(reports_a_new_image_again_after_a_failure),
		cmocka_unit_test(lack_of_descriptors_keeps_known_processes),
		cmocka_unit_test(lack_of_descriptors_adds_no_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
