/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the bookkeeping of copy-on-write breaks in a fork family. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "collectors/model/family/cow-breaks.h"

static void assert_since(const struct cow_breaks *b, uint64_t since_ns, uint64_t gained,
	uint32_t parted, uint32_t writers)
{
	struct cow_breaks_sum s;

	cow_breaks_since(b, since_ns, &s);
	assert_int_equal(s.gained, gained);
	assert_int_equal(s.parted, parted);
	assert_int_equal(s.writers, writers);
}

/*
 * A member learns of copies that others made after its own measurement, in whatever order they are
 * found.
 */
static void separates_breaks_by_time(void **state)
{
	struct cow_breaks b = {.count = 0};
	struct cow_breaks_writer w[5] = {{0}};

	(void)state;
	assert_since(&b, 0, 0, 0, 0);
	cow_breaks_add(&b, &w[0], 300, 1200, 0, 50);
	cow_breaks_add(&b, &w[1], 100, 100, 0, 30);
	cow_breaks_add(&b, &w[2], 10, 40, 0, 50);
	assert_since(&b, 0, 410, COW_BREAKS_ONE + COW_BREAKS_ONE / 2, 3);
	assert_since(&b, 25, 410, COW_BREAKS_ONE / 6 + COW_BREAKS_ONE / 4, 3);
	assert_since(&b, 30, 310, COW_BREAKS_ONE / 5, 2);
	assert_since(&b, 50, 0, 0, 0);
	/* A member that was measured before the writers has seen none of their copies. */
	b = (struct cow_breaks){.count = 0};
	cow_breaks_add(&b, &w[3], 1, 2, 20, 50);
	cow_breaks_add(&b, &w[4], 1, 2, 40, 50);
	assert_since(&b, 29, 2, COW_BREAKS_ONE, 2);
	assert_since(&b, 40, 2, COW_BREAKS_ONE / 2, 2);
}

/*
 * The last times are kept apart. Older times are merged, so that no member learns of too few
 * copies.
 */
static void keeps_the_last(void **state)
{
	struct cow_breaks b = {.count = 0};
	enum { TIMES = 3 * COW_BREAKS_KEPT };

	(void)state;
	for (uint64_t at = 1; at <= TIMES; at++)
		cow_breaks_add(&b, &(struct cow_breaks_writer){0}, 1, 2, 0, 10 * at);
	for (uint64_t at = 0; at <= TIMES; at++) {
		struct cow_breaks_sum s;

		cow_breaks_since(&b, 10 * at, &s);
		assert_true(s.gained >= TIMES - at);
		if (at > TIMES - COW_BREAKS_KEPT)
			assert_int_equal(s.gained, TIMES - at);
	}
	assert_since(&b, 0, TIMES, TIMES * COW_BREAKS_ONE / 2, TIMES);
	cow_breaks_add(&b, &(struct cow_breaks_writer){0}, 1, 2, 0, 5); /* older than all */
	assert_since(&b, 0, TIMES + 1, (TIMES + 1) * COW_BREAKS_ONE / 2, TIMES + 1);
}

static void add_new(struct cow_breaks *b, uint64_t room, uint64_t from_ns, uint64_t at_ns)
{
	cow_breaks_add(b, &(struct cow_breaks_writer){0}, 1, room, from_ns, at_ns);
}

/* Copies from long ago do not count as new if times are found out of order. */
static void keeps_the_old_apart(void **state)
{
	struct cow_breaks b = {.count = 0};
	struct cow_breaks_sum s;

	(void)state;
	for (unsigned int i = 0; i < 8; i++)
		add_new(&b, 1, 0, 100);
	for (uint64_t i = 0; i < COW_BREAKS_KEPT; i++)
		add_new(&b, 100, 200, 300 + 10 * i);
	/* The oldest entry now covers 0 to 300. */
	add_new(&b, 100, 200, 295);
	add_new(&b, 100, 200, 400);
	cow_breaks_since(&b, 250, &s);
	assert_in_range(s.parted, COW_BREAKS_ONE, COW_BREAKS_ONE * 2);
}

/*
 * An exited writer shares nothing any more. Its earlier copies are removed from the totals, and
 * copies of other writers stay.
 */
static void removes_copies_of_exited_writers(void **state)
{
	struct cow_breaks b = {.count = 0};
	struct cow_breaks_writer w = {0}, other = {0}, none = {0};

	(void)state;
	cow_breaks_leave(&b, &none);
	cow_breaks_add(&b, &w, 1, 2, 10, 20);
	cow_breaks_add(&b, &other, 1, 4, 10, 20);
	cow_breaks_add(&b, &w, 1, 2, 20, 30);
	cow_breaks_add(&b, &other, 1, 6, 20, 30);
	cow_breaks_add(&b, &other, 1, 5, 30, 40);
	assert_since(&b, 0, 5, COW_BREAKS_ONE * 5 / 4, 5);
	cow_breaks_leave(&b, &none);
	assert_since(&b, 0, 5, COW_BREAKS_ONE * 5 / 4, 5);
	cow_breaks_leave(&b, &w);
	assert_since(&b, 0, 5, COW_BREAKS_ONE / 2, 5); /* others keep their gain from its copies */
	assert_since(&b, 20, 3, COW_BREAKS_ONE / 4, 3);
	assert_since(&b, 30, 1, COW_BREAKS_ONE / 8, 1);
	cow_breaks_leave(&b, &w); /* counted once */
	assert_since(&b, 0, 5, COW_BREAKS_ONE / 2, 5);
	/* So it is in merged entries. */
	cow_breaks_add(&b, &w, 1, 2, 0, 50);
	for (uint64_t at = 60; at < 200; at += 10)
		cow_breaks_add(&b, &(struct cow_breaks_writer){0}, 1, 2, 0, at);
	cow_breaks_leave(&b, &w);
	cow_breaks_leave(&b, &other);
	assert_since(&b, 0, 20, 14 * COW_BREAKS_ONE / 2, 20);
}

/*
 * A writer that copies half of the rest, and again half of the rest, has copied less than all,
 * however often.
 */
static void counts_a_writer_once(void **state)
{
	struct cow_breaks b = {.count = 0};
	struct cow_breaks_writer w = {0};

	(void)state;
	for (uint64_t at = 1; at <= 20; at++) {
		cow_breaks_add(&b, &w, 1, 2, 0, at);
		if (at == 3)
			assert_since(&b, 0, 3, COW_BREAKS_ONE * 7 / 8, 3);
	}
	assert_since(&b, 0, 20, COW_BREAKS_ONE - 1, 20);
	cow_breaks_add(&b, &w, 1, 1, 0, 21);
	assert_since(&b, 0, 21, COW_BREAKS_ONE, 21);
	cow_breaks_leave(&b, &w);
	assert_since(&b, 0, 21, 0, 21);
}

static void accepts_any_number(void **state)
{
	struct cow_breaks b = {.count = 0};
	struct cow_breaks_writer w = {0};

	(void)state;
	cow_breaks_add(&b, &w, 5, 0, 1, 1); /* no room was known */
	assert_since(&b, 0, 5, 0, 1);
	cow_breaks_add(&b, &w, 8, 4, 1, 1);
	cow_breaks_add(&b, &w, UINT64_MAX, UINT64_MAX, 1, 1); /* it has copied all that it shared */
	assert_since(&b, 0, UINT64_MAX, COW_BREAKS_ONE, 3);
	for (unsigned int i = 0; i < 70000; i++)
		cow_breaks_add(&b, &(struct cow_breaks_writer){0}, UINT64_MAX, UINT64_MAX, 1, 1);
	assert_since(&b, 0, UINT64_MAX, UINT32_MAX, 70003);
}

/* Suspected copy-on-write breaks of others count, except of processes measured since. */
static void counts_suspicions_of_others(void **state)
{
	struct cow_breaks b = {.count = 0};

	(void)state;
	assert_int_equal(cow_breaks_suspected(&b, 0, 0), 0);
	cow_breaks_suspect(&b, 0, 100, 20);
	cow_breaks_suspect(&b, 0, 50, 30);
	assert_int_equal(cow_breaks_suspected(&b, 0, 29), 150);
	assert_int_equal(cow_breaks_suspected(&b, 100, 29), 50);
	assert_int_equal(cow_breaks_suspected(&b, 0, 30), 0);
	cow_breaks_suspect(&b, 100, 0, 40); /* a measurement is no new suspicion */
	assert_int_equal(cow_breaks_suspected(&b, 0, 29), 50);
	assert_int_equal(cow_breaks_suspected(&b, 0, 30), 0);
}

/*
 * If suspicions were wrong lately, little of a new one counts, and more again after one was right.
 */
static void weighs_suspicions_by_experience(void **state)
{
	struct cow_breaks b = {.count = 0};

	(void)state;
	cow_breaks_suspect(&b, 0, 6400, 10);
	cow_breaks_answer(&b, 0, 1000);
	assert_int_equal(cow_breaks_suspected(&b, 0, 0), 6400);
	for (int i = 0; i < 8; i++)
		cow_breaks_answer(&b, 1000, 0);
	assert_int_equal(cow_breaks_suspected(&b, 0, 0), 99); /* a 64th */
	for (int i = 0; i < 8; i++)
		cow_breaks_answer(&b, 1000, 250);
	assert_in_range(
		cow_breaks_suspected(&b, 0, 0), 1600, 3300); /* twice the part that was right */
	for (int i = 0; i < 8; i++)
		cow_breaks_answer(&b, 1000, 5000);
	assert_int_equal(cow_breaks_suspected(&b, 0, 0), 6400);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(separates_breaks_by_time),
		cmocka_unit_test(keeps_the_last),
		cmocka_unit_test(keeps_the_old_apart),
		cmocka_unit_test(removes_copies_of_exited_writers),
		cmocka_unit_test(counts_a_writer_once),
		cmocka_unit_test(accepts_any_number),
		cmocka_unit_test(counts_suspicions_of_others),
		cmocka_unit_test(weighs_suspicions_by_experience),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
