/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of web/own/fixed-width.h: texts with numbers and a constant length. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "web/own/fixed-width.h"

static size_t length_of(uint64_t integer, uint64_t ns)
{
	AUTO_BUFFER struct buffer b = {0};
	struct fixed_width s = {.to = &b};

	fixed_width_add_u64(&s, integer);
	buffer_add_char(&b, '/');
	fixed_width_add_seconds(&s, ns);
	fixed_width_settle(&s);
	assert_int_equal(s.slack, 0);
	assert_int_equal(b.error, 0);
	return b.len;
}

static void keeps_its_length(void **state)
{
	static const uint64_t values[] = {
		0, 9, 10, 123456789, UINT64_C(999999999999), UINT64_C(9999999999999999999) / 10000};
	size_t len = length_of(0, 0);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		assert_int_equal(length_of(values[i], values[i]), len);
	assert_int_equal(length_of(1, 1), len); /* 0.000000001 */
}

static void blanks_follow_the_numbers(void **state)
{
	AUTO_BUFFER struct buffer b = {0};
	struct fixed_width s = {.to = &b};

	(void)state;
	fixed_width_add_u64(&s, 42);
	assert_int_equal(b.len, 2);
	assert_memory_equal(b.data, "42", 2);
	fixed_width_settle(&s);
	assert_int_equal(b.data[b.len - 1], ' ');
}

/* A larger number than any host has makes the text longer, not wrong. */
static void cuts_no_number(void **state)
{
	AUTO_BUFFER struct buffer b = {0};
	struct fixed_width s = {.to = &b};

	(void)state;
	fixed_width_add_u64(&s, UINT64_MAX);
	assert_int_equal(b.len, 20);
	assert_int_equal(s.slack, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_its_length),
		cmocka_unit_test(blanks_follow_the_numbers),
		cmocka_unit_test(cuts_no_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
