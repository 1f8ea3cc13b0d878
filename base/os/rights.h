/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dropping Rights
 *
 * Gives up capabilities and uid 0 of the calling process for good.
 */
#ifndef MEMTALLY_BASE_OS_RIGHTS_H
#define MEMTALLY_BASE_OS_RIGHTS_H

#include <stddef.h>
#include <sys/types.h>

enum {
	RIGHTS_NONE = -1,     /* no capability */
	RIGHTS_SAME_USER = 1, /* uid 0 stays: no right to change it, or no such uid here */
};

/*
 * Gives up every capability and, if the process is root, becomes uid and gid 65534 without other
 * groups. Nothing can bring the rights back (no_new_privs). If the process was root or had a
 * capability, it is no longer dumpable: this protects descriptors and memory that it may have
 * inherited. Returns 0, also if uid 0 stays (RIGHTS_SAME_USER). Returns a negative errno on
 * failure; the process may then have rights left.
 */
int rights_drop(void);

/*
 * Keeps one capability, the first of the COUNT capabilities in WANTED that the process has, and
 * gives up all others in every set. If the process is root and UID is not 0, it also becomes UID
 * with GID and no other groups. MASTER becomes its saved uid: processes of that uid may then signal
 * this one although they have no rights (kill(2)); pass UID if none shall. Nothing can bring the
 * rights back (no_new_privs). The process is no longer dumpable, as after rights_drop().
 *
 * Writes the capability that is left, or RIGHTS_NONE, to *RET_KEPT. Returns 0; RIGHTS_SAME_USER if
 * the uid could not be changed, though the capabilities are gone; or a negative errno, and the
 * process may then have rights left.
 */
int rights_keep(const int *wanted, size_t count, uid_t uid, gid_t gid, uid_t master, int *ret_kept);

#endif
