/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/process/statm-poll.h: polling statm through kept descriptors. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "collectors/process/statm-poll.h"
#include "tests/unit/support/tree/subject.h"
#include "tests/unit/support/tree/tree.h"

/* Wrapped pread(): maximum bytes (0: no limit), and the number of the call that fails. */
static struct {
	size_t most;
	unsigned int fail, calls;
	int error;
} reads;

ssize_t __real_pread(int fd, void *to, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *to, size_t size, off_t at);

ssize_t __wrap_pread(int fd, void *to, size_t size, off_t at)
{
	if (++reads.calls == reads.fail) {
		errno = reads.error;
		return -1;
	}
	return __real_pread(fd, to, reads.most && reads.most < size ? reads.most : size, at);
}

/* The process was measured once. */
static struct subject *subject_of_bash(size_t kept_max)
{
	static const struct tree_process bash = {.pid = 42,
		.name = "bash",
		.start_ticks = 500,
		.image = 7,
		.rss_kib = 5000,
		.pss_kib = 3000,
		.uss_kib = 2000};
	struct subject *s = subject_new(&bash);

	s->reader.kept_max = kept_max;
	tree_write(&s->tree, "42/statm", "3750 1250 870 250 0 980 0\n");
	statm_poll_begin(&s->reader, 1);
	assert_int_equal(process_read(&s->reader, &s->process, 1, &s->sample), 0);
	assert_int_equal(s->sample.outcome, OUTCOME_MEASURED);
	return s;
}

static int sense(struct subject *s, struct statm *ret)
{
	return statm_poll_read(&s->reader, &s->process, ret);
}

static void keeps_its_descriptor(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_of_bash(10);
	struct tree_event opened = {.suffix = "statm"};
	struct statm m;

	(void)state;
	tree_expect(&opened, 1);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(sense(s, &m), 0);
		assert_int_equal(m.resident, 1250);
		assert_int_equal(m.shared, 870);
	}
	assert_int_equal(opened.count, 1);
	assert_int_equal(s->reader.kept_files, 1);
	tree_write(&s->tree, "42/statm", "3750 1251 870 250 0 980 0\n");
	assert_int_equal(sense(s, &m), 0);
	assert_int_equal(m.resident, 1251);
	process_release(&s->reader, &s->process);
	assert_int_equal(s->reader.kept_files, 0);
	assert_int_equal(s->reader.kept, 0);
}

/*
 * Of two descriptors one is used for statm if there are two processes. The second statm takes the
 * place of a directory.
 */
static void statm_has_priority_over_directories(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_of_bash(2);
	struct tree_event opened = {.suffix = "42"};
	struct statm m;

	(void)state;
	assert_int_equal(s->reader.kept, 1);
	s->reader.kept_files = 1; /* of another process */
	statm_poll_begin(&s->reader, 2);
	assert_int_equal(sense(s, &m), 0);
	assert_int_equal(s->reader.kept, 0);
	assert_int_equal(s->process.dirfd, -1);
	assert_int_equal(s->reader.kept_files, 2);
	tree_expect(&opened, 1);
	assert_int_equal(sense(s, &m), 0);
	assert_int_equal(opened.count, 0);
	/*
	 * Reads below its directory use the kept descriptor if there is one, and keep none
	 * otherwise.
	 */
	assert_int_equal(process_read(&s->reader, &s->process, 2, &s->sample), 0);
	assert_int_equal(s->sample.outcome, OUTCOME_MEASURED);
	assert_false(s->sample.is_new_image);
	assert_int_equal(opened.count, 1);
	assert_int_equal(s->reader.kept, 0);
	/* Nor while room is reserved for further statm files. */
	s->reader.kept_files = 1;
	assert_int_equal(process_read(&s->reader, &s->process, 2, &s->sample), 0);
	assert_int_equal(s->reader.kept, 0);
	/* There is room again. */
	s->reader.kept_files = 1;
	statm_poll_begin(&s->reader, 1);
	assert_int_equal(process_read(&s->reader, &s->process, 2, &s->sample), 0);
	assert_int_equal(s->reader.kept, 1);
}

/* If more descriptors are kept than there is room for, the surplus is closed. */
static void closes_surplus_descriptors(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_of_bash(4);
	struct statm m;

	(void)state;
	assert_int_equal(sense(s, &m), 0);
	assert_int_equal(s->reader.kept_files, 1);
	s->reader.kept_files = 3; /* those of others */
	statm_poll_begin(&s->reader, 2);
	assert_int_equal(s->reader.files_max, 2);
	assert_int_equal(sense(s, &m), 0);
	assert_int_equal(s->process.file_fd, -1);
	assert_int_equal(s->reader.kept_files, 2);
	assert_int_equal(s->reader.kept, 1);
}

/* Without a kept directory the pid may have been reused; the start time tells. */
static void detects_a_reused_pid(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_of_bash(0);
	struct statm m;

	(void)state;
	assert_int_equal(s->process.dirfd, -1);
	assert_int_equal(sense(s, &m), 0);
	assert_int_equal(m.resident, 1250);
	assert_int_equal(s->process.file_fd, -1);
	s->p.start_ticks++;
	tree_add(&s->tree, &s->p);
	assert_int_equal(sense(s, &m), STATM_POLL_GONE);
	tree_remove(&s->tree, "42");
	assert_int_equal(sense(s, &m), STATM_POLL_GONE);
}

static void returns_errors(void **state)
{
	static const struct {
		int error, result;
	} cases[] = {{ESRCH, STATM_POLL_GONE}, {ENOENT, STATM_POLL_UNKNOWN},
		{EACCES, STATM_POLL_UNKNOWN}, {EMFILE, -EMFILE}, {ENFILE, -ENFILE},
		{ENOMEM, -ENOMEM}};
	AUTO_SUBJECT struct subject *s = subject_of_bash(10);
	struct statm m;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tree_event event = {.suffix = "statm", .error = cases[i].error};

		tree_expect(&event, 1);
		assert_int_equal(sense(s, &m), cases[i].result);
	}
	tree_expect(NULL, 0);
	tree_write(&s->tree, "42/statm", "x\n");
	assert_int_equal(sense(s, &m), STATM_POLL_UNKNOWN);
	assert_int_equal(s->reader.kept_files, 0);
	tree_write(&s->tree, "42/statm", "0 0 0 0 0 0 0\n");
	assert_int_equal(sense(s, &m), 0);
	tree_write(&s->tree, "42/statm", "");
	assert_int_equal(sense(s, &m), STATM_POLL_UNKNOWN);
	assert_int_equal(s->reader.kept_files, 0);
}

static void reads_its_line_in_any_pieces(void **state)
{
	static const size_t most[] = {0, 1, 2, 7, 26};
	AUTO_SUBJECT struct subject *s = subject_of_bash(10);
	struct statm m;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(most); i++) {
		memset(&reads, 0, sizeof(reads));
		reads.most = most[i];
		assert_int_equal(sense(s, &m), 0);
		assert_int_equal(m.size, 3750);
		assert_int_equal(m.resident, 1250);
		assert_int_equal(m.shared, 870);
		if (!most[i])
			assert_int_equal(reads.calls, 1);
		reads.fail = reads.calls;
		reads.calls = 0;
		reads.error = EINTR;
		assert_int_equal(sense(s, &m), 0);
		assert_int_equal(m.shared, 870);
		reads.calls = 0;
		reads.error = EIO;
		assert_int_equal(sense(s, &m), STATM_POLL_UNKNOWN);
	}
	memset(&reads, 0, sizeof(reads));
}

/* With the real /proc: a kept descriptor never shows another process. */
static void detects_an_exit(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_live();
	const struct process *p = &s->process;
	struct statm m;

	(void)state;
	statm_poll_begin(&s->reader, 1);
	assert_int_equal(process_look(&s->reader, &s->process, 1, &s->sample), 0);
	assert_int_equal(s->sample.outcome, OUTCOME_MEASURED);
	assert_int_equal(p->stat.parent, getpid());
	assert_int_equal(sense(s, &m), 0);
	assert_true(m.resident > 0);
	assert_true(p->file_fd >= 0);
	subject_kill(s);
	assert_int_equal(sense(s, &m), STATM_POLL_GONE);
	assert_int_equal(p->file_fd, -1);
	assert_int_equal(s->reader.kept_files, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_its_descriptor),
		cmocka_unit_test(statm_has_priority_over_directories),
		cmocka_unit_test(closes_surplus_descriptors),
		cmocka_unit_test(detects_a_reused_pid),
		cmocka_unit_test(returns_errors),
		cmocka_unit_test(reads_its_line_in_any_pieces),
		cmocka_unit_test(detects_an_exit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
