/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bounds against every kind of sharing: a family of processes, pages each with a set of those who
 * map it, deaths and forks at random.
 */
#include "config.h"

#include "tests/unit/unit.h"

#include "base/cleanup.h"
#include "collectors/amount.h"
#include "collectors/degree.h"

#define MIB (UINT64_C(1) << 20)

static struct degree_span forked(
	uint64_t rss, uint64_t pss, uint32_t members, uint32_t dead, uint32_t born)
{
	struct degree_change c = {.members = members, .dead = dead, .born = born};
	struct degree_span s;

	degree_forked(rss, pss, &c, &s);
	return s;
}

/* FIGURE within a page of WANTED. */
static void assert_near(uint64_t figure, uint64_t wanted)
{
	assert_true(figure <= wanted + 4096 && wanted <= figure + 4096);
}

/* Where all share all, the mean tells everything, and the bounds meet. */
static void knows_an_even_family_exactly(void **state)
{
	struct degree_span s = forked(480 * MIB, 24 * MIB, 20, 10, 0);

	(void)state;
	assert_near(s.low, 48 * MIB);
	assert_near(s.mid, 48 * MIB);
	assert_near(s.high, 48 * MIB);
	s = forked(480 * MIB, 24 * MIB, 20, 0, 20);
	assert_near(s.low, 12 * MIB);
	assert_near(s.mid, 12 * MIB);
	assert_near(s.high, 12 * MIB);
	s = forked(480 * MIB, 24 * MIB, 20, 15, 5);
	assert_near(s.low, 48 * MIB);
	assert_near(s.high, 48 * MIB);
	s = forked(480 * MIB, 24 * MIB, 20, 19, 0);
	assert_near(s.low, 480 * MIB);
	assert_near(s.high, 480 * MIB);
}

static void changes_nothing_without_events(void **state)
{
	(void)state;
	for (uint32_t n = 1; n < 50; n++) {
		struct degree_span s = forked(100 * MIB, 13 * MIB, n, 0, 0);

		assert_near(s.low, 13 * MIB);
		assert_near(s.mid, 13 * MIB);
		assert_near(s.high, 13 * MIB);
	}
}

/* One of those who are there, or a part of one, has let go of what all shared. */
static void knows_who_wrote(void **state)
{
	struct degree_change c = {.members = 20, .parted = DEGREE_ONE};
	struct degree_span s;

	(void)state;
	degree_forked(480 * MIB, 24 * MIB, &c, &s);
	assert_near(s.low, 24 * MIB); /* it may have been seen */
	assert_near(s.mid, 480 * MIB / 19);
	c.parted = DEGREE_ONE / 2;
	degree_forked(480 * MIB, 24 * MIB, &c, &s);
	assert_near(s.mid, 480 * MIB * 2 / 39);
	c.dead = 9;
	degree_forked(480 * MIB, 24 * MIB, &c, &s);
	assert_near(s.low, 480 * MIB / 11);
	assert_near(s.mid, 480 * MIB * 2 / 21);
	c.parted = 30 * DEGREE_ONE; /* several times each */
	degree_forked(480 * MIB, 24 * MIB, &c, &s);
	assert_near(s.mid, 480 * MIB);
	c = (struct degree_change){.members = 20, .parted = DEGREE_ONE};
	/* Files are not copied. */
	degree_mapped(480 * MIB, 24 * MIB, &c, &s);
	assert_near(s.high, 24 * MIB);
}

/* Pages of a pair in a family of three: the other one died, or the third did. */
static void bounds_the_uneven(void **state)
{
	struct degree_span s = forked(96 * MIB, 48 * MIB, 3, 1, 0);

	(void)state;
	assert_near(s.low, 48 * MIB);
	assert_near(s.mid, 96 * MIB * 2 / 3);
	assert_near(s.high, 96 * MIB);
	s = forked(96 * MIB, 48 * MIB, 3, 0, 1);
	assert_near(s.low, 32 * MIB);
	assert_near(s.high, 48 * MIB);
}

/* Its own children share all of its pages, others' those that they had from it. */
/* Where few of many have died, they are not all who shared with one. */
static void knows_that_deaths_spread(void **state)
{
	struct degree_change c = {.members = 300, .dead = 20};
	struct degree_span s;

	(void)state;
	/* Shared by 20. Of those who shared with 5 others all may be gone: a third of it, at most. */
	degree_forked(20 * MIB, MIB, &c, &s);
	assert_in_range(s.high, 20 * MIB / 4, 20 * MIB / 3);
	/* A large part of the members: any of them. */
	c.dead = 100;
	degree_forked(20 * MIB, MIB, &c, &s);
	assert_true(s.high >= 19 * MIB);
}

static void tells_its_own_children(void **state)
{
	struct degree_change c = {.members = 12, .dead = 2, .born = 50};
	struct degree_span s;

	(void)state;
	degree_forked(100 * MIB, 20 * MIB, &c, &s);
	/* At best 7 in 15 pages were shared with the two alone, and the rest with everybody. */
	assert_near(s.high, 100 * MIB * 7 / 15 + 100 * MIB * 8 / 15 / 60);
	c = (struct degree_change){.members = 20, .born = 1, .own = 1};
	degree_forked(90 * MIB, 45 * MIB, &c, &s);
	assert_near(s.mid, 30 * MIB);
	assert_near(s.high, 30 * MIB);
	c.dead = 1;
	degree_forked(90 * MIB, 45 * MIB, &c, &s);
	assert_near(s.mid, (uint64_t)(90 / (1 + 18 / 19.0 + 1) * (double)MIB));
	c.dead = c.own = 0;
	degree_forked(90 * MIB, 45 * MIB, &c, &s);
	assert_near(s.mid, 45 * MIB * 20 / 21);
	assert_near(s.high, 45 * MIB);
}

/* More share than the members: strangers, or members that nobody has seen. */
static void allows_for_strangers(void **state)
{
	struct degree_change c = {.members = 20, .dead = 10, .parted = DEGREE_ONE};
	struct degree_span s = forked(100 * MIB, 1 * MIB, 20, 10, 0);

	(void)state;
	/* For each page as many, or for some pages very many, and for the others none. */
	assert_near(s.low, 100 * MIB / 90);
	assert_near(s.mid, 100 * MIB / 90);
	assert_near(s.high, 20 * MIB / 10);
	s = forked(100 * MIB, 1 * MIB, 20, 0, 100);
	assert_near(s.low, 20 * MIB / 120);
	assert_near(s.mid, 100 * MIB / 200);
	assert_near(s.high, 100 * MIB / 200);
	/* Where some have let go of it the middle is elsewhere, and the bounds hold either kind of pages. */
	degree_forked(100 * MIB, 1 * MIB, &c, &s);
	assert_near(s.low, 100 * MIB / 90);
	assert_true(s.mid > 2 * MIB);
	c = (struct degree_change){.members = 20, .born = 20, .parted = DEGREE_ONE};
	degree_forked(100 * MIB, 1 * MIB, &c, &s);
	assert_near(s.low, 20 * MIB / 40);
	assert_true(s.mid < 6 * MIB / 10);
	assert_near(s.high, 100 * MIB / 120);
}

/* Where all share all, the mean tells how many they were, and how many they are now is known. */
static void knows_an_even_family_that_moves(void **state)
{
	struct degree_change c = {.members = 9, .dead = 2, .unsure = 2, .born = 1};
	struct degree_span s;

	(void)state;
	/* Both were gone already. */
	degree_forked(72 * MIB, 72 * MIB / 7, &c, &s);
	assert_near(s.mid, 9 * MIB);
	assert_true(s.low < s.mid && s.mid < s.high);
	/* The one that was born was there, and had not been seen. */
	c = (struct degree_change){.members = 9, .born = 1, .early = 1};
	degree_forked(72 * MIB, 72 * MIB / 10, &c, &s);
	assert_near(s.mid, 72 * MIB / 10);
	/* Some of it is others' than all. */
	c = (struct degree_change){.members = 9, .dead = 3};
	degree_forked(72 * MIB, 72 * MIB * 10 / 87, &c, &s);
	assert_in_range(
		s.mid, 72 * MIB * 10 / 87 * 9 / 6 - 4096, 72 * MIB * 10 / 87 * 9 / 6 + 4096);
	/* Those that share are few of the members. */
	c = (struct degree_change){.members = 90, .dead = 30};
	degree_forked(72 * MIB, 8 * MIB, &c, &s);
	assert_true(s.mid < 12 * MIB && s.mid > 11 * MIB);
}

/* Of the dead some may have been gone when it was measured. */
static void allows_for_the_unsure(void **state)
{
	struct degree_change c = {.members = 20, .dead = 10, .unsure = 10};
	struct degree_change b = {.members = 20, .born = 20, .early = 20};
	struct degree_span s;

	(void)state;
	degree_forked(480 * MIB, 24 * MIB, &c, &s);
	assert_near(s.low, 24 * MIB);
	assert_near(s.mid, 48 * MIB);
	/* Or of the born. */
	degree_forked(480 * MIB, 24 * MIB, &b, &s);
	assert_near(s.mid, 12 * MIB);
	assert_near(s.high, 24 * MIB);
	b.own = 20;
	degree_forked(480 * MIB, 24 * MIB, &b, &s);
	assert_near(s.high, 24 * MIB);
}

/* Others than the family map libraries: by the mean a hundred do, of whom ten have died. */
static void knows_that_strangers_map_files(void **state)
{
	struct degree_change c = {.members = 20, .dead = 10};
	struct degree_span s;

	(void)state;
	degree_mapped(100 * MIB, 1 * MIB, &c, &s);
	assert_near(s.mid, 100 * MIB / 90);
	assert_true(s.low <= MIB && s.high >= 100 * MIB / 90 - 4096);
	c = (struct degree_change){.members = 20, .born = 100};
	degree_mapped(100 * MIB, 1 * MIB, &c, &s);
	assert_near(s.mid, 1 * MIB);
	assert_near(s.low, 100 * MIB / 200);
	assert_near(s.high, 1 * MIB);
}

/* Twenty share 1000 pages: one that lets go of or touches 100 is worth so much to each, and a few times that is allowed for. */
static void allows_for_what_others_touch(void **state)
{
	const uint64_t rss = 1000 * 4096, part = 100 * 4096;
	uint64_t down, up;

	(void)state;
	degree_stirred(rss, rss / 20, part, 0, &down, &up);
	assert_in_range(up, part / (20 * 19), 8 * part / (20 * 19));
	assert_int_equal(down, 0);
	degree_stirred(rss, rss / 20, 0, part, &down, &up);
	assert_in_range(down, part / (20 * 21), 8 * part / (20 * 21));
	assert_int_equal(up, 0);
	/* Where two share, the one that is left has it all. */
	degree_stirred(rss, rss / 2, part, 0, &down, &up);
	assert_int_equal(up, part / 2);
	/* Never more than there is. */
	degree_stirred(rss, rss / 20, UINT64_MAX, UINT64_MAX, &down, &up);
	assert_int_equal(up, rss - rss / 20);
	assert_int_equal(down, rss / 20);
	degree_stirred(rss, 0, part, part, &down, &up);
	assert_int_equal(up + down, 0);
	degree_stirred(0, 0, part, part, &down, &up);
	assert_int_equal(up + down, 0);
}

static void corrects_by_another(void **state)
{
	struct degree_span s = {10 * MIB, 12 * MIB, 14 * MIB};
	uint32_t c = degree_correction(100 * MIB, 12 * MIB, 50 * MIB, 12 * MIB);

	(void)state;
	assert_int_equal(c, 2 * DEGREE_AS_GUESSED);
	degree_correct(&s, c, 100 * MIB);
	assert_int_equal(s.mid, 24 * MIB);
	assert_int_equal(s.low, 10 * MIB);
	assert_int_equal(s.high, 27 * MIB);
	degree_correct(&s, DEGREE_AS_GUESSED / 4, 100 * MIB);
	assert_int_equal(s.mid, 6 * MIB);
	assert_true(s.low <= 2 * MIB && s.high == 27 * MIB);
	degree_correct(&s, 16 * DEGREE_AS_GUESSED, 20 * MIB);
	assert_true(s.mid == 20 * MIB && s.high <= 27 * MIB);
	assert_int_equal(degree_correction(0, 0, 5, 5), DEGREE_AS_GUESSED);
	assert_int_equal(degree_correction(1, 1, UINT64_MAX, 0), DEGREE_AS_GUESSED);
	/* By 16 either way, and no more: beyond that it says something of that one alone. */
	assert_in_range(degree_correction(100 * MIB, MIB, 100 * MIB, 10 * MIB), 655359, 655361);
	assert_in_range(degree_correction(100 * MIB, 50 * MIB, 100 * MIB, 5 * MIB), 6553, 6554);
	assert_int_equal(
		degree_correction(100 * MIB, MIB, 100 * MIB, 90 * MIB), 16 * DEGREE_AS_GUESSED);
	assert_int_equal(
		degree_correction(100 * MIB, 50 * MIB, 100 * MIB, MIB), DEGREE_AS_GUESSED / 16);
	assert_true(degree_correction(UINT64_MAX, 1 << 20, 1, 1) <= 16 * DEGREE_AS_GUESSED);
}

/* Who maps a page: bit 0 is the process that is looked at. */
enum { PAGES = 64, MEMBERS_MAX = 12, BORN_MAX = 8 };

static uint64_t pss_of(const uint64_t *page)
{
	uint64_t pss = 0;

	for (unsigned int i = 0; i < PAGES; i++)
		pss += MIB / (unsigned int)__builtin_popcountll(page[i]);
	return pss;
}

static void share(uint64_t *page, unsigned int members, uint64_t *seed)
{
	unsigned int kind = unit_random(seed) % 4;

	for (unsigned int i = 0; i < PAGES; i++) {
		uint64_t mask = 1;

		if (kind == 0 || (kind == 1 && i % 8))
			mask = (UINT64_C(1) << members) - 1;
		else if (kind == 2)
			mask |= UINT64_C(1) << (1 + i % 2);
		else
			mask |= unit_random(seed) & ((UINT64_C(1) << members) - 1);
		mask &= (UINT64_C(1) << members) - 1;
		if (mask == 1)
			mask |= UINT64_C(1) << (1 + unit_random(seed) % (members - 1));
		page[i] = mask;
	}
}

/* A worker's copies of what all share are worth a little to each of the others, and not as much as it has written. */
static void tells_what_others_write(void **state)
{
	const uint64_t rss = 1000 * 4096;

	(void)state;
	assert_int_equal(degree_written(rss, rss / 20, 20, 20 * 4096), 4096);
	assert_int_equal(degree_written(rss, rss / 20, 20, 19 * rss), rss / 20 * 19);
	assert_int_equal(degree_written(rss, rss / 20, 20, UINT64_MAX), rss - rss / 20);
	assert_int_equal(degree_written(rss, rss / 2, 2, 100), 50);
	/* One page of two: the rest is of all. */
	assert_in_range(degree_written(rss, rss / 20 + 1024, 20, rss), rss / 20, rss / 12);
	assert_int_equal(degree_written(rss, rss / 20, 20, 0), 0);
	assert_int_equal(degree_written(rss, rss / 20, 1, 100), 50); /* of others nobody knows */
	assert_int_equal(degree_written(0, 0, 20, 100), 0);
	assert_true(degree_written(UINT64_MAX, UINT64_MAX, UINT32_MAX, UINT64_MAX) == 0);
}

static uint64_t sharers(uint64_t rss, uint64_t pss, uint32_t known)
{
	return degree_sharers(rss, pss, &(struct degree_outside){0}, known);
}

/* A mean of a whole number says who shares all, whoever is known. */
static void tells_how_many_share_all(void **state)
{
	const uint64_t rss = 480 * MIB;

	(void)state;
	for (uint32_t n = 1; n < 200; n++) {
		assert_int_equal(sharers(rss, rss / n, 1), n);
		assert_int_equal(sharers(rss, rss / n, n), n);
		assert_int_equal(sharers(rss, rss / n, 1000), n);
		assert_int_equal(sharers(rss, rss * 10 / (10 * n + 5), n), 0);
	}
	assert_int_equal(sharers(rss, 0, 5), 0);
	assert_int_equal(sharers(0, 0, 5), 0);
	assert_int_equal(sharers(UINT64_MAX, UINT64_MAX, 5), 1);
}

/* With some of it others', it is as near to who is known as can be. */
static void allows_for_others_who_share(void **state)
{
	const uint64_t rss = 64 * MIB;

	(void)state;
	for (uint32_t n = 2; n < 20; n++)
		for (uint64_t others = 1; others < 64; others *= 2)
			for (uint64_t some = 0; some <= 64 * MIB; some += 8 * MIB) {
				const struct degree_outside one = {some, 1}, most = {some, others};
				uint64_t pss = (rss - some) / n + some / (n + others);

				assert_int_equal(degree_sharers(rss, pss, &most, n), n);
				if (others == 1 && some <= 8 * MIB) {
					assert_int_equal(degree_sharers(rss, pss, &one, n - 1), n);
					assert_int_equal(degree_sharers(rss, pss, &one, n + 5), n);
				}
			}
}

static void holds_for_any_writing(void **state)
{
	uint64_t seed = 11;

	(void)state;
	for (unsigned int turn = 0; turn < 20000; turn++) {
		unsigned int members = 2 + unit_random(&seed) % (MEMBERS_MAX - 1);
		uint64_t page[PAGES], written = 0, pss, most, wish = unit_random(&seed) % 10;

		share(page, members, &seed);
		pss = pss_of(page);
		for (unsigned int i = 0; i < PAGES; i++)
			for (unsigned int m = 1; m < members; m++)
				if (page[i] >> m & 1 && unit_random(&seed) % 10 < wish) {
					page[i] &= ~(UINT64_C(1) << m);
					written += MIB;
				}
		most = degree_written(PAGES * MIB, pss, members, written);
		assert_true(pss_of(page) <= pss + most + 4096);
	}
}

static void holds_for_any_sharing(void **state)
{
	uint64_t seed = 3;

	(void)state;
	for (unsigned int round = 0; round < 100000; round++) {
		unsigned int members = 2 + unit_random(&seed) % (MEMBERS_MAX - 1);
		struct degree_change c = {.members = members};
		uint64_t page[PAGES], descends = 1, alive = (UINT64_C(1) << members) - 1;
		struct degree_span s;
		uint64_t before, after;

		share(page, members, &seed);
		before = pss_of(page);
		for (unsigned int i = 1, wish = unit_random(&seed) % members; i < members; i++)
			if (unit_random(&seed) % members < wish) {
				alive &= ~(UINT64_C(1) << i);
				c.dead++;
			}
		for (unsigned int i = 0; i < PAGES; i++)
			page[i] &= alive;
		c.born = unit_random(&seed) % 3 ? unit_random(&seed) % BORN_MAX : 0;
		for (unsigned int b = 0; b < c.born; b++) {
			unsigned int parent;

			do
				parent = unit_random(&seed) % (members + b);
			while (!((alive >> parent) & 1));
			for (unsigned int i = 0; i < PAGES; i++)
				page[i] |= ((page[i] >> parent) & 1) << (members + b);
			alive |= UINT64_C(1) << (members + b);
			if ((descends >> parent) & 1) {
				descends |= UINT64_C(1) << (members + b);
				c.own++;
			}
		}
		after = pss_of(page);
		degree_forked(PAGES * MIB, before, &c, &s);
		/* Shares are rounded down to bytes. */
		assert_true(s.low <= after + PAGES * 2);
		assert_true(after <= s.high + PAGES * 2 + s.high / 1000);
		degree_mapped(PAGES * MIB, before, &c, &s);
		assert_true(s.low <= s.mid && s.mid <= s.high);
		assert_true(s.low <= after + PAGES * 2);
		assert_true(after <= s.high + PAGES * 2 + s.high / 1000);
	}
}

static void keeps_order_for_any_input(void **state)
{
	uint64_t seed = 5;

	(void)state;
	for (unsigned int round = 0; round < 300000; round++) {
		uint64_t rss = unit_random(&seed) >> unit_random(&seed) % 64;
		uint64_t pss = unit_random(&seed) % 4 ? rss / (2 + unit_random(&seed) % 1000)
		                                      : unit_random(&seed);
		struct degree_change c = {
			.members = (uint32_t)amount_max(
				1, (uint32_t)unit_random(&seed) >> unit_random(&seed) % 32)};
		struct degree_span s;

		c.dead = (uint32_t)(unit_random(&seed) % c.members);
		c.unsure = (uint32_t)(unit_random(&seed) % (c.dead + UINT64_C(1)));
		c.born = unit_random(&seed) % 2
		                 ? (uint32_t)unit_random(&seed) >> unit_random(&seed) % 32
		                 : 0;
		c.own = (uint32_t)(unit_random(&seed) % (c.born + UINT64_C(1)));
		c.early = (uint32_t)(unit_random(&seed) % (c.born + UINT64_C(1)));
		degree_forked(rss, pss, &c, &s);
		assert_true(s.low <= s.mid && s.mid <= s.high && s.high <= rss);
		degree_mapped(rss, pss, &c, &s);
		assert_true(s.low <= s.mid && s.mid <= s.high && s.high <= rss);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_an_even_family_exactly),
		cmocka_unit_test(changes_nothing_without_events),
		cmocka_unit_test(knows_who_wrote),
		cmocka_unit_test(bounds_the_uneven),
		cmocka_unit_test(knows_that_deaths_spread),
		cmocka_unit_test(tells_its_own_children),
		cmocka_unit_test(allows_for_strangers),
		cmocka_unit_test(knows_an_even_family_that_moves),
		cmocka_unit_test(allows_for_the_unsure),
		cmocka_unit_test(knows_that_strangers_map_files),
		cmocka_unit_test(allows_for_what_others_touch),
		cmocka_unit_test(corrects_by_another),
		cmocka_unit_test(tells_what_others_write),
		cmocka_unit_test(tells_how_many_share_all),
		cmocka_unit_test(allows_for_others_who_share),
		cmocka_unit_test(holds_for_any_writing),
		cmocka_unit_test(holds_for_any_sharing),
		cmocka_unit_test(keeps_order_for_any_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
