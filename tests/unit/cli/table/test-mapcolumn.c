/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/table/mapcolumn.h: the columns of `memtally map`. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "cli/table/mapcolumn.h"

/* Field I has 2^I bytes, so each sum shows which fields it has. */
static void columns_are_sums_of_fields(void **state)
{
	static const uint64_t sums[MAPCOLUMNS] = {
		[MAPCOLUMN_SIZE] = UINT64_C(1) << MAPPING_SIZE,
		[MAPCOLUMN_RSS] = UINT64_C(1) << MAPPING_RSS,
		[MAPCOLUMN_PSS] = UINT64_C(1) << MAPPING_PSS,
		[MAPCOLUMN_SHARED] = UINT64_C(1) << MAPPING_SHARED_CLEAN |
	                             UINT64_C(1) << MAPPING_SHARED_DIRTY,
		[MAPCOLUMN_PRIVATE] = UINT64_C(1) << MAPPING_PRIVATE_CLEAN |
	                              UINT64_C(1) << MAPPING_PRIVATE_DIRTY,
		[MAPCOLUMN_DIRTY] = UINT64_C(1) << MAPPING_SHARED_DIRTY |
	                            UINT64_C(1) << MAPPING_PRIVATE_DIRTY,
		[MAPCOLUMN_SWAP] = UINT64_C(1) << MAPPING_SWAP,
		[MAPCOLUMN_HUGE] = UINT64_C(1) << MAPPING_ANON_HUGE_PAGES |
	                           UINT64_C(1) << MAPPING_SHMEM_PMD_MAPPED |
	                           UINT64_C(1) << MAPPING_FILE_PMD_MAPPED |
	                           UINT64_C(1) << MAPPING_SHARED_HUGETLB |
	                           UINT64_C(1) << MAPPING_PRIVATE_HUGETLB,
	};
	uint64_t q[MAPPING_FIELDS], sum;

	(void)state;
	for (unsigned int i = 0; i < MAPPING_FIELDS; i++)
		q[i] = UINT64_C(1) << i;
	for (unsigned int i = 0; i < MAPCOLUMNS; i++) {
		assert_true(mapcolumn_sum(q, UINT64_MAX, (enum mapcolumn)i, &sum));
		assert_int_equal(sum, sums[i]);
		/*
		 * A column without any of its fields is absent. Older kernels print fewer kinds of
		 * huge pages.
		 */
		for (unsigned int field = 0; field < MAPPING_FIELDS; field++)
			assert_int_equal(
				mapcolumn_sum(q, ~(UINT64_C(1) << field), (enum mapcolumn)i, &sum),
				i == MAPCOLUMN_HUGE ? field != MAPPING_ANON_HUGE_PAGES
						    : !(sums[i] >> field & 1));
	}
	assert_string_equal(mapcolumn_head(MAPCOLUMN_SIZE), "SIZE");
	assert_string_equal(mapcolumn_head(MAPCOLUMN_HUGE), "HUGE");
}

/* Columns of changes are the same sums, and may be negative. */
static void sums_may_be_negative(void **state)
{
	const int64_t q[MAPPING_FIELDS] = {
		[MAPPING_SHARED_CLEAN] = -4096, [MAPPING_SHARED_DIRTY] = 1024};
	uint64_t sum;

	(void)state;
	assert_true(mapcolumn_sum((const uint64_t *)q, UINT64_MAX, MAPCOLUMN_SHARED, &sum));
	assert_int_equal((int64_t)sum, -3072);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_sums_of_fields),
		cmocka_unit_test(sums_may_be_negative),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
