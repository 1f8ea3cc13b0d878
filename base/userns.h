/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whom a uid means that the kernel shows: in a user namespace all users who have no uid there are shown as one, and
 * the others are not who has the same uid in another.
 */
#ifndef MEMTALLY_BASE_USERNS_H
#define MEMTALLY_BASE_USERNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { USERNS_UNMAPPED_UID = 65534 }; /* the kernel's kernel.overflowuid */

#define USERNS_INITIAL UINT64_C(0xeffffffd) /* the kernel's PROC_USER_INIT_INO: the host's own */

/* Which one we are in: a number that no other has as long as it lasts (nsfs's inode); 0: that can't be known. */
uint64_t userns_id(void);

/* Whether there may be users, seen from here, who have no uid of their own. Where it can't be known, there are. */
bool userns_has_unmapped(void);

/* The same of the text of a uid_map. Pure. */
bool userns_parse_has_unmapped(const char *text, size_t len);

/*
 * Whether uid 0 is 0 outside of our user namespace, too, and so owns what the host's root owns. Where it can't be known, it is.
 */
bool userns_is_root_outside(void);

/* The same of the text of a uid_map. Pure. */
bool userns_parse_is_root_outside(const char *text, size_t len);

#endif
