/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "recorder/archive/segment.h"

static void test_names(void **state)
{
	char first[SEGMENT_NAME_SIZE], second[SEGMENT_NAME_SIZE];
	unsigned int tier;
	uint64_t number;

	(void)state;
	segment_name(2, 9, first);
	assert_string_equal(first, "tier2-00000000000000000009.rec");
	segment_name(2, UINT64_MAX, second);
	assert_true(strcmp(first, second) < 0);
	assert_true(segment_parse_name(second, &tier, &number));
	assert_int_equal(tier, 2);
	assert_int_equal(number, UINT64_MAX);
}

static void test_other_names(void **state)
{
	static const char *const names[] = {"", ".", "tier2-9.rec",
		"tier2-0000000000000000000x.rec", "tier2-00000000000000000009.rex",
		"tier2-00000000000000000009.rec~", "tierx-00000000000000000009.rec",
		"tier2_00000000000000000009.rec", "tier2-99999999999999999999.rec",
		"\xff\xff\xff\xff\xff-00000000000000000009.rec"};
	unsigned int tier;
	uint64_t number;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_false(segment_parse_name(names[i], &tier, &number));
}

static void test_head(void **state)
{
	struct segment_head h = segment_head_make(1, 7, 60), other = h;

	(void)state;
	assert_int_equal(segment_head_check(&h), 0);
	other.major++;
	assert_int_equal(segment_head_check(&other), SEGMENT_NEWER);
	other = h;
	other.byte_order = __builtin_bswap32(h.byte_order);
	assert_int_equal(segment_head_check(&other), SEGMENT_NEWER);
	for (size_t i = 0; i < sizeof(h); i++) {
		other = h;
		((unsigned char *)&other)[i] ^= 1;
		assert_int_not_equal(segment_head_check(&other), 0);
	}
}

static void test_record(void **state)
{
	struct segment_record r = {.kind = SEGMENT_SNAPSHOT, .size = 9, .realtime_ns = 5};

	(void)state;
	assert_false(segment_record_is_valid(&r));
	segment_record_seal(&r);
	assert_true(segment_record_is_valid(&r));
	for (size_t i = 0; i < sizeof(r); i++) {
		struct segment_record other = r;

		((unsigned char *)&other)[i] ^= 0x80;
		assert_false(segment_record_is_valid(&other));
	}
	assert_int_equal(segment_record_bytes(r.size), sizeof(r) + 16);
	assert_int_equal(segment_record_bytes(0), sizeof(r));
	assert_int_equal(segment_record_bytes(UINT32_MAX), sizeof(r) + (UINT64_C(1) << 32));
}

/* Large tiers have large segments, since each question looks at all of them. */
static void test_wanted(void **state)
{
	(void)state;
	assert_int_equal(segment_bytes_wanted(0), 64 << 10);
	assert_int_equal(segment_bytes_wanted(UINT64_C(128) << 20), 4 << 20);
	assert_int_equal(segment_bytes_wanted(UINT64_C(1) << 30), 8 << 20);
	for (uint64_t bytes = UINT64_C(1) << 20; bytes < UINT64_C(1) << 50; bytes *= 2)
		assert_in_range(bytes / segment_bytes_wanted(bytes), 1, 1024);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wanted),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_other_names),
		cmocka_unit_test(test_head),
		cmocka_unit_test(test_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
