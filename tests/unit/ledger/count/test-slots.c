/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of ledger/count/slots.h, the ledger's calendar. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"
#include "ledger/count/slots.h"

#define DAY  INT64_C(86400)
#define HOUR INT64_C(3600)
#define SPAN INT64_C(300)

static void larger_slots_are_multiples_of_smaller_ones(void **state)
{
	(void)state;
	for (unsigned int level = 1; level < SLOT_LEVELS; level++)
		assert_int_equal(slots_seconds((enum slot_level)level) %
					 slots_seconds((enum slot_level)(level - 1)),
			0);
	assert_int_equal(slots_of(SLOT_HOUR, 7199), 1);
	assert_int_equal(slots_begin(SLOT_HOUR, 7199), 3600);
}

/* For each level the parts of all slots add up to the whole. */
static void shares_add_up(void **state)
{
	uint64_t random = 7;

	(void)state;
	for (unsigned int i = 0; i < unit_rounds(2000); i++) {
		uint64_t from = (UINT64_C(1700000000) + unit_random(&random) % 1000000) *
		                        NS_PER_SEC +
		                unit_random(&random) % NS_PER_SEC;
		uint64_t to = from + 1 + unit_random(&random) % (200 * 3600 * NS_PER_SEC);
		enum slot_level level = (enum slot_level)(unit_random(&random) % SLOT_LEVELS);
		double sum = 0;

		for (int64_t slot = slots_of(level, (int64_t)(from / NS_PER_SEC));
			slot <= slots_of(level, (int64_t)(to / NS_PER_SEC)); slot++) {
			double share = slots_share(level, slot, from, to);

			assert_true(share >= 0 && share <= 1);
			sum += share;
		}
		assert_true(sum > 1 - 1e-9 && sum < 1 + 1e-9);
		assert_true(slots_share(level, slots_of(level, (int64_t)(from / NS_PER_SEC)) - 1,
				    from, to) == 0);
	}
}

static void long_gaps_are_written_in_larger_slots(void **state)
{
	uint64_t from = UINT64_C(1700000000) * NS_PER_SEC;

	(void)state;
	assert_int_equal(slots_level(from, from + 10 * NS_PER_SEC, 500), SLOT_BUCKET);
	assert_int_equal(slots_level(from, from + 6 * 3600 * NS_PER_SEC, 500), SLOT_BUCKET);
	assert_int_equal(slots_level(from, from + 7 * 3600 * NS_PER_SEC, 500), SLOT_HOUR);
	assert_int_equal(slots_level(from, from + 31 * 86400 * NS_PER_SEC, 500), SLOT_HOUR);
	assert_int_equal(slots_level(from, from + 32 * 86400 * NS_PER_SEC, 500), SLOT_DAY);
}

static void many_rows_are_written_in_larger_slots(void **state)
{
	uint64_t from = UINT64_C(1700000000) * NS_PER_SEC;

	(void)state;
	assert_int_equal(slots_level(from, from + 600 * NS_PER_SEC, 21500), SLOT_BUCKET);
	assert_int_equal(slots_level(from, from + 6 * 3600 * NS_PER_SEC, 6900), SLOT_BUCKET);
	assert_int_equal(slots_level(from, from + 6 * 3600 * NS_PER_SEC, 7000), SLOT_HOUR);
	assert_int_equal(slots_level(from, from + 6 * 3600 * NS_PER_SEC, 200000), SLOT_DAY);
	assert_int_equal(slots_level(from, from + 20 * 86400 * NS_PER_SEC, 1000), SLOT_HOUR);
	assert_int_equal(slots_level(from, from + 20 * 86400 * NS_PER_SEC, 1100), SLOT_DAY);
	assert_int_equal(slots_level(from, from + 400 * 86400 * NS_PER_SEC, 21500), SLOT_DAY);
}

static void boundaries_are_as_fine_as_the_kept_slots(void **state)
{
	const int64_t now = 100 * DAY + 1234;
	const struct slots_kept kept = {.from_s = {98 * DAY, 50 * DAY, 0}};
	static const struct {
		int64_t s, expected;
	} cases[] = {
		{99 * DAY + 601, 99 * DAY + 900},
		{99 * DAY + 600, 99 * DAY + 600},
		{98 * DAY, 98 * DAY},
		{98 * DAY - 1, 98 * DAY},
		{98 * DAY - 1801, 98 * DAY - HOUR},
		{60 * DAY + HOUR + 17, 60 * DAY + HOUR},
		{50 * DAY - 1, 50 * DAY},
		{50 * DAY - DAY / 2 - 1, 49 * DAY},
		{100 * DAY + 1200, 100 * DAY + 1200},
		{100 * DAY + 1201, 100 * DAY + 1500}, /* in the current slot */
		{100 * DAY + 1234, 100 * DAY + 1500}, /* now, and in the future */
		{200 * DAY, 100 * DAY + 1500},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(slots_boundary(cases[i].s, now, &kept), cases[i].expected);
	assert_int_equal(slots_boundary(100 * DAY, 100 * DAY, &kept), 100 * DAY);
}

static void nearest_boundary_to_now_includes_everything(void **state)
{
	const int64_t now = 100 * DAY + 4 * HOUR + 600;

	(void)state;
	assert_int_equal(slots_nearest(SLOT_HOUR, 99 * DAY + 1799, now), 99 * DAY);
	assert_int_equal(slots_nearest(SLOT_HOUR, 99 * DAY + 1800, now), 99 * DAY + HOUR);
	assert_int_equal(slots_nearest(SLOT_HOUR, now - 1, now), 100 * DAY + 4 * HOUR);
	assert_int_equal(slots_nearest(SLOT_HOUR, now, now), 100 * DAY + 5 * HOUR);
	assert_int_equal(slots_nearest(SLOT_DAY, now - 1, now), 100 * DAY);
	assert_int_equal(slots_nearest(SLOT_DAY, 200 * DAY, now), 101 * DAY);
	assert_int_equal(slots_nearest(SLOT_DAY, 100 * DAY, 100 * DAY), 100 * DAY);
}

static void check_split(int64_t from, int64_t to)
{
	struct slots_run run[SLOTS_RUNS_MAX];
	size_t count = slots_split(from, to, run);
	int64_t at = from;

	assert_true(count <= SLOTS_RUNS_MAX);
	for (size_t i = 0; i < count; i++) {
		int64_t seconds = slots_seconds(run[i].level);

		assert_true(run[i].first < run[i].end);
		assert_int_equal(run[i].first * seconds, at);
		at = run[i].end * seconds;
		/* No smaller slots than necessary. */
		if (run[i].level < SLOT_DAY)
			assert_true(run[i].end - run[i].first <
				    2 * (slots_seconds(run[i].level + 1) / seconds));
	}
	assert_int_equal(at, to);
}

static void times_are_split_without_gaps(void **state)
{
	struct slots_run run[SLOTS_RUNS_MAX];
	uint64_t random = 3;

	(void)state;
	assert_int_equal(slots_split(DAY, DAY, run), 0);
	assert_int_equal(slots_split(DAY, 3 * DAY, run), 1);
	assert_int_equal(run[0].level, SLOT_DAY);
	assert_int_equal(slots_split(DAY - SPAN - HOUR, 3 * DAY + HOUR + SPAN, run), 5);
	assert_int_equal(slots_split(10 * HOUR + SPAN, 10 * HOUR + 4 * SPAN, run), 1);
	assert_int_equal(run[0].level, SLOT_BUCKET);
	for (unsigned int i = 0; i < unit_rounds(20000); i++) {
		int64_t from = (int64_t)(unit_random(&random) % 5000) * SPAN;
		int64_t to = from + (int64_t)(unit_random(&random) % (i % 2 ? 5000 : 30)) * SPAN;

		check_split(from, to);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(larger_slots_are_multiples_of_smaller_ones),
		cmocka_unit_test(shares_add_up),
		cmocka_unit_test(long_gaps_are_written_in_larger_slots),
		cmocka_unit_test(many_rows_are_written_in_larger_slots),
		cmocka_unit_test(boundaries_are_as_fine_as_the_kept_slots),
		cmocka_unit_test(nearest_boundary_to_now_includes_everything),
		cmocka_unit_test(times_are_split_without_gaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
