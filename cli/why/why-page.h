/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page of `memtally why`, in plain words. Pure, except for TZ and LC_CTYPE, which says which
 * characters of names can be printed.
 */
#ifndef MEMTALLY_CLI_WHY_WHY_PAGE_H
#define MEMTALLY_CLI_WHY_WHY_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "cli/why/facts/findings.h"

/*
 * Appends the page of F to TO. NOW_NS is the current CLOCK_REALTIME: times of other days have their
 * date. Amounts are exact if IS_EXACT. Errors are those of TO.
 */
void why_page_add(const struct findings *f, uint64_t now_ns, bool is_exact, struct buffer *to);

#endif
