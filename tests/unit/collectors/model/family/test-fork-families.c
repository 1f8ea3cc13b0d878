/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests fork families: births, processes of unknown parents (strays), and random events against the
 * truth (folk.h).
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <stdlib.h>

#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/model/folk.h"

#define KIB UINT64_C(1024)
#define MIB (UINT64_C(1024) * KIB)
#define SEC UINT64_C(1000000000)

/*
 * Nothing is measured after the forks: the parent's estimate allows for them, and represents the
 * children.
 */
static void follows_a_burst_of_forks(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start_server(f);
	folk_fork_workers(f, 20);
	folk_assert_all_bounds(f);
	folk_assert_all_within(f, 30);
	assert_true(folk_estimate(f, 0).uss <= MIB);
	assert_int_equal(f->doubt[63].anon_mid, 0);
}

/*
 * A birth in the clock tick of a measurement: the measurement may have seen the newborn or not, and
 * the newborn may exit soon.
 */
static void allows_for_the_order_of_a_birth(void **state)
{
	(void)state;
	for (unsigned int seen = 0; seen < 2; seen++) {
		AUTO_FOLK struct folk *f = folk_new();

		folk_start_server(f);
		folk_fork_workers(f, 3);
		folk_measure_all(f, 0);
		folk_settle(f);
		if (seen) {
			folk_fork_unseen(f, 1, 4);
			folk_measure(f, 1);
			folk_notice_birth(f, 1, 4, f->now);
		} else {
			folk_measure(f, 1);
			folk_fork(f, 1, 4);
		}
		folk_settle(f);
		folk_assert_all_bounds(f);
		assert_int_equal(f->member[1].early, 1);
		folk_end(f, 4);
		folk_settle(f);
		folk_assert_all_bounds(f);
	}
}

/*
 * The members of a family are measured for the first time one after the other, as when the daemon
 * starts.
 */
static void counts_first_measured_members(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start(f, 0);
	folk_allocate(f, 0, 256 * MIB);
	for (unsigned int i = 1; i < 20; i++) {
		folk_fork_unseen(f, 0, i);
		folk_notice(f);
		families_born(&f->families, &f->member[i], NULL, f->now);
		families_moved(&f->member[i], 0, 8 * MIB);
	}
	folk_map(f, 8 * MIB, 0xfffff, WORLD_FILES);
	folk_settle(f);
	folk_measure_all(f, 0);
	for (unsigned int i = 0; i < 20; i++) {
		assert_int_equal(folk_doubt(f, i).file_down, 0);
		assert_int_equal(f->member[i].then, 20);
		assert_int_equal(f->doubt[i].anon_mid, 0);
	}
	for (unsigned int i = 10; i < 20; i++)
		folk_end(f, i);
	folk_settle(f);
	folk_assert_all_bounds(f);
	folk_assert_all_within(f, 1);
}

/* A fork that a measurement saw before a pass noticed it counts once. */
static void counts_a_seen_fork_once(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();
	uint64_t born;

	(void)state;
	folk_start_server(f);
	folk_fork_unseen(f, 0, 1);
	born = f->now;
	f->now += SEC;
	folk_measure(f, 0);
	folk_notice_birth(f, 0, 1, born);
	folk_settle(f);
	assert_int_equal(f->doubt[0].anon_mid, 0);
	folk_assert_all_bounds(f);
	folk_assert_all_within(f, 10);
}

/* When the child executes another program, its parent has its memory for itself again. */
static void follows_an_exec(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start_server(f);
	folk_fork_workers(f, 1);
	assert_true(folk_estimate(f, 0).pss < 300 * MIB);
	folk_notice(f);
	families_executed(&f->families, &f->member[1]);
	world_unmap_all(&f->world, 1);
	f->image[1] = 5;
	folk_allocate(f, 1, MIB);
	assert_null(f->member[1].family);
	folk_settle(f);
	assert_int_equal(folk_estimate(f, 0).pss / MIB, 517);
	folk_assert_bounds(f, 0);
	folk_measure(f, 1);
	folk_settle(f);
	folk_assert_all_bounds(f);
}

/* A newborn that counted as forked turns out to have executed another program unnoticed. */
static void corrects_a_presumed_fork(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start_server(f);
	folk_notice_birth(f, 0, 1, f->now);
	f->alive |= world_bit(1);
	folk_settle(f);
	assert_true(folk_estimate(f, 0).pss < 300 * MIB);
	f->image[1] = 77;
	folk_allocate(f, 1, MIB);
	folk_measure(f, 1);
	assert_null(f->member[1].family);
	assert_false(f->member[1].is_forked);
	folk_settle(f);
	assert_int_equal(f->doubt[0].anon_mid, 0);
	assert_int_equal(folk_estimate(f, 0).pss / MIB, 517);
}

/*
 * Forks CHILD from PARENT in a way that hides the parent: the child has another name by now, or its
 * parent exited.
 */
static void fork_stray(struct folk *f, unsigned int parent, unsigned int child)
{
	uint64_t born_ns = f->now;

	folk_fork_unseen(f, parent, child);
	folk_notice(f);
	assert_int_equal(families_born(&f->families, &f->member[child], NULL, born_ns), 0);
}

/*
 * Its address range shows that the process belongs to the family. Its parent is not known, so it
 * may be a child of any member.
 */
static void allows_for_strays(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start_server(f);
	for (unsigned int i = 1; i <= 20; i++)
		fork_stray(f, 0, i);
	folk_settle(f);
	assert_true(folk_estimate(f, 0).low > 512 * MIB);
	for (unsigned int i = 1; i <= 20; i++)
		folk_measure(f, i);
	folk_settle(f);
	folk_assert_bounds(f, 0);
	assert_true(folk_estimate(f, 0).low < 30 * MIB);
	assert_true(folk_estimate(f, 0).high > 512 * MIB);
	folk_measure(f, 0);
	folk_assert_all_bounds(f);
	assert_int_equal(folk_width(f), 0);
}

/*
 * A stray may share memory that its parent gained before the fork. Children of a stray are strays.
 */
static void allows_for_memory_of_strays(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start_server(f);
	folk_allocate(f, 0, 256 * MIB);
	fork_stray(f, 0, 1);
	folk_settle(f);
	folk_measure(f, 1);
	folk_settle(f);
	folk_assert_bounds(f, 0);
	folk_fork(f, 1, 2);
	folk_fork(f, 2, 3);
	folk_settle(f);
	folk_assert_bounds(f, 0);
	/* also after the first stray exited */
	folk_end(f, 1);
	folk_settle(f);
	folk_fork(f, 2, 4);
	folk_settle(f);
	folk_assert_bounds(f, 0);
}

/*
 * A stray that is measured in the clock tick of its birth does not count as its own child, nor as
 * that of members that have seen it.
 */
static void a_stray_is_not_its_own_child(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start_server(f);
	folk_fork_workers(f, 2);
	folk_allocate(f, 0, 64 * MIB);
	folk_measure_all(f, 0);
	folk_fork_unseen(f, 0, 3);
	folk_notice(f);
	folk_allocate(f, 3, 64 * MIB);
	assert_int_equal(families_born(&f->families, &f->member[3], NULL, f->now), 0);
	folk_measure(f, 3);
	folk_settle(f);
	assert_int_equal(f->member[3].strays, 1);
	assert_int_equal(f->member[3].fresh, 0);
	folk_end(f, 2);
	folk_settle(f);
	assert_true(folk_estimate(f, 3).low >= 200 * MIB);
	folk_assert_bounds(f, 3);
}

/*
 * A process with a known parent is no stray, whatever exits: private memory of other members stays
 * private.
 */
static void known_children_are_no_strays(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();
	uint64_t low;

	(void)state;
	folk_start_server(f);
	folk_fork_workers(f, 3);
	for (unsigned int i = 1; i <= 3; i++)
		folk_allocate(f, i, 64 * MIB);
	folk_measure_all(f, 10 * MIB);
	low = folk_estimate(f, 1).low;
	folk_fork(f, 0, 6);
	folk_settle(f);
	folk_end(f, 0);
	folk_settle(f);
	folk_fork(f, 2, 4);
	folk_end(f, 2);
	folk_fork(f, 4, 5);
	folk_settle(f);
	folk_assert_all_bounds(f);
	assert_true(low > 64 * MIB && folk_estimate(f, 1).low > 64 * MIB);
	assert_int_equal(f->member[1].strays, 0);
	assert_int_equal(f->member[3].strays, 0);
}

static void measure_strangers(struct families *k, struct family_member *m, unsigned int count)
{
	const struct estimate_base base = {.anon = MIB, .pss_anon = MIB, .uss = MIB};

	for (unsigned int i = 0; i < count; i++)
		assert_int_equal(families_measured(k, &m[i], i + 1, i + 2, NULL, &base, 1), 0);
	families_polled(k, 2);
}

/*
 * The first pass measures all processes. The memory for that is not kept for the few of later
 * passes.
 */
static void frees_the_memory_of_large_passes(void **state)
{
	enum { MANY = 3000 };
	struct family_member *m = calloc(MANY, sizeof(*m));
	struct families k;

	(void)state;
	assert_non_null(m);
	families_init(&k, 1);
	measure_strangers(&k, m, MANY);
	assert_null(k.measured);
	measure_strangers(&k, m, 10);
	assert_non_null(k.measured);
	for (unsigned int i = 0; i < MANY; i++)
		families_gone(&k, &m[i]);
	families_done(&k);
	free(m);
}

static void costs_nothing_without_events(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start_server(f);
	folk_fork_workers(f, 20);
	folk_measure_all(f, 0);
	folk_settle(f);
	assert_int_equal(f->visits, 0);
	folk_end(f, 20);
	folk_settle(f);
	assert_int_equal(f->visits, 20);
	folk_settle(f);
	assert_int_equal(f->visits, 0);
	/* a process that forks for the first time is stored as a parent */
	folk_fork(f, 1, 20);
	folk_end(f, 20);
	folk_settle(f);
	allocation_fail_at(0);
	for (unsigned int round = 0; round < 20; round++) {
		folk_fork(f, 1, 20);
		folk_settle(f);
		folk_end(f, 20);
		folk_settle(f);
	}
	assert_int_equal(allocation_count(), 0);
}

/* Address ranges and files are found by keys that an attacker cannot predict. */
static void is_seeded(void **state)
{
	const struct maps_object object = {.device = 1, .inode = 2, .bytes = 4 * MIB};
	const struct estimate_base b = {
		.anon = MIB, .file = 8 * MIB, .pss_anon = MIB, .has_parts = true};
	uint64_t range[2], file[2] = {0, 0};

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		CLEANUP(families_done) struct families k;
		struct family_member m = {0};

		families_init(&k, 77 + i);
		families_begin(&k, 5);
		assert_int_equal(families_born(&k, &m, NULL, 1), 0);
		assert_int_equal(families_measured(&k, &m, 1, 2, NULL, &b, 6), 0);
		assert_int_equal(families_mapped(&k, &m, &object, 1, &b), 0);
		range[i] = m.key;
		for (size_t s = 0; s < k.objects.slots; s++)
			file[i] |= k.objects.slot[s].key;
		families_gone(&k, &m);
	}
	assert_true(range[0] && range[0] != range[1]);
	assert_true(file[0] && file[0] != file[1]);
}

static void survives_without_memory(void **state)
{
	struct maps_object objects[2] = {{1, 2, 4 * MIB}, {1, 3, 2 * MIB}};
	struct estimate_base b = {.anon = MIB, .file = 8 * MIB, .pss_anon = MIB, .has_parts = true};

	(void)state;
	for (unsigned int n = 1;; n++) {
		struct families k = {0};
		struct family_member m[4] = {0};
		unsigned int failed = 0;

		allocation_fail_at(n);
		families_begin(&k, 5);
		for (unsigned int i = 0; i < 2; i++) {
			failed += families_born(&k, &m[i], NULL, 1) < 0;
			failed += families_measured(&k, &m[i], 1, 2, NULL, &b, 6) < 0;
			failed += families_mapped(&k, &m[i], objects, 2, &b) < 0;
		}
		failed += families_born(&k, &m[2], &m[0], 7) < 0;
		failed += families_born(&k, &m[3], &m[2], 8) < 0;
		failed += families_measured(&k, &m[3], 1, 2, NULL, &b, 9) < 0;
		while (families_affected(&k))
			;
		for (unsigned int i = 0; i < 4; i++)
			families_gone(&k, &m[i]);
		families_done(&k);
		if (!allocation_end())
			break;
		assert_true(failed <= 2);
	}
}

/*
 * Random events of all kinds that a pass can notice. If births at one moment are noticed out of
 * order, bounds may be slightly wrong: in less than one of 10,000 cases.
 */
static void holds_the_truth(void **state)
{
	uint64_t seed = 11, checks = 0, misses = 0;

	(void)state;
	for (unsigned int run = 0; run < 400; run++) {
		AUTO_FOLK struct folk *f = folk_new();

		folk_start(f, 0);
		folk_allocate(f, 0, 64 * MIB);
		folk_map(f, 16 * MIB, world_bit(0), WORLD_FILES);
		folk_measure(f, 0);
		folk_settle(f);
		for (unsigned int step = 0; step < 300 && f->world.blocks < WORLD_BLOCKS - 100;
			step++) {
			unsigned int i = unit_random(&seed) % 40, k = unit_random(&seed) % 40;
			uint64_t born = f->now;

			switch (unit_random(&seed) % 8) {
			case 0:
			case 1:
				if ((f->alive & world_bit(i)) && !(f->alive & world_bit(k)))
					folk_fork(f, i, k);
				break;
			case 2:
				/* a process that lives between two passes is never seen */
				if (i && (f->listed & world_bit(i)))
					folk_end(f, i);
				break;
			case 3:
				if (f->alive & world_bit(i))
					folk_allocate(f, i, MIB);
				break;
			case 4: /* a fork that is noticed later */
				if ((f->alive & world_bit(i)) && !(f->alive & world_bit(k))) {
					folk_fork_unseen(f, i, k);
					folk_measure(f, i);
					folk_notice_birth(f, i, k, born);
				}
				break;
			case 5:
				for (unsigned int n = 0; n < 8; n++)
					if (f->alive & world_bit(n * 5 + i % 5))
						folk_measure(f, n * 5 + i % 5);
				break;
			default:
				if (f->alive & world_bit(i))
					folk_measure(f, i);
			}
			if (unit_random(&seed) % 3 == 0) {
				folk_settle(f);
				for (i = 0; i < WORLD_PROCESSES; i++) {
					if (!(f->alive & world_bit(i)) ||
						(!f->measured[i] &&
							!families_speaker(&f->member[i])))
						continue;
					checks++;
					misses += !folk_is_within_bounds(f, i);
				}
			}
		}
	}
	assert_true(checks > 100000);
	assert_true(misses * 10000 <= checks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_a_burst_of_forks),
		cmocka_unit_test(allows_for_the_order_of_a_birth),
		cmocka_unit_test(counts_first_measured_members),
		cmocka_unit_test(counts_a_seen_fork_once),
		cmocka_unit_test(follows_an_exec),
		cmocka_unit_test(corrects_a_presumed_fork),
		cmocka_unit_test(allows_for_strays),
		cmocka_unit_test(allows_for_memory_of_strays),
		cmocka_unit_test(known_children_are_no_strays),
		cmocka_unit_test(a_stray_is_not_its_own_child),
		cmocka_unit_test(frees_the_memory_of_large_passes),
		cmocka_unit_test(costs_nothing_without_events),
		cmocka_unit_test(is_seeded),
		cmocka_unit_test(survives_without_memory),
		cmocka_unit_test(holds_the_truth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
