/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/history/history-inquiry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "snapshot/owner.h"
#include "web/history/history-answer.h"
#include "web/history/history-table.h"

#define LEDGER_BYTES_MAX ((size_t)8 << 20) /* of the answers of the ledger to one inquiry */

struct history_inquiry *history_inquiry_free(struct history_inquiry *i)
{
	if (!i)
		return NULL;
	recorder_part_done(&i->recorder);
	ring_done(&i->ledger);
	free(i);
	return NULL;
}

/* Returns the kind of owners that the ledger sums for SCOPE; USAGE_KINDS_END: it has none. */
static enum usage_kind history_inquiry_kind(enum metric_scope scope)
{
	if (scope == METRIC_HOST)
		return USAGE_USER;
	return usage_find(owner_of(metric_owner_kind(scope))->name);
}

/* Returns why the ledger is not asked for I; NULL: it may be asked. */
static const char *refuse_ledger(const struct history_inquiry *i, const struct history_sight *sight)
{
	if (i->query.metric->usage == USAGE_QUANTITIES)
		return "memtally-ledger does not keep this metric, and memtally-web has no earlier "
		       "points";
	if (i->kind == USAGE_KINDS_END)
		return "memtally-ledger does not keep these owners, and memtally-web has no earlier "
		       "points";
	if (sight->older == SIGHT_ALL)
		return NULL;
	if (sight->older == SIGHT_OWN && i->query.scope != METRIC_HOST)
		return NULL;
	if (sight->recent == SIGHT_ALL)
		return "what memtally-ledger keeps is shown over TCP only with web.tcp_scope: "
		       "processes";
	return "what memtally-ledger keeps of others is not shown to this caller";
}

void history_inquiry_plan(struct history_inquiry *i, const struct history_context *context)
{
	struct history_sight sight;
	const char *refusal;

	history_sight_of(context->caller, context->tcp_scope, context->view, &sight);
	refusal = refuse_ledger(i, &sight);
	history_plan_make(&i->query, context->ring, &i->recorder.points, !refusal, &i->plan);
	i->has_uid = sight.older != SIGHT_ALL;
	i->uid = sight.uid;
	i->next_s = i->plan.ledger_from_s;
	i->has_planned = true;
	i->wait.is_done = i->plan.ledger_from_s >= i->plan.ledger_to_s;
	if (i->plan.lacks_past)
		i->refusal = refusal;
}

/* Plans what to ask of the recorder. Without that, plans what to ask of the ledger. */
static void history_inquiry_begin(struct history_inquiry *i, const struct history_context *context,
	const struct history_sight *sight)
{
	const struct image_header *h = context->view->header;

	i->wait.caller = *context->caller;
	i->kind = history_inquiry_kind(i->query.scope);
	recorder_part_plan(
		&i->recorder, &i->query, context->ring, sight, h->interval_ns, h->userns);
	if (!context->has_recorder)
		i->recorder.is_done = true;
	if (i->recorder.is_done)
		history_inquiry_plan(i, context);
}

int history_inquiry_new(const struct history_context *context, const char *text, size_t len,
	int64_t now_s, struct history_inquiry **ret, char error[static QUERY_ERROR_SIZE])
{
	AUTO_HISTORY_INQUIRY struct history_inquiry *i = calloc(1, sizeof(*i));
	struct history_sight sight;
	const char *refusal;
	int r;

	if (!i)
		return -ENOMEM;
	i->ledger.bytes_max = LEDGER_BYTES_MAX;
	r = history_query_parse(text, len, now_s, &i->query, error);
	if (r < 0)
		return r;
	history_sight_of(context->caller, context->tcp_scope, context->view, &sight);
	refusal = history_sight_refuse(&sight, i->query.scope);
	if (refusal) {
		snprintf(error, QUERY_ERROR_SIZE, "%s", refusal);
		return HISTORY_INQUIRY_HIDDEN;
	}
	history_inquiry_begin(i, context, &sight);
	*ret = TAKE_PTR(i);
	return 0;
}

/*
 * Writes to TO why a part is missing; an empty text: none is. What the ledger has, the recorder need
 * not have. Returns whether the same question will have the same problem.
 */
static bool history_inquiry_explain(const struct history_inquiry *i, struct buffer *to)
{
	const char *recorder = i->recorder.problem;

	buffer_add_text(to, i->refusal ? i->refusal : i->wait.problem);
	if (to->len && *recorder)
		buffer_printf(to, "; %s", recorder);
	buffer_add_char(to, 0);
	return i->refusal && (!*recorder || i->recorder.is_absent);
}

int history_inquiry_render(
	const struct history_inquiry *i, const struct history_context *context, struct buffer *to)
{
	AUTO_HISTORY_TABLE struct history_table table = {0};
	AUTO_BUFFER struct buffer problem = {0};
	struct history_plan plan = i->plan;
	struct history_sight sight;
	bool lasts;
	int r;

	/* Without answers steps that were the ledger's are those of the ring, as far as it knows. */
	if (!i->ledger.points)
		history_plan_make(&i->query, context->ring, &i->recorder.points, false, &plan);
	history_sight_of(context->caller, context->tcp_scope, context->view, &sight);
	r = history_table_fill(
		&table, &i->query, &plan, &sight, context->ring, &i->recorder.points, &i->ledger);
	lasts = history_inquiry_explain(i, &problem);
	if (r == 0)
		r = problem.error;
	if (r == 0)
		history_answer_render(
			&i->query, &plan, &table, *problem.data ? problem.data : NULL, lasts, to);
	return r;
}
