/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How shared pages are, and what that becomes when those who map them come and go. A page that m
 * processes map counts 1/m to each; of a process only the mean of that is known, its shared PSS by
 * its shared RSS, and of those that come and go only how many they are. The mean and their number
 * bound what each page may have become: narrowly where all members share all pages, as after a
 * fork. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_DEGREE_H
#define MEMTALLY_COLLECTORS_DEGREE_H

#include <stdint.h>

/* What happened to those known to share, since a process was measured. */
struct degree_change {
	uint32_t members; /* how many there were then, itself among them: at least 1 */
	uint32_t dead;    /* of those, gone since: fewer than .members */
	uint32_t unsure;  /* of the dead, that may have been gone already */
	uint32_t born;    /* since, by forks */
	uint32_t early;   /* of those born, that may have been there already */
	uint32_t own;     /* of those born, its own descendants */
	uint32_t strays;  /* of the others born, that may be, for nobody knows their parents */
	uint32_t
		parted; /* by writing: DEGREE_ONE for each of the others that are there who has let go of all */
};

enum { DEGREE_ONE = 1 << 16 };

struct degree_span {
	uint64_t low, mid, high;
};

/*
 * A correction found by measuring another who shares: what was found by what was guessed; 65536 is
 * none.
 */
enum { DEGREE_AS_GUESSED = 1 << 16 };

/* By how many the members may have been more or fewer. */
static inline uint64_t degree_slack(const struct degree_change *c)
{
	return c->unsure + (uint64_t)c->early;
}

/* What others than the family may share as well, at least one of them. */
struct degree_outside {
	uint64_t bytes;  /* at most; 0: nothing */
	uint64_t others; /* at most */
};

/*
 * How many share RSS bytes that counted PSS, if all of them have all of it, but that others may have OUTSIDE of
 * it: as near to KNOWN as can be. 0: then PSS would be another.
 */
uint64_t degree_sharers(
	uint64_t rss, uint64_t pss, const struct degree_outside *outside, uint32_t known);

/*
 * What the PSS of RSS bytes that are all shared becomes, PSS having been measured (at most half of
 * RSS). Those born got all pages of those they were forked from, those dead had any. What was
 * written to moves the middle alone: see degree_written().
 */
void degree_forked(
	uint64_t rss, uint64_t pss, const struct degree_change *c, struct degree_span *ret);

/*
 * The same for pages of files, which a fork does not copy: those born may have come to map them, but
 * nothing says so, and the middle is without them. Others than the members may map them too.
 */
void degree_mapped(
	uint64_t rss, uint64_t pss, const struct degree_change *c, struct degree_span *ret);

/*
 * How far the PSS of RSS bytes that are all shared may fall and rise where others have let go of
 * LOST bytes and touched GAINED: pages that a few times fewer share than by the mean.
 */
void degree_stirred(uint64_t rss, uint64_t pss, uint64_t lost, uint64_t gained, uint64_t *ret_down,
	uint64_t *ret_up);

/*
 * How much the PSS of RSS bytes that are all shared, with some of MEMBERS, may rise where the
 * others have written to BYTES in all, and have copies of their own of these.
 */
uint64_t degree_written(uint64_t rss, uint64_t pss, uint32_t members, uint64_t bytes);

/*
 * The correction for others' middles: PSS of RSS was found, where GUESSED_PSS of GUESSED_RSS was
 * guessed.
 */
uint32_t degree_correction(uint64_t guessed_rss, uint64_t guessed_pss, uint64_t rss, uint64_t pss);

/* Applies it; the bounds widen to hold the new middle and as much again as a quarter of the step. */
void degree_correct(struct degree_span *s, uint32_t correction, uint64_t rss);

#endif
