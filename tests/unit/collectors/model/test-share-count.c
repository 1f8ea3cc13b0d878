/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the share counts after births and exits (share-count.h). The bounds are checked against
 * simulated families: each page has a random set of processes that map it, and processes exit and
 * fork at random.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "base/saturate.h"
#include "collectors/model/share-count.h"

#define MIB (UINT64_C(1) << 20)

static struct share_count_span forked(
	uint64_t rss, uint64_t pss, uint32_t members, uint32_t dead, uint32_t born)
{
	struct share_count_change c = {.members = members, .dead = dead, .born = born};
	struct share_count_span s;

	share_count_forked(rss, pss, &c, &s);
	return s;
}

/* FIGURE is within a page of WANTED. */
static void assert_near(uint64_t figure, uint64_t wanted)
{
	assert_true(figure <= wanted + 4096 && wanted <= figure + 4096);
}

/* If all members share all pages, the mean determines everything: low, mid and high are equal. */
static void knows_an_even_family_exactly(void **state)
{
	struct share_count_span s = forked(480 * MIB, 24 * MIB, 20, 10, 0);

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
		struct share_count_span s = forked(100 * MIB, 13 * MIB, n, 0, 0);

		assert_near(s.low, 13 * MIB);
		assert_near(s.mid, 13 * MIB);
		assert_near(s.high, 13 * MIB);
	}
}

/* A living member has copied all or half of what all shared. */
static void follows_copies_on_write(void **state)
{
	struct share_count_change c = {.members = 20, .parted = SHARE_COUNT_ONE};
	struct share_count_span s;

	(void)state;
	share_count_forked(480 * MIB, 24 * MIB, &c, &s);
	assert_near(s.low, 24 * MIB); /* the measurement may have seen the copies */
	assert_near(s.mid, 480 * MIB / 19);
	c.parted = SHARE_COUNT_ONE / 2;
	share_count_forked(480 * MIB, 24 * MIB, &c, &s);
	assert_near(s.mid, 480 * MIB * 2 / 39);
	c.dead = 9;
	share_count_forked(480 * MIB, 24 * MIB, &c, &s);
	assert_near(s.low, 480 * MIB / 11);
	assert_near(s.mid, 480 * MIB * 2 / 21);
	c.parted = 30 * SHARE_COUNT_ONE; /* several times all of it, by each */
	share_count_forked(480 * MIB, 24 * MIB, &c, &s);
	assert_near(s.mid, 480 * MIB);
	c = (struct share_count_change){.members = 20, .parted = SHARE_COUNT_ONE};
	/* writes do not copy pages of files */
	share_count_mapped(480 * MIB, 24 * MIB, &c, &s);
	assert_near(s.high, 24 * MIB);
}

/*
 * In a family of three, two share the pages: either the other sharer exited, or the third member
 * did.
 */
static void bounds_the_uneven(void **state)
{
	struct share_count_span s = forked(96 * MIB, 48 * MIB, 3, 1, 0);

	(void)state;
	assert_near(s.low, 48 * MIB);
	assert_near(s.mid, 96 * MIB * 2 / 3);
	assert_near(s.high, 96 * MIB);
	s = forked(96 * MIB, 48 * MIB, 3, 0, 1);
	assert_near(s.low, 32 * MIB);
	assert_near(s.high, 48 * MIB);
}

/* If few of many members exited, they are unlikely to be all the sharers of a page. */
static void spreads_exits_over_all_members(void **state)
{
	struct share_count_change c = {.members = 300, .dead = 20};
	struct share_count_span s;

	(void)state;
	/*
	 * Shared by 20 on average. Pages shared with 5 others may have lost all of these: at most a
	 * third of the pages.
	 */
	share_count_forked(20 * MIB, MIB, &c, &s);
	assert_in_range(s.high, 20 * MIB / 4, 20 * MIB / 3);
	/* If many members exited, any of the sharers may be among them. */
	c.dead = 100;
	share_count_forked(20 * MIB, MIB, &c, &s);
	assert_true(s.high >= 19 * MIB);
}

/*
 * Children of the process itself share all of its pages. Children of others share only the pages
 * they had from their parent.
 */
static void distinguishes_own_children(void **state)
{
	struct share_count_change c = {.members = 12, .dead = 2, .born = 50};
	struct share_count_span s;

	(void)state;
	share_count_forked(100 * MIB, 20 * MIB, &c, &s);
	/*
	 * At best 7 of 15 pages were shared with the two that exited alone, and the others with
	 * all.
	 */
	assert_near(s.high, 100 * MIB * 7 / 15 + 100 * MIB * 8 / 15 / 60);
	c = (struct share_count_change){.members = 20, .born = 1, .own = 1};
	share_count_forked(90 * MIB, 45 * MIB, &c, &s);
	assert_near(s.mid, 30 * MIB);
	assert_near(s.high, 30 * MIB);
	c.dead = 1;
	share_count_forked(90 * MIB, 45 * MIB, &c, &s);
	assert_near(s.mid, (uint64_t)(90 / (1 + 18 / 19.0 + 1) * (double)MIB));
	c.dead = c.own = 0;
	share_count_forked(90 * MIB, 45 * MIB, &c, &s);
	assert_near(s.mid, 45 * MIB * 20 / 21);
	assert_near(s.high, 45 * MIB);
}

/*
 * The mean implies more sharers than members: unrelated processes, or members that no pass has
 * seen.
 */
static void allows_for_unrelated_sharers(void **state)
{
	struct share_count_change c = {.members = 20, .dead = 10, .parted = SHARE_COUNT_ONE};
	struct share_count_span s = forked(100 * MIB, 1 * MIB, 20, 10, 0);

	(void)state;
	/* Either each page has as many sharers, or some pages have very many and others none. */
	assert_near(s.low, 100 * MIB / 90);
	assert_near(s.mid, 100 * MIB / 90);
	assert_near(s.high, 20 * MIB / 10);
	s = forked(100 * MIB, 1 * MIB, 20, 0, 100);
	assert_near(s.low, 20 * MIB / 120);
	assert_near(s.mid, 100 * MIB / 200);
	assert_near(s.high, 100 * MIB / 200);
	/* After copy-on-write breaks the middle differs, and the bounds hold for both cases. */
	share_count_forked(100 * MIB, 1 * MIB, &c, &s);
	assert_near(s.low, 100 * MIB / 90);
	assert_true(s.mid > 2 * MIB);
	c = (struct share_count_change){.members = 20, .born = 20, .parted = SHARE_COUNT_ONE};
	share_count_forked(100 * MIB, 1 * MIB, &c, &s);
	assert_near(s.low, 20 * MIB / 40);
	assert_true(s.mid < 6 * MIB / 10);
	assert_near(s.high, 100 * MIB / 120);
}

/*
 * If all members share all pages, the mean tells how many they were at the measurement. How many
 * they are now is known.
 */
static void knows_an_even_family_that_changes(void **state)
{
	struct share_count_change c = {.members = 9, .dead = 2, .unsure = 2, .born = 1};
	struct share_count_span s;

	(void)state;
	/* both had exited before the measurement */
	share_count_forked(72 * MIB, 72 * MIB / 7, &c, &s);
	assert_near(s.mid, 9 * MIB);
	assert_true(s.low < s.mid && s.mid < s.high);
	/* the newborn was there at the measurement, though no pass had seen it */
	c = (struct share_count_change){.members = 9, .born = 1, .early = 1};
	share_count_forked(72 * MIB, 72 * MIB / 10, &c, &s);
	assert_near(s.mid, 72 * MIB / 10);
	/* some pages have fewer sharers than all */
	c = (struct share_count_change){.members = 9, .dead = 3};
	share_count_forked(72 * MIB, 72 * MIB * 10 / 87, &c, &s);
	assert_in_range(
		s.mid, 72 * MIB * 10 / 87 * 9 / 6 - 4096, 72 * MIB * 10 / 87 * 9 / 6 + 4096);
	/* few of the members share */
	c = (struct share_count_change){.members = 90, .dead = 30};
	share_count_forked(72 * MIB, 8 * MIB, &c, &s);
	assert_true(s.mid < 12 * MIB && s.mid > 11 * MIB);
}

/* Some of the dead may have exited before the measurement. */
static void allows_for_events_of_unknown_order(void **state)
{
	struct share_count_change c = {.members = 20, .dead = 10, .unsure = 10};
	struct share_count_change b = {.members = 20, .born = 20, .early = 20};
	struct share_count_span s;

	(void)state;
	share_count_forked(480 * MIB, 24 * MIB, &c, &s);
	assert_near(s.low, 24 * MIB);
	assert_near(s.mid, 48 * MIB);
	/* Some of the newborns may have been there at the measurement. */
	share_count_forked(480 * MIB, 24 * MIB, &b, &s);
	assert_near(s.mid, 12 * MIB);
	assert_near(s.high, 24 * MIB);
	b.own = 20;
	share_count_forked(480 * MIB, 24 * MIB, &b, &s);
	assert_near(s.high, 24 * MIB);
}

/*
 * Unrelated processes map libraries, too: by the mean a hundred processes do; ten of them exited.
 */
static void assumes_other_mappers_of_files(void **state)
{
	struct share_count_change c = {.members = 20, .dead = 10};
	struct share_count_span s;

	(void)state;
	share_count_mapped(100 * MIB, 1 * MIB, &c, &s);
	assert_near(s.mid, 100 * MIB / 90);
	assert_true(s.low <= MIB && s.high >= 100 * MIB / 90 - 4096);
	c = (struct share_count_change){.members = 20, .born = 100};
	share_count_mapped(100 * MIB, 1 * MIB, &c, &s);
	assert_near(s.mid, 1 * MIB);
	assert_near(s.low, 100 * MIB / 200);
	assert_near(s.high, 1 * MIB);
}

/*
 * Twenty processes share 1000 pages. If one releases or touches 100 of them, each is affected by so
 * much. The bounds allow a small multiple of it.
 */
static void allows_for_touches_of_others(void **state)
{
	const uint64_t rss = 1000 * 4096, part = 100 * 4096;
	uint64_t down, up;

	(void)state;
	share_count_stirred(rss, rss / 20, part, 0, &down, &up);
	assert_in_range(up, part / (20 * 19), 8 * part / (20 * 19));
	assert_int_equal(down, 0);
	share_count_stirred(rss, rss / 20, 0, part, &down, &up);
	assert_in_range(down, part / (20 * 21), 8 * part / (20 * 21));
	assert_int_equal(up, 0);
	/* if two share, the other one keeps all of it */
	share_count_stirred(rss, rss / 2, part, 0, &down, &up);
	assert_int_equal(up, part / 2);
	/* never more than the resident memory */
	share_count_stirred(rss, rss / 20, UINT64_MAX, UINT64_MAX, &down, &up);
	assert_int_equal(up, rss - rss / 20);
	assert_int_equal(down, rss / 20);
	share_count_stirred(rss, 0, part, part, &down, &up);
	assert_int_equal(up + down, 0);
	share_count_stirred(0, 0, part, part, &down, &up);
	assert_int_equal(up + down, 0);
}

static void corrects_by_another_member(void **state)
{
	struct share_count_span s = {10 * MIB, 12 * MIB, 14 * MIB};
	uint32_t c = share_count_correction(100 * MIB, 12 * MIB, 50 * MIB, 12 * MIB);

	(void)state;
	assert_int_equal(c, 2 * SHARE_COUNT_AS_GUESSED);
	share_count_correct(&s, c, 100 * MIB);
	assert_int_equal(s.mid, 24 * MIB);
	assert_int_equal(s.low, 10 * MIB);
	assert_int_equal(s.high, 24 * MIB);
	share_count_correct(&s, SHARE_COUNT_AS_GUESSED / 4, 100 * MIB);
	assert_int_equal(s.mid, 6 * MIB);
	assert_true(s.low == 6 * MIB && s.high == 24 * MIB);
	share_count_correct(&s, 16 * SHARE_COUNT_AS_GUESSED, 20 * MIB);
	assert_true(s.mid == 20 * MIB && s.high == 24 * MIB);
	assert_int_equal(share_count_correction(0, 0, 5, 5), SHARE_COUNT_AS_GUESSED);
	assert_int_equal(share_count_correction(1, 1, UINT64_MAX, 0), SHARE_COUNT_AS_GUESSED);
}

/* Bits of a page's mask: the processes that map it. Bit 0 is the process under test. */
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

/*
 * A worker's copies of pages that all share raise the PSS of each other sharer by a little, and not
 * by all that it wrote.
 */
static void bounds_writes_of_others(void **state)
{
	const uint64_t rss = 1000 * 4096;

	(void)state;
	assert_int_equal(share_count_written(rss, rss / 20, 20, 20 * 4096), 4096);
	assert_int_equal(share_count_written(rss, rss / 20, 20, 19 * rss), rss / 20 * 19);
	assert_int_equal(share_count_written(rss, rss / 20, 20, UINT64_MAX), rss - rss / 20);
	assert_int_equal(share_count_written(rss, rss / 2, 2, 100), 50);
	/* One page is shared by two, and the rest by all. */
	assert_in_range(share_count_written(rss, rss / 20 + 1024, 20, rss), rss / 20, rss / 12);
	assert_int_equal(share_count_written(rss, rss / 20, 20, 0), 0);
	/* the other sharers are not known */
	assert_int_equal(share_count_written(rss, rss / 20, 1, 100), 50);
	assert_int_equal(share_count_written(0, 0, 20, 100), 0);
	assert_true(share_count_written(UINT64_MAX, UINT64_MAX, UINT32_MAX, UINT64_MAX) == 0);
}

static uint64_t sharers(uint64_t rss, uint64_t pss, uint32_t known)
{
	return share_count_sharers(rss, pss, &(struct share_count_outside){0}, known);
}

/* If the mean implies a whole number, so many share all pages, whatever number is known. */
static void finds_the_number_of_sharers(void **state)
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

/* If others share a part of it, the number is the one closest to the known number. */
static void allows_for_outside_sharers(void **state)
{
	const uint64_t rss = 64 * MIB;

	(void)state;
	for (uint32_t n = 2; n < 20; n++)
		for (uint64_t others = 1; others < 64; others *= 2)
			for (uint64_t some = 0; some <= 64 * MIB; some += 8 * MIB) {
				const struct share_count_outside one = {some, 1},
								 most = {some, others};
				uint64_t pss = (rss - some) / n + some / (n + others);

				assert_int_equal(share_count_sharers(rss, pss, &most, n), n);
				if (others == 1 && some <= 8 * MIB) {
					assert_int_equal(
						share_count_sharers(rss, pss, &one, n - 1), n);
					assert_int_equal(
						share_count_sharers(rss, pss, &one, n + 5), n);
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
		most = share_count_written(PAGES * MIB, pss, members, written);
		assert_true(pss_of(page) <= pss + most + 4096);
	}
}

static void holds_for_any_sharing(void **state)
{
	uint64_t seed = 3;

	(void)state;
	for (unsigned int round = 0; round < 100000; round++) {
		unsigned int members = 2 + unit_random(&seed) % (MEMBERS_MAX - 1);
		struct share_count_change c = {.members = members};
		uint64_t page[PAGES], descends = 1, alive = (UINT64_C(1) << members) - 1;
		struct share_count_span s;
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
		share_count_forked(PAGES * MIB, before, &c, &s);
		/* shares are rounded down to bytes */
		assert_true(s.low <= after + PAGES * 2);
		assert_true(after <= s.high + PAGES * 2 + s.high / 1000);
		share_count_mapped(PAGES * MIB, before, &c, &s);
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
		struct share_count_change c = {
			.members = (uint32_t)saturate_max(
				1, (uint32_t)unit_random(&seed) >> unit_random(&seed) % 32)};
		struct share_count_span s;

		c.dead = (uint32_t)(unit_random(&seed) % c.members);
		c.unsure = (uint32_t)(unit_random(&seed) % (c.dead + UINT64_C(1)));
		c.born = unit_random(&seed) % 2
		                 ? (uint32_t)unit_random(&seed) >> unit_random(&seed) % 32
		                 : 0;
		c.own = (uint32_t)(unit_random(&seed) % (c.born + UINT64_C(1)));
		c.early = (uint32_t)(unit_random(&seed) % (c.born + UINT64_C(1)));
		share_count_forked(rss, pss, &c, &s);
		assert_true(s.low <= s.mid && s.mid <= s.high && s.high <= rss);
		share_count_mapped(rss, pss, &c, &s);
		assert_true(s.low <= s.mid && s.mid <= s.high && s.high <= rss);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_an_even_family_exactly),
		cmocka_unit_test(changes_nothing_without_events),
		cmocka_unit_test(follows_copies_on_write),
		cmocka_unit_test(bounds_the_uneven),
		cmocka_unit_test(spreads_exits_over_all_members),
		cmocka_unit_test(distinguishes_own_children),
		cmocka_unit_test(allows_for_unrelated_sharers),
		cmocka_unit_test(knows_an_even_family_that_changes),
		cmocka_unit_test(allows_for_events_of_unknown_order),
		cmocka_unit_test(assumes_other_mappers_of_files),
		cmocka_unit_test(allows_for_touches_of_others),
		cmocka_unit_test(corrects_by_another_member),
		cmocka_unit_test(bounds_writes_of_others),
		cmocka_unit_test(finds_the_number_of_sharers),
		cmocka_unit_test(allows_for_outside_sharers),
		cmocka_unit_test(holds_for_any_writing),
		cmocka_unit_test(holds_for_any_sharing),
		cmocka_unit_test(keeps_order_for_any_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
