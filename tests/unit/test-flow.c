/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include "collectors/flow.h"

static void tells_others_from_oneself(void **state)
{
	struct flow all = {UINT32_MAX, 5}, own = {0, 0}, then;
	struct flow f = flow_between(20 * FLOW_UNIT, 12 * FLOW_UNIT);

	(void)state;
	assert_int_equal(f.lost, 8);
	assert_int_equal(f.gained, 0);
	then = flow_less(all, own);
	flow_add(&all, &f);
	flow_add(&own, &f);
	f = flow_between(0, 3 * FLOW_UNIT);
	flow_add(&all, &f); /* another; the sum has wrapped */
	f = flow_less(flow_less(all, own), then);
	assert_int_equal(f.lost, 0);
	assert_int_equal(f.gained, 3);
}

/* Of a few pages each of a crowd can have had no more than these, whatever else it has. */
static void limits_a_crowd(void **state)
{
	const struct flow comes = {0, 1000}, goes = {600, 0}, moves = {1, 1};
	struct flow_crowd c = {0}, then;
	struct flow f;

	(void)state;
	flow_crowd_add(&c, &comes);
	then = c;
	for (int i = 0; i < 3; i++)
		flow_crowd_add(&c, &comes);
	flow_crowd_add(&c, &goes);
	flow_crowd_add(&c, &moves);
	c = flow_crowd_less(c, then);
	assert_int_equal(c.gains, 4);
	assert_int_equal(c.losses, 2);
	f = flow_crowd_within(&c, 9 * FLOW_UNIT);
	assert_int_equal(f.gained, 4 * 10);
	assert_int_equal(f.lost, 2 * 10);
	f = flow_crowd_within(&c, UINT64_MAX);
	assert_int_equal(f.gained, 3001);
	assert_int_equal(f.lost, 601);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_others_from_oneself),
		cmocka_unit_test(limits_a_crowd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
