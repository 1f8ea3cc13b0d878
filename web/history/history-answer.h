/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answer of /api/v1/history
 *
 * Renders a table of a history as JSON. Pure.
 */
#ifndef MEMTALLY_WEB_HISTORY_ANSWER_H
#define MEMTALLY_WEB_HISTORY_ANSWER_H

#include "base/buffer.h"
#include "web/history/history-plan.h"
#include "web/history/history-query.h"
#include "web/history/history-table.h"

/*
 * Appends `,"history":{...}}` after a head (render/json.h). PROBLEM says why a part is missing, for
 * people; NULL: none is missing. LASTS: the same question will have the same problem.
 */
void history_answer_render(const struct history_query *q, const struct history_plan *p,
	const struct history_table *t, const char *problem, bool lasts, struct buffer *to);

#endif
