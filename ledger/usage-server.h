/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The questions of the ledger's socket: service/question-server.h with the protocol of
 * snapshot/usage.h.
 */
#ifndef MEMTALLY_LEDGER_USAGE_SERVER_H
#define MEMTALLY_LEDGER_USAGE_SERVER_H

#include "base/buffer.h"
#include "ledger/store/store.h"
#include "service/question-server.h"
#include "snapshot/usage.h"

/*
 * Appends the answer to REQUEST to TO, which is empty, with the rows that READER may see. REQUEST
 * is NULL if the question was malformed, or named another uid than a stranger's own. If TO->error is
 * set afterwards, the client is disconnected.
 */
typedef void usage_server_answer(void *context, const struct usage_request *request,
	const struct store_reader *reader, struct buffer *to);

/* The function that answers. */
struct usage_server_context {
	usage_server_answer *answer;
	void *context; /* of .answer */
};

/* The service of a question_server with a struct usage_server_context. */
extern const struct question_service usage_server_service;

#endif
