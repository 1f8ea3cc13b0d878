/* SPDX-License-Identifier: Apache-2.0 */
/*
 * First header of every unit test: cmocka with the headers that it requires, and a few common
 * helpers.
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_UNIT_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_UNIT_H

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/support/extent.h"

/*
 * Returns the number of open descriptors of this process. A difference between two calls is a
 * leak.
 */
static inline unsigned int unit_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 3; /* ".", ".." and the directory itself */
}

/*
 * Returns how many of COUNT random inputs, or of COUNT steps of a long run, to try: COUNT, or a
 * twentieth under valgrind and sanitizers, which find their faults in the first few.
 */
static inline unsigned int unit_rounds(unsigned int count)
{
	return extent_is_slow() ? count / 20 + 1 : count;
}

/*
 * Asserts that MEASURE_NS(MANY) is at most RATIO times MEASURE_NS(FEW), both in ns. Measures up to
 * five times and compares the minima, because CPU time rises while other processes use the caches
 * and the sibling hardware thread.
 */
static inline void unit_assert_ratio(
	uint64_t (*measure_ns)(size_t), size_t few, size_t many, unsigned int ratio)
{
	uint64_t few_ns = UINT64_MAX / ratio, many_ns = UINT64_MAX;

	for (unsigned int i = 0; i < 5 && many_ns > ratio * few_ns; i++) {
		uint64_t few_now_ns = measure_ns(few), many_now_ns = measure_ns(many);

		few_ns = few_now_ns < few_ns ? few_now_ns : few_ns;
		many_ns = many_now_ns < many_ns ? many_now_ns : many_ns;
	}
	assert_in_range(many_ns, 0, ratio * few_ns);
}

/* Returns the next number of a fixed pseudo-random series. *STATE may start with any value. */
static inline uint64_t unit_random(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

#endif
