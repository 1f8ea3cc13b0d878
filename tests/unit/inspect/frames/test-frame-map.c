/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of inspect/frames/frame-map.h: sparse arrays of numbers. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "inspect/frames/frame-map.h"
#include "tests/unit/support/faults/allocation.h"

#define LAST ((UINT64_C(1) << FRAME_MAP_INDEX_BITS) - 1)

static void put(struct frame_map *s, uint64_t index, uint32_t value)
{
	uint32_t *number;

	assert_int_equal(frame_map_touch(s, index, &number), 0);
	assert_int_equal(*number, 0);
	*number = value;
}

static void keeps_numbers_at_any_index(void **state)
{
	static const uint64_t indices[] = {0, 1, 511, 512, 262143, 262144, 5000000, 1U << 30};
	AUTO_FRAME_MAP struct frame_map s = {0};

	(void)state;
	assert_null(frame_map_find(&s, 0));
	for (size_t i = 0; i < ARRAY_SIZE(indices); i++)
		put(&s, indices[i], (uint32_t)i + 1);
	for (size_t i = 0; i < ARRAY_SIZE(indices); i++) {
		uint32_t *number;

		assert_int_equal(*frame_map_find(&s, indices[i]), i + 1);
		assert_int_equal(frame_map_touch(&s, indices[i], &number), 0);
		assert_int_equal(*number, i + 1);
	}
	assert_int_equal(*frame_map_find(&s, 2), 0);
	assert_null(frame_map_find(&s, 1024));
	assert_null(frame_map_find(&s, UINT64_MAX));
}

static void indices_are_limited(void **state)
{
	AUTO_FRAME_MAP struct frame_map s = {0};
	uint32_t *number;

	(void)state;
	assert_int_equal(frame_map_touch(&s, LAST + 1, &number), -ERANGE);
	assert_int_equal(frame_map_touch(&s, UINT64_MAX, &number), -ERANGE);
	assert_int_equal(s.bytes, 0);
	put(&s, LAST, 7);
	assert_int_equal(*frame_map_find(&s, LAST), 7);
}

static void chunks_are_in_ascending_order(void **state)
{
	static const uint64_t indices[] = {700, 262144 * 6 + 9, 3, 262144 * 3 + 5, 1 << 20};
	static const uint64_t firsts[] = {0, 512, 262144 * 3, 1 << 20, 262144 * 6};
	AUTO_FRAME_MAP struct frame_map s = {0};
	uint64_t at = 0;

	(void)state;
	assert_null(frame_map_next(&s, &at));
	for (size_t i = 0; i < ARRAY_SIZE(indices); i++)
		put(&s, indices[i], 7);
	for (size_t i = 0; i < ARRAY_SIZE(firsts); i++, at += FRAME_MAP_CHUNK) {
		const uint32_t *chunk = frame_map_next(&s, &at);

		assert_non_null(chunk);
		assert_int_equal(at, firsts[i]);
		assert_ptr_equal(chunk, frame_map_find(&s, at));
	}
	assert_null(frame_map_next(&s, &at));
}

/* As the header promises: 1 MiB for 1 GiB of 4 KiB pages. */
static void one_gib_needs_one_mib(void **state)
{
	const uint64_t frames = (UINT64_C(1) << 30) / 4096;
	AUTO_FRAME_MAP struct frame_map s = {0};

	(void)state;
	for (uint64_t i = 0; i < frames; i += FRAME_MAP_CHUNK)
		put(&s, i, 1);
	assert_in_range(s.bytes, 1 << 20, (1 << 20) + (1 << 14));
}

/* A single number anywhere. The tables that lead to it count too. */
static void distant_number_needs_its_tables(void **state)
{
	const uint64_t far = 1 << 30,
		       way = far / FRAME_MAP_CHUNK / FRAME_MAP_CHUNK * sizeof(void *);
	AUTO_FRAME_MAP struct frame_map s = {0};

	(void)state;
	put(&s, far, 1);
	assert_in_range(s.bytes, way + FRAME_MAP_CHUNK * (sizeof(void *) + sizeof(uint32_t)),
		2 * way + FRAME_MAP_CHUNK * (sizeof(void *) + sizeof(uint32_t)));
}

static void is_unchanged_without_memory(void **state)
{
	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_FRAME_MAP struct frame_map s = {0};
		uint32_t *number;

		put(&s, 5, 5);
		allocation_fail_at(n);
		if (allocation_check(frame_map_touch(&s, 1 << 24, &number))) {
			assert_int_equal(*frame_map_find(&s, 5), 5);
			put(&s, 1 << 24, 6);
		}
	}
	assert_true(allocation_count() > 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_numbers_at_any_index),
		cmocka_unit_test(indices_are_limited),
		cmocka_unit_test(chunks_are_in_ascending_order),
		cmocka_unit_test(one_gib_needs_one_mib),
		cmocka_unit_test(distant_number_needs_its_tables),
		cmocka_unit_test(is_unchanged_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
