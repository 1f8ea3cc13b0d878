/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What births, exits and copy-on-write breaks since its measurement mean for one member of a fork
 * family. Used only by the files of fork-families.h; families_doubt() is the interface for others.
 */
#ifndef MEMTALLY_COLLECTORS_MODEL_FAMILY_EFFECT_H
#define MEMTALLY_COLLECTORS_MODEL_FAMILY_EFFECT_H

#include "collectors/model/fork-effect.h"
#include "collectors/model/fork-families.h"

/*
 * Returns the events since M's measurement BASE, as of the last families_affected(), with the
 * corrections that apply to M.
 */
struct fork_effect kin_aftermath(const struct family_member *m, const struct estimate_base *base);

/*
 * Returns true if M was forked from a known member and measured less than 250 ms after its birth:
 * it may still have been copying the pages that newborns copy.
 */
bool families_is_newborn(const struct family_member *m);

/* Returns the number of births and exits in C. */
uint64_t kin_events(const struct share_count_change *c);

#endif
