/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/process/self/cpu-recent.h: CPU use of about the last minute. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "collectors/process/self/cpu-recent.h"

#define SEC NS_PER_SEC
#define MS  NS_PER_MSEC

/* The start used much CPU. Since then the use is one hundredth, for any interval. */
static void forgets_the_start(void **state)
{
	static const uint64_t interval_ms[] = {100, 999, 1000, 5000, 10000, 45000};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(interval_ms); i++) {
		uint64_t at_ns = 7 * SEC, step_ns = interval_ms[i] * MS, span_ns = 0;
		struct cpu_recent r = {.count = 0};
		double ratio = -1;

		cpu_recent_add(&r, at_ns, 30 * SEC);
		assert_false(cpu_recent_ratio(&r, &ratio, &span_ns));
		cpu_recent_add(&r, at_ns += step_ns, 40 * SEC);
		assert_true(cpu_recent_ratio(&r, &ratio, &span_ns));
		assert_float_equal(ratio, 10000.0 / (double)interval_ms[i], 1e-6);
		for (uint64_t n = 1; n * step_ns < 600 * SEC; n++) {
			cpu_recent_add(&r, at_ns + n * step_ns, 40 * SEC + n * step_ns / 100);
			assert_true(cpu_recent_ratio(&r, &ratio, &span_ns));
			assert_true(r.count <= CPU_RECENT_MARKS);
			/*
			 * The marks are apart, so that the span is slightly longer than a minute.
			 */
			if (n * step_ns > 70 * SEC + step_ns)
				assert_float_equal(ratio, 0.01, 1e-9);
			else if (n * step_ns < 55 * SEC && step_ns < 55 * SEC)
				assert_true(ratio > 0.1);
		}
		assert_in_range(span_ns, 60 * SEC, 66 * SEC + 2 * step_ns);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(forgets_the_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
