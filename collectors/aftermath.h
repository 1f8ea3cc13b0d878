/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What births and exits since its measurement have made of a process's memory, whose counters show
 * nothing of it: its measurement as parts (estimate.h), its sharers' comings and goings (degree.h), and
 * out of them a doubt. Who the sharers are is kin.h's to know. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_AFTERMATH_H
#define MEMTALLY_COLLECTORS_AFTERMATH_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/degree.h"
#include "collectors/estimate.h"

/* What happened. */
struct aftermath {
	struct degree_change family;
	uint32_t anon, file; /* corrections, of degree.h, for what the family shares */
	/* Bytes of what it shares that one who is born writes to at once, as others did. */
	uint64_t soon_written;
	struct degree_outside outside; /* of what all of its family share */
	uint64_t known_rss, known_pss; /* of shared files, that others than the family tell of */
};

/* Whether any came or went. */
static inline bool aftermath_has_family(const struct aftermath *a)
{
	return a->family.dead || a->family.born;
}

/* Or wrote to what they share. */
static inline bool aftermath_is_any(const struct aftermath *a)
{
	return aftermath_has_family(a) || a->family.parted;
}

/* The doubt for a process with BASE; NOW are its counters when that happened. */
void aftermath_doubt(const struct aftermath *a, const struct estimate_base *base,
	const struct estimate_now *now, struct estimate_doubt *ret);

/*
 * How far the guess, without corrections, was off for one that had BEFORE and was FOUND so: corrections
 * for others after the same. False: too little is shared to tell.
 */
bool aftermath_compare(const struct aftermath *a, const struct estimate_base *before,
	const struct estimate_base *found, uint32_t *ret_anon, uint32_t *ret_file);

#endif
