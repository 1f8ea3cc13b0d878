/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the growth counters of a process. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <math.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "collectors/process/state/growth.h"
#include "snapshot/metric.h"

/* Returns a row with one quantity. */
static struct snapshot_process row_with(enum process_quantity i, uint64_t value)
{
	struct snapshot_process row = {0};

	ROW_SET(&row, i, value);
	return row;
}

static struct growth_step take(
	struct growth *g, enum process_quantity i, uint64_t value, struct snapshot_process *ret)
{
	*ret = row_with(i, value);
	return growth_take(g, ret, 1, 1);
}

static struct growth_step take_anon(
	struct growth *g, uint64_t anon, uint64_t swap, struct snapshot_process *ret)
{
	*ret = row_with(PROCESS_RSS_ANON, anon);
	ROW_SET(ret, PROCESS_VM_SWAP, swap);
	return growth_take(g, ret, 1, 1);
}

static void takes_the_first_reading_as_baseline(void **state)
{
	struct growth g = {0};
	struct snapshot_process row;

	(void)state;
	assert_int_equal(take(&g, PROCESS_VM_HWM, 1000, &row).hwm_bytes, 0);
	assert_int_equal(row.q[PROCESS_VM_HWM_GROWTH], 0);
	assert_true(ROW_HAS(&row, PROCESS_VM_HWM_GROWTH));
	assert_false(ROW_HAS(&row, PROCESS_VM_SWAP_GROWTH));
	assert_int_equal(take(&g, PROCESS_VM_SWAP, 500, &row).swap_bytes, 0);
	assert_true(ROW_HAS(&row, PROCESS_VM_SWAP_GROWTH));
	assert_false(ROW_HAS(&row, PROCESS_ANON_GROWTH)); /* without RssAnon, before Linux 4.5 */
	assert_int_equal(take_anon(&g, 700, 500, &row).anon_bytes, 0);
	assert_true(ROW_HAS(&row, PROCESS_ANON_GROWTH));
	assert_int_equal(row.q[PROCESS_ANON_GROWTH], 0);
}

/* As a kernel printed it: 83480 -> 83388 -> 83480 -> 83484 kB. */
static void adds_only_above_the_highest_mark(void **state)
{
	static const uint64_t marks[] = {83480, 83388, 83480, 83484};
	struct growth g = {0};
	struct snapshot_process row;
	uint64_t added = 0;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		added += take(&g, PROCESS_VM_HWM, marks[i], &row).hwm_bytes;
	assert_int_equal(added, 4);
	assert_int_equal(row.q[PROCESS_VM_HWM_GROWTH], 4);
}

static void adds_every_rise_of_swap(void **state)
{
	static const uint64_t swap[] = {100, 300, 0, 50, 50, 200};
	struct growth g = {0};
	struct snapshot_process row;
	uint64_t added = 0;

	(void)state;
	for (size_t i = 0; i < 6; i++)
		added += take(&g, PROCESS_VM_SWAP, swap[i], &row).swap_bytes;
	assert_int_equal(added, 200 + 50 + 150);
	assert_int_equal(row.q[PROCESS_VM_SWAP_GROWTH], added);
}

/*
 * Memory that is freed and allocated again is no growth, nor is memory that goes to swap and comes
 * back.
 */
static void anonymous_memory_grows_above_its_maximum(void **state)
{
	static const struct {
		uint64_t anon, swap, added;
	} passes[] = {
		{1000, 0, 0},
		{600, 0, 0},
		{1000, 0, 0},
		{1100, 0, 100},
		{100, 1000, 0},
		{100, 1200, 200},
		{1300, 0, 0},
		{1300, 50, 50},
	};
	struct growth g = {0};
	struct snapshot_process row;
	uint64_t sum = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(passes); i++) {
		sum += passes[i].added;
		assert_int_equal(take_anon(&g, passes[i].anon, passes[i].swap, &row).anon_bytes,
			passes[i].added);
		assert_int_equal(row.q[PROCESS_ANON_GROWTH], sum);
	}
}

/* If a process could not be read, its former growth is kept. */
static void an_unread_process_keeps_its_growth(void **state)
{
	struct growth g = {0};
	struct snapshot_process row, empty = {0};
	struct growth_step step;

	(void)state;
	step = growth_take(&g, &empty, 1, 1);
	assert_int_equal(empty.present, 0);
	take_anon(&g, 1000, 0, &row);
	take_anon(&g, 1500, 0, &row);
	step = growth_take(&g, &empty, 2, 6);
	assert_int_equal(step.anon_bytes | step.hwm_bytes | step.swap_bytes, 0);
	assert_int_equal(empty.q[PROCESS_ANON_GROWTH], 500);
	assert_false(ROW_HAS(&empty, PROCESS_VM_HWM_GROWTH));
	assert_int_equal(empty.q[PROCESS_SEEN], 5);
}

static void has_a_slope_with_its_error(void **state)
{
	struct growth g = {0};
	struct snapshot_process row;

	(void)state;
	for (uint64_t s = 0; s < 1800; s += 60) {
		row = row_with(PROCESS_RSS_ANON, 1000000 + 100 * s);
		ROW_SET(&row, PROCESS_VM_SWAP, 100 * s);
		growth_take(&g, &row, s * NS_PER_SEC, (5000 + s) * NS_PER_SEC);
		assert_int_equal(ROW_HAS(&row, PROCESS_ANON_SLOPE), s >= 900);
	}
	assert_true(fabs(metric_real(row.q[PROCESS_ANON_SLOPE]) - 200) < 0.1);
	assert_true(metric_real(row.q[PROCESS_ANON_SLOPE_ERROR]) < 0.1);
	assert_int_equal(row.q[PROCESS_SEEN], 1740 * NS_PER_SEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_the_first_reading_as_baseline),
		cmocka_unit_test(adds_only_above_the_highest_mark),
		cmocka_unit_test(adds_every_rise_of_swap),
		cmocka_unit_test(anonymous_memory_grows_above_its_maximum),
		cmocka_unit_test(an_unread_process_keeps_its_growth),
		cmocka_unit_test(has_a_slope_with_its_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
