/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/process/process.h: a leader that has exited while another thread lives. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "collectors/process/process.h"
#include "tests/unit/support/tree/subject.h"
#include "tests/unit/support/tree/tree.h"

/* The thread group leader has exited and a thread lives: memory is read through the thread. */
static void a_dead_leader_is_read_through_a_thread(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();
	struct tree_process thread = s->p;

	(void)state;
	thread.pid = 44;
	thread.name = "a thread";
	thread.uid = 99; /* by the raw system call, which sets it for this thread only */
	s->p.state = 'Z';
	s->p.threads = 2;
	s->p.rss_kib = 0;
	tree_add(&s->tree, &s->p);
	tree_add_at(&s->tree, "42/task/42", &s->p);
	tree_write(&s->tree, "42/task/43/status", "Name:\tx\nState:\tX (dead)\nUid:\t0\t0\t0\t0\n");
	tree_add_at(&s->tree, "42/task/44", &thread);
	s->p.rss_kib = 5000;
	for (int pass = 0; pass < 2; pass++) {
		subject_read(s, 1000);
		subject_assert_measured(s);
		assert_int_equal(s->process.tid, 44);
		subject_assert_text(
			/* the process's name, not that of the thread */
			&s->reader.program, "bash");
	}
	/* Unreadable threads must not hide the memory: the process still counts. */
	tree_remove(&s->tree, "42/task/44");
	subject_read(s, 1000);
	assert_int_equal(s->sample.outcome, OUTCOME_CHANGING);
	assert_int_equal(s->sample.source, SOURCE_NONE);
	assert_true(s->sample.is_member);
	s->p.threads = 1; /* and the last thread has exited */
	s->p.rss_kib = 0;
	tree_add(&s->tree, &s->p);
	subject_read(s, 1000);
	assert_int_equal(s->sample.outcome, OUTCOME_NO_MM);
	assert_false(s->process.known);
}

/* Kernel threads and plain zombies must not get memory from entries of their task directory. */
static void only_dead_leaders_are_read_through_threads(void **state)
{
	static const struct {
		char state;
		unsigned int threads;
	} cases[] = {{'S', 2}, {'Z', 1}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_SUBJECT struct subject *s = subject_bash();

		tree_add_at(&s->tree, "42/task/44", &s->p);
		s->p.rss_kib = 0;
		s->p.state = cases[i].state;
		s->p.threads = cases[i].threads;
		tree_add(&s->tree, &s->p);
		assert_int_equal(subject_read(s, 1000)->outcome, OUTCOME_NO_MM);
		assert_int_equal(s->process.tid, 0);
	}
}

/* Process 42: its leader has exited, and thread TID shows the memory. */
static void add_dead_leader(struct subject *s, pid_t tid)
{
	struct tree_process leader = s->p, thread = s->p;
	char path[32];

	leader.state = 'Z';
	leader.threads = 2;
	leader.rss_kib = 0;
	thread.pid = tid;
	tree_add(&s->tree, &leader);
	tree_add_at(&s->tree, "42/task/42", &leader);
	snprintf(path, sizeof(path), "42/task/%d", tid);
	tree_add_at(&s->tree, path, &thread);
}

/* stat of a dead leader has no start of code and stack any more; that of the thread has. */
static void a_dead_leader_has_the_place_of_its_thread(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();

	(void)state;
	add_dead_leader(s, 44);
	tree_write(&s->tree, "42/stat",
		"42 (bash) Z 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 42 23 24 25 0 27 0 29\n");
	subject_read(s, 1000);
	assert_int_equal(s->process.stat.start_ticks, 42);
	assert_int_equal(s->process.stat.start_code, s->p.image);
	assert_int_equal(s->process.stat.start_stack, 28);
}

/* Only the leader's stat has the faults of the process: reading another file would cost as much. */
static void faults_of_a_dead_leader_take_one_read(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();
	struct tree_event event = {.suffix = "task/44/stat", .error = EMFILE};
	uint64_t faults;

	(void)state;
	add_dead_leader(s, 44);
	subject_read(s, 1000);
	tree_expect(&event, 1);
	assert_int_equal(process_faults(&s->reader, &s->process, &faults), 0);
	tree_expect(NULL, 0);
	assert_int_equal(event.count, 0);
}

static void lack_of_descriptors_hides_no_thread(void **state)
{
	static const char *const files[] = {"task", "task/44/status", "task/44/stat"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		AUTO_SUBJECT struct subject *s = subject_bash();
		struct tree_event event = {.suffix = files[i], .error = EMFILE};

		add_dead_leader(s, 44);
		subject_read(s, 1000);
		subject_assert_measured(s);
		s->process.growth.has_hwm = true;
		s->process.tid = i == 0 ? 0 : 44; /* the known thread is tried first */
		if (i == 2) { /* stat is read of a process that may be a new image */
			s->p.name = "worker";
			add_dead_leader(s, 44);
		}
		tree_expect(&event, 1);
		subject_read(s, 1001);
		subject_assert_unread(s);
		tree_expect(NULL, 0);
		assert_false(subject_read(s, 1002)->is_new_image);
		subject_assert_measured(s);
		assert_true(s->process.growth.has_hwm);
	}
}

static void replace_thread(void *to)
{
	struct subject *s = to;

	tree_remove(&s->tree, "42/task/44");
	add_dead_leader(s, 45);
}

/* The thread that showed the memory exits between two reads. Another one shows it too. */
static void a_thread_that_ends_is_replaced(void **state)
{
	(void)state;
	for (int known = 0; known < 2; known++) {
		AUTO_SUBJECT struct subject *s = subject_bash();
		struct tree_event event = {.suffix = "task/44/smaps_rollup",
			.nth = 1,
			.call = replace_thread,
			.to = s};

		add_dead_leader(s, 44);
		if (known)
			subject_read(s, 1000);
		tree_expect(&event, 1);
		assert_int_equal(subject_read(s, 1001)->is_new_image, !known);
		assert_int_equal(event.count, 1);
		subject_assert_measured(s);
		assert_int_equal(s->process.tid, 45);
	}
}

/* Files that only the thread has, below a directory that is kept open, or opened and closed. */
static void opens_files_of_the_thread_that_lives(void **state)
{
	(void)state;
	for (size_t kept = 0; kept < 2; kept++) {
		AUTO_SUBJECT struct subject *s = subject_bash();
		unsigned int descriptors;

		s->reader.kept_max = kept;
		add_dead_leader(s, 44);
		tree_write(&s->tree, "42/task/44/maps", "");
		subject_read(s, 1000);
		descriptors = unit_descriptors();
		for (int i = 0; i < 2; i++) {
			int fd = process_open(&s->reader, &s->process, "maps");

			assert_true(fd >= 0);
			assert_int_equal(unit_descriptors(), descriptors + 1);
			close(fd);
			assert_int_equal(process_open(&s->reader, &s->process, "none"), -ENOENT);
		}
		assert_int_equal(unit_descriptors(), descriptors);
		subject_read(s, 1001);
		subject_assert_measured(s);
		tree_remove(&s->tree, "42");
		assert_int_equal(process_open(&s->reader, &s->process, "maps"),
			kept ? -ENOENT : -ESRCH); /* in /proc -ESRCH in both cases */
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dead_leader_is_read_through_a_thread),
		cmocka_unit_test(only_dead_leaders_are_read_through_threads),
		cmocka_unit_test(a_dead_leader_has_the_place_of_its_thread),
		cmocka_unit_test(faults_of_a_dead_leader_take_one_read),
		cmocka_unit_test(lack_of_descriptors_hides_no_thread),
		cmocka_unit_test(a_thread_that_ends_is_replaced),
		cmocka_unit_test(opens_files_of_the_thread_that_lives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
