/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of several processes share something of what a mapping is of. Each mapping of everybody else's is looked up once,
 * however many are asked about. Pure.
 */
#ifndef MEMTALLY_INSIDE_CLAIMS_H
#define MEMTALLY_INSIDE_CLAIMS_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "inside/sharers.h"

struct claim {
	struct sharers *sharers; /* borrowed: whose */
	size_t thing;            /* of .sharers */
};

struct claims {
	struct claim *claim; /* owned; those to the same thing follow each other */
	size_t claims;
	uint32_t *index; /* open addressing: the first of them + 1, or 0 */
	size_t index_size;
	struct siphash_key hash_key;
};

void claims_done(struct claims *c);
#define AUTO_CLAIMS CLEANUP(claims_done)

/* Adds those of S, which is to learn nothing from now on. -ENOMEM. */
int claims_add(struct claims *c, struct sharers *s);

/* They are complete. -ENOMEM. */
int claims_arrange(struct claims *c);

/* sharers_see() of each that has something of what M is of. Only after claims_arrange(). */
void claims_see(const struct claims *c, const struct mapping *m);

#endif
