/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words of `memtally why`: times, spans, owners and processes as its page names them. Pure, except
 * for TZ and LC_CTYPE, which says which characters of names can be printed.
 */
#ifndef MEMTALLY_CLI_WHY_WHY_WORDS_H
#define MEMTALLY_CLI_WHY_WHY_WORDS_H

#include <stdint.h>

#include "base/buffer.h"
#include "cli/why/facts/cause.h"
#include "cli/why/facts/growers.h"

/*
 * Appends AT_NS, nanoseconds since the epoch, in local time: "03:12:46", or with the date if it is
 * another day than that of NOW_NS: "2026-11-27 03:12:46".
 */
void why_words_add_time(struct buffer *to, uint64_t at_ns, uint64_t now_ns);

/* Appends NS in one unit, rounded to nearest: "1 second", "90 seconds", "8 minutes", "3 hours". */
void why_words_add_span(struct buffer *to, uint64_t ns);

/*
 * Appends the name of the owner at P: "nginx.service", "app.service of alice", "container
 * 0123456789ab", "user alice", "uid 1003".
 */
void why_words_add_place(struct buffer *to, const struct cause_place *p);

/* Appends the program and the user of ROW, a process of VIEW: "python3 of alice". */
void why_words_add_program(
	struct buffer *to, const struct view *view, const struct snapshot_process *row);

#endif
