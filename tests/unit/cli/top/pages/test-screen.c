/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the screen: whole screens of all widths against golden grids, messages in place of figures,
 * and that no state of any snapshot writes outside its cells.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <locale.h>
#include <time.h>

#include "cli/top/rows/samples.h"
#include "cli/top/pages/screen.h"
#include "cli/top/pages/top-keys.h"
#include "snapshot/past.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/golden.h"
#include "tests/unit/support/snapshot/sample.h"
#include "tests/unit/support/snapshot/small.h"

#define MIB (UINT64_C(1) << 20)

static const struct siphash_key secret = {{1, 2}};

/* A screen without a terminal. */
struct desk {
	struct view *view; /* owned */
	struct top_state state;
	struct top_rows rows;
	struct history history;
	struct grid grid;
	uint64_t age_ns;
	const char *problem, *origin, *filters;
	const struct screen_past *past;
	struct buffer text;
};

static void desk_done(struct desk *d)
{
	top_rows_done(&d->rows);
	history_done(&d->history);
	grid_done(&d->grid);
	buffer_done(&d->text);
	view_unref(d->view);
}
#define AUTO_DESK CLEANUP(desk_done)

/* Shows VIEW, which D owns from now on, with UTF-8. */
static void desk_open(struct desk *d, enum top_view what, struct view *view)
{
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	*d = (struct desk){.view = view, .origin = "", .filters = "", .age_ns = 3 * NS_PER_SEC};
	top_state_init(&d->state, what);
}

static void draw(struct desk *d, size_t width, size_t height)
{
	const struct top_rows_source from = {
		.view = d->view, .history = &d->history, .secret = &secret};
	const struct screen screen = {
		.state = &d->state,
		.rows = &d->rows,
		.view = d->view,
		.now_ns = d->view ? d->view->header->boottime_ns + d->age_ns : 0,
		.host = "host-1",
		.filters = d->filters,
		.origin = d->origin,
		.problem = d->problem,
		.past = d->past,
		.text = &d->text,
	};

	if (d->view)
		assert_int_equal(top_rows_make(&d->rows, &d->state.asks, &from), 0);
	assert_int_equal(screen_draw(&screen, width, height, &d->grid), 0);
}

static void expect_golden(const struct desk *d, const char *name)
{
	AUTO_BUFFER struct buffer text = {0};

	grid_render(&d->grid, &text);
	assert_int_equal(text.error, 0);
	golden_check(name, &text);
}

/* Returns true if the screen has TEXT. */
static bool shows(const struct desk *d, const char *wanted)
{
	AUTO_BUFFER struct buffer text = {0};

	grid_render(&d->grid, &text);
	return memmem(text.data, text.len, wanted, strlen(wanted));
}

/* Gives the history ten minutes in which process or owner I grew by I MiB a minute. */
static void remember(struct desk *d)
{
	uint64_t end_ns = d->view->header->boottime_ns;
	unsigned int i = 0;

	for (uint64_t ago_s = 600; ago_s <= 600; ago_s -= 15) {
		history_begin(&d->history, end_ns - ago_s * NS_PER_SEC, SAMPLE_INTERVAL_NS);
		for (i = 0; i < d->rows.count; i++) {
			const struct top_row *row = &d->rows.row[i];
			uint64_t pss, less = ago_s * i * (MIB / 60);

			if (amounts_get(&row->amounts, AMOUNT_PSS, &pss))
				history_add(&d->history, &row->past, pss > less ? pss - less : 0);
		}
		history_end(&d->history);
	}
}

static void screens_are_golden(void **state)
{
	static const struct {
		const char *name, *locale;
		enum top_view view;
		size_t width, height;
		struct sample_options options;
		bool has_past;
	} cases[] = {
		{"top-40.txt", "C.UTF-8", TOP_VIEW_PROGRAM, 40, 24, {0}, true},
		{"top-40-ascii.txt", "C", TOP_VIEW_PROGRAM, 40, 24, {0}, true},
		{"top-80.txt", "C.UTF-8", TOP_VIEW_PROCESS, 80, 26, {.is_estimated = true}, true},
		{"top-80-ascii.txt", "C", TOP_VIEW_PROCESS, 80, 26, {.is_estimated = true}, true},
		{"top-132.txt", "C.UTF-8", TOP_VIEW_USER, 132, 24, {.is_blocked = true}, true},
		{"top-132-nested.txt", "C.UTF-8", TOP_VIEW_NESTED, 132, 40, {0}, false},
		{"top-300.txt", "C.UTF-8", TOP_VIEW_PROCESS, 300, 24, {0}, true},
		{"top-public.txt", "C.UTF-8", TOP_VIEW_PROCESS, 80, 12, {.is_public = true}, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_DESK struct desk d;

		desk_open(&d, cases[i].view, sample_open(&cases[i].options));
		assert_non_null(setlocale(LC_CTYPE, cases[i].locale));
		d.state.asks.is_opposite = cases[i].view == TOP_VIEW_NESTED;
		draw(&d, cases[i].width, cases[i].height);
		if (cases[i].has_past)
			remember(&d);
		draw(&d, cases[i].width, cases[i].height);
		expect_golden(&d, cases[i].name);
	}
}

/* A letter for each style. */
static void render_styles(const struct grid *g, struct buffer *to)
{
	static const char letters[STYLES + 1] = " tdhS>fbug*cAFSPCKH.?";

	for (size_t y = 0; y < g->height; y++) {
		for (size_t x = 0; x < g->width; x++)
			buffer_add_char(to, letters[grid_at(g, x, y)->style]);
		buffer_add_char(to, '|');
		buffer_add_char(to, '\n');
	}
}

static void styles_are_golden(void **state)
{
	AUTO_BUFFER struct buffer text = {0};
	AUTO_DESK struct desk d;

	(void)state;
	desk_open(
		&d, TOP_VIEW_PROCESS, sample_open(&(struct sample_options){.is_estimated = true}));
	snprintf(d.state.search, sizeof(d.state.search), "bash");
	draw(&d, 80, 26);
	remember(&d);
	top_keys_press(&d.state, &d.rows, TOP_KEY_DOWN);
	draw(&d, 80, 26);
	render_styles(&d.grid, &text);
	golden_check("top-80-styles.txt", &text);
}

static void pages_are_golden(void **state)
{
	AUTO_DESK struct desk d;

	(void)state;
	desk_open(&d, TOP_VIEW_PROGRAM, sample_open(NULL));
	d.state.page = TOP_PAGE_HELP;
	draw(&d, 80, 120);
	expect_golden(&d, "top-help.txt");
	d.state.page = TOP_PAGE_COLUMNS;
	d.state.line = 3;
	draw(&d, 80, 24);
	expect_golden(&d, "top-columns.txt");
	d.state.page = TOP_PAGE_USERS;
	draw(&d, 60, 16);
	expect_golden(&d, "top-users.txt");
	/* beside the list where there is room */
	draw(&d, 100, 20);
	expect_golden(&d, "top-100-users.txt");
}

/* Shows a page of text, "line 0" to "line 49". */
static void desk_open_text(struct desk *d)
{
	desk_open(d, TOP_VIEW_PROGRAM, sample_open(NULL));
	for (unsigned int i = 0; i < 50; i++)
		buffer_printf(&d->text, "line %u\n", i);
	buffer_add_char(&d->text, '\0');
	d->state.page = TOP_PAGE_DETAILS;
}

/* A page of text is scrolled to its last line at most. */
static void texts_are_scrolled(void **state)
{
	AUTO_DESK struct desk d;

	(void)state;
	desk_open_text(&d);
	draw(&d, 80, 24);
	assert_true(shows(&d, "line 0\n"));
	assert_false(shows(&d, "line 49\n"));
	d.state.line = 1000;
	draw(&d, 80, 24);
	assert_true(shows(&d, "line 49\n"));
	assert_int_equal(d.state.line, 50 - d.state.height);
}

/* A search goes to the next line with the text, in any case, and from the last one to the first. */
static void texts_are_searched(void **state)
{
	static const struct {
		enum top_seek seek;
		const char *search;
		size_t found; /* 1 + the line */
		const char *said;
	} steps[] = {
		{TOP_SEEK_HERE, "LINE 2", 3, ""},
		{TOP_SEEK_NEXT, "LINE 2", 21, ""},
		{TOP_SEEK_HERE, "LINE 20", 21, ""},
		{TOP_SEEK_NEXT, "line 49", 50, ""},
		{TOP_SEEK_NEXT, "line 1", 2, ""}, /* from the first line on */
		{TOP_SEEK_NEXT, "line 50", 2, "Not found: line 50"},
	};
	AUTO_DESK struct desk d;

	(void)state;
	desk_open_text(&d);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		const struct grid_cell *cell;

		snprintf(d.state.search, sizeof(d.state.search), "%s", steps[i].search);
		d.state.seek = steps[i].seek;
		d.state.said[0] = '\0';
		draw(&d, 80, 24);
		assert_int_equal(d.state.seek, TOP_SEEK_NONE);
		assert_int_equal(d.state.found, steps[i].found);
		assert_string_equal(d.state.said, steps[i].said);
		assert_int_equal(d.state.is_missed, steps[i].said[0] != '\0');
		/* It is on the screen, and marked. */
		assert_in_range(d.state.found - 1, d.state.line, d.state.line + d.state.height - 1);
		cell = grid_at(&d.grid, 0, 23 - d.state.height + d.state.found - 1 - d.state.line);
		assert_int_equal(cell->style, STYLE_FOUND);
	}
}

/* Without figures that may be shown there is a message and no figure. */
static void problems_replace_figures(void **state)
{
	static const char problem[] = "no connection to memtallyd at /run/memtally/snapshot.sock: "
				      "Connection refused";
	AUTO_DESK struct desk d, none;

	(void)state;
	desk_open(&d, TOP_VIEW_PROCESS, sample_open(NULL));
	d.problem = problem;
	for (unsigned int page = 0; page <= TOP_PAGE_COLUMNS; page++) {
		d.state.page = (enum top_page)page;
		draw(&d, 80, 24);
		assert_int_equal(shows(&d, "no connection"), page != TOP_PAGE_HELP);
		assert_false(shows(&d, "firefox"));
		assert_false(shows(&d, "391M"));
		assert_false(shows(&d, "22:13:20"));
	}
	desk_open(&none, TOP_VIEW_PROCESS, NULL);
	none.problem = problem;
	draw(&none, 40, 8);
	expect_golden(&none, "top-problem.txt");
}

static void paused_figures_say_so(void **state)
{
	AUTO_DESK struct desk d;

	(void)state;
	desk_open(&d, TOP_VIEW_PROCESS, sample_open(NULL));
	d.age_ns = 3725 * NS_PER_SEC;
	d.state.is_paused = true;
	draw(&d, 80, 24);
	assert_true(shows(&d, "22:13:20, 1 h 2 min ago"));
	assert_true(shows(&d, "PAUSED"));
}

/* The past has a line in plain words, its date, and its age by the wall clock. */
static void the_past_says_so(void **state)
{
	static const struct screen_past pasts[] = {
		{.at_ns = SAMPLE_REALTIME_NS,
			.now_ns = SAMPLE_REALTIME_NS + 90 * NS_PER_SEC,
			.marks = PAST_MARK_OOM | PAST_MARK_PRESSURE},
		{.at_ns = SAMPLE_REALTIME_NS,
			.now_ns = SAMPLE_REALTIME_NS + 26 * 3600 * NS_PER_SEC,
			.marks = PAST_MARK_START | PAST_MARK_GAP,
			.is_own_only = true},
	};
	AUTO_DESK struct desk d;

	(void)state;
	desk_open(&d, TOP_VIEW_PROGRAM, sample_open(NULL));
	d.past = &pasts[0];
	d.origin = "measured by memtally itself";
	draw(&d, 120, 24);
	assert_true(shows(&d, "  22:13:20, 1 min 30 s ago"));
	assert_true(shows(&d,
		" PAST\nOOM kill just before. Processes had waited for memory. The past (l: the present, "));
	assert_false(shows(&d, "measured by memtally itself")); /* the recorded snapshot is not */
	d.past = &pasts[1];
	draw(&d, 132, 24);
	expect_golden(&d, "top-132-past.txt");
	d.state.is_playing = true;
	draw(&d, 132, 24);
	assert_true(shows(&d, " REPLAY\n"));
}

/* A remark takes the place of the labels of keys. */
static void remarks_are_in_the_last_line(void **state)
{
	AUTO_DESK struct desk d;

	(void)state;
	desk_open(&d, TOP_VIEW_PROGRAM, sample_open(NULL));
	top_state_say(&d.state, "Not found: %s", "a\x1b[2Jb");
	draw(&d, 80, 24);
	assert_true(shows(&d, "\nNot found: a\\x1b[2Jb\n"));
	assert_false(shows(&d, "F1Help"));
	top_keys_press(&d.state, &d.rows, TOP_KEY_DOWN);
	draw(&d, 80, 24);
	assert_true(shows(&d, "F1Help"));
	/* In a prompt the remark is behind the text. */
	d.state.prompt = TOP_PROMPT_SEARCH;
	snprintf(d.state.search, sizeof(d.state.search), "zoe");
	d.state.is_missed = true;
	draw(&d, 80, 24);
	assert_true(shows(&d, "zoe  not found\n"));
	d.state.prompt = TOP_PROMPT_TIME;
	snprintf(d.state.time, sizeof(d.state.time), "-15m");
	draw(&d, 100, 24);
	assert_true(shows(&d, "oom; Enter goes): -15m\n"));
}

/* Until ten minutes are known, the screen says since when growth is known. */
static void the_beginning_of_growth_is_told(void **state)
{
	AUTO_DESK struct desk d;

	(void)state;
	desk_open(&d, TOP_VIEW_PROGRAM, sample_open(NULL));
	draw(&d, 80, 24);
	assert_true(shows(&d, "  growth since 22:13\n"));
	history_begin(&d.history, SAMPLE_BOOTTIME_NS - 125 * NS_PER_SEC, SAMPLE_INTERVAL_NS);
	history_end(&d.history);
	draw(&d, 80, 24);
	assert_true(shows(&d, "  growth since 22:11\n"));
	assert_true(shows(&d, "+1min   +2min TREND"));
	history_done(&d.history);
	remember(&d);
	draw(&d, 80, 24);
	assert_false(shows(&d, "growth since"));
}

static void the_origin_has_a_line(void **state)
{
	AUTO_DESK struct desk d;

	(void)state;
	desk_open(&d, TOP_VIEW_PROCESS, sample_open(NULL));
	d.origin = "measured by memtally itself";
	draw(&d, 80, 24);
	assert_true(shows(&d, "\nmeasured by memtally itself\n"));
	assert_true(shows(&d, "firefox"));
}

static void filters_are_named(void **state)
{
	AUTO_DESK struct desk d;

	(void)state;
	desk_open(&d, TOP_VIEW_PROCESS, sample_open(NULL));
	d.filters = " --unit=a.service";
	snprintf(d.state.asks.user, sizeof(d.state.asks.user), "alice");
	snprintf(d.state.asks.filter, sizeof(d.state.asks.filter), "fire");
	draw(&d, 120, 24);
	assert_true(shows(&d, "7nested  --unit=a.service user: alice filter: fire\n"));
}

static void small_terminals_get_a_message(void **state)
{
	static const struct {
		size_t width, height;
	} sizes[] = {{20, 24}, {39, 24}, {80, 7}, {1, 1}, {20, 1}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		AUTO_DESK struct desk d;

		desk_open(&d, TOP_VIEW_PROCESS, sample_open(NULL));
		draw(&d, sizes[i].width, sizes[i].height);
		assert_false(shows(&d, "firefox"));
		assert_int_equal(shows(&d, "memtally top needs"), sizes[i].width >= 20);
	}
}

/* The cursor is at the end of the text that is typed. */
static void prompts_have_the_cursor(void **state)
{
	AUTO_DESK struct desk d;

	(void)state;
	desk_open(&d, TOP_VIEW_PROCESS, sample_open(NULL));
	draw(&d, 80, 24);
	assert_false(d.grid.has_cursor);
	d.state.prompt = TOP_PROMPT_FILTER;
	snprintf(d.state.asks.filter, sizeof(d.state.asks.filter), "数");
	draw(&d, 80, 24);
	assert_true(d.grid.has_cursor);
	assert_int_equal(d.grid.hot_y, 23);
	assert_true(shows(&d, "ends): 数"));
	assert_int_equal(grid_at(&d.grid, d.grid.hot_x - 2, 23)->text[0], 0x6570);
}

/* A snapshot of one process; all its names are NAME. */
static struct view *named(const char *name)
{
	AUTO_SMALL struct small s = {0};
	struct snapshot_process *p;

	small_begin(&s);
	ROW_SET(s.host, SCOPE_PROCESSES, 1);
	p = builder_add_process(&s.builder);
	assert_non_null(p);
	p->pid = 7;
	p->source = SOURCE_ROLLUP;
	for (unsigned int kind = 0; kind < OWNER_KINDS; kind++) {
		struct snapshot_scope *o = builder_add_scope(
			&s.builder, metric_owner_scope((enum owner_kind)kind));

		p->owner[kind] = builder_add_text(&s.builder, name, strlen(name));
		assert_non_null(o);
		o->name = p->owner[kind];
		ROW_SET(o, SCOPE_PROCESSES, 1);
	}
	ROW_SET(p, PROCESS_PSS, MIB);
	return small_view(&s.builder, NULL);
}

static void draw_host(struct desk *d, const int64_t *gib, size_t width)
{
	static const enum balance_quantity lines[] = {BALANCE_PSS_ANON, BALANCE_PSS_FILE,
		BALANCE_PSS_SHMEM, BALANCE_TMPFS, BALANCE_PSS_UNSPLIT, BALANCE_PAGE_CACHE,
		BALANCE_PAGE_TABLES, BALANCE_SLAB_RECLAIMABLE, BALANCE_HUGETLB, BALANCE_FREE,
		BALANCE_RESIDUAL};
	AUTO_SMALL struct small s = {0};
	struct snapshot_balance *b;

	small_begin(&s);
	ROW_SET(s.host, SCOPE_MEM_TOTAL, UINT64_C(100) << 30);
	b = builder_add_balance(&s.builder);
	assert_non_null(b);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		ROW_SET(b, lines[i], (uint64_t)gib[i] << 30);
	desk_open(d, TOP_VIEW_PROGRAM, small_view(&s.builder, NULL));
	draw(d, width, 24);
}

/* Each band is as long as its part of the memory. All kinds of kernel memory are one band. */
static void bands_are_parts_of_the_host(void **state)
{
	static const struct {
		int64_t gib[11];
		const char *bar, *legend;
	} cases[] = {
		{{40, 10, 4, 6, 0, 20, 2, 3, 0, 10, 5},
			"\nAAAAAAAAAAAAAAAAAAAAFFFFFSSSSSCCCCCCCCCCKKK.....??\n", "Cache 20.0G"},
		{{0, 0, 0, 0, 50, 0, 0, 0, 50, 0, 0},
			"\nUUUUUUUUUUUUUUUUUUUUUUUUUHHHHHHHHHHHHHHHHHHHHHHHHH\n", "Unsplit 50.0G"},
		/* more lines than memory: they share the bar */
		{{100, 0, 0, 0, 0, 25, 0, 0, 0, 0, -25},
			"\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACCCCCCCCCC\n",
			"?overcounted 25.0G 25%"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_DESK struct desk d;
		AUTO_DESK struct desk wide;

		draw_host(&d, cases[i].gib, 50);
		assert_true(shows(&d, cases[i].bar));
		assert_int_equal(shows(&d, "Hugetlb"), cases[i].gib[8] != 0);
		draw_host(&wide, cases[i].gib, 100);
		assert_true(shows(&wide, cases[i].legend));
	}
}

static void a_missing_balance_sheet_says_so(void **state)
{
	AUTO_DESK struct desk d;

	(void)state;
	desk_open(&d, TOP_VIEW_PROGRAM, named("bash"));
	draw(&d, 80, 24);
	assert_true(shows(&d, "\nthis snapshot has no balance sheet of the host\n"));
	assert_true(shows(&d, "swap: not known"));
}

/* Each cell has printable characters, and each line its width. */
static void check_cells(const struct grid *g)
{
	for (size_t y = 0; y < g->height; y++) {
		size_t columns = 0;

		for (size_t x = 0; x < g->width; x++) {
			const struct grid_cell *c = grid_at(g, x, y);

			columns += c->span;
			for (size_t i = 0; c->span && i < GRID_CHARACTERS && c->text[i]; i++)
				assert_true(wcwidth(c->text[i]) >= 0);
		}
		assert_int_equal(columns, g->width);
	}
}

/*
 * Names with characters that move a cursor, turn text around or take no or two columns, in each view
 * and page. A snapshot has clean names only, so the escape itself is "\x1b" in text.
 */
static void hostile_names_stay_in_their_cells(void **state)
{
	static const char *const locales[] = {"C.UTF-8", "C"};
	char longest[SNAPSHOT_NAME_MAX + 1];
	const char *const names[] = {"\\x1b[2J\\x1b[31m", "数据库服务数据库服务数据库服务",
		"e\xcc\x81\xcc\x82\xcc\x83\xcc\x84", "\xcc\x81", "", " ",
		"\xef\xbf\xbd\xef\xbf\xbd", "%s%n", "😀数", longest};

	(void)state;
	memset(longest, 'x', SNAPSHOT_NAME_MAX);
	longest[SNAPSHOT_NAME_MAX] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		for (unsigned int v = 0; v < TOP_VIEWS * 2; v++) {
			AUTO_DESK struct desk d;

			desk_open(&d, (enum top_view)(v / 2), named(names[i]));
			assert_non_null(setlocale(LC_CTYPE, locales[v % 2]));
			snprintf(d.state.search, sizeof(d.state.search), "%.100s", names[i]);
			d.state.asks.is_opposite = v / 2 == TOP_VIEW_NESTED;
			for (size_t width = 40; width < 140; width += 33)
				for (unsigned int page = 0; page <= TOP_PAGE_COLUMNS; page++) {
					d.state.page = (enum top_page)page;
					draw(&d, width, 20);
					check_cells(&d.grid);
				}
		}
}

/* Without memory for a text, a screen lacks that text, and nothing else happens. */
static void missing_memory_leaves_texts_out(void **state)
{
	(void)state;
	for (unsigned int page = 0; page <= TOP_PAGE_COLUMNS; page++)
		for (unsigned int n = 1; n; n = allocation_next(n)) {
			AUTO_DESK struct desk d;

			desk_open(&d, TOP_VIEW_TREE, sample_open(NULL));
			draw(&d, 80, 24);
			d.state.page = (enum top_page)page;
			allocation_fail_at(n);
			draw(&d, 80, 24);
			allocation_end();
			check_cells(&d.grid);
		}
}

/* Random keys in any size: no cell goes wrong. */
static void random_keys_draw_screens(void **state)
{
	static const uint32_t some[] = {TOP_KEY_UP, TOP_KEY_DOWN, TOP_KEY_LEFT, TOP_KEY_RIGHT,
		TOP_KEY_PAGE_UP, TOP_KEY_PAGE_DOWN, TOP_KEY_HOME, TOP_KEY_END, TOP_KEY_ENTER,
		TOP_KEY_ESCAPE, TOP_KEY_TAB, TOP_KEY_BACKSPACE, TOP_KEY_F0 + 3, TOP_KEY_F0 + 4};
	AUTO_DESK struct desk d;
	uint64_t random = 11;

	(void)state;
	desk_open(&d, TOP_VIEW_PROGRAM, sample_open(&(struct sample_options){.more = 50}));
	for (unsigned int i = 0; i < unit_rounds(3000); i++) {
		uint64_t n = unit_random(&random);
		uint32_t key = n % 2 ? some[(n >> 8) % ARRAY_SIZE(some)] : ' ' + (n >> 8) % 95;

		top_keys_press(&d.state, &d.rows, key);
		draw(&d, 1 + (n >> 16) % 160, 1 + (n >> 24) % 40);
		check_cells(&d.grid);
	}
}

/* Sums over processes that the snapshot does not have are absent, not 0. */
static void a_public_snapshot_has_no_total_of_a_filter(void **state)
{
	const struct sample_options options = {.is_public = true};
	AUTO_DESK struct desk d;

	(void)state;
	desk_open(&d, TOP_VIEW_PROCESS, sample_open(&options));
	snprintf(d.state.asks.filter, sizeof(d.state.asks.filter), "bash");
	draw(&d, 132, 24);
	assert_true(shows(&d, "PSS: all"));
	assert_false(shows(&d, "filter 0"));
	assert_true(shows(&d, "Keys 1 to 4 show sums"));
}

static void a_view_without_the_sort_column_says_so(void **state)
{
	static const struct {
		enum top_view view;
		enum top_column sort;
		const char *text; /* NULL: the view has the column */
	} cases[] = {
		{TOP_VIEW_USER, TOP_COLUMN_PID, "sorted by PSS, without pid"},
		{TOP_VIEW_PROGRAM, TOP_COLUMN_USER, "sorted by PSS, without user"},
		{TOP_VIEW_PROCESS, TOP_COLUMN_PROCESSES, "sorted by PSS, without processes"},
		{TOP_VIEW_PROCESS, TOP_COLUMN_PID, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_DESK struct desk d;

		desk_open(&d, cases[i].view, sample_open(NULL));
		d.state.asks.sort = cases[i].sort;
		draw(&d, 132, 24);
		assert_int_equal(shows(&d, "sorted by"), cases[i].text != NULL);
		assert_true(!cases[i].text || shows(&d, cases[i].text));
	}
}

/* The last line of a page of text has all its keys where there is room. */
static void pages_of_text_tell_their_keys(void **state)
{
	static const char *const names[] = {
		"Esc", "q", "F1", "Enter", "Left", "Backspace", "Space", "PgDn"};
	AUTO_DESK struct desk d;

	(void)state;
	desk_open(&d, TOP_VIEW_PROCESS, sample_open(NULL));
	d.state.page = TOP_PAGE_DETAILS;
	draw(&d, 80, 24);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_true(shows(&d, names[i]));
	draw(&d, SCREEN_WIDTH_MIN, 24);
	assert_true(shows(&d, "Esc q back"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_view_without_the_sort_column_says_so),
		cmocka_unit_test(pages_of_text_tell_their_keys),
		cmocka_unit_test(a_public_snapshot_has_no_total_of_a_filter),
		cmocka_unit_test(screens_are_golden),
		cmocka_unit_test(styles_are_golden),
		cmocka_unit_test(pages_are_golden),
		cmocka_unit_test(texts_are_scrolled),
		cmocka_unit_test(texts_are_searched),
		cmocka_unit_test(problems_replace_figures),
		cmocka_unit_test(paused_figures_say_so),
		cmocka_unit_test(the_past_says_so),
		cmocka_unit_test(remarks_are_in_the_last_line),
		cmocka_unit_test(the_beginning_of_growth_is_told),
		cmocka_unit_test(the_origin_has_a_line),
		cmocka_unit_test(filters_are_named),
		cmocka_unit_test(small_terminals_get_a_message),
		cmocka_unit_test(prompts_have_the_cursor),
		cmocka_unit_test(bands_are_parts_of_the_host),
		cmocka_unit_test(a_missing_balance_sheet_says_so),
		cmocka_unit_test(hostile_names_stay_in_their_cells),
		cmocka_unit_test(missing_memory_leaves_texts_out),
		cmocka_unit_test(random_keys_draw_screens),
	};

	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
