/* SPDX-License-Identifier: Apache-2.0 */
/* Queries to memtally-ledger: parses the options of `memtally usage`, and asks for the answers. */
#ifndef MEMTALLY_CLI_USAGE_USAGE_H
#define MEMTALLY_CLI_USAGE_USAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "cli/common/cli-option.h"
#include "cli/usage/usage-table.h"
#include "config/settings.h"

/* How long memtally waits for the answers to all questions of a command. */
#define USAGE_TIMEOUT_NS (60 * NS_PER_SEC)

/*
 * Reads the options from SETTINGS into *RET: periods without answers. NOW_S is the current time in
 * seconds since the epoch. *RET must be zeroed, and the caller frees it with usage_table_done(),
 * also on failure. Returns 0; -EINVAL with a sentence for the user in ERROR; -ENOMEM.
 */
int usage_parse(const struct settings *settings, int64_t now_s, struct usage_table *ret,
	char error[static CLI_OPTION_ERROR_SIZE]);

/*
 * Asks memtally-ledger at the socket PATH for all parts of B, and calls usage_table_select(). Waits
 * at most TIMEOUT_NS, for all answers together. If memtally-ledger has no free place for a
 * connection, tries again for 5 s of that time. Returns 0; -ETIMEDOUT; -ECONNRESET if it closed the
 * connection; -ENOMSG if the first message is of another program; -EBADMSG for an invalid answer;
 * -EPROTO if it has another version; -EIO if it cannot read its file; -ENOMEM; or another negative
 * errno of connect(), send() or recv().
 */
int usage_ask(const char *path, uint64_t timeout_ns, struct usage_table *b);

/* The by() of struct command (cli/common/command.h). */
const char *usage_by(unsigned int i);

#endif
