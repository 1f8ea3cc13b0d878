/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a uid that the kernel shows is somebody: in a user namespace all users who have no uid there are shown
 * as one.
 */
#ifndef MEMTALLY_BASE_USERNS_H
#define MEMTALLY_BASE_USERNS_H

#include <stdbool.h>
#include <stddef.h>

enum { USERNS_UNMAPPED_UID = 65534 }; /* the kernel's kernel.overflowuid */

/* Whether there may be users, seen from here, who have no uid of their own. Where it can't be known, there are. */
bool userns_has_unmapped(void);

/* The same of the text of a uid_map. Pure. */
bool userns_parse_has_unmapped(const char *text, size_t len);

#endif
