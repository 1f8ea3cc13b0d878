/* SPDX-License-Identifier: Apache-2.0 */
/* Tests brief amounts: units, rounding, and a width of five columns at most. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "cli/top/cells/brief.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * KIB)
#define GIB (MIB * KIB)

static void check(const struct buffer *b, const char *expected)
{
	assert_int_equal(b->error, 0);
	assert_int_equal(b->len, strlen(expected));
	assert_memory_equal(b->data, expected, b->len);
}

static void amounts_have_a_unit(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *expected;
	} cases[] = {
		{0, "0"},
		{1, "0K"},
		{511, "0K"},
		{512, "1K"},
		{812 * KIB, "812K"},
		{1023 * KIB, "1023K"},
		{1023 * KIB + 511, "1023K"},
		{1023 * KIB + 512, "1.0M"}, /* rounded, it is the next unit */
		{MIB, "1.0M"},
		{4 * MIB + MIB / 2, "4.5M"},
		{99 * MIB + 972 * KIB, "99.9M"},
		{99 * MIB + 973 * KIB, "100M"},
		{345 * MIB + 600 * KIB, "346M"},
		{1023 * MIB, "1023M"},
		{1024 * MIB - 1, "1.0G"},
		{12 * GIB + 300 * MIB, "12.3G"},
		{GIB * KIB, "1.0T"},
		{UINT64_MAX, "16.0E"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_BUFFER struct buffer b = {0};

		brief_add_bytes(&b, cases[i].bytes);
		check(&b, cases[i].expected);
	}
}

static void changes_have_a_sign(void **state)
{
	static const struct {
		int64_t bytes;
		const char *expected;
	} cases[] = {
		{0, "0"},
		{(int64_t)(4 * MIB), "+4.0M"},
		{-(int64_t)(812 * KIB), "-812K"},
		{-1, "-0K"},
		{INT64_MIN, "-8.0E"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_BUFFER struct buffer b = {0};

		brief_add_change(&b, cases[i].bytes);
		check(&b, cases[i].expected);
	}
}

static void no_amount_is_wider_than_five_columns(void **state)
{
	uint64_t random = 1;

	(void)state;
	for (unsigned int i = 0; i < unit_rounds(10000); i++) {
		AUTO_BUFFER struct buffer b = {0};

		brief_add_bytes(&b, unit_random(&random) >> (i % 64));
		assert_in_range(b.len, 1, 5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(amounts_have_a_unit),
		cmocka_unit_test(changes_have_a_sign),
		cmocka_unit_test(no_amount_is_wider_than_five_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
