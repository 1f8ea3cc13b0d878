/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/site/inquiry.h"

#include <stdlib.h>

struct inquiry *inquiry_new(void)
{
	return calloc(1, sizeof(struct inquiry));
}

struct inquiry *inquiry_free(struct inquiry *i)
{
	if (!i)
		return NULL;
	history_inquiry_free(i->history);
	recorder_question_free(i->question);
	free(i);
	return NULL;
}

bool inquiry_is_done(const struct inquiry *i)
{
	return (!i->history || i->history->wait.is_done) &&
	       (!i->question || i->question->wait.is_done);
}

bool inquiry_is_large(const struct inquiry *i)
{
	return (i->history && i->history->ledger.points) || (i->question && i->question->view);
}
