/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/compare/comparison.h: the reason for each difference. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "cli/compare/comparison.h"
#include "snapshot/owner.h"
#include "tests/unit/support/cli/compared.h"
#include "tests/unit/support/faults/allocation.h"

enum { KIB = 1024, ABSENT = COMPARED_ABSENT, GROUPS = 6 };

/* The snapshot is as old as that. */
#define AGE_NS (8 * NS_PER_SEC)

/* A group of process-exporter. Amounts in KiB; ABSENT: it has no such metric. */
struct answer {
	const char *name;
	int64_t processes, rss, pss;
};

/* A comparison, and what it borrows from. */
struct compared {
	struct view *view;
	struct scrape scrape;
	struct comparison result;
};

static void compared_done(struct compared *c)
{
	view_unref(c->view);
	scrape_done(&c->scrape);
	comparison_done(&c->result);
}

static size_t count_ours(const struct compared_group *group)
{
	size_t count = 0;

	while (count < GROUPS && group[count].name)
		count++;
	return count;
}

static struct view *view_of(const struct compared_group *group)
{
	static const struct image_header head = {
		.sequence = 1, .interval_ns = 10 * NS_PER_SEC, .stale_ns = 30 * NS_PER_SEC};
	AUTO_SMALL struct small s = {0};

	small_begin(&s);
	compared_fill(&s.builder, group, count_ours(group));
	return small_view(&s.builder, &head);
}

static void add_memory(struct buffer *to, const char *name, const char *type, int64_t kib)
{
	if (kib != ABSENT)
		buffer_printf(to,
			"namedprocess_namegroup_memory_bytes{groupname=\"%s\",memtype=\"%s\"} %lld\n",
			name, type, (long long)kib * KIB);
}

static void scrape_of(const struct answer *answer, struct scrape *ret)
{
	AUTO_BUFFER struct buffer text = {0};
	char error[SCRAPE_ERROR_SIZE];

	buffer_add_text(&text, "namedprocess_scrape_errors 0\n");
	for (size_t i = 0; i < GROUPS && answer[i].name; i++) {
		buffer_printf(&text, "namedprocess_namegroup_num_procs{groupname=\"%s\"} %lld\n",
			answer[i].name, (long long)answer[i].processes);
		add_memory(&text, answer[i].name, "resident", answer[i].rss);
		add_memory(&text, answer[i].name, "proportionalResident", answer[i].pss);
	}
	assert_int_equal(text.error, 0);
	assert_int_equal(scrape_parse(text.data, text.len, ret, error), 0);
}

/* Compares OURS with THEIRS, each up to GROUPS or an empty row. */
static void compare(
	const struct compared_group *ours, const struct answer *theirs, struct compared *ret)
{
	ret->view = view_of(ours);
	scrape_of(theirs, &ret->scrape);
	assert_int_equal(comparison_make(ret->view, AGE_NS, &ret->scrape, 0, &ret->result), 0);
}

/* Returns the row NAME; the test fails if there is none. */
static const struct comparison_row *row_of(const struct compared *c, const char *name)
{
	for (size_t i = 0; i < c->result.count; i++)
		if (!strcmp(c->result.row[i].name, name))
			return &c->result.row[i];
	fail_msg("no row %s", name);
	return NULL;
}

/* Checks reason and text of the row NAME. */
static void expect(
	const struct compared *c, const char *name, enum comparison_reason reason, const char *why)
{
	const struct comparison_row *row = row_of(c, name);
	AUTO_BUFFER struct buffer text = {0};

	comparison_add_why(row, &text);
	buffer_add_char(&text, '\0');
	assert_int_equal(text.error, 0);
	if (row->reason != reason || strcmp(text.data, why) != 0)
		fail_msg("%s: %s: %s", name, comparison_reason_name(row->reason), text.data);
}

/* A group that both have, and the reason why its figures differ. */
struct pair {
	struct compared_group ours;
	struct answer theirs;
	enum comparison_reason reason;
	const char *why;
};

static void expect_pair(const struct pair *p)
{
	const struct compared_group ours[GROUPS] = {p->ours};
	const struct answer theirs[GROUPS] = {p->theirs};
	CLEANUP(compared_done) struct compared c = {0};

	compare(ours, theirs, &c);
	assert_int_equal(c.result.count, 1);
	expect(&c, p->ours.name, p->reason, p->why);
	assert_int_equal(c.result.unexplained, !comparison_is_explained(p->reason));
}

#define DIFFERENT_TIMES "measured at different times, ours 8 s ago"
#define NOT_EXPLAINED   "not explained: RSS or PSS differs by more than 1 MiB and 5 %"

static void memory_of_a_group_differs_for_a_reason(void **state)
{
	static const struct pair pairs[] = {
		{{"a", 2, 9000, 5000, 5000, 5002}, {"a", 2, 9000, 5000}, COMPARISON_EQUAL, "equal"},
		/* 1 KiB for each process; 64 pages of RSS */
		{{"a", 2, 9000, 5000, 5000, 5002}, {"a", 2, 9512, 4998}, COMPARISON_ROUNDING,
			"within rounding"},
		{{"a", 2, 9512, 5000, 5000, 5002}, {"a", 2, 9000, 5002}, COMPARISON_ROUNDING,
			"within rounding"},
		/* the same of many small processes, where it is more than 5 % */
		{{"a", 12, 30000, 9000, 9000, 9012}, {"a", 12, 33072, 9000}, COMPARISON_ROUNDING,
			"within rounding"},
		{{"a", 12, 33072, 9000, 9000, 9012}, {"a", 12, 30000, 9683}, COMPARISON_TIME,
			DIFFERENT_TIMES},
		{{"a", 12, 30000, 9000, 9000, 9012}, {"a", 12, 33073, 9000}, COMPARISON_MEMORY,
			NOT_EXPLAINED},
		{{"a", 2, 9000, 5000, 4000, 7000}, {"a", 2, 9000, 7000}, COMPARISON_BOUNDS,
			"within the bounds of ours, measured 8 s ago"},
		/* their PSS is rounded, too */
		{{"a", 2, 9000, 5000, 4000, 7000}, {"a", 2, 9000, 3998}, COMPARISON_BOUNDS,
			"within the bounds of ours, measured 8 s ago"},
		{{"a", 2, 9000, 5000, 4000, 7000, 0, 263}, {"a", 2, 9000, 3998}, COMPARISON_BOUNDS,
			"within the bounds of ours, measured 4 min 31 s ago"},
		/* none of its processes could be measured */
		{{"a", 2, 9000, ABSENT, ABSENT, 9000}, {"a", 2, 9000, 4000}, COMPARISON_BOUNDS,
			"within the bounds of ours, measured 8 s ago"},
		{{"a", 2, 9000, ABSENT, ABSENT, ABSENT}, {"a", 2, 9000, 4000}, COMPARISON_BOUNDS,
			"within the bounds of ours, measured 8 s ago"},
		{{"a", 2, 9000, ABSENT, ABSENT, 9000}, {"a", 2, 9000, 2}, COMPARISON_BOUNDS,
			"within the bounds of ours, measured 8 s ago"},
		/* 1 MiB outside of the bounds */
		{{"a", 2, 9000, 5000, 4000, 7000}, {"a", 2, 9000, 8024}, COMPARISON_TIME,
			DIFFERENT_TIMES},
		{{"a", 2, 9000, 5000, 4000, 7000}, {"a", 2, 9000, 8025}, COMPARISON_MEMORY,
			NOT_EXPLAINED},
		{{"a", 2, 9000, 5000, 4000, 7000}, {"a", 2, 9000, 2974}, COMPARISON_TIME,
			DIFFERENT_TIMES},
		{{"a", 2, 9000, 5000, 4000, 7000}, {"a", 2, 9000, 2973}, COMPARISON_MEMORY,
			NOT_EXPLAINED},
		/* 5 % of the larger PSS */
		{{"a", 2, 900000, 100000, 100000, 100002}, {"a", 2, 900000, 94998}, COMPARISON_TIME,
			DIFFERENT_TIMES},
		{{"a", 2, 900000, 100000, 100000, 100002}, {"a", 2, 900000, 94997},
			COMPARISON_MEMORY, NOT_EXPLAINED},
		/* the process grew, or shrank, by 1 MiB of RSS */
		{{"a", 2, 9000, 5000, 5000, 5002}, {"a", 2, 10024, 6024}, COMPARISON_TIME,
			DIFFERENT_TIMES},
		{{"a", 2, 9000, 5000, 5000, 5002}, {"a", 2, 10025, 6025}, COMPARISON_MEMORY,
			NOT_EXPLAINED},
		{{"a", 2, 10024, 6024, 6024, 6026}, {"a", 2, 9000, 5000}, COMPARISON_TIME,
			DIFFERENT_TIMES},
		{{"a", 2, 10025, 6025, 6025, 6027}, {"a", 2, 9000, 5000}, COMPARISON_MEMORY,
			NOT_EXPLAINED},
		/* the PSS by as much and 1 MiB more */
		{{"a", 2, 9000, 5000, 5000, 5002}, {"a", 2, 10000, 7026}, COMPARISON_TIME,
			DIFFERENT_TIMES},
		{{"a", 2, 9000, 5000, 5000, 5002}, {"a", 2, 10000, 7027}, COMPARISON_MEMORY,
			NOT_EXPLAINED},
		/* 5 % of the larger RSS */
		{{"a", 2, 100000, 50000, 50000, 50002}, {"a", 2, 105263, 50000}, COMPARISON_TIME,
			DIFFERENT_TIMES},
		{{"a", 2, 100000, 50000, 50000, 50002}, {"a", 2, 105264, 50000}, COMPARISON_MEMORY,
			NOT_EXPLAINED},
		{{"a", 2, 105264, 50000, 50000, 50002}, {"a", 2, 100000, 50000}, COMPARISON_MEMORY,
			NOT_EXPLAINED},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		expect_pair(&pairs[i]);
}

static void process_exporter_may_have_no_pss(void **state)
{
	static const struct pair pairs[] = {
		{{"a", 2, 9000, 5000, 5000, 5002}, {"a", 2, 9000, ABSENT}, COMPARISON_NO_PSS,
			"theirs has no PSS (-gather-smaps=false)"},
		{{"a", 2, 9000, 5000, 5000, 5002}, {"a", 2, 9000, 0}, COMPARISON_DENIED,
			"theirs has no PSS: not permitted (0)"},
		{{"a", 2, 9000, 5000, 5000, 5002}, {"a", 2, 12000, ABSENT}, COMPARISON_MEMORY,
			NOT_EXPLAINED},
		/* a PSS below 1 KiB is 0, too */
		{{"a", 2, 4, 0, 0, 2}, {"a", 2, 4, 0}, COMPARISON_EQUAL, "equal"},
		{{"a", 2, 4, 2, 2, 4}, {"a", 2, 4, 0}, COMPARISON_ROUNDING, "within rounding"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		expect_pair(&pairs[i]);
}

static void processes_without_memory_count_there(void **state)
{
	static const struct pair pairs[] = {
		{{"a", 2, 9000, 5000, 5000, 5002}, {"a", 3, 9000, 5000}, COMPARISON_NO_MEMORY,
			"theirs counts 1 kernel thread or zombie"},
		{{"a", 2, 9000, 5000, 5000, 5002}, {"a", 5, 9000, 5001}, COMPARISON_NO_MEMORY,
			"theirs counts 3 kernel threads or zombies"},
		{{"a", 2, 9000, 5000, 4000, 7000}, {"a", 3, 9000, 6000}, COMPARISON_NO_MEMORY,
			"theirs counts 1 kernel thread or zombie"},
		{{"a", 2, 9000, 5000, 5000, 5002}, {"a", 3, 9000, 0}, COMPARISON_NO_MEMORY,
			"theirs counts 1 kernel thread or zombie"},
		/* the other process has memory */
		{{"a", 2, 9000, 5000, 5000, 5002}, {"a", 3, 12000, 5000}, COMPARISON_PROCESSES,
			"not explained: theirs has 1 process more"},
		{{"a", 2, 9000, 5000, 5000, 5002}, {"a", 4, 9000, 5500}, COMPARISON_PROCESSES,
			"not explained: theirs has 2 processes more"},
		{{"a", 2, 9000, 5000, 5000, 5002}, {"a", 4, 9000, 8000}, COMPARISON_PROCESSES,
			"not explained: theirs has 2 processes more"},
		{{"a", 2, 9000, 5000, 5000, 5002}, {"a", 4, 12000, 0}, COMPARISON_PROCESSES,
			"not explained: theirs has 2 processes more"},
		/* only process-exporter counts such processes */
		{{"a", 3, 9000, 5000, 5000, 5002}, {"a", 2, 9000, 5000}, COMPARISON_PROCESSES,
			"not explained: theirs has 1 process fewer"},
		{{"a", 3, 9000, 5000, 5000, 5002}, {"a", 1, 9000, 5000}, COMPARISON_PROCESSES,
			"not explained: theirs has 2 processes fewer"},
		/* it keeps the group, and knows no process of it yet */
		{{"a", 3, 9000, 5000, 5000, 5002}, {"a", 0, 0, 0}, COMPARISON_PROCESSES,
			"not explained: theirs has 3 processes fewer"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		expect_pair(&pairs[i]);
}

static void groups_of_one_program_alone(void **state)
{
	static const struct compared_group ours[GROUPS] = {
		{"a", 2, 9000, 5000, 5000, 5002}, {"here", 1, 3000, 1000, 1000, 1001}};
	static const struct answer theirs[GROUPS] = {{"a", 2, 9000, 5000}, {"ended", 0, 0, 0},
		{"kthreadd", 70, 0, 0}, {"there", 1, 7000, 6000}};
	CLEANUP(compared_done) struct compared c = {0};

	(void)state;
	compare(ours, theirs, &c);
	assert_int_equal(c.result.count, 5);
	assert_int_equal(c.result.unexplained, 2);
	expect(&c, "a", COMPARISON_EQUAL, "equal");
	expect(&c, "ended", COMPARISON_EMPTY, "theirs keeps empty groups");
	expect(&c, "kthreadd", COMPARISON_NO_MEMORY, "theirs counts 70 kernel threads or zombies");
	expect(&c, "here", COMPARISON_ONLY_OURS,
		"only ours: is naming.process_exporter the same file?");
	expect(&c, "there", COMPARISON_ONLY_THEIRS,
		"only theirs: is naming.process_exporter the same file?");
}

/* process-exporter sees memtally, which started after the snapshot was made. */
static void memtally_itself_is_a_difference(void **state)
{
	static const struct compared_group ours[GROUPS] = {
		{"bash", 2, 9000, 3000, 3000, 3002}, {"java", 1, 400000, 300000, 300000, 300001}};
	static const struct {
		struct answer theirs[GROUPS];
		uint64_t own_rss_kib;
		const char *name; /* the group with memtally; NULL: none */
	} cases[] = {
		{{{"bash", 2, 9000, 3000}, {"memtally", 1, 10400, 8300}}, 10000, "memtally"},
		{{{"bash", 3, 19000, 11000}, {"java", 1, 400000, 300000}}, 10000, "bash"},
		/* the nearest RSS counts */
		{{{"bash", 3, 19100, 11000}, {"java", 2, 410050, 308000}}, 10000, "java"},
		{{{"bash", 3, 19100, 11000}, {"java", 2, 410250, 308000}}, 10000, "bash"},
		/* another number of processes, or another RSS */
		{{{"bash", 4, 19000, 11000}}, 10000, NULL},
		{{{"bash", 3, 20025, 11000}}, 10000, NULL},
		{{{"bash", 3, 17975, 11000}}, 10000, NULL},
		/* a snapshot with memtally in it, or a saved scrape */
		{{{"memtally", 1, 900, 800}}, 0, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CLEANUP(compared_done) struct compared c = {0};

		c.view = view_of(ours);
		scrape_of(cases[i].theirs, &c.scrape);
		assert_int_equal(comparison_make(c.view, AGE_NS, &c.scrape,
					 cases[i].own_rss_kib * KIB, &c.result),
			0);
		for (size_t k = 0; k < c.result.count; k++)
			assert_int_equal(c.result.row[k].reason == COMPARISON_OWN,
				cases[i].name && !strcmp(c.result.row[k].name, cases[i].name));
		if (cases[i].name)
			expect(&c, cases[i].name, COMPARISON_OWN, "theirs counts this memtally");
	}
}

/* The largest PSS of either program comes first, and names decide between equal ones. */
static void the_largest_group_comes_first(void **state)
{
	static const struct compared_group ours[GROUPS] = {{"a", 1, 900, 500, 500, 501},
		{"c", 1, 3000, 1000, 1000, 1001}, {"b", 1, 3000, 1000, 1000, 1001}};
	static const struct answer theirs[GROUPS] = {{"d", 1, 7000, 6000}, {"a", 1, 900, 500}};
	static const char *const order[] = {"d", "b", "c", "a"};
	CLEANUP(compared_done) struct compared c = {0};

	(void)state;
	compare(ours, theirs, &c);
	assert_int_equal(c.result.count, ARRAY_SIZE(order));
	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		assert_string_equal(c.result.row[i].name, order[i]);
}

/* process-exporter knows one of two java processes as the shell that it was. */
static void a_process_is_in_the_group_that_it_had_before_exec(void **state)
{
	static const struct compared_group ours[GROUPS] = {
		{"bash", 2, 9000, 3000, 3000, 3002}, {"java", 2, 900000, 800000, 800000, 800002}};
	static const struct answer theirs[GROUPS] = {
		{"bash", 3, 459000, 403000}, {"java", 1, 450000, 400000}};
	CLEANUP(compared_done) struct compared c = {0};

	(void)state;
	compare(ours, theirs, &c);
	expect(&c, "bash", COMPARISON_EXEC, "theirs matched before exec: ours has some in java");
	expect(&c, "java", COMPARISON_EXEC, "theirs matched before exec: theirs has some in bash");
	assert_int_equal(c.result.unexplained, 0);
}

/* One of the groups may be one program's alone. */
static void a_whole_group_may_have_another_name_before_exec(void **state)
{
	static const struct compared_group ours[GROUPS] = {
		{"bash", 2, 9000, 3000, 3000, 3002}, {"java", 1, 450000, 400000, 400000, 400001}};
	static const struct answer theirs[GROUPS] = {{"bash", 3, 459000, 403000}};
	static const struct compared_group later[GROUPS] = {
		{"java", 2, 900000, 800000, 800000, 800002}};
	static const struct answer earlier[GROUPS] = {
		{"bash", 1, 450000, 400000}, {"java", 1, 450000, 400000}};
	CLEANUP(compared_done) struct compared c = {0}, d = {0};

	(void)state;
	compare(ours, theirs, &c);
	expect(&c, "java", COMPARISON_EXEC, "theirs matched before exec: theirs has some in bash");
	assert_int_equal(c.result.unexplained, 0);
	compare(later, earlier, &d);
	expect(&d, "bash", COMPARISON_EXEC, "theirs matched before exec: ours has some in java");
	assert_int_equal(d.result.unexplained, 0);
}

/* The bounds of both groups count, and a PSS that is not known for one of them is for none. */
static void sums_have_bounds(void **state)
{
	static const struct compared_group ours[GROUPS] = {
		{"bash", 2, 9000, 3000, 3000, 3002}, {"java", 2, 900000, 800000, 700000, 900000}};
	static const struct answer low[GROUPS] = {
		{"bash", 3, 459000, 403000}, {"java", 1, 450000, 300000}};
	static const struct answer high[GROUPS] = {
		{"bash", 3, 459000, 503000}, {"java", 1, 450000, 400000}};
	static const struct answer unknown[GROUPS] = {
		{"bash", 3, 459000, ABSENT}, {"java", 1, 450000, 400000}};
	static const struct answer *const answers[] = {low, high, unknown};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
		CLEANUP(compared_done) struct compared c = {0};

		compare(ours, answers[i], &c);
		assert_int_equal(row_of(&c, "bash")->reason, COMPARISON_EXEC);
		assert_int_equal(row_of(&c, "java")->reason, COMPARISON_EXEC);
	}
}

/* One process cannot come from two groups. */
static void a_group_is_in_one_pair(void **state)
{
	static const struct compared_group ours[GROUPS] = {{"a", 1, 9000, 3000, 3000, 3001},
		{"b", 2, 18000, 6000, 6000, 6002}, {"c", 1, 9000, 3000, 3000, 3001}};
	static const struct answer theirs[GROUPS] = {
		{"a", 2, 18000, 6000}, {"b", 1, 9000, 3000}, {"c", 2, 18000, 6000}};
	CLEANUP(compared_done) struct compared c = {0};

	(void)state;
	compare(ours, theirs, &c);
	expect(&c, "a", COMPARISON_EXEC, "theirs matched before exec: ours has some in b");
	expect(&c, "b", COMPARISON_EXEC, "theirs matched before exec: theirs has some in a");
	expect(&c, "c", COMPARISON_PROCESSES, "not explained: theirs has 1 process more");
}

/* Groups with as many processes have exchanged none. */
static void pss_of_two_groups_is_not_added(void **state)
{
	static const struct compared_group ours[GROUPS] = {
		{"a", 1, 90000, 30000, 30000, 30001}, {"b", 1, 90000, 60000, 60000, 60001}};
	static const struct answer theirs[GROUPS] = {
		{"a", 1, 90000, 60000}, {"b", 1, 90000, 30000}};
	CLEANUP(compared_done) struct compared c = {0};

	(void)state;
	compare(ours, theirs, &c);
	expect(&c, "a", COMPARISON_MEMORY, NOT_EXPLAINED);
	expect(&c, "b", COMPARISON_MEMORY, NOT_EXPLAINED);
}

/* Another rule gives the same processes another name, so the files differ. */
static void a_renamed_group_is_not_explained(void **state)
{
	static const struct compared_group ours[GROUPS] = {{"apache2", 2, 9000, 3000, 3000, 3002}};
	static const struct answer theirs[GROUPS] = {{"httpd", 2, 9000, 3000}};
	CLEANUP(compared_done) struct compared c = {0};

	(void)state;
	compare(ours, theirs, &c);
	assert_int_equal(c.result.unexplained, 2);
	assert_int_equal(row_of(&c, "apache2")->reason, COMPARISON_ONLY_OURS);
	assert_int_equal(row_of(&c, "httpd")->reason, COMPARISON_ONLY_THEIRS);
}

/* The numbers of processes fit, the memory does not. */
static void processes_that_do_not_add_up_are_not_explained(void **state)
{
	static const struct compared_group ours[GROUPS] = {
		{"bash", 2, 9000, 3000, 3000, 3002}, {"java", 2, 900000, 800000, 800000, 800002}};
	static const struct answer more_rss[GROUPS] = {
		{"bash", 3, 559000, 403000}, {"java", 1, 450000, 400000}};
	static const struct answer more_pss[GROUPS] = {
		{"bash", 3, 459000, 503000}, {"java", 1, 450000, 400000}};
	static const struct answer less_pss[GROUPS] = {
		{"bash", 3, 459000, 3000}, {"java", 1, 450000, 300000}};
	static const struct answer more_processes[GROUPS] = {
		{"bash", 4, 459000, 403000}, {"java", 1, 450000, 400000}};
	static const struct answer one_group[GROUPS] = {{"bash", 4, 909000, 903000}};
	static const struct answer *const answers[] = {
		more_rss, more_pss, less_pss, more_processes, one_group};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
		CLEANUP(compared_done) struct compared c = {0};

		compare(ours, answers[i], &c);
		assert_int_equal(row_of(&c, "bash")->reason, COMPARISON_PROCESSES);
		assert_int_equal(row_of(&c, "java")->reason,
			answers[i] == one_group ? COMPARISON_ONLY_OURS : COMPARISON_PROCESSES);
		assert_int_equal(c.result.unexplained, 2);
	}
}

/* Shells that became three programs: no two groups add up, all together do. */
static void processes_may_be_in_several_groups(void **state)
{
	static const struct compared_group ours[GROUPS] = {{"sh", 1, 9000, 3000, 3000, 3001},
		{"a", 1, 30000, 20000, 20000, 20001}, {"b", 1, 40000, 30000, 30000, 30001},
		{"same", 1, 5000, 4000, 4000, 4001}};
	static const struct answer theirs[GROUPS] = {
		{"sh", 3, 79000, 53000}, {"same", 1, 5000, 4000}};
	static const struct answer renamed[GROUPS] = {
		{"bash", 3, 79000, 53000}, {"same", 1, 5000, 4000}};
	CLEANUP(compared_done) struct compared c = {0}, d = {0};

	(void)state;
	compare(ours, theirs, &c);
	expect(&c, "a", COMPARISON_EXEC,
		"theirs matched before exec: the sums over these groups agree");
	assert_int_equal(row_of(&c, "sh")->reason, COMPARISON_EXEC);
	assert_int_equal(row_of(&c, "b")->reason, COMPARISON_EXEC);
	assert_int_equal(row_of(&c, "same")->reason, COMPARISON_EQUAL);
	assert_int_equal(c.result.unexplained, 0);
	compare(ours, renamed, &d);
	assert_int_equal(d.result.unexplained, 4);
}

/* Some rows of a snapshot are not groups of rules, or have no processes any more. */
static void other_rows_are_skipped(void **state)
{
	static const struct compared_group ours[GROUPS] = {
		{OWNER_NONE, 9, 90000, 50000, 50000, 50009}, {"a", 1, 9000, 5000, 5000, 5001},
		{"ended", 0, 0, 0, 0, 0}, {"(other)", 1, 9000, 5000, 5000, 5001, SCOPE_OTHER}};
	static const struct answer theirs[GROUPS] = {{"a", 1, 9000, 5000}};
	CLEANUP(compared_done) struct compared c = {0};

	(void)state;
	compare(ours, theirs, &c);
	assert_int_equal(c.result.count, 1);
	assert_int_equal(c.result.unexplained, 0);
}

static void a_snapshot_may_have_no_namegroups(void **state)
{
	static const struct compared_group none[GROUPS] = {
		{OWNER_NONE, 9, 90000, 50000, 50000, 50009}};
	static const struct answer theirs[GROUPS] = {{"a", 1, 9000, 5000}};
	AUTO_VIEW struct view *view = view_of(none);
	AUTO_SCRAPE struct scrape scrape = {0};
	AUTO_COMPARISON struct comparison c = {0};

	(void)state;
	scrape_of(theirs, &scrape);
	assert_int_equal(comparison_make(view, AGE_NS, &scrape, 0, &c), COMPARISON_NONE);
}

/* Whatever is served, amounts neither wrap nor take long. */
static void bears_hostile_answers(void **state)
{
	static const struct compared_group ours[GROUPS] = {
		{"a", 1, 9000, 5000, 5000, 5001}, {"b", 1, 9000, 5000, 5000, 5001}};
	static const char huge[] =
		"namedprocess_namegroup_num_procs{groupname=\"a\"} 9223372036854775807\n"
		"namedprocess_namegroup_num_procs{groupname=\"b\"} 9223372036854775807\n"
		"namedprocess_namegroup_memory_bytes{groupname=\"a\",memtype=\"resident\"} 9.2e18\n"
		"namedprocess_namegroup_memory_bytes{groupname=\"b\",memtype=\"resident\"} 9.2e18\n"
		"namedprocess_namegroup_memory_bytes{groupname=\"a\",memtype=\"proportionalResident\"} 9.2e18\n";
	AUTO_VIEW struct view *view = view_of(ours);
	AUTO_BUFFER struct buffer text = {0};
	char error[SCRAPE_ERROR_SIZE];

	(void)state;
	buffer_add_text(&text, huge);
	for (unsigned int i = 0; i < 200000; i++)
		buffer_printf(&text,
			"namedprocess_namegroup_num_procs{groupname=\"x%u\"} %u\n"
			"namedprocess_namegroup_memory_bytes{groupname=\"x%u\",memtype=\"resident\"} %u\n",
			i, i % 3, i, i);
	for (unsigned int i = 0; i < 2; i++) {
		AUTO_SCRAPE struct scrape scrape = {0};
		AUTO_COMPARISON struct comparison c = {0};

		assert_int_equal(
			scrape_parse(text.data, i ? text.len : sizeof(huge) - 1, &scrape, error),
			0);
		assert_int_equal(comparison_make(view, AGE_NS, &scrape, 0, &c), 0);
		assert_int_equal(c.count, i ? 200002 : 2);
	}
}

static void returns_errors_without_memory(void **state)
{
	static const struct compared_group ours[GROUPS] = {{"a", 1, 9000, 5000, 5000, 5001}};
	static const struct answer theirs[GROUPS] = {{"a", 1, 9000, 5000}};
	AUTO_VIEW struct view *view = view_of(ours);
	AUTO_SCRAPE struct scrape scrape = {0};

	(void)state;
	scrape_of(theirs, &scrape);
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_COMPARISON struct comparison c = {0};

		allocation_fail_at(n);
		allocation_check(comparison_make(view, AGE_NS, &scrape, 0, &c));
	}
}

/* JSON and CSV have a word for each reason. */
static void every_reason_has_a_name(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < COMPARISON_REASONS; i++)
		assert_true(*comparison_reason_name((enum comparison_reason)i));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_of_a_group_differs_for_a_reason),
		cmocka_unit_test(process_exporter_may_have_no_pss),
		cmocka_unit_test(processes_without_memory_count_there),
		cmocka_unit_test(groups_of_one_program_alone),
		cmocka_unit_test(memtally_itself_is_a_difference),
		cmocka_unit_test(the_largest_group_comes_first),
		cmocka_unit_test(a_process_is_in_the_group_that_it_had_before_exec),
		cmocka_unit_test(a_whole_group_may_have_another_name_before_exec),
		cmocka_unit_test(sums_have_bounds),
		cmocka_unit_test(a_group_is_in_one_pair),
		cmocka_unit_test(pss_of_two_groups_is_not_added),
		cmocka_unit_test(a_renamed_group_is_not_explained),
		cmocka_unit_test(processes_that_do_not_add_up_are_not_explained),
		cmocka_unit_test(processes_may_be_in_several_groups),
		cmocka_unit_test(other_rows_are_skipped),
		cmocka_unit_test(a_snapshot_may_have_no_namegroups),
		cmocka_unit_test(bears_hostile_answers),
		cmocka_unit_test(returns_errors_without_memory),
		cmocka_unit_test(every_reason_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
