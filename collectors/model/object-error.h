/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Learned Object Error
 *
 * What repeated measurements of an object's sharers teach about the sharers that are not measured
 * now: which part of newly touched memory is new pages rather than pages that another sharer had
 * already, and how far guesses were off. If there are many sharers, the pages of each are like the
 * others', so a guess is as good as the latest guesses were. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_MODEL_OBJECT_ERROR_H
#define MEMTALLY_COLLECTORS_MODEL_OBJECT_ERROR_H

#include <stdbool.h>
#include <stdint.h>

/*
 * All zeros: nothing was learned. Other modules only read it. In bytes; fading sums over lessons.
 */
struct object_error {
	/* upper bound of the growth of sharers: as if all touched pages had been new */
	uint64_t grown;
	int64_t added;  /* measured growth of PSS beyond a mere division among more */
	uint64_t moved; /* by how much PSS was thought to have moved */
	uint64_t off;   /* how far off the guesses were */
};

/* The change of one process's share of an object. .now must be at least .then. */
struct object_error_change {
	uint64_t rss, pss; /* bytes, at the measurement */
	uint64_t now_rss;
	/* resident memory of all sharers together, counted once for each; the caller chooses the
	 * unit, which is also that of .stirred */
	uint64_t then, now;
	uint64_t stirred; /* what the others have touched and released */
};

/* The guess for a change, in bytes. */
struct object_error_guess {
	uint64_t mid;   /* guessed PSS */
	uint64_t still; /* PSS if the others had done nothing */
	uint64_t grown; /* as in struct object_error */
	uint64_t moved; /* by how much PSS may have moved, by what all did */
};

/*
 * Computes in *RET the guess for C. It applies only if all sharers together have no less than
 * before (C->now >= C->then): otherwise it is not known which pages are gone.
 */
void object_error_guess(const struct object_error *e, const struct object_error_change *c,
	struct object_error_guess *ret);

/*
 * A process with the change C was measured, and has FOUND bytes of PSS: teaches E. ODD is how far
 * earlier guesses for this process were off, 0 if not known; returns the new value. Its unit is
 * private to this module.
 */
uint16_t object_error_learn(
	struct object_error *e, const struct object_error_change *c, uint64_t found, uint16_t odd);

/* Returns true if anything was learned. */
static inline bool object_error_tells(const struct object_error *e)
{
	return e->moved;
}

/*
 * Returns by how many bytes the guess G is off at most, except in one of a thousand cases, for a
 * process with ODD. Call only if object_error_tells(E).
 */
uint64_t object_error_likely(
	const struct object_error *e, const struct object_error_guess *g, uint16_t odd);

#endif
