/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the reconciliation of estimates with the host's sums, with rows and meminfo made here. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"
#include "collectors/adaptive/host-check.h"
#include "collectors/adaptive/sharing-state.h"

#define PAGE UINT64_C(4096)
#define MIB  (UINT64_C(1) << 20)

enum { MEMBERS = 4 };

/* Each process has 1000 MiB of anonymous memory, and shares 800 MiB of it with another. */
struct scene {
	struct host_check h;
	struct tracked tracked[MEMBERS];
	struct snapshot_process row[MEMBERS];
	uint64_t anon_mib; /* AnonPages of the host, MiB */
	uint64_t now_ns;
};

static void set_meminfo(struct meminfo *m, uint64_t anon_mib)
{
	*m = (struct meminfo){0};
	ROW_SET(m, MEMINFO_ANON_PAGES, anon_mib * MIB);
	ROW_SET(m, MEMINFO_MAPPED, 0);
}

static void scene_init(struct scene *s)
{
	*s = (struct scene){.anon_mib = MEMBERS * 600, .now_ns = 1000 * NS_PER_SEC};
	host_check_init(&s->h, PAGE);
	host_drift_init(&s->h.drift, 300 * NS_PER_SEC);
	for (unsigned int i = 0; i < MEMBERS; i++) {
		s->tracked[i] = (struct tracked){
			.base = {.anon = 1000 * MIB,
				.pss_anon = 600 * MIB,
				.uss = 200 * MIB,
				.swap_pss = 0,
				.rounding = 1024,
				.has_parts = true},
			.seen = {.size = 300000, .resident = 1000 * MIB / PAGE},
			.present = UINT64_C(1) << PROCESS_RSS,
			.measured_ns = 999 * NS_PER_SEC,
			.has_base = true,
			.image = TRACKED_SETTLED,
		};
		s->row[i].outcome = OUTCOME_MEASURED;
	}
}

/* Runs a pass over all processes. Returns what host_check_end() returned. */
static bool add_all(struct scene *s, bool is_whole)
{
	s->now_ns += 10 * NS_PER_SEC;
	if (!s->h.before.present)
		set_meminfo(&s->h.before, s->anon_mib);
	if (!s->h.after.present)
		set_meminfo(&s->h.after, s->anon_mib);
	host_check_begin(&s->h);
	for (unsigned int i = 0; i < MEMBERS; i++)
		host_check_add(&s->h, &s->tracked[i], &s->row[i]);
	return host_check_end(&s->h, is_whole, true, s->now_ns);
}

static bool pass(struct scene *s, uint64_t anon_mib)
{
	s->anon_mib = anon_mib;
	s->h.before.present = s->h.after.present = 0;
	return add_all(s, true);
}

static void adds_up_each_process_by_its_outcome(void **state)
{
	struct scene s;

	(void)state;
	scene_init(&s);
	s.row[1].outcome = OUTCOME_DENIED; /* counts with all of its resident memory */
	s.row[2].outcome = OUTCOME_SHARED_MM;
	s.tracked[3].has_base = false; /* no relative represents it */
	pass(&s, 2400);
	assert_int_equal(s.h.drift.anon.sum, 600 * MIB);
	assert_int_equal(s.h.drift.anon.unread, 2000 * MIB);
}

/*
 * Memory that the host gained and no counter explains may belong to any process that shares memory.
 */
static void drift_widens_bounds(void **state)
{
	struct scene s;

	(void)state;
	scene_init(&s);
	pass(&s, 2400);
	pass(&s, 2400);
	host_check_settle(&s.h, &s.tracked[0], &s.row[0]);
	assert_int_equal(s.row[0].q[PROCESS_PSS], 600 * MIB);
	assert_in_range(s.row[0].q[PROCESS_PSS_HIGH], 600 * MIB, 601 * MIB);
	assert_true(pass(&s, 2700));
	host_check_settle(&s.h, &s.tracked[0], &s.row[0]);
	assert_int_equal(s.row[0].q[PROCESS_PSS], 600 * MIB);
	assert_in_range(s.row[0].q[PROCESS_PSS_HIGH], 675 * MIB, 1000 * MIB);
	assert_int_equal(s.row[0].q[PROCESS_PSS_AGE], s.tracked[0].measured_ns);
	assert_true(host_drift_alarms(&s.h.drift));

	/* A row without an estimate stays unchanged. */
	s.tracked[1].has_base = false;
	s.row[1] = (struct snapshot_process){.outcome = OUTCOME_MEASURED};
	host_check_settle(&s.h, &s.tracked[1], &s.row[1]);
	assert_int_equal(s.row[1].present, 0);
}

/*
 * While the kernel frees the memory of exited processes, it counts in the host's sums and in no
 * process.
 */
static void memory_being_freed_is_no_drift(void **state)
{
	struct scene s;

	(void)state;
	scene_init(&s);
	pass(&s, 2400);
	pass(&s, 2400);
	for (unsigned int i = 0; i < 3; i++) {
		host_check_left(&s.h, 300 * MIB);
		assert_false(pass(&s, 2700 - i * 100));
		assert_false(host_drift_alarms(&s.h.drift));
		assert_true(s.h.drift.anon.bias < (int64_t)MIB);
	}
	assert_false(pass(&s, 2400));
	host_check_settle(&s.h, &s.tracked[0], &s.row[0]);
	assert_int_equal(s.row[0].q[PROCESS_PSS], 600 * MIB);
	assert_in_range(s.row[0].q[PROCESS_PSS_LOW], 599 * MIB, 600 * MIB);
	assert_in_range(s.row[0].q[PROCESS_PSS_HIGH], 600 * MIB, 601 * MIB);
	/* More than they can explain is drift all the same. */
	host_check_left(&s.h, 100 * MIB);
	assert_true(pass(&s, 2800));
}

/* If meminfo is missing, or some processes are hidden, nothing is compared. */
static void compares_only_complete_sums(void **state)
{
	struct scene s;

	(void)state;
	scene_init(&s);
	pass(&s, 2400);
	pass(&s, 2400);
	s.anon_mib = 2700;
	s.h.before.present = s.h.after.present = 0;
	assert_false(add_all(&s, false));
	host_check_before(&s.h, -1); /* no meminfo */
	assert_false(ROW_HAS(&s.h.before, MEMINFO_ANON_PAGES));
	s.h.before.present = UINT64_C(1) << MEMINFO_TOTAL;
	assert_false(add_all(&s, true));
	assert_true(pass(&s, 2700));
}

/* Changes while the processes are read are no drift. */
static void changes_during_the_pass_are_no_drift(void **state)
{
	struct scene s;

	(void)state;
	scene_init(&s);
	pass(&s, 2400);
	pass(&s, 2400);
	set_meminfo(&s.h.before, 2400);
	set_meminfo(&s.h.after, 3000);
	s.h.after.present = s.h.before.present;
	add_all(&s, true);
	assert_int_equal(s.h.drift.anon.residual, 300 * MIB);
	assert_int_equal(s.h.drift.anon.drift, 0);
	set_meminfo(&s.h.before, 2700);
	set_meminfo(&s.h.after, 2700);
	assert_true(add_all(&s, true));
	assert_true(s.h.drift.anon.drift > (int64_t)(200 * MIB));
}

/*
 * A process that was never measured gets no more than the host has, whether or not processes are
 * hidden.
 */
static void guesses_stay_within_the_host(void **state)
{
	const struct estimate guess = {.pss_anon = 1000 * MIB,
		.pss_file = 32000 * MIB,
		.pss = 33000 * MIB,
		.high = 65000 * MIB,
		.uss = 1000 * MIB};
	struct snapshot_process before;
	struct scene s;

	(void)state;
	scene_init(&s);
	s.tracked[3].has_base = false; /* maps a page of shared memory many times */
	s.tracked[3].seen = (struct statm){
		.resident = 65000 * MIB / PAGE, .shared = 64000 * MIB / PAGE};
	tracked_fill(&s.tracked[3], &guess, PAGE, &s.row[3]);
	before = s.row[3];
	assert_true(add_all(&s, false));
	host_check_settle(&s.h, &s.tracked[3], &s.row[3]);
	assert_in_range(s.row[3].q[PROCESS_PSS], 1000 * MIB, 1001 * MIB + s.h.cpus * MIB);
	assert_int_equal(s.row[3].q[PROCESS_RSS], 65000 * MIB);
	assert_in_range(s.row[3].q[PROCESS_PSS_HIGH], 2400 * MIB, 2401 * MIB + s.h.cpus * MIB);
	assert_int_equal(s.row[3].q[PROCESS_PSS_LOW], 0);

	/* Without AnonPages and Mapped the limit is unknown. */
	s.row[3] = before;
	s.h.before.present = s.h.after.present = UINT64_C(1) << MEMINFO_TOTAL;
	assert_false(add_all(&s, true));
	host_check_settle(&s.h, &s.tracked[3], &s.row[3]);
	assert_int_equal(s.row[3].q[PROCESS_PSS], 33000 * MIB);
}

/*
 * A process that a relative's measurement represents was never measured either: it gets no more
 * than the host has.
 */
static void represented_processes_are_guesses(void **state)
{
	struct families families = {0};
	struct tracked *w;
	struct scene s;

	(void)state;
	scene_init(&s);
	w = s.tracked;
	families_init(&families, 1);
	families_begin(&families, 990 * NS_PER_SEC);
	w[0].relations = w[3].relations = TRACKED_RELATED;
	assert_int_equal(families_born(&families, &w[0].member, NULL, NS_PER_SEC), 0);
	assert_int_equal(families_measured(&families, &w[0].member, 0x1000, 0x2000, NULL,
				 &w[0].base, w[0].measured_ns),
		0);
	w[3].has_base = false;
	w[3].base = (struct estimate_base){0};
	assert_int_equal(
		families_born(&families, &w[3].member, &w[0].member, 1000 * NS_PER_SEC), 0);
	assert_ptr_equal(sharing_state_speaker(&w[3]), &w[0]);

	assert_true(pass(&s, 500));
	host_check_settle(&s.h, &w[3], &s.row[3]);
	assert_in_range(s.row[3].q[PROCESS_PSS], 500 * MIB, 501 * MIB + s.h.cpus * MIB);
	assert_true(s.row[3].q[PROCESS_PSS_LOW] <= s.row[3].q[PROCESS_PSS]);
	assert_true(s.row[3].q[PROCESS_PSS_HIGH] >= s.row[3].q[PROCESS_PSS]);
	host_check_settle(&s.h, &w[1], &s.row[1]);
	assert_int_equal(s.row[1].q[PROCESS_PSS], 600 * MIB);
	families_gone(&families, &w[3].member);
	families_gone(&families, &w[0].member);
	families_done(&families);
}

/*
 * The upper bound is the highest sum of the host, now or in the pass, plus what measurements found
 * beyond it.
 */
static void has_an_upper_bound(void **state)
{
	struct meminfo now;
	struct scene s;
	uint64_t noise;

	(void)state;
	scene_init(&s);
	noise = 2 * PAGE * s.h.cpus * HOST_CHECK_PAGES_PER_CPU;
	set_meminfo(&now, 2500);
	ROW_SET(&now, MEMINFO_MAPPED, 7 * MIB);
	assert_int_equal(host_check_most(&s.h, &now), UINT64_MAX); /* no pass yet */
	pass(&s, 2400);
	assert_in_range(host_check_most(&s.h, &now), 2507 * MIB + noise, 2507 * MIB + noise + 4096);
	set_meminfo(&now, 2300);
	assert_in_range(host_check_most(&s.h, &now), 2400 * MIB + noise, 2400 * MIB + noise + 4096);
	now.present = 0;
	assert_int_equal(host_check_most(&s.h, &now), UINT64_MAX);
	set_meminfo(&now, 2400);
	assert_false(host_check_end(&s.h, false, true, s.now_ns));
	assert_int_equal(host_check_most(&s.h, &now), UINT64_MAX);

	/*
	 * At first the figures are above the sums, and no bias has been learned that explains it.
	 */
	scene_init(&s);
	pass(&s, 2350);
	set_meminfo(&now, 2350);
	assert_true(s.h.drift.anon.is_used && s.h.drift.anon.bias < 0);
	assert_in_range(host_check_most(&s.h, &now), 2390 * MIB, 2401 * MIB + noise);
}

/*
 * The lower bound is the lowest sum of the host, less the possible memory of processes without a
 * PSS.
 */
static void has_a_lower_bound(void **state)
{
	struct meminfo now;
	struct scene s;
	uint64_t noise;

	(void)state;
	scene_init(&s);
	noise = (2 * s.h.cpus + 1) * MIB;
	set_meminfo(&now, 2400);
	assert_int_equal(host_check_least(&s.h, &now), 0); /* no pass yet */
	pass(&s, 2400);
	assert_in_range(host_check_least(&s.h, &now), 2400 * MIB - noise, 2400 * MIB);
	set_meminfo(&now, 2300);
	assert_in_range(host_check_least(&s.h, &now), 2300 * MIB - noise, 2300 * MIB);
	set_meminfo(&s.h.before, 2200);
	assert_in_range(host_check_least(&s.h, &now), 2200 * MIB - noise, 2200 * MIB);
	now.present = 0;
	assert_int_equal(host_check_least(&s.h, &now), 0);

	/* The pages of an exited process stay in the sums for one pass. */
	set_meminfo(&now, 2400);
	host_check_left(&s.h, 100 * MIB);
	host_check_left(&s.h, 200 * MIB);
	pass(&s, 2400);
	assert_in_range(host_check_least(&s.h, &now), 2100 * MIB - noise, 2100 * MIB);
	pass(&s, 2400);
	assert_in_range(host_check_least(&s.h, &now), 2400 * MIB - noise, 2400 * MIB);

	/* some processes are hidden */
	add_all(&s, false);
	assert_int_equal(host_check_least(&s.h, &now), 0);
}

/* An unreadable process has at most its resident memory; if that is unknown, there is no bound. */
static void unreadable_processes_lower_the_bound(void **state)
{
	struct meminfo now;
	struct scene s;

	(void)state;
	scene_init(&s);
	s.tracked[1].seen.resident = 400 * MIB / PAGE;
	s.row[1].outcome = OUTCOME_DENIED;
	set_meminfo(&now, 2200);
	for (unsigned int i = 0; i < 35; i++)
		pass(&s, 2200);
	assert_true(s.h.drift.anon.is_used);
	assert_in_range(host_check_least(&s.h, &now), 1790 * MIB, 1800 * MIB);
	s.tracked[1].present = 0;
	pass(&s, 2200);
	assert_int_equal(host_check_least(&s.h, &now), 0);
}

/*
 * If the kernel averages map counts, AnonPages counts whole folios. Then there is no lower bound,
 * and no bounds become narrower. Process 0 has released memory that was shared or private.
 */
static void averaged_sums_narrow_nothing(void **state)
{
	struct snapshot_process narrowed = {0};
	struct meminfo now;

	(void)state;
	set_meminfo(&now, 2250);
	for (unsigned int is_averaged = 0; is_averaged < 2; is_averaged++) {
		struct estimate alone;
		struct scene s;

		scene_init(&s);
		s.h.is_averaged = is_averaged;
		pass(&s, 2400);
		pass(&s, 2400);
		s.tracked[0].seen.resident = 700 * MIB / PAGE;
		assert_true(sharing_state_estimate(&s.tracked[0], PAGE, NULL, &alone, NULL));
		pass(&s, alone.pss / MIB + 1800);
		host_check_settle(&s.h, &s.tracked[0], &s.row[0]);
		if (!is_averaged) {
			narrowed = s.row[0];
			assert_true(host_check_least(&s.h, &now) > 2000 * MIB);
			continue;
		}
		assert_int_equal(s.row[0].q[PROCESS_PSS_LOW], alone.low);
		assert_int_equal(s.row[0].q[PROCESS_PSS_HIGH], alone.high);
		assert_true(narrowed.q[PROCESS_PSS_HIGH] < alone.high);
		assert_int_equal(host_check_least(&s.h, &now), 0);
		assert_true(host_check_most(&s.h, &now) < UINT64_MAX);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds_up_each_process_by_its_outcome),
		cmocka_unit_test(drift_widens_bounds),
		cmocka_unit_test(memory_being_freed_is_no_drift),
		cmocka_unit_test(compares_only_complete_sums),
		cmocka_unit_test(changes_during_the_pass_are_no_drift),
		cmocka_unit_test(guesses_stay_within_the_host),
		cmocka_unit_test(represented_processes_are_guesses),
		cmocka_unit_test(has_an_upper_bound),
		cmocka_unit_test(has_a_lower_bound),
		cmocka_unit_test(unreadable_processes_lower_the_bound),
		cmocka_unit_test(averaged_sums_narrow_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
