/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/sources/growth-counts.h"

#include <string.h>

void growth_counts_done(struct growth_counts *c, struct recorder_link *l)
{
	if (c->question && !c->question->wait.is_done)
		source_link_remove(&l->link, &c->question->wait);
	c->question = recorder_question_free(c->question);
}

/* Takes the answer to the question of C, or that there is none. */
static void growth_counts_take(struct growth_counts *c, uint64_t now_ns)
{
	const struct recorder_question *q = c->question;
	bool is_late = *q->wait.problem && !q->wait.is_absent;

	if (!is_late || now_ns >= c->until_ns)
		c->is_known = false;
	if (!*q->wait.problem && q->head.status == PAST_GOOD && q->head.flags & PAST_HAS_GROWTH) {
		memcpy(c->growth, q->head.growth, sizeof(c->growth));
		c->is_known = true;
		c->until_ns = now_ns + GROWTH_COUNTS_KEPT_NS;
	}
	c->question = recorder_question_free(c->question);
}

void growth_counts_run(
	struct growth_counts *c, struct recorder_link *l, const char *path, uint64_t now_ns)
{
	static const struct caller self = {.kind = CALLER_TRUSTED};
	static const struct past_request request = {.pick = PAST_GROWTH};

	if (!c->question && now_ns >= c->due_ns) {
		c->due_ns = now_ns + GROWTH_COUNTS_EACH_NS;
		c->question = recorder_question_new(&self, &request);
		if (c->question)
			recorder_link_add(l, path, c->question, now_ns);
	}
	if (c->question && c->question->wait.is_done)
		growth_counts_take(c, now_ns);
}
