/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <time.h>

#include "base/cleanup.h"
#include "tests/unit/support/snapshot/sample.h"
#include "web/history/history-inquiry.h"
#include "web/history/history-table.h"

enum { NOW_S = 1700001000, SNAPSHOTS = 50 };

static const struct caller everybody = {.kind = CALLER_TRUSTED};

/* A ring of snapshots until NOW_S, and the last of them. */
static void make_past(struct ring *ring, struct view **view)
{
	setenv("TZ", "UTC0", 1);
	tzset();
	for (uint64_t i = 1; i <= SNAPSHOTS; i++) {
		const struct sample_options options = {.sequence = i,
			.realtime_ns = (NOW_S - 10 * (SNAPSHOTS - i)) * NS_PER_SEC,
			.boottime_ns = SAMPLE_BOOTTIME_NS + i * SAMPLE_INTERVAL_NS};

		view_unref(*view);
		*view = sample_open(&options);
		fuzz_check(ring_take(ring, *view) == 0);
	}
}

/* Answers all questions of I: each step has VIEW, with the time of the step. */
static void answer(struct history_inquiry *i, const struct history_context *context)
{
	struct view *view = view_ref((struct view *)context->view);

	for (size_t n = 0; !i->recorder.is_done; n++) {
		struct recorder_question q = {0};

		recorder_part_next(&i->recorder, &i->query, &q.request);
		fuzz_check(n <= RECORDER_PART_SNAPSHOTS_MAX);
		fuzz_check(q.request.pick != PAST_SERIES || q.request.at_ns <= q.request.until_ns);
		q.view = q.request.pick == PAST_AT ? view : NULL;
		q.head.at_ns = q.request.at_ns;
		recorder_part_take(&i->recorder, &i->query, &q);
	}
	view_unref(view);
	history_inquiry_plan(i, context);
}

/* Fuzzes the parameters of /api/v1/history, and the answer without memtally-ledger. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ring ring = {.bytes_max = RING_BYTES_MAX};
	static struct view *view;
	AUTO_HISTORY_INQUIRY struct history_inquiry *i = NULL;
	AUTO_BUFFER struct buffer to = {0};
	struct history_context context = {
		.ring = &ring, .caller = &everybody, .has_recorder = true};
	char error[QUERY_ERROR_SIZE] = "";
	int r;

	if (!view)
		make_past(&ring, &view);
	context.view = view;
	r = history_inquiry_new(&context, (const char *)data, size, NOW_S, &i, error);
	fuzz_check(r == 0 || (r == -EINVAL && *error));
	if (r < 0)
		return 0;
	fuzz_check(
		i->query.from_s >= 0 && i->query.from_s < i->query.to_s && i->query.to_s <= NOW_S);
	if (!i->has_planned)
		answer(i, &context);
	fuzz_check(i->wait.is_done ||
		   (i->plan.ledger_to_s - i->plan.ledger_from_s) / i->plan.ledger_step_s <
			   HISTORY_LEDGER_POINTS_MAX);
	fuzz_check(history_inquiry_render(i, &context, &to) == 0 && !to.error);
	return 0;
}
