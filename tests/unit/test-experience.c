/* SPDX-License-Identifier: Apache-2.0 */
/* Lessons of many sharers, of which each knows as much as any other, and what follows for the next. */
#include "config.h"

#include "tests/unit/unit.h"

#include "collectors/experience.h"

#define MIB (UINT64_C(1) << 20)

/* 100 MiB that counted 10; all together had 1000 MiB and have as much again. */
static const struct experience_change doubled = {.rss = 100 * MIB,
	.pss = 10 * MIB,
	.now_rss = 200 * MIB,
	.then = 1000,
	.now = 2000,
	.stirred = 900};

static void learn(struct experience *x, uint64_t found, unsigned int times)
{
	for (unsigned int i = 0; i < times; i++)
		(void)experience_learn(x, &doubled, found, 0);
}

static uint64_t mid(const struct experience *x, const struct experience_change *c)
{
	struct experience_guess g;

	experience_guess(x, c, &g);
	return g.mid;
}

static uint64_t likely(const struct experience *x, uint16_t odd)
{
	struct experience_guess g;

	experience_guess(x, &doubled, &g);
	return experience_likely(x, &g, odd);
}

/* Without experience all have the same pages as before. */
static void divides_what_there_was(void **state)
{
	const struct experience none = {0};
	struct experience_guess g;

	(void)state;
	experience_guess(&none, &doubled, &g);
	assert_int_equal(g.mid, 10 * MIB);
	assert_int_equal(g.still, 20 * MIB);
	/* By 45 % of that, and by what it has touched itself. */
	assert_int_equal(g.moved, 19 * MIB);
	assert_false(experience_tells(&none));
}

/* What is touched was nobody's, in part, and so is what is touched next. */
static void learns_what_is_new(void **state)
{
	struct experience x = {0};
	struct experience_change c = doubled;

	(void)state;
	/* 1000 MiB more, of which it has a tenth: of that a fifth is new. */
	learn(&x, 30 * MIB, 20);
	assert_in_range(mid(&x, &doubled), 30 * MIB - 2048, 30 * MIB);
	c.now_rss = 150 * MIB;
	c.now = 1500;
	assert_in_range(mid(&x, &c), 20 * MIB - 2048, 20 * MIB);
	/* It is the same pages again: that is known before long. */
	learn(&x, 10 * MIB, 60);
	assert_in_range(mid(&x, &doubled), 10 * MIB, 10 * MIB + MIB / 2);
	/* What is found to be less than before says nothing of new pages. */
	learn(&x, 9 * MIB, 100);
	assert_int_equal(mid(&x, &doubled), 10 * MIB);
	/* There is never more than is resident. */
	learn(&x, 200 * MIB, 60);
	assert_in_range(mid(&x, &doubled), 100 * MIB, 200 * MIB);
}

/* The sharers of a segment fill it up: of what they touch a part is new that halves with each 1000 they have more. */
static struct experience_change step_from(uint64_t then, uint64_t step)
{
	return (struct experience_change){.rss = 100 * MIB,
		.pss = 10 * MIB,
		.now_rss = 100 * MIB * (then + step) / then,
		.then = then,
		.now = then + step,
		.stirred = step};
}

/* Of what C has touched, in KiB, with the middle of it at PLACE: 1/4 at 4000, 1/8 at 5000, and so on. */
static uint64_t new_kib_at(const struct experience_change *c, uint64_t place)
{
	uint64_t whole = place / 1000, rest = place % 1000;
	/* Between two powers the curve is near its chord. */
	uint64_t part = (UINT64_C(1) << 20) - rest * (UINT64_C(1) << 19) / 1000;

	return (c->now_rss / 1024 * (c->now - c->then) / c->now * (part >> whole) * 4) >> 20;
}

static uint64_t new_kib(const struct experience_change *c)
{
	return new_kib_at(c, (c->then + c->now) / 2);
}

/* All had 6400 in the end. */
static void fill_up(struct experience *x)
{
	for (uint64_t then = 2000; then <= 6000; then += 20) {
		struct experience_change c = step_from(then, 400);

		(void)experience_learn(x, &c, 10 * MIB + new_kib(&c) * 1024, 0);
	}
}

static void sees_that_it_becomes_less(void **state)
{
	struct experience x = {0};
	struct experience_change c;
	uint64_t wanted;

	(void)state;
	fill_up(&x);
	/* What was touched a while ago was new more often than what is touched now. */
	for (uint64_t then = 5200; then <= 7200; then += 400) {
		c = step_from(then, then < 6000 ? 6400 - then : 400);
		wanted = 10 * MIB + new_kib(&c) * 1024;
		assert_in_range(mid(&x, &c), wanted - MIB / 3, wanted + MIB / 3);
	}
	assert_in_range(new_kib(&c), 0, 256); /* and was more than 1024 */
}

/* Half of the sharers end: what they have touched stays so, and as little of what is touched next is new. */
static void sees_that_it_stays_full(void **state)
{
	struct experience x = {0};
	struct experience_change c = step_from(2800, 400);
	uint64_t wanted;

	(void)state;
	fill_up(&x);
	wanted = 10 * MIB + new_kib_at(&c, 6200) * 1024;
	assert_in_range(mid(&x, &c), wanted - MIB / 3, wanted + MIB / 3);
	/* So it is found again and again. */
	for (unsigned int i = 0; i < 300; i++)
		(void)experience_learn(&x, &c, wanted, 0);
	assert_in_range(mid(&x, &c), wanted - MIB / 8, wanted + MIB / 8);
	/* But where it was emptied, that is known before long. */
	for (unsigned int i = 0; i < 60; i++)
		(void)experience_learn(&x, &c, 10 * MIB + new_kib(&c) * 1024, 0);
	wanted = 10 * MIB + new_kib(&c) * 1024;
	assert_in_range(mid(&x, &c), wanted - MIB / 2, wanted);
}

/* How much was new long before there were lessons they don't tell, but that it was as much at least as the first of them. */
static void guesses_nothing_of_times_before(void **state)
{
	struct experience x = {0};
	struct experience_change c = step_from(1000, 5400);
	struct experience_guess g;
	uint64_t added;

	(void)state;
	fill_up(&x);
	experience_guess(&x, &c, &g);
	assert_true((c.then + c.now) / 2 < x.former.place);
	added = g.grown / 1024 * ((uint64_t)x.former.added / 1024) / (x.former.grown / 1024) * 1024;
	assert_in_range(g.mid, 10 * MIB + added - MIB, 10 * MIB + added + MIB);
}

/* The same without a place to see it by: it is seen before long. */
static void forgets_what_was_once(void **state)
{
	struct experience x = {0};

	(void)state;
	learn(&x, 30 * MIB, 200);
	learn(&x, 15 * MIB, 48);
	assert_in_range(mid(&x, &doubled), 15 * MIB, 16 * MIB);
	learn(&x, 30 * MIB, 48);
	assert_in_range(mid(&x, &doubled), 29 * MIB, 30 * MIB);
}

/* Errors that go both ways leave the middle where it is, and make it unsure. */
static void learns_how_far_off_it_is(void **state)
{
	struct experience right = {0}, wrong = {0};

	(void)state;
	learn(&right, 10 * MIB, 1);
	assert_true(experience_tells(&right));
	/* One lesson is none. */
	assert_true(likely(&right, 1) > 19 * MIB);
	learn(&right, 10 * MIB, 60);
	assert_true(likely(&right, 1) < MIB);
	for (unsigned int i = 0; i < 60; i++)
		learn(&wrong, i % 2 ? 9 * MIB : 11 * MIB, 1);
	assert_in_range(mid(&wrong, &doubled), 10 * MIB - MIB / 2, 10 * MIB + MIB / 2);
	assert_in_range(likely(&wrong, 1), 4 * MIB, 16 * MIB);
	/* Of one that nobody knows, there may be more to it. */
	assert_true(likely(&wrong, 0) > 3 * likely(&wrong, 1) / 2);
}

/* One that is like none of the others is known to be so, for a while; and they don't care much. */
static void knows_the_odd_one(void **state)
{
	struct experience x = {0};
	uint16_t odd;

	(void)state;
	learn(&x, 10 * MIB, 60);
	odd = experience_learn(&x, &doubled, 14 * MIB, 0);
	assert_true(likely(&x, odd) > 4 * MIB);
	learn(&x, 10 * MIB, 30);
	assert_true(likely(&x, odd) > 4 * MIB);
	assert_true(likely(&x, 1) < MIB);
	odd = experience_learn(&x, &doubled, 10 * MIB, odd);
	assert_true(likely(&x, odd) > 3 * MIB);
	for (unsigned int i = 0; i < 10; i++)
		odd = experience_learn(&x, &doubled, 10 * MIB, odd);
	assert_true(likely(&x, odd) < MIB);
}

/* A postmaster that hardly maps what its backends do tells nothing of them. */
static void small_changes_teach_nothing(void **state)
{
	static const struct experience_change small = {.rss = MIB / 2,
		.pss = MIB / 20,
		.now_rss = MIB / 2,
		.then = 1000,
		.now = 2000,
		.stirred = 1000};
	struct experience x = {0};

	(void)state;
	assert_true(experience_learn(&x, &small, MIB / 2, 0) > 1); /* but of itself */
	assert_false(experience_tells(&x));
}

/* Whatever it is told. */
static void keeps_order_for_any_input(void **state)
{
	struct experience x = {0};
	uint64_t seed = 3;
	uint16_t odd = 0;

	(void)state;
	for (unsigned int i = 0; i < 100000; i++) {
		struct experience_change c = {.rss = unit_random(&seed) >> unit_random(&seed) % 64};
		struct experience_guess g;

		c.pss = unit_random(&seed) % (c.rss | 1);
		c.now_rss = unit_random(&seed) >> unit_random(&seed) % 64;
		c.then = unit_random(&seed) >> unit_random(&seed) % 64;
		c.now = c.then + (unit_random(&seed) % 2 ? unit_random(&seed) % (~c.then | 1) : 0);
		c.stirred = unit_random(&seed) >> unit_random(&seed) % 64;
		experience_guess(&x, &c, &g);
		assert_true(g.mid <= c.now_rss);
		odd = experience_learn(&x, &c, unit_random(&seed) % (c.now_rss | 1), odd);
		assert_true(experience_likely(&x, &g, odd) > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(divides_what_there_was),
		cmocka_unit_test(learns_what_is_new),
		cmocka_unit_test(sees_that_it_becomes_less),
		cmocka_unit_test(sees_that_it_stays_full),
		cmocka_unit_test(guesses_nothing_of_times_before),
		cmocka_unit_test(forgets_what_was_once),
		cmocka_unit_test(learns_how_far_off_it_is),
		cmocka_unit_test(knows_the_odd_one),
		cmocka_unit_test(small_changes_teach_nothing),
		cmocka_unit_test(keeps_order_for_any_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
