/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include "base/number.h"

/* Fuzzes the parsers of numbers and durations. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	char digits[NUMBER_U64_DIGITS];
	uint64_t scanned = 0, parsed = 0;
	int n = number_scan_u64(text, size, &scanned);

	if (number_parse_u64(text, size, &parsed) == 0)
		fuzz_check((size_t)n == size && parsed == scanned);
	else
		fuzz_check(n <= 0 || (size_t)n < size);
	if (n > 0) { /* written again, it is the same except for leading zeros */
		size_t len = number_format_u64(scanned, digits);

		fuzz_check(len <= (size_t)n && !memcmp(digits, text + n - len, len));
	}
	n = number_scan_hex(text, size, &scanned);
	fuzz_check(n <= 0 || (size_t)n <= size);
	if (number_parse_duration(text, size, &parsed) == 0)
		fuzz_check(size && text[0] >= '0' && text[0] <= '9');
	return 0;
}
