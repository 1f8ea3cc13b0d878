/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Giving up rights, for good.
 */
#ifndef MEMTALLY_BASE_RIGHTS_H
#define MEMTALLY_BASE_RIGHTS_H

#include <stddef.h>
#include <sys/types.h>

enum {
	RIGHTS_NONE = -1, /* no capability */
	RIGHTS_SAME_USER =
		1, /* uid 0 stays: it may not become another, or the other has no place in its user namespace */
};

/*
 * Gives up every capability, and uid 0 with it, for good. Whoever had any is no longer dumpable, since it guards what
 * it may have inherited. Negative errno: it may have rights left.
 */
int rights_drop(void);

/*
 * Keeps of the COUNT capabilities in WANTED the first that the process has, and gives up all others, in every set; uid 0
 * becomes UID with GID and no other groups, unless UID is 0. MASTER is UID again, or another one, whose processes may then end
 * this one though they have no rights either: by its saved uid. Nothing brings them back (no_new_privs). Dumpable as after
 * rights_drop(). The capability that is left is in *RET_KEPT, or RIGHTS_NONE. 0, or RIGHTS_SAME_USER, where capabilities
 * are gone all the same. Negative errno: it may have rights left.
 */
int rights_keep(const int *wanted, size_t count, uid_t uid, gid_t gid, uid_t master, int *ret_kept);

#endif
