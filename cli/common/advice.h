/* SPDX-License-Identifier: Apache-2.0 */
/* Advice: what the user can do if a daemon's socket does not answer. */
#ifndef MEMTALLY_CLI_COMMON_ADVICE_H
#define MEMTALLY_CLI_COMMON_ADVICE_H

#include "base/buffer.h"
#include "config/option.h"

/*
 * Appends to TO, in parentheses, how to reach PROGRAM (PROGRAM_MEMTALLYD or PROGRAM_LEDGER) after
 * the error R: a negative errno of connect(), -ECONNRESET if it closed the connection, -ENOMSG if
 * another program answers, or -EPROTO if it has another version. SETTINGS has the paths of the
 * sockets. Appends nothing if there is no advice for R.
 */
void advice_add(struct buffer *to, int r, enum program program, const struct settings *settings);

#endif
