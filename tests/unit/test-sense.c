/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "collectors/sense.h"
#include "tests/unit/tree.h"

/* A tree with one process, and a reader of it. */
struct scene {
	struct tree tree;
	struct procfs procfs;
	struct process_reader reader;
	struct process process;
	struct tree_process p;
	struct sample sample;
};

static struct scene *scene_new(size_t kept_max)
{
	struct scene *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	tree_expect(NULL, 0);
	tree_open(&s->tree);
	s->procfs = (struct procfs){.fd = s->tree.fd, .ns_per_tick = 10000000};
	s->reader.procfs = &s->procfs;
	s->reader.kept_max = kept_max;
	s->p = (struct tree_process){.pid = 42,
		.name = "bash",
		.start_ticks = 500,
		.image = 7,
		.rss_kib = 5000,
		.pss_kib = 3000,
		.uss_kib = 2000};
	tree_add(&s->tree, &s->p);
	tree_write(&s->tree, "42/statm", "3750 1250 870 250 0 980 0\n");
	process_init(&s->process, 42);
	sense_begin(&s->reader, 1);
	assert_int_equal(process_read(&s->reader, &s->process, 1, &s->sample), 0);
	assert_int_equal(s->sample.outcome, OUTCOME_MEASURED);
	return s;
}

static void scene_done(struct scene **s_)
{
	struct scene *s = *s_;

	tree_expect(NULL, 0);
	process_done(&s->process);
	process_reader_done(&s->reader);
	tree_done(&s->tree);
	free(s);
}
#define AUTO_SCENE CLEANUP(scene_done)

static int sense(struct scene *s, struct statm *ret)
{
	return sense_read(&s->reader, &s->process, ret);
}

static void keeps_its_descriptor(void **state)
{
	AUTO_SCENE struct scene *s = scene_new(10);
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
	assert_int_equal(s->reader.kept_statm, 1);
	tree_write(&s->tree, "42/statm", "3750 1251 870 250 0 980 0\n");
	assert_int_equal(sense(s, &m), 0);
	assert_int_equal(m.resident, 1251);
	process_release(&s->reader, &s->process);
	assert_int_equal(s->reader.kept_statm, 0);
	assert_int_equal(s->reader.kept, 0);
}

/* Of two descriptors each is a statm's where there are two processes; the second finds a directory in its place. */
static void comes_before_directories(void **state)
{
	AUTO_SCENE struct scene *s = scene_new(2);
	struct tree_event opened = {.suffix = "42"};
	struct statm m;

	(void)state;
	assert_int_equal(s->reader.kept, 1);
	s->reader.kept_statm = 1; /* of another process */
	sense_begin(&s->reader, 2);
	assert_int_equal(sense(s, &m), 0);
	assert_int_equal(s->reader.kept, 0);
	assert_int_equal(s->process.dirfd, -1);
	assert_int_equal(s->reader.kept_statm, 2);
	tree_expect(&opened, 1);
	assert_int_equal(sense(s, &m), 0);
	assert_int_equal(opened.count, 0);
	/* What is read below its directory finds that, and keeps none. */
	assert_int_equal(process_read(&s->reader, &s->process, 2, &s->sample), 0);
	assert_int_equal(s->sample.outcome, OUTCOME_MEASURED);
	assert_false(s->sample.is_new_image);
	assert_int_equal(opened.count, 1);
	assert_int_equal(s->reader.kept, 0);
	/* Nor while the statm are still to come. */
	s->reader.kept_statm = 1;
	assert_int_equal(process_read(&s->reader, &s->process, 2, &s->sample), 0);
	assert_int_equal(s->reader.kept, 0);
	/* There is room again. */
	s->reader.kept_statm = 1;
	sense_begin(&s->reader, 1);
	assert_int_equal(process_read(&s->reader, &s->process, 2, &s->sample), 0);
	assert_int_equal(s->reader.kept, 1);
}

/* The room that was kept for statm is less than there are: what is too much is given back. */
static void gives_back_what_is_too_much(void **state)
{
	AUTO_SCENE struct scene *s = scene_new(4);
	struct statm m;

	(void)state;
	assert_int_equal(sense(s, &m), 0);
	assert_int_equal(s->reader.kept_statm, 1);
	s->reader.kept_statm = 3; /* those of others */
	sense_begin(&s->reader, 2);
	assert_int_equal(s->reader.statm_max, 2);
	assert_int_equal(sense(s, &m), 0);
	assert_int_equal(s->process.statm_fd, -1);
	assert_int_equal(s->reader.kept_statm, 2);
	assert_int_equal(s->reader.kept, 1);
}

/* Without a kept directory the pid may be another's by now, which its start time tells. */
static void checks_whose_it_is(void **state)
{
	AUTO_SCENE struct scene *s = scene_new(0);
	struct statm m;

	(void)state;
	assert_int_equal(s->process.dirfd, -1);
	assert_int_equal(sense(s, &m), 0);
	assert_int_equal(m.resident, 1250);
	assert_int_equal(s->process.statm_fd, -1);
	s->p.start_ticks++;
	tree_add(&s->tree, &s->p);
	assert_int_equal(sense(s, &m), SENSE_GONE);
	tree_remove(&s->tree, "42");
	assert_int_equal(sense(s, &m), SENSE_GONE);
}

static void says_what_it_can_not(void **state)
{
	static const struct {
		int error, result;
	} cases[] = {{ESRCH, SENSE_GONE}, {ENOENT, SENSE_UNKNOWN}, {EACCES, SENSE_UNKNOWN},
		{EMFILE, -EMFILE}, {ENFILE, -ENFILE}, {ENOMEM, -ENOMEM}};
	AUTO_SCENE struct scene *s = scene_new(10);
	struct statm m;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tree_event event = {.suffix = "statm", .error = cases[i].error};

		tree_expect(&event, 1);
		assert_int_equal(sense(s, &m), cases[i].result);
	}
	tree_expect(NULL, 0);
	tree_write(&s->tree, "42/statm", "x\n");
	assert_int_equal(sense(s, &m), SENSE_UNKNOWN);
	assert_int_equal(s->reader.kept_statm, 0);
	tree_write(&s->tree, "42/statm", "0 0 0 0 0 0 0\n");
	assert_int_equal(sense(s, &m), 0);
	tree_write(&s->tree, "42/statm", "");
	assert_int_equal(sense(s, &m), SENSE_UNKNOWN);
	assert_int_equal(s->reader.kept_statm, 0);
}

/* The kernel's own: a kept descriptor never shows another process. */
static void notices_an_end(void **state)
{
	struct procfs procfs = {.fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
	struct process_reader reader = {.procfs = &procfs, .kept_max = 10};
	struct process p;
	struct sample sample;
	struct statm m;
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		pause();
		_exit(0);
	}
	procfs.live = true;
	process_init(&p, pid);
	sense_begin(&reader, 1);
	assert_int_equal(process_look(&reader, &p, 1, &sample), 0);
	assert_int_equal(sample.outcome, OUTCOME_MEASURED);
	assert_int_equal(p.stat.parent, getpid());
	assert_int_equal(sense_read(&reader, &p, &m), 0);
	assert_true(m.resident > 0);
	assert_true(p.statm_fd >= 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(sense_read(&reader, &p, &m), SENSE_GONE);
	assert_int_equal(p.statm_fd, -1);
	assert_int_equal(reader.kept_statm, 0);
	process_release(&reader, &p);
	process_reader_done(&reader);
	close(procfs.fd);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_its_descriptor),
		cmocka_unit_test(comes_before_directories),
		cmocka_unit_test(gives_back_what_is_too_much),
		cmocka_unit_test(checks_whose_it_is),
		cmocka_unit_test(says_what_it_can_not),
		cmocka_unit_test(notices_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
