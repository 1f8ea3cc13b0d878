/* SPDX-License-Identifier: Apache-2.0 */
/*
 * User Namespaces
 *
 * Tells what a uid from the kernel means. In a user namespace, all users without a uid there have
 * the same uid, 65534. And the same uid in another user namespace may be another user.
 */
#ifndef MEMTALLY_BASE_OS_USERNS_H
#define MEMTALLY_BASE_OS_USERNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { USERNS_UNMAPPED_UID = 65534 }; /* default of kernel.overflowuid */

#define USERNS_INITIAL UINT64_C(0xeffffffd) /* the host's own namespace (PROC_USER_INIT_INO) */

/*
 * Returns the number of the calling process's user namespace: the inode of /proc/self/ns/user. No
 * other namespace has this number while the namespace exists. Returns USERNS_INITIAL if the kernel
 * has no user namespaces; 0 if the number cannot be read.
 */
uint64_t userns_id(void);

/*
 * Returns true if some users may have no uid in the calling process's user namespace, or if
 * /proc/self/uid_map cannot be read. Returns false if the map has all uids, or the kernel has no
 * user namespaces.
 */
bool userns_has_unmapped(void);

/* Returns false if TEXT, the LEN bytes of a uid_map, maps all uids; else true. Pure. */
bool userns_parse_has_unmapped(const char *text, size_t len);

/*
 * Returns true if uid 0 is also uid 0 outside of the calling process's user namespace, and so owns
 * the files of the host's root. Returns true also if /proc/self/uid_map cannot be read.
 */
bool userns_is_root_outside(void);

/*
 * Returns true if TEXT, the LEN bytes of a uid_map, maps uid 0 to uid 0 or cannot be read as
 * numbers. Returns false if it maps uid 0 to another uid, or not at all. Pure.
 */
bool userns_parse_is_root_outside(const char *text, size_t len);

#endif
