/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Share Counts
 *
 * The share count *m* of a page is the number of processes that map it; the page counts 1/m in the
 * PSS of each. Of a process only the mean of 1/m is known (shared PSS / shared RSS), and of births
 * and exits only the number. This module computes the mean after births and exits, and the bounds
 * of what it may become. The bounds are narrow if all members share all pages, as after a fork.
 * Pure; amounts are in bytes.
 */
#ifndef MEMTALLY_COLLECTORS_MODEL_SHARE_COUNT_H
#define MEMTALLY_COLLECTORS_MODEL_SHARE_COUNT_H

#include <stdint.h>

/* Births and exits among the known sharers of a process since its measurement. */
struct share_count_change {
	uint32_t members; /* sharers at the measurement, the process itself included: at least 1 */
	uint32_t dead;    /* of .members, exited since: fewer than .members */
	uint32_t unsure;  /* of .dead, those that may have exited before the measurement */
	uint32_t born;    /* forked since the measurement */
	uint32_t early;   /* of .born, those that may have been there at the measurement */
	uint32_t own;     /* of .born, descendants of the process itself */
	/* of .born - .own, those that may be descendants of the process, because their parents are
	 * not known */
	uint32_t strays;
	/* copy-on-write breaks by the other sharers: SHARE_COUNT_ONE for each that has copied all that
	 * it shared */
	uint32_t parted;
};

enum { SHARE_COUNT_ONE = 1 << 16 };

/* A PSS with its bounds, in bytes: low <= mid <= high. */
struct share_count_span {
	uint64_t low, mid, high;
};

/*
 * Unit of a correction: found mean / guessed mean, times 65536. SHARE_COUNT_AS_GUESSED means no
 * correction.
 */
enum { SHARE_COUNT_AS_GUESSED = 1 << 16 };

/* Returns by how many the sharers at the measurement may have been more or fewer than .members. */
static inline uint64_t share_count_slack(const struct share_count_change *c)
{
	return c->unsure + (uint64_t)c->early;
}

/* Memory that the family may share with other processes. */
struct share_count_outside {
	uint64_t bytes;  /* upper bound, bytes; 0: there is none */
	uint64_t others; /* upper bound of the number of the other processes, at least 1 */
};

/*
 * Returns the number of sharers that is closest to KNOWN and explains the measured PSS of RSS
 * shared bytes, if all sharers map all of them and OUTSIDE may map some, too. Returns 0 if no
 * number explains it.
 */
uint64_t share_count_sharers(
	uint64_t rss, uint64_t pss, const struct share_count_outside *outside, uint32_t known);

/*
 * Computes in *RET the PSS of RSS bytes of shared anonymous memory after C. PSS was measured; it is
 * at most RSS / 2. Processes that were born got all pages of their parents; those that exited may
 * have mapped any. Copy-on-write breaks (.parted) move only the middle; for their bound see
 * share_count_written().
 */
void share_count_forked(uint64_t rss, uint64_t pss, const struct share_count_change *c,
	struct share_count_span *ret);

/*
 * Computes in *RET the PSS of RSS bytes of file pages after C. PSS was measured; it is at most RSS
 * / 2. A fork does not map these pages in the child: processes that were born may have come to map
 * them, but nothing shows it, so the middle is without them. Processes outside of the family may
 * map the pages, too.
 */
void share_count_mapped(uint64_t rss, uint64_t pss, const struct share_count_change *c,
	struct share_count_span *ret);

/*
 * Computes in *RET_DOWN and *RET_UP by how much the PSS of RSS shared bytes may fall and rise
 * (bytes) if other sharers have released LOST bytes and touched GAINED bytes of them. It assumes
 * that the share count of these pages is half of the mean, at least 2.
 */
void share_count_stirred(uint64_t rss, uint64_t pss, uint64_t lost, uint64_t gained,
	uint64_t *ret_down, uint64_t *ret_up);

/*
 * Returns by how many bytes the PSS of RSS bytes, shared with some of MEMBERS, may rise if other
 * members have made private copies of BYTES in all.
 */
uint64_t share_count_written(uint64_t rss, uint64_t pss, uint32_t members, uint64_t bytes);

/*
 * Returns the correction of other members' guesses: PSS / RSS was measured where GUESSED_PSS /
 * GUESSED_RSS was guessed; SHARE_COUNT_AS_GUESSED if nothing follows.
 */
uint32_t share_count_correction(
	uint64_t guessed_rss, uint64_t guessed_pss, uint64_t rss, uint64_t pss);

/*
 * Multiplies the middle of *S by CORRECTION, up to RSS. The bounds widen to contain the new
 * middle.
 */
void share_count_correct(struct share_count_span *s, uint32_t correction, uint64_t rss);

#endif
