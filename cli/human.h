/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Amounts of memory and spans of time for people. Pure.
 */
#ifndef MEMTALLY_CLI_HUMAN_H
#define MEMTALLY_CLI_HUMAN_H

#include <stdint.h>

#include "base/buffer.h"

/*
 * BYTES with one decimal in the largest of KiB, MiB ... EiB of which there is at least one; rounded to
 * nearest, so that 1023.96 KiB is "1.0 MiB".
 */
void human_add_bytes(struct buffer *to, uint64_t bytes);

/* NS in whole seconds, minutes and hours: "3 s", "2 min 5 s", "3 h 7 min"; below a second "0 s". */
void human_add_age(struct buffer *to, uint64_t ns);

/* NS in milliseconds below a second, else in seconds, with a decimal below ten; from a minute on as an age. */
void human_add_span(struct buffer *to, uint64_t ns);

/*
 * PART of 1 in percent: with two digits that count, in whole numbers from 10 % on. What is nearly, but not, all or
 * nothing is not shown as if it were. Finite and not negative.
 */
void human_add_percent(struct buffer *to, double part);

#endif
