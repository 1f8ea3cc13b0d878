/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the rows: each view, filters, totals, orders, and trees with odd parents. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "cli/top/rows/samples.h"
#include "cli/top/rows/top-rows.h"
#include "snapshot/sums.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/snapshot/sample.h"
#include "tests/unit/support/snapshot/small.h"

#define MIB (UINT64_C(1) << 20)

static const struct siphash_key secret = {{1, 2}};

/* The rows of a view, and what they were made of. */
struct made {
	struct top_state state;
	struct top_rows rows;
	struct history history;
	struct query members;
	bool has_members, is_typed;
};

static void made_done(struct made *m)
{
	top_rows_done(&m->rows);
	history_done(&m->history);
}
#define AUTO_MADE CLEANUP(made_done)

static void make(struct made *m, const struct view *view)
{
	const struct top_rows_source from = {
		.view = view,
		.history = &m->history,
		.members = m->has_members ? &m->members : NULL,
		.secret = &secret,
		.is_typed = m->is_typed,
	};

	assert_int_equal(top_rows_make(&m->rows, &m->state.asks, &from), 0);
}

static void set_text(char *to, size_t size, const char *text)
{
	memset(to, 0, size);
	snprintf(to, size, "%s", text);
}

/* Returns the visible rows as "name:depth" in their order. */
static void expect_rows(const struct top_rows *r, const char *expected)
{
	AUTO_BUFFER struct buffer text = {0};

	for (size_t i = 0; i < r->shown; i++) {
		const struct top_row *row = top_rows_at(r, i);

		buffer_printf(&text, "%s%*s%s", i ? "," : "", (int)row->depth, "", row->name);
		if (row->process)
			buffer_printf(&text, "(%u)", row->process->pid);
	}
	buffer_add_char(&text, '\0');
	assert_string_equal(text.data, expected);
}

static void expect_total(const struct top_rows *r, const struct snapshot_scope *sums)
{
	struct amounts expected;

	amounts_of_sums(sums->present, sums->q, &expected);
	assert_int_equal(r->total.present, expected.present);
	for (unsigned int i = 0; i < AMOUNTS; i++)
		if (expected.present >> i & 1)
			assert_int_equal(r->total.q[i], expected.q[i]);
}

/* Without a filter each view adds up to the host. */
static void every_view_adds_up_to_the_host(void **state)
{
	static const struct sample_options options[] = {
		{0}, {.is_estimated = true, .more = 300}, {.is_blocked = true}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		AUTO_VIEW struct view *view = sample_open(&options[i]);

		for (unsigned int v = 0; v < TOP_VIEWS; v++) {
			AUTO_MADE struct made m = {0};

			top_state_init(&m.state, (enum top_view)v);
			make(&m, view);
			assert_true(m.rows.count > 0);
			assert_false(m.rows.is_filtered);
			expect_total(&m.rows, view_host(view));
		}
	}
}

/* Owners' rows of the image, and the sums that this program makes of processes, are the same. */
static void sums_over_processes_are_those_of_the_image(void **state)
{
	AUTO_VIEW struct view *view = sample_open(&(struct sample_options){.more = 300});

	(void)state;
	for (unsigned int v = 0; v < TOP_VIEW_PROCESS; v++) {
		AUTO_MADE struct made image = {0}, own = {.has_members = true};

		top_state_init(&image.state, (enum top_view)v);
		top_state_init(&own.state, (enum top_view)v);
		query_init(&own.members, METRIC_PROCESS);
		make(&image, view);
		make(&own, view);
		assert_int_equal(image.rows.shown, own.rows.shown);
		for (size_t i = 0; i < image.rows.shown; i++) {
			const struct top_row *row = top_rows_at(&image.rows, i);
			const struct top_row *other = top_rows_find(&own.rows, row->key);

			assert_non_null(other);
			assert_string_equal(row->name, other->name);
			assert_int_equal(row->amounts.present, other->amounts.present);
			for (unsigned int k = 0; k < AMOUNTS; k++)
				if (row->amounts.present >> k & 1)
					assert_int_equal(row->amounts.q[k], other->amounts.q[k]);
			/* A sum over some processes has a history of its own. */
			assert_int_not_equal(row->past.key, other->past.key);
		}
	}
}

static void filters_choose_rows(void **state)
{
	static const struct {
		enum top_view view;
		const char *user, *filter, *expected;
	} cases[] = {
		{TOP_VIEW_USER, "", "b", "bob"},
		{TOP_VIEW_USER, "", "BO|ali", "alice,bob"},
		{TOP_VIEW_USER, "", "zoe", ""},
		{TOP_VIEW_PROGRAM, "alice", "", "firefox,bash"},
		{TOP_VIEW_PROGRAM, "alice", "bash", "bash"},
		{TOP_VIEW_PROGRAM, "zoe", "", ""},
		{TOP_VIEW_PROCESS, "", "firefox", "firefox(1000),firefox(1001),firefox(1002)"},
		{TOP_VIEW_PROCESS, "", "2100", "数据库服务\xef\xbf\xbd(2100)"},
		{TOP_VIEW_PROCESS, "", "session-3", "bash(2001)"},
		{TOP_VIEW_PROCESS, "bob", "bash", "bash(2001)"},
		{TOP_VIEW_TREE, "", "bash", "bash(1003),bash(2001)"},
		{TOP_VIEW_NESTED, "", "bash", "alice,bob"},
	};
	AUTO_VIEW struct view *view = sample_open(NULL);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_MADE struct made m = {0};

		top_state_init(&m.state, cases[i].view);
		set_text(m.state.asks.user, sizeof(m.state.asks.user), cases[i].user);
		set_text(m.state.asks.filter, sizeof(m.state.asks.filter), cases[i].filter);
		make(&m, view);
		expect_rows(&m.rows, cases[i].expected);
		assert_true(m.rows.is_filtered);
	}
}

/* A chosen user and the filters of the command line must both let a process pass. */
static void the_command_line_chooses_first(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_MADE struct made m = {.has_members = true};
	char error[QUERY_ERROR_SIZE];

	(void)state;
	top_state_init(&m.state, TOP_VIEW_PROCESS);
	query_init(&m.members, METRIC_PROCESS);
	assert_int_equal(query_set(&m.members, "user", "alice", error), 0);
	assert_int_equal(query_set(&m.members, "program", "bash", error), 0);
	make(&m, view);
	expect_rows(&m.rows, "bash(1003)");
	set_text(m.state.asks.user, sizeof(m.state.asks.user), "bob");
	make(&m, view);
	expect_rows(&m.rows, "");
	set_text(m.state.asks.user, sizeof(m.state.asks.user), "alice");
	make(&m, view);
	expect_rows(&m.rows, "bash(1003)");
}

/* The total of a filter is the sum of what it lets pass, also of closed branches. */
static void totals_are_those_of_the_filter(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	struct snapshot_scope expected = {0};
	struct sums sums = {0};

	(void)state;
	for (uint32_t i = 0; i < view_count(view, METRIC_PROCESS); i++)
		if (!strcmp(view_owner(view, view_process(view, i), OWNER_USER), "alice"))
			sums_add(&sums, view_process(view, i));
	sums_end(&sums);
	sums_cap(&sums, view_host(view)->q[SCOPE_PSS_HIGH]);
	expected.present = sums.present;
	memcpy(expected.q, sums.q, sizeof(sums.q));
	for (unsigned int v = 0; v < TOP_VIEWS; v++) {
		AUTO_MADE struct made m = {0};

		top_state_init(&m.state, (enum top_view)v);
		set_text(m.state.asks.user, sizeof(m.state.asks.user), "alice");
		make(&m, view);
		expect_total(&m.rows, &expected);
	}
}

static void rows_are_sorted_by_any_column(void **state)
{
	static const struct {
		enum top_column sort;
		bool is_turned;
		const char *expected;
	} cases[] = {
		/* pid 1002 has no memory of its own: it comes last in either order */
		{TOP_COLUMN_PSS, false, "firefox(1000),firefox(1001),bash(1003),firefox(1002)"},
		{TOP_COLUMN_PSS, true, "bash(1003),firefox(1001),firefox(1000),firefox(1002)"},
		{TOP_COLUMN_SWAP, false, "firefox(1000),firefox(1001),bash(1003),firefox(1002)"},
		{TOP_COLUMN_PID, false, "bash(1003),firefox(1002),firefox(1001),firefox(1000)"},
		{TOP_COLUMN_PID, true, "firefox(1000),firefox(1001),firefox(1002),bash(1003)"},
		{TOP_COLUMN_NAME, false, "bash(1003),firefox(1000),firefox(1001),firefox(1002)"},
		{TOP_COLUMN_NAME, true, "firefox(1000),firefox(1001),firefox(1002),bash(1003)"},
		/* no history yet: the order of the PSS */
		{TOP_COLUMN_GROWTH_10, false,
			"firefox(1000),firefox(1001),bash(1003),firefox(1002)"},
		{TOP_COLUMN_GROWTH_10, true,
			"firefox(1000),firefox(1001),bash(1003),firefox(1002)"},
	};
	AUTO_VIEW struct view *view = sample_open(NULL);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_MADE struct made m = {0};

		top_state_init(&m.state, TOP_VIEW_PROCESS);
		set_text(m.state.asks.user, sizeof(m.state.asks.user), "alice");
		m.state.asks.sort = cases[i].sort;
		m.state.asks.is_turned = cases[i].is_turned;
		make(&m, view);
		expect_rows(&m.rows, cases[i].expected);
	}
}

/* A process for a tree. */
struct person {
	uint32_t pid, ppid;
	uint64_t pss_mib;
};

static struct view *family(const struct person *person, size_t count)
{
	const struct image_header head = {.sequence = 1,
		.interval_ns = NS_PER_SEC,
		.stale_ns = INT64_MAX,
		.boottime_ns = SAMPLE_BOOTTIME_NS,
		.pass_begin_ns = SAMPLE_BOOTTIME_NS};
	AUTO_SMALL struct small s = {0};

	small_begin(&s);
	for (size_t i = 0; i < count; i++) {
		struct snapshot_process *p = builder_add_process(&s.builder);
		const char name[] = {(char)('a' + i % 26), '\0'};

		assert_non_null(p);
		p->pid = person[i].pid;
		p->ppid = person[i].ppid;
		p->source = SOURCE_ROLLUP;
		for (unsigned int kind = 0; kind < OWNER_KINDS; kind++)
			p->owner[kind] = builder_add_text(&s.builder, name, 1);
		ROW_SET(p, PROCESS_PSS, person[i].pss_mib * MIB);
		ROW_SET(p, PROCESS_PSS_LOW, person[i].pss_mib * MIB);
		ROW_SET(p, PROCESS_PSS_HIGH, person[i].pss_mib * MIB);
	}
	return small_view(&s.builder, &head);
}

static void children_are_below_their_parents(void **state)
{
	static const struct {
		struct person person[6];
		size_t count;
		const char *expected;
	} cases[] = {
		{{{1, 0, 1}, {2, 1, 1}, {3, 1, 5}, {4, 2, 9}}, 4, "a(1), b(2),  d(4), c(3)"},
		{{{1, 0, 1}, {5, 4, 2}}, 2, "b(5),a(1)"},                 /* no such parent */
		{{{1, 0, 1}, {2, 2, 7}}, 2, "b(2),a(1)"},                 /* its own parent */
		{{{1, 0, 1}, {2, 3, 2}, {3, 2, 3}}, 3, "c(3),b(2),a(1)"}, /* a circle */
		{{{1, 0, 1}, {2, 3, 2}, {3, 2, 3}, {4, 3, 9}}, 4, "c(3), d(4),b(2),a(1)"},
		/* a parent with a larger pid, after the pids began anew */
		{{{1, 0, 1}, {3, 9, 1}, {9, 1, 1}}, 3, "a(1), c(9),  b(3)"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_VIEW struct view *view = family(cases[i].person, cases[i].count);
		AUTO_MADE struct made m = {0};
		uint64_t sum = 0;

		top_state_init(&m.state, TOP_VIEW_TREE);
		make(&m, view);
		expect_rows(&m.rows, cases[i].expected);
		for (size_t k = 0; k < cases[i].count; k++)
			sum += cases[i].person[k].pss_mib * MIB;
		assert_int_equal(m.rows.total.q[AMOUNT_PSS], sum);
	}
}

static void branches_have_the_sums_of_all_below(void **state)
{
	static const struct person people[] = {
		{1, 0, 1}, {2, 1, 2}, {3, 2, 4}, {4, 2, 8}, {5, 0, 16}};
	AUTO_VIEW struct view *view = family(people, ARRAY_SIZE(people));
	AUTO_MADE struct made m = {0};
	struct amounts sum;

	(void)state;
	top_state_init(&m.state, TOP_VIEW_TREE);
	make(&m, view);
	expect_rows(&m.rows, "e(5),a(1), b(2),  d(4),  c(3)");
	assert_int_equal(top_rows_at(&m.rows, 1)->amounts.q[AMOUNT_PSS], 15 * MIB);
	assert_int_equal(top_rows_at(&m.rows, 2)->amounts.q[AMOUNT_PSS], 14 * MIB);
	assert_int_equal(top_rows_at(&m.rows, 2)->amounts.q[AMOUNT_PROCESSES], 3);
	assert_false(top_rows_at(&m.rows, 3)->is_last);
	assert_true(top_rows_at(&m.rows, 4)->is_last);
	/* Each process on the screen counts once. */
	top_rows_sum(&m.rows, 1, 4, &sum);
	assert_int_equal(sum.q[AMOUNT_PSS], 15 * MIB);
	top_rows_sum(&m.rows, 3, 9, &sum);
	assert_int_equal(sum.q[AMOUNT_PSS], 12 * MIB);
	/* A closed branch has the same sum. */
	top_state_turn(&m.state.asks, top_rows_at(&m.rows, 2)->key);
	make(&m, view);
	expect_rows(&m.rows, "e(5),a(1), b(2)");
	assert_int_equal(top_rows_at(&m.rows, 2)->amounts.q[AMOUNT_PSS], 14 * MIB);
	assert_int_equal(m.rows.total.q[AMOUNT_PSS], 31 * MIB);
}

/* Returns the outcome of history_growth() over no time. */
static int growth_now(const struct history *h, const struct history_id *id, uint64_t boottime_ns,
	uint64_t pss_bytes, int64_t *ret)
{
	return history_growth(h, id, history_get(h, id), boottime_ns, 0, pss_bytes, ret);
}

/* The sum of a branch is remembered apart from the process at its head; a single process is itself. */
static void branches_have_a_past_of_their_own(void **state)
{
	static const struct person people[] = {{1, 0, 1}, {2, 1, 2}};
	AUTO_VIEW struct view *view = family(people, ARRAY_SIZE(people));
	AUTO_MADE struct made m = {0};
	struct top_row alone;
	int64_t grown;

	(void)state;
	assert_true(history_begin(&m.history, SAMPLE_BOOTTIME_NS, NS_PER_SEC));
	history_end(&m.history);
	top_state_init(&m.state, TOP_VIEW_TREE);
	make(&m, view);
	top_row_of_process(view, view_process(view, 0), &secret, &alone);
	assert_int_equal(top_rows_at(&m.rows, 0)->key, alone.key);
	assert_int_not_equal(top_rows_at(&m.rows, 0)->past.key, alone.past.key);
	assert_int_equal(growth_now(&m.history, &top_rows_at(&m.rows, 0)->past, SAMPLE_BOOTTIME_NS,
				 3 * MIB, &grown),
		0);
	assert_int_equal(grown, 0);
	top_row_of_process(view, view_process(view, 1), &secret, &alone);
	assert_int_equal(top_rows_at(&m.rows, 1)->past.key, alone.past.key);
}

/* Gives H ten minutes until END_NS in which process PID of VIEW has grown by 1 MiB in 15 s. */
static void remember(struct history *h, const struct view *view, uint32_t pid, uint64_t end_ns)
{
	struct top_row row;

	top_row_of_process(view, view_find_process(view, pid), &secret, &row);
	for (uint64_t ago = 41; ago-- > 0;) {
		assert_true(history_begin(h, end_ns - ago * HISTORY_SLOT_NS, NS_PER_SEC));
		history_add(h, &row.past, row.amounts.q[AMOUNT_PSS] - ago * MIB);
		history_end(h);
	}
}

/* Rows keep their growth and trend while the history goes on, and forgets their processes. */
static void the_past_of_a_pause_stays(void **state)
{
	static const char *const expected[] = {"+4.0M", "+40.0M", "__.--=+*"};
	static const enum top_column columns[] = {
		TOP_COLUMN_GROWTH_1, TOP_COLUMN_GROWTH_10, TOP_COLUMN_TREND};
	AUTO_VIEW struct view *view = sample_open(NULL);
	const struct top_glance glance = {.view = view};
	AUTO_MADE struct made m = {0};

	(void)state;
	top_state_init(&m.state, TOP_VIEW_PROCESS);
	remember(&m.history, view, 1000, SAMPLE_BOOTTIME_NS);
	make(&m, view);
	top_rows_remember(&m.rows, 0, SIZE_MAX);
	assert_true(history_begin(&m.history, SAMPLE_BOOTTIME_NS + HISTORY_SLOT_NS, NS_PER_SEC));
	history_end(&m.history);
	assert_int_equal(m.history.count, 0);
	top_rows_remember(&m.rows, 0, SIZE_MAX); /* has been done */
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		AUTO_BUFFER struct buffer text = {0};

		top_columns_add(&glance, columns[i], top_rows_at(&m.rows, 0), &text);
		buffer_add_char(&text, '\0');
		assert_string_equal(text.data, expected[i]);
	}
}

/* Sums that are made anew in a pause are no samples of the present. */
static void a_pause_gives_no_samples(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	uint64_t later_ns = SAMPLE_BOOTTIME_NS + 4 * HISTORY_SLOT_NS;
	AUTO_MADE struct made m = {0};

	(void)state;
	history_begin(&m.history, later_ns, NS_PER_SEC);
	history_end(&m.history);
	for (unsigned int v = 0; v < TOP_VIEWS; v++) {
		top_state_init(&m.state, (enum top_view)v);
		set_text(m.state.asks.user, sizeof(m.state.asks.user), "alice");
		make(&m, view);
		assert_true(m.rows.count > 0);
		assert_int_equal(m.history.count, 0);
	}
}

/* Sums are remembered once in a slot, those of one choice only, and none of a text that is typed. */
static void sums_of_one_choice_are_remembered(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_MADE struct made m = {0};
	size_t processes, units;
	int64_t grown;

	(void)state;
	samples_take(&m.history, view, HISTORY_OF_MEMTALLYD, &secret);
	processes = m.history.count;
	top_state_init(&m.state, TOP_VIEW_UNIT);
	set_text(m.state.asks.user, sizeof(m.state.asks.user), "alice");
	m.is_typed = true;
	make(&m, view);
	assert_int_equal(m.history.count, processes);
	m.is_typed = false;
	make(&m, view);
	units = m.rows.count;
	assert_true(units > 0);
	assert_int_equal(m.history.count, processes + units);
	/* Another choice has to wait for the next slot, and takes the place of the first one. */
	set_text(m.state.asks.user, sizeof(m.state.asks.user), "bob");
	make(&m, view);
	assert_int_equal(growth_now(&m.history, &m.rows.row[0].past, SAMPLE_BOOTTIME_NS, 0, &grown),
		HISTORY_NOT_KNOWN);
	for (uint64_t slot = 1; slot < 4; slot++) {
		const struct sample_options later = {
			.boottime_ns = SAMPLE_BOOTTIME_NS + slot * HISTORY_SLOT_NS,
			.older_ns = slot * HISTORY_SLOT_NS};
		AUTO_VIEW struct view *next = sample_open(&later);

		set_text(m.state.asks.user, sizeof(m.state.asks.user), slot % 2 ? "bob" : "alice");
		samples_take(&m.history, next, HISTORY_OF_MEMTALLYD, &secret);
		make(&m, next);
		assert_int_equal(m.history.count, processes + m.rows.count);
	}
}

/* Also the sums in a circle are complete: what one member has not is absent, and not that of a part. */
static void sums_of_a_circle_are_completed(void **state)
{
	const struct snapshot_scope host = {0};
	const struct amounts known = {.present = (1U << AMOUNTS) - 1, .q[AMOUNT_PROCESSES] = 1};
	struct top_row row[] = {
		{.parent = 1, .amounts = known},
		{.parent = 0, .amounts = known},
		{.parent = 1, .amounts = known},
	};
	struct top_tree tree = {0};
	uint64_t bytes;

	(void)state;
	row[2].amounts.is_unbounded = true;
	assert_int_equal(top_tree_sum(&tree, row, ARRAY_SIZE(row), &host), 0);
	assert_int_equal(row[1].parent, TOP_ROW_NONE);
	assert_int_equal(row[1].amounts.q[AMOUNT_PROCESSES], 2);
	assert_false(amounts_get(&row[1].amounts, AMOUNT_PSS_HIGH, &bytes));
	top_tree_done(&tree);
}

/* A chain of 3000 processes. */
static void deep_trees_are_shown(void **state)
{
	enum { DEEP = 3000 };
	AUTO_FREE struct person *people = calloc(DEEP, sizeof(*people));
	AUTO_MADE struct made m = {0};
	AUTO_VIEW struct view *view = NULL;

	(void)state;
	assert_non_null(people);
	for (uint32_t i = 0; i < DEEP; i++)
		people[i] = (struct person){.pid = i + 1, .ppid = i, .pss_mib = 1};
	view = family(people, DEEP);
	top_state_init(&m.state, TOP_VIEW_TREE);
	make(&m, view);
	assert_int_equal(m.rows.shown, DEEP);
	assert_int_equal(top_rows_at(&m.rows, DEEP - 1)->depth, DEEP - 1);
	assert_int_equal(top_rows_at(&m.rows, 0)->amounts.q[AMOUNT_PSS], DEEP * MIB);
}

static void nested_rows_are_users_programs_and_processes(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_MADE struct made m = {0};

	(void)state;
	top_state_init(&m.state, TOP_VIEW_NESTED);
	set_text(m.state.asks.user, sizeof(m.state.asks.user), "alice");
	make(&m, view);
	expect_rows(&m.rows, "alice");
	m.state.asks.is_opposite = true;
	make(&m, view);
	expect_rows(&m.rows,
		"alice, firefox,  firefox(1000),  firefox(1001),  firefox(1002), bash,  bash(1003)");
}

/* The sums of branches are those of the image: also if a part has no USS or no upper bound. */
static void branches_are_the_sums_of_the_image(void **state)
{
	static const struct sample_options options[] = {{0}, {.is_estimated = true}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		AUTO_VIEW struct view *view = sample_open(&options[i]);
		AUTO_MADE struct made nested = {0}, users = {0};

		top_state_init(&nested.state, TOP_VIEW_NESTED);
		top_state_init(&users.state, TOP_VIEW_USER);
		make(&nested, view);
		make(&users, view);
		assert_int_equal(nested.rows.shown, users.rows.shown);
		for (size_t k = 0; k < users.rows.shown; k++) {
			const struct top_row *row = top_rows_at(&users.rows, k);
			const struct top_row *branch = top_rows_find(&nested.rows, row->key);

			assert_non_null(branch);
			assert_int_equal(branch->amounts.present, row->amounts.present);
			for (unsigned int n = 0; n < AMOUNTS; n++)
				if (row->amounts.present >> n & 1)
					assert_int_equal(branch->amounts.q[n], row->amounts.q[n]);
		}
	}
}

/* Returns how many rows of R have got their growth. */
static size_t remembered(const struct top_rows *r)
{
	size_t count = 0;

	for (size_t i = 0; i < r->count; i++)
		count += r->row[i].has_past;
	return count;
}

/* Growth is looked up for the rows on the screen, and for all only if they are sorted by it. */
static void growth_is_of_the_rows_that_need_it(void **state)
{
	AUTO_VIEW struct view *view = sample_open(&(struct sample_options){.more = 300});
	AUTO_MADE struct made m = {0};

	(void)state;
	top_state_init(&m.state, TOP_VIEW_PROCESS);
	make(&m, view);
	assert_int_equal(remembered(&m.rows), 0);
	top_rows_remember(&m.rows, 10, 40);
	assert_int_equal(remembered(&m.rows), 40);
	assert_true(top_rows_at(&m.rows, 49)->has_past);
	assert_false(top_rows_at(&m.rows, 50)->has_past);
	top_rows_remember(&m.rows, m.rows.shown - 1, 40);
	assert_int_equal(remembered(&m.rows), 41);
	m.state.asks.sort = TOP_COLUMN_GROWTH_1;
	make(&m, view);
	assert_int_equal(remembered(&m.rows), m.rows.count);
}

/* Users and their programs have growth as soon as they are shown, also those of a chosen user. */
static void sums_of_a_user_have_growth_at_once(void **state)
{
	static const struct {
		enum top_view view;
		const char *user, *name;
		bool has;
	} cases[] = {
		{TOP_VIEW_NESTED, "", "firefox", true},
		{TOP_VIEW_NESTED, "", "alice", true},
		{TOP_VIEW_NESTED, "alice", "bash", true},
		{TOP_VIEW_USER, "alice", "alice", true},
		{TOP_VIEW_PROGRAM, "alice", "bash", true},
		{TOP_VIEW_UNIT, "alice", "session-2.scope", false},
	};
	const struct sample_options later = {.boottime_ns = SAMPLE_BOOTTIME_NS + 60 * NS_PER_SEC,
		.older_ns = 60 * NS_PER_SEC,
		.sequence = 9};
	AUTO_VIEW struct view *view = sample_open(NULL), *next = sample_open(&later);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_MADE struct made m = {0};
		size_t found = 0;

		top_state_init(&m.state, cases[i].view);
		set_text(m.state.asks.user, sizeof(m.state.asks.user), cases[i].user);
		samples_take(&m.history, view, HISTORY_OF_MEMTALLYD, &secret);
		samples_take(&m.history, next, HISTORY_OF_MEMTALLYD, &secret);
		m.state.asks.is_opposite = cases[i].view == TOP_VIEW_NESTED;
		make(&m, next);
		top_rows_remember(&m.rows, 0, SIZE_MAX);
		for (size_t k = 0; k < m.rows.count; k++) {
			const struct top_row *row = &m.rows.row[k];
			const struct top_growth *growth = &row->was.growth[TOP_SPAN_SHORT];

			if (row->process || strcmp(row->name, cases[i].name) != 0)
				continue;
			found++;
			assert_int_equal(growth->is_known, cases[i].has);
			assert_false(growth->is_new);
			assert_int_equal(growth->bytes, 0);
		}
		assert_int_equal(found, cases[i].has ? 1 : found);
	}
}

/* A recorded snapshot gives the sums of the present choice the time before it was made. */
static void recorded_snapshots_have_sums_of_a_choice(void **state)
{
	const struct sample_options later = {.boottime_ns = SAMPLE_BOOTTIME_NS + 60 * NS_PER_SEC,
		.older_ns = 60 * NS_PER_SEC,
		.sequence = 9};
	AUTO_VIEW struct view *then = sample_open(NULL), *view = sample_open(&later);
	AUTO_MADE struct made m = {0};
	struct top_rows filled = {0};
	struct top_rows_source from = {
		.view = then, .history = &m.history, .secret = &secret, .is_fill = true};
	uint64_t salt;

	(void)state;
	top_state_init(&m.state, TOP_VIEW_TREE);
	samples_take(&m.history, view, HISTORY_OF_MEMTALLYD, &secret);
	make(&m, view);
	top_rows_remember(&m.rows, 0, SIZE_MAX);
	assert_false(top_rows_at(&m.rows, 0)->was.growth[TOP_SPAN_SHORT].is_known);
	salt = top_rows_salt(&m.state.asks, &from);
	assert_int_not_equal(salt, 0);
	assert_true(samples_fill(&m.history, then, salt, &secret));
	assert_int_equal(top_rows_make(&filled, &m.state.asks, &from), 0);
	top_rows_done(&filled);
	make(&m, view);
	top_rows_remember(&m.rows, 0, SIZE_MAX);
	assert_true(top_rows_at(&m.rows, 0)->children > 0);
	assert_true(top_rows_at(&m.rows, 0)->was.growth[TOP_SPAN_SHORT].is_known);
	assert_false(top_rows_at(&m.rows, 0)->was.growth[TOP_SPAN_SHORT].is_new);
	assert_int_equal(top_rows_at(&m.rows, 0)->was.growth[TOP_SPAN_SHORT].bytes, 0);
}

/* A public image has no processes: views that need them say so, others show sums. */
static void public_images_have_sums_only(void **state)
{
	AUTO_VIEW struct view *view = sample_open(&(struct sample_options){.is_public = true});

	(void)state;
	for (unsigned int v = 0; v < TOP_VIEWS; v++) {
		AUTO_MADE struct made m = {0};
		bool needs = top_state_scope((enum top_view)v) == METRIC_PROCESS;

		top_state_init(&m.state, (enum top_view)v);
		make(&m, view);
		assert_int_equal(m.rows.lack, needs ? TOP_ROWS_NO_PROCESSES : TOP_ROWS_COMPLETE);
		assert_int_equal(m.rows.shown > 0, !needs);
		set_text(m.state.asks.user, sizeof(m.state.asks.user), "alice");
		make(&m, view);
		assert_int_equal(m.rows.lack, TOP_ROWS_NO_PROCESSES);
	}
}

static void keys_tell_rows_apart(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);

	(void)state;
	for (unsigned int v = 0; v < TOP_VIEWS; v++) {
		AUTO_MADE struct made m = {0};

		top_state_init(&m.state, (enum top_view)v);
		m.state.asks.is_opposite = v == TOP_VIEW_NESTED;
		make(&m, view);
		for (size_t i = 0; i < m.rows.shown; i++)
			for (size_t k = 0; k < i; k++)
				assert_int_not_equal(
					top_rows_at(&m.rows, i)->key, top_rows_at(&m.rows, k)->key);
	}
}

/* Process 7 at a time of CLOCK_BOOTTIME. */
struct moment {
	uint64_t begin_s, elapsed_s;
	uint64_t seen_s; /* 0: the snapshot does not say */
	const char *program;
};

static struct top_row row_at(const struct moment *at)
{
	const struct image_header head = {.sequence = 1,
		.interval_ns = NS_PER_SEC,
		.stale_ns = INT64_MAX,
		.boottime_ns = at->begin_s * NS_PER_SEC,
		.pass_begin_ns = at->begin_s * NS_PER_SEC};
	AUTO_SMALL struct small s = {0};
	AUTO_VIEW struct view *view = NULL;
	struct snapshot_process *p;
	struct top_row row;

	small_begin(&s);
	p = builder_add_process(&s.builder);
	assert_non_null(p);
	p->pid = 7;
	for (unsigned int kind = 0; kind < OWNER_KINDS; kind++)
		p->owner[kind] = builder_add_text(&s.builder, at->program, strlen(at->program));
	ROW_SET(p, PROCESS_ELAPSED, at->elapsed_s * NS_PER_SEC);
	if (at->seen_s)
		ROW_SET(p, PROCESS_SEEN, at->seen_s * NS_PER_SEC);
	view = small_view(&s.builder, &head);
	top_row_of_process(view, view_process(view, 0), &secret, &row);
	return row;
}

/* A row is the same process in the next snapshot unless its pid was reused or it called exec. */
static void keys_stay_those_of_the_process(void **state)
{
	static const struct {
		struct moment first, next;
		bool is_same, has_same_past;
	} cases[] = {
		{{1000, 500, 400, "bash"}, {1010, 510, 410, "bash"}, true, true},
		{{1000, 500, 400, "bash"}, {1010, 510, 10, "bash"}, true, false}, /* an exec */
		{{1000, 500, 400, "bash"}, {1010, 3, 3, "bash"}, false,
			false}, /* its pid was reused */
		/* passes of memtally itself */
		{{1000, 500, 0, "bash"}, {1010, 510, 0, "bash"}, true, true},
		{{1000, 500, 0, "bash"}, {1010, 510, 0, "cat"}, false, false},
		{{1000, 500, 0, "bash"}, {1010, 3, 0, "bash"}, false, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct top_row a = row_at(&cases[i].first), b = row_at(&cases[i].next);

		assert_int_equal(a.key == b.key, cases[i].is_same);
		assert_int_equal(a.past.key == b.past.key && a.past.since_ns == b.past.since_ns,
			cases[i].has_same_past);
	}
}

/* Each allocation fails in turn: there are no rows then, and the next call makes them. */
static void missing_memory_leaves_no_rows(void **state)
{
	AUTO_VIEW struct view *view = sample_open(&(struct sample_options){.more = 50});

	(void)state;
	for (unsigned int v = 0; v < TOP_VIEWS; v++)
		for (unsigned int n = 1; n; n = allocation_next(n)) {
			AUTO_MADE struct made m = {.has_members = v % 2};
			const struct top_rows_source from = {
				.view = view,
				.history = &m.history,
				.members = m.has_members ? &m.members : NULL,
				.secret = &secret,
			};
			bool failed;
			int r;

			top_state_init(&m.state, (enum top_view)v);
			query_init(&m.members, METRIC_PROCESS);
			allocation_fail_at(n);
			r = top_rows_make(&m.rows, &m.state.asks, &from);
			failed = allocation_end();
			/* Without memory for the history there is no history. */
			assert_true(r == 0 || (r == -ENOMEM && failed));
			if (r < 0)
				assert_int_equal(m.rows.shown, 0);
			make(&m, view);
			assert_true(m.rows.shown > 0);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_view_adds_up_to_the_host),
		cmocka_unit_test(sums_over_processes_are_those_of_the_image),
		cmocka_unit_test(filters_choose_rows),
		cmocka_unit_test(the_command_line_chooses_first),
		cmocka_unit_test(totals_are_those_of_the_filter),
		cmocka_unit_test(rows_are_sorted_by_any_column),
		cmocka_unit_test(children_are_below_their_parents),
		cmocka_unit_test(branches_have_the_sums_of_all_below),
		cmocka_unit_test(branches_have_a_past_of_their_own),
		cmocka_unit_test(the_past_of_a_pause_stays),
		cmocka_unit_test(a_pause_gives_no_samples),
		cmocka_unit_test(sums_of_one_choice_are_remembered),
		cmocka_unit_test(sums_of_a_circle_are_completed),
		cmocka_unit_test(deep_trees_are_shown),
		cmocka_unit_test(nested_rows_are_users_programs_and_processes),
		cmocka_unit_test(branches_are_the_sums_of_the_image),
		cmocka_unit_test(growth_is_of_the_rows_that_need_it),
		cmocka_unit_test(sums_of_a_user_have_growth_at_once),
		cmocka_unit_test(recorded_snapshots_have_sums_of_a_choice),
		cmocka_unit_test(public_images_have_sums_only),
		cmocka_unit_test(missing_memory_leaves_no_rows),
		cmocka_unit_test(keys_tell_rows_apart),
		cmocka_unit_test(keys_stay_those_of_the_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
