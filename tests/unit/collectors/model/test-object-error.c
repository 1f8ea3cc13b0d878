/* SPDX-License-Identifier: Apache-2.0 */
/* Tests with lessons of many sharers of one object: what follows for the guess of the next one. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "collectors/model/object-error.h"

#define MIB (UINT64_C(1) << 20)

/*
 * A share of 100 MiB with 10 MiB of PSS. All sharers together had 1000 MiB and have twice as much
 * now.
 */
static const struct object_error_change doubled = {.rss = 100 * MIB,
	.pss = 10 * MIB,
	.now_rss = 200 * MIB,
	.then = 1000,
	.now = 2000,
	.stirred = 900};

static void learn(struct object_error *x, uint64_t found, unsigned int times)
{
	for (unsigned int i = 0; i < times; i++)
		(void)object_error_learn(x, &doubled, found, 0);
}

static uint64_t mid(const struct object_error *x, const struct object_error_change *c)
{
	struct object_error_guess g;

	object_error_guess(x, c, &g);
	return g.mid;
}

static uint64_t likely(const struct object_error *x, uint16_t odd)
{
	struct object_error_guess g;

	object_error_guess(x, &doubled, &g);
	return object_error_likely(x, &g, odd);
}

/* Without experience, the guess assumes that all share the same pages as before. */
static void divides_the_same_pages(void **state)
{
	const struct object_error none = {0};
	struct object_error_guess g;

	(void)state;
	object_error_guess(&none, &doubled, &g);
	assert_int_equal(g.mid, 10 * MIB);
	assert_int_equal(g.still, 20 * MIB);
	/* by 45 % of that, and by what it touched itself */
	assert_int_equal(g.moved, 19 * MIB);
	assert_false(object_error_tells(&none));
}

/* If touched pages were partly new, the next touched pages are guessed to be, too. */
static void learns_the_part_of_new_pages(void **state)
{
	struct object_error x = {0};
	struct object_error_change c = doubled;

	(void)state;
	/* All have 1000 MiB more, of which it has a tenth; a fifth of that is new. */
	learn(&x, 30 * MIB, 20);
	assert_in_range(mid(&x, &doubled), 30 * MIB - 2048, 30 * MIB);
	c.now_rss = 150 * MIB;
	c.now = 1500;
	assert_in_range(mid(&x, &c), 20 * MIB - 2048, 20 * MIB);
	/* The pages are the same again: the guess follows soon. */
	learn(&x, 10 * MIB, 60);
	assert_in_range(mid(&x, &doubled), 10 * MIB, 10 * MIB + MIB / 2);
	/* a PSS below the former one says nothing about new pages */
	learn(&x, 9 * MIB, 100);
	assert_int_equal(mid(&x, &doubled), 10 * MIB);
	/* the guess is never more than the resident memory */
	learn(&x, 200 * MIB, 60);
	assert_in_range(mid(&x, &doubled), 100 * MIB, 200 * MIB);
}

/* A change is learned soon. */
static void forgets_old_lessons(void **state)
{
	struct object_error x = {0};

	(void)state;
	learn(&x, 30 * MIB, 200);
	learn(&x, 15 * MIB, 48);
	assert_in_range(mid(&x, &doubled), 15 * MIB, 16 * MIB);
	learn(&x, 30 * MIB, 48);
	assert_in_range(mid(&x, &doubled), 29 * MIB, 30 * MIB);
}

/* Errors in both directions leave the middle where it is, and widen the bounds. */
static void learns_its_error(void **state)
{
	struct object_error right = {0}, wrong = {0};

	(void)state;
	learn(&right, 10 * MIB, 1);
	assert_true(object_error_tells(&right));
	/* one lesson is not enough */
	assert_true(likely(&right, 1) > 19 * MIB);
	learn(&right, 10 * MIB, 60);
	assert_true(likely(&right, 1) < MIB);
	for (unsigned int i = 0; i < 60; i++)
		learn(&wrong, i % 2 ? 9 * MIB : 11 * MIB, 1);
	assert_in_range(mid(&wrong, &doubled), 10 * MIB - MIB / 2, 10 * MIB + MIB / 2);
	assert_in_range(likely(&wrong, 1), 4 * MIB, 16 * MIB);
	/* the bounds are wider for a process without history */
	assert_true(likely(&wrong, 0) > 3 * likely(&wrong, 1) / 2);
}

/* A process unlike the others keeps wider bounds for a while. Those of the others hardly change. */
static void knows_unusual_processes(void **state)
{
	struct object_error x = {0};
	uint16_t odd;

	(void)state;
	learn(&x, 10 * MIB, 60);
	odd = object_error_learn(&x, &doubled, 14 * MIB, 0);
	assert_true(likely(&x, odd) > 4 * MIB);
	learn(&x, 10 * MIB, 30);
	assert_true(likely(&x, odd) > 4 * MIB);
	assert_true(likely(&x, 1) < MIB);
	odd = object_error_learn(&x, &doubled, 10 * MIB, odd);
	assert_true(likely(&x, odd) > 3 * MIB);
	for (unsigned int i = 0; i < 10; i++)
		odd = object_error_learn(&x, &doubled, 10 * MIB, odd);
	assert_true(likely(&x, odd) < MIB);
}

/* A postmaster that hardly maps the memory of its backends teaches nothing about them. */
static void small_changes_teach_nothing(void **state)
{
	static const struct object_error_change small = {.rss = MIB / 2,
		.pss = MIB / 20,
		.now_rss = MIB / 2,
		.then = 1000,
		.now = 2000,
		.stirred = 1000};
	struct object_error x = {0};

	(void)state;
	assert_true(object_error_learn(&x, &small, MIB / 2, 0) > 1); /* except about itself */
	assert_false(object_error_tells(&x));
}

/* for any input */
static void keeps_order_for_any_input(void **state)
{
	struct object_error x = {0};
	uint64_t seed = 3;
	uint16_t odd = 0;

	(void)state;
	for (unsigned int i = 0; i < 100000; i++) {
		struct object_error_change c = {
			.rss = unit_random(&seed) >> unit_random(&seed) % 64};
		struct object_error_guess g;

		c.pss = unit_random(&seed) % (c.rss | 1);
		c.now_rss = unit_random(&seed) >> unit_random(&seed) % 64;
		c.then = unit_random(&seed) >> unit_random(&seed) % 64;
		c.now = c.then + (unit_random(&seed) % 2 ? unit_random(&seed) % (~c.then | 1) : 0);
		c.stirred = unit_random(&seed) >> unit_random(&seed) % 64;
		object_error_guess(&x, &c, &g);
		assert_true(g.mid <= c.now_rss);
		odd = object_error_learn(&x, &c, unit_random(&seed) % (c.now_rss | 1), odd);
		assert_true(object_error_likely(&x, &g, odd) > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(divides_the_same_pages),
		cmocka_unit_test(learns_the_part_of_new_pages),
		cmocka_unit_test(forgets_old_lessons),
		cmocka_unit_test(learns_its_error),
		cmocka_unit_test(knows_unusual_processes),
		cmocka_unit_test(small_changes_teach_nothing),
		cmocka_unit_test(keeps_order_for_any_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
