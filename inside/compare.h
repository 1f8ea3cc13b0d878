/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What mappings have become, or have more than others: rows of two atlases of one kind, those of the same name beside each
 * other. Pure.
 */
#ifndef MEMTALLY_INSIDE_COMPARE_H
#define MEMTALLY_INSIDE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inside/atlas.h"

struct compare_row {
	const struct atlas_row *now, *then; /* of the atlases; NULL: there is none */
	uint64_t present;                   /* what both have, or the one that there is */
	int64_t q[MAPPING_FIELDS];          /* how much more there is now; 0 of what is no amount */
};

struct compare {
	struct compare_row *row; /* owned */
	size_t rows;
	struct compare_row total; /* with neither */
};

void compare_done(struct compare *c);
#define AUTO_COMPARE CLEANUP(compare_done)

/*
 * Of NOW and THEN, which stay as long as RET is used: what has changed, that which has grown most by FIELD first. Single mappings
 * are the same where they begin at the same address and have the same name and access; else what counts is the name, and
 * whether the file was deleted. -ENOMEM.
 */
int compare_make(const struct atlas *now, const struct atlas *then, enum mapping_field field,
	struct compare *ret);

#endif
