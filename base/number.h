/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strict Number Parsing
 *
 * Reads unsigned numbers from text: no sign, no blanks, no silent overflow. Kernel files,
 * configuration, queries and options are all read with these functions. No text needs a terminator.
 */
#ifndef MEMTALLY_BASE_NUMBER_H
#define MEMTALLY_BASE_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/* The most decimal digits that a uint64_t has. */
enum { NUMBER_U64_DIGITS = 20 };

/*
 * Reads a number of which all LEN bytes are decimal digits into *RET. Returns 0; -EINVAL if LEN is
 * 0 or a byte is no digit; -ERANGE if the number is above UINT64_MAX.
 */
int number_parse_u64(const char *text, size_t len, uint64_t *ret);

/*
 * Reads the decimal digits at the beginning of TEXT into *RET. Returns how many digits there are; 0
 * if there are none, and *RET is unchanged; -ERANGE if the number is above UINT64_MAX.
 */
int number_scan_u64(const char *text, size_t len, uint64_t *ret);

/*
 * Reads the hexadecimal digits, in upper or lower case, at the beginning of TEXT into *RET. Returns
 * the same as number_scan_u64().
 */
int number_scan_hex(const char *text, size_t len, uint64_t *ret);

/*
 * Reads a time span in the format of Prometheus into *RET, in nanoseconds: one or more numbers,
 * each followed by w, d, h, m, s or ms, larger units first ("1h30m"). A number without a unit is
 * seconds, if it is the whole text. Returns 0; -EINVAL if the text is malformed or empty; -ERANGE
 * if it does not fit.
 */
int number_parse_duration(const char *text, size_t len, uint64_t *ret);

/*
 * Writes VALUE in decimal to TO, without a terminator. TO has room for NUMBER_U64_DIGITS bytes.
 * Returns how many bytes were written.
 */
size_t number_format_u64(uint64_t value, char *to);

#endif
