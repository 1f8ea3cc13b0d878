/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "ledger/usage-server.h"

/* Has Q answered. A client with a malformed or forbidden question is disconnected after that. */
static void usage_server_take(void *context, const struct question *q, struct question_reply *reply)
{
	const struct usage_server_context *c = context;
	struct question_reader reader = q->reader;
	struct usage_request request;
	bool is_good = usage_request_parse(q->data, q->len, &request) == 0 &&
	               question_narrow(&q->reader, request.has_uid, request.uid, &reader);

	reply->is_last = !is_good;
	c->answer(c->context, is_good ? &request : NULL,
		&(struct store_reader){.sees_all = reader.sees_all, .uid = reader.uid},
		&reply->bytes);
}

const struct question_service usage_server_service = {
	.message_max = USAGE_MESSAGE_MAX,
	.answer = usage_server_take,
};
