/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/lists/report.h: the page of `memtally status`. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"
#include "cli/lists/report.h"
#include "tests/unit/support/cli/reported.h"
#include "tests/unit/support/snapshot/small.h"

static void check(const struct view *view, uint64_t now_ns, const char *expected)
{
	AUTO_BUFFER struct buffer b = {0};

	report_render(view, now_ns, &b);
	buffer_add_char(&b, '\0');
	assert_int_equal(b.error, 0);
	assert_string_equal(b.data, expected);
}

#define RUNNING       "Running     2 h 3 min; 738 passes, the last took 41 ms; snapshot 9 s old\n"
#define HEAD_ADAPTIVE "memtallyd 1.2.3: adaptive, a pass every 10 s\n" RUNNING
#define HEAD_STRETCHED                                                                             \
	"memtallyd 1.2.3: adaptive, a pass every 10 s (CPU budget too small for 2.5 s)\n" RUNNING
#define MEMORY   "Memory      2.0 GiB (PSS) of 1432 processes"
#define MEASURED "  measured  256.0 MiB, 12 %, within the last interval\n"
#define MEMORY_ADAPTIVE                                                                            \
	MEMORY "\n" MEASURED "  estimated 1.8 GiB, 88 %, from measurements up to 4 min 40 s old\n"
#define ACCURACY                                                                                   \
	"Accuracy    estimates 12 % off (100.0 MiB measured again in 5 min 0 s); since the start "
#define CPU    "CPU         0.25 % of one core over the last 1 min 5 s; 1 % allowed"
#define STALLS "Stalls      99 of 100 reads keep their process waiting "

enum { LINES_MAX = 14 };

static void check_length(const char *page)
{
	size_t lines = 0;

	for (; (page = strchr(page, '\n')); page++)
		lines++;
	assert_true(lines <= LINES_MAX);
}

static void check_page(const struct reported *reported, const char *expected)
{
	AUTO_VIEW struct view *view = reported_open(reported);

	check(view, 109 * NS_PER_SEC, expected);
	check_length(expected);
}

static void prints_the_page_of_a_usual_host(void **state)
{
	static const struct reported reported = {.needed = 0.0042,
		.holds = 2,
		.is_tried = true,
		.disturbs = true,
		.low_mib = 2047,
		.high_mib = 2050,
		.longest_ms = 281000,
		.flags = SELF_CAP_SYS_PTRACE | SELF_COMPARES_MM};

	(void)state;
	check_page(&reported, HEAD_ADAPTIVE MEMORY_ADAPTIVE ACCURACY
		"half of the estimates up to 0.01 % off\n" CPU "\n" STALLS
		"at most 0.25 ms; none over the 20 ms allowed\n"
		"Deferred    none; longest since measured or first seen 4 min 50 s, allowed 5 min 0 s\n"
		"Kernel      walks keep their processes waiting, so long ones are sliced\n"
		"Rights      all processes (CAP_SYS_PTRACE)\n");
}

static void prints_the_page_of_a_young_memtallyd(void **state)
{
	static const struct reported reported = {.is_young = true,
		.needed = 0.01001,
		.guessed = 2,
		.low_mib = 1024,
		.high_mib = 6144,
		.up_s = 100,
		.interval_ms = 9960,
		.waiting = 108,
		.longest_ms = 723000,
		.flags = SELF_CAP_SYS_PTRACE | SELF_COMPARES_MM};

	(void)state;
	check_page(&reported,
		"memtallyd 1.2.3: adaptive, a pass every 10 s\n"
		"Running     1 min 49 s; 738 passes, the last took 41 ms; snapshot 9 s "
		"old\n" MEMORY ", likely between 1.0 and 6.0 GiB\n"
		"  estimated 1.5 GiB, 75 %, from measurements up to 4 min 40 s old\n"
		"  guessed   512.0 MiB, 25 %, 2 processes never measured\n" CPU
		", 1.1 % needed: raise budget.cpu\n"
		"Overdue     longest since measured or first seen 12 min 12 s, allowed 5 min 0 s; "
		"108 measurements waiting for CPU budget\n"
		"Rights      all processes (CAP_SYS_PTRACE)\n");
}

/* All is guessed, as shown to a caller that sees no single processes. */
static void prints_the_page_of_guesses(void **state)
{
	static const struct reported reported = {.is_young = true,
		.is_public = true,
		.guessed = 8,
		.denied = 1,
		.flags = SELF_CAP_SYS_PTRACE | SELF_COMPARES_MM};

	(void)state;
	check_page(&reported,
		HEAD_ADAPTIVE MEMORY "\n  guessed   2.0 GiB, 100 %, 8 processes never measured\n"
				     "  unread    1 process denied\n" CPU
				     "\nRights      all processes (CAP_SYS_PTRACE)\n");
}

/* Denied, failed and blocked processes, too little budget, and processes that waited for memory. */
static void prints_the_page_of_a_troubled_host(void **state)
{
	static const struct reported reported = {.needed = 0.023,
		.is_tried = true,
		.pressure = 0.125,
		.denied = 3,
		.failed = 1,
		.blocked = 1,
		.guessed = 1,
		.holds = 9,
		.holds_above = 12054,
		.scale = 10,
		.pressed = 1,
		.longest_ms = 300400, /* above the limit, but equal to it as printed */
		.low_mib = 2048,
		.interval_ms = 2500,
		.flags = SELF_PROC_HIDDEN};

	(void)state;
	check_page(&reported, HEAD_STRETCHED MEMORY
		", at least 2.0 GiB\n" MEASURED
		"  estimated 1.5 GiB, 75 %, from measurements up to 4 min 40 s old\n"
		"  guessed   256.0 MiB, 12 %, 1 process never measured\n"
		"  unread    3 processes denied (RSS 30.0 MiB, in the upper bounds only), 1 "
		"blocked, 1 failed\n" ACCURACY "99 of 100 up to 0.5 % off\n"
		"Blocked     2 reads of files in /proc, the oldest for 22 min 0 s; "
		"memtallyd's log names the processes\n" CPU
		", 2.3 % needed: raise budget.cpu\n" STALLS
		"at most 50 ms; 12054 over the 20 ms allowed\n"
		"Deferred    1 measurement waiting, because processes waited for memory; longest "
		"since measured or first seen 5 min 0 s, allowed 5 min 0 s; processes wait for "
		"memory 12 % of the time, so memtallyd measures less\n"
		"Kernel      walks keep no process waiting; no kcmp: each process counts a "
		"shared address space\n"
		"Rights      its own user's processes only: CAP_SYS_PTRACE is missing; /proc "
		"hides other users' processes (hidepid)\n");
}

static void prints_the_page_of_a_host_short_of_memory(void **state)
{
	static const struct reported reported = {.is_public = true,
		.pressure = 0.31,
		.denied = 1,
		.needed = 0.0100000001,
		.flags = SELF_CAP_PERFMON | SELF_COMPARES_MM};

	(void)state;
	check_page(&reported, HEAD_ADAPTIVE MEMORY_ADAPTIVE
		"  unread    1 process denied\n"
		"Accuracy    since the start half of the estimates up to 0.01 % off\n" CPU
		"\n" STALLS "at most 0.05 ms; none over the 20 ms allowed\n"
		"Deferred    none; processes wait for memory 31 % of the time, so memtallyd "
		"measures only the new and the overdue\n"
		"Rights      all processes (CAP_PERFMON); some program names are cut without "
		"CAP_SYS_PTRACE\n");
}

static void prints_the_page_of_exact_mode(void **state)
{
	static const struct reported reported = {.is_exact = true,
		.holds = 15,
		.flags = SELF_CAP_SYS_PTRACE | SELF_COMPARES_MM | SELF_USERS_BY_LOGIN};

	(void)state;
	check_page(&reported,
		"memtallyd 1.2.3: exact, a pass every 10 s; users by loginuid\n" RUNNING MEMORY "\n"
		"  measured  2.0 GiB, 100 %, within the last interval\n"
		"CPU         0.25 % of one core over the last 1 min 5 s\n" STALLS "over 5 s\n"
		"Rights      all processes (CAP_SYS_PTRACE)\n");
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
		"memtallyd 1.2.3: exact, a pass every 10 s\n" RUNNING MEMORY "\n"
		"  measured  2.0 GiB, all that could be read, within the last interval\n"
		"  unread    1 process blocked\n"
		"Blocked     2 reads of files in /proc, the oldest for 22 min 0 s; memtallyd's log "
		"names the processes\n"
		"CPU         0.25 % of one core over the last 1 min 5 s\n" STALLS
		"at most 0.25 ms\n"
		"Rights      all processes (CAP_SYS_PTRACE)\n");
	check(view, 1420 * NS_PER_SEC,
		"memtallyd 1.2.3: exact, a pass every 10 s\n"
		"Running     2 h 24 min; 738 passes, the last took 41 ms; snapshot 22 min 0 s old: "
		"stale (limit 30 s)\n" MEMORY "\n"
		"  measured  2.0 GiB, all that could be read, within the last interval\n"
		"  unread    1 process blocked\n"
		"Blocked     2 reads of files in /proc, the oldest for 43 min 51 s; memtallyd's log "
		"names the processes\n"
		"CPU         0.25 % of one core over the last 1 min 5 s\n" STALLS
		"at most 0.25 ms\n"
		"Rights      all processes (CAP_SYS_PTRACE)\n");
}

/* From a nearly empty image no line is invented. */
static void omits_unknown_values(void **state)
{
	static const struct image_header head = {
		.sequence = 1, .interval_ns = 100 * NS_PER_MSEC, .stale_ns = 2, .boottime_ns = 1};
	AUTO_VIEW struct view *view = NULL;
	AUTO_SMALL struct small s = {0};

	(void)state;
	small_begin(&s);
	s.self->flags = SELF_CAP_SYS_PTRACE | SELF_COMPARES_MM;
	view = small_view(&s.builder, &head);
	check(view, 1,
		"memtallyd : exact, a pass every 100 ms\n"
		"Running     snapshot 0 s old\n"
		"Rights      all processes (CAP_SYS_PTRACE)\n");
}

/* A kernel that averages map counts, one that does not, and an unknown one. */
static void says_whether_map_counts_are_exact(void **state)
{
	static const char *const texts[] = {
		"Kernel      map counts averaged, so PSS of shared memory is approximate; ",
		"Kernel      map counts exact; ", "Kernel      map counts not known to be exact; "};

	(void)state;
	for (unsigned int i = 0; i < ARRAY_SIZE(texts); i++) {
		AUTO_BUFFER struct buffer text = {0};
		AUTO_VIEW struct view *view = NULL;
		AUTO_SMALL struct small s = {0};
		struct snapshot_balance *balance;

		small_begin(&s);
		balance = builder_add_balance(&s.builder);
		assert_non_null(balance);
		if (i < 2)
			ROW_SET(balance, BALANCE_MAP_COUNTS_EXACT, i);
		view = small_view(&s.builder, NULL);
		report_render(view, 1, &text);
		buffer_add_char(&text, 0);
		assert_int_equal(text.error, 0);
		assert_non_null(strstr(text.data, texts[i]));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(prints_the_page_of_a_usual_host),
		cmocka_unit_test(prints_the_page_of_a_young_memtallyd),
		cmocka_unit_test(prints_the_page_of_guesses),
		cmocka_unit_test(prints_the_page_of_a_troubled_host),
		cmocka_unit_test(prints_the_page_of_a_host_short_of_memory),
		cmocka_unit_test(prints_the_page_of_exact_mode),
		cmocka_unit_test(reports_blocked_reads_and_old_snapshots),
		cmocka_unit_test(omits_unknown_values),
		cmocka_unit_test(says_whether_map_counts_are_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
