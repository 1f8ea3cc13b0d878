/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/process/process.h: what is read of one process, and when. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "collectors/process/process.h"
#include "tests/unit/support/tree/subject.h"
#include "tests/unit/support/tree/tree.h"

static void reads_a_process_completely(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();
	const struct sample *got = subject_read(s, 1000);

	(void)state;
	subject_assert_measured(s);
	assert_true(got->is_new_image && got->is_renamed && got->has_cgroup);
	subject_assert_text(&s->reader.program, "bash");
	assert_int_equal(s->reader.cgroup.unit.len, strlen("x.service"));
	assert_memory_equal(s->reader.cgroup.unit.text, "x.service", 9);
}

/* Files that cannot have changed are not read again, except the cgroup when its reading is old. */
static void reads_less_the_second_time(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();
	struct tree_event opened[] = {{.suffix = "stat"}, {.suffix = "cgroup"}, {.suffix = "42"}};
	const struct sample *got;

	(void)state;
	subject_read(s, 1000);
	s->process.cgroup_ns = 1000; /* the first reading is dated back at random, by the pid */
	s->p.rss_kib = 6000;
	s->p.pss_kib = 4000;
	tree_add(&s->tree, &s->p);
	tree_expect(opened, ARRAY_SIZE(opened));
	got = subject_read(s, 1099);
	subject_assert_measured(s);
	assert_false(got->is_new_image || got->is_renamed || got->has_cgroup);
	assert_int_equal(opened[0].count + opened[1].count + opened[2].count, 0);
	got = subject_read(s, 1100);
	assert_true(got->has_cgroup);
	assert_false(got->is_renamed);
	got = subject_read(s, 1199);
	assert_false(got->has_cgroup);
}

static void missing_lines_are_absent(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();
	const struct sample *got;

	(void)state;
	s->procfs.boot_realtime_ns = 0;
	tree_remove(&s->tree, "42/exe");
	tree_remove(&s->tree, "42/cgroup");
	got = subject_read(s, 1000);
	assert_int_equal(got->outcome, OUTCOME_MEASURED);
	assert_false(ROW_HAS(got, PROCESS_START_TIME));
	subject_assert_text(&s->reader.program, "bash");
	assert_true(got->has_cgroup);
	assert_int_equal(s->reader.cgroup.unit.len, 0);
}

/* With up to 65536 supplementary groups status does not fit into the first buffer. */
static void a_long_status_is_read_whole(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();
	AUTO_BUFFER struct buffer text = {0};

	(void)state;
	buffer_add_text(&text, "Name:\tbash\nState:\tS\nUid:\t1000\t1000\t1000\t1000\nGroups:\t");
	for (int i = 0; i < 65536; i++)
		buffer_printf(&text, "%d ", 1000000000 + i);
	buffer_add_text(&text, "\nVmSize:\t9 kB\nVmRSS:\t5000 kB\nVmPTE:\t64 kB\nVmSwap:\t10 kB\n");
	buffer_add_char(&text, '\0');
	assert_int_equal(text.error, 0);
	tree_write(&s->tree, "42/status", text.data);
	subject_read(s, 1000);
	subject_assert_measured(s);
}

static void process_without_memory_has_no_values(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();
	const struct sample *got;

	(void)state;
	s->p.rss_kib = 0;
	tree_add(&s->tree, &s->p);
	got = subject_read(s, 1000);
	assert_int_equal(got->outcome, OUTCOME_NO_MM);
	assert_false(got->is_member);
	assert_int_equal(got->present, 0);
	assert_false(s->process.known);
}

/* A process that becomes a zombie is forgotten; its former values are not shown. */
static void zombie_is_forgotten(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();
	const struct sample *got;

	(void)state;
	subject_read(s, 1000);
	assert_true(s->process.known);
	s->p.rss_kib = 0;
	s->p.state = 'Z';
	tree_add(&s->tree, &s->p);
	got = subject_read(s, 2000);
	assert_int_equal(got->outcome, OUTCOME_NO_MM);
	assert_int_equal(got->present, 0);
	assert_false(s->process.known);
}

static void falls_back_to_smaps(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();
	const struct sample *got;

	(void)state;
	tree_remove(&s->tree, "42/smaps_rollup");
	tree_add_smaps(&s->tree, &s->p);
	for (int pass = 0; pass < 3; pass++) {
		got = subject_read(s, 1000);
		assert_int_equal(got->outcome, OUTCOME_MEASURED);
		assert_int_equal(got->source, SOURCE_SMAPS);
		assert_int_equal(got->q[PROCESS_RSS], s->p.rss_kib * 1024);
		assert_int_equal(got->q[PROCESS_PSS], s->p.pss_kib * 1024);
		assert_int_equal(got->q[PROCESS_PSS_LOW], s->p.pss_kib * 1024);
		assert_int_equal(got->q[PROCESS_PSS_HIGH], (s->p.pss_kib + 1) * 1024);
		assert_int_equal(got->q[PROCESS_USS], s->p.uss_kib * 1024);
		assert_int_equal(got->is_new_image, pass == 0);
		assert_int_equal(s->reader.holds.times.count, pass + 1);
	}
}

/*
 * Kernels without smaps_rollup never print parts of the PSS. Rows lack them, but estimates may use
 * what mappings tell.
 */
static void smaps_gives_guessed_parts(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();
	const struct sample *got;

	(void)state;
	tree_remove(&s->tree, "42/smaps_rollup");
	tree_write(&s->tree, "42/smaps",
		"1000-2000 rw-p 00000000 00:00 0\nRss: 8 kB\nPss: 6 kB\nShared_Clean: 0 kB\n"
		"Shared_Dirty: 4 kB\nPrivate_Clean: 0 kB\nPrivate_Dirty: 4 kB\nAnonymous: 8 kB\n"
		"2000-3000 r--p 00000000 fe:01 7   /x\nRss: 8 kB\nPss: 1 kB\nShared_Clean: 8 kB\n"
		"Shared_Dirty: 0 kB\nPrivate_Clean: 0 kB\nPrivate_Dirty: 0 kB\nAnonymous: 0 kB\n");
	got = subject_read(s, 1000);
	assert_int_equal(got->outcome, OUTCOME_MEASURED);
	assert_int_equal(got->present & SAMPLE_PARTS, 0);
	assert_true(got->guesses_parts);
	assert_int_equal(got->q[PROCESS_PSS_ANON], 6 * 1024);
	assert_int_equal(got->q[PROCESS_PSS_FILE], 1024);
	assert_int_equal(got->q[PROCESS_PSS_SHMEM], 0);
	tree_add_smaps(&s->tree, &s->p); /* which lacks the Anonymous lines */
	got = subject_read(s, 2000);
	assert_int_equal(got->outcome, OUTCOME_MEASURED);
	assert_false(got->guesses_parts);
}

/* A walk that may have blocked the process is timed. One that cannot have is not. */
static void times_its_walks(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();

	(void)state;
	s->reader.holds.limit_ns = 1;
	subject_read(s, 1000);
	assert_int_equal(s->reader.holds.times.count, 1);
	assert_true(s->reader.holds.times.sum_ns > 0);
	assert_int_equal(s->reader.holds.above, 1);
	tree_write(&s->tree, "42/smaps_rollup", "");
	subject_read(s, 1001);
	tree_remove(&s->tree, "42/smaps_rollup");
	subject_read(s, 1002);
	assert_int_equal(s->reader.holds.times.count, 1);
}

/* The same image, with the directory opened anew each time. */
static void works_without_kept_descriptors(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();
	unsigned int before = unit_descriptors();

	(void)state;
	s->reader.kept_max = 0;
	for (int pass = 0; pass < 3; pass++) {
		assert_int_equal(subject_read(s, 1000)->is_new_image, pass == 0);
		subject_assert_measured(s);
		assert_int_equal(unit_descriptors(), before);
	}
}

/* A kept directory identifies its process without reading stat. */
static void kept_directory_identifies_the_process(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();

	(void)state;
	tree_remove(&s->tree, "42/stat");
	subject_read(s, 1000);
	assert_false(subject_read(s, 1001)->is_new_image);
	tree_remove(&s->tree, "42");
	tree_add(&s->tree, &s->p);
	tree_remove(&s->tree, "42/stat");
	assert_true(subject_read(s, 1002)->is_new_image);
	assert_int_equal(s->sample.outcome, OUTCOME_MEASURED);
}

static void replace_process(struct subject *s)
{
	tree_remove(&s->tree, "42");
	s->p.start_ticks += 1000;
	s->p.uid++;
	s->p.pss_kib++;
	tree_add(&s->tree, &s->p);
}

/* A reused pid belongs to another process, whether its directory was kept open or not. */
static void a_reused_pid_is_another_process(void **state)
{
	(void)state;
	for (size_t kept_max = 0; kept_max < 2; kept_max++) {
		AUTO_SUBJECT struct subject *s = subject_bash();

		s->reader.kept_max = kept_max;
		subject_read(s, 1000);
		assert_int_equal(s->reader.kept, kept_max);
		replace_process(s);
		assert_true(subject_read(s, 1001)->is_new_image);
		subject_assert_measured(s);
		assert_int_equal(s->reader.kept, kept_max);
	}
}

static void missing_process_is_gone(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();
	unsigned int before = unit_descriptors();
	const struct sample *got;

	(void)state;
	subject_read(s, 1000);
	assert_int_equal(unit_descriptors(), before + 1);
	tree_remove(&s->tree, "42");
	for (int pass = 0; pass < 2; pass++) {
		got = subject_read(s, 1001);
		assert_int_equal(got->outcome, OUTCOME_GONE);
		assert_false(got->is_member);
		assert_int_equal(unit_descriptors(), before);
	}
}

static void remove_process(void *to)
{
	struct subject *s = to;

	tree_remove(&s->tree, "42");
}

static void process_that_exits_halfway_is_gone(void **state)
{
	static const char *const files[] = {"42", "stat", "status"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		for (int known = 0; known < 2; known++) {
			AUTO_SUBJECT struct subject *s = subject_bash();
			struct tree_event event = {
				.suffix = files[i], .nth = 1, .call = remove_process, .to = s};
			unsigned int before = unit_descriptors();

			if (known)
				subject_read(s, 1000);
			tree_expect(&event, 1);
			subject_read(s, 1001);
			if (event.count) {
				assert_int_equal(s->sample.outcome, OUTCOME_GONE);
				assert_false(s->sample.is_member);
				assert_int_equal(s->reader.kept, 0);
				assert_int_equal(unit_descriptors(), before);
			}
		}
}

/* All but the walk. What a look finds, the next walk does not read again. */
static void refresh_does_not_walk(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();
	struct tree_event events[] = {{.suffix = "smaps_rollup"}, {.suffix = "cgroup"},
		{.suffix = "stat"}, {.suffix = "status"}};

	(void)state;
	tree_expect(events, ARRAY_SIZE(events));
	assert_int_equal(subject_look(s)->outcome, OUTCOME_MEASURED);
	assert_int_equal(s->sample.source, SOURCE_RSS);
	assert_true(s->sample.is_member && s->sample.is_new_image && s->sample.is_renamed);
	assert_true(s->sample.has_cgroup);
	assert_false(ROW_HAS(&s->sample, PROCESS_PSS));
	assert_int_equal(s->sample.q[PROCESS_RSS], s->p.rss_kib * 1024);
	assert_true(ROW_HAS(&s->sample, PROCESS_START_TIME));
	assert_int_equal(events[0].count, 0);
	assert_false(s->process.measured);

	subject_read(s, 1);
	subject_assert_measured(s);
	assert_int_equal(events[0].count, 1);
	assert_int_equal(events[1].count, 1);
	assert_false(s->sample.is_new_image || s->sample.is_renamed);
	assert_true(s->process.measured);

	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		events[i].count = 0;
	subject_look(s);
	assert_false(s->sample.is_new_image || s->sample.is_renamed);
	assert_true(s->process.measured); /* the measurement of the earlier walk stays */
	assert_int_equal(events[0].count, 0);
	assert_int_equal(events[2].count, 1);
	assert_int_equal(events[3].count, 1);
	subject_read(s, 1);
	subject_assert_measured(s);
	assert_int_equal(events[0].count, 1);
	assert_int_equal(events[2].count, 1);
}

/* If statm shows no change, only name and uid are read. */
static void short_refresh_reads_status_only(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();
	struct tree_event events[] = {{.suffix = "status"}, {.suffix = "stat"}};

	(void)state;
	subject_read(s, 1);
	tree_expect(events, ARRAY_SIZE(events));
	assert_int_equal(process_refresh(&s->reader, &s->process, 1, &s->sample), 0);
	assert_int_equal(events[0].count, 1);
	assert_int_equal(events[1].count, 0);
	assert_int_equal(s->sample.outcome, OUTCOME_MEASURED);
	assert_int_equal(s->sample.q[PROCESS_VM_SWAP], s->p.swap_kib * 1024);
	assert_false(ROW_HAS(&s->sample, PROCESS_PSS));

	s->p.name = "cat";
	s->p.image++;
	tree_add(&s->tree, &s->p);
	assert_int_equal(process_refresh(&s->reader, &s->process, 1, &s->sample), 0);
	assert_true(s->sample.is_new_image);
	tree_remove(&s->tree, "42");
	assert_int_equal(process_refresh(&s->reader, &s->process, 1, &s->sample), 0);
	assert_int_equal(s->sample.outcome, OUTCOME_GONE);
}

static void refresh_finds_exited_processes(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();

	(void)state;
	subject_read(s, 1);
	replace_process(s);
	assert_true(subject_look(s)->is_new_image);
	assert_int_equal(s->sample.outcome, OUTCOME_MEASURED);
	tree_remove(&s->tree, "42");
	assert_int_equal(subject_look(s)->outcome, OUTCOME_GONE);
	assert_false(s->sample.is_member);
}

static void program_name_is_updated_when_readable(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();
	struct tree_event event = {.suffix = "smaps_rollup", .error = EACCES};

	(void)state;
	tree_expect(&event, 1);
	subject_read(s, 1000);
	assert_false(subject_read(s, 1001)->is_renamed);
	tree_expect(NULL, 0);
	assert_true(subject_read(s, 1002)->is_renamed);
	assert_false(s->sample.is_new_image);
	assert_false(subject_read(s, 1003)->is_renamed);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_process_completely),
		cmocka_unit_test(reads_less_the_second_time),
		cmocka_unit_test(missing_lines_are_absent),
		cmocka_unit_test(a_long_status_is_read_whole),
		cmocka_unit_test(process_without_memory_has_no_values),
		cmocka_unit_test(zombie_is_forgotten),
		cmocka_unit_test(falls_back_to_smaps),
		cmocka_unit_test(smaps_gives_guessed_parts),
		cmocka_unit_test(times_its_walks),
		cmocka_unit_test(works_without_kept_descriptors),
		cmocka_unit_test(kept_directory_identifies_the_process),
		cmocka_unit_test(a_reused_pid_is_another_process),
		cmocka_unit_test(missing_process_is_gone),
		cmocka_unit_test(process_that_exits_halfway_is_gone),
		cmocka_unit_test(refresh_does_not_walk),
		cmocka_unit_test(short_refresh_reads_status_only),
		cmocka_unit_test(refresh_finds_exited_processes),
		cmocka_unit_test(program_name_is_updated_when_readable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
