/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What memtallyd gives up before its loop begins.
 */
#ifndef MEMTALLY_DAEMON_NARROW_H
#define MEMTALLY_DAEMON_NARROW_H

#include "confine/account.h"

/*
 * Whom memtallyd works as: itself, or if that is root the user memtally, or where there is none, nobody, which is said
 * on the log.
 */
void narrow_account(struct account *ret);

/*
 * Becomes ACCOUNT if it is root, keeps CAP_SYS_PTRACE or, if it has not that, CAP_PERFMON, and no other right, sets
 * limits, and allows itself and its children no system calls but those that passes, names and trials need. Where the kernel
 * has no filters for these, the log says so. Negative errno: rights may be left, it is on the log, and the daemon must not go on.
 */
int narrow_daemon(const struct account *account);

/*
 * For the resolver's child: the same without any capability, with less memory, and with system calls for reading files and
 * talking over UNIX sockets alone. Logs nothing. Negative errno: rights may be left. A kernel without filters is none.
 */
int narrow_resolver(const struct account *account);

#endif
