/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks memtally-ledger who has used how much.
 */
#ifndef MEMTALLY_CLI_USAGE_H
#define MEMTALLY_CLI_USAGE_H

#include <stdbool.h>

#include "cli/bill.h"
#include "cli/flag.h"
#include "config/settings.h"

enum { USAGE_ERROR_SIZE = FLAG_ERROR_SIZE };

/*
 * What SETTINGS ask for, NOW_S being the time: the periods, without answers. The caller has bill_done() called on
 * RET. -EINVAL with a sentence for the user in ERROR; -ENOMEM.
 */
int usage_parse(const struct settings *settings, int64_t now_s, struct bill *ret,
	char error[static USAGE_ERROR_SIZE]);

/*
 * Asks at the socket PATH for all parts of B, at most so long at each, and has bill_select() choose what came; where
 * there is no room it tries again for a while. -ETIMEDOUT, -ECONNRESET, -EBADMSG: what came
 * is no answer; -EPROTO: what was asked is no question to it, -EIO: its file can't be read; -ENOMEM; errors of
 * connecting.
 */
int usage_ask(const char *path, struct bill *b);

#endif
