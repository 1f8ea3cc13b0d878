/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include "base/clock.h"
#include "cli/report.h"
#include "snapshot/builder.h"
#include "tests/unit/sample.h"

static void check(const struct view *view, uint64_t now_ns, const char *expected)
{
	AUTO_BUFFER struct buffer b = {0};

	report_render(view, now_ns, &b);
	buffer_add_char(&b, '\0');
	assert_int_equal(b.error, 0);
	assert_string_equal(b.data, expected);
}

#define MIB UINT64_C(1048576)

/* What a host of today looks like, and what becomes of the page where less is known. */
struct scene {
	bool is_exact, is_young, is_public;
	double needed, pressure;
	double recent; /* of one core; 0: 0.25 % */
	uint64_t denied, failed, guessed, holds_above, waiting;
	unsigned int holds; /* the bucket that all are in */
	uint64_t scale;     /* of the observations; 0: 1 */
	uint64_t low_mib, high_mib, interval_ms, up_s;
	uint64_t longest_ms; /* without a measurement; 0: not known */
	bool is_tried, disturbs;
	uint32_t flags;
};

static void add_host(struct builder *b, const struct scene *c)
{
	struct snapshot_scope *host = builder_add_scope(b, METRIC_HOST);

	assert_non_null(host);
	ROW_SET(host, SCOPE_PSS, 2048 * MIB);
	ROW_SET(host, SCOPE_PSS_MEASURED, c->is_exact ? 2048 * MIB : c->is_young ? 0 : 256 * MIB);
	ROW_SET(host, SCOPE_PSS_GUESSED, c->guessed * 256 * MIB);
	ROW_SET(host, SCOPE_GUESSED, c->guessed);
	if (c->low_mib)
		ROW_SET(host, SCOPE_PSS_LOW, c->low_mib * MIB);
	if (c->high_mib)
		ROW_SET(host, SCOPE_PSS_HIGH, c->high_mib * MIB);
	ROW_SET(host, SCOPE_PROCESSES, 1432);
	ROW_SET(host, SCOPE_UNMEASURED_DENIED, c->denied);
	if (!c->is_public)
		ROW_SET(host, SCOPE_UNMEASURED_RSS_DENIED, c->denied * 10 * MIB);
	ROW_SET(host, SCOPE_UNMEASURED_CHANGING, c->failed);
}

static uint64_t scale_of(const struct scene *c)
{
	return c->scale ? c->scale : 1;
}

static void add_adaptive(struct builder *b, const struct scene *c, struct snapshot_self *self)
{
	struct snapshot_histogram *errors;

	ROW_SET(self, SELF_MEASUREMENTS_WHOLE, 12033);
	ROW_SET(self, SELF_MEASUREMENTS_SLICED, 21);
	ROW_SET(self, SELF_DEFERRED_BUDGET, c->needed > 0.010001 ? 7 : 0);
	ROW_SET(self, SELF_DEFERRED_STALL, c->is_young && c->needed > 0 ? 2 : 0);
	ROW_SET(self, SELF_WAITING, c->waiting);
	ROW_SET(self, SELF_MAX_AGE, 300 * NS_PER_SEC);
	if (c->longest_ms)
		ROW_SET(self, SELF_LONGEST_UNMEASURED, c->longest_ms * NS_PER_MSEC);
	ROW_SET(self, SELF_DEFERRED_GIANT, c->needed > 0.010001 ? 1 : 0);
	ROW_SET(self, SELF_BUDGET_CPU, metric_real_bits(0.01));
	if (c->needed > 0)
		ROW_SET(self, SELF_BUDGET_NEEDED, metric_real_bits(c->needed));
	ROW_SET(self, SELF_OLDEST_AGE, 271 * NS_PER_SEC);
	ROW_SET(self, SELF_BUDGET_STALL, 20 * NS_PER_MSEC);
	ROW_SET(self, SELF_HOLDS_ABOVE, c->holds_above);
	if (c->is_tried)
		ROW_SET(self, SELF_WALKS_DISTURB, c->disturbs);
	if (c->pressure > 0) {
		ROW_SET(self, SELF_MEMORY_PRESSURE, metric_real_bits(c->pressure));
		ROW_SET(self, SELF_DEFERRED_PRESSURE, 3);
	}
	errors = builder_add_histogram(b);
	assert_non_null(errors);
	errors->id = HISTOGRAM_ESTIMATE_ERROR;
	if (c->is_young)
		return;
	errors->bucket[1] = 60 * scale_of(c);
	errors->bucket[4] = 39 * scale_of(c);
	errors->bucket[15] = scale_of(c);
	errors->count = 100 * scale_of(c);
	if (c->is_public)
		return; /* as of an older memtallyd */
	ROW_SET(self, SELF_ESTIMATE_OFF, 42 * MIB);
	ROW_SET(self, SELF_ESTIMATE_FOUND, 10000 * MIB);
}

static struct view *view_of(const struct scene *c)
{
	static const struct image_header head = {
		.sequence = 738,
		.interval_ns = 10 * NS_PER_SEC,
		.stale_ns = 130 * NS_PER_SEC,
		.boottime_ns = 100 * NS_PER_SEC,
		.realtime_ns = SAMPLE_REALTIME_NS,
	};
	CLEANUP(builder_done) struct builder b = {0};
	struct image_header h = head;
	AUTO_CLOSE int fd = -1;
	struct snapshot_histogram *passes, *holds;
	struct snapshot_process *row;
	struct snapshot_self *self;
	struct view *view = NULL;
	const char *reason;

	builder_begin(&b);
	add_host(&b, c);
	passes = builder_add_histogram(&b);
	assert_non_null(passes);
	passes->id = HISTOGRAM_PASS_DURATION;
	passes->bucket[5] = 735 * scale_of(c);
	passes->bucket[6] = 3 * scale_of(c);
	passes->count = 738 * scale_of(c);
	holds = builder_add_histogram(&b);
	assert_non_null(holds);
	holds->id = HISTOGRAM_HOLD;
	holds->bucket[c->holds] = holds->count = c->is_young ? 0 : 12054;
	self = builder_add_self(&b);
	assert_non_null(self);
	self->version = builder_add_text(&b, "1.2.3", 5);
	self->flags = c->flags;
	ROW_SET(self, SELF_PASSES, 738);
	ROW_SET(self, SELF_INTERVAL,
		(c->interval_ms ? c->interval_ms : UINT64_C(10000)) * NS_PER_MSEC);
	ROW_SET(self, SELF_LAST_PASS_DURATION, 41200000);
	ROW_SET(self, SELF_PASS_OVERRUNS, 0);
	ROW_SET(self, SELF_CPU, 23 * NS_PER_SEC);
	if (!c->is_exact)
		ROW_SET(self, SELF_CPU_RECENT,
			metric_real_bits(c->recent > 0 ? c->recent : 0.0025));
	ROW_SET(self, SELF_START_TIME,
		SAMPLE_REALTIME_NS - (c->up_s ? c->up_s : 7375) * NS_PER_SEC);
	if (!c->is_exact)
		add_adaptive(&b, c, self);
	for (uint32_t i = 0; i < c->denied && !c->is_public; i++) {
		row = builder_add_process(&b);
		assert_non_null(row);
		row->pid = i + 1;
		row->outcome = OUTCOME_DENIED;
		row->source = SOURCE_RSS;
		ROW_SET(row, PROCESS_RSS, 10 * MIB);
	}
	h.flags = c->is_public ? IMAGE_PUBLIC : 0;
	assert_int_equal(builder_seal(&b, &h, &fd), 0);
	if (view_open(fd, &view, &reason) < 0)
		fail_msg("%s", reason);
	return view;
}

#define HEAD_ADAPTIVE                                                                              \
	"memtallyd 1.2.3: adaptive, looks at all processes every 10 s\n"                           \
	"Running     2 h 3 min; the last snapshot is of 9 s ago\n"                                 \
	"Passes      738; the last took 41 ms\n"
#define HEAD_STRETCHED                                                                             \
	"memtallyd 1.2.3: adaptive, looks at all processes every 10 s: its CPU budget does not "   \
	"bear 2.5 s\n"                                                                             \
	"Running     2 h 3 min; the last snapshot is of 9 s ago\n"                                 \
	"Passes      738; the last took 41 ms, 99 of 100 at most 50 ms\n"
#define MEMORY   "Memory      2.0 GiB (PSS) of 1432 processes"
#define MEASURED "  measured  256.0 MiB, 12 %, within the last interval\n"
#define MEMORY_ADAPTIVE                                                                            \
	MEMORY "\n" MEASURED "  estimated 1.8 GiB, 88 %, from measurements up to 4 min 31 s old\n"
#define ACCURACY                                                                                   \
	"Accuracy    estimates were 0.42 % off in bytes when measured again; half of the "         \
	"processes by up to 0.01 %"
#define CPU     "CPU         0.25 % of one core in the last minute; 1 % allowed"
#define READS   "Measured    12033 times in one go, 21 in slices, since the start\n"
#define NOTHING "Put off     nothing in the last interval\n"
#define WAITING " (time spent waiting for a processor included)\n"

static void one_page_says_it(void **state)
{
	static const struct {
		struct scene scene;
		const char *text;
	} cases[] = {
		{{.needed = 0.0042,
			 .holds = 2,
			 .is_tried = true,
			 .disturbs = true,
			 .low_mib = 2047,
			 .high_mib = 2050,
			 .longest_ms = 298700,
			 .flags = SELF_CAP_SYS_PTRACE | SELF_COMPARES_MM},
			HEAD_ADAPTIVE MEMORY_ADAPTIVE ACCURACY
			" (guesses not counted)\n" CPU "\n" READS
			"Stalls      99 of 100 reads keep their process waiting for at most 0.25 "
			"ms; none took longer than the 20 ms allowed" WAITING NOTHING
			"Longest     a process has had no measurement for 4 min 58 s; 5 min 0 s allowed\n"
			"Walks       keep their processes waiting, as a trial has found: long ones "
			"go by slices\n"
			"Rights      to read every process (CAP_SYS_PTRACE)\n"
			"Missing     nothing\n"},
		{{.is_young = true,
			 .needed = 0.01001,
			 .guessed = 2,
			 .low_mib = 1024,
			 .high_mib = 6144,
			 .up_s = 100,
			 .interval_ms = 9960,
			 .waiting = 108,
			 .longest_ms = 723000,
			 .flags = SELF_CAP_SYS_PTRACE | SELF_COMPARES_MM},
			"memtallyd 1.2.3: adaptive, looks at all processes every 10 s\n"
			"Running     1 min 49 s; the last snapshot is of 9 s ago\n"
			"Passes      738; the last took 41 ms\n" MEMORY
			", likely between 1.0 and 6.0 GiB\n"
			"  estimated 1.5 GiB, 75 %, from measurements up to 4 min 31 s old\n"
			"  guessed   512.0 MiB, 25 %, of 2 processes that wait for their first "
			"measurement\n" CPU ", 1.1 % needed: too little\n" READS
			"Put off     108 measurements in the last interval, for want of CPU budget or "
			"since the host is short of memory\n"
			"            2 times not to stall a process, 1 time for one huge mapping, since the "
			"start\n"
			"Overdue     a process has had no measurement for 12 min 3 s; 5 min 0 s allowed\n"
			"Rights      to read every process (CAP_SYS_PTRACE)\n"
			"Missing     nothing\n"},
		/* all of it guessed, by who was shown no single processes */
		{{.is_young = true,
			 .is_public = true,
			 .guessed = 8,
			 .denied = 1,
			 .flags = SELF_CAP_SYS_PTRACE | SELF_COMPARES_MM},
			HEAD_ADAPTIVE MEMORY
			"\n"
			"  guessed   2.0 GiB, 100 %, of 8 processes that wait for their first "
			"measurement\n"
			"  denied    the kernel refuses 1 process all the same\n" CPU "\n" READS
			"Rights      to read every process (CAP_SYS_PTRACE)\n"},
		{{.needed = 0.023,
			 .is_tried = true,
			 .pressure = 0.125,
			 .denied = 3,
			 .failed = 1,
			 .holds = 9,
			 .holds_above = 12054,
			 .scale = 10,
			 .waiting = 1,
			 .longest_ms = 300400, /* above it, but not as it is shown */
			 .low_mib = 2048,
			 .interval_ms = 2500,
			 .flags = SELF_PROC_HIDDEN},
			HEAD_STRETCHED MEMORY
			", at least 2.0 GiB\n" MEASURED
			"  estimated 1.8 GiB, 88 %, from measurements up to 4 min 31 s old\n"
			"  denied    3 processes may not be read: at most 30.0 MiB, in the upper bounds alone\n"
			"  failed    1 process could not be read for other reasons\n" ACCURACY
			", 99 of 100 by up to 0.5 % (guesses not counted)\n" CPU
			", 2.3 % needed: too little\n" READS
			"Stalls      99 of 100 reads keep their process waiting for at most 50 ms; "
			"12054 took longer than the 20 ms allowed" WAITING
			"Put off     1 measurement in the last interval, for want of CPU budget or "
			"since the host is short of memory\n"
			"            1 time for one huge mapping, since the start\n"
			"Longest     a process has had no measurement for 5 min 0 s; 5 min 0 s allowed\n"
			"Walks       keep nobody waiting, as a trial has found: all are made at once\n"
			"Shortage    processes wait for memory 12 % of the time: measures less\n"
			"Rights      to read its own user's processes only\n"
			"Missing     CAP_SYS_PTRACE: other users' processes are not measured\n"
			"            kcmp: memory that processes share as a whole counts for each\n"
			"            /proc is mounted with hidepid: other users' processes are not "
			"seen\n"},
		{{.is_public = true,
			 .pressure = 0.31,
			 .denied = 1,
			 .needed = 0.0100000001,
			 .flags = SELF_CAP_PERFMON | SELF_COMPARES_MM},
			HEAD_ADAPTIVE MEMORY_ADAPTIVE
			"  denied    the kernel refuses 1 process all the same\n"
			"Accuracy    estimates were off when measured again, half of the processes by up "
			"to 0.01 % (guesses not counted)\n" CPU "\n" READS
			"Stalls      99 of 100 reads keep their process waiting for at most 0.05 ms; "
			"none took longer than the 20 ms allowed" WAITING NOTHING
			"Shortage    processes wait for memory 31 % of the time: measures only the "
			"new and the overdue\n"
			"Rights      to measure every process (CAP_PERFMON)\n"
			"Missing     CAP_SYS_PTRACE: some names of programs are cut\n"},
		{{.is_exact = true, .holds = 15, .flags = SELF_CAP_SYS_PTRACE | SELF_COMPARES_MM},
			"memtallyd 1.2.3: exact, measures all processes every 10 s\n"
			"Running     2 h 3 min; the last snapshot is of 9 s ago\n"
			"Passes      738; the last took 41 ms\n" MEMORY "\n"
			"  measured  2.0 GiB, 100 %, within the last interval\n"
			"CPU         0.31 % of one core since the start\n"
			"Stalls      99 of 100 reads keep their process waiting for over 5 s" WAITING
			"Rights      to read every process (CAP_SYS_PTRACE)\n"
			"Missing     nothing\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_VIEW struct view *view = view_of(&cases[i].scene);

		check(view, 109 * NS_PER_SEC, cases[i].text);
	}
}

/* One figure, what is allowed, and a remark only where the two need one. */
static void cpu_is_held_against_its_budget(void **state)
{
	static const struct {
		struct scene scene;
		const char *text;
	} cases[] = {
		{{.needed = 0.006}, "0.25 % of one core in the last minute; 1 % allowed\n"},
		{{.needed = 0.006, .waiting = 977},
			"0.25 % of one core in the last minute; 1 % allowed, 0.6 % needed for what is "
			"known already\n"},
		{{.needed = 0.006, .guessed = 1},
			"0.25 % of one core in the last minute; 1 % allowed, 0.6 % needed for what is "
			"known already\n"},
		{{.needed = 0.0101, .recent = 0.01004},
			"1 % of one core in the last minute; 1 % allowed, 1.1 % needed: too little\n"},
		/* beside the budget: what is new at the start, and what was saved */
		{{.up_s = 60},
			"38 % of one core since the start; 1 % allowed, the first measurement "
			"of everything besides\n"},
		{{.up_s = 360, .recent = 0.017},
			"1.7 % of one core in the last minute; 1 % allowed, the first measurement of "
			"everything besides\n"},
		{{.up_s = 361, .recent = 0.017, .needed = 0.02},
			"1.7 % of one core in the last minute; 1 % allowed, and what was saved before, "
			"2 % needed: too little\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_VIEW struct view *view = view_of(&cases[i].scene);
		AUTO_BUFFER struct buffer b = {0}, expected = {0};

		report_render(view, 109 * NS_PER_SEC, &b);
		buffer_add_char(&b, '\0');
		buffer_printf(&expected, "\nCPU         %s", cases[i].text);
		buffer_add_char(&expected, '\0');
		if (!strstr(b.data, expected.data))
			fail_msg("not '%s' in '%s'", expected.data, b.data);
	}
}

/* Of an image with next to nothing in it, no line is made up. */
static void what_is_not_known_is_left_out(void **state)
{
	static const struct image_header head = {
		.sequence = 1, .interval_ns = 100 * NS_PER_MSEC, .stale_ns = 1, .boottime_ns = 1};
	CLEANUP(builder_done) struct builder b = {0};
	AUTO_VIEW struct view *view = NULL;
	AUTO_CLOSE int fd = -1;
	const char *reason;

	(void)state;
	builder_begin(&b);
	assert_non_null(builder_add_scope(&b, METRIC_HOST));
	builder_add_self(&b)->flags = SELF_CAP_SYS_PTRACE | SELF_COMPARES_MM;
	assert_int_equal(builder_seal(&b, &head, &fd), 0);
	assert_int_equal(view_open(fd, &view, &reason), 0);
	check(view, 1,
		"memtallyd : exact, measures all processes every 100 ms\n"
		"Running     the last snapshot is of 0 s ago\n"
		"Rights      to read every process (CAP_SYS_PTRACE)\n"
		"Missing     nothing\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_page_says_it),
		cmocka_unit_test(cpu_is_held_against_its_budget),
		cmocka_unit_test(what_is_not_known_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
