/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The findings of `memtally why` as JSON: docs/why.md has its members. Pure, except for TZ and
 * LC_CTYPE of its "summary".
 */
#ifndef MEMTALLY_CLI_WHY_WHY_JSON_H
#define MEMTALLY_CLI_WHY_WHY_JSON_H

#include <jansson.h>
#include <stdint.h>

#include "cli/why/facts/findings.h"

/*
 * Returns the object of F, which the caller releases; NULL if there is no memory. NOW_NS is the
 * current CLOCK_REALTIME. Times are in UTC (RFC 3339), but for the local ones of "summary".
 */
json_t *why_json_make(const struct findings *f, uint64_t now_ns);

#endif
