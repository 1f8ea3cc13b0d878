/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What events since its measurement have made of one, as its family knows them; for the files of kin.h alone, which has
 * what others may call.
 */
#ifndef MEMTALLY_COLLECTORS_KIN_DOUBT_H
#define MEMTALLY_COLLECTORS_KIN_DOUBT_H

#include "collectors/aftermath.h"
#include "collectors/kin.h"

/* What happened to M, whose measurement is BASE, as of the last kin_affected(). */
struct aftermath kin_aftermath(const struct kin_member *m, const struct estimate_base *base);

/* Whether M was measured while it was at what newborns do. */
bool kin_is_newborn(const struct kin_member *m);

/* How many births and exits that are. */
uint64_t kin_events(const struct degree_change *c);

#endif
