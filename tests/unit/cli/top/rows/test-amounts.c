/* SPDX-License-Identifier: Apache-2.0 */
/* Tests amounts: they add up as snapshot/sums.h adds up, and their doubts are those of notes. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "cli/top/rows/amounts.h"
#include "snapshot/sums.h"
#include "tests/unit/support/snapshot/sample.h"

#define MIB (UINT64_C(1) << 20)

/* The amounts of the sum of PROCESSES must be those of a row of sums. */
static void check_same(const struct amounts *a, const struct amounts *expected)
{
	assert_int_equal(a->present, expected->present);
	for (unsigned int i = 0; i < AMOUNTS; i++)
		if (a->present >> i & 1)
			assert_int_equal(a->q[i], expected->q[i]);
	assert_int_equal(a->is_unbounded, expected->is_unbounded);
	assert_int_equal(a->lacks_uss, expected->lacks_uss);
}

/* Sums of the processes of VIEW with a bit in MASK, computed in both ways, are the same. */
static void check_members(const struct view *view, uint64_t mask)
{
	struct amounts a, one, expected;
	struct sums sums = {0};

	amounts_begin(&a);
	for (uint32_t i = 0; i < view_count(view, METRIC_PROCESS); i++)
		if (mask >> i & 1) {
			sums_add(&sums, view_process(view, i));
			amounts_of_process(view_process(view, i), &one);
			amounts_add(&a, &one);
		}
	sums_end(&sums);
	sums_cap(&sums, view_host(view)->q[SCOPE_PSS_HIGH]);
	amounts_end(&a, view_host(view));
	amounts_of_sums(sums.present, sums.q, &expected);
	check_same(&a, &expected);
}

static void sums_are_those_of_the_snapshot(void **state)
{
	static const struct sample_options options[] = {
		{0}, {.is_estimated = true}, {.is_blocked = true}, {.is_measured = true}};
	uint64_t random = 5;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		AUTO_VIEW struct view *view = sample_open(&options[i]);

		check_members(view, UINT64_MAX);
		check_members(view, 0);
		for (uint32_t k = 0; k < SAMPLE_PROCESSES; k++)
			check_members(view, UINT64_C(1) << k);
		for (unsigned int k = 0; k < unit_rounds(1000); k++)
			check_members(view, unit_random(&random));
	}
}

/* Sums of sums are sums. */
static void parts_add_up(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	struct amounts whole, part, one;

	(void)state;
	for (uint32_t at = 0; at <= SAMPLE_PROCESSES; at++) {
		amounts_begin(&whole);
		for (uint32_t i = 0; i < SAMPLE_PROCESSES;) {
			amounts_begin(&part);
			for (uint32_t end = i < at ? at : SAMPLE_PROCESSES; i < end; i++) {
				amounts_of_process(view_process(view, i), &one);
				amounts_add(&part, &one);
			}
			amounts_end(&part, view_host(view));
			amounts_add(&whole, &part);
		}
		amounts_end(&whole, view_host(view));
		amounts_of_sums(view_host(view)->present, view_host(view)->q, &one);
		check_same(&whole, &one);
	}
}

static void absent_amounts_are_not_0(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	struct amounts a;
	uint64_t value;

	(void)state;
	amounts_of_process(view_find_process(view, 300), &a); /* denied, with an RSS */
	assert_false(amounts_get(&a, AMOUNT_PSS, &value));
	assert_false(amounts_get(&a, AMOUNT_PSS_SWAP, &value));
	assert_true(amounts_get(&a, AMOUNT_RSS, &value));
	assert_int_equal(value, 8 * MIB);
	amounts_of_process(view_find_process(view, 1002), &a); /* counted at another process */
	assert_false(amounts_get(&a, AMOUNT_PSS, &value));
	assert_false(amounts_get(&a, AMOUNT_RSS, &value));
	amounts_of_process(view_find_process(view, 2200), &a); /* no SwapPss */
	assert_true(amounts_get(&a, AMOUNT_PSS, &value));
	assert_false(amounts_get(&a, AMOUNT_SWAP, &value));
	assert_false(amounts_get(&a, AMOUNT_PSS_SWAP, &value));
	amounts_of_process(view_find_process(view, 1000), &a);
	assert_true(amounts_get(&a, AMOUNT_PSS_SWAP, &value));
	assert_int_equal(value, (400000 + 1024) * 1024);
}

static void doubts_are_those_of_notes(void **state)
{
	static const struct {
		uint64_t low_mib, pss_mib, high_mib;
		bool is_unbounded;
		enum amounts_doubt doubt;
		uint64_t bytes;
	} cases[] = {
		{100, 100, 100, false, AMOUNTS_EXACT, 0},
		{98, 100, 102, false, AMOUNTS_EXACT, 0}, /* below 5 % */
		{90, 100, 120, false, AMOUNTS_BETWEEN, 20 * MIB},
		{40, 100, 120, false, AMOUNTS_BETWEEN, 60 * MIB},
		{0, 100, 200, false, AMOUNTS_BETWEEN, 100 * MIB},
		{100, 100, 500, false, AMOUNTS_UP_TO, 500 * MIB},
		{0, 0, 70, false, AMOUNTS_UP_TO, 70 * MIB},
		{100, 100, 0, true, AMOUNTS_AT_LEAST, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct amounts a = {
			.present = (1U << AMOUNTS) - 1, .is_unbounded = cases[i].is_unbounded};
		uint64_t bytes;

		a.q[AMOUNT_PROCESSES] = 1;
		a.q[AMOUNT_PSS] = cases[i].pss_mib * MIB;
		a.q[AMOUNT_PSS_LOW] = cases[i].low_mib * MIB;
		a.q[AMOUNT_PSS_HIGH] = cases[i].high_mib * MIB;
		assert_int_equal(amounts_doubt(&a, &bytes), cases[i].doubt);
		assert_int_equal(bytes, cases[i].bytes);
		a.present &= ~(1U << AMOUNT_PSS);
		assert_int_equal(amounts_doubt(&a, &bytes), AMOUNTS_EXACT);
	}
}

static void sums_stay_within_bounds(void **state)
{
	const struct snapshot_scope host = {0};
	struct amounts a, most = {.present = (1U << AMOUNTS) - 1};

	(void)state;
	for (unsigned int i = 0; i < AMOUNTS; i++)
		most.q[i] = INT64_MAX;
	amounts_begin(&a);
	amounts_add(&a, &most);
	amounts_add(&a, &most);
	amounts_end(&a, &host);
	for (unsigned int i = 0; i < AMOUNTS; i++)
		assert_int_equal(a.q[i], INT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_those_of_the_snapshot),
		cmocka_unit_test(parts_add_up),
		cmocka_unit_test(absent_amounts_are_not_0),
		cmocka_unit_test(doubts_are_those_of_notes),
		cmocka_unit_test(sums_stay_within_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
