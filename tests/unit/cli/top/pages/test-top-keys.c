/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the keys: the table, moves, views, prompts, menus and pages. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "cli/top/rows/top-columns.h"
#include "cli/top/pages/top-keys.h"
#include "cli/top/pages/top-menu.h"
#include "tests/unit/support/snapshot/sample.h"

static const struct siphash_key secret = {{1, 2}};

#define F(n) (TOP_KEY_F0 + (n))

/* A screen of the sample without a terminal. */
struct desk {
	struct view *view;
	struct top_state state;
	struct top_rows rows;
	struct history history;
};

/* Makes the rows that the state asks for, without a drawing. */
static void remake(struct desk *d)
{
	const struct top_rows_source from = {
		.view = d->view, .history = &d->history, .secret = &secret};

	assert_int_equal(top_rows_make(&d->rows, &d->state.asks, &from), 0);
}

static void refresh(struct desk *d)
{
	remake(d);
	top_rows_settle(&d->rows, &d->state);
}

static void desk_open(struct desk *d, enum top_view view)
{
	*d = (struct desk){.view = sample_open(NULL)};
	top_state_init(&d->state, view);
	d->state.height = 5;
	refresh(d);
}

static void desk_close(struct desk *d)
{
	top_rows_done(&d->rows);
	history_done(&d->history);
	view_unref(d->view);
}
#define AUTO_DESK CLEANUP(desk_close)

/* Presses a key that must do something. */
static void press(struct desk *d, uint32_t key)
{
	assert_true(top_keys_press(&d->state, &d->rows, key));
	refresh(d);
}

static void type(struct desk *d, const char *text)
{
	for (; *text; text++)
		press(d, (unsigned char)*text);
}

static const char *selected(const struct desk *d)
{
	return d->state.index < d->rows.shown ? top_rows_at(&d->rows, d->state.index)->name : "";
}

/* Keys that come at once: rows are made again after each, and drawn only after the last. */
static void press_fast(struct desk *d, const uint32_t *keys)
{
	for (; *keys; keys++) {
		assert_true(top_keys_press(&d->state, &d->rows, *keys));
		remake(d);
	}
}

/* No two actions have one key, columns' letters included; each key has words for the help. */
static void each_key_has_one_action(void **state)
{
	const struct top_key *a, *b;

	(void)state;
	for (size_t i = 0; (a = top_keys_at(i)); i++) {
		assert_true(a->help && *a->help && a->names && *a->names && a->act);
		for (size_t k = 0; k < TOP_KEYS_SAME; k++) {
			for (size_t n = 0; a->key[k] && (b = top_keys_at(n)) && n <= i; n++)
				for (size_t m = 0; m < TOP_KEYS_SAME; m++)
					assert_true((n == i && m == k) || b->key[m] != a->key[k]);
			for (unsigned int c = 0; a->key[k] && c < TOP_COLUMNS; c++)
				assert_int_not_equal(a->key[k],
					(unsigned char)top_columns_spec((enum top_column)c)->key);
		}
	}
}

/* Ctrl-L is in the help, and works on each page and in prompts. */
static void the_terminal_is_drawn_anew(void **state)
{
	static const uint32_t before[] = {'5', '?', F(6), 'u', '/', '\\'};
	const struct top_key *key;
	bool is_in_help = false;

	(void)state;
	for (size_t i = 0; (key = top_keys_at(i)); i++)
		is_in_help |= !strcmp(key->names, "Ctrl-L");
	assert_true(is_in_help);
	for (size_t i = 0; i < ARRAY_SIZE(before); i++) {
		AUTO_DESK struct desk d;

		desk_open(&d, TOP_VIEW_PROCESS);
		press(&d, before[i]);
		press(&d, TOP_KEY_REDRAW);
		assert_true(d.state.is_spoilt);
	}
}

static void views_have_keys(void **state)
{
	static const struct {
		uint32_t key;
		enum top_view view;
	} steps[] = {
		{'1', TOP_VIEW_USER}, {'2', TOP_VIEW_PROGRAM}, {'3', TOP_VIEW_UNIT},
		{'4', TOP_VIEW_CONTAINER}, {'5', TOP_VIEW_PROCESS}, {'6', TOP_VIEW_TREE},
		{'7', TOP_VIEW_NESTED}, {TOP_KEY_TAB, TOP_VIEW_USER},
		{TOP_KEY_BACK_TAB, TOP_VIEW_NESTED}, {F(2), TOP_VIEW_USER}, {'3', TOP_VIEW_UNIT},
		{'t', TOP_VIEW_TREE}, {F(5), TOP_VIEW_UNIT}, /* back to the view before the tree */
	};
	AUTO_DESK struct desk d;

	(void)state;
	desk_open(&d, TOP_VIEW_PROGRAM);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		press(&d, steps[i].key);
		assert_int_equal(d.state.asks.view, steps[i].view);
	}
}

/* Keys that come at once do what they do one by one. */
static void keys_act_on_the_selected_row(void **state)
{
	static const struct {
		enum top_view view;
		uint32_t keys[12];
	} cases[] = {
		{TOP_VIEW_PROGRAM, {'5', TOP_KEY_DOWN, TOP_KEY_DOWN, 'R', TOP_KEY_ENTER}},
		{TOP_VIEW_PROCESS, {TOP_KEY_END, 'N', TOP_KEY_UP, 'P', TOP_KEY_ENTER}},
		{TOP_VIEW_TREE,
			{TOP_KEY_END, TOP_KEY_LEFT, TOP_KEY_LEFT, TOP_KEY_LEFT, TOP_KEY_ENTER}},
		{TOP_VIEW_NESTED, {TOP_KEY_RIGHT, TOP_KEY_DOWN, TOP_KEY_RIGHT, TOP_KEY_DOWN,
					  TOP_KEY_LEFT, TOP_KEY_LEFT, TOP_KEY_ENTER}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_DESK struct desk slow, fast;

		desk_open(&slow, cases[i].view);
		desk_open(&fast, cases[i].view);
		for (const uint32_t *key = cases[i].keys; *key; key++)
			press(&slow, *key);
		press_fast(&fast, cases[i].keys);
		assert_true(slow.state.detailed);
		assert_true(fast.state.detailed == slow.state.detailed);
	}
}

static void the_selection_moves(void **state)
{
	static const struct {
		uint32_t key;
		size_t index, scroll;
	} steps[] = {
		{TOP_KEY_UP, 0, 0},
		{TOP_KEY_DOWN, 1, 0},
		{'j', 2, 0},
		{TOP_KEY_PAGE_DOWN, 6, 2},
		{'k', 5, 2},
		{TOP_KEY_END, 15, 11},
		{TOP_KEY_DOWN, 15, 11},
		{TOP_KEY_PAGE_UP, 11, 11},
		{TOP_KEY_PAGE_UP, 7, 7},
		{TOP_KEY_HOME, 0, 0},
	};
	AUTO_DESK struct desk d;

	(void)state;
	desk_open(&d, TOP_VIEW_PROCESS);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		press(&d, steps[i].key);
		assert_int_equal(d.state.index, steps[i].index);
		assert_int_equal(d.state.scroll, steps[i].scroll);
	}
	assert_int_equal(d.state.selected, 0);
}

/* The selected row stays selected when the order changes. */
static void the_selection_stays_with_its_row(void **state)
{
	AUTO_DESK struct desk d;

	(void)state;
	desk_open(&d, TOP_VIEW_USER);
	press(&d, TOP_KEY_DOWN);
	assert_string_equal(selected(&d), "bob");
	press(&d, 'I');
	assert_string_equal(selected(&d), "bob");
	assert_int_not_equal(d.state.index, 1);
	press(&d, 'N');
	assert_string_equal(selected(&d), "bob");
}

static void columns_have_keys(void **state)
{
	AUTO_DESK struct desk d;

	(void)state;
	desk_open(&d, TOP_VIEW_PROCESS);
	for (unsigned int c = 0; c < TOP_COLUMNS; c++) {
		char key = top_columns_spec((enum top_column)c)->key;

		if (!key || c == TOP_COLUMN_PSS)
			continue;
		press(&d, (unsigned char)key);
		assert_int_equal(d.state.asks.sort, c);
		assert_false(d.state.asks.is_turned);
		press(&d, (unsigned char)key);
		assert_true(d.state.asks.is_turned);
	}
	/* PSS never comes with the smallest first. */
	for (unsigned int i = 0; i < 4; i++) {
		press(&d, i % 2 ? 'P' : 'M');
		assert_int_equal(d.state.asks.sort, TOP_COLUMN_PSS);
		assert_false(d.state.asks.is_turned);
		if (i == 1)
			press(&d, 'I');
	}
	press(&d, '>');
	assert_int_equal(d.state.asks.sort, TOP_COLUMN_DOUBT);
	press(&d, '<');
	press(&d, '<');
	assert_int_equal(d.state.asks.sort, TOP_COLUMN_USER);
	press(&d, '<');
	press(&d, '<'); /* processes have no column of processes */
	assert_int_equal(d.state.asks.sort, TOP_COLUMN_NAME);
	press(&d, '<');
	assert_int_equal(d.state.asks.sort, TOP_COLUMN_GROWTH_10);
}

static void a_search_selects_rows(void **state)
{
	AUTO_DESK struct desk d;
	uint64_t first;

	(void)state;
	desk_open(&d, TOP_VIEW_PROCESS);
	press(&d, '/');
	assert_int_equal(d.state.prompt, TOP_PROMPT_SEARCH);
	type(&d, "BAsh"); /* capitals do not matter; letters are no keys */
	assert_string_equal(selected(&d), "bash");
	first = d.state.selected;
	press(&d, F(3));
	assert_string_equal(selected(&d), "bash");
	assert_int_not_equal(d.state.selected, first);
	press(&d, TOP_KEY_ENTER);
	assert_int_equal(d.state.prompt, TOP_PROMPT_NONE);
	press(&d, 'n'); /* after the last one comes the first */
	assert_int_equal(d.state.selected, first);
	press(&d, F(3)); /* F3 goes on, too */
	assert_int_equal(d.state.prompt, TOP_PROMPT_NONE);
	assert_int_not_equal(d.state.selected, first);
	assert_int_equal(d.rows.shown, SAMPLE_PROCESSES);
	press(&d, '/');
	type(&d, "x");
	assert_string_equal(d.state.search, "x");
	press(&d, TOP_KEY_ESCAPE);
	assert_string_equal(d.state.search, "BAsh");
	press(&d, TOP_KEY_ESCAPE);
	assert_string_equal(d.state.search, "");
}

/* A search that finds nothing says so, in the prompt and behind it, until the next key. */
static void a_search_says_what_it_misses(void **state)
{
	AUTO_DESK struct desk d;

	(void)state;
	desk_open(&d, TOP_VIEW_PROCESS);
	press(&d, F(3)); /* without a search it begins one */
	assert_int_equal(d.state.prompt, TOP_PROMPT_SEARCH);
	type(&d, "bas");
	assert_false(d.state.is_missed);
	type(&d, "q");
	assert_true(d.state.is_missed);
	press(&d, TOP_KEY_BACKSPACE);
	press(&d, F(3));
	assert_false(d.state.is_missed);
	type(&d, "q");
	press(&d, TOP_KEY_ENTER);
	assert_string_equal(d.state.said, "");
	press(&d, F(3));
	assert_string_equal(d.state.said, "Not found: basq");
	press(&d, TOP_KEY_DOWN);
	assert_string_equal(d.state.said, "");
	press(&d, TOP_KEY_ESCAPE);
	press(&d, 'n');
	assert_string_equal(d.state.said, "There is no search yet: / begins one.");
	assert_true(top_keys_press(&d.state, &d.rows, 7)); /* a key without meaning ends it, too */
	assert_string_equal(d.state.said, "");
}

/* On pages of text, the next drawing searches: it has the lines. */
static void pages_of_text_are_searched(void **state)
{
	AUTO_DESK struct desk d;
	size_t index;

	(void)state;
	desk_open(&d, TOP_VIEW_PROCESS);
	index = d.state.index;
	press(&d, '?');
	press(&d, F(3));
	assert_int_equal(d.state.prompt, TOP_PROMPT_SEARCH);
	press(&d, 'b');
	assert_int_equal(d.state.seek, TOP_SEEK_HERE);
	press(&d, F(3));
	assert_int_equal(d.state.seek, TOP_SEEK_NEXT);
	press(&d, TOP_KEY_ENTER);
	assert_int_equal(d.state.page, TOP_PAGE_HELP);
	d.state.seek = TOP_SEEK_NONE;
	press(&d, 'n');
	assert_int_equal(d.state.seek, TOP_SEEK_NEXT);
	d.state.found = 7;
	press(&d, 'q');
	assert_int_equal(d.state.index, index); /* rows were not searched */
	press(&d, '?');
	assert_int_equal(d.state.seek, TOP_SEEK_NONE);
	assert_int_equal(d.state.found, 0);
}

static void no_key_ends_a_process(void **state)
{
	AUTO_DESK struct desk d;

	(void)state;
	desk_open(&d, TOP_VIEW_PROCESS);
	press(&d, F(9));
	assert_string_equal(d.state.said, "memtally top ends no process. In a shell: kill 1000");
	press(&d, '1');
	press(&d, F(9));
	assert_string_equal(d.state.said, "memtally top ends no process.");
}

/* Keys say where to go in time; the program goes there. */
static void keys_go_through_time(void **state)
{
	static const struct {
		uint32_t key;
		enum top_step step;
	} cases[] = {{'[', TOP_STEP_BACK}, {']', TOP_STEP_FORTH}, {'{', TOP_STEP_BACK_MINUTE},
		{'}', TOP_STEP_FORTH_MINUTE}, {'l', TOP_STEP_PRESENT}};
	AUTO_DESK struct desk d;

	(void)state;
	desk_open(&d, TOP_VIEW_PROCESS);
	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		if (i == ARRAY_SIZE(cases))
			press(&d, TOP_KEY_ENTER); /* also on the page of details */
		d.state.is_playing = true;
		press(&d, cases[i % ARRAY_SIZE(cases)].key);
		assert_int_equal(d.state.step, cases[i % ARRAY_SIZE(cases)].step);
		assert_false(d.state.is_playing);
		d.state.step = TOP_STEP_NONE;
	}
	assert_int_equal(d.state.page, TOP_PAGE_DETAILS);
	press(&d, 'b');
	assert_int_equal(d.state.prompt, TOP_PROMPT_TIME);
	type(&d, "-15m");
	assert_int_equal(d.state.step, TOP_STEP_NONE);
	press(&d, TOP_KEY_ENTER);
	assert_int_equal(d.state.step, TOP_STEP_TIME);
	assert_string_equal(d.state.time, "-15m");
	d.state.step = TOP_STEP_NONE;
	press(&d, 'b');
	press(&d, TOP_KEY_ENTER); /* nothing was typed */
	press(&d, 'b');
	type(&d, "oom");
	press(&d, TOP_KEY_ESCAPE);
	assert_int_equal(d.state.step, TOP_STEP_NONE);
	assert_int_equal(d.state.prompt, TOP_PROMPT_NONE);
	/* The past plays; the present pauses. */
	d.state.is_past = true;
	press(&d, ' ');
	assert_true(d.state.is_playing);
	assert_false(d.state.is_paused);
	press(&d, F(8));
	assert_false(d.state.is_playing);
}

static void a_filter_hides_rows(void **state)
{
	AUTO_DESK struct desk d;

	(void)state;
	desk_open(&d, TOP_VIEW_PROGRAM);
	press(&d, '\\');
	type(&d, "firefoxx");
	assert_int_equal(d.rows.shown, 0);
	press(&d, TOP_KEY_BACKSPACE);
	assert_int_equal(d.rows.shown, 1);
	press(&d, TOP_KEY_ENTER);
	assert_string_equal(d.state.asks.filter, "firefox");
	press(&d, F(4));
	press(&d, TOP_KEY_BACKSPACE);
	press(&d, TOP_KEY_ESCAPE); /* as it was before the prompt */
	assert_string_equal(d.state.asks.filter, "firefox");
	press(&d, TOP_KEY_ESCAPE);
	assert_string_equal(d.state.asks.filter, "");
	assert_true(d.rows.shown > 1);
}

/* A text takes characters of any length, and no more than it has room for. */
static void prompts_take_any_character(void **state)
{
	AUTO_DESK struct desk d;

	(void)state;
	desk_open(&d, TOP_VIEW_PROGRAM);
	press(&d, '\\');
	press(&d, 0xe9);
	press(&d, 0x6570);
	press(&d, 0x1f600);
	assert_string_equal(d.state.asks.filter, "é数😀");
	press(&d, TOP_KEY_BACKSPACE);
	press(&d, TOP_KEY_BACKSPACE);
	assert_string_equal(d.state.asks.filter, "é");
	press(&d, TOP_KEY_BACKSPACE);
	press(&d, TOP_KEY_BACKSPACE);
	assert_string_equal(d.state.asks.filter, "");
	for (unsigned int i = 0; i < 2 * TOP_TEXT_SIZE; i++)
		press(&d, 0x6570);
	assert_in_range(strlen(d.state.asks.filter), TOP_TEXT_SIZE - 4, TOP_TEXT_SIZE - 1);
	assert_int_equal(strlen(d.state.asks.filter) % 3, 0);
	assert_false(top_keys_press(&d.state, &d.rows, TOP_KEY_UP));
	assert_false(top_keys_press(&d.state, &d.rows, 7));
}

static void users_are_chosen_from_a_menu(void **state)
{
	AUTO_DESK struct desk d;
	size_t i = 1;

	(void)state;
	desk_open(&d, TOP_VIEW_PROCESS);
	press(&d, 'u');
	assert_int_equal(d.state.page, TOP_PAGE_USERS);
	while (strcmp(top_menu_user(d.view, i), "alice") != 0) {
		press(&d, TOP_KEY_DOWN);
		i++;
	}
	press(&d, TOP_KEY_DOWN);
	press(&d, TOP_KEY_ENTER);
	assert_int_equal(d.state.page, TOP_PAGE_LIST);
	assert_string_equal(d.state.asks.user, "alice");
	assert_int_equal(d.rows.shown, 4);
	press(&d, F(7));
	press(&d, TOP_KEY_ENTER); /* all users */
	assert_string_equal(d.state.asks.user, "");
	press(&d, 'u');
	press(&d, TOP_KEY_END);
	assert_non_null(top_menu_user(d.view, d.state.line));
	assert_null(top_menu_user(d.view, d.state.line + 1));
	press(&d, 'q');
	assert_int_equal(d.state.page, TOP_PAGE_LIST);
	assert_false(d.state.is_ended);
}

/* A new snapshot with other users does not change which one is chosen. */
static void the_chosen_user_stays_chosen(void **state)
{
	AUTO_DESK struct desk d;
	char name[QUERY_VALUE_MAX];
	size_t line;

	(void)state;
	desk_open(&d, TOP_VIEW_PROCESS);
	press(&d, 'u');
	press(&d, TOP_KEY_END);
	line = d.state.line;
	snprintf(name, sizeof(name), "%s", top_menu_user(d.view, line));
	view_unref(d.view);
	d.view = sample_open(&(struct sample_options){.more = 20});
	refresh(&d);
	assert_string_not_equal(top_menu_user(d.view, line), name);
	press(&d, TOP_KEY_ENTER);
	assert_string_equal(d.state.asks.user, name);
}

static void columns_are_chosen_from_a_menu(void **state)
{
	AUTO_DESK struct desk d;

	(void)state;
	desk_open(&d, TOP_VIEW_PROGRAM);
	press(&d, F(6));
	while (top_menu_column(d.state.line) != TOP_COLUMN_GROWTH_10)
		press(&d, TOP_KEY_DOWN);
	press(&d, TOP_KEY_ENTER);
	assert_int_equal(d.state.asks.sort, TOP_COLUMN_GROWTH_10);
	assert_false(d.state.asks.is_turned);
	press(&d, '.');
	press(&d, TOP_KEY_ESCAPE);
	assert_int_equal(d.state.asks.sort, TOP_COLUMN_GROWTH_10);
}

static void branches_are_opened_and_closed(void **state)
{
	AUTO_DESK struct desk d;

	(void)state;
	desk_open(&d, TOP_VIEW_NESTED);
	assert_string_equal(selected(&d), "alice");
	press(&d, TOP_KEY_RIGHT);
	assert_string_equal(top_rows_at(&d.rows, 1)->name, "firefox");
	press(&d, TOP_KEY_DOWN);
	press(&d, '+');
	press(&d, TOP_KEY_DOWN);
	press(&d, TOP_KEY_LEFT); /* a process has nothing to close: to its program */
	assert_string_equal(selected(&d), "firefox");
	assert_int_equal(d.state.index, 1);
	press(&d, '-');
	assert_false(top_rows_at(&d.rows, 1)->is_open);
	press(&d, TOP_KEY_LEFT);
	assert_string_equal(selected(&d), "alice");
	press(&d, TOP_KEY_LEFT);
	assert_int_equal(top_rows_at(&d.rows, 1)->depth, 0);
	press(&d, '*');
	assert_int_equal(top_rows_at(&d.rows, 2)->depth, 2);
}

static void pages_open_and_close(void **state)
{
	AUTO_DESK struct desk d;

	(void)state;
	desk_open(&d, TOP_VIEW_USER);
	press(&d, '?');
	assert_int_equal(d.state.page, TOP_PAGE_HELP);
	press(&d, TOP_KEY_DOWN);
	assert_int_equal(d.state.line, 1);
	assert_false(top_keys_press(&d.state, &d.rows, 'M'));
	press(&d, F(1));
	assert_int_equal(d.state.page, TOP_PAGE_LIST);
	press(&d, TOP_KEY_DOWN);
	press(&d, TOP_KEY_ENTER);
	assert_int_equal(d.state.page, TOP_PAGE_DETAILS);
	assert_int_equal(d.state.detailed, top_rows_at(&d.rows, 1)->key);
	press(&d, TOP_KEY_ESCAPE);
	press(&d, ' ');
	assert_true(d.state.is_paused);
	press(&d, F(8));
	assert_false(d.state.is_paused);
	press(&d, 'q');
	assert_true(d.state.is_ended);
}

/* No key fails without rows and without a snapshot. */
static void every_key_works_without_rows(void **state)
{
	(void)state;
	for (unsigned int page = 0; page <= TOP_PAGE_COLUMNS; page++)
		for (uint32_t key = 1; key < TOP_KEY_F10 + 2;
			key = key == 0x7f ? TOP_KEY_FIRST : key + 1) {
			const struct top_rows none = {0};
			struct top_state s;

			top_state_init(&s, TOP_VIEW_TREE);
			s.page = (enum top_page)page;
			top_keys_press(&s, &none, key);
			top_keys_press(&s, &none, 'x');
			top_keys_press(&s, &none, key);
			assert_int_equal(s.index, 0);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_key_has_one_action),
		cmocka_unit_test(the_terminal_is_drawn_anew),
		cmocka_unit_test(views_have_keys),
		cmocka_unit_test(keys_act_on_the_selected_row),
		cmocka_unit_test(the_selection_moves),
		cmocka_unit_test(the_selection_stays_with_its_row),
		cmocka_unit_test(columns_have_keys),
		cmocka_unit_test(a_search_selects_rows),
		cmocka_unit_test(a_search_says_what_it_misses),
		cmocka_unit_test(pages_of_text_are_searched),
		cmocka_unit_test(no_key_ends_a_process),
		cmocka_unit_test(keys_go_through_time),
		cmocka_unit_test(a_filter_hides_rows),
		cmocka_unit_test(prompts_take_any_character),
		cmocka_unit_test(users_are_chosen_from_a_menu),
		cmocka_unit_test(the_chosen_user_stays_chosen),
		cmocka_unit_test(columns_are_chosen_from_a_menu),
		cmocka_unit_test(branches_are_opened_and_closed),
		cmocka_unit_test(pages_open_and_close),
		cmocka_unit_test(every_key_works_without_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
