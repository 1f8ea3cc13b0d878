/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Carries one measurement of a process forward: what its PSS is now, given what the walk found, what
 * the cheap counters said then and say now, and what events elsewhere may have changed meanwhile. An
 * estimate has a middle and two bounds. It assumes only what was sensed: what moves no counter and is
 * no event (docs/accounting.md names it) is pool.h's to notice. Pure; integers; everything in bytes.
 *
 * For any input whatever: low <= pss <= high <= now.anon + now.file + base.unseen, the three parts add up
 * to pss, uss <= pss, swap_pss <= now.swap, and where nothing is resident any more all are 0.
 */
#ifndef MEMTALLY_COLLECTORS_ESTIMATE_H
#define MEMTALLY_COLLECTORS_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

/* In place of a .uss or .swap_pss that the kernel did not print; the estimate's is then unknown too. */
#define ESTIMATE_UNKNOWN UINT64_MAX

/* What a walk found, and what the counters said at that moment. */
struct estimate_base {
	uint64_t anon,
		file; /* resident: RssAnon, RssFile + RssShmem (statm: resident - shared, shared) */
	/* They add up to the PSS that the kernel printed. Before Linux 5.3 it does not print the parts, and in smaps it
	 * never does, but there the mappings may tell (parts.h); else the whole PSS is in pss_file, and has_parts is
	 * false. */
	uint64_t pss_anon, pss_file, pss_shmem;
	uint64_t uss;
	uint64_t swap, swap_pss; /* VmSwap, SwapPss: both without swapped shmem */
	/* How much more the walk found resident than the counters said: kernels may count late, by up to
	 * 64 pages a thread before Linux 6.2. Else small processes would lose some of their PSS. */
	uint64_t unseen;
	/* Bytes by which the true PSS may lie above what was printed; see estimate_rounding(). */
	uint32_t rounding : 31;
	bool has_parts : 1;
	uint32_t shmem_kib; /* of .file, as far as is known */
};

/* What the counters say now. A .swap that was read earlier is good while .anon has not moved since. */
struct estimate_now {
	uint64_t anon, file, swap;
	uint64_t shmem; /* of .file, as far as is known: it may be more */
};

/*
 * What events since the measurement may have changed without moving the process's own counters, from
 * kin.h (births, exits) and pool.h (drift of the host's sums). They add up. They are of the memory as it was
 * measured: when some of that goes, that part of the doubt goes with it.
 */
struct estimate_doubt {
	int64_t anon_mid, file_mid;  /* the best guess, added to the figure that is carried */
	uint64_t anon_down, anon_up; /* how far below and above that the truth may lie */
	uint64_t file_down, file_up;
	/* Forks of its own since, whose children are surely there; they have all of its anonymous memory, so
	 * that none of it is private. Of what it has grown by they have as much as there was at the last. */
	uint64_t forks, forked_growth;
	uint64_t
		file_told; /* of what files have grown by: the bounds above hold what that may be */
};

struct estimate {
	uint64_t pss_anon, pss_file,
		pss_shmem; /* of a base without parts: guessed ones, pss_shmem 0 */
	uint64_t pss, low, high;
	uint64_t uss, swap_pss; /* ESTIMATE_UNKNOWN where the base's is */
};

/*
 * Makes a base of a sample's quantities (by enum process_quantity) and of the counters ANON and FILE
 * as they were then: the caller says whether they are status's or statm's, so that later ones compare.
 * False, and *RET untouched: the sample has no PSS.
 */
bool estimate_base_take(uint64_t present, const uint64_t *q, uint64_t anon, uint64_t file,
	struct estimate_base *ret);

/* BYTES as a base holds them: at most 2 GiB, which two million mappings do not reach. */
uint32_t estimate_rounding(uint64_t bytes);

/*
 * Whether the counters NOW tell what they told at BASE. Files that came or went for as much of shared memory show in none
 * of their sums, but here.
 */
bool estimate_is_quiet(const struct estimate_base *base, const struct estimate_now *now);

/*
 * The rules, each for what the counters can tell:
 * - nothing moved: mid and low are what was measured, high is .rounding more;
 * - anon grown: private, since only a fork shares it, and a fork is an event. What came back from
 *   swap is as shared as SwapPss said;
 * - anon shrunk: what is gone was between wholly private and wholly shared; by the middle, freed
 *   pages were private first, those that went to swap like the rest;
 * - file (and shmem) grown: between shared by very many and private; by the middle, like the rest;
 * - file shrunk: between private and shared by very many; by the middle, like the rest.
 */
void estimate_carry(const struct estimate_base *base, const struct estimate_now *now,
	const struct estimate_doubt *doubt, struct estimate *ret);

/* Adds D to *TO; saturates. */
void estimate_doubt_add(struct estimate_doubt *to, const struct estimate_doubt *d);

/* One part of a base: what of it is surely, and at most, nobody else's, and the best guess. */
struct estimate_part {
	uint64_t rss, pss; /* pss <= rss */
	uint64_t private_min, private_mid, private_max;
};

/*
 * The parts of a base, guessed where it has none. That private pages are so many follows from this: a
 * shared page counts at most half, so that at least 2 PSS - RSS is private; and together they are the USS.
 */
void estimate_parts(const struct estimate_base *base, struct estimate_part *ret_anon,
	struct estimate_part *ret_file);

#endif
