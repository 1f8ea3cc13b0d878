/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/top/past-feed.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/saturate.h"
#include "base/when.h"

#define MINUTE_NS (60 * NS_PER_SEC)

/*
 * How many seconds before a snapshot growth and trend need others: those of one minute and ten minutes,
 * which take their slots of the history first; those around them; and one for each cell of the trend.
 */
static const unsigned int before_s[] = {60, 600, 15, 30, 45, 525, 75, 150, 225, 300, 375, 450};

enum { OF_GROWTH = 6 }; /* of these, for growth */

void past_feed_open(struct past_feed *f, const char *path)
{
	*f = (struct past_feed){.path = path, .fd = -1, .grown = ARRAY_SIZE(before_s)};
}

void past_feed_close(struct past_feed *f)
{
	f->fd = fd_close(f->fd);
	past_answer_done(&f->answer);
	f->is_asked = false;
}

/* Writes the error, and gives up the steps that wait. Returns PAST_FEED_FAILED. */
__attribute__((format(printf, 2, 3))) static enum past_feed_event past_feed_fail(
	struct past_feed *f, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(f->error, sizeof(f->error), format, arguments);
	va_end(arguments);
	f->step = TOP_STEP_NONE;
	return PAST_FEED_FAILED;
}

static enum past_feed_event to_present(struct past_feed *f)
{
	f->is_stale = f->is_asked;
	f->step = TOP_STEP_NONE;
	f->grown = ARRAY_SIZE(before_s);
	return PAST_FEED_PRESENT;
}

static enum past_feed_event to_time(struct past_feed *f, const char *text, uint64_t now_ns)
{
	f->is_oom = !strcmp(text, "oom");
	if (f->is_oom)
		f->time_ns = now_ns;
	else if (when_parse_moment(text, now_ns, &f->time_ns) < 0)
		return past_feed_fail(f,
			"No time: '%.60s'. Times are 03:12, -15m, yesterday 18:00, "
			"2026-11-23 08:00, oom.",
			text);
	else if (f->time_ns >= now_ns)
		return to_present(f);
	return PAST_FEED_NOTHING;
}

enum past_feed_event past_feed_go(struct past_feed *f, enum top_step step, const char *text,
	uint64_t from_ns, uint64_t now_ns)
{
	if (step == TOP_STEP_PRESENT)
		return to_present(f);
	f->from_ns = from_ns;
	if (f->step == step && step != TOP_STEP_TIME && f->steps < PAST_FEED_STEPS_MAX) {
		f->steps++;
		return PAST_FEED_NOTHING;
	}
	if (!f->is_growth)
		f->is_stale = f->is_asked;
	f->step = step;
	f->steps = 1;
	return step == TOP_STEP_TIME ? to_time(f, text, now_ns) : PAST_FEED_NOTHING;
}

void past_feed_grow(struct past_feed *f, uint64_t base_ns)
{
	f->base_ns = base_ns;
	f->grown = 0;
	if (f->is_growth)
		f->is_stale = f->is_asked;
}

bool past_feed_has_grown(const struct past_feed *f)
{
	return f->grown == OF_GROWTH || f->grown == ARRAY_SIZE(before_s);
}

bool past_feed_is_going(const struct past_feed *f)
{
	return f->step != TOP_STEP_NONE;
}

bool past_feed_is_idle(const struct past_feed *f)
{
	return f->step == TOP_STEP_NONE && f->grown == ARRAY_SIZE(before_s);
}

void past_feed_rest(struct past_feed *f)
{
	if (past_feed_is_idle(f) && !f->is_asked)
		f->fd = fd_close(f->fd);
}

/* Makes the question of the first step that waits. */
static struct past_request past_feed_request(const struct past_feed *f)
{
	switch (f->step) {
	case TOP_STEP_BACK: return (struct past_request){PAST_BEFORE, .at_ns = f->from_ns};
	case TOP_STEP_BACK_MINUTE:
		return (struct past_request){
			PAST_AT, .at_ns = saturate_less(f->from_ns, MINUTE_NS)};
	case TOP_STEP_FORTH_MINUTE:
		return (struct past_request){PAST_AT, .at_ns = f->from_ns + MINUTE_NS};
	case TOP_STEP_TIME:
		return (struct past_request){f->is_oom ? PAST_OOM : PAST_AT, .at_ns = f->time_ns};
	default: return (struct past_request){PAST_AFTER, .at_ns = f->from_ns};
	}
}

/* Gives up what is wanted. Growth needs no recorder: without one it is of the time that was seen. */
static enum past_feed_event past_feed_lose(struct past_feed *f, int r, const char *reason)
{
	f->fd = fd_close(f->fd);
	f->is_asked = false;
	f->grown = ARRAY_SIZE(before_s);
	if (f->step == TOP_STEP_NONE)
		return PAST_FEED_NOTHING;
	return past_feed_fail(f, "memtally-recorder does not answer at %.80s: %.60s", f->path,
		reason ? reason : strerror(-r));
}

/* Sends .asked. A connection that was not used for a while may have been closed: it is made anew. */
static enum past_feed_event past_feed_send(struct past_feed *f, uint64_t now_ns)
{
	int r = f->fd < 0 ? -ENOTCONN : past_send(f->fd, &f->asked);

	if (r < 0 && (f->fd < 0 || f->is_proven)) {
		f->fd = fd_close(f->fd);
		f->is_proven = false;
		r = past_connect(f->path, &f->fd);
		if (r == 0)
			r = past_send(f->fd, &f->asked);
	}
	if (r < 0)
		return past_feed_lose(f, r, NULL);
	f->is_asked = true;
	f->is_stale = false;
	f->asked_ns = now_ns;
	return PAST_FEED_NOTHING;
}

/* Asks R. */
static enum past_feed_event past_feed_ask(
	struct past_feed *f, const struct past_request *r, bool is_growth, uint64_t now_ns)
{
	f->asked = *r;
	f->is_growth = is_growth;
	return past_feed_send(f, now_ns);
}

/* Asks the next question, if there is one. */
static enum past_feed_event ask_next(struct past_feed *f, uint64_t now_ns)
{
	struct past_request r;

	if (f->step != TOP_STEP_NONE) {
		r = past_feed_request(f);
		return past_feed_ask(f, &r, false, now_ns);
	}
	if (f->grown == ARRAY_SIZE(before_s))
		return PAST_FEED_NOTHING;
	r = (struct past_request){
		PAST_AT, .at_ns = saturate_less(f->base_ns, before_s[f->grown] * NS_PER_SEC)};
	return past_feed_ask(f, &r, true, now_ns);
}

/* The recording has no snapshot that was asked for. */
static enum past_feed_event find_none(struct past_feed *f, uint64_t now_ns)
{
	const struct past_head *head = &f->answer.head;
	const struct past_request first = {PAST_AFTER, .at_ns = 0};
	char text[WHEN_TEXT_SIZE];

	when_format(head->first_ns, text);
	if (f->step == TOP_STEP_FORTH || f->step == TOP_STEP_FORTH_MINUTE)
		return to_present(f);
	if (!head->first_ns)
		return past_feed_fail(f, "memtally-recorder has recorded nothing yet.");
	if (f->step == TOP_STEP_BACK_MINUTE && head->first_ns < f->from_ns &&
		f->asked.pick == PAST_AT) {
		f->steps = 1;
		return past_feed_ask(f, &first, false, now_ns);
	}
	if (f->step == TOP_STEP_TIME && f->is_oom)
		return past_feed_fail(
			f, "No OOM kill is recorded. The recording begins at %s.", text);
	if (f->step == TOP_STEP_TIME)
		return past_feed_fail(
			f, "Nothing is recorded of that time. The recording begins at %s.", text);
	return past_feed_fail(f, "This is the oldest recorded snapshot.");
}

static enum past_feed_event take_moment(struct past_feed *f, uint64_t now_ns)
{
	const struct past_head *head = &f->answer.head;
	const struct past_request next = {PAST_AFTER, .at_ns = f->from_ns};

	if (f->step == TOP_STEP_FORTH_MINUTE && f->asked.pick == PAST_AT) {
		if (f->from_ns + MINUTE_NS > head->last_ns)
			return to_present(f);
		/* Snapshots may be farther apart than a minute. */
		if (head->at_ns <= f->from_ns)
			return past_feed_ask(f, &next, false, now_ns);
	}
	f->from_ns = head->at_ns;
	if (--f->steps == 0)
		f->step = TOP_STEP_NONE;
	return PAST_FEED_MOMENT;
}

static enum past_feed_event past_feed_take(struct past_feed *f, uint64_t now_ns)
{
	f->is_asked = false;
	f->is_proven = true;
	if (f->is_stale)
		return PAST_FEED_NOTHING;
	if (f->is_growth) {
		f->grown++;
		return PAST_FEED_GROWTH;
	}
	switch (f->answer.head.status) {
	case PAST_GOOD: return f->answer.view ? take_moment(f, now_ns) : find_none(f, now_ns);
	case PAST_NONE: return find_none(f, now_ns);
	case PAST_DAMAGED:
		return past_feed_fail(
			f, "The recording is damaged: the snapshot of that time cannot be read.");
	case PAST_BUSY: return past_feed_fail(f, "memtally-recorder is busy: try again.");
	default: return past_feed_fail(f, "memtally-recorder does not know this question.");
	}
}

/* Receives the answer, if it has come. */
static enum past_feed_event past_feed_receive(struct past_feed *f, uint64_t now_ns)
{
	const char *reason = NULL;
	int r;

	past_answer_done(&f->answer);
	r = past_receive(f->fd, &f->answer, &reason);
	if (r == 0)
		return past_feed_take(f, now_ns);
	if (r == -ECONNRESET && f->is_proven) {
		f->fd = fd_close(f->fd);
		f->is_asked = false;
		return past_feed_send(f, now_ns);
	}
	if (r < 0)
		return past_feed_lose(f, r, reason);
	if (now_ns - f->asked_ns > PAST_FEED_WAIT_NS)
		return past_feed_lose(f, -ETIMEDOUT, NULL);
	return PAST_FEED_NOTHING;
}

enum past_feed_event past_feed_run(struct past_feed *f, uint64_t now_ns)
{
	enum past_feed_event event = f->is_asked ? past_feed_receive(f, now_ns) : PAST_FEED_NOTHING;

	/* The caller takes the answer before the next question. */
	if (f->is_asked || event != PAST_FEED_NOTHING)
		return event;
	return ask_next(f, now_ns);
}

bool past_feed_poll(const struct past_feed *f, struct pollfd *ret)
{
	if (!f->is_asked)
		return false;
	*ret = (struct pollfd){.fd = f->fd, .events = POLLIN};
	return true;
}
