/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests whether the readings of a process belong to one image, in a simulated /proc that changes
 * between reads.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <unistd.h>

#include "base/clock.h"
#include "collectors/process/process-image.h"
#include "tests/unit/support/tree/crew.h"
#include "tests/unit/support/tree/subject.h"
#include "tests/unit/support/tree/tree.h"

/* mm_is_new marks processes for shared-mm.h: only a possibly new address space is compared again. */
static void a_new_address_space_is_compared(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();

	(void)state;
	subject_read(s, 1000);
	assert_true(s->process.mm_is_new);
	s->process.mm_is_new = false;
	s->process.mm_group = 5;
	subject_read(s, 1000);
	assert_false(s->process.mm_is_new);
	assert_int_equal(s->process.mm_group, 5);
	s->p.image++;
	tree_add(&s->tree, &s->p);
	subject_read(s, 1000);
	assert_true(s->process.mm_is_new);
	assert_int_equal(s->process.mm_group, 0);
}

/*
 * Before its first measurement kcmp() may have shown that a process shares its parent's memory: both
 * would count if the measurement of one ended that.
 */
static void a_first_measurement_keeps_what_is_shared(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();

	(void)state;
	subject_look(s);
	assert_false(s->process.measured);
	s->process.mm_group = 5;
	s->process.mm_is_new = false;
	subject_read(s, 1000);
	assert_true(s->process.measured);
	assert_int_equal(s->process.mm_group, 5);
	assert_false(s->process.mm_is_new); /* it has been compared at the place in stat */
}

/* If the kernel hides the place in stat, only the walk has one to compare at. */
static void a_first_measurement_has_the_place_that_stat_hides(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();

	(void)state;
	tree_write(&s->tree, "42/stat",
		"42 (bash) S 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 42 23 24 25 1 27 0 29\n");
	subject_look(s);
	s->process.mm_is_new = false;
	subject_read(s, 1000);
	assert_true(s->process.measured);
	assert_true(s->process.mm_is_new);
}

/* A process, and the next one with its pid. */
static const struct tree_process former_one = {.pid = 42,
	.name = "former",
	.start_ticks = 500,
	.image = 7,
	.rss_kib = 1 << 20,
	.pss_kib = 1 << 20,
	.uss_kib = 1 << 20,
	.exe = "/usr/bin/former"};
static const struct tree_process next_one = {.pid = 42,
	.name = "next",
	.start_ticks = 900,
	.image = 9,
	.rss_kib = 400,
	.pss_kib = 300,
	.uss_kib = 200,
	.exe = "/usr/bin/next"};

/* Announced reads are made by pid. They must not count for the next process with that pid. */
static void announced_reads_of_a_former_process_do_not_count(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_new(&former_one);
	struct crew crew;

	tree_write(&s->tree, "42/statm", "1 1 1 0 0 0 0\n");
	crew_open(&crew, s->tree.fd);
	s->reader.workers = &crew.workers;
	s->reader.own_pid = getpid();
	s->reader.kept_max = 100;
	for (int known = 0; known < 2; known++) {
		if (known)
			subject_read(s, 1000);
		process_announce(&s->reader, &s->process, false);
		(void)workers_await(&crew.workers, 42);
		tree_remove(&s->tree, "42");
		tree_add(&s->tree, &next_one);
		tree_write(&s->tree, "42/statm", "1 1 1 0 0 0 0\n");
		subject_read(s, 2000);
		assert_int_equal(s->sample.outcome, OUTCOME_MEASURED);
		assert_int_equal(s->sample.q[PROCESS_RSS], 400 << 10);
		assert_int_equal(s->sample.q[PROCESS_PSS], 300 << 10);
		process_release(&s->reader, &s->process);
		process_init(&s->process, 42);
		tree_remove(&s->tree, "42");
		tree_add(&s->tree, &former_one);
		tree_write(&s->tree, "42/statm", "1 1 1 0 0 0 0\n");
	}
	(void)state;
	s->reader.workers = NULL;
	crew_close(&crew);
}

/* The process executes another program between the announced walk and the read of status. */
static void an_announced_walk_of_a_former_image_does_not_count(void **state)
{
	struct tree_process next = next_one;
	AUTO_SUBJECT struct subject *s = subject_new(&former_one);
	struct crew crew;

	next.start_ticks = former_one.start_ticks; /* the same process */
	tree_write(&s->tree, "42/statm", "1 1 1 0 0 0 0\n");
	crew_open(&crew, s->tree.fd);
	s->reader.workers = &crew.workers;
	s->reader.own_pid = getpid();
	s->reader.kept_max = 100;
	subject_read(s, 1000);
	subject_read(s, 1000);
	process_announce(&s->reader, &s->process, false);
	(void)workers_await(&crew.workers, 42);
	tree_add(&s->tree, &next);
	tree_write(&s->tree, "42/statm", "1 1 1 0 0 0 0\n");
	subject_read(s, 2000);
	assert_int_equal(s->sample.q[PROCESS_RSS], 400 << 10);
	assert_int_equal(s->sample.q[PROCESS_PSS], 300 << 10);
	(void)state;
	s->reader.workers = NULL;
	crew_close(&crew);
}

/* A subject with CMDLINE, read by a crew. */
static struct subject *subject_with(const char *cmdline, struct crew *crew)
{
	struct tree_process p = former_one;
	struct subject *s;

	p.cmdline = cmdline;
	s = subject_new(&p);
	tree_write(&s->tree, "42/statm", "1 1 1 0 0 0 0\n");
	crew_open(crew, s->tree.fd);
	s->reader.workers = &crew->workers;
	s->reader.own_pid = getpid();
	s->reader.kept_max = 100;
	subject_read(s, 1000);
	return s;
}

static void end_with(struct subject *s, struct crew *crew)
{
	s->reader.workers = NULL;
	crew_close(crew);
}

/* A worker sends short ones as a whole and long ones in pieces; both are cut at the limit. */
static void reads_command_lines_of_any_length(void **state)
{
	static const size_t lengths[] = {0, 10, WORKER_TEXT - 2, WORKER_TEXT, 1 << 14, 100000};
	enum { MAX = 20000 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++)
		for (int is_direct = 0; is_direct < 2; is_direct++) {
			AUTO_FREE char *text = calloc(1, lengths[i] + 1);
			AUTO_BUFFER struct buffer found = {0};
			size_t all = lengths[i] ? lengths[i] + 1 : 0;
			struct crew crew;
			AUTO_SUBJECT struct subject *s = NULL;
			bool is_cut = false;

			assert_non_null(text);
			for (size_t k = 0; k < lengths[i]; k++)
				text[k] = (char)('a' + k % 26);
			s = subject_with(text, &crew);
			if (is_direct)
				s->reader.workers = NULL;
			assert_int_equal(
				process_read_cmdline(&s->reader, &s->process, MAX, &found, &is_cut),
				0);
			assert_int_equal(is_cut, all > MAX);
			assert_int_equal(found.len, all > MAX ? MAX : all);
			if (all)
				assert_memory_equal(found.data, text, found.len);
			end_with(s, &crew);
		}
}

/* An announced one may be of a former process with the pid. */
static void command_line_of_an_exited_process_does_not_count(void **state)
{
	AUTO_BUFFER struct buffer found = {0};
	struct crew crew;
	AUTO_SUBJECT struct subject *s = subject_with("former", &crew);
	char none[1];
	bool is_cut;

	(void)state;
	process_announce_cmdline(&s->reader, &s->process);
	/* The worker answers in order: it has read the command line then. */
	assert_int_equal(workers_read(&crew.workers, 1, "none", false, none, 1, &(size_t){0},
				 &(uint64_t){0}),
		-ENOENT);
	tree_remove(&s->tree, "42");
	assert_int_equal(
		process_read_cmdline(&s->reader, &s->process, 100, &found, &is_cut), -ESRCH);
	end_with(s, &crew);
}

/*
 * Beyond the limit of descriptors no directory stays open. The start time shows that another
 * process has the pid.
 */
static void a_block_ends_with_its_process(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();

	(void)state;
	s->reader.kept_max = 0;
	subject_read(s, 1000);
	block_begin(&s->process.block, "stat", false, 1000);
	s->p.start_ticks++;
	tree_add(&s->tree, &s->p);
	subject_read(s, 2000);
	assert_false(block_is_on(&s->process.block));
}

/* A refusal is no sign of a new image: no other file is read again because of it. */
static void a_refusal_causes_no_further_reads(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();
	struct tree_event events[] = {
		{.suffix = "smaps_rollup", .error = EACCES}, {.suffix = "stat"}};

	(void)state;
	tree_expect(events, ARRAY_SIZE(events));
	subject_read(s, 1000);
	assert_true(events[1].count > 0);
	tree_expect(events, ARRAY_SIZE(events));
	assert_false(subject_read(s, 1000)->is_renamed);
	assert_int_equal(events[0].count, 1);
	assert_int_equal(events[1].count, 0);
}

static void change_image(void *to)
{
	struct subject *s = to;

	s->p.image++;
	s->p.rss_kib += 100;
	tree_add(&s->tree, &s->p);
}

static void grow(void *to)
{
	struct subject *s = to;

	s->p.rss_kib += 64 << 10;
	tree_add(&s->tree, &s->p);
}

/*
 * If the walk and the counters differ in size, they may be of two images: stat decides. Growth is
 * no new image.
 */
static void a_different_size_checks_the_image(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();
	struct tree_event events[] = {
		{.suffix = "smaps_rollup", .nth = 1, .call = grow, .to = s}, {.suffix = "stat"}};

	(void)state;
	subject_read(s, 1000);
	tree_expect(events, ARRAY_SIZE(events));
	assert_false(subject_read(s, 1000)->is_new_image);
	assert_int_equal(events[1].count, 1);
	assert_int_equal(s->sample.outcome, OUTCOME_MEASURED);
	events[1].count = 0;
	subject_read(s, 1000);
	assert_int_equal(events[1].count, 0);
}

/* A sample of two images is read again, and then is of the new image alone. */
static void an_exec_in_the_middle_is_read_again(void **state)
{
	static const char *const files[] = {"smaps_rollup", "status"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		for (int known = 0; known < 2; known++) {
			AUTO_SUBJECT struct subject *s = subject_bash();
			struct tree_event event = {
				.suffix = files[i], .nth = 1, .call = change_image, .to = s};

			if (known)
				subject_read(s, 1000);
			tree_expect(&event, 1);
			assert_true(subject_read(s, 1000)->is_new_image);
			subject_assert_measured(s);
		}
}

/* A process that executes in every attempt has no PSS, and no former figure is used. */
static void an_exec_in_every_attempt_is_changing(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();
	struct tree_event event = {.suffix = "smaps_rollup", .call = change_image, .to = s};
	const struct sample *got;

	(void)state;
	tree_expect(&event, 1);
	got = subject_read(s, 1000);
	assert_int_equal(got->outcome, OUTCOME_CHANGING);
	assert_int_equal(got->source, SOURCE_RSS);
	assert_true(got->is_member);
	assert_false(ROW_HAS(got, PROCESS_PSS));
	assert_int_equal(event.count, 2);
	tree_expect(NULL, 0);
	assert_true(subject_read(s, 2000)->is_new_image);
	subject_assert_measured(s);
}

static void an_exec_between_passes_is_a_new_image(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();
	const struct sample *got;

	(void)state;
	subject_read(s, 1000);
	s->process.growth.has_hwm = true;
	s->p.image = 8;
	s->p.exe = "/usr/bin/bash (deleted)";
	tree_add(&s->tree, &s->p);
	got = subject_read(s, 1001);
	subject_assert_measured(s);
	assert_true(got->is_new_image && got->is_renamed && got->has_cgroup);
	subject_assert_text(&s->reader.program, "bash [deleted]");
	assert_false(s->process.growth.has_hwm);
}

/* A new name or user is no new image: growth continues. */
static void a_rename_is_no_new_image(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();
	const struct sample *got;

	(void)state;
	subject_read(s, 1000);
	s->process.growth.has_hwm = true;
	s->p.name = "worker";
	tree_add(&s->tree, &s->p);
	got = subject_read(s, 1001);
	subject_assert_measured(s);
	assert_false(got->is_new_image);
	assert_true(got->is_renamed);
	subject_assert_text(&s->reader.program, "worker");
	s->p.uid = 0;
	tree_add(&s->tree, &s->p);
	got = subject_read(s, 1002);
	subject_assert_measured(s);
	assert_false(got->is_new_image);
	assert_true(got->has_cgroup);
	assert_true(s->process.growth.has_hwm);
}

/* Without stat, name, user and address range identify an image. */
static void does_without_stat(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();

	(void)state;
	tree_remove(&s->tree, "42/stat");
	assert_true(subject_read(s, 1000)->is_new_image);
	assert_int_equal(s->sample.outcome, OUTCOME_MEASURED);
	assert_false(ROW_HAS(&s->sample, PROCESS_START_TIME));
	assert_false(subject_read(s, 1000)->is_new_image);
	s->p.image = 9;
	tree_add(&s->tree, &s->p);
	tree_remove(&s->tree, "42/stat");
	assert_true(subject_read(s, 1000)->is_new_image);
}

/* Writes a stat as the kernel prints it for readers without access: without the address range. */
static void hide_image(const struct subject *s)
{
	char text[256];

	snprintf(text, sizeof(text),
		"42 (%s) S 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 %llu 23 24 25 1 1 0 29\n",
		s->p.name, (unsigned long long)s->p.start_ticks);
	tree_write(&s->tree, "42/stat", text);
}

/*
 * If the address range is not readable, the process may have executed another program: a new name
 * counts as a new image.
 */
static void a_hidden_image_is_identified_by_its_name(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();
	struct tree_event event = {.suffix = "smaps_rollup", .error = EACCES};

	(void)state;
	hide_image(s);
	tree_expect(&event, 1);
	assert_true(subject_read(s, 1000)->is_new_image);
	subject_assert_without_pss(s, OUTCOME_DENIED);
	s->process.growth.has_hwm = true;
	assert_false(subject_read(s, 1001)->is_new_image);
	assert_true(s->process.growth.has_hwm);
	s->p.name = "worker";
	tree_add(&s->tree, &s->p);
	hide_image(s);
	assert_true(subject_read(s, 1002)->is_new_image);
	subject_assert_without_pss(s, OUTCOME_DENIED);
	assert_false(s->process.growth.has_hwm);
}

static void change_unseen(void *to)
{
	change_image(to);
	hide_image(to);
}

/*
 * If stat does not show the image, two walks must find the same address range; otherwise the
 * process is read again.
 */
static void a_hidden_exec_is_noticed_by_the_range(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();
	struct tree_event event = {
		.suffix = "smaps_rollup", .nth = 2, .call = change_unseen, .to = s};

	(void)state;
	hide_image(s);
	tree_expect(&event, 1);
	subject_read(s, 1000);
	assert_int_equal(event.count, 4);
	subject_assert_measured(s);
	event.nth = 0; /* it executes in every walk */
	event.count = 0;
	s->process.known = false;
	subject_read(s, 2000);
	assert_int_equal(event.count, 4);
	assert_int_equal(s->sample.outcome, OUTCOME_CHANGING);
}

/*
 * Before Linux 4.14, without smaps_rollup: each sample is guarded by stat, but walks once, and
 * unchanged files are not read.
 */
static void smaps_is_walked_once(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();
	struct tree_event opened[] = {{.suffix = "smaps"}, {.suffix = "cgroup"}, {.suffix = "stat"},
		{.suffix = "status"}};

	(void)state;
	tree_remove(&s->tree, "42/smaps_rollup");
	tree_add_smaps(&s->tree, &s->p);
	subject_read(s, 1000);
	s->process.cgroup_ns = 1000;
	tree_expect(opened, ARRAY_SIZE(opened));
	assert_false(subject_read(s, 1099)->is_renamed);
	assert_int_equal(s->sample.source, SOURCE_SMAPS);
	assert_int_equal(opened[0].count, 1);
	assert_int_equal(opened[1].count, 0);
	assert_int_equal(opened[2].count, 2);
	assert_int_equal(opened[3].count, 1);
	assert_true(subject_read(s, 1100)->has_cgroup);
	assert_false(s->sample.is_renamed);
}

static void become_zombie(void *to)
{
	struct subject *s = to;

	s->p.state = 'Z';
	s->p.rss_kib = 0;
	tree_add(&s->tree, &s->p);
	tree_remove(&s->tree, "42/smaps_rollup");
	/* the part that was printed until then */
	tree_write(&s->tree, "42/smaps", "1000-2000 r--p 0 0:0 0\nRss: 4 kB\nPss: 4 kB\n");
	hide_image(s);
}

/* smaps ends early without an error. A zombie has no memory, and the part counts for nothing. */
static void a_truncated_smaps_is_no_measurement(void **state)
{
	(void)state;
	for (int known = 0; known < 2; known++) {
		AUTO_SUBJECT struct subject *s = subject_bash();
		struct tree_event event = {
			.suffix = "smaps", .nth = 1, .call = become_zombie, .to = s};

		tree_remove(&s->tree, "42/smaps_rollup");
		tree_add_smaps(&s->tree, &s->p);
		if (known)
			subject_read(s, 1000);
		tree_expect(&event, 1);
		subject_read(s, 1001);
		assert_int_equal(event.count, 1);
		assert_int_equal(s->sample.outcome, OUTCOME_NO_MM);
		assert_int_equal(s->sample.present, 0);
		assert_false(s->sample.is_member);
	}
}

static void execute_within_smaps(void *to)
{
	struct subject *s = to;

	change_image(s);
	tree_remove(&s->tree, "42/smaps_rollup");
	tree_add_smaps(&s->tree, &s->p);
}

static void an_exec_within_smaps_is_read_again(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();
	struct tree_event event = {
		.suffix = "smaps", .nth = 1, .call = execute_within_smaps, .to = s};

	(void)state;
	tree_remove(&s->tree, "42/smaps_rollup");
	tree_add_smaps(&s->tree, &s->p);
	subject_read(s, 1000);
	tree_expect(&event, 1);
	assert_true(subject_read(s, 1001)->is_new_image);
	assert_int_equal(event.count, 2);
	assert_int_equal(s->sample.outcome, OUTCOME_MEASURED);
	assert_int_equal(s->sample.q[PROCESS_RSS], s->p.rss_kib * 1024);
	event.nth = 0;
	tree_expect(&event, 1);
	subject_read(s, 1002);
	assert_int_equal(s->sample.outcome, OUTCOME_CHANGING);
	assert_int_equal(s->sample.source, SOURCE_RSS);
	assert_false(ROW_HAS(&s->sample, PROCESS_PSS));
}

/* If a process executes the same program again, name and user do not change. */
static void a_refresh_notices_an_exec(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();

	(void)state;
	subject_read(s, 1);
	assert_true(s->process.measured);
	s->p.image++;
	tree_add(&s->tree, &s->p);
	assert_true(subject_look(s)->is_new_image);
	assert_false(s->process.measured);
	assert_false(subject_look(s)->is_new_image);
	subject_read(s, 1);
	subject_assert_measured(s);
	assert_false(s->sample.is_new_image);
	s->p.uid++;
	tree_add(&s->tree, &s->p);
	assert_int_equal(subject_look(s)->uid, s->p.uid);
	assert_false(s->sample.is_new_image);
	assert_true(s->process.measured);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_block_ends_with_its_process),
		cmocka_unit_test(announced_reads_of_a_former_process_do_not_count),
		cmocka_unit_test(a_new_address_space_is_compared),
		cmocka_unit_test(a_first_measurement_keeps_what_is_shared),
		cmocka_unit_test(a_first_measurement_has_the_place_that_stat_hides),
		cmocka_unit_test(a_refusal_causes_no_further_reads),
		cmocka_unit_test(a_different_size_checks_the_image),
		cmocka_unit_test(an_exec_in_the_middle_is_read_again),
		cmocka_unit_test(an_announced_walk_of_a_former_image_does_not_count),
		cmocka_unit_test(an_exec_in_every_attempt_is_changing),
		cmocka_unit_test(an_exec_between_passes_is_a_new_image),
		cmocka_unit_test(a_rename_is_no_new_image),
		cmocka_unit_test(does_without_stat),
		cmocka_unit_test(a_hidden_image_is_identified_by_its_name),
		cmocka_unit_test(a_hidden_exec_is_noticed_by_the_range),
		cmocka_unit_test(smaps_is_walked_once),
		cmocka_unit_test(a_truncated_smaps_is_no_measurement),
		cmocka_unit_test(an_exec_within_smaps_is_read_again),
		cmocka_unit_test(a_refresh_notices_an_exec),
		cmocka_unit_test(reads_command_lines_of_any_length),
		cmocka_unit_test(command_line_of_an_exited_process_does_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
