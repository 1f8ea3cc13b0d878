/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/common/advice.h"

#include <errno.h>

void advice_add(struct buffer *to, int r, enum program program, const struct settings *settings)
{
	bool is_ledger = program == PROGRAM_LEDGER;
	const char *daemon = option_program_name(program);
	const char *option = is_ledger ? "--ledger.socket" : "--snapshot.socket";

	switch (r) {
	case -ENOENT:
	case -ECONNREFUSED: buffer_printf(to, " (start %s, or set %s)", daemon, option); break;
	case -EACCES:
		buffer_printf(to, " (check the permissions of %s)",
			is_ledger ? settings->ledger_socket : settings->snapshot_socket);
		break;
	case -ECONNRESET:
		/* memtally-ledger answers every user. */
		if (!is_ledger)
			buffer_printf(to, " (start %s, or join group memtally)", daemon);
		break;
	case -ENOMSG: buffer_printf(to, " (check %s)", option); break;
	case -EPROTOTYPE:
		buffer_printf(to, " (another program listens there: check %s)", option);
		break;
	case -EPROTO: buffer_printf(to, " (restart %s after the upgrade)", daemon); break;
	default: break;
	}
}
