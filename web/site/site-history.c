/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "render/json.h"
#include "web/history/history-inquiry.h"
#include "web/site/site-private.h"

static struct history_context context_of(const struct site *s, const struct caller *caller)
{
	return (struct history_context){.ring = &s->ring,
		.view = s->cache.view,
		.caller = caller,
		.tcp_scope = (enum tcp_scope)s->settings->web_tcp_scope,
		.has_recorder = s->settings->recorder_socket};
}

int site_begin_history(const struct site *s, const struct request *rq, const struct caller *caller,
	struct history_inquiry **ret, char error[static QUERY_ERROR_SIZE])
{
	const struct history_context context = context_of(s, caller);
	int64_t now_s = (int64_t)(clock_now_ns(CLOCK_REALTIME) / NS_PER_SEC);

	return history_inquiry_new(
		&context, rq->query, rq->query ? strlen(rq->query) : 0, now_s, ret, error);
}

void site_plan_ledger(const struct site *s, struct history_inquiry *i)
{
	const struct history_context context = context_of(s, &i->wait.caller);

	history_inquiry_plan(i, &context);
}

/*
 * Sets the ETag of the answer to INQUIRY if the same question has the same answer until the next
 * snapshot: no other daemon was asked. Without snapshots the time of a relative question would
 * move on, so a stale one has no ETag.
 */
static void tag_history(
	const struct site_task *t, const struct history_inquiry *inquiry, struct answer *a)
{
	char variant[SITE_VARIANT_SIZE];

	if (!t->is_fresh || inquiry->recorder.step_ns ||
		inquiry->plan.ledger_from_s < inquiry->plan.ledger_to_s)
		return;
	site_format_variant(t->rq, "h", variant);
	site_set_etag(t, a, variant);
}

/* Answers also with a stale snapshot, since the past does not become stale. */
struct answer *site_answer_history(const struct site_task *t)
{
	const struct history_context context = context_of(t->site, t->caller);
	AUTO_HISTORY_INQUIRY struct history_inquiry *made = NULL;
	AUTO_ANSWER struct answer *a = answer_new(MHD_HTTP_OK, SITE_TYPE_JSON);
	const struct history_inquiry *inquiry = t->inquiry ? t->inquiry->history : NULL;
	char error[QUERY_ERROR_SIZE];
	int r = 0;

	if (!context.view)
		return answer_new_error(MHD_HTTP_SERVICE_UNAVAILABLE, "there is no snapshot yet");
	if (!inquiry) {
		r = site_begin_history(t->site, t->rq, t->caller, &made, error);
		inquiry = made;
	}
	if (r == HISTORY_INQUIRY_HIDDEN || r == -EINVAL)
		return answer_new_error(r < 0 ? MHD_HTTP_BAD_REQUEST : MHD_HTTP_FORBIDDEN, error);
	if (r < 0 || !a)
		return NULL;
	tag_history(t, inquiry, a);
	a->lacks_body = a->status == MHD_HTTP_NOT_MODIFIED;
	if (a->lacks_body)
		return TAKE_PTR(a); /* rendering it only for its length would cost too much */
	if (!site_has_past_room(t))
		return site_postpone();
	json_render_head(context.view, t->now_ns, true, &a->before);
	if (history_inquiry_render(inquiry, &context, &a->before) < 0)
		return NULL;
	buffer_add_char(&a->before, '\n');
	answer_count(a, SITE_PAST_BYTES(t));
	return TAKE_PTR(a);
}
