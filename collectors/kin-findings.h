/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the measurement of one of a family tells of the others, and of those whom no pass has listed. For the files of kin.h alone.
 */
#ifndef MEMTALLY_COLLECTORS_KIN_FINDINGS_H
#define MEMTALLY_COLLECTORS_KIN_FINDINGS_H

#include "collectors/kin.h"

/*
 * Before M's counts are of its measurement at NOW_NS: lets what was FOUND of it, where BEFORE was its base, correct those
 * with whom it shared the doubt. But where it was found to share with any who are gone soon: by that they would stay
 * corrected.
 */
void findings_tell(struct kin *k, struct kin_member *m, const struct estimate_base *before,
	const struct estimate_base *found, uint64_t now_ns);

/*
 * After that: M, FOUND so, is yet to lose those that have ended, and most likely others that nobody knows. -ENOMEM: nobody
 * will tell it.
 */
int findings_count(struct kin *k, struct kin_member *m, const struct estimate_base *found);

#endif
