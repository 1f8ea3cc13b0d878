/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests how births and exits in a fork family change a member's PSS (fork-effect.h), against
 * figures computed by hand. For whole families see test-fork-families.c.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "collectors/model/family/fork-effect.h"

#define KIB UINT64_C(1024)
#define MIB (UINT64_C(1024) * KIB)

/* 100 MiB of private anonymous memory, and as much private memory in swap. */
static const struct estimate_base alone = {.anon = 100 * MIB,
	.pss_anon = 100 * MIB,
	.uss = 100 * MIB,
	.swap = 100 * MIB,
	.swap_pss = 100 * MIB,
	.has_parts = true};

/* Four processes share all of it. */
static const struct estimate_base fourth = {.anon = 400 * MIB,
	.file = 40 * MIB,
	.pss_anon = 100 * MIB,
	.pss_file = 10 * MIB,
	.swap = 400 * MIB,
	.swap_pss = 100 * MIB,
	.has_parts = true};

static struct estimate_doubt doubt_of(
	const struct estimate_base *base, uint64_t anon_now, struct share_count_change family)
{
	const struct fork_effect a = {
		.family = family, .anon = SHARE_COUNT_AS_GUESSED, .file = SHARE_COUNT_AS_GUESSED};
	const struct estimate_now now = {anon_now, base->file, base->swap};
	struct estimate_doubt d;

	fork_effect_doubt(&a, base, &now, &d);
	return d;
}

/* FIGURE is within a page of WANTED. */
static void assert_near(int64_t figure, int64_t wanted)
{
	assert_in_range((uint64_t)(figure - wanted + 4096), 0, 8192);
}

static void is_nothing_without_events(void **state)
{
	struct estimate_doubt d = doubt_of(
		&fourth, 500 * MIB, (struct share_count_change){.members = 4});

	(void)state;
	assert_true(!d.anon_mid && !d.file_mid && !d.forks && !d.forked_growth);
	assert_true(!d.anon_down && !d.anon_up && !d.file_down && !d.file_up);
}

/*
 * The process has forked: its child shares all of its memory, except what either has written to
 * since.
 */
static void shares_with_its_children(void **state)
{
	struct share_count_change c = {.members = 1, .born = 1, .own = 1};
	struct estimate_doubt d = doubt_of(&alone, 130 * MIB, c);

	(void)state;
	assert_near(d.anon_mid, -(int64_t)(50 * MIB));
	assert_int_equal(d.anon_down, 0);
	assert_int_equal(d.anon_up, 50 * MIB / 8);
	assert_int_equal(d.forks, 1);
	assert_int_equal(d.forked_growth, 30 * MIB);
	assert_true(!d.file_mid && !d.file_down && !d.file_up);
	/* One of the three children may have been there at the measurement, and be part of it. */
	c = (struct share_count_change){.members = 1, .born = 3, .own = 3, .early = 1};
	d = doubt_of(&alone, 100 * MIB, c);
	assert_near(d.anon_mid, -(int64_t)(75 * MIB));
	assert_int_equal(d.forks, 2);
	c.early = 3;
	d = doubt_of(&alone, 130 * MIB, c);
	assert_true(!d.forks && !d.forked_growth);
	assert_true(d.anon_up >= 75 * MIB);
	/* Children of other members do not share its private memory. */
	c = (struct share_count_change){.members = 2, .born = 3};
	d = doubt_of(&alone, 130 * MIB, c);
	assert_true(!d.anon_mid && !d.forks && !d.forked_growth);
	/* Children of unknown parents may share all of it, and its growth. */
	c.strays = 3;
	d = doubt_of(&alone, 130 * MIB, c);
	assert_true(!d.anon_mid && !d.forks && !d.anon_up);
	assert_near((int64_t)d.anon_down, (int64_t)(130 * MIB - 130 * MIB / 4));
}

static void rises_when_others_exit(void **state)
{
	struct share_count_change c = {.members = 4, .dead = 2};
	struct estimate_doubt d = doubt_of(&fourth, 400 * MIB, c);

	(void)state;
	assert_near(d.anon_mid, (int64_t)(100 * MIB));
	assert_true(d.anon_down <= 4096 && d.anon_up <= 4096);
	/* So do its shares of files, in the same proportion. */
	assert_near(d.file_mid, (int64_t)(10 * MIB));
	assert_int_equal(d.forks, 0);
}

/*
 * Without a USS, 50 to 75 MiB may be private. The upper bound does not take the extreme: it assumes
 * an eighth of that range less private memory than 75 MiB, so that 28 MiB are shared by 9, and then
 * by 10.
 */
static void allows_for_likely_private_parts(void **state)
{
	struct estimate_base b = {.anon = 100 * MIB,
		.pss_anon = 75 * MIB,
		.uss = ESTIMATE_UNKNOWN,
		.swap_pss = ESTIMATE_UNKNOWN,
		.has_parts = true};
	struct estimate_doubt d = doubt_of(
		&b, 100 * MIB, (struct share_count_change){.members = 1, .born = 1, .own = 1});

	(void)state;
	assert_near(d.anon_mid, -(int64_t)(75 * MIB / 2));
	assert_in_range(d.anon_up, 57 * MIB / 10, 59 * MIB / 10);
}

/*
 * Each child copies the same 10 MiB at once, so the parent keeps those to itself, as before the
 * fork.
 */
static void expects_writes_of_newborns(void **state)
{
	struct estimate_base b = {.anon = 110 * MIB,
		.pss_anon = 35 * MIB,
		.uss = 10 * MIB,
		.swap_pss = ESTIMATE_UNKNOWN,
		.has_parts = true};
	struct fork_effect a = {.family = {.members = 4, .born = 1, .own = 1},
		.anon = SHARE_COUNT_AS_GUESSED,
		.file = SHARE_COUNT_AS_GUESSED};
	const struct estimate_now now = {b.anon, 0, 0};
	struct estimate_doubt d, plain;

	(void)state;
	fork_effect_doubt(&a, &b, &now, &plain);
	assert_near(plain.anon_mid, -(int64_t)(10 * MIB));
	a.soon_written = 10 * MIB;
	fork_effect_doubt(&a, &b, &now, &d);
	assert_near(d.anon_mid, -(int64_t)(5 * MIB));
	/* The lower bound stays: a child need not write. */
	assert_near(d.anon_mid - (int64_t)d.anon_down, plain.anon_mid - (int64_t)plain.anon_down);
	/*
	 * Of what children write to beyond those 10 MiB, the former children have copies as well:
	 * less is shared.
	 */
	a.soon_written = 60 * MIB;
	fork_effect_doubt(&a, &b, &now, &d);
	assert_near(d.anon_mid, -(int64_t)(5 * MIB / 2));
	/* At most all that they share. */
	a.soon_written = 510 * MIB;
	fork_effect_doubt(&a, &b, &now, &d);
	assert_near(d.anon_mid, 0);
}

/* The children may write to the parent's private memory and to shared memory. */
static void bounds_writes_of_newborns(void **state)
{
	struct estimate_base b = {.anon = 140 * MIB,
		.pss_anon = 65 * MIB,
		.uss = 40 * MIB,
		.swap_pss = ESTIMATE_UNKNOWN,
		.has_parts = true};
	struct fork_effect a = {.family = {.members = 4, .born = 1, .own = 1},
		.anon = SHARE_COUNT_AS_GUESSED,
		.file = SHARE_COUNT_AS_GUESSED,
		.soon_written = 10 * MIB};
	const struct estimate_now now = {b.anon, 0, 0};
	struct estimate_doubt d;

	(void)state;
	/*
	 * The middle leaves it 25 of its 40 private MiB, and 20 MiB of what all share. The upper
	 * bound is an eighth of the way to the PSS before the fork.
	 */
	fork_effect_doubt(&a, &b, &now, &d);
	assert_near(d.anon_mid, -(int64_t)(20 * MIB));
	assert_near((int64_t)d.anon_up, (int64_t)(20 * MIB / 8));
	/* A birth before the measurement took nothing from it. */
	a.family.early = 1;
	fork_effect_doubt(&a, &b, &now, &d);
	assert_near(d.anon_mid, -(int64_t)(20 * MIB));
	assert_true(d.anon_up >= 20 * MIB);
	/*
	 * 100 MiB, shared by 2.5 of 4 on average; the newborn is not its child. The newborn gives
	 * up half of its part again.
	 */
	a.family = (struct share_count_change){.members = 4, .born = 1};
	a.soon_written = 60 * MIB;
	b.anon = 110 * MIB;
	b.uss = 10 * MIB;
	b.pss_anon = 50 * MIB;
	fork_effect_doubt(&a, &b, &now, &d);
	assert_near(d.anon_mid, -(int64_t)(8 * MIB - 4 * MIB));
	assert_near((int64_t)d.anon_up, (int64_t)(8 * MIB + 4 * MIB / 8));
}

/*
 * Three of a family of four exit. Of the 150 MiB, 30 are also mapped by processes outside of the
 * family, which stay.
 */
static void counts_sharers_outside_of_the_family(void **state)
{
	struct fork_effect a = {.family = {.members = 4, .dead = 3},
		.anon = SHARE_COUNT_AS_GUESSED,
		.file = SHARE_COUNT_AS_GUESSED,
		.outside = {.bytes = 30 * MIB, .others = 64}};
	struct estimate_base b = {
		.anon = 150 * MIB, .swap_pss = ESTIMATE_UNKNOWN, .has_parts = true};
	const struct estimate_now now = {b.anon, 0, 0};
	struct estimate_doubt d;

	(void)state;
	for (uint64_t others = 1; others < 40; others++) {
		b.pss_anon = 120 * MIB / 4 + 30 * MIB / (4 + others);
		fork_effect_doubt(&a, &b, &now, &d);
		assert_near((int64_t)b.pss_anon + d.anon_mid,
			(int64_t)(120 * MIB + 30 * MIB / (1 + others)));
		/*
		 * Bounds: either all 150 MiB have more sharers than are known, or the others exit
		 * as well.
		 */
		assert_in_range((int64_t)b.pss_anon + d.anon_mid - (int64_t)d.anon_down, 74 * MIB,
			121 * MIB);
		assert_near((int64_t)b.pss_anon + d.anon_mid + (int64_t)d.anon_up,
			(int64_t)(150 * MIB));
	}
	/* No more processes outside of the family share than are known. */
	a.outside.others = 8;
	fork_effect_doubt(&a, &b, &now, &d);
	assert_near((int64_t)b.pss_anon + d.anon_mid, (int64_t)(120 * MIB + 30 * MIB / 9));
	/* The PSS shows that no process outside of the family shares. */
	b.pss_anon = 150 * MIB / 4;
	fork_effect_doubt(&a, &b, &now, &d);
	assert_near((int64_t)b.pss_anon + d.anon_mid, (int64_t)(150 * MIB));
	assert_in_range(
		(int64_t)b.pss_anon + d.anon_mid - (int64_t)d.anon_down, 119 * MIB, 121 * MIB);
	/* One of the three may have exited before the measurement; the mean share count tells. */
	a.family.unsure = 1;
	b.pss_anon = 120 * MIB / 3 + 30 * MIB / 4;
	fork_effect_doubt(&a, &b, &now, &d);
	assert_near((int64_t)b.pss_anon + d.anon_mid, (int64_t)(120 * MIB + 30 * MIB / 2));
	/* Newborns share all of it, too. */
	a.family = (struct share_count_change){.members = 4, .born = 4};
	b.pss_anon = 120 * MIB / 4 + 30 * MIB / 5;
	fork_effect_doubt(&a, &b, &now, &d);
	assert_near((int64_t)b.pss_anon + d.anon_mid, (int64_t)(120 * MIB / 8 + 30 * MIB / 9));
}

/* A member that shares next to nothing gives no correction to others. */
static void corrects_by_shared_memory_alone(void **state)
{
	struct fork_effect a = {.family = {.members = 4, .dead = 2},
		.anon = SHARE_COUNT_AS_GUESSED,
		.file = SHARE_COUNT_AS_GUESSED};
	struct estimate_base before = {.has_parts = true}, found;
	uint32_t anon, file;

	(void)state;
	before.anon = before.uss = before.pss_anon = 8 * MIB;
	before.anon += 252 * KIB;
	before.pss_anon += 63 * KIB;
	found = before;
	found.pss_anon = 8 * MIB + 252 * KIB;
	assert_false(fork_effect_compare(&a, &before, &found, &anon, &file));
	assert_true(anon == SHARE_COUNT_AS_GUESSED && file == SHARE_COUNT_AS_GUESSED);
	before.anon = 8 * MIB + 256 * KIB;
	before.pss_anon = 8 * MIB + 64 * KIB;
	found = before;
	/* half of it was guessed to be private now; a quarter is */
	assert_true(fork_effect_compare(&a, &before, &found, &anon, &file));
	assert_in_range(anon, SHARE_COUNT_AS_GUESSED * 49 / 100, SHARE_COUNT_AS_GUESSED * 51 / 100);
	assert_int_equal(file, SHARE_COUNT_AS_GUESSED);
	/* If it may have children that are not known, less than was guessed may be private. */
	a.family.strays = 1;
	assert_false(fork_effect_compare(&a, &before, &found, &anon, &file));
	assert_int_equal(anon, SHARE_COUNT_AS_GUESSED);
	a.family.strays = 0;
	/* Most of it was released. */
	found.anon = 8 * MIB;
	assert_false(fork_effect_compare(&a, &before, &found, &anon, &file));
}

/*
 * Private memory that its children copied, and its own growth, do not correct the guesses of other
 * members.
 */
static void ignores_private_memory(void **state)
{
	struct fork_effect a = {.family = {.members = 4, .born = 1, .own = 1},
		.anon = SHARE_COUNT_AS_GUESSED,
		.file = SHARE_COUNT_AS_GUESSED};
	const struct estimate_base before = {
		.anon = 110 * MIB, .pss_anon = 35 * MIB, .uss = 10 * MIB, .has_parts = true};
	struct estimate_base found = before;
	uint32_t anon, file;

	(void)state;
	found.pss_anon = 25 * MIB; /* half of its 10 MiB, a fifth of the 100 */
	found.uss = 0;
	assert_true(fork_effect_compare(&a, &before, &found, &anon, &file));
	assert_in_range(
		anon, SHARE_COUNT_AS_GUESSED * 99 / 100, SHARE_COUNT_AS_GUESSED * 101 / 100);
	a.soon_written = 10 * MIB;
	found.pss_anon = 30 * MIB;
	assert_true(fork_effect_compare(&a, &before, &found, &anon, &file));
	assert_in_range(
		anon, SHARE_COUNT_AS_GUESSED * 99 / 100, SHARE_COUNT_AS_GUESSED * 101 / 100);
	found.anon += 8 * MIB;
	found.pss_anon += 8 * MIB;
	assert_true(fork_effect_compare(&a, &before, &found, &anon, &file));
	assert_in_range(
		anon, SHARE_COUNT_AS_GUESSED * 99 / 100, SHARE_COUNT_AS_GUESSED * 101 / 100);
	/* half of what was guessed */
	found.pss_anon -= 10 * MIB;
	assert_true(fork_effect_compare(&a, &before, &found, &anon, &file));
	assert_in_range(anon, SHARE_COUNT_AS_GUESSED * 49 / 100, SHARE_COUNT_AS_GUESSED * 51 / 100);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_nothing_without_events),
		cmocka_unit_test(shares_with_its_children),
		cmocka_unit_test(rises_when_others_exit),
		cmocka_unit_test(allows_for_likely_private_parts),
		cmocka_unit_test(expects_writes_of_newborns),
		cmocka_unit_test(bounds_writes_of_newborns),
		cmocka_unit_test(counts_sharers_outside_of_the_family),
		cmocka_unit_test(corrects_by_shared_memory_alone),
		cmocka_unit_test(ignores_private_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
