/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What memtallyd gives up before its loop begins.
 */
#ifndef MEMTALLY_DAEMON_NARROW_H
#define MEMTALLY_DAEMON_NARROW_H

#include <stdbool.h>

#include "confine/account.h"

/*
 * Whom memtallyd works as, and its resolver: as itself, or if that is root, the one as the user memtally, or where there is
 * none, under a uid that is nobody's, which is said on the log, and the other under another such uid. Negative errno: it can't be
 * known, it is on the log, and the daemon must not go on.
 */
int narrow_accounts(struct account *ret_daemon, struct account *ret_resolver);

/*
 * Becomes ACCOUNT if it is root, keeps CAP_SYS_PTRACE or, if it has not that, CAP_PERFMON, and no other right, sets
 * limits, and allows itself and its children no system calls but those that passes and trials need, and to have names looked up; with
 * HAS_SOCKET_FILE also to remove a file. Where the kernel has no filters for these, the log says so. Negative errno: rights may
 * be left, it is on the log, and the daemon must not go on. -EPERM, too, where it is root of the host and can't leave that.
 */
int narrow_daemon(const struct account *account, bool has_socket_file);

/*
 * For the nursery: it becomes ACCOUNT if it is root, and lets MASTER end it; without any capability, with less
 * memory and few processes, and with the system calls that its children's work takes, and to make and end them. Logs nothing.
 * Negative errno: rights may be left. A kernel without filters is none.
 */
int narrow_nursery(const struct account *account, uid_t master);

/*
 * For a child of the nursery's, which looks names up: it keeps system calls for reading files, loading modules and talking over
 * UNIX sockets alone. Logs nothing. Errors as above.
 */
int narrow_resolver(void);

#endif
