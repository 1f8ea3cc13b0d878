/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fork Effect
 *
 * How births and exits since its measurement change the PSS of a member of a fork family. Its
 * counters do not show them. It takes the parts of the measurement (estimate.h) and the births and
 * exits of its sharers (share-count.h, counted by fork-families.h), and computes a doubt. Pure;
 * amounts are in bytes.
 */
#ifndef MEMTALLY_COLLECTORS_MODEL_FAMILY_FORK_EFFECT_H
#define MEMTALLY_COLLECTORS_MODEL_FAMILY_FORK_EFFECT_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/model/estimate.h"
#include "collectors/model/share-count.h"

/* Events since a member's measurement, and what is known about its sharing. */
struct fork_effect {
	struct share_count_change family;
	/* corrections (share-count.h) of guesses for memory that the family shares */
	uint32_t anon, file;
	/* Bytes of shared memory that a newborn of this family is expected to copy before it is
	 * first seen. */
	uint64_t soon_written;
	/* sharers outside of the family, of memory that all of the family shares */
	struct share_count_outside outside;
	/* of shared mapped objects, which object-share.h follows */
	uint64_t known_rss, known_pss;
};

/* Returns true if there were births or exits in the family. */
static inline bool fork_effect_has_family(const struct fork_effect *e)
{
	return e->family.dead || e->family.born;
}

/* Returns true if there were births, exits, or copy-on-write breaks by other members. */
static inline bool fork_effect_is_any(const struct fork_effect *e)
{
	return fork_effect_has_family(e) || e->family.parted;
}

/*
 * Computes in *RET the doubt of events E for a process with the measurement BASE. NOW are its
 * counters at the time of the events.
 */
void fork_effect_doubt(const struct fork_effect *e, const struct estimate_base *base,
	const struct estimate_now *now, struct estimate_doubt *ret);

/*
 * Compares the guess for E, without corrections, with a new measurement. BEFORE and FOUND are the
 * process's former and new measurement. *RET_ANON and *RET_FILE become the corrections
 * (share-count.h) of guesses for other members after the same events, SHARE_COUNT_AS_GUESSED where
 * there is none; they are written in any case.
 *
 * Anonymous memory says nothing if the process shared less than 256 KiB of it, may have unknown
 * children (.strays), or has lost more than an eighth of what it shared. Files say nothing if it
 * shared less than 256 KiB of them, has none now, maps known objects (.known_rss), or no event
 * affects its files. Returns true if either of the two says something.
 */
bool fork_effect_compare(const struct fork_effect *e, const struct estimate_base *before,
	const struct estimate_base *found, uint32_t *ret_anon, uint32_t *ret_file);

#endif
