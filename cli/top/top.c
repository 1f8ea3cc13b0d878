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
#include "cli/top/rows/samples.h"
#include "cli/top/pages/top-keys.h"
#include "cli/top/terminal.h"
#include "cli/top/top-private.h"

struct top_rows_source top_source(struct top *t, const struct view *view)
{
	struct sight sight = t->state.is_past ? (struct sight){.kind = SIGHT_ALL}
	                                      : feed_sight(&t->feed);

	t->options.filters.query.sight = sight;
	return (struct top_rows_source){
		.view = view,
		.history = t->state.is_past ? &t->then : &t->history,
		.members = t->options.has_filters || sight.kind != SIGHT_ALL
	                           ? &t->options.filters.query
	                           : NULL,
		.secret = &t->secret,
		.is_typed = t->state.prompt == TOP_PROMPT_FILTER,
	};
}

int top_make_rows(struct top *t, bool is_new)
{
	struct top_rows_source from;

	if (!t->view || (!is_new && top_state_is_alike(&t->made, &t->state.asks)))
		return 0;
	from = top_source(t, t->view);
	t->made = t->state.asks;
	t->is_dirty = true;
	return top_rows_make(&t->rows, &t->state.asks, &from);
}

int top_take_view(struct top *t)
{
	if (!t->feed.view || t->state.is_paused || t->state.is_past || t->view == t->feed.view)
		return 0;
	view_unref(t->view);
	t->view = view_ref(t->feed.view);
	/* The history begins with the first one. */
	if (!t->has_grown && !t->feed.is_own && past_feed_is_idle(&t->past))
		past_feed_grow(&t->past, t->view->header->realtime_ns);
	return top_make_rows(t, true);
}

void top_follow_details(struct top *t)
{
	bool is_open = t->state.page == TOP_PAGE_DETAILS;
	struct top_row *row;

	if (!is_open && t->details.key)
		details_close(&t->details);
	if (!is_open || t->details.key == t->state.detailed)
		return;
	row = top_rows_find(&t->rows, t->state.detailed);
	if (row)
		details_open(&t->details, row, t->state.is_past ? NULL : t->settings,
			clock_now_ns(CLOCK_BOOTTIME));
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
	if ((!t->state.is_paused && !t->state.is_past) || !t->view)
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
	t->moment.now_ns = clock_now_ns(CLOCK_REALTIME);
	screen.past = t->state.is_past ? &t->moment : NULL;
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
		if (r == 0)
			r = top_past_follow(t);
		top_follow_details(t);
		/* The history goes on while the figures of a pause stay. */
		if (t->state.is_paused)
			top_rows_remember(&t->rows, 0, SIZE_MAX);
		if (r == 0)
			r = top_past_step(t);
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
	struct pollfd polls[2 + FEED_POLLS + DETAILS_POLLS] = {
		{.fd = STDIN_FILENO, .events = POLLIN},
	};
	size_t count = 1;

	if (terminal_is_lost())
		return false;
	count += feed_poll(&t->feed, polls + count);
	count += details_poll(&t->details, polls + count);
	count += past_feed_poll(&t->past, polls + count);
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
		if (r == 0)
			r = top_past_run(t);
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
	past_feed_close(&t->past);
	t->view = view_unref(t->view);
	history_done(&t->history);
	history_done(&t->then);
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
	past_feed_open(&t->past, settings->recorder_socket);
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
	if (top_options_parse(&t->options, &t->state, settings, error) < 0)
		return command_refuse(error);
	return is_check ? COMMAND_GOOD : top_show(t, settings);
}
