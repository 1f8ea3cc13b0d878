/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/history/history-inquiry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "web/history/history-answer.h"
#include "web/history/history-table.h"

#define LEDGER_BYTES_MAX ((size_t)8 << 20) /* of the answers of the ledger to one inquiry */

struct history_inquiry *history_inquiry_free(struct history_inquiry *i)
{
	if (!i)
		return NULL;
	ring_done(&i->ledger);
	free(i);
	return NULL;
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
	history_plan_make(&i->query, context->ring, false, &i->plan);
	if (i->plan.lacks_past)
		snprintf(i->problem, sizeof(i->problem),
			"memtally-web has no earlier snapshots, and does not ask memtally-ledger");
	*ret = TAKE_PTR(i);
	return 0;
}

int history_inquiry_render(
	const struct history_inquiry *i, const struct history_context *context, struct buffer *to)
{
	AUTO_HISTORY_TABLE struct history_table table = {0};
	struct history_sight sight;
	int r;

	history_sight_of(context->caller, context->tcp_scope, context->view, &sight);
	r = history_table_fill(&table, &i->query, &i->plan, &sight, context->ring, &i->ledger);
	if (r == 0)
		history_answer_render(
			&i->query, &i->plan, &table, *i->problem ? i->problem : NULL, to);
	return r;
}
