/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/tree/subject.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/os/file.h"

static struct subject *allocate(void)
{
	struct subject *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	tree_expect(NULL, 0);
	s->reader.procfs = &s->procfs;
	s->reader.kept_max = 10;
	return s;
}

struct subject *subject_new(const struct tree_process *p)
{
	struct subject *s = allocate();

	tree_open(&s->tree);
	s->procfs = (struct procfs){.fd = s->tree.fd, .ns_per_tick = 10000000};
	s->p = *p;
	tree_add(&s->tree, &s->p);
	process_init(&s->process, p->pid);
	return s;
}

static void execute(int number)
{
	(void)number;
	execl("/bin/sleep", "sleep", "600", (char *)NULL);
	_exit(1);
}

struct subject *subject_live(void)
{
	struct subject *s = allocate();

	s->procfs = (struct procfs){
		.live = true, .fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
	/* set before fork(), so that the child has the handler from its start */
	signal(SIGUSR1, execute);
	s->child = fork();
	while (s->child == 0)
		pause();
	signal(SIGUSR1, SIG_DFL);
	assert_true(s->procfs.fd >= 0 && s->child > 0);
	process_init(&s->process, s->child);
	return s;
}

void subject_execute(struct subject *s)
{
	char path[32], name[32] = "";
	size_t len = 0;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)s->child);
	kill(s->child, SIGUSR1);
	for (int i = 0; i < 10000 && strncmp(name, "sleep\n", 6) != 0; i++) {
		usleep(1000);
		assert_int_equal(file_read(AT_FDCWD, path, name, sizeof(name), &len), 0);
	}
	assert_int_equal(strncmp(name, "sleep\n", 6), 0);
}

void subject_end(struct subject *s)
{
	siginfo_t info;

	kill(s->child, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)s->child, &info, WEXITED | WNOWAIT), 0);
}

void subject_kill(struct subject *s)
{
	kill(s->child, SIGKILL);
	waitpid(s->child, NULL, 0);
	s->child = 0;
}

void subject_done(struct subject **s_)
{
	struct subject *s = *s_;

	tree_expect(NULL, 0);
	process_release(&s->reader, &s->process);
	process_reader_done(&s->reader);
	if (s->child)
		subject_kill(s);
	if (s->procfs.live)
		close(s->procfs.fd);
	else
		tree_done(&s->tree);
	free(s);
}

struct subject *subject_bash(void)
{
	static const struct tree_process bash = {.pid = 42,
		.name = "bash",
		.uid = 1000,
		.start_ticks = 500,
		.image = 7,
		.rss_kib = 5000,
		.pss_kib = 3000,
		.uss_kib = 2000,
		.swap_kib = 10,
		.exe = "/usr/bin/bash",
		.cgroup = "/system.slice/x.service"};
	struct subject *s = subject_new(&bash);

	s->procfs.boot_realtime_ns = SUBJECT_BOOT_NS;
	s->reader.cgroup_max_age_ns = 100;
	return s;
}

const struct sample *subject_read(struct subject *s, uint64_t now_ns)
{
	memset(&s->sample, 0xff, sizeof(s->sample));
	assert_int_equal(process_read(&s->reader, &s->process, now_ns, &s->sample), 0);
	assert_int_equal(s->reader.kept, s->process.dirfd >= 0);
	return &s->sample;
}

const struct sample *subject_look(struct subject *s)
{
	memset(&s->sample, 0xff, sizeof(s->sample));
	assert_int_equal(process_look(&s->reader, &s->process, 1, &s->sample), 0);
	return &s->sample;
}

void subject_assert_measured(const struct subject *s)
{
	const struct sample *got = &s->sample;

	assert_int_equal(got->outcome, OUTCOME_MEASURED);
	assert_int_equal(got->source, SOURCE_ROLLUP);
	assert_true(got->is_member);
	assert_int_equal(got->uid, s->p.uid);
	assert_int_equal(got->q[PROCESS_RSS], s->p.rss_kib * 1024);
	assert_int_equal(got->q[PROCESS_PSS], s->p.pss_kib * 1024);
	assert_int_equal(got->q[PROCESS_USS], s->p.uss_kib * 1024);
	assert_int_equal(got->q[PROCESS_VM_SWAP], s->p.swap_kib * 1024);
	assert_int_equal(got->q[PROCESS_VM_PTE], 64 * 1024);
	assert_int_equal(
		got->q[PROCESS_START_TIME], SUBJECT_BOOT_NS + s->p.start_ticks * 10 * NS_PER_MSEC);
	for (int i = PROCESS_PSS; i <= PROCESS_USS; i++)
		if (i < PROCESS_PSS_ANON || i > PROCESS_PSS_SHMEM)
			assert_true(ROW_HAS(got, i));
}

void subject_assert_text(const struct buffer *b, const char *expected)
{
	assert_int_equal(b->len, strlen(expected));
	assert_memory_equal(b->data, expected, b->len);
}

void subject_assert_without_pss(const struct subject *s, enum process_outcome outcome)
{
	const struct sample *got = &s->sample;

	assert_int_equal(got->outcome, outcome);
	assert_int_equal(got->source, SOURCE_RSS);
	assert_true(got->is_member);
	assert_false(ROW_HAS(got, PROCESS_PSS));
	assert_false(ROW_HAS(got, PROCESS_PSS_LOW));
	assert_false(ROW_HAS(got, PROCESS_USS));
	assert_int_equal(got->q[PROCESS_RSS], s->p.rss_kib * 1024);
}

void subject_assert_unread(const struct subject *s)
{
	const struct sample *got = &s->sample;

	assert_int_equal(got->outcome, OUTCOME_ERROR);
	assert_int_equal(got->source, SOURCE_NONE);
	assert_true(got->is_member);
	assert_int_equal(got->uid, s->p.uid);
	assert_int_equal(got->present, 0);
}
