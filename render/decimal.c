/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "render/decimal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/number.h"

enum {
	/* Every decimal of 15 digits survives a double, every double survives 17. */
	REAL_DIGITS_LEAST = 15,
	REAL_DIGITS_MOST = 17,
	REAL_TEXT_SIZE = 32,
};

#define REAL_WHOLE_MAX 9007199254740992.0 /* 2^53: below it every whole number has a double */

void decimal_add_seconds(struct buffer *to, uint64_t ns)
{
	uint64_t fraction = ns % NS_PER_SEC;
	char digits[10] = ".000000000", number[NUMBER_U64_DIGITS];
	size_t len, end = sizeof(digits);

	buffer_add_u64(to, ns / NS_PER_SEC);
	if (!fraction)
		return;
	len = number_format_u64(fraction, number);
	for (size_t i = 0; i < len; i++)
		digits[sizeof(digits) - len + i] = number[i];
	while (digits[end - 1] == '0')
		end--;
	buffer_add(to, digits, end);
}

void decimal_add_real(struct buffer *to, double value)
{
	char text[REAL_TEXT_SIZE];

	if (value >= 0 && value < REAL_WHOLE_MAX && trunc(value) == value) {
		buffer_add_u64(to, (uint64_t)value);
		return;
	}
	for (int digits = REAL_DIGITS_LEAST; digits <= REAL_DIGITS_MOST; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (digits == REAL_DIGITS_MOST || strtod(text, NULL) == value)
			break;
	}
	buffer_add_text(to, text);
}

void decimal_add_quantity(struct buffer *to, enum metric_kind kind, uint64_t bits)
{
	switch (kind) {
	case METRIC_INTEGER: buffer_add_u64(to, bits); break;
	case METRIC_NANOSECONDS: decimal_add_seconds(to, bits); break;
	case METRIC_REAL:
	case METRIC_SIGNED_REAL: decimal_add_real(to, metric_real(bits)); break;
	case METRIC_SIGNED:
		if (bits > INT64_MAX)
			buffer_add_char(to, '-');
		buffer_add_u64(to, bits > INT64_MAX ? -bits : bits);
		break;
	}
}
