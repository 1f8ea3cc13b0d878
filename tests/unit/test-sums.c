/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include "snapshot/sums.h"

static struct snapshot_process make(uint64_t *seed)
{
	static const uint8_t outcomes[] = {OUTCOME_MEASURED, OUTCOME_MEASURED, OUTCOME_DENIED,
		OUTCOME_CHANGING, OUTCOME_SHARED_MM};
	struct snapshot_process row = {.outcome = outcomes[unit_random(seed) % 5]};

	row.present = unit_random(seed) & ((UINT64_C(1) << PROCESS_QUANTITIES) - 1);
	for (unsigned int i = 0; i < PROCESS_QUANTITIES; i++)
		row.q[i] = unit_random(seed) % (1 << 30);
	if (row.outcome == OUTCOME_SHARED_MM)
		row.present = 0;
	return row;
}

/* However members are divided, the parts merge to the sum of the whole. */
static void parts_merge_to_the_whole(void **state)
{
	uint64_t seed = 11;

	(void)state;
	for (unsigned int round = 0; round < 300; round++) {
		struct sums whole = {0}, part[3] = {{0}}, merged = {0};
		unsigned int members = (unsigned int)unit_random(&seed) % 12;

		for (unsigned int i = 0; i < members; i++) {
			struct snapshot_process row = make(&seed);

			sums_add(&whole, &row);
			sums_add(&part[unit_random(&seed) % 3], &row);
		}
		for (unsigned int i = 0; i < 3; i++) {
			sums_end(
				&part[i]); /* where it has no members, its zeros are nobody's readings */
			sums_merge(&merged, &part[i]);
		}
		sums_end(&whole);
		sums_end(&merged);
		assert_int_equal(merged.present, whole.present);
		for (unsigned int i = 0; i < SCOPE_QUANTITIES; i++)
			if (ROW_HAS(&whole, i))
				assert_int_equal(merged.q[i], whole.q[i]);
	}
}

static void nothing_is_zero_but_has_no_largest(void **state)
{
	struct sums s = {0};

	(void)state;
	sums_end(&s);
	for (unsigned int i = SCOPE_PSS; i <= SCOPE_UNMEASURED_ERROR; i++) {
		assert_true(ROW_HAS(&s, i));
		assert_int_equal(s.q[i], 0);
	}
	assert_false(ROW_HAS(&s, SCOPE_VM_HWM_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_merge_to_the_whole),
		cmocka_unit_test(nothing_is_zero_but_has_no_largest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
