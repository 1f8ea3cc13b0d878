/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inquiries about the past
 *
 * A request for /api/v1/history while it is being answered: what is asked, what the caller may see,
 * and what memtally-ledger has answered so far.
 */
#ifndef MEMTALLY_WEB_HISTORY_INQUIRY_H
#define MEMTALLY_WEB_HISTORY_INQUIRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "web/history/history-plan.h"
#include "web/history/history-query.h"
#include "web/history/history-sight.h"
#include "web/history/recorder-part.h"
#include "web/history/ring.h"
#include "web/sources/source-link.h"

enum { HISTORY_INQUIRY_HIDDEN = 1 }; /* outcome of history_inquiry_new() */

/* The facts that an inquiry depends on, beside its parameters. All are borrowed. */
struct history_context {
	const struct ring *ring;
	const struct view *view; /* the last snapshot; it may be stale */
	const struct caller *caller;
	enum tcp_scope tcp_scope;
	bool has_recorder; /* memtally-recorder is asked */
};

struct history_inquiry {
	struct history_query query;
	struct history_plan plan;
	struct recorder_part recorder; /* it is asked first: the ledger has the time before */
	struct ring ledger;            /* the answers of the ledger: a point for each step */
	bool has_planned;              /* what to ask of the ledger */
	/* Why a source is not asked that could have what is missing; NULL: it is asked, or not needed. */
	const char *refusal;

	/* For web/history/ledger-link.h, unless .wait.is_done. */
	struct source_wait wait;
	enum usage_kind kind;
	bool has_uid; /* the ledger is to answer what .uid may see; otherwise all */
	uint32_t uid;
	int64_t next_s; /* start of the next step to ask for, seconds since the epoch */
};

/*
 * Begins an inquiry with the parameters TEXT, LEN bytes, at the time NOW_S in seconds since the
 * epoch. The caller asks for .recorder until that is done, calls history_inquiry_plan(), and adds the
 * inquiry to a struct ledger_link unless it is done. Returns 0 with *RET, which
 * the caller frees; HISTORY_INQUIRY_HIDDEN if the caller may see none of it, or -EINVAL if the
 * parameters are wrong, both with a sentence for the client in ERROR; or -ENOMEM.
 */
int history_inquiry_new(const struct history_context *context, const char *text, size_t len,
	int64_t now_s, struct history_inquiry **ret, char error[static QUERY_ERROR_SIZE]);

/*
 * Plans what to ask of the ledger, after .recorder is done. The inquiry is done (.wait.is_done) if
 * that is nothing.
 */
void history_inquiry_plan(struct history_inquiry *i, const struct history_context *context);

/* Accepts NULL; returns NULL. */
struct history_inquiry *history_inquiry_free(struct history_inquiry *i);

static inline void cleanup_history_inquiry(struct history_inquiry **i)
{
	history_inquiry_free(*i);
}
#define AUTO_HISTORY_INQUIRY CLEANUP(cleanup_history_inquiry)

/*
 * Appends `,"history":{...}}` after a head (render/json.h), with what the caller may see now.
 * Returns 0 or -ENOMEM.
 */
int history_inquiry_render(
	const struct history_inquiry *i, const struct history_context *context, struct buffer *to);

#endif
