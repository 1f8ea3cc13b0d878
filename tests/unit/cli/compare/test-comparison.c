/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/compare/comparison.h: the reason for each difference. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "cli/compare/comparison.h"
#include "cli/compare/reason-text.h"
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

/* A row, and why its figures differ: each reason has a text of its own. */
struct expected {
	const char *name, *why;
};

#define EQUAL            "equal"
#define ROUNDED          "within rounding"
#define WITHIN_BOUNDS    "within the bounds of ours, snapshot of 8 s ago"
#define DIFFERENT_TIMES  "measured at different times, snapshot of 8 s ago"
#define ONE_NO_MEMORY    "theirs counts 1 kernel thread or zombie"
#define NOT_EXPLAINED    "not explained: RSS or PSS differs by more than 1 MiB and 5 %"
#define ONE_MORE         "not explained: theirs has 1 process more"
#define TWO_MORE         "not explained: theirs has 2 processes more"
#define ONE_FEWER        "not explained: theirs has 1 process fewer"
#define UNMEASURED       "ours could not be measured"
#define ONLY_OURS        "only ours: is naming.process_exporter the same file?"
#define ONLY_THEIRS      "only theirs: is naming.process_exporter the same file?"
#define OURS_IN(other)   "theirs matched before exec: ours has some in " other
#define THEIRS_IN(other) "theirs matched before exec: theirs has some in " other
#define SUMS_AGREE       "theirs matched before exec: the sums over these groups agree"

static bool is_explained(const char *why)
{
	return strncmp(why, "not explained", 13) != 0 && strncmp(why, "only ", 5) != 0 &&
	       strncmp(why, UNMEASURED, strlen(UNMEASURED)) != 0;
}

/* Checks the text of a row. Returns whether it explains the difference. */
static bool expect(const struct compared *c, const struct expected *e)
{
	const struct comparison_row *row = row_of(c, e->name);
	AUTO_BUFFER struct buffer text = {0};

	reason_text_add(row, &text);
	buffer_add_char(&text, '\0');
	assert_int_equal(text.error, 0);
	if (strcmp(text.data, e->why) != 0)
		fail_msg("%s: %s: %s", e->name, comparison_reason_name(row->reason), text.data);
	assert_int_equal(comparison_is_explained(row->reason), is_explained(e->why));
	return is_explained(e->why);
}

/* Groups, and all rows of their comparison. */
struct scenario {
	struct compared_group ours[GROUPS];
	struct answer theirs[GROUPS];
	struct expected row[GROUPS];
};

static void expect_all(const struct scenario *scenario, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct scenario *s = &scenario[i];
		CLEANUP(compared_done) struct compared c = {0};
		size_t rows = 0, unexplained = 0;

		compare(s->ours, s->theirs, &c);
		for (; rows < GROUPS && s->row[rows].name; rows++)
			unexplained += !expect(&c, &s->row[rows]);
		assert_int_equal(c.result.count, rows);
		assert_int_equal(c.result.unexplained, unexplained);
	}
}

/* A group that both have, and the reason why its figures differ. */
struct pair {
	struct compared_group ours;
	struct answer theirs;
	const char *why;
};

static void expect_pairs(const struct pair *pair, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct scenario s = {
			{pair[i].ours}, {pair[i].theirs}, {{pair[i].ours.name, pair[i].why}}};

		expect_all(&s, 1);
	}
}

static void memory_of_a_group_differs_for_a_reason(void **state)
{
	static const struct pair pairs[] = {
		{{"a", 2, 9000, 5000, 5000, 5002}, {"a", 2, 9000, 5000}, EQUAL},
		/* 1 KiB for each process; 64 pages of RSS */
		{{"a", 2, 9000, 5000, 5000, 5002}, {"a", 2, 9512, 4998}, ROUNDED},
		{{"a", 2, 9512, 5000, 5000, 5002}, {"a", 2, 9000, 5002}, ROUNDED},
		/* the same of many small processes, where it is more than 5 % */
		{{"a", 12, 30000, 9000, 9000, 9012}, {"a", 12, 33072, 9000}, ROUNDED},
		{{"a", 12, 33072, 9000, 9000, 9012}, {"a", 12, 30000, 9683}, DIFFERENT_TIMES},
		{{"a", 12, 30000, 9000, 9000, 9012}, {"a", 12, 33073, 9000}, NOT_EXPLAINED},
		{{"a", 2, 9000, 5000, 4000, 7000}, {"a", 2, 9000, 7000}, WITHIN_BOUNDS},
		/* their PSS is rounded, too */
		{{"a", 2, 9000, 5000, 4000, 7000}, {"a", 2, 9000, 3998}, WITHIN_BOUNDS},
		{{"a", 2, 9000, 5000, 4000, 7000, 0, 263}, {"a", 2, 9000, 3998},
			"within the bounds of ours, measured 4 min 31 s ago"},
		{{"a", 2, 9000, 5000, 4000, 7000, 0, 263}, {"a", 2, 9000, 8024},
			"measured at different times, ours 4 min 31 s ago"},
		/* the upper bound is not known, or the lower one */
		{{"a", 2, 9000, 5000, 4000, ABSENT}, {"a", 2, 9000, 8000}, WITHIN_BOUNDS},
		{{"a", 2, 9000, 5000, ABSENT, 7000}, {"a", 2, 9000, 1000}, WITHIN_BOUNDS},
		/* 1 MiB outside of the bounds */
		{{"a", 2, 9000, 5000, 4000, 7000}, {"a", 2, 9000, 8024}, DIFFERENT_TIMES},
		{{"a", 2, 9000, 5000, 4000, 7000}, {"a", 2, 9000, 8025}, NOT_EXPLAINED},
		{{"a", 2, 9000, 5000, 4000, 7000}, {"a", 2, 9000, 2974}, DIFFERENT_TIMES},
		{{"a", 2, 9000, 5000, 4000, 7000}, {"a", 2, 9000, 2973}, NOT_EXPLAINED},
		/* 5 % of the larger PSS */
		{{"a", 2, 900000, 100000, 100000, 100002}, {"a", 2, 900000, 94998},
			DIFFERENT_TIMES},
		{{"a", 2, 900000, 100000, 100000, 100002}, {"a", 2, 900000, 94997}, NOT_EXPLAINED},
		/* the process grew, or shrank, by 1 MiB of RSS */
		{{"a", 2, 9000, 5000, 5000, 5002}, {"a", 2, 10024, 6024}, DIFFERENT_TIMES},
		{{"a", 2, 9000, 5000, 5000, 5002}, {"a", 2, 10025, 6025}, NOT_EXPLAINED},
		{{"a", 2, 10024, 6024, 6024, 6026}, {"a", 2, 9000, 5000}, DIFFERENT_TIMES},
		{{"a", 2, 10025, 6025, 6025, 6027}, {"a", 2, 9000, 5000}, NOT_EXPLAINED},
		/* the PSS by as much and 1 MiB more */
		{{"a", 2, 9000, 5000, 5000, 5002}, {"a", 2, 10000, 7026}, DIFFERENT_TIMES},
		{{"a", 2, 9000, 5000, 5000, 5002}, {"a", 2, 10000, 7027}, NOT_EXPLAINED},
		/* 5 % of the larger RSS */
		{{"a", 2, 100000, 50000, 50000, 50002}, {"a", 2, 105263, 50000}, DIFFERENT_TIMES},
		{{"a", 2, 100000, 50000, 50000, 50002}, {"a", 2, 105264, 50000}, NOT_EXPLAINED},
		{{"a", 2, 105264, 50000, 50000, 50002}, {"a", 2, 100000, 50000}, NOT_EXPLAINED},
	};

	(void)state;
	expect_pairs(pairs, ARRAY_SIZE(pairs));
}

/* Without any measurement there is nothing to compare; with some, their bounds have the others. */
static void memtally_may_have_no_pss(void **state)
{
	static const struct pair pairs[] = {
		{{"a", 2, 9000, ABSENT, ABSENT, 9000, 0, 0, 2}, {"a", 2, 9000, 4000},
			UNMEASURED ": 2 denied"},
		{{"a", 3, 9000, ABSENT, ABSENT, ABSENT, 0, 0, 2, 1}, {"a", 3, 9000, 4000},
			UNMEASURED ": 2 denied, 1 blocked"},
		{{"a", 2, 9000, ABSENT, ABSENT, 9000, 0, 0, 2}, {"a", 2, 9000, 0},
			UNMEASURED ": 2 denied"},
		{{"a", 2, 9000, ABSENT, ABSENT, 9000, 0, 0, 2}, {"a", 2, 19000, 4000},
			NOT_EXPLAINED "; of ours not measured: 2 denied"},
		{{"a", 2, 9000, ABSENT, ABSENT, 9000, 0, 0, 2}, {"a", 3, 9000, 4000},
			ONE_MORE "; of ours not measured: 2 denied"},
		{{"a", 3, 9000, 3000, 3000, 6000, 0, 0, 1}, {"a", 3, 9000, 5000},
			WITHIN_BOUNDS "; of ours not measured: 1 denied"},
		/* a blocked process adds an estimate */
		{{"a", 3, 9000, 5000, 3000, 6000, 0, 0, 0, 1}, {"a", 3, 9000, 5000},
			EQUAL "; of ours not measured: 1 blocked"},
	};

	(void)state;
	expect_pairs(pairs, ARRAY_SIZE(pairs));
}

static void process_exporter_may_have_no_pss(void **state)
{
	static const struct pair pairs[] = {
		{{"a", 2, 9000, 5000, 5000, 5002}, {"a", 2, 9000, ABSENT},
			"theirs has no PSS (-gather-smaps=false)"},
		{{"a", 2, 9000, 5000, 5000, 5002}, {"a", 2, 9000, 0},
			"theirs has no PSS: not permitted (0)"},
		{{"a", 2, 9000, 5000, 5000, 5002}, {"a", 2, 12000, ABSENT}, NOT_EXPLAINED},
		/* a PSS below 1 KiB is 0, too */
		{{"a", 2, 4, 0, 0, 2}, {"a", 2, 4, 0}, EQUAL},
		{{"a", 2, 4, 2, 2, 4}, {"a", 2, 4, 0}, ROUNDED},
	};

	(void)state;
	expect_pairs(pairs, ARRAY_SIZE(pairs));
}

static void processes_without_memory_count_there(void **state)
{
	static const struct pair pairs[] = {
		{{"a", 2, 9000, 5000, 5000, 5002}, {"a", 3, 9000, 5000}, ONE_NO_MEMORY},
		{{"a", 2, 9000, 5000, 5000, 5002}, {"a", 5, 9000, 5001},
			"theirs counts 3 kernel threads or zombies"},
		{{"a", 2, 9000, 5000, 4000, 7000}, {"a", 3, 9000, 6000}, ONE_NO_MEMORY},
		{{"a", 2, 9000, 5000, 5000, 5002}, {"a", 3, 9000, 0}, ONE_NO_MEMORY},
		/* the other process has memory */
		{{"a", 2, 9000, 5000, 5000, 5002}, {"a", 3, 12000, 5000}, ONE_MORE},
		{{"a", 2, 9000, 5000, 5000, 5002}, {"a", 4, 9000, 5500}, TWO_MORE},
		{{"a", 2, 9000, 5000, 5000, 5002}, {"a", 4, 9000, 8000}, TWO_MORE},
		{{"a", 2, 9000, 5000, 5000, 5002}, {"a", 4, 12000, 0}, TWO_MORE},
		/* only process-exporter counts such processes */
		{{"a", 3, 9000, 5000, 5000, 5002}, {"a", 2, 9000, 5000}, ONE_FEWER},
		{{"a", 3, 9000, 5000, 5000, 5002}, {"a", 1, 9000, 5000},
			"not explained: theirs has 2 processes fewer"},
		/* it keeps the group, and knows no process of it yet */
		{{"a", 3, 9000, 5000, 5000, 5002}, {"a", 0, 0, 0},
			"not explained: theirs has 3 processes fewer"},
	};

	(void)state;
	expect_pairs(pairs, ARRAY_SIZE(pairs));
}

static void groups_of_one_program_alone(void **state)
{
	static const struct scenario scenarios[] = {
		{{{"a", 2, 9000, 5000, 5000, 5002}, {"here", 1, 3000, 1000, 1000, 1001}},
			{{"a", 2, 9000, 5000}, {"ended", 0, 0, 0}, {"kthreadd", 70, 0, 0},
				{"there", 1, 7000, 6000}},
			{{"a", EQUAL}, {"ended", "theirs keeps empty groups"},
				{"kthreadd", "theirs counts 70 kernel threads or zombies"},
				{"here", ONLY_OURS}, {"there", ONLY_THEIRS}}},
		/* Another rule gives the same processes another name, so the files differ. */
		{{{"apache2", 2, 9000, 3000, 3000, 3002}}, {{"httpd", 2, 9000, 3000}},
			{{"apache2", ONLY_OURS}, {"httpd", ONLY_THEIRS}}},
		/* Some rows of a snapshot are not groups of rules, or have no processes any more. */
		{{{OWNER_NONE, 9, 90000, 50000, 50000, 50009}, {"a", 1, 9000, 5000, 5000, 5001},
			 {"ended", 0, 0, 0, 0, 0},
			 {"(other)", 1, 9000, 5000, 5000, 5001, SCOPE_OTHER}},
			{{"a", 1, 9000, 5000}}, {{"a", EQUAL}}},
	};

	(void)state;
	expect_all(scenarios, ARRAY_SIZE(scenarios));
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
			expect(&c,
				&(struct expected){cases[i].name, "theirs counts this memtally"});
	}
}

/* Bounds and ages that a snapshot does not have are not 0. */
static void figures_of_a_row_may_be_absent(void **state)
{
	static const struct compared_group ours[GROUPS] = {
		{"all", 2, 9000, 5000, 4000, 7000, 0, 263},
		{"none", 3, 9000, ABSENT, ABSENT, ABSENT, 0, 0, 2, 1}};
	static const struct answer theirs[GROUPS] = {{"there", 1, 9000, 5000}};
	CLEANUP(compared_done) struct compared c = {0};
	const struct comparison_row *row;

	(void)state;
	compare(ours, theirs, &c);
	row = row_of(&c, "all");
	assert_true(row->has_low && row->has_high && row->has_age);
	assert_int_equal(row->pss_low_bytes, 4000 * KIB);
	assert_int_equal(row->age_ns, AGE_NS + 263 * NS_PER_SEC);
	assert_int_equal(comparison_unmeasured(row), 0);
	row = row_of(&c, "none");
	assert_false(row->has_low || row->has_high || row->has_age);
	assert_int_equal(comparison_unmeasured(row), 3);
	row = row_of(&c, "there");
	assert_false(row->has_low || row->has_high || row->has_age);
	assert_int_equal(c.result.ours.q[SCOPE_PROCESSES], 5);
	assert_int_equal(c.result.ours.q[SCOPE_UNMEASURED_DENIED], 2);
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

#define BASH "bash", 2, 9000, 3000, 3000, 3002
#define JAVA "java", 2, 900000, 800000, 800000, 800002

static void a_process_is_in_the_group_that_it_had_before_exec(void **state)
{
	static const struct scenario scenarios[] = {
		/* One of two java processes is known as the shell that it was. */
		{{{BASH}, {JAVA}}, {{"bash", 3, 459000, 403000}, {"java", 1, 450000, 400000}},
			{{"bash", OURS_IN("java")}, {"java", THEIRS_IN("bash")}}},
		/* One of the groups may be one program's alone. */
		{{{BASH}, {"java", 1, 450000, 400000, 400000, 400001}},
			{{"bash", 3, 459000, 403000}},
			{{"bash", OURS_IN("java")}, {"java", THEIRS_IN("bash")}}},
		{{{JAVA}}, {{"bash", 1, 450000, 400000}, {"java", 1, 450000, 400000}},
			{{"bash", OURS_IN("java")}, {"java", THEIRS_IN("bash")}}},
		/* The bounds of both groups count. */
		{{{BASH}, {"java", 2, 900000, 800000, 700000, 900000}},
			{{"bash", 3, 459000, 403000}, {"java", 1, 450000, 300000}},
			{{"bash", OURS_IN("java")}, {"java", THEIRS_IN("bash")}}},
		{{{BASH}, {"java", 2, 900000, 800000, 700000, 900000}},
			{{"bash", 3, 459000, 503000}, {"java", 1, 450000, 400000}},
			{{"bash", OURS_IN("java")}, {"java", THEIRS_IN("bash")}}},
		/* A PSS that is not known for one of them is for none. */
		{{{BASH}, {"java", 2, 900000, 800000, 700000, 900000}},
			{{"bash", 3, 459000, ABSENT}, {"java", 1, 450000, 400000}},
			{{"bash", OURS_IN("java")}, {"java", THEIRS_IN("bash")}}},
		/* One process cannot come from two groups. */
		{{{"a", 1, 9000, 3000, 3000, 3001}, {"b", 2, 18000, 6000, 6000, 6002},
			 {"c", 1, 9000, 3000, 3000, 3001}},
			{{"a", 2, 18000, 6000}, {"b", 1, 9000, 3000}, {"c", 2, 18000, 6000}},
			{{"a", OURS_IN("b")}, {"b", THEIRS_IN("a")}, {"c", ONE_MORE}}},
		/* Groups with as many processes have exchanged none. */
		{{{"a", 1, 90000, 30000, 30000, 30001}, {"b", 1, 90000, 60000, 60000, 60001}},
			{{"a", 1, 90000, 60000}, {"b", 1, 90000, 30000}},
			{{"a", NOT_EXPLAINED}, {"b", NOT_EXPLAINED}}},
	};

	(void)state;
	expect_all(scenarios, ARRAY_SIZE(scenarios));
}

/* RSS, PSS or the number of processes does not fit. */
static void processes_that_do_not_add_up_are_not_explained(void **state)
{
	static const struct scenario scenarios[] = {
		{{{BASH}, {JAVA}}, {{"bash", 3, 559000, 403000}, {"java", 1, 450000, 400000}},
			{{"bash", ONE_MORE}, {"java", ONE_FEWER}}},
		{{{BASH}, {JAVA}}, {{"bash", 3, 459000, 503000}, {"java", 1, 450000, 400000}},
			{{"bash", ONE_MORE}, {"java", ONE_FEWER}}},
		{{{BASH}, {JAVA}}, {{"bash", 3, 459000, 3000}, {"java", 1, 450000, 300000}},
			{{"bash", ONE_MORE}, {"java", ONE_FEWER}}},
		{{{BASH}, {JAVA}}, {{"bash", 4, 459000, 403000}, {"java", 1, 450000, 400000}},
			{{"bash", TWO_MORE}, {"java", ONE_FEWER}}},
		{{{BASH}, {JAVA}}, {{"bash", 4, 909000, 903000}},
			{{"bash", TWO_MORE}, {"java", ONLY_OURS}}},
	};

	(void)state;
	expect_all(scenarios, ARRAY_SIZE(scenarios));
}

/* Shells that became programs: no two groups add up, all together do. */
static void processes_may_be_in_several_groups(void **state)
{
	static const struct scenario scenarios[] = {
		{{{"sh", 1, 9000, 3000, 3000, 3001}, {"a", 1, 30000, 20000, 20000, 20001},
			 {"b", 1, 40000, 30000, 30000, 30001}, {"same", 1, 5000, 4000, 4000, 4001}},
			{{"sh", 3, 79000, 53000}, {"same", 1, 5000, 4000}},
			{{"sh", SUMS_AGREE}, {"a", SUMS_AGREE}, {"b", SUMS_AGREE},
				{"same", EQUAL}}},
		{{{"sh", 1, 9000, 3000, 3000, 3001}, {"a", 1, 30000, 20000, 20000, 20001},
			 {"b", 1, 40000, 30000, 30000, 30001}, {"same", 1, 5000, 4000, 4000, 4001}},
			{{"bash", 3, 79000, 53000}, {"same", 1, 5000, 4000}},
			{{"sh", ONLY_OURS}, {"a", ONLY_OURS}, {"b", ONLY_OURS},
				{"bash", ONLY_THEIRS}, {"same", EQUAL}}},
	};

	(void)state;
	expect_all(scenarios, ARRAY_SIZE(scenarios));
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
		cmocka_unit_test(memtally_may_have_no_pss),
		cmocka_unit_test(process_exporter_may_have_no_pss),
		cmocka_unit_test(processes_without_memory_count_there),
		cmocka_unit_test(groups_of_one_program_alone),
		cmocka_unit_test(memtally_itself_is_a_difference),
		cmocka_unit_test(figures_of_a_row_may_be_absent),
		cmocka_unit_test(the_largest_group_comes_first),
		cmocka_unit_test(a_process_is_in_the_group_that_it_had_before_exec),
		cmocka_unit_test(processes_that_do_not_add_up_are_not_explained),
		cmocka_unit_test(processes_may_be_in_several_groups),
		cmocka_unit_test(a_snapshot_may_have_no_namegroups),
		cmocka_unit_test(bears_hostile_answers),
		cmocka_unit_test(returns_errors_without_memory),
		cmocka_unit_test(every_reason_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
