/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Link to memtally-ledger
 *
 * Asks memtally-ledger at its socket for the ledger's part of inquiries, one step after the other
 * (web/sources/source-link.h). memtally-ledger decides which rows a uid may see (snapshot/usage.h).
 */
#ifndef MEMTALLY_WEB_HISTORY_LEDGER_LINK_H
#define MEMTALLY_WEB_HISTORY_LEDGER_LINK_H

#include "base/buffer.h"
#include "web/history/history-inquiry.h"
#include "web/sources/source-link.h"

struct ledger_link {
	struct source_link link; /* the .wait of struct history_inquiry waits here */
	/* The question of the first inquiry that is being answered. */
	struct buffer answer; /* the part of the answer that has come */
	size_t size;          /* bytes of the whole answer; 0: not known yet */
};

/* Begins L without a connection. Ends with source_link_done(). */
void ledger_link_init(struct ledger_link *l);

#endif
