/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of daemon/pressure.h: when memtallyd makes brief passes. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "daemon/pressure.h"

/* Begin of the episodes below, far from 0. */
#define T (100000 * NS_PER_SEC)

static uint64_t at(uint64_t seconds)
{
	return T + seconds * NS_PER_SEC;
}

static void a_signal_begins_an_episode(void **state)
{
	struct pressure p = {.apart_ns = NS_PER_SEC};

	(void)state;
	assert_false(pressure_goes_on(&p, at(0)));
	assert_true(pressure_signal(&p, at(0)));
	assert_true(pressure_goes_on(&p, at(0)));
	assert_int_equal(p.next_ns, at(0)); /* its first pass is due at once */
	assert_false(pressure_signal(&p, at(2)));
	assert_int_equal(p.begin_ns, at(0));
}

static void quiet_ends_an_episode(void **state)
{
	struct pressure p = {.apart_ns = NS_PER_SEC};

	(void)state;
	pressure_signal(&p, at(0));
	pressure_signal(&p, at(2));
	assert_true(pressure_goes_on(&p, at(6) - 1));
	assert_false(pressure_goes_on(&p, at(6)));
	assert_int_equal(p.state, PRESSURE_PAUSE);
	/* It has lasted for 6 s, so the pause lasts for 24 s. Signals do not lengthen it. */
	for (uint64_t s = 6; s < 30; s++)
		assert_false(pressure_signal(&p, at(s)));
	assert_int_equal(p.state, PRESSURE_PAUSE);
	assert_true(pressure_signal(&p, at(30)));
	assert_int_equal(p.begin_ns, at(30));
}

static void no_episode_is_longer_than_a_minute(void **state)
{
	struct pressure p = {.apart_ns = NS_PER_SEC};
	unsigned int begun = 0, seconds = 0;

	(void)state;
	/* Pressure for an hour, with a signal every two seconds. */
	for (uint64_t s = 0; s < 3600; s++) {
		if (s % 2 == 0)
			begun += pressure_signal(&p, at(s));
		seconds += pressure_goes_on(&p, at(s));
	}
	assert_int_equal(begun, 12);
	assert_int_equal(seconds, 12 * 60);
}

static void a_signal_ends_a_pause_of_kills(void **state)
{
	struct pressure p = {.apart_ns = NS_PER_SEC};

	(void)state;
	assert_true(pressure_kill(&p, at(0)));
	assert_int_equal(p.next_ns, at(0));
	assert_false(pressure_kill(&p, at(3))); /* lengthens nothing */
	assert_false(pressure_goes_on(&p, at(4)));
	/* The pause of 16 s is one of kills. */
	assert_false(pressure_kill(&p, at(9)));
	assert_true(pressure_signal(&p, at(10)));
	/* The new episode has the pause of any, and then the rest of that of kills: 10 s. */
	assert_false(pressure_goes_on(&p, at(14)));
	assert_false(pressure_signal(&p, at(29)));
	assert_false(pressure_kill(&p, at(39)));
	assert_true(pressure_kill(&p, at(40)));
}

/* A signal in an episode that a kill began makes it one of waiting processes. */
static void a_signal_joins_a_kill(void **state)
{
	struct pressure p = {.apart_ns = NS_PER_SEC};

	(void)state;
	assert_true(pressure_kill(&p, at(0)));
	assert_false(pressure_signal(&p, at(3)));
	assert_true(pressure_goes_on(&p, at(6)));
	for (uint64_t s = 7; s < 35; s++)
		assert_false(pressure_signal(&p, at(s)));
	assert_true(pressure_signal(&p, at(35)));
}

/* Kills each second for an hour, with a signal each EVERY seconds (0: never). Returns the episodes' seconds. */
static unsigned int seconds_of_an_hour(uint64_t every)
{
	struct pressure p = {.apart_ns = NS_PER_SEC};
	unsigned int seconds = 0;

	for (uint64_t s = 0; s < 3600; s++) {
		pressure_kill(&p, at(s));
		if (every && s % every == every - 1)
			pressure_signal(&p, at(s));
		seconds += pressure_goes_on(&p, at(s));
	}
	return seconds;
}

static void kills_and_signals_take_a_fifth_of_the_time(void **state)
{
	(void)state;
	assert_int_equal(seconds_of_an_hour(0), 3600 / 5);
	for (uint64_t every = 1; every < 100; every++)
		assert_in_range(seconds_of_an_hour(every), 1, 3600 / 5 + 60);
}

/* memtallyd may be stopped, or the machine suspended, in the middle of an episode. */
static void time_may_jump(void **state)
{
	struct pressure p = {.apart_ns = NS_PER_SEC};

	(void)state;
	pressure_signal(&p, at(0));
	assert_false(pressure_goes_on(&p, at(100000)));
	assert_int_equal(p.state, PRESSURE_CALM);
	assert_true(pressure_signal(&p, at(100000)));
	/* The pause begins when the episode should have ended, not when that was noticed. */
	assert_false(pressure_signal(&p, at(100015)));
	assert_true(pressure_signal(&p, at(100020)));
}

static void passes_are_apart(void **state)
{
	static const struct {
		uint64_t cpu_ms, apart_ms;
	} cases[] = {{0, 1000}, {10, 1000}, {50, 1000}, {51, 1020}, {500, 10000}};
	struct pressure p = {.apart_ns = NS_PER_SEC};

	(void)state;
	pressure_signal(&p, at(0));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		pressure_passed(&p, at(3), cases[i].cpu_ms * NS_PER_MSEC);
		assert_int_equal(p.next_ns, at(3) + cases[i].apart_ms * NS_PER_MSEC);
	}
	pressure_passed(&p, at(3), UINT64_MAX);
	assert_true(p.next_ns > at(100000));
}

/* Without a time between brief passes there are none. */
static void zero_is_no_episode(void **state)
{
	struct pressure p = {.apart_ns = 0};

	(void)state;
	assert_false(pressure_signal(&p, NS_PER_SEC));
	assert_false(pressure_kill(&p, NS_PER_SEC));
	assert_false(pressure_goes_on(&p, NS_PER_SEC));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_signal_begins_an_episode),
		cmocka_unit_test(quiet_ends_an_episode),
		cmocka_unit_test(no_episode_is_longer_than_a_minute),
		cmocka_unit_test(a_signal_ends_a_pause_of_kills),
		cmocka_unit_test(a_signal_joins_a_kill),
		cmocka_unit_test(kills_and_signals_take_a_fifth_of_the_time),
		cmocka_unit_test(time_may_jump),
		cmocka_unit_test(passes_are_apart),
		cmocka_unit_test(zero_is_no_episode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
