/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first sentences of `memtally why`: what happened, where, and what grew before. Pure, except
 * for TZ and LC_CTYPE.
 */
#ifndef MEMTALLY_CLI_WHY_WHY_HEADLINE_H
#define MEMTALLY_CLI_WHY_WHY_HEADLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "cli/why/facts/findings.h"

/*
 * Appends the sentences, without a newline: "03:12:46 OOM kill in user@1003.service
 * (user-1003.slice). In the 8 minutes before, python3 of uid 1003 (PID 4711) grew by 41.2 GiB." The
 * other arguments are those of why_page_add().
 */
void why_headline_add(const struct findings *f, uint64_t now_ns, bool is_exact, struct buffer *to);

/* Appends BYTES for people, or exactly. */
void why_headline_add_bytes(struct buffer *to, uint64_t bytes, bool is_exact);

/* Appends the name of O with its slice, if that is not system.slice: "a.scope (user-1003.slice)". */
void why_headline_add_owner(struct buffer *to, const struct cause_owner *o);

/*
 * Appends the bounds of G in words, "1.0 to 2.0 GiB", "at most 2.0 GiB", or "not known". Returns false
 * and appends nothing if they look alike or are less than 1 % of the growth apart.
 */
bool why_headline_add_bounds(struct buffer *to, const struct trace_growth *g, bool is_exact);

#endif
