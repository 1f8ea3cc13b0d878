/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holdings: the owners of shared memory, and the tmpfs mounts, as rows of an image. Shows the
 * largest of each kind, and the sum of the others in one row. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_PASS_IMAGE_SHMEM_H
#define MEMTALLY_COLLECTORS_PASS_IMAGE_SHMEM_H

#include "collectors/hostmem/shmem.h"
#include "collectors/owners/owner-table.h"
#include "snapshot/builder.h"

enum { IMAGE_SHMEM_SHOWN = 100 }; /* rows of each kind, without the row of the others */

/*
 * Adds the rows of S to the image in B. Users appear under their names in USERS, which must have
 * been added (image_build_scopes()), or under their number if USERS lacks them. Changes the order
 * of S's entries, so nothing can be added to S->owners afterwards. Returns 0 or -ENOMEM.
 */
int image_shmem_add(struct shmem *s, const struct owner_table *users, struct builder *b);

#endif
