/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Amounts of memory and spans of time for people. Pure.
 */
#ifndef MEMTALLY_RENDER_HUMAN_H
#define MEMTALLY_RENDER_HUMAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

/*
 * BYTES with one decimal in the largest of KiB, MiB ... EiB of which there is at least one; rounded to
 * nearest, so that 1023.96 KiB is "1.0 MiB".
 */
void human_add_bytes(struct buffer *to, uint64_t bytes);

/* Whether the two are shown alike. */
bool human_is_alike(uint64_t a_bytes, uint64_t b_bytes);

/* Both with WORD between them and the unit once where it is the same: "2.3 and 6.8 GiB", "345.0 MiB to 2.7 GiB". */
void human_add_range(struct buffer *to, uint64_t low_bytes, const char *word, uint64_t high_bytes);

/* NS in whole seconds, minutes and hours: "3 s", "2 min 5 s", "3 h 7 min"; below a second "0 s". */
void human_add_age(struct buffer *to, uint64_t ns);

/*
 * NS in milliseconds below a second, else in seconds, with a decimal below ten that is not 0; from
 * a minute on as an age.
 */
void human_add_span(struct buffer *to, uint64_t ns);

/* Whether two spans are shown alike; what there is no memory for is, too. */
bool human_is_span_alike(uint64_t a_ns, uint64_t b_ns);

/*
 * PART of 1 in percent: with two digits that count, in whole numbers from 10 % on. What is nearly, but not, all or
 * nothing is not shown as if it were. Finite and not negative.
 */
void human_add_percent(struct buffer *to, double part);

/* The same, rounded up in the last digit that is shown: what is needed is never shown as less. */
void human_add_percent_up(struct buffer *to, double part);

#endif
