/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <string.h>

#include "base/clock.h"
#include "base/saturate.h"
#include "cli/top/rows/samples.h"
#include "cli/top/top-private.h"

/* Adds the snapshot of the moment to its history. */
static void top_past_sample(struct top *t)
{
	samples_take(&t->then, t->view, HISTORY_OF_MEMTALLYD, &t->secret);
	/* Of older time not each snapshot is kept. */
	t->then.interval_ns = saturate_max(t->then.interval_ns, t->moment.spacing_ns);
}

/* Begins the history of the moment, and wants the time before it. */
static void top_past_begin(struct top *t)
{
	const struct top_rows_source from = top_source(t, t->view);

	history_done(&t->then);
	/* As `memtally diff` has it: PSS may jump between two recorded snapshots. */
	t->then.is_exact = true;
	top_past_sample(t);
	t->then_salt = top_rows_salt(&t->state.asks, &from);
	past_feed_grow(&t->past, t->moment.at_ns);
}

int top_past_follow(struct top *t)
{
	struct top_rows_source from;

	if (!t->state.is_past || t->state.prompt == TOP_PROMPT_FILTER)
		return 0;
	from = top_source(t, t->view);
	if (top_rows_salt(&t->state.asks, &from) == t->then_salt)
		return 0;
	top_past_begin(t);
	return top_make_rows(t, true);
}

/*
 * Returns true if VIEW follows the shown snapshot in a replay, and the history of the shown one is
 * complete. Otherwise the snapshots around the beginning of growth are asked for.
 */
static bool top_past_goes_on(const struct top *t, const struct view *view)
{
	return t->state.is_past && t->state.is_playing && past_feed_is_idle(&t->past) &&
	       samples_is_comparable(t->view, view) &&
	       view->header->boottime_ns - t->view->header->boottime_ns <=
	               saturate_add(HISTORY_SLOT_NS, view->header->interval_ns);
}

/* Shows the snapshot of the past that has come. */
static int top_past_show(struct top *t)
{
	const struct past_head *head = &t->past.answer.head;
	bool goes_on = top_past_goes_on(t, t->past.answer.view);
	int r;

	view_unref(t->view);
	t->view = view_ref(t->past.answer.view);
	t->state.is_past = true;
	t->state.is_paused = false;
	t->moment = (struct screen_past){
		.at_ns = head->at_ns,
		.spacing_ns = head->before_ns ? saturate_less(head->at_ns, head->before_ns) : 0,
		.marks = head->marks,
		.is_own_only = head->flags & PAST_OWN_ONLY,
	};
	t->shown_ns = clock_now_ns(CLOCK_MONOTONIC);
	if (goes_on)
		top_past_sample(t);
	else
		top_past_begin(t);
	r = top_make_rows(t, true);
	/* The output of its commands is of the present. */
	details_close(&t->details);
	top_follow_details(t);
	return r;
}

/* Returns to the present. */
static int top_past_leave(struct top *t)
{
	int r;

	t->state.is_playing = t->state.is_paused = false;
	if (!t->state.is_past)
		return 0;
	t->state.is_past = false;
	t->view = view_unref(t->view);
	top_rows_done(&t->rows);
	history_done(&t->then);
	details_close(&t->details);
	t->is_dirty = true;
	r = top_take_view(t);
	top_follow_details(t);
	return r;
}

/*
 * Returns true if THEN is of the memtallyd that NOW is of, as far as is known: a recorder of the host may
 * not be that of the memtallyd at another socket. memtallyd may have been started again since THEN, so one
 * snapshot of its present start is enough.
 */
static bool top_past_is_ours(struct top *t, const struct view *then, const struct view *now)
{
	t->is_recorded |= !memcmp(
		then->header->instance, now->header->instance, IMAGE_INSTANCE_SIZE);
	return t->state.is_past || t->is_recorded;
}

/* Adds the snapshot of the past that has come to the history of what is shown. */
static int top_past_grow(struct top *t)
{
	const struct view *then = t->past.answer.view;
	const struct view *now = t->state.is_past ? t->view : t->feed.view;
	struct top_rows_source from;
	uint64_t salt;
	int r = 0;

	if (then && now && samples_is_comparable(then, now) && top_past_is_ours(t, then, now)) {
		from = top_source(t, then);
		from.is_fill = true;
		salt = top_rows_salt(&t->state.asks, &from);
		if (samples_fill(from.history, then, salt, &t->secret) && salt)
			r = top_rows_make(&t->filled, &t->state.asks, &from);
		top_rows_done(&t->filled);
	}
	if (!t->state.is_past && past_feed_is_idle(&t->past))
		t->has_grown = true;
	return r == 0 && past_feed_has_grown(&t->past) ? top_make_rows(t, true) : r;
}

static int top_past_handle(struct top *t, enum past_feed_event event)
{
	switch (event) {
	case PAST_FEED_NOTHING: return 0;
	case PAST_FEED_MOMENT: return top_past_show(t);
	case PAST_FEED_PRESENT: return top_past_leave(t);
	case PAST_FEED_GROWTH: return top_past_grow(t);
	case PAST_FEED_FAILED:
		top_state_say(&t->state, "%s", t->past.error);
		t->state.is_playing = false;
		t->is_dirty = true;
		return 0;
	}
	return 0;
}

int top_past_step(struct top *t)
{
	enum top_step step = t->state.step;
	uint64_t now_ns = clock_now_ns(CLOCK_REALTIME);
	uint64_t from_ns = t->state.is_past ? t->moment.at_ns
	                   : t->view        ? t->view->header->realtime_ns
	                                    : now_ns;

	t->state.step = TOP_STEP_NONE;
	if (step == TOP_STEP_NONE)
		return 0;
	if (!t->state.is_past && (step == TOP_STEP_FORTH || step == TOP_STEP_FORTH_MINUTE))
		step = TOP_STEP_PRESENT;
	if (!t->state.is_past && step == TOP_STEP_PRESENT && !t->state.is_paused)
		top_state_say(&t->state, "This is the present.");
	return top_past_handle(t, past_feed_go(&t->past, step, t->state.time, from_ns, now_ns));
}

/* A replay shows a snapshot a second. */
static void top_past_play(struct top *t, uint64_t now_ns)
{
	if (t->state.is_past && t->state.is_playing && !past_feed_is_going(&t->past) &&
		now_ns - t->shown_ns >= NS_PER_SEC)
		t->state.step = TOP_STEP_FORTH;
}

int top_past_run(struct top *t)
{
	enum past_feed_event event = PAST_FEED_NOTHING;
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);
	int r;

	top_past_play(t, now_ns);
	r = top_past_step(t);
	do {
		if (r == 0)
			event = past_feed_run(&t->past, now_ns);
		if (r == 0)
			r = top_past_handle(t, event);
	} while (r == 0 && event != PAST_FEED_NOTHING);
	if (!t->state.is_past)
		past_feed_rest(&t->past);
	return r;
}
