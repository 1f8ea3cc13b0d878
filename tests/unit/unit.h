/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a unit test includes first: cmocka with the headers it wants before it, and the few helpers
 * that several tests share. Not a framework.
 */
#ifndef MEMTALLY_TESTS_UNIT_UNIT_H
#define MEMTALLY_TESTS_UNIT_UNIT_H

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

#include "tests/unit/extent.h"

/* How many descriptors this process has open: the same before and after, or something leaks. */
static inline unsigned int unit_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 3; /* ".", ".." and the directory's own */
}

/*
 * How often to try of COUNT random inputs, or steps of a long run: a twentieth where that is slow. What valgrind and
 * sanitizers look for shows in the first few.
 */
static inline unsigned int unit_rounds(unsigned int count)
{
	return extent_is_slow() ? count / 20 + 1 : count;
}

/*
 * Asserts that MEASURE_NS(MANY) returns at most RATIO times MEASURE_NS(FEW), both in ns. Measures up to five times and compares the
 * least of each: CPU time grows while other processes use the caches and the processor's other thread.
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

/* The next of a fixed series of numbers that look random; *STATE starts anywhere. */
static inline uint64_t unit_random(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

#endif
