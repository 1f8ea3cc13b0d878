/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of collectors/model/mapped-objects.h: shares of mapped objects. Model processes report
 * counters as the kernel does, and the estimates are compared with the truth.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "collectors/model/mapped-objects.h"
#include "collectors/model/object-share.h"

#define MIB (UINT64_C(1) << 20)

enum { BACKENDS = 20 };

static struct keytable table;
static struct sharer sharer[BACKENDS + 1];
static struct estimate_base base[BACKENDS + 1];

static int teardown(void **state)
{
	(void)state;
	for (unsigned int i = 0; i <= BACKENDS; i++)
		mapped_objects_end(&table, &sharer[i]);
	assert_int_equal(table.used, 0);
	keytable_done(&table);
	return 0;
}

static const struct maps_object buffers = {1, 2, 256 * MIB, true}, library = {3, 4, 8 * MIB, false};

/*
 * Measures a process that has SHMEM bytes of the buffers, of which SHMEM_PSS count, and all of the
 * library, of which 256 KiB count.
 */
static void find(unsigned int i, uint64_t shmem, uint64_t shmem_pss)
{
	base[i] = (struct estimate_base){
		.anon = 4 * MIB,
		.pss_anon = 4 * MIB,
		.file = shmem + 8 * MIB,
		.pss_file = MIB / 4,
		.pss_shmem = shmem_pss,
		.uss = 4 * MIB,
		.has_parts = true,
		.shmem_kib = (uint32_t)(shmem / 1024),
	};
}

static void map(unsigned int i, bool was_there)
{
	struct maps_object list[] = {buffers, library};

	assert_int_equal(mapped_objects_map(&table, &sharer[i], list, 2, &base[i], was_there), 0);
}

static const struct mapped_objects_lesson no_lesson;

/* Ends the pass: what was measured in it is known. No process changes meanwhile. */
static void settle(void)
{
	for (unsigned int i = 0; i <= BACKENDS; i++)
		mapped_objects_settle(&sharer[i], 0, &no_lesson);
}

/* Sets FILES bytes of files too. */
static struct estimate estimate_with(unsigned int i, uint64_t shmem, uint64_t files)
{
	const struct counter_flow rest = {0, 0};
	struct estimate_now now = {base[i].anon, shmem + files, 0, shmem};
	struct estimate_doubt doubt;
	struct estimate e;

	if (!object_share_doubt(&sharer[i], &base[i], &now, &rest, &doubt))
		doubt = (struct estimate_doubt){0};
	estimate_carry(&base[i], &now, &doubt, &e);
	return e;
}

static struct estimate estimate_of(unsigned int i, uint64_t shmem)
{
	return estimate_with(i, shmem, 8 * MIB);
}

static void move(unsigned int i, uint64_t before, uint64_t now)
{
	mapped_objects_moved(&sharer[i], NULL, before + 8 * MIB, now + 8 * MIB);
}

/* Starts backends that each have the same 100 MiB. */
static void start_backends(bool was_there)
{
	for (unsigned int i = 0; i < BACKENDS; i++) {
		find(i, 100 * MIB, 100 * MIB / BACKENDS);
		map(i, was_there);
	}
	settle();
}

static void assert_near(const struct estimate *e, uint64_t pss, unsigned int percent)
{
	assert_in_range(e->pss, pss - pss * percent / 100, pss + pss * percent / 100);
	assert_true(e->low <= pss && pss <= e->high + 1);
}

/*
 * Processes measured earlier in a pass count as sharers of those measured later: they were there
 * or appeared in the same pass.
 */
static void counts_sharers_measured_earlier(void **state)
{
	(void)state;
	for (unsigned int was_there = 0; was_there < 2; was_there++) {
		start_backends(was_there);
		for (unsigned int i = 0; i < BACKENDS; i++)
			assert_int_equal(estimate_of(i, 100 * MIB).pss,
				4 * MIB + 100 * MIB / BACKENDS + MIB / 4);
		teardown(state);
	}
	/* The same if their maps are read later. */
	find(0, 100 * MIB, 50 * MIB);
	map(0, true);
	settle();
	find(1, 100 * MIB, 50 * MIB);
	map(1, true);
	settle();
	assert_int_equal(estimate_of(0, 100 * MIB).pss, 54 * MIB + MIB / 4);
	/* A backend with the same amount is added. */
	find(2, 100 * MIB, 100 * MIB / 3);
	map(2, false);
	settle();
	assert_near(&(struct estimate[]){estimate_of(0, 100 * MIB)}[0],
		4 * MIB + 100 * MIB / 3 + MIB / 6, 2);
	assert_near(&(struct estimate[]){estimate_of(1, 100 * MIB)}[0],
		4 * MIB + 100 * MIB / 3 + MIB / 6, 2);
}

/* One after the other, all touch the other half of the buffers. In the end no share has grown. */
static void shares_follow_the_union_of_touched_pages(void **state)
{
	(void)state;
	/* One half of the backends has one half of the buffers, and the others have the other. */
	for (unsigned int i = 0; i < BACKENDS; i++) {
		find(i, 100 * MIB, 10 * MIB);
		map(i, true);
	}
	settle();
	for (unsigned int i = 0; i < BACKENDS; i++)
		move(i, 100 * MIB, 200 * MIB);
	for (unsigned int i = 0; i < BACKENDS; i++)
		assert_near(&(struct estimate[]){estimate_of(i, 200 * MIB)}[0],
			4 * MIB + 200 * MIB / BACKENDS + MIB / 4, 4);
}

/* A backend that grows where others have been gains nothing, and neither do they. */
static void divides_among_new_sharers(void **state)
{
	struct estimate e;

	(void)state;
	start_backends(true);
	find(BACKENDS, 0, 0);
	map(BACKENDS, true);
	settle();
	move(BACKENDS, 0, 100 * MIB);
	e = estimate_of(0, 100 * MIB);
	assert_near(&e, 4 * MIB + 100 * MIB / (BACKENDS + 1) + MIB / 4, 2);
	/* It has released the memory again, and another one exits. */
	move(BACKENDS, 100 * MIB, 0);
	e = estimate_of(0, 100 * MIB);
	assert_near(&e, 4 * MIB + 100 * MIB / BACKENDS + MIB / 4, 1);
	for (unsigned int i = BACKENDS / 2; i < BACKENDS; i++)
		mapped_objects_end(&table, &sharer[i]);
	e = estimate_of(0, 100 * MIB);
	assert_near(&e, 4 * MIB + 100 * MIB / (BACKENDS / 2) + MIB / 2, 2);
}

/* A process that maps the object but has touched nothing does not change shares. */
static void weighs_by_resident_memory(void **state)
{
	struct estimate before, e;

	(void)state;
	start_backends(true);
	before = estimate_of(0, 100 * MIB);
	for (unsigned int round = 0; round < 300; round++) {
		find(BACKENDS, 0, 0);
		base[BACKENDS].file = 0;
		map(BACKENDS, false);
		settle();
		mapped_objects_end(&table, &sharer[BACKENDS]);
	}
	e = estimate_of(0, 100 * MIB);
	assert_int_equal(e.pss, before.pss);
	assert_true(e.high <= before.high && e.low >= before.low);
	/* A process that has touched it only widens the bounds, whether it was measured or not. */
	for (unsigned int round = 0; round < 300; round++) {
		find(BACKENDS, 100 * MIB, 5 * MIB);
		map(BACKENDS, false);
		settle();
		mapped_objects_end(&table, &sharer[BACKENDS]);
	}
	assert_int_equal(estimate_of(0, 100 * MIB).pss, before.pss);
}

/* Replacing segments by others of the same size moves no counter. */
static void looks_for_new_segments(void **state)
{
	static const struct {
		uint64_t shmem, pss, anon;
		bool others; /* they map it too */
		bool expected;
	} cases[] = {
		{256 * MIB, 256 * MIB, 0, false, true}, /* only it has the segment */
		{256 * MIB, 256 * MIB, 0, true, true},  /* the others have none of it */
		{256 * MIB, 128 * MIB, 0, false, true}, /* no sharer is known */
		{256 * MIB, 128 * MIB, 0, true, false},
		{8 * MIB, 8 * MIB, 0, false, true},
		{7 * MIB, 7 * MIB, 0, false, false},
		{8 * MIB, 8 * MIB, 100 * MIB, false, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		find(0, cases[i].shmem, cases[i].pss);
		base[0].anon += cases[i].anon;
		map(0, true);
		find(1, 256 * MIB, 128 * MIB);
		if (cases[i].others)
			map(1, true);
		assert_int_equal(
			mapped_objects_wants_maps(&sharer[0], &base[0]), cases[i].expected);
		mapped_objects_end(&table, &sharer[0]);
		mapped_objects_end(&table, &sharer[1]);
	}
}

/*
 * A process has more shared memory than its known mappings allow. Others learn of it when its maps
 * are read again.
 */
static void notices_memory_of_unknown_segments(void **state)
{
	struct maps_object list[MAPS_OBJECTS] = {buffers, library};
	struct estimate_now now;

	(void)state;
	find(0, 100 * MIB, MIB);
	now = (struct estimate_now){base[0].anon, base[0].file, 0, 100 * MIB};
	assert_int_equal(mapped_objects_stray(&sharer[0], &base[0], &now), 0);
	now.shmem += MIB;
	assert_int_equal(mapped_objects_stray(&sharer[0], &base[0], &now), MIB);
	map(0, true);
	now.shmem = buffers.bytes;
	assert_int_equal(mapped_objects_stray(&sharer[0], &base[0], &now), 0);
	now.shmem += MIB;
	assert_int_equal(mapped_objects_stray(&sharer[0], &base[0], &now), MIB);
	/* Within a quarter of what was found then. */
	find(0, 240 * MIB, MIB);
	map(0, true);
	find(0, 257 * MIB, 256 * MIB);
	assert_true(mapped_objects_wants_maps(&sharer[0], &base[0]));
	find(0, 257 * MIB - 768 * 1024, 256 * MIB);
	assert_true(mapped_objects_wants_maps(&sharer[0], &base[0]));
	find(0, 256 * MIB, 128 * MIB);
	find(1, 256 * MIB, 128 * MIB);
	map(1, true);
	assert_false(mapped_objects_wants_maps(&sharer[0], &base[0]));
	/* If small mappings are left out of the result, reading maps again would not tell more. */
	for (unsigned int i = 2; i < MAPS_OBJECTS; i++)
		list[i] = (struct maps_object){5, i, MIB, false};
	assert_int_equal(
		mapped_objects_map(&table, &sharer[0], list, MAPS_OBJECTS, &base[0], true), 0);
	now.shmem = (256 + MAPS_OBJECTS) * MIB;
	assert_int_equal(mapped_objects_stray(&sharer[0], &base[0], &now), 0);
	/* But a mapping of 1 GiB would come before these. */
	now.shmem += 1024 * MIB;
	assert_int_equal(mapped_objects_stray(&sharer[0], &base[0], &now), 1024 * MIB);
	find(0, 256 * MIB + 1024 * MIB, 256 * MIB + 1024 * MIB);
	assert_true(mapped_objects_wants_maps(&sharer[0], &base[0]));
}

/* A process without known objects may share with others, and has no link to check. */
static void allows_for_sharers_without_known_objects(void **state)
{
	const struct counter_flow rest = {0, 16};
	struct estimate_now now;
	struct estimate_doubt doubt;

	(void)state;
	find(0, MIB, MIB / 2);
	now = (struct estimate_now){base[0].anon, base[0].file, 0, MIB};
	assert_true(object_share_doubt(&sharer[0], &base[0], &now, &rest, &doubt));
	assert_int_equal(doubt.file_mid, 0);
	assert_true(doubt.file_down > 0);
}

/* All resident memory of a process may belong to one segment, even if it maps larger ones. */
static void all_memory_may_belong_to_one_segment(void **state)
{
	const struct maps_object list[] = {{1, 9, 768 * MIB, true}, buffers, library};
	struct estimate e;

	(void)state;
	find(0, 100 * MIB, 100 * MIB);
	base[0].uss = 104 * MIB;
	map(0, true);
	settle();
	/* All of its 64 MiB belong to the buffers. */
	find(1, 64 * MIB, 32 * MIB);
	mapped_objects_moved(&sharer[1], NULL, 0, base[1].file);
	assert_int_equal(mapped_objects_map(&table, &sharer[1], list, 3, &base[1], false), 0);
	settle();
	e = estimate_of(0, 100 * MIB);
	assert_in_range(e.low, 4 * MIB, 72 * MIB + MIB / 4);
	assert_true(e.pss > e.low && e.high >= e.pss);
	find(0, 100 * MIB, 68 * MIB);
	base[0].uss = 40 * MIB;
	mapped_objects_measured(&sharer[0], NULL, &base[0]);
	settle();
	/* It exits. */
	mapped_objects_end(&table, &sharer[1]);
	e = estimate_of(0, 100 * MIB);
	assert_true(e.high >= 104 * MIB + MIB / 4);
	assert_true(e.low <= e.pss && e.pss < e.high);
}

/*
 * The same for memory that it has gained since its maps were read. Memory released since leaves
 * with no process.
 */
static void exit_removes_present_memory(void **state)
{
	const struct maps_object list[] = {{1, 9, 768 * MIB, true}, buffers, library};
	struct estimate e;

	(void)state;
	for (unsigned int grows = 0; grows < 2; grows++) {
		uint64_t then = grows ? MIB : 90 * MIB, now = grows ? 90 * MIB : MIB;

		find(1, then, then);
		mapped_objects_moved(&sharer[1], NULL, 0, base[1].file);
		assert_int_equal(
			mapped_objects_map(&table, &sharer[1], list, 3, &base[1], false), 0);
		settle();
		move(1, then, now);
		/* All of its memory belongs to the buffers. */
		find(0, 100 * MIB, 55 * MIB);
		base[0].uss = 14 * MIB;
		mapped_objects_moved(&sharer[0], NULL, 0, base[0].file);
		map(0, true);
		settle();
		mapped_objects_end(&table, &sharer[1]);
		e = estimate_of(0, 100 * MIB);
		if (grows)
			assert_true(e.high >= 104 * MIB + MIB / 4);
		else
			assert_true(e.high < 90 * MIB);
		teardown(state);
	}
}

/*
 * Of what others touch between two polls, half counts for a process that is measured at half of
 * the time.
 */
static void counts_sharers_at_the_time_of_measurement(void **state)
{
	(void)state;
	for (unsigned int quarters = 0; quarters <= 4; quarters++) {
		uint64_t then = (BACKENDS - 1) * (100 + 5 * quarters) + 100,
			 now = (BACKENDS - 1) * 120 + 100;
		struct estimate e;

		start_backends(quarters % 2); /* independent of how they became known */
		mapped_objects_measured(&sharer[0], NULL, &base[0]);
		for (unsigned int i = 1; i < BACKENDS; i++)
			move(i, 100 * MIB, 120 * MIB);
		mapped_objects_settle(&sharer[0], quarters * MAPPED_OBJECTS_PART / 4, &no_lesson);
		e = estimate_of(0, 100 * MIB);
		/* The library is shared as before. */
		assert_in_range(e.pss, 4 * MIB + MIB / 4 + 5 * MIB * then / now - 2048,
			4 * MIB + MIB / 4 + 5 * MIB * then / now + 2048);
		teardown(state);
	}
}

/*
 * A measurement describes sharers as they are. Their own growth until the next poll does not
 * change it.
 */
static void own_growth_changes_no_other_share(void **state)
{
	struct estimate e;

	(void)state;
	for (unsigned int i = 0; i < BACKENDS; i++) {
		find(i, 100 * MIB, 100 * MIB / BACKENDS);
		map(i, true);
	}
	settle();
	find(BACKENDS, MIB, MIB / (BACKENDS + 1));
	base[BACKENDS].file = MIB; /* but nothing of the library */
	base[BACKENDS].pss_file = 0;
	mapped_objects_moved(&sharer[BACKENDS], NULL, 0, 100 * MIB);
	mapped_objects_measured(&sharer[BACKENDS], NULL, &base[BACKENDS]);
	assert_int_equal(
		mapped_objects_map(&table, &sharer[BACKENDS], &buffers, 1, &base[BACKENDS], false),
		0);
	mapped_objects_since(&sharer[BACKENDS], MIB, 100 * MIB);
	mapped_objects_settle(&sharer[BACKENDS], MAPPED_OBJECTS_PART, &no_lesson);
	e = estimate_with(BACKENDS, 100 * MIB, 0);
	assert_near(&e, 4 * MIB + 100 * MIB / (BACKENDS + 1), 1);
}

/*
 * The time of a sharer's measurement also counts when its maps are read, for the first time or
 * again.
 */
static void counts_others_when_maps_are_read(void **state)
{
	struct estimate e;

	(void)state;
	start_backends(true);
	map(0, true);
	for (unsigned int i = 1; i < BACKENDS; i++)
		move(i, 100 * MIB, 120 * MIB);
	mapped_objects_settle(&sharer[0], 0, &no_lesson);
	e = estimate_of(0, 100 * MIB);
	assert_in_range(e.pss, 4 * MIB + MIB / 4 + 5 * MIB * 2000 / 2380 - 2048,
		4 * MIB + MIB / 4 + 5 * MIB * 2000 / 2380 + 2048);
}

/* Each process has touched MORE bytes and is measured again with SHMEM_PSS. */
static void measure_all(uint64_t more, uint64_t shmem_pss)
{
	struct mapped_objects_lesson lesson[BACKENDS];

	for (unsigned int i = 0; i < BACKENDS; i++) {
		uint64_t before = base[i].file - 8 * MIB;

		move(i, before, before + more);
	}
	for (unsigned int i = 0; i < BACKENDS; i++) {
		struct estimate_base before = base[i];

		find(i, before.file - 8 * MIB + more, shmem_pss);
		lesson[i] = mapped_objects_measured(&sharer[i], &before, &base[i]);
	}
	for (unsigned int i = 0; i < BACKENDS; i++)
		mapped_objects_settle(&sharer[i], 0, &lesson[i]);
}

static struct estimate after_more(uint64_t more)
{
	uint64_t before = base[0].file - 8 * MIB;

	for (unsigned int i = 0; i < BACKENDS; i++)
		move(i, base[i].file - 8 * MIB, base[i].file - 8 * MIB + more);
	return estimate_of(0, before + more);
}

/*
 * Repeated measurements of some processes teach how certain the others' estimates are, here if all
 * touch pages that others have.
 */
static void learns_from_repeated_measurements(void **state)
{
	struct estimate first, later;

	(void)state;
	start_backends(true);
	first = after_more(5 * MIB);
	teardown(state);
	start_backends(true);
	for (unsigned int round = 0; round < 6; round++)
		measure_all(5 * MIB, 5 * MIB);
	later = after_more(5 * MIB);
	assert_near(&later, 4 * MIB + 5 * MIB + MIB / 4, 1);
	assert_true(first.high - first.low > 5 * MIB);
	assert_true(later.high - later.low < MIB / 2);
	teardown(state);
	/* Here if each touches pages that no other has. */
	start_backends(true);
	for (unsigned int round = 0; round < 6; round++)
		measure_all(5 * MIB, (10 + round * 5) * MIB);
	later = after_more(5 * MIB);
	assert_near(&later, 4 * MIB + 40 * MIB + MIB / 4, 2);
}

/* Experience with shared memory does not narrow the bounds of growth of files. */
static void learns_nothing_of_files(void **state)
{
	const uint64_t shmem = 130 * MIB, truth = 4 * MIB + 5 * MIB + MIB / 4;
	struct estimate e;

	(void)state;
	start_backends(true);
	for (unsigned int round = 0; round < 6; round++)
		measure_all(5 * MIB, 5 * MIB);
	/* A file that no other process has. */
	move(0, shmem, shmem + 64 * MIB);
	move(1, shmem, shmem + MIB);
	e = estimate_with(0, shmem, (8 + 64) * MIB);
	assert_true(e.low <= truth + 64 * MIB && truth + 64 * MIB <= e.high + 1024);
	/* Or all of the growth is shared memory. */
	e = estimate_with(0, shmem + 64 * MIB, 8 * MIB);
	assert_true(e.high - e.low < 8 * MIB);
	/* Half of it. */
	e = estimate_with(0, shmem + 32 * MIB, (8 + 32) * MIB);
	assert_true(e.low <= truth + 32 * MIB && truth + 32 * MIB <= e.high + 1024);
}

/* Memory that others release may be any part, whatever was learned. */
static void learns_nothing_about_released_memory(void **state)
{
	struct estimate e;

	(void)state;
	start_backends(true);
	for (unsigned int round = 0; round < 6; round++)
		measure_all(5 * MIB, 5 * MIB);
	for (unsigned int i = 1; i < BACKENDS / 2; i++)
		mapped_objects_end(&table, &sharer[i]);
	e = estimate_of(0, 130 * MIB);
	assert_true(e.high - e.low > MIB);
}

/* For any input, estimates stay within their bounds. */
static void keeps_bounds_for_any_input(void **state)
{
	struct mapped_objects_lesson lesson[BACKENDS + 1] = {0};
	uint64_t seed = 5;

	(void)state;
	for (unsigned int round = 0; round < 20000; round++) {
		unsigned int i = unit_random(&seed) % BACKENDS;
		uint64_t shmem = unit_random(&seed) % (400 * MIB), now;
		struct estimate_base before = base[i];
		struct estimate e;

		switch (unit_random(&seed) % 4) {
		case 0:
			find(i, shmem, unit_random(&seed) % (shmem + 1));
			base[i].has_parts = unit_random(&seed) % 4;
			base[i].pss_file = unit_random(&seed) % (8 * MIB);
			base[i].uss = unit_random(&seed) % 3 ? ESTIMATE_UNKNOWN
			                                     : unit_random(&seed) % (80 * MIB);
			if (unit_random(&seed) % 2)
				map(i, unit_random(&seed) % 2);
			else {
				lesson[i] = mapped_objects_measured(&sharer[i], &before, &base[i]);
			}
			break;
		case 1: mapped_objects_end(&table, &sharer[i]); break;
		case 2: move(i, unit_random(&seed) % (400 * MIB), shmem); break;
		default:
			for (unsigned int n = 0; n <= BACKENDS; n++)
				mapped_objects_settle(&sharer[n],
					unit_random(&seed) % (MAPPED_OBJECTS_PART + 1), &lesson[n]);
		}
		i = unit_random(&seed) % BACKENDS;
		now = unit_random(&seed) % (400 * MIB);
		e = estimate_of(i, now);
		assert_true(e.low <= e.pss && e.pss <= e.high);
		assert_true(e.high <= base[i].anon + now + 8 * MIB);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(counts_sharers_measured_earlier, teardown),
		cmocka_unit_test_teardown(shares_follow_the_union_of_touched_pages, teardown),
		cmocka_unit_test_teardown(divides_among_new_sharers, teardown),
		cmocka_unit_test_teardown(weighs_by_resident_memory, teardown),
		cmocka_unit_test_teardown(notices_memory_of_unknown_segments, teardown),
		cmocka_unit_test_teardown(looks_for_new_segments, teardown),
		cmocka_unit_test_teardown(allows_for_sharers_without_known_objects, teardown),
		cmocka_unit_test_teardown(all_memory_may_belong_to_one_segment, teardown),
		cmocka_unit_test_teardown(exit_removes_present_memory, teardown),
		cmocka_unit_test_teardown(counts_sharers_at_the_time_of_measurement, teardown),
		cmocka_unit_test_teardown(own_growth_changes_no_other_share, teardown),
		cmocka_unit_test_teardown(counts_others_when_maps_are_read, teardown),
		cmocka_unit_test_teardown(learns_from_repeated_measurements, teardown),
		cmocka_unit_test_teardown(learns_nothing_of_files, teardown),
		cmocka_unit_test_teardown(learns_nothing_about_released_memory, teardown),
		cmocka_unit_test_teardown(keeps_bounds_for_any_input, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
