/* SPDX-License-Identifier: Apache-2.0 */
/* Tests when memory is returned after many processes have exited. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "daemon/heap-trim.h"

static void trims_when_many_processes_have_exited(void **state)
{
	static const struct {
		uint64_t processes;
		bool turns;
	} passes[] = {
		{300, false},
		{30000, false},
		{20000, false},
		{15001, false},
		{15000, true}, /* half of them */
		{14900, true}, /* and the four passes after that */
		{14800, true},
		{14900, true},
		{20000, true},
		{16000, false},
		{10001, false},
		{10000, true},
		{9000, true},
		{4000, true}, /* half again: starts again */
		{4000, true},
		{4000, true},
		{4000, true},
		{4000, true},
		{4000, false},
		{900, true}, /* the end of a crowd */
		{900, true},
		{900, true},
		{900, true},
		{900, true},
		{900, false},
		{14, true}, /* the last of it */
		{UINT64_MAX, true},
		{0, true},
	};
	static const uint64_t few[] = {10, 100, 1, 198, 99};
	struct heap_trim e = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(passes); i++)
		assert_int_equal(heap_trim_is_due(&e, passes[i].processes), passes[i].turns);
	e = (struct heap_trim){0};
	for (size_t i = 0; i < ARRAY_SIZE(few); i++)
		assert_false(heap_trim_is_due(&e, few[i]));
	assert_true(heap_trim_is_due(&e, 98)); /* a hundred fewer */
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(trims_when_many_processes_have_exited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
