/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/tree/adaptive.h"

#include <time.h>

#include "base/clock.h"
#include "tests/unit/support/tree/run.h"

#define CALL_NS     (2 * NS_PER_USEC) /* from one read of the clock to the next */
#define CALL_CPU_NS (20 * NS_PER_USEC)
#define DAY_S       UINT64_C(86400)
#define EPOCH_S     UINT64_C(1700000000) /* when the machine was booted */

const struct tree_process adaptive_cast[ADAPTIVE_CAST] = {
	{.pid = 2, .image = 2, .name = "kthreadd", .state = 'I'},
	{.pid = 10, .image = 10, .name = "sshd", .rss_kib = 8000, .pss_kib = 2001, .uss_kib = 1000},
	{.pid = 11,
		.image = 11,
		.name = "sshd",
		.uid = 1000,
		.rss_kib = 8000,
		.pss_kib = 2002,
		.uss_kib = 900},
	{.pid = 12,
		.image = 12,
		.name = "bash",
		.uid = 1000,
		.rss_kib = 5000,
		.pss_kib = 1503,
		.uss_kib = 1100},
	{.pid = 13,
		.image = 13,
		.name = "app",
		.uid = 1001,
		.rss_kib = 70000,
		.pss_kib = 64004,
		.uss_kib = 60000},
};

const struct tree_process adaptive_large = {.pid = 50,
	.image = 50,
	.name = "large",
	.rss_kib = 8 << 20,
	.pss_kib = 8 << 20,
	.uss_kib = 8 << 20};

const struct tree_process adaptive_worker = {.pid = 30,
	.image = 99,
	.name = "worker",
	.rss_kib = 10000,
	.pss_kib = 5500,
	.uss_kib = 1000};

/*
 * A simulated clock, so that the load of the machine does not change results. Time passes with each
 * read of the clock (CALL_NS) and with each pause. The clock starts at one day, because tests use
 * times in the past. Each read of the thread's CPU clock adds CALL_CPU_NS, so that a measurement
 * costs the same on every machine: the cost decides which processes are measured, and how.
 */
static uint64_t time_ns = DAY_S * NS_PER_SEC, cpu_ns;

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);
int __wrap_nanosleep(const struct timespec *pause, struct timespec *left);

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
	uint64_t ns;

	time_ns += CALL_NS;
	cpu_ns += clock == CLOCK_THREAD_CPUTIME_ID ? CALL_CPU_NS : 0;
	ns = clock == CLOCK_THREAD_CPUTIME_ID ? cpu_ns
	     : clock == CLOCK_REALTIME        ? time_ns + EPOCH_S * NS_PER_SEC
	                                      : time_ns;
	*ret = (struct timespec){
		.tv_sec = (time_t)(ns / NS_PER_SEC), .tv_nsec = (long)(ns % NS_PER_SEC)};
	return 0;
}

int __wrap_nanosleep(const struct timespec *pause, struct timespec *left)
{
	(void)left;
	time_ns += (uint64_t)pause->tv_sec * NS_PER_SEC + (uint64_t)pause->tv_nsec;
	return 0;
}

static void write_statm(
	struct adaptive *s, const struct tree_process *p, uint64_t pages, uint64_t file_pages)
{
	char text[128], path[32];

	snprintf(path, sizeof(path), "%d/statm", p->pid);
	snprintf(text, sizeof(text), "%llu %llu %llu 0 0 0 0\n", (unsigned long long)p->rss_kib,
		(unsigned long long)pages, (unsigned long long)file_pages);
	tree_write(&s->tree, path, text);
}

void adaptive_add(struct adaptive *s, const struct tree_process *p, uint64_t more_pages)
{
	tree_add(&s->tree, p);
	write_statm(s, p, p->rss_kib / 4 + more_pages, (p->rss_kib - p->uss_kib) / 4);
}

void adaptive_add_anon(struct adaptive *s, const struct tree_process *p)
{
	tree_add(&s->tree, p);
	write_statm(s, p, p->rss_kib / 4, 0);
}

void adaptive_add_mappings(struct adaptive *s, const struct tree_process *p, unsigned int count)
{
	static const char range[] = "%llx-%llx rw-p 00000000 00:00 0 \n";
	static const char fields[] = "Rss: %llu kB\nPss: %llu kB\nShared_Clean: 0 kB\n"
				     "Shared_Dirty: 0 kB\nPrivate_Clean: 0 kB\n"
				     "Private_Dirty: %llu kB\nAnonymous: %llu kB\n"
				     "SwapPss: 0 kB\n";
	unsigned long long each = p->rss_kib / count, at = (p->image + 1) << 12;
	char maps[4096], smaps[16384], path[32];
	size_t m = 0, n = 0;

	for (unsigned int i = 0; i < count; i++, at += each << 10) {
		m += (size_t)snprintf(maps + m, sizeof(maps) - m, range, at, at + (each << 10));
		n += (size_t)snprintf(smaps + n, sizeof(smaps) - n, range, at, at + (each << 10));
		n += (size_t)snprintf(smaps + n, sizeof(smaps) - n, fields, each, each, each, each);
	}
	assert_true(m < sizeof(maps) && n < sizeof(smaps));
	snprintf(path, sizeof(path), "%d/maps", p->pid);
	tree_write(&s->tree, path, maps);
	snprintf(path, sizeof(path), "%d/smaps", p->pid);
	tree_write(&s->tree, path, smaps);
}

struct adaptive *adaptive_new(const struct pass_options *with)
{
	static const char *const files[OPENED_FILES] = {
		"smaps_rollup", "status", "stat", "statm", "cgroup"};
	struct adaptive *s = calloc(1, sizeof(*s));
	struct pass_options o = *with;

	assert_non_null(s);
	tree_expect(NULL, 0);
	tree_open(&s->tree);
	tree_write(&s->tree, "stat", "cpu  1 2 3\nbtime 1700000000\n");
	tree_write(&s->tree, "meminfo", "MemTotal: 1000000 kB\n");
	tree_write(&s->tree, "vmstat", "pswpin 5\npswpout 7\n");
	for (size_t i = 0; i < ARRAY_SIZE(adaptive_cast); i++)
		adaptive_add(s, &adaptive_cast[i], 0);
	for (unsigned int i = 0; i < OPENED_FILES; i++)
		s->opened[i].suffix = files[i];
	o.procfs = s->tree.path;
	assert_int_equal(pass_open(&o, &s->pass), 0);
	s->pass->adaptive.walks.slice_ns = 0; /* slices of one read() each */
	return s;
}

struct adaptive *adaptive_new_within(uint64_t max_age_ns)
{
	struct pass_options with = run_adaptive;

	with.max_age_ns = max_age_ns;
	return adaptive_new(&with);
}

void adaptive_done(struct adaptive **s)
{
	tree_expect(NULL, 0);
	pass_free((*s)->pass);
	tree_done(&(*s)->tree);
	free(*s);
}

struct view *adaptive_pass(struct adaptive *s)
{
	tree_expect(s->opened, OPENED_FILES);
	return run_pass(s->pass);
}

void adaptive_again(struct adaptive *s, struct view **view)
{
	view_unref(*view);
	*view = adaptive_pass(s);
}

unsigned int adaptive_looks(const struct adaptive *s)
{
	return s->opened[OPENED_STATUS].count - 1;
}

void adaptive_plan(struct adaptive *s, unsigned int seconds)
{
	pass_plan(s->pass, clock_now_ns(CLOCK_MONOTONIC) + seconds * NS_PER_SEC);
}

bool adaptive_turn(struct adaptive *s)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);
	uint64_t at_ns = pass_next_measure_ns(s->pass, now_ns);
	struct timespec pause = {0};

	if (at_ns == UINT64_MAX)
		return false;
	if (at_ns > now_ns && at_ns < now_ns + 5 * NS_PER_MSEC)
		pause.tv_nsec = (long)(at_ns - now_ns);
	nanosleep(&pause, NULL);
	assert_int_equal(pass_measure(s->pass), 0);
	return true;
}

unsigned int adaptive_turns(struct adaptive *s)
{
	unsigned int turns = 0;

	adaptive_plan(s, 100);
	tree_expect(s->opened, OPENED_FILES);
	while (adaptive_turn(s))
		assert_true(++turns < 1000);
	return turns;
}

const struct snapshot_process *adaptive_row(const struct view *view, uint32_t pid)
{
	const struct snapshot_process *row = view_find_process(view, pid);

	assert_non_null(row);
	return row;
}

void adaptive_assert_quiet(const struct snapshot_process *row, const struct tree_process *p)
{
	assert_int_equal(row->outcome, OUTCOME_MEASURED);
	assert_int_equal(row->uid, p->uid);
	assert_int_equal(row->q[PROCESS_PSS], p->pss_kib * 1024);
	assert_int_equal(row->q[PROCESS_PSS_LOW], p->pss_kib * 1024);
	assert_int_equal(row->q[PROCESS_PSS_HIGH], (p->pss_kib + 1) * 1024);
	assert_int_equal(row->q[PROCESS_USS], p->uss_kib * 1024);
	assert_int_equal(row->q[PROCESS_RSS], p->rss_kib * 1024);
	assert_int_equal(row->q[PROCESS_VM_PTE], 64 * 1024);
	assert_true(ROW_HAS(row, PROCESS_PSS_AGE) && ROW_HAS(row, PROCESS_START_TIME));
	assert_true(row->q[PROCESS_PSS_AGE] < 60 * NS_PER_SEC);
}
