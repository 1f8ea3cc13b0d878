/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of inspect/files/mm-set.h with invented pids: the address space of PID is PID / 10, and
 * pids from 9000 on have exited.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "inspect/files/mm-set.h"
#include "tests/unit/support/faults/allocation.h"

enum { ENDED = 9000, LESS = 1, GREATER = 2 };

static unsigned int calls;
static pid_t ends_now;

static int compare(pid_t a, pid_t b)
{
	calls++;
	if (a >= ENDED || b >= ENDED || a == ends_now || b == ends_now)
		return -ESRCH;
	a /= 10;
	b /= 10;
	return a == b ? 0 : a < b ? LESS : GREATER;
}

static int add(struct mm_set *s, pid_t pid, uint64_t image)
{
	const struct stat_info stat = {.start_code = image, .start_stack = image / 2};

	return mm_set_add(s, pid, &stat);
}

static void setup(void)
{
	calls = 0;
	ends_now = 0;
}

static void each_address_space_counts_once(void **state)
{
	AUTO_MM_SET struct mm_set s = {.compare = compare};

	(void)state;
	setup();
	assert_int_equal(add(&s, 50, 8), 0);
	assert_int_equal(add(&s, 61, 8), 0);
	assert_int_equal(add(&s, 52, 8), MM_SET_KNOWN);
	assert_int_equal(add(&s, 40, 8), 0);
	assert_int_equal(add(&s, 69, 8), MM_SET_KNOWN);
	assert_int_equal(add(&s, 41, 8), MM_SET_KNOWN);
	assert_int_equal(s.count, 3);
}

/* Processes with other images cannot share an address space and are not compared. */
static void other_images_are_not_compared(void **state)
{
	AUTO_MM_SET struct mm_set s = {.compare = compare};

	(void)state;
	setup();
	for (uint64_t image = 1; image < 100; image++)
		assert_int_equal(add(&s, (pid_t)(10 * image), 7 * image % 101), 0);
	assert_int_equal(calls, 0);
	assert_int_equal(add(&s, 42, 7 * 4), MM_SET_KNOWN);
	assert_int_equal(calls, 1);
}

static void few_of_many_siblings_are_compared(void **state)
{
	AUTO_MM_SET struct mm_set s = {.compare = compare};

	(void)state;
	setup();
	for (pid_t i = 0; i < 800; i++)
		assert_int_equal(add(&s, 10 * (i * 7 % 800) + 1, 8), 0);
	assert_true(calls < 800 * 11);
	for (pid_t i = 0; i < 800; i++)
		assert_int_equal(add(&s, 10 * i + 2, 8), MM_SET_KNOWN);
	assert_int_equal(s.count, 800);
}

static void skips_exited_processes(void **state)
{
	AUTO_MM_SET struct mm_set s = {.compare = compare};

	(void)state;
	setup();
	for (pid_t pid = 10; pid < 200; pid += 10)
		assert_int_equal(add(&s, pid, 8), 0);
	ends_now = 100;
	assert_int_equal(add(&s, 151, 8), MM_SET_KNOWN);
	assert_int_equal(s.count, 18);
	assert_int_equal(add(&s, 105, 8), 0);
	assert_int_equal(add(&s, 106, 8), MM_SET_KNOWN);
	/* A process that has exited itself; the others are kept. */
	assert_int_equal(add(&s, ENDED, 8), 0);
	assert_int_equal(s.count, 19);
}

static void all_are_new_in_another_pid_namespace(void **state)
{
	AUTO_MM_SET struct mm_set s = {.compare = NULL};

	(void)state;
	assert_int_equal(add(&s, 1, 8), 0);
	assert_int_equal(add(&s, 1, 8), 0);
}

static void returns_errors_without_memory(void **state)
{
	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_MM_SET struct mm_set s = {.compare = compare};
		int r = 0;

		setup();
		allocation_fail_at(n);
		for (pid_t pid = 10; r == 0 && pid < 2000; pid += 10)
			r = add(&s, pid, 8);
		allocation_check(r);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_address_space_counts_once),
		cmocka_unit_test(other_images_are_not_compared),
		cmocka_unit_test(few_of_many_siblings_are_compared),
		cmocka_unit_test(skips_exited_processes),
		cmocka_unit_test(all_are_new_in_another_pid_namespace),
		cmocka_unit_test(returns_errors_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
