/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include <math.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "collectors/trend.h"

#define MINUTE_NS (60 * NS_PER_SEC)
#define MIB       (1024.0 * 1024.0)

/* Any moment of a host's life; not the beginning of five minutes. */
#define BEGIN_NS (1234 * MINUTE_NS + 17 * NS_PER_SEC)

/* Readings every ten seconds of MINUTES, of what grows by SLOPE bytes a second from BASE on. */
static void grow(
	struct trend *t, uint64_t begin_ns, unsigned int minutes, double base, double slope)
{
	for (uint64_t s = 0; s < (uint64_t)minutes * 60; s += 10)
		trend_add(t, (uint64_t)(base + slope * (double)s), begin_ns + s * NS_PER_SEC);
}

static void check(const struct trend *t, double slope, double off)
{
	double found, error;

	assert_true(trend_slope(t, &found, &error));
	if (!(fabs(found - slope) <= off))
		fail_msg("the slope is %g, not %g", found, slope);
	assert_true(error >= 0 && error <= off);
}

static void a_straight_line_is_its_slope(void **state)
{
	static const double slopes[] = {0, 1000, 1e6, -1000, -20000};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(slopes); i++)
		for (unsigned int minutes = 25; minutes < 180; minutes += 7) {
			struct trend t = {0};

			/* Means are kept with 24 bits. */
			grow(&t, BEGIN_NS, minutes, 500 * MIB, slopes[i]);
			check(&t, slopes[i], 1 + fabs(slopes[i]) * 1e-4);
		}
}

/* Two means lie on a line always, and the five minutes under way are no mean yet. */
static void three_means_are_the_least(void **state)
{
	struct trend t = {0};
	double slope, error;

	(void)state;
	assert_false(trend_slope(&t, &slope, &error));
	grow(&t, 0, 15, MIB, 1000);
	assert_false(trend_slope(&t, &slope, &error));
	trend_add(&t, 1, 15 * MINUTE_NS);
	check(&t, 1000, 1);
}

static void what_was_an_hour_ago_is_forgotten(void **state)
{
	struct trend t = {0};

	(void)state;
	grow(&t, 0, 120, MIB, 5000);
	check(&t, 5000, 1);
	grow(&t, 120 * MINUTE_NS, 30, MIB, 0);
	trend_add(&t, (uint64_t)MIB, 150 * MINUTE_NS);
	assert_true(t.has == (1u << TREND_SLOTS) - 1);
	grow(&t, 150 * MINUTE_NS, 35, MIB, 0);
	check(&t, 0, 0);
}

/* Of what was not read, between, nothing is known; after an hour of that nothing is. */
static void gaps_are_gaps(void **state)
{
	struct trend t = {0};
	double slope, error;

	(void)state;
	grow(&t, 0, 10, MIB, 1000);
	trend_add(&t, (uint64_t)(MIB + 1000 * 1830), 1830 * NS_PER_SEC);
	trend_add(&t, (uint64_t)(MIB + 1000 * 2400), 2400 * NS_PER_SEC);
	assert_int_equal(__builtin_popcount(t.has), 3);
	check(&t, 1000, 1);
	trend_add(&t, 1, (1830 + 13 * 300) * NS_PER_SEC);
	assert_int_equal(__builtin_popcount(t.has), 1);
	assert_false(trend_slope(&t, &slope, &error));
	trend_add(&t, 1, (1830 + 40 * 300) * NS_PER_SEC);
	assert_int_equal(t.has, 0);
}

/* One reading in each five minutes, or in each ten, and each in its own place. */
static void few_readings_have_their_times(void **state)
{
	struct trend t = {0};
	uint64_t random = 1;

	(void)state;
	for (uint64_t slot = 0; slot < 13; slot++) {
		uint64_t s = slot * 300 + unit_random(&random) % 300;

		trend_add(&t, 1000 + 70 * s, s * NS_PER_SEC);
	}
	check(&t, 70, 0.01);
	t = (struct trend){0};
	for (uint64_t s = 0; s < 5000; s += 600)
		trend_add(&t, 1000 + 70 * s, s * NS_PER_SEC);
	check(&t, 70, 0.01);
}

/*
 * What goes up and down without end has a slope that is nothing beside its error, and a leak below it is seen. Over
 * many runs two slopes of three are within one standard error, nearly all within three, as it is meant.
 */
static void noise_is_told_from_growth(void **state)
{
	uint64_t random = 7;
	unsigned int runs = 1000, within[2][4] = {{0}};

	(void)state;
	for (unsigned int leak = 0; leak < 2; leak++)
		for (unsigned int run = 0; run < runs; run++) {
			struct trend t = {0};
			double slope, error, truth = leak ? 20000 : 0;

			for (uint64_t s = 0; s <= 3600; s += 10)
				trend_add(&t,
					(uint64_t)(100 * MIB + truth * (double)s +
						   (double)(unit_random(&random) % (64 << 20))),
					s * NS_PER_SEC);
			assert_true(trend_slope(&t, &slope, &error));
			for (unsigned int i = 1; i < 4; i++)
				within[leak][i] += fabs(slope - truth) <= i * error;
		}
	for (unsigned int leak = 0; leak < 2; leak++) {
		assert_in_range(within[leak][1], 600, 720);
		assert_in_range(within[leak][2], 900, 980);
		assert_in_range(within[leak][3], 970, 1000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_straight_line_is_its_slope),
		cmocka_unit_test(three_means_are_the_least),
		cmocka_unit_test(what_was_an_hour_ago_is_forgotten),
		cmocka_unit_test(gaps_are_gaps),
		cmocka_unit_test(few_readings_have_their_times),
		cmocka_unit_test(noise_is_told_from_growth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
