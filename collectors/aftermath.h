/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What births and exits since its measurement have made of a process's memory, whose counters show
 * nothing of it: its measurement as parts (estimate.h), its sharers' comings and goings (degree.h), and
 * out of them a doubt. Who the sharers are is kin.h's to know. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_AFTERMATH_H
#define MEMTALLY_COLLECTORS_AFTERMATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/degree.h"
#include "collectors/estimate.h"
#include "collectors/maps.h"

/* A file or shared memory some of whose sharers are gone. */
struct aftermath_segment {
	uint64_t bytes; /* mapped of it */
	struct degree_change gone;
	uint32_t correction; /* of degree.h */
};

/* Files or shared memory that others have touched or let go of. */
struct aftermath_stir {
	uint64_t bytes;        /* mapped of it; UINT64_MAX: nobody knows */
	uint64_t lost, gained; /* by others, of that or of something else */
	uint32_t sharers;      /* at most, as far as is known, itself among them */
};

/* What happened. */
struct aftermath {
	struct degree_change family;
	uint32_t anon, file; /* corrections, of degree.h, for what the family shares */
	size_t segments;
	struct aftermath_segment segment[MAPS_SEGMENTS];
};

static inline bool aftermath_has_family(const struct aftermath *a)
{
	return a->family.dead || a->family.born;
}

/* The doubt for a process with BASE; NOW are its counters when that happened. */
void aftermath_doubt(const struct aftermath *a, const struct estimate_base *base,
	const struct estimate_now *now, struct estimate_doubt *ret);

/*
 * How far what others did may have moved the PSS of a process with BASE. By as much as a few times what is
 * likely: that nobody touched but what this one has is possible, but no more than that.
 */
void aftermath_stirred(const struct aftermath_stir *list, size_t count,
	const struct estimate_base *base, uint64_t *ret_down, uint64_t *ret_up);

/*
 * How far the guess, without corrections, was off for one that had BEFORE and was FOUND so: corrections
 * for others after the same. False: too little is shared to tell.
 */
bool aftermath_compare(const struct aftermath *a, const struct estimate_base *before,
	const struct estimate_base *found, uint32_t *ret_anon, uint32_t *ret_file);

#endif
