/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests how sharers of files and shared memory affect each other's estimates: mapped objects,
 * families, and unrelated processes (folk.h).
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/model/folk.h"

#define KIB UINT64_C(1024)
#define MIB (UINT64_C(1024) * KIB)
#define SEC UINT64_C(1000000000)

static void follows_sharers_of_an_object(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();
	uint64_t sharers = 0;

	(void)state;
	for (unsigned int i = 0; i < 20; i++) {
		folk_start(f, i);
		folk_allocate(f, i, 2 * MIB);
		sharers |= world_bit(i);
	}
	folk_map(f, 64 * MIB, sharers, WORLD_FILES);
	folk_map(f, 1 * MIB, sharers, WORLD_FILES);
	folk_measure_all(f, 0);
	for (unsigned int i = 0; i < 20; i++) {
		assert_true(mapped_objects_wants_maps(&f->member[i].sharer, &f->base[i]));
		folk_map_segments(f, i, 64 * MIB);
		assert_false(mapped_objects_wants_maps(&f->member[i].sharer, &f->base[i]));
	}
	for (unsigned int i = 10; i < 20; i++)
		folk_end(f, i);
	folk_settle(f);
	assert_int_equal(f->visits, 0);
	folk_assert_all_bounds(f);
	folk_assert_all_within(f, 30);
	/* Processes that come and go leave no doubt behind. */
	for (unsigned int round = 0; round < 50; round++) {
		folk_start(f, 20);
		f->world.block[20].mask |= world_bit(20);
		folk_measure(f, 20);
		folk_map_segments(f, 20, 64 * MIB);
		folk_settle(f);
		folk_assert_all_within(f, 30);
		folk_end(f, 20);
		folk_settle(f);
	}
	folk_assert_all_bounds(f);
	folk_assert_all_within(f, 30);
}

/*
 * Only a part of a file was touched, and not by all of its mappers: the bounds contain the truth.
 */
static void bounds_an_object_that_some_touch(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	for (unsigned int i = 0; i < 20; i++)
		folk_start(f, i);
	folk_map(f, 32 * MIB, 0x3ff, WORLD_FILES);
	folk_map(f, 4 * MIB, 0xfffff, WORLD_FILES);
	folk_map(f, 64 * MIB, ~UINT64_C(0), WORLD_FILES); /* mapped by other processes as well */
	folk_measure_all(f, 0);
	for (unsigned int i = 0; i < 20; i++)
		folk_map_segments(f, i, 36 * MIB);
	for (unsigned int i = 10; i < 15; i++)
		folk_end(f, i);
	folk_settle(f);
	folk_assert_all_bounds(f);
	for (unsigned int i = 5; i < 10; i++)
		folk_end(f, i);
	folk_settle(f);
	folk_assert_all_bounds(f);
}

/* All processes map libc: one exit changes next to nothing, so no member is visited. */
static void no_member_is_visited_for_an_object(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();
	uint64_t all = (UINT64_C(1) << 60) - 1;

	(void)state;
	for (unsigned int i = 0; i < 60; i++) {
		folk_start(f, i);
		folk_allocate(f, i, MIB);
	}
	folk_map(f, 300 * KIB, all, WORLD_FILES);
	folk_measure_all(f, 0);
	for (unsigned int i = 0; i < 60; i++)
		folk_map_segments(f, i, i == 59 ? 1 : 300 * KIB);
	for (unsigned int i = 0; i < 60; i++)
		f->base[i].rounding = 0;
	folk_end(f, 0);
	folk_settle(f);
	assert_int_equal(f->visits, 0);
	for (unsigned int i = 1; i < 59; i++)
		assert_true(folk_truth(f, i) <= folk_estimate(f, i).high);
	for (unsigned int i = 1; i < 12; i++)
		folk_end(f, i);
	folk_settle(f);
	assert_int_equal(f->visits, 0);
	folk_assert_all_bounds(f);
}

/* Process I unmaps BLOCK of the world, or touches it. */
static void toggle(struct folk *f, unsigned int i, unsigned int block)
{
	uint64_t before = folk_now(f, i).file;

	folk_notice(f);
	f->world.block[block].mask ^= world_bit(i);
	families_moved(&f->member[i], before, folk_now(f, i).file);
}

/*
 * All processes are within their bounds, and the bounds of processes that did not change are
 * narrow, without a visit.
 */
static void assert_stirred(struct folk *f, uint64_t mover)
{
	folk_settle(f);
	assert_int_equal(f->visits, 0);
	for (unsigned int i = 0; i < 20; i++) {
		struct estimate e = folk_estimate(f, i);

		if (e.low > folk_truth(f, i) || folk_truth(f, i) > e.high)
			fail_msg("process %u: %ju not in %ju to %ju", i,
				(uintmax_t)folk_truth(f, i), (uintmax_t)e.low, (uintmax_t)e.high);
		if (!(mover & world_bit(i)))
			assert_true(e.high - e.low <= folk_truth(f, i) / 3);
	}
}

/*
 * Twenty processes share an object in sixteen parts, and other files. Some release parts and touch
 * them again. Their counters show how much. The bounds of the others allow for it, for known
 * objects and for memory from before a fork.
 */
static void allows_for_touches_of_others(void **state)
{
	(void)state;
	for (unsigned int family = 0; family < 2; family++) {
		AUTO_FOLK struct folk *f = folk_new();

		folk_start(f, 0);
		if (family)
			folk_measure(f, 0);
		for (unsigned int i = 1; i < 20; i++)
			if (family)
				folk_fork(f, 0, i);
			else
				folk_start(f, i);
		for (unsigned int part = 0; part < 16; part++)
			folk_map(f, 4 * MIB, 0xfffff, WORLD_FILES);
		folk_map(f, MIB, ~UINT64_C(0), WORLD_FILES);
		for (unsigned int i = 0; i < 20; i++)
			folk_allocate(f, i, MIB);
		folk_measure_all(f, family ? 0 : 64 * MIB);
		folk_settle(f);
		folk_measure_all(f, 0);
		for (unsigned int part = 0; part < 16; part++) {
			toggle(f, 3, part);
			assert_stirred(f, world_bit(3));
			/* no doubt about its own changes */
			assert_int_equal(folk_doubt(f, 3).file_up, 0);
		}
		toggle(f, 4, 0);
		assert_stirred(f, world_bit(3) | world_bit(4));
		/* Processes that are measured now lose it again, and have no doubt from before. */
		folk_measure(f, 5);
		assert_int_equal(folk_doubt(f, 5).file_up, 0);
		folk_measure(f, 4);
		assert_int_equal(folk_doubt(f, 4).file_up, 0);
		for (unsigned int part = 0; part < 16; part++)
			toggle(f, 3, part);
		assert_stirred(f, world_bit(3) | world_bit(4));
		assert_true(folk_truth(f, 5) < f->base[5].pss_file + f->base[5].pss_anon);
	}
}

/* Starts processes 0 and 2, of different families, that share a file. */
static void start_two_sharers(struct folk *f)
{
	folk_start(f, 0);
	folk_start(f, 2);
	folk_map(f, 512 * MIB, world_bit(0), WORLD_FILES);
	folk_map(f, 256 * MIB, world_bit(0) | world_bit(2), WORLD_FILES);
	folk_map(f, 2 * MIB, ~UINT64_C(0), WORLD_FILES);
	folk_allocate(f, 0, MIB);
	folk_allocate(f, 2, MIB);
	folk_measure(f, 0);
	folk_map_segments(f, 0, 768 * MIB);
	folk_measure(f, 2);
	folk_map_segments(f, 2, 768 * MIB);
	folk_settle(f);
	folk_measure(f, 0);
	folk_measure(f, 2);
	folk_settle(f);
	assert_int_equal(folk_doubt(f, 0).file_down, 0);
	assert_int_equal(folk_doubt(f, 2).file_down, 0);
}

static void settle_within_bounds(struct folk *f)
{
	folk_settle(f);
	folk_assert_bounds(f, 0);
	folk_assert_bounds(f, 2);
}

/*
 * Process 0 has forked I, but kin does not know the parent. I touches all files, and is measured.
 */
static void meet_stray(struct folk *f, unsigned int i)
{
	folk_fork_unseen(f, 0, i);
	folk_notice(f);
	assert_int_equal(families_born(&f->families, &f->member[i], NULL, f->now), 0);
	world_touch_files(&f->world, i, i);
	families_moved(&f->member[i], 0, folk_now(f, i).file);
	folk_measure(f, i);
}

/* Process I touches all shared files and is measured. The bounds of the others allow for it. */
static void touch_and_map(struct folk *f, unsigned int i)
{
	folk_allocate(f, i, MIB);
	world_touch_files(&f->world, i, i);
	folk_measure(f, i);
	folk_map_segments(f, i, 768 * MIB);
	settle_within_bounds(f);
}

/* A process that begins to map another's private file halves that one's PSS. */
static void allows_for_a_new_sharer(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	start_two_sharers(f);
	folk_start(f, 1);
	touch_and_map(f, 1);
	folk_measure(f, 0);
	folk_map_segments(f, 1, 768 * MIB); /* reading its maps again changes nothing */
	assert_int_equal(folk_doubt(f, 0).file_down, 0);
}

/* The same if a known process executes another program. */
static void allows_for_a_new_image(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start(f, 1);
	folk_allocate(f, 1, MIB);
	folk_measure(f, 1);
	start_two_sharers(f);
	folk_notice(f);
	families_executed(&f->families, &f->member[1]);
	world_unmap_all(&f->world, 1);
	f->image[1] = 5;
	f->measured[1] = false;
	touch_and_map(f, 1);
	folk_measure(f, 0);
	folk_settle(f);
	assert_int_equal(folk_doubt(f, 0).file_down, 0);
}

/*
 * A child has the mappings of its parent, before its maps were read, and even if its parent is not
 * known.
 */
static void allows_for_touches_of_children(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	start_two_sharers(f);
	folk_fork(f, 0, 1);
	folk_allocate(f, 1, MIB);
	world_touch_files(&f->world, 1, 1);
	families_moved(&f->member[1], 0, folk_now(f, 1).file);
	settle_within_bounds(f);
	folk_measure(f, 0);
	folk_settle(f);
	assert_int_equal(folk_doubt(f, 0).file_down, 0);
	meet_stray(f, 3);
	folk_map_segments(f, 3, 768 * MIB);
	settle_within_bounds(f);
}

/* The same if no object is known. */
static void allows_for_touches_of_unrelated(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start(f, 0);
	folk_map(f, 64 * MIB, world_bit(0) | world_bit(2), WORLD_FILES);
	folk_allocate(f, 0, MIB);
	folk_measure(f, 0);
	folk_settle(f);
	meet_stray(f, 3);
	folk_settle(f);
	assert_true(folk_doubt(f, 0).file_down > 0);
	folk_assert_bounds(f, 0);
}

/*
 * Two processes share an object. One is measured between two polls of the other, which touches more
 * meanwhile.
 */
static void interpolates_between_polls(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();
	const struct maps_object object = {1, 2, 64 * MIB, true};
	const struct estimate_base b = {
		.file = 8 * MIB, .pss_shmem = 4 * MIB, .shmem_kib = 8192, .has_parts = true};
	const struct estimate_now now = {0, 8 * MIB, 0};
	struct family_member *m = f->member;
	struct estimate_doubt d;

	(void)state;
	families_polled(&f->families, 10 * SEC);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(families_born(&f->families, &m[i], NULL, SEC), 0);
		families_moved(&m[i], 0, b.file);
		assert_int_equal(
			families_measured(&f->families, &m[i], i, 99, NULL, &b, 10 * SEC), 0);
		assert_int_equal(families_mapped(&f->families, &m[i], &object, 1, &b), 0);
	}
	families_begin(&f->families, 20 * SEC);
	families_polled(&f->families, 20 * SEC);
	assert_int_equal(families_measured(&f->families, &m[0], 0, 99, &b, &b, 25 * SEC), 0);
	families_begin(&f->families, 30 * SEC);
	families_moved(&m[1], b.file, 16 * MIB);
	families_polled(&f->families, 30 * SEC);
	/* At the measurement there were 20 of the present 24 MiB. */
	assert_true(families_stirred(&m[0], &b, &now, &d));
	assert_in_range(-d.file_mid, 4 * MIB / 6 - 4 * KIB, 4 * MIB / 6 + 4 * KIB);
	for (unsigned int i = 0; i < 2; i++)
		families_gone(&f->families, &m[i]);
}

static void wants_maps_of_sharers_only(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();
	struct estimate_base b = {
		.anon = 100 * MIB, .file = 2 * MIB, .pss_file = 7 * MIB / 4 + 1, .has_parts = true};
	struct maps_object object = {1, 2, 4 * MIB};

	(void)state;
	assert_false(mapped_objects_wants_maps(&f->member[0].sharer, &b));
	b.pss_file--;
	assert_true(mapped_objects_wants_maps(&f->member[0].sharer, &b));
	b.has_parts = false;
	b.pss_file = 102 * MIB;
	assert_false(mapped_objects_wants_maps(&f->member[0].sharer, &b));
	b = (struct estimate_base){.file = 8 * MIB, .has_parts = true};
	assert_int_equal(families_mapped(&f->families, &f->member[0], &object, 1, &b), 0);
	assert_false(mapped_objects_wants_maps(&f->member[0].sharer, &b));
	b.file = 10 * MIB;
	assert_false(mapped_objects_wants_maps(&f->member[0].sharer, &b));
	b.file++;
	assert_true(mapped_objects_wants_maps(&f->member[0].sharer, &b));
	b.file = 5 * MIB;
	assert_true(mapped_objects_wants_maps(&f->member[0].sharer, &b));
	/* an empty list of mappings is known as well */
	assert_int_equal(families_mapped(&f->families, &f->member[0], NULL, 0, &b), 0);
	assert_false(mapped_objects_wants_maps(&f->member[0].sharer, &b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_sharers_of_an_object),
		cmocka_unit_test(bounds_an_object_that_some_touch),
		cmocka_unit_test(no_member_is_visited_for_an_object),
		cmocka_unit_test(allows_for_touches_of_others),
		cmocka_unit_test(allows_for_a_new_sharer),
		cmocka_unit_test(allows_for_a_new_image),
		cmocka_unit_test(allows_for_touches_of_children),
		cmocka_unit_test(allows_for_touches_of_unrelated),
		cmocka_unit_test(interpolates_between_polls),
		cmocka_unit_test(wants_maps_of_sharers_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
