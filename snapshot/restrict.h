/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Restricted images
 *
 * Makes of a whole image the one that a user may have: with the rows of processes that the user may
 * see, and without files. Texts that only the rows left out used are gone, too.
 */
#ifndef MEMTALLY_SNAPSHOT_RESTRICT_H
#define MEMTALLY_SNAPSHOT_RESTRICT_H

#include "snapshot/sight.h"
#include "snapshot/view.h"

/*
 * Seals the image of VIEW into a memfd *RET_FD, which the caller owns, with the processes that SIGHT
 * lets see. With SIGHT_NONE, and if VIEW has no processes itself, it has IMAGE_PUBLIC, else IMAGE_OWN.
 * Quantities of newer minor versions are left out.
 *
 * Returns 0, -ENOMEM or an error of builder_seal().
 */
int restrict_seal(const struct view *view, const struct sight *sight, int *ret_fd);

#endif
