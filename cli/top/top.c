/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/top/top.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/saturate.h"
#include "cli/common/command.h"
#include "cli/common/selection.h"
#include "cli/top/pages/details.h"
#include "cli/top/feed.h"
#include "cli/top/rows/samples.h"
#include "cli/top/pages/screen.h"
#include "cli/top/terminal.h"
#include "cli/top/pages/top-keys.h"

/* The program while it runs. */
struct top {
	const struct settings *settings;
	struct top_state state;
	struct top_asks made; /* what .rows were made of, with .rows.view */
	struct feed feed;
	struct view *view; /* owned; the shown snapshot: the newest one unless paused */
	struct history history;
	struct top_rows rows;
	struct details details;
	struct buffer text; /* of the page of details */
	struct grid grid;
	struct siphash_key secret;
	struct selection filters; /* by the command line */
	bool has_filters;
	struct buffer filter_text; /* .filters as options, terminated */
	uint64_t drawn_s; /* the second of the last drawing, since ages are shown in seconds */
	bool is_dirty;    /* something has changed since */
	char host[HOST_NAME_MAX + 1];
};

/* The views in the order of --by: the default first. */
static const enum top_view by_order[TOP_VIEWS] = {TOP_VIEW_PROGRAM, TOP_VIEW_USER, TOP_VIEW_UNIT,
	TOP_VIEW_CONTAINER, TOP_VIEW_PROCESS, TOP_VIEW_TREE, TOP_VIEW_NESTED};

const char *top_by(unsigned int i)
{
	return i < TOP_VIEWS ? top_state_view_name(by_order[i]) : NULL;
}

void top_add_sorts(const char *name, struct sort_names *to)
{
	(void)name;
	for (unsigned int c = 0; c < TOP_COLUMNS; c++)
		if (top_columns_spec((enum top_column)c)->name)
			sort_names_add(to, top_columns_spec((enum top_column)c)->name,
				top_columns_spec((enum top_column)c)->field);
}

/* Adds the filters of the command line to T. */
static int top_parse_filters(
	struct top *t, const struct settings *settings, char error[static CLI_OPTION_ERROR_SIZE])
{
	int r = selection_parse_processes(settings, &t->filters, &t->has_filters, error);

	for (size_t i = 0; r == 0 && i < settings->pid.count; i++) {
		r = query_set(&t->filters.query, "pid", settings->pid.item[i], error);
		t->has_filters = true;
	}
	return r;
}

/* Reads SETTINGS into T. Returns 0, or -EINVAL with a sentence for the user in ERROR. */
static int top_parse(
	struct top *t, const struct settings *settings, char error[static CLI_OPTION_ERROR_SIZE])
{
	unsigned int by = 0;
	bool is_ascending;
	int r = cli_option_check(settings, CLI_VIEW_TOP, error);

	if (r == 0 && settings->operands.count > 1) {
		snprintf(error, CLI_OPTION_ERROR_SIZE, "unexpected argument '%.100s' after top",
			settings->operands.item[1]);
		r = -EINVAL;
	}
	if (r == 0)
		r = cli_option_parse_by(settings, top_by,
			"program, user, unit, container, process, tree or nested", &by, error);
	if (r < 0)
		return r;
	top_state_init(&t->state, by_order[by]);
	if (settings->sort) {
		t->state.asks.sort = top_columns_find(settings->sort);
		if (t->state.asks.sort == TOP_COLUMNS) {
			struct sort_names names;

			sort_names_init(&names, settings->sort);
			top_add_sorts("", &names);
			sort_names_refuse(&names, error);
			return -EINVAL;
		}
	}
	r = cli_option_parse_order(settings, &is_ascending, error);
	if (r == 0 && settings->order)
		t->state.asks.is_turned = is_ascending !=
		                          top_columns_spec(t->state.asks.sort)->is_text;
	return r == 0 ? top_parse_filters(t, settings, error) : r;
}

/* Makes the rows again if the snapshot or what the user asks for has changed. */
static int top_make_rows(struct top *t, bool is_new)
{
	struct sight sight = feed_sight(&t->feed);
	const struct top_rows_source from = {
		.view = t->view,
		.history = &t->history,
		.members = t->has_filters || sight.kind != SIGHT_ALL ? &t->filters.query : NULL,
		.secret = &t->secret,
		.is_typed = t->state.prompt == TOP_PROMPT_FILTER,
	};

	if (!t->view || (!is_new && top_state_is_alike(&t->made, &t->state.asks)))
		return 0;
	t->filters.query.sight = sight;
	t->made = t->state.asks;
	t->is_dirty = true;
	return top_rows_make(&t->rows, &t->state.asks, &from);
}

/* Shows the newest snapshot, unless the user has paused. */
static int top_take_view(struct top *t)
{
	if (!t->feed.view || t->state.is_paused || t->view == t->feed.view)
		return 0;
	view_unref(t->view);
	t->view = view_ref(t->feed.view);
	return top_make_rows(t, true);
}

/* Opens or closes the page of details, as the state says. */
static void top_follow_details(struct top *t)
{
	bool is_open = t->state.page == TOP_PAGE_DETAILS;
	const struct top_row *row;

	if (!is_open && t->details.key)
		details_close(&t->details);
	if (!is_open || t->details.key == t->state.detailed)
		return;
	row = top_rows_find(&t->rows, t->state.detailed);
	if (row)
		details_open(&t->details, row, t->settings, clock_now_ns(CLOCK_BOOTTIME));
}

static void top_render_details(struct top *t, uint64_t now_ns, size_t width)
{
	buffer_clear(&t->text);
	if (t->state.page != TOP_PAGE_DETAILS || !t->view)
		return;
	details_render(&t->details, &t->rows, top_rows_find(&t->rows, t->state.detailed), now_ns,
		width, &t->text);
	buffer_add_char(&t->text, '\0');
	if (t->text.error)
		buffer_clear(&t->text);
}

/* Adds why the figures may not be shown. Figures of a pause are marked as such. */
static void top_add_problem(const struct top *t, struct buffer *to)
{
	if (!t->state.is_paused || !t->view)
		feed_add_problem(&t->feed, to);
	if (to->len)
		buffer_add_char(to, '\0');
}

static int top_draw(struct top *t)
{
	AUTO_BUFFER struct buffer problem = {0}, origin = {0};
	struct screen screen = {
		.state = &t->state,
		.rows = &t->rows,
		.view = t->view,
		.now_ns = clock_now_ns(CLOCK_BOOTTIME),
		.host = t->host,
		.filters = t->filter_text.data,
	};
	size_t width, height;
	int r;

	terminal_size(&width, &height);
	top_add_problem(t, &problem);
	feed_add_origin(&t->feed, &origin);
	buffer_add_char(&origin, '\0');
	if (problem.error || origin.error)
		return -ENOMEM;
	screen.problem = problem.len ? problem.data : NULL;
	screen.origin = origin.data;
	top_render_details(t, screen.now_ns, width);
	screen.text = &t->text;
	if (t->state.is_spoilt)
		terminal_forget();
	t->state.is_spoilt = false;
	r = screen_draw(&screen, width, height, &t->grid);
	if (r == 0)
		terminal_draw(&t->grid);
	t->is_dirty = false;
	t->drawn_s = screen.now_ns / NS_PER_SEC;
	return r;
}

/* Handles all keys that were typed. */
static int top_press(struct top *t)
{
	uint32_t key;
	int r = 0;

	while (r == 0 && !t->state.is_ended && (key = terminal_key()) != TOP_KEY_NONE) {
		if (!top_keys_press(&t->state, &t->rows, key))
			continue;
		t->is_dirty = true;
		r = top_make_rows(t, false);
		top_follow_details(t);
	}
	return r;
}

/* Returns the milliseconds until something is due: a connection, or the next second of an age. */
static int top_timeout(const struct top *t)
{
	uint64_t boottime_ns = clock_now_ns(CLOCK_BOOTTIME), due_ns = feed_due_ns(&t->feed);
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);
	uint64_t second_ns = NS_PER_SEC - boottime_ns % NS_PER_SEC;
	uint64_t wait_ns = saturate_min(second_ns, saturate_less(due_ns, now_ns));

	return (int)(wait_ns / NS_PER_MSEC) + 1;
}

/* Waits for a key, a snapshot, or the next second. Returns false if the terminal is gone. */
static bool top_wait(struct top *t)
{
	struct pollfd polls[1 + FEED_POLLS + DETAILS_POLLS] = {
		{.fd = STDIN_FILENO, .events = POLLIN},
	};
	size_t count = 1;

	if (terminal_is_lost())
		return false;
	count += feed_poll(&t->feed, polls + count);
	count += details_poll(&t->details, polls + count);
	if (poll(polls, count, top_timeout(t)) <= 0)
		return true;
	return !(polls[0].revents & (POLLHUP | POLLERR | POLLNVAL));
}

/* Shows snapshots until the user quits. Returns 0, or a negative errno. */
static int top_loop(struct top *t)
{
	size_t width = 0, height = 0;
	int r = 0;

	while (r == 0 && !t->state.is_ended) {
		size_t now_width, now_height;

		/* Samples go on during a pause. */
		if (feed_run(&t->feed, clock_now_ns(CLOCK_MONOTONIC)))
			samples_take(&t->history, t->feed.view,
				t->feed.is_own ? HISTORY_OF_CHILD : HISTORY_OF_MEMTALLYD,
				&t->secret);
		r = top_take_view(t);
		t->is_dirty |= details_read(&t->details);
		if (r == 0)
			r = top_press(t);
		terminal_size(&now_width, &now_height);
		if (now_width != width || now_height != height)
			t->is_dirty = true;
		width = now_width;
		height = now_height;
		if (r == 0 && !t->state.is_ended &&
			(t->is_dirty || clock_now_ns(CLOCK_BOOTTIME) / NS_PER_SEC != t->drawn_s))
			r = top_draw(t);
		if (r == 0 && !t->state.is_ended && !top_wait(t))
			return 0;
	}
	return r;
}

static void top_done(struct top *t)
{
	terminal_close();
	details_close(&t->details);
	feed_close(&t->feed);
	t->view = view_unref(t->view);
	history_done(&t->history);
	top_rows_done(&t->rows);
	buffer_done(&t->text);
	buffer_done(&t->filter_text);
	grid_done(&t->grid);
}

static bool top_has_colours(void)
{
	const char *no_colour = getenv("NO_COLOR");

	return !no_colour || !*no_colour;
}

/* Logs why the terminal cannot be used. Returns COMMAND_FAILED. */
static int top_refuse_terminal(int r)
{
	const char *term = getenv("TERM");

	if (r == -ENOTTY)
		log_error("top needs a terminal; memtally programs, users or processes print their "
			  "tables anywhere");
	else if (r == -ENOTSUP)
		log_error(
			"top cannot use a terminal of type '%s' (set TERM); memtally programs, users "
			"or processes print their tables anywhere",
			term ? term : "");
	else
		log_error("top: %s", strerror(-r));
	return COMMAND_FAILED;
}

static int top_show(struct top *t, const struct settings *settings)
{
	int r;

	t->settings = settings;
	t->secret = siphash_new_key();
	selection_add_filters(settings, &t->filter_text);
	buffer_add_char(&t->filter_text, '\0');
	if (t->filter_text.error)
		return command_printed(-ENOMEM);
	gethostname(t->host, sizeof(t->host) - 1);
	/* This looks up a user, which may hang: Ctrl-C works as long as the terminal is not taken. */
	r = feed_open(&t->feed, settings);
	if (r == 0) {
		int taken = terminal_open(top_has_colours());

		if (taken < 0) {
			top_done(t);
			return top_refuse_terminal(taken);
		}
		r = top_loop(t);
	}
	top_done(t);
	return command_printed(r);
}

int top_run(const struct settings *settings, bool is_check)
{
	AUTO_FREE struct top *t = calloc(1, sizeof(*t));
	char error[CLI_OPTION_ERROR_SIZE] = "";

	if (!t)
		return command_printed(-ENOMEM);
	t->details = (struct details)DETAILS_CLOSED;
	t->feed.own_fd = -1;
	query_init(&t->filters.query, METRIC_PROCESS);
	if (top_parse(t, settings, error) < 0)
		return command_refuse(error);
	return is_check ? COMMAND_GOOD : top_show(t, settings);
}
