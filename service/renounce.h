/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a service gives up rights, files and system calls, in this order and for good, before it
 * serves anything. Each service decides what it keeps (ledger/sandbox.c, web/sandbox.c), and so do
 * the processes of memtallyd (daemon/children/drop-privileges.c).
 *
 * Missing support of the kernel is logged. After a negative errno, which is logged, too, some
 * rights may be left: the service must end.
 */
#ifndef MEMTALLY_SERVICE_RENOUNCE_H
#define MEMTALLY_SERVICE_RENOUNCE_H

#include <stddef.h>
#include <stdint.h>

#include "confine/account.h"
#include "confine/filter.h"
#include "confine/landlock.h"

/*
 * If the process is root, it becomes ACCOUNT. Afterwards it has no capability, cannot gain any
 * (no_new_privs), is not dumpable, and has at most DATA_BYTES of private memory and PROCESSES
 * processes (limits_set()). Returns 0 or a negative errno: -EPERM also if it is the host's root and
 * cannot become another user, with ADVICE in the log.
 */
int renounce_rights(
	const struct account *account, uint64_t data_bytes, uint64_t processes, const char *advice);

/* How a process of the host's root can become another user. */
#define RENOUNCE_ADVICE                                                                            \
	"uid 0 cannot become another user here: run it as another uid, or add the capabilities "   \
	"SETUID and SETGID"

/*
 * Checks OUTCOME of rights_keep() for UID. The host's root without capabilities still owns what root
 * owns: processes, files, sockets. Returns 0, also if the process stays root of a user namespace,
 * which is logged; or a negative errno, which is logged, too: -EPERM if the process stays the host's
 * root, with ADVICE in the log, or OUTCOME.
 */
int renounce_check_user(int outcome, uid_t uid, const char *advice);

/* Adds to L the files that may be used. Returns 0 or a negative errno. */
typedef int renounce_rules(struct landlock *l, const void *context);

/*
 * Gives up all files except those that RULES, called with CONTEXT, allows. Returns 0,
 * LANDLOCK_UNSUPPORTED or a negative errno.
 */
int renounce_files(renounce_rules *rules, const void *context);

/*
 * Gives up all system calls except those of the COUNT lists. Returns 0, also if the kernel has no
 * filters, or a negative errno.
 */
int renounce_calls(const struct filter_list *const *lists, size_t count);

#endif
