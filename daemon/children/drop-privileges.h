/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drop privileges
 *
 * The rights that memtallyd and its child processes give up.
 */
#ifndef MEMTALLY_DAEMON_CHILDREN_DROP_PRIVILEGES_H
#define MEMTALLY_DAEMON_CHILDREN_DROP_PRIVILEGES_H

#include <stdbool.h>

#include "confine/account.h"

/*
 * Chooses the users that memtallyd and its resolver run as: the present user, unless that is root.
 * Root becomes the user memtally, or if there is none, a uid that no other process has, which is
 * logged; the resolver gets another such uid. Returns 0, or a negative errno: no user can be
 * chosen, which has been logged, and the daemon must not continue.
 */
int drop_privileges_accounts(struct account *ret_daemon, struct account *ret_resolver);

/*
 * For memtallyd: becomes ACCOUNT if it is root; keeps CAP_SYS_PTRACE or, without that, CAP_PERFMON,
 * and no other right; sets limits; and allows only the system calls of passes, trials and lookups
 * of names, and with HAS_SOCKET_FILE the removal of a file. Logs a warning if the kernel has no
 * seccomp filters. Returns 0, or a negative errno: rights may be left, which has been logged, and
 * the daemon must not continue. -EPERM also if it is root of the host and cannot become another
 * user.
 */
int drop_privileges_daemon(const struct account *account, bool has_socket_file);

/*
 * For the parent of measuring workers, from which workers inherit: becomes ACCOUNT if it is root,
 * keeps the one capability that reading other processes needs, limits memory, and gives up the
 * system calls that reading does not need. Logs nothing. Returns 0, or a negative errno: rights may
 * be left. A kernel without filters is no error.
 */
int drop_privileges_measurers(const struct account *account);

/*
 * For the fork server: becomes ACCOUNT if it is root, with MASTER as saved uid so that MASTER may
 * end it; gives up every capability; limits memory and processes; and keeps the system calls of its
 * children, and those to fork and end them. Logs nothing. Returns 0, or a negative errno: rights
 * may be left. A kernel without filters is no error.
 */
int drop_privileges_fork_server(const struct account *account, uid_t master);

/*
 * For a child of the fork server, which looks up names: keeps the system calls that read files,
 * load modules and use UNIX sockets. Logs nothing. Returns 0, or a negative errno: rights may be
 * left. A kernel without filters is no error.
 */
int drop_privileges_resolver(void);

#endif
