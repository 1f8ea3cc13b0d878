/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/growth/growth-recording.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "trend/floors.h"

#define SLOT_NS (FLOORS_SLOT_S * NS_PER_SEC)

/* Asks Q. Returns as past_session_ask(); after 0, *RET has a snapshot. */
static int ask_snapshot(struct growth_recording *r, const struct past_request *q,
	struct past_answer *ret, struct buffer *reason)
{
	int e = past_session_ask(r->session, q, ret, reason);

	r->is_own_only |= ret->head.flags & PAST_OWN_ONLY;
	r->is_failing |= ret->head.flags & PAST_FAILING;
	if (e == 0 && !ret->view) {
		buffer_add_text(reason, "memtally-recorder answers without a snapshot");
		return -EPROTO;
	}
	return e;
}

int growth_recording_newest(struct growth_recording *r, struct view **ret, struct buffer *reason)
{
	const struct past_request q = {.pick = PAST_AT, .at_ns = r->now_ns};
	AUTO_PAST_ANSWER struct past_answer answer = {.view = NULL};
	int e = ask_snapshot(r, &q, &answer, reason);

	if (e == 0)
		*ret = TAKE_PTR(answer.view);
	return e;
}

int growth_recording_visit(struct growth_recording *r, uint64_t since_ns,
	growth_recording_each *each, void *data, struct buffer *reason)
{
	uint64_t at_ns = since_ns ? since_ns - 1 : 0;
	int e = 0;

	while (e == 0 && at_ns < r->now_ns) {
		const struct past_request q = {.pick = PAST_AFTER, .at_ns = at_ns};
		AUTO_PAST_ANSWER struct past_answer answer = {.view = NULL};

		e = ask_snapshot(r, &q, &answer, reason);
		if (e == -ENODATA || e == -EIO)
			buffer_clear(reason);
		if (e == -ENODATA)
			return 0; /* there is none after the last one */
		if (e == -EIO) {
			e = 0;
			r->damaged++;
			at_ns += SLOT_NS;
			continue;
		}
		if (e < 0)
			return e;
		if (answer.head.at_ns <= at_ns) {
			buffer_add_text(reason,
				"memtally-recorder answers with a snapshot of another time");
			return -EPROTO;
		}
		/* The end of its five minutes. */
		at_ns = answer.head.at_ns / SLOT_NS * SLOT_NS + SLOT_NS - 1;
		e = each(answer.view, data);
	}
	return e;
}
