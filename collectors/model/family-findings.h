/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conclusions from the measurement of one member of a fork family: corrections for other members,
 * and unlisted sharers (unlisted-sharers.h). Used only by the files of fork-families.h.
 */
#ifndef MEMTALLY_COLLECTORS_MODEL_FAMILY_FINDINGS_H
#define MEMTALLY_COLLECTORS_MODEL_FAMILY_FINDINGS_H

#include "collectors/model/fork-families.h"

/*
 * Call before M's counts are set to its measurement at NOW_NS. Compares the measurement FOUND with
 * the guess from the former base BEFORE; the difference corrects the guesses for members with the
 * same events. There is no correction if no births or exits happened, if any of those born are M's
 * own children, if M shares too little, or if FOUND implies sharers that will soon be gone: the
 * correction would outlast them.
 */
void family_findings_tell(struct families *k, struct family_member *m,
	const struct estimate_base *before, const struct estimate_base *found, uint64_t now_ns);

/*
 * Call after M's counts are set. Notes in M and its family which unlisted sharers the measurement
 * FOUND implies, and that M's PSS will change when exited ones have freed their memory. If M has no
 * family and some of these sharers are lasting, founds one. Returns 0, or -ENOMEM: then nothing is
 * noted.
 */
int family_findings_count(
	struct families *k, struct family_member *m, const struct estimate_base *found);

#endif
