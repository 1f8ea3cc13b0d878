/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What mappings have become, or have more than others: rows of two atlases of one kind, those that are the same beside each
 * other. Pure.
 */
#ifndef MEMTALLY_INSIDE_COMPARE_H
#define MEMTALLY_INSIDE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inside/atlas.h"

struct compare_row {
	const struct atlas_row *now,
		*then;    /* the first of each that is summed up in it; NULL: there is none */
	uint64_t present; /* what all of these have */
	int64_t q[MAPPING_FIELDS]; /* how much more there is now; 0 of what is no amount */
};

struct compare {
	struct compare_row *row; /* owned */
	size_t rows;
	struct compare_row total; /* with neither */
};

void compare_done(struct compare *c);
#define AUTO_COMPARE CLEANUP(compare_done)

/*
 * Of NOW and THEN, which stay as long as RET is used: what has changed, that which has grown most by FIELD first. What has the
 * same name, kind, device and inode is the same, whether it has been deleted meanwhile or not; and single mappings, where they
 * begin at the same address and have the same access, too. Those of several processes may be the same, as after a fork, and
 * are one row then, in sum. -ENOMEM.
 */
int compare_make(const struct atlas *now, const struct atlas *then, enum mapping_field field,
	struct compare *ret);

#endif
