/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers from text, whole or not at all: no sign, no leading or trailing blank, no silent overflow.
 * Kernel files, configuration, queries and flags all go through here.
 */
#ifndef MEMTALLY_BASE_NUMBER_H
#define MEMTALLY_BASE_NUMBER_H

#include <stddef.h>
#include <stdint.h>

enum { NUMBER_U64_DIGITS = 20 };

/* All LEN bytes must be decimal digits. -EINVAL: they are not; -ERANGE: above UINT64_MAX. */
int number_parse_u64(const char *text, size_t len, uint64_t *ret);

/* The decimal digits at TEXT: how many there are (0: none), the value in *ret. -ERANGE: too large. */
int number_scan_u64(const char *text, size_t len, uint64_t *ret);

/* The same for hexadecimal digits of either case. */
int number_scan_hex(const char *text, size_t len, uint64_t *ret);

/*
 * A time span as Prometheus writes it, into nanoseconds: one or several of NUMBER followed by ms, s,
 * m, h, d or w, the largest first ("1h30m"); a bare number is seconds. -EINVAL, -ERANGE.
 */
int number_parse_duration(const char *text, size_t len, uint64_t *ret);

/* Writes VALUE in decimal to TO, at most NUMBER_U64_DIGITS bytes, unterminated; returns how many. */
size_t number_format_u64(uint64_t value, char *to);

#endif
