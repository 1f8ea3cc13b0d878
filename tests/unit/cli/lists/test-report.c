/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/lists/report.h: the page of `memtally status`. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"
#include "cli/lists/report.h"
#include "snapshot/builder.h"
#include "tests/unit/support/reported.h"
#include "tests/unit/support/sample.h"

static void check(const struct view *view, uint64_t now_ns, const char *expected)
{
	AUTO_BUFFER struct buffer b = {0};

	report_render(view, now_ns, &b);
	buffer_add_char(&b, '\0');
	assert_int_equal(b.error, 0);
	assert_string_equal(b.data, expected);
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
#define MEASURED "  measured  256.0 MiB, 12 %, within the interval before the snapshot\n"
#define MEMORY_ADAPTIVE                                                                            \
	MEMORY "\n" MEASURED "  estimated 1.8 GiB, 88 %, from measurements up to 4 min 40 s old\n"
#define ACCURACY                                                                                          \
	"Accuracy    estimates were 12 % off, of 100.0 MiB that were measured again in about the last 5 " \
	"min 0 s, those in doubt first; since the start half of the processes by up to 0.01 %"
#define CPU     "CPU         0.25 % of one core over the last 1 min 5 s; 1 % allowed"
#define READS   "Measured    12033 times in one go, 21 in slices, since the start\n"
#define NOTHING "Deferred    nothing\n"
#define WAITING " (time spent waiting for a processor included)\n"

static void prints_a_page(void **state)
{
	static const struct {
		struct reported reported;
		const char *text;
	} cases[] = {
		{{.needed = 0.0042,
			 .holds = 2,
			 .is_tried = true,
			 .disturbs = true,
			 .low_mib = 2047,
			 .high_mib = 2050,
			 .longest_ms = 281000,
			 .flags = SELF_CAP_SYS_PTRACE | SELF_COMPARES_MM},
			HEAD_ADAPTIVE MEMORY_ADAPTIVE ACCURACY
			" (guesses not counted)\n" CPU "\n" READS
			"Stalls      99 of 100 reads keep their process waiting for at most 0.25 "
			"ms; none took longer than the 20 ms allowed" WAITING NOTHING
			"Longest     a process has had no measurement for 4 min 50 s; 5 min 0 s allowed\n"
			"Walks       keep their processes waiting, as a trial has found: long walks "
			"are sliced\n"
			"Rights      to read every process (CAP_SYS_PTRACE)\n"
			"Missing     no rights\n"},
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
			"  estimated 1.5 GiB, 75 %, from measurements up to 4 min 40 s old\n"
			"  guessed   512.0 MiB, 25 %, of 2 processes that wait for their first "
			"measurement\n" CPU ", 1.1 % needed: too little\n" READS
			"Deferred    108 measurements, for lack of CPU budget\n"
			"            2 times not to stall a process, 1 time for one huge mapping, since the "
			"start\n"
			"Overdue     a process has had no measurement for 12 min 12 s; 5 min 0 s allowed\n"
			"Rights      to read every process (CAP_SYS_PTRACE)\n"
			"Missing     no rights\n"},
		/* all guessed, as shown to a caller that sees no single processes */
		{{.is_young = true,
			 .is_public = true,
			 .guessed = 8,
			 .denied = 1,
			 .flags = SELF_CAP_SYS_PTRACE | SELF_COMPARES_MM},
			HEAD_ADAPTIVE MEMORY
			"\n"
			"  guessed   2.0 GiB, 100 %, of 8 processes that wait for their first "
			"measurement\n"
			"  denied    the kernel refuses 1 process in spite of that right\n" CPU
			"\n" READS "Rights      to read every process (CAP_SYS_PTRACE)\n"},
		{{.needed = 0.023,
			 .is_tried = true,
			 .pressure = 0.125,
			 .denied = 3,
			 .failed = 1,
			 .holds = 9,
			 .holds_above = 12054,
			 .scale = 10,
			 .pressed = 1,
			 .longest_ms = 300400, /* above it, but not as printed */
			 .low_mib = 2048,
			 .interval_ms = 2500,
			 .flags = SELF_PROC_HIDDEN},
			HEAD_STRETCHED MEMORY
			", at least 2.0 GiB\n" MEASURED
			"  estimated 1.8 GiB, 88 %, from measurements up to 4 min 40 s old\n"
			"  denied    3 processes may not be read: RSS 30.0 MiB, in the upper bounds only\n"
			"  failed    1 process could not be read for other reasons\n" ACCURACY
			", 99 of 100 by up to 0.5 % (guesses not counted)\n" CPU
			", 2.3 % needed: too little\n" READS
			"Stalls      99 of 100 reads keep their process waiting for at most 50 ms; "
			"12054 took longer than the 20 ms allowed" WAITING
			"Deferred    1 measurement, because the host is short of memory\n"
			"            1 time for one huge mapping, since the start\n"
			"Longest     a process has had no measurement for 5 min 0 s; 5 min 0 s allowed\n"
			"Walks       keep no process waiting, as a trial has found: no walk is sliced\n"
			"Shortage    processes wait for memory 12 % of the time: measures less\n"
			"Rights      to read its own user's processes only\n"
			"Missing     CAP_SYS_PTRACE: other users' processes are not measured\n"
			"            kcmp: a shared address space counts for each of its processes\n"
			"            /proc is mounted with hidepid: other users' processes are not "
			"seen\n"},
		{{.is_public = true,
			 .pressure = 0.31,
			 .denied = 1,
			 .needed = 0.0100000001,
			 .flags = SELF_CAP_PERFMON | SELF_COMPARES_MM},
			HEAD_ADAPTIVE MEMORY_ADAPTIVE
			"  denied    the kernel refuses 1 process in spite of that right\n"
			"Accuracy    estimates were off when measured again, half of the processes by up "
			"to 0.01 % (guesses not counted)\n" CPU "\n" READS
			"Stalls      99 of 100 reads keep their process waiting for at most 0.05 ms; "
			"none took longer than the 20 ms allowed" WAITING NOTHING
			"Shortage    processes wait for memory 31 % of the time: measures only the "
			"new and the overdue\n"
			"Rights      to measure every process (CAP_PERFMON)\n"
			"Missing     CAP_SYS_PTRACE: some names of programs are cut\n"},
		{{.is_exact = true,
			 .holds = 15,
			 .flags = SELF_CAP_SYS_PTRACE | SELF_COMPARES_MM | SELF_USERS_BY_LOGIN},
			"memtallyd 1.2.3: exact, measures all processes every 10 s\n"
			"Running     2 h 3 min; the last snapshot is of 9 s ago\n"
			"Passes      738; the last took 41 ms\n" MEMORY "\n"
			"  measured  2.0 GiB, 100 %, within the interval before the snapshot\n"
			"CPU         0.25 % of one core over the last 1 min 5 s\n"
			"Stalls      99 of 100 reads keep their process waiting for over 5 s" WAITING
			"Users       by loginuid (accounting.user)\n"
			"Rights      to read every process (CAP_SYS_PTRACE)\n"
			"Missing     no rights\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_VIEW struct view *view = reported_open(&cases[i].reported);

		check(view, 109 * NS_PER_SEC, cases[i].text);
	}
}

/*
 * While a read blocks or the snapshot is old, the page says so, and does not claim that all was
 * measured just now.
 */
static void reports_blocked_reads_and_old_snapshots(void **state)
{
	static const struct reported reported = {.is_exact = true,
		.holds = 2,
		.blocked = 1,
		.flags = SELF_CAP_SYS_PTRACE | SELF_COMPARES_MM};
	AUTO_VIEW struct view *view = reported_open(&reported);

	(void)state;
	check(view, 109 * NS_PER_SEC,
		"memtallyd 1.2.3: exact, measures all processes every 10 s\n"
		"Running     2 h 3 min; the last snapshot is of 9 s ago\n"
		"Passes      738; the last took 41 ms\n"
		"Blocked     the kernel keeps 2 reads of files in /proc waiting, the oldest for "
		"22 min 0 s; the log of memtallyd names the processes\n" MEMORY "\n"
		"  measured  2.0 GiB, all that could be read, within the interval before the "
		"snapshot\n"
		"  blocked   1 process, because the kernel blocks readers of its files in /proc: "
		"estimated, or RSS in the upper bounds only\n"
		"CPU         0.25 % of one core over the last 1 min 5 s\n"
		"Stalls      99 of 100 reads keep their process waiting for at most 0.25 ms" WAITING
		"Rights      to read every process (CAP_SYS_PTRACE)\n"
		"Missing     no rights\n");
	check(view, 1420 * NS_PER_SEC,
		"memtallyd 1.2.3: exact, measures all processes every 10 s\n"
		"Running     2 h 24 min; the last snapshot is of 22 min 0 s ago: it is stale, at "
		"most 30 s are allowed\n"
		"Passes      738; the last took 41 ms\n"
		"Blocked     the kernel keeps 2 reads of files in /proc waiting, the oldest for "
		"43 min 51 s; the log of memtallyd names the processes\n" MEMORY "\n"
		"  measured  2.0 GiB, all that could be read, within the interval before the "
		"snapshot\n"
		"  blocked   1 process, because the kernel blocks readers of its files in /proc: "
		"estimated, or RSS in the upper bounds only\n"
		"CPU         0.25 % of one core over the last 1 min 5 s\n"
		"Stalls      99 of 100 reads keep their process waiting for at most 0.25 ms" WAITING
		"Rights      to read every process (CAP_SYS_PTRACE)\n"
		"Missing     no rights\n");
}

/* From a nearly empty image no line is invented. */
static void omits_unknown_values(void **state)
{
	static const struct image_header head = {
		.sequence = 1, .interval_ns = 100 * NS_PER_MSEC, .stale_ns = 2, .boottime_ns = 1};
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
		"Missing     no rights\n");
}

/* A kernel that averages map counts, one that does not, and an unknown one. */
static void says_whether_map_counts_are_exact(void **state)
{
	static const char *const texts[] = {
		("Map counts  averaged over large folios, as a trial has found: the PSS of shared "
		 "memory is an approximation\n"),
		"Map counts  exact, as a trial has found\n",
		"Map counts  not known to be exact: no trial could tell\n"};

	(void)state;
	for (unsigned int i = 0; i < ARRAY_SIZE(texts); i++) {
		static const struct image_header head = {
			.sequence = 1, .interval_ns = 1, .stale_ns = 1, .boottime_ns = 1};
		CLEANUP(builder_done) struct builder b = {0};
		AUTO_BUFFER struct buffer text = {0};
		AUTO_VIEW struct view *view = NULL;
		AUTO_CLOSE int fd = -1;
		struct snapshot_balance *balance;
		const char *reason;

		builder_begin(&b);
		assert_non_null(builder_add_scope(&b, METRIC_HOST));
		assert_non_null(builder_add_self(&b));
		balance = builder_add_balance(&b);
		assert_non_null(balance);
		if (i < 2)
			ROW_SET(balance, BALANCE_MAP_COUNTS_EXACT, i);
		assert_int_equal(builder_seal(&b, &head, &fd), 0);
		assert_int_equal(view_open(fd, &view, &reason), 0);
		report_render(view, 1, &text);
		buffer_add_char(&text, 0);
		assert_int_equal(text.error, 0);
		assert_non_null(strstr(text.data, texts[i]));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(prints_a_page),
		cmocka_unit_test(reports_blocked_reads_and_old_snapshots),
		cmocka_unit_test(omits_unknown_values),
		cmocka_unit_test(says_whether_map_counts_are_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
