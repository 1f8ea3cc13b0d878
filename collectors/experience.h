/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What measuring the sharers of a segment again and again teaches of those that are not measured just now: which part
 * of what all of them together touch is really new, and not another's already, and how far off the guesses were. Of many who
 * share, each one's pages are like the others', so that a guess is as good as it was for those of late. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_EXPERIENCE_H
#define MEMTALLY_COLLECTORS_EXPERIENCE_H

#include <stdbool.h>
#include <stdint.h>

/* What sharers have grown by; in bytes, fading from lesson to lesson. */
struct experience_growth {
	uint64_t grown; /* what they would have more if all that was touched had been nobody's */
	int64_t added;  /* what they had more */
	uint64_t
		place; /* what all together had meanwhile, in the mean; unit of struct experience_change */
};

/* All zeros is none. For reading alone; in bytes, fading from lesson to lesson. */
struct experience {
	struct experience_growth late, former; /* that of the latter fades more slowly */
	uint64_t moved;                        /* by how much they were taken to have moved, */
	uint64_t off;                          /* and how far off that was */
	uint64_t most; /* that all had together, ever; unit of struct experience_change */
};

/* What happened to the part that one has of a segment. */
struct experience_change {
	uint64_t rss, pss; /* bytes, as they were measured */
	uint64_t now_rss;
	uint64_t then,
		now; /* what all have of it, one counted with the other; in the same unit, like the next */
	uint64_t stirred; /* what the others have touched and let go of */
};

struct experience_guess {
	uint64_t mid;   /* its PSS */
	uint64_t still; /* what that would be if the others had done nothing */
	uint64_t grown; /* as in struct experience_growth */
	uint64_t moved; /* by how much it may have changed, by what all did */
};

/* RET of C. Where all together have less than they had, nothing is known to be gone: C->now must be C->then or more. */
void experience_guess(const struct experience *x, const struct experience_change *c,
	struct experience_guess *ret);

/*
 * One that had C was measured, and has FOUND. ODD is how far off it was itself before, 0 if that is not known; returns how
 * far it is by now, in parts that only this module knows.
 */
uint16_t experience_learn(
	struct experience *x, const struct experience_change *c, uint64_t found, uint16_t odd);

/* Whether anything was learned. */
static inline bool experience_tells(const struct experience *x)
{
	return x->moved;
}

/* How far off the guess G of one that is so ODD is, but for one in a thousand. X tells. */
uint64_t experience_likely(
	const struct experience *x, const struct experience_guess *g, uint16_t odd);

#endif
