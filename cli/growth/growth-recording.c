/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/growth/growth-recording.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "trend/floors.h"

#define SLOT_NS         (FLOORS_SLOT_S * NS_PER_SEC)
#define BUSY_TIMEOUT_NS (5 * NS_PER_SEC)
#define BUSY_PAUSE_NS   (50 * NS_PER_MSEC)

enum { ANSWER_TIMEOUT_MS = 10000 };

/* Appends that memtally-recorder gives nothing, the reason of the error R, and what to do. */
static void growth_recording_add_reason(
	const struct settings *settings, int r, const char *why, struct buffer *reason)
{
	buffer_printf(reason, "no recording from memtally-recorder: %s: %s",
		settings->recorder_socket, why ? why : strerror(-r));
	if (r == -ENOENT || r == -ECONNREFUSED)
		buffer_add_text(
			reason, " (is memtally-recorder running? Or set --recorder.socket)");
	if (r == -EACCES)
		buffer_add_text(reason, " (not permitted to connect)");
}

int growth_recording_open(const struct settings *settings, uint64_t now_ns,
	struct growth_recording *ret, struct buffer *reason)
{
	int fd = -1, r = past_connect(settings->recorder_socket, &fd);

	if (r < 0) {
		growth_recording_add_reason(settings, r, NULL, reason);
		return r;
	}
	*ret = (struct growth_recording){.settings = settings, .fd = fd, .now_ns = now_ns};
	return 0;
}

void growth_recording_close(struct growth_recording *r)
{
	if (r->settings)
		r->fd = fd_close(r->fd);
}

/* Asks Q, and asks again for some seconds while memtally-recorder is busy. */
static int ask_snapshot(struct growth_recording *r, const struct past_request *q,
	struct past_answer *ret, struct buffer *reason)
{
	uint64_t end_ns = clock_now_ns(CLOCK_MONOTONIC) + BUSY_TIMEOUT_NS;
	const char *why = NULL;
	int e = past_ask(r->fd, q, ANSWER_TIMEOUT_MS, ret, &why);

	while (e == 0 && ret->head.status == PAST_BUSY && clock_now_ns(CLOCK_MONOTONIC) < end_ns) {
		nanosleep(&(struct timespec){.tv_nsec = BUSY_PAUSE_NS}, NULL);
		past_answer_done(ret);
		*ret = (struct past_answer){.view = NULL};
		e = past_ask(r->fd, q, ANSWER_TIMEOUT_MS, ret, &why);
	}
	if (e == 0 && ret->head.status == PAST_BUSY) {
		e = -EBUSY;
		why = "it has too many questions; try again";
	}
	if (e == 0 && (ret->head.status == PAST_BAD_REQUEST ||
			      (ret->head.status == PAST_GOOD && !ret->view))) {
		e = -EPROTO;
		why = "it has another version";
	}
	if (e < 0) {
		growth_recording_add_reason(r->settings, e, why, reason);
		return e;
	}
	r->is_own_only |= ret->head.flags & PAST_OWN_ONLY;
	r->is_failing |= ret->head.flags & PAST_FAILING;
	return 0;
}

int growth_recording_newest(struct growth_recording *r, struct view **ret, struct buffer *reason)
{
	struct past_request q = {.pick = PAST_AT, .at_ns = r->now_ns};
	AUTO_PAST_ANSWER struct past_answer answer = {.view = NULL};
	int e = ask_snapshot(r, &q, &answer, reason);

	if (e < 0)
		return e;
	if (!answer.view) {
		growth_recording_add_reason(r->settings, -ENODATA,
			answer.head.status == PAST_DAMAGED ? "its newest snapshot is damaged"
							   : "nothing is recorded yet",
			reason);
		return -ENODATA;
	}
	*ret = TAKE_PTR(answer.view);
	return 0;
}

int growth_recording_visit(struct growth_recording *r, uint64_t since_ns,
	growth_recording_each *each, void *data, struct buffer *reason)
{
	uint64_t at_ns = since_ns ? since_ns - 1 : 0;
	int e = 0;

	while (e == 0 && at_ns < r->now_ns) {
		struct past_request q = {.pick = PAST_AFTER, .at_ns = at_ns};
		AUTO_PAST_ANSWER struct past_answer answer = {.view = NULL};

		e = ask_snapshot(r, &q, &answer, reason);
		if (e < 0 || answer.head.status == PAST_NONE)
			break;
		if (answer.head.status == PAST_DAMAGED) {
			r->damaged++;
			at_ns += SLOT_NS;
			continue;
		}
		if (answer.head.at_ns <= at_ns) {
			growth_recording_add_reason(
				r->settings, -EPROTO, "its answer is of another time", reason);
			return -EPROTO;
		}
		/* The end of its five minutes. */
		at_ns = answer.head.at_ns / SLOT_NS * SLOT_NS + SLOT_NS - 1;
		e = each(answer.view, data);
	}
	return e;
}
