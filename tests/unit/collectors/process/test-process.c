/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/process/process.h: reading one process, with wrapped opens and reads. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <sys/stat.h>

#include "base/clock.h"
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

static void assert_unread(const struct subject *s)
{
	const struct sample *got = &s->sample;

	assert_int_equal(got->outcome, OUTCOME_ERROR);
	assert_int_equal(got->source, SOURCE_NONE);
	assert_true(got->is_member);
	assert_int_equal(got->uid, s->p.uid);
	assert_int_equal(got->present, 0);
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
		assert_unread(s);
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
		assert_unread(s);
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

/* An unreadable cgroup file does not change the unit. */
static void keeps_the_unit_if_cgroup_cannot_be_read(void **state)
{
	static const int errors[] = {EMFILE, ENFILE, ESRCH, EIO};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		AUTO_SUBJECT struct subject *s = subject_bash();
		struct tree_event event = {.suffix = "cgroup", .error = errors[i]};

		subject_read(s, 1000);
		tree_expect(&event, 1);
		assert_false(subject_read(s, 1100)->has_cgroup);
		subject_assert_measured(s);
		assert_int_equal(event.count, 1);
		tree_expect(NULL, 0);
		assert_true(subject_read(s, 1101)->has_cgroup);
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

static void a_cgroup_may_be_read_alone(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();

	(void)state;
	subject_read(s, 1);
	s->p.cgroup = "/system.slice/y.service";
	tree_add(&s->tree, &s->p);
	assert_int_equal(process_read_cgroup(&s->reader, &s->process, 7, &s->sample), 0);
	assert_true(s->sample.has_cgroup && s->sample.is_member);
	assert_int_equal(s->sample.uid, s->p.uid);
	assert_memory_equal(s->reader.cgroup.unit.text, "y.service", 9);
	assert_int_equal(s->process.cgroup_ns, 7);
}

/* However long the process has been in its cgroup, it may be moved. */
static void cgroup_is_read_again_periodically(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();
	uint64_t now_ns = 100000, last_ns = 0;
	unsigned int reads = 0;

	(void)state;
	s->reader.cgroup_max_age_ns = 100;
	for (unsigned int i = 0; i < 10000; i++)
		if (subject_read(s, ++now_ns)->has_cgroup) {
			assert_true(!last_ns || now_ns - last_ns <= 100);
			last_ns = now_ns;
			reads++;
		}
	assert_in_range(reads, 100, 102);
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

static void write_ids(struct subject *s, unsigned int rgid, unsigned int gid)
{
	AUTO_BUFFER struct buffer text = {0};

	buffer_printf(&text,
		"Name:\tbash\nState:\tS\nUid:\t1000\t1001\t0\t0\nGid:\t%u\t%u\t0\t0\nVmSize:\t8000 kB\n"
		"VmRSS:\t5000 kB\nThreads:\t1\n",
		rgid, gid);
	buffer_add_char(&text, '\0');
	assert_int_equal(text.error, 0);
	tree_write(&s->tree, "42/status", text.data);
}

static void assert_counted(const struct sample *got, uint32_t user, uint32_t group)
{
	assert_int_equal(got->uid, 1001); /* whichever user it is counted for */
	assert_int_equal(got->user, user);
	assert_int_equal(got->group, group);
}

/* By effective uid, by real uid, or by login uid. */
static void counts_for_the_configured_user(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();

	(void)state;
	write_ids(s, 2000, 2001);
	assert_counted(subject_read(s, 1000), 1001, 2001);
	s->reader.user_by = ACCOUNTING_REAL;
	assert_counted(subject_read(s, 1000), 1000, 2000);
	write_ids(s, 3000, 3001);
	assert_counted(subject_read(s, 1000), 1000, 3000);
	s->reader.user_by = ACCOUNTING_EFFECTIVE;
	assert_counted(subject_read(s, 1000), 1001, 3001);
}

static void reads_the_login_uid(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();

	(void)state;
	s->reader.user_by = ACCOUNTING_LOGIN;
	write_ids(s, 2000, 2001);
	tree_write(&s->tree, "42/loginuid", "77");
	assert_counted(subject_read(s, 1000), 77, 2001);
	/* loginuid is read together with the cgroup, which is not due. */
	tree_write(&s->tree, "42/loginuid", "78");
	assert_counted(subject_read(s, 1000), 77, 2001);
	s->process.cgroup_ns = 0;
	assert_counted(subject_read(s, UINT64_MAX / 2), 78, 2001);
	/*
	 * A malformed loginuid changes nothing. Without a login, or without audit, it is
	 * OWNER_NO_ID.
	 */
	tree_write(&s->tree, "42/loginuid", "x");
	s->process.cgroup_ns = 0;
	assert_counted(subject_read(s, UINT64_MAX / 2), 78, 2001);
	tree_write(&s->tree, "42/loginuid", "4294967295");
	s->process.cgroup_ns = 0;
	assert_counted(subject_read(s, UINT64_MAX / 2), OWNER_NO_ID, 2001);
	tree_write(&s->tree, "42/loginuid", "5");
	s->process.cgroup_ns = 0;
	assert_counted(subject_read(s, UINT64_MAX / 2), 5, 2001);
	assert_int_equal(unlinkat(s->tree.fd, "42/loginuid", 0), 0);
	s->process.cgroup_ns = 0;
	assert_counted(subject_read(s, UINT64_MAX / 2), OWNER_NO_ID, 2001);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_process_completely),
		cmocka_unit_test(refresh_does_not_walk),
		cmocka_unit_test(short_refresh_reads_status_only),
		cmocka_unit_test(refresh_finds_exited_processes),
		cmocka_unit_test(a_cgroup_may_be_read_alone),
		cmocka_unit_test(reads_less_the_second_time),
		cmocka_unit_test(process_without_memory_has_no_values),
		cmocka_unit_test(zombie_is_forgotten),
		cmocka_unit_test(falls_back_to_smaps),
		cmocka_unit_test(smaps_gives_guessed_parts),
		cmocka_unit_test(times_its_walks),
		cmocka_unit_test(refuses_bad_smaps),
		cmocka_unit_test(continues_after_a_signal),
		cmocka_unit_test(says_why_there_is_no_pss),
		cmocka_unit_test(only_dead_leaders_are_read_through_threads),
		cmocka_unit_test(lacking_both_files_is_an_error),
		cmocka_unit_test(a_malformed_rollup_is_no_measurement),
		cmocka_unit_test(malformed_status_keeps_the_owner),
		cmocka_unit_test(an_empty_rollup_is_no_measurement),
		cmocka_unit_test(a_reused_pid_is_another_process),
		cmocka_unit_test(works_without_kept_descriptors),
		cmocka_unit_test(missing_process_is_gone),
		cmocka_unit_test(process_that_exits_halfway_is_gone),
		cmocka_unit_test(a_dead_leader_is_read_through_a_thread),
		cmocka_unit_test(a_dead_leader_has_the_place_of_its_thread),
		cmocka_unit_test(faults_of_a_dead_leader_take_one_read),
		cmocka_unit_test(a_long_status_is_read_whole),
		cmocka_unit_test(missing_lines_are_absent),
		cmocka_unit_test(recovers_from_each_failed_allocation),
		cmocka_unit_test(reports_a_new_image_again_after_a_failure),
		cmocka_unit_test(lack_of_descriptors_keeps_known_processes),
		cmocka_unit_test(lack_of_descriptors_adds_no_process),
		cmocka_unit_test(lack_of_descriptors_hides_no_thread),
		cmocka_unit_test(a_thread_that_ends_is_replaced),
		cmocka_unit_test(opens_files_of_the_thread_that_lives),
		cmocka_unit_test(keeps_the_unit_if_cgroup_cannot_be_read),
		cmocka_unit_test(kept_directory_identifies_the_process),
		cmocka_unit_test(cgroup_is_read_again_periodically),
		cmocka_unit_test(program_name_is_updated_when_readable),
		cmocka_unit_test(counts_for_the_configured_user),
		cmocka_unit_test(reads_the_login_uid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
