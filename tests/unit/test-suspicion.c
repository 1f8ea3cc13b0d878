/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include "collectors/suspicion.h"

/* Others may have written to what they are suspected of, but for those who were measured since. */
static void tells_of_others(void **state)
{
	struct suspicion s = {.bytes = 0};

	(void)state;
	assert_int_equal(suspicion_since(&s, 0, 0), 0);
	suspicion_move(&s, 0, 100, 20);
	suspicion_move(&s, 0, 50, 30);
	assert_int_equal(suspicion_since(&s, 0, 29), 150);
	assert_int_equal(suspicion_since(&s, 100, 29), 50);
	assert_int_equal(suspicion_since(&s, 0, 30), 0);
	suspicion_move(&s, 100, 0, 40); /* it was measured: that is no news */
	assert_int_equal(suspicion_since(&s, 0, 29), 50);
	assert_int_equal(suspicion_since(&s, 0, 30), 0);
}

/* Of whom nothing was true of late little is believed, and more again when something is. */
static void believes_by_experience(void **state)
{
	struct suspicion s = {.bytes = 0};

	(void)state;
	suspicion_move(&s, 0, 6400, 10);
	suspicion_answer(&s, 0, 1000);
	assert_int_equal(suspicion_since(&s, 0, 0), 6400);
	for (int i = 0; i < 8; i++)
		suspicion_answer(&s, 1000, 0);
	assert_int_equal(suspicion_since(&s, 0, 0), 99); /* a 64th */
	for (int i = 0; i < 8; i++)
		suspicion_answer(&s, 1000, 250);
	assert_in_range(suspicion_since(&s, 0, 0), 1600, 3300); /* twice as much as was so */
	for (int i = 0; i < 8; i++)
		suspicion_answer(&s, 1000, 5000);
	assert_int_equal(suspicion_since(&s, 0, 0), 6400);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_of_others),
		cmocka_unit_test(believes_by_experience),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
