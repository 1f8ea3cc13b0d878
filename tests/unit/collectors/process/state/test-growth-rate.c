/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/process/state/growth-rate.h: how fast a process grows. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <math.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "collectors/process/state/growth-rate.h"

#define MINUTE_NS (60 * NS_PER_SEC)
#define MIB       (1024.0 * 1024.0)

/* A time that is not the beginning of a slot of five minutes. */
#define BEGIN_NS (1234 * MINUTE_NS + 17 * NS_PER_SEC)

/*
 * Adds readings every ten seconds for MINUTES, of an amount that grows from BASE by SLOPE bytes
 * per second.
 */
static void grow(
	struct growth_rate *t, uint64_t begin_ns, unsigned int minutes, double base, double slope)
{
	for (uint64_t s = 0; s < (uint64_t)minutes * 60; s += 10)
		growth_rate_add(t, (uint64_t)(base + slope * (double)s), begin_ns + s * NS_PER_SEC);
}

static void check(const struct growth_rate *t, double slope, double off)
{
	double found, error;

	assert_true(growth_rate_slope(t, &found, &error));
	if (!(fabs(found - slope) <= off))
		fail_msg("the slope is %g, not %g", found, slope);
	assert_true(error >= 0 && error <= off);
}

static void straight_line_has_its_slope(void **state)
{
	static const double slopes[] = {0, 1000, 1e6, -1000, -20000};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(slopes); i++)
		for (unsigned int minutes = 25; minutes < 180; minutes += 7) {
			struct growth_rate t = {0};

			/* Means are kept with 24 bits. */
			grow(&t, BEGIN_NS, minutes, 500 * MIB, slopes[i]);
			check(&t, slopes[i], 1 + fabs(slopes[i]) * 1e-4);
		}
}

/* Two means always lie on a line. The current five minutes are not a mean yet. */
static void needs_three_means(void **state)
{
	struct growth_rate t = {0};
	double slope, error;

	(void)state;
	assert_false(growth_rate_slope(&t, &slope, &error));
	grow(&t, 0, 15, MIB, 1000);
	assert_false(growth_rate_slope(&t, &slope, &error));
	growth_rate_add(&t, 1, 15 * MINUTE_NS);
	check(&t, 1000, 1);
}

static void forgets_after_an_hour(void **state)
{
	struct growth_rate t = {0};

	(void)state;
	grow(&t, 0, 120, MIB, 5000);
	check(&t, 5000, 1);
	grow(&t, 120 * MINUTE_NS, 30, MIB, 0);
	growth_rate_add(&t, (uint64_t)MIB, 150 * MINUTE_NS);
	assert_true(t.has == (1u << GROWTH_RATE_SLOTS) - 1);
	grow(&t, 150 * MINUTE_NS, 35, MIB, 0);
	check(&t, 0, 0);
}

/* A gap contributes nothing, and after a gap of an hour no trend is left. */
static void gaps_contribute_nothing(void **state)
{
	struct growth_rate t = {0};
	double slope, error;

	(void)state;
	grow(&t, 0, 10, MIB, 1000);
	growth_rate_add(&t, (uint64_t)(MIB + 1000 * 1830), 1830 * NS_PER_SEC);
	growth_rate_add(&t, (uint64_t)(MIB + 1000 * 2400), 2400 * NS_PER_SEC);
	assert_int_equal(__builtin_popcount(t.has), 3);
	check(&t, 1000, 1);
	growth_rate_add(&t, 1, (1830 + 13 * 300) * NS_PER_SEC);
	assert_int_equal(__builtin_popcount(t.has), 1);
	assert_false(growth_rate_slope(&t, &slope, &error));
	growth_rate_add(&t, 1, (1830 + 40 * 300) * NS_PER_SEC);
	assert_int_equal(t.has, 0);
}

/* One reading per five or ten minutes, at its own time. */
static void few_readings_keep_their_times(void **state)
{
	struct growth_rate t = {0};
	uint64_t random = 1;

	(void)state;
	for (uint64_t slot = 0; slot < 13; slot++) {
		uint64_t s = slot * 300 + unit_random(&random) % 300;

		growth_rate_add(&t, 1000 + 70 * s, s * NS_PER_SEC);
	}
	check(&t, 70, 0.01);
	t = (struct growth_rate){0};
	for (uint64_t s = 0; s < 5000; s += 600)
		growth_rate_add(&t, 1000 + 70 * s, s * NS_PER_SEC);
	check(&t, 70, 0.01);
}

/*
 * The slope of a fluctuating amount is small compared with its error, and a leak below the
 * fluctuation is found. Over many runs two of three slopes are within one standard error, and
 * nearly all within three.
 */
static void distinguishes_growth_from_noise(void **state)
{
	uint64_t random = 7;
	unsigned int runs = 1000, within[2][4] = {{0}};

	(void)state;
	for (unsigned int leak = 0; leak < 2; leak++)
		for (unsigned int run = 0; run < runs; run++) {
			struct growth_rate t = {0};
			double slope, error, truth = leak ? 20000 : 0;

			for (uint64_t s = 0; s <= 3600; s += 10)
				growth_rate_add(&t,
					(uint64_t)(100 * MIB + truth * (double)s +
						   (double)(unit_random(&random) % (64 << 20))),
					s * NS_PER_SEC);
			assert_true(growth_rate_slope(&t, &slope, &error));
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
		cmocka_unit_test(straight_line_has_its_slope),
		cmocka_unit_test(needs_three_means),
		cmocka_unit_test(forgets_after_an_hour),
		cmocka_unit_test(gaps_contribute_nothing),
		cmocka_unit_test(few_readings_keep_their_times),
		cmocka_unit_test(distinguishes_growth_from_noise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
