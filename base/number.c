/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "base/number.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

int number_scan_u64(const char *text, size_t len, uint64_t *ret)
{
	uint64_t value = 0;
	size_t i;

	for (i = 0; i < len && text[i] >= '0' && text[i] <= '9'; i++)
		if (__builtin_mul_overflow(value, 10, &value) ||
			__builtin_add_overflow(value, (uint64_t)(text[i] - '0'), &value))
			return -ERANGE;
	if (i)
		*ret = value;
	return (int)i;
}

/*
 * The value of each hexadecimal digit plus 1; 0: no digit. A table, because digits and letters in
 * addresses alternate at random and branches on them are mispredicted.
 */
static const unsigned char hex_digits[UCHAR_MAX + 1] = {
	['0'] = 1,
	['1'] = 2,
	['2'] = 3,
	['3'] = 4,
	['4'] = 5,
	['5'] = 6,
	['6'] = 7,
	['7'] = 8,
	['8'] = 9,
	['9'] = 10,
	['a'] = 11,
	['b'] = 12,
	['c'] = 13,
	['d'] = 14,
	['e'] = 15,
	['f'] = 16,
	['A'] = 11,
	['B'] = 12,
	['C'] = 13,
	['D'] = 14,
	['E'] = 15,
	['F'] = 16,
};

int number_scan_hex(const char *text, size_t len, uint64_t *ret)
{
	uint64_t value = 0;
	size_t i;

	for (i = 0; i < len; i++) {
		unsigned int digit = hex_digits[(unsigned char)text[i]];

		if (!digit)
			break;
		if (value >> 60)
			return -ERANGE;
		value = value << 4 | (digit - 1);
	}
	if (i)
		*ret = value;
	return (int)i;
}

int number_parse_u64(const char *text, size_t len, uint64_t *ret)
{
	uint64_t value;
	int n = number_scan_u64(text, len, &value);

	if (n < 0)
		return n;
	if (n == 0 || (size_t)n != len)
		return -EINVAL;
	*ret = value;
	return 0;
}

static const struct {
	const char *name;
	uint64_t ns;
} duration_units[] = {
	{"w", 7ULL * 86400 * 1000000000},
	{"d", 86400ULL * 1000000000},
	{"h", 3600ULL * 1000000000},
	{"m", 60ULL * 1000000000},
	{"s", 1000000000},
	{"ms", 1000000},
};

/* Returns the index of the unit at the beginning of TEXT, or -1 if there is none. */
static int duration_unit(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && text[n] >= 'a' && text[n] <= 'z')
		n++;
	for (size_t i = 0; i < sizeof(duration_units) / sizeof(duration_units[0]); i++)
		if (strlen(duration_units[i].name) == n && !memcmp(duration_units[i].name, text, n))
			return (int)i;
	return -1;
}

int number_parse_duration(const char *text, size_t len, uint64_t *ret)
{
	uint64_t total = 0;
	int last = -1;
	size_t at = 0;

	if (!len)
		return -EINVAL;
	while (at < len) {
		uint64_t value;
		int n = number_scan_u64(text + at, len - at, &value), unit;

		if (n < 0)
			return n;
		if (n == 0)
			return -EINVAL;
		at += (size_t)n;
		if (at == len && last < 0) {
			unit = 4;
		} else {
			unit = duration_unit(text + at, len - at);
			if (unit <= last)
				return -EINVAL;
			at += strlen(duration_units[unit].name);
		}
		if (__builtin_mul_overflow(value, duration_units[unit].ns, &value) ||
			__builtin_add_overflow(total, value, &total))
			return -ERANGE;
		last = unit;
	}
	*ret = total;
	return 0;
}

size_t number_format_u64(uint64_t value, char *to)
{
	char digits[NUMBER_U64_DIGITS];
	size_t n = 0;

	do {
		digits[n++] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	for (size_t i = 0; i < n; i++)
		to[i] = digits[n - 1 - i];
	return n;
}
