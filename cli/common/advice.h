/* SPDX-License-Identifier: Apache-2.0 */
/* Advice: what the user can do if a daemon's socket does not answer. */
#ifndef MEMTALLY_CLI_COMMON_ADVICE_H
#define MEMTALLY_CLI_COMMON_ADVICE_H

#include "base/buffer.h"

/*
 * Appends to TO, in parentheses, how to reach DAEMON after the error R: a negative errno of
 * connect(), -ENOMSG if another program answers, or -EPROTO if DAEMON has another version. FLAG
 * names the option of the socket. Appends nothing if there is no advice for R.
 */
void advice_add(struct buffer *to, int r, const char *daemon, const char *flag);

#endif
