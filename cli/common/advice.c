/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/common/advice.h"

#include <errno.h>

void advice_add(struct buffer *to, int r, const char *daemon, const char *flag)
{
	switch (r) {
	case -ENOENT:
	case -ECONNREFUSED: buffer_printf(to, " (start %s, or set %s)", daemon, flag); break;
	case -EACCES: buffer_add_text(to, " (run as root, or join group memtally)"); break;
	case -ENOMSG: buffer_printf(to, " (check %s)", flag); break;
	case -EPROTOTYPE:
		buffer_printf(to, " (another program listens there: check %s)", flag);
		break;
	case -EPROTO: buffer_printf(to, " (restart %s after the upgrade)", daemon); break;
	default: break;
	}
}
