/* SPDX-License-Identifier: Apache-2.0 */
/* Amounts of memory, times and percentages for people. Pure. */
#ifndef MEMTALLY_RENDER_HUMAN_H
#define MEMTALLY_RENDER_HUMAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

/*
 * Appends BYTES with one decimal, in the largest unit (KiB to EiB) of which it is at least one;
 * rounded to nearest, so that 1023.96 KiB is "1.0 MiB".
 */
void human_add_bytes(struct buffer *to, uint64_t bytes);

/* Returns whether human_add_bytes() shows both amounts in the same way. */
bool human_is_alike(uint64_t a_bytes, uint64_t b_bytes);

/*
 * Appends both amounts with WORD between them; the unit stands once if it is the same: "2.3 and 6.8
 * GiB", "345.0 MiB to 2.7 GiB".
 */
void human_add_range(struct buffer *to, uint64_t low_bytes, const char *word, uint64_t high_bytes);

/*
 * Appends NS in whole seconds, minutes and hours: "3 s", "2 min 5 s", "3 h 7 min"; "0 s" below a
 * second.
 */
void human_add_age(struct buffer *to, uint64_t ns);

/*
 * Appends NS in milliseconds below a second, else in seconds, with one decimal below 10 unless it
 * is 0; from a minute on as human_add_age().
 */
void human_add_span(struct buffer *to, uint64_t ns);

/*
 * Returns whether human_add_span() shows both spans in the same way. Also returns true if there is
 * no memory for either text.
 */
bool human_is_span_alike(uint64_t a_ns, uint64_t b_ns);

/*
 * Appends PART (finite, 0 or more) in percent: two significant digits, whole numbers from 10 % on.
 * An amount close to none or to all is not shown as such: "under 0.001 %", at most "99.9 %".
 */
void human_add_percent(struct buffer *to, double part);

/*
 * Appends PART in percent as human_add_percent(), but rounds up the last digit: a need is never
 * shown too low.
 */
void human_add_percent_up(struct buffer *to, double part);

#endif
