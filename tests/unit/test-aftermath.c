/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a family's births and deaths make of one of it. Who is in it, and what of files follows, is in test-kin.
 */
#include "config.h"

#include "tests/unit/unit.h"

#include "collectors/aftermath.h"

#define KIB UINT64_C(1024)
#define MIB (UINT64_C(1024) * KIB)

/* 100 MiB for itself, all of it, and as much in swap. */
static const struct estimate_base alone = {.anon = 100 * MIB,
	.pss_anon = 100 * MIB,
	.uss = 100 * MIB,
	.swap = 100 * MIB,
	.swap_pss = 100 * MIB,
	.has_parts = true};

/* Four have it all. */
static const struct estimate_base fourth = {.anon = 400 * MIB,
	.file = 40 * MIB,
	.pss_anon = 100 * MIB,
	.pss_file = 10 * MIB,
	.swap = 400 * MIB,
	.swap_pss = 100 * MIB,
	.has_parts = true};

static struct estimate_doubt doubt_of(
	const struct estimate_base *base, uint64_t anon_now, struct degree_change family)
{
	const struct aftermath a = {
		.family = family, .anon = DEGREE_AS_GUESSED, .file = DEGREE_AS_GUESSED};
	const struct estimate_now now = {anon_now, base->file, base->swap};
	struct estimate_doubt d;

	aftermath_doubt(&a, base, &now, &d);
	return d;
}

/* FIGURE within a page of WANTED. */
static void assert_near(int64_t figure, int64_t wanted)
{
	assert_in_range((uint64_t)(figure - wanted + 4096), 0, 8192);
}

static void is_nothing_without_events(void **state)
{
	struct estimate_doubt d = doubt_of(
		&fourth, 500 * MIB, (struct degree_change){.members = 4});

	(void)state;
	assert_true(!d.anon_mid && !d.file_mid && !d.forks && !d.forked_growth);
	assert_true(!d.anon_down && !d.anon_up && !d.file_down && !d.file_up);
}

/* It has forked: its child has all of it, but what either has written to since. */
static void shares_with_its_children(void **state)
{
	struct degree_change c = {.members = 1, .born = 1, .own = 1};
	struct estimate_doubt d = doubt_of(&alone, 130 * MIB, c);

	(void)state;
	assert_near(d.anon_mid, -(int64_t)(50 * MIB));
	assert_int_equal(d.anon_down, 0);
	assert_int_equal(d.anon_up, 50 * MIB / 8);
	assert_int_equal(d.forks, 1);
	assert_int_equal(d.forked_growth, 30 * MIB);
	assert_true(!d.file_mid && !d.file_down && !d.file_up);
	/* Of the three one may have been there already, and so be in what was measured. */
	c = (struct degree_change){.members = 1, .born = 3, .own = 3, .early = 1};
	d = doubt_of(&alone, 100 * MIB, c);
	assert_near(d.anon_mid, -(int64_t)(75 * MIB));
	assert_int_equal(d.forks, 2);
	c.early = 3;
	d = doubt_of(&alone, 130 * MIB, c);
	assert_true(!d.forks && !d.forked_growth);
	assert_true(d.anon_up >= 75 * MIB);
	/* Others' children have nothing of what it had for itself. */
	c = (struct degree_change){.members = 2, .born = 3};
	d = doubt_of(&alone, 130 * MIB, c);
	assert_true(!d.anon_mid && !d.forks && !d.forked_growth);
	/* Those that may be its own may have all of that; what it has grown by, too. */
	c.strays = 3;
	d = doubt_of(&alone, 130 * MIB, c);
	assert_true(!d.anon_mid && !d.forks && !d.anon_up);
	assert_near((int64_t)d.anon_down, (int64_t)(130 * MIB - 130 * MIB / 4));
}

static void has_more_when_others_end(void **state)
{
	struct degree_change c = {.members = 4, .dead = 2};
	struct estimate_doubt d = doubt_of(&fourth, 400 * MIB, c);

	(void)state;
	assert_near(d.anon_mid, (int64_t)(100 * MIB));
	assert_true(d.anon_down <= 4096 && d.anon_up <= 4096);
	/* Of its files too, as they were shared. */
	assert_near(d.file_mid, (int64_t)(10 * MIB));
	assert_int_equal(d.forks, 0);
}

/*
 * Without a USS 50 to 75 MiB are its own. Not all that the sums allow is likely: with an eighth of that
 * less of its own, of 28 MiB that 9 share one more has some.
 */
static void allows_for_likely_private_parts(void **state)
{
	struct estimate_base b = {.anon = 100 * MIB,
		.pss_anon = 75 * MIB,
		.uss = ESTIMATE_UNKNOWN,
		.swap_pss = ESTIMATE_UNKNOWN,
		.has_parts = true};
	struct estimate_doubt d = doubt_of(
		&b, 100 * MIB, (struct degree_change){.members = 1, .born = 1, .own = 1});

	(void)state;
	assert_near(d.anon_mid, -(int64_t)(75 * MIB / 2));
	assert_in_range(d.anon_up, 57 * MIB / 10, 59 * MIB / 10);
}

/* One whose children write to the same 10 MiB at once, each, has those for itself, as before. */
static void knows_what_newborns_write(void **state)
{
	struct estimate_base b = {.anon = 110 * MIB,
		.pss_anon = 35 * MIB,
		.uss = 10 * MIB,
		.swap_pss = ESTIMATE_UNKNOWN,
		.has_parts = true};
	struct aftermath a = {.family = {.members = 4, .born = 1, .own = 1},
		.anon = DEGREE_AS_GUESSED,
		.file = DEGREE_AS_GUESSED};
	const struct estimate_now now = {b.anon, 0, 0};
	struct estimate_doubt d, plain;

	(void)state;
	aftermath_doubt(&a, &b, &now, &plain);
	assert_near(plain.anon_mid, -(int64_t)(10 * MIB));
	a.soon_written = 10 * MIB;
	aftermath_doubt(&a, &b, &now, &d);
	assert_near(d.anon_mid, -(int64_t)(5 * MIB));
	/* It need not do so. */
	assert_near(d.anon_mid - (int64_t)d.anon_down, plain.anon_mid - (int64_t)plain.anon_down);
	/* Of what is written to beside that nobody else's is left, either. */
	a.soon_written = 60 * MIB;
	aftermath_doubt(&a, &b, &now, &d);
	assert_near(d.anon_mid, -(int64_t)(5 * MIB / 2));
	/* All that they share, at most. */
	a.soon_written = 510 * MIB;
	aftermath_doubt(&a, &b, &now, &d);
	assert_near(d.anon_mid, 0);
}

/* They may write to twice as much as those before them, of what was its own as of what others share. */
static void allows_for_what_newborns_write(void **state)
{
	struct estimate_base b = {.anon = 140 * MIB,
		.pss_anon = 65 * MIB,
		.uss = 40 * MIB,
		.swap_pss = ESTIMATE_UNKNOWN,
		.has_parts = true};
	struct aftermath a = {.family = {.members = 4, .born = 1, .own = 1},
		.anon = DEGREE_AS_GUESSED,
		.file = DEGREE_AS_GUESSED,
		.soon_written = 10 * MIB};
	const struct estimate_now now = {b.anon, 0, 0};
	struct estimate_doubt d;

	(void)state;
	/* Of its 40 MiB 25 are left to it, of what all share 20; or 30; or an eighth of the way to where it was. */
	aftermath_doubt(&a, &b, &now, &d);
	assert_near(d.anon_mid, -(int64_t)(20 * MIB));
	assert_near((int64_t)d.anon_up, (int64_t)(5 * MIB + 20 * MIB / 8));
	/* What its measurement has seen already has taken nothing from it. */
	a.family.early = 1;
	aftermath_doubt(&a, &b, &now, &d);
	assert_near(d.anon_mid, -(int64_t)(20 * MIB));
	assert_true(d.anon_up >= 20 * MIB);
	/* 100 MiB that two and a half share of four, and whose child it is not: half of that is let go of again. */
	a.family = (struct degree_change){.members = 4, .born = 1};
	a.soon_written = 60 * MIB;
	b.anon = 110 * MIB;
	b.uss = 10 * MIB;
	b.pss_anon = 50 * MIB;
	aftermath_doubt(&a, &b, &now, &d);
	assert_near(d.anon_mid, -(int64_t)(8 * MIB - 4 * MIB));
	assert_near((int64_t)d.anon_up, (int64_t)(8 * MIB + 4 * MIB / 8));
}

/* A family of four, whose three end; of its 150 MiB others, who stay, have 30 as well. */
static void knows_what_others_have_too(void **state)
{
	struct aftermath a = {.family = {.members = 4, .dead = 3},
		.anon = DEGREE_AS_GUESSED,
		.file = DEGREE_AS_GUESSED,
		.outside = {.bytes = 30 * MIB, .others = 64}};
	struct estimate_base b = {
		.anon = 150 * MIB, .swap_pss = ESTIMATE_UNKNOWN, .has_parts = true};
	const struct estimate_now now = {b.anon, 0, 0};
	struct estimate_doubt d;

	(void)state;
	for (uint64_t others = 1; others < 40; others++) {
		b.pss_anon = 120 * MIB / 4 + 30 * MIB / (4 + others);
		aftermath_doubt(&a, &b, &now, &d);
		assert_near((int64_t)b.pss_anon + d.anon_mid,
			(int64_t)(120 * MIB + 30 * MIB / (1 + others)));
		/* Or all of it has more sharers than are known; and those others may end, too. */
		assert_in_range((int64_t)b.pss_anon + d.anon_mid - (int64_t)d.anon_down, 74 * MIB,
			121 * MIB);
		assert_near((int64_t)b.pss_anon + d.anon_mid + (int64_t)d.anon_up,
			(int64_t)(150 * MIB));
	}
	/* No more than are known to. */
	a.outside.others = 8;
	aftermath_doubt(&a, &b, &now, &d);
	assert_near((int64_t)b.pss_anon + d.anon_mid, (int64_t)(120 * MIB + 30 * MIB / 9));
	/* Its PSS says that they have none of it. */
	b.pss_anon = 150 * MIB / 4;
	aftermath_doubt(&a, &b, &now, &d);
	assert_near((int64_t)b.pss_anon + d.anon_mid, (int64_t)(150 * MIB));
	assert_in_range(
		(int64_t)b.pss_anon + d.anon_mid - (int64_t)d.anon_down, 119 * MIB, 121 * MIB);
	/* One of the three may not have been there any more: the mean tells. */
	a.family.unsure = 1;
	b.pss_anon = 120 * MIB / 3 + 30 * MIB / 4;
	aftermath_doubt(&a, &b, &now, &d);
	assert_near((int64_t)b.pss_anon + d.anon_mid, (int64_t)(120 * MIB + 30 * MIB / 2));
	/* Those who are born have all of it, too. */
	a.family = (struct degree_change){.members = 4, .born = 4};
	b.pss_anon = 120 * MIB / 4 + 30 * MIB / 5;
	aftermath_doubt(&a, &b, &now, &d);
	assert_near((int64_t)b.pss_anon + d.anon_mid, (int64_t)(120 * MIB / 8 + 30 * MIB / 9));
}

/* What one finds says nothing of others where it shares next to nothing. */
static void tells_by_what_is_shared(void **state)
{
	struct aftermath a = {.family = {.members = 4, .dead = 2},
		.anon = DEGREE_AS_GUESSED,
		.file = DEGREE_AS_GUESSED};
	struct estimate_base before = {.has_parts = true}, found;
	uint32_t anon, file;

	(void)state;
	before.anon = before.uss = before.pss_anon = 8 * MIB;
	before.anon += 252 * KIB;
	before.pss_anon += 63 * KIB;
	found = before;
	found.pss_anon = 8 * MIB + 252 * KIB;
	assert_false(aftermath_compare(&a, &before, &found, &anon, &file));
	assert_true(anon == DEGREE_AS_GUESSED && file == DEGREE_AS_GUESSED);
	before.anon = 8 * MIB + 256 * KIB;
	before.pss_anon = 8 * MIB + 64 * KIB;
	found = before;
	/* Half of it was guessed to be its own now; a quarter is. */
	assert_true(aftermath_compare(&a, &before, &found, &anon, &file));
	assert_in_range(anon, DEGREE_AS_GUESSED * 49 / 100, DEGREE_AS_GUESSED * 51 / 100);
	assert_int_equal(file, DEGREE_AS_GUESSED);
	/* Less than was thought its own may be, where it may have children that nobody knows of. */
	a.family.strays = 1;
	assert_false(aftermath_compare(&a, &before, &found, &anon, &file));
	assert_int_equal(anon, DEGREE_AS_GUESSED);
	a.family.strays = 0;
	/* Most of it is gone. */
	found.anon = 8 * MIB;
	assert_false(aftermath_compare(&a, &before, &found, &anon, &file));
}

/* What its children write to is left to it, and what it has grown by is its own: neither is others' to be told. */
static void tells_nothing_of_its_own(void **state)
{
	struct aftermath a = {.family = {.members = 4, .born = 1, .own = 1},
		.anon = DEGREE_AS_GUESSED,
		.file = DEGREE_AS_GUESSED};
	const struct estimate_base before = {
		.anon = 110 * MIB, .pss_anon = 35 * MIB, .uss = 10 * MIB, .has_parts = true};
	struct estimate_base found = before;
	uint32_t anon, file;

	(void)state;
	found.pss_anon = 25 * MIB; /* half of its 10 MiB, a fifth of the 100 */
	found.uss = 0;
	assert_true(aftermath_compare(&a, &before, &found, &anon, &file));
	assert_in_range(anon, DEGREE_AS_GUESSED * 99 / 100, DEGREE_AS_GUESSED * 101 / 100);
	a.soon_written = 10 * MIB;
	found.pss_anon = 30 * MIB;
	assert_true(aftermath_compare(&a, &before, &found, &anon, &file));
	assert_in_range(anon, DEGREE_AS_GUESSED * 99 / 100, DEGREE_AS_GUESSED * 101 / 100);
	found.anon += 8 * MIB;
	found.pss_anon += 8 * MIB;
	assert_true(aftermath_compare(&a, &before, &found, &anon, &file));
	assert_in_range(anon, DEGREE_AS_GUESSED * 99 / 100, DEGREE_AS_GUESSED * 101 / 100);
	/* Half of what was guessed. */
	found.pss_anon -= 10 * MIB;
	assert_true(aftermath_compare(&a, &before, &found, &anon, &file));
	assert_in_range(anon, DEGREE_AS_GUESSED * 49 / 100, DEGREE_AS_GUESSED * 51 / 100);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_nothing_without_events),
		cmocka_unit_test(shares_with_its_children),
		cmocka_unit_test(has_more_when_others_end),
		cmocka_unit_test(allows_for_likely_private_parts),
		cmocka_unit_test(knows_what_newborns_write),
		cmocka_unit_test(allows_for_what_newborns_write),
		cmocka_unit_test(knows_what_others_have_too),
		cmocka_unit_test(tells_by_what_is_shared),
		cmocka_unit_test(tells_nothing_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
