/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of collectors/adaptive/cow-faults.h: when fault counters are read, and what they reveal
 * about writes to shared memory, with a simulated /proc.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"
#include "collectors/adaptive/cow-faults.h"
#include "collectors/adaptive/measure-queue.h"
#include "collectors/adaptive/sharing-state.h"
#include "tests/unit/support/tree/tree.h"

#define PAGE UINT64_C(4096)
#define MIB  (UINT64_C(1) << 20)
#define SEC  NS_PER_SEC

enum { MEMBERS = 6, CROWD = 70 };

struct scene {
	struct tree tree;
	struct procfs procfs;
	struct process_reader reader;
	struct process process[CROWD], *item[CROWD];
	struct tracked tracked[CROWD];
	struct process_table table;
	struct families families;
	struct cow_faults faults;
	struct tree_event opened;
};

static void measured(struct scene *s, unsigned int i, uint32_t faults)
{
	const struct page_walk_result walked = {.faults = faults, .has_faults = true};

	cow_faults_measured(&s->faults, &s->process[i], &walked, 300 * SEC);
}

/*
 * Returns a scene with COUNT processes. Each has 100 MiB of anonymous memory and shares 90 MiB of
 * it.
 */
static struct scene *scene_of(unsigned int count)
{
	struct scene *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	assert_true(count <= CROWD);
	tree_open(&s->tree);
	s->procfs = (struct procfs){.fd = s->tree.fd, .ns_per_tick = 10000000};
	s->reader.procfs = &s->procfs;
	cow_faults_init(&s->faults, &s->families, &s->reader, &s->table, PAGE);
	for (unsigned int i = 0; i < count; i++) {
		process_init(&s->process[i], (pid_t)(10 + i));
		s->item[i] = &s->process[i];
		s->process[i].known = true;
		s->process[i].tracked = &s->tracked[i];
		s->tracked[i] = (struct tracked){
			.base = {.anon = 100 * MIB,
				.pss_anon = 20 * MIB,
				.uss = 10 * MIB,
				.has_parts = true},
			.seen = {.resident = 100 * MIB / PAGE},
			.has_base = true,
			.image = TRACKED_SETTLED,
		};
		tree_set_faults(&s->tree, (pid_t)(10 + i), 1000);
		measured(s, i, 1000);
	}
	s->table = (struct process_table){.item = s->item, .count = count};
	s->opened.suffix = "stat";
	tree_expect(&s->opened, 1);
	return s;
}

static struct scene *scene_new(void)
{
	return scene_of(MEMBERS);
}

static void scene_done(struct scene **s)
{
	tree_expect(NULL, 0);
	for (unsigned int i = 0; i < MEMBERS; i++)
		families_gone(&(*s)->families, &(*s)->tracked[i].member);
	families_done(&(*s)->families);
	process_reader_done(&(*s)->reader);
	tree_done(&(*s)->tree);
	free(*s);
}
#define AUTO_SCENE CLEANUP(scene_done)

static void counts_faults_of_sharers(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();
	const struct page_walk_result unknown = {.has_faults = false};

	(void)state;
	assert_int_equal(s->tracked[0].watch, TRACKED_COUNTED);
	assert_int_equal(s->tracked[0].faults, 1000);
	s->tracked[1].base.pss_anon = 100 * MIB; /* all of it is private */
	measured(s, 1, 2000);
	assert_int_equal(s->tracked[1].watch, TRACKED_UNCOUNTED);
	/*
	 * If a measurement brought no fault counter, it is read now, provided that the process
	 * shares memory.
	 */
	tree_set_faults(&s->tree, 10, 3000);
	cow_faults_measured(&s->faults, &s->process[0], &unknown, 300 * SEC);
	assert_int_equal(s->tracked[0].watch, TRACKED_COUNTED);
	assert_int_equal(s->tracked[0].faults, 3000);
	s->opened.count = 0;
	cow_faults_measured(&s->faults, &s->process[1], &unknown, 300 * SEC);
	assert_int_equal(s->tracked[1].watch, TRACKED_UNCOUNTED);
	assert_int_equal(s->opened.count, 0);
	tree_remove(&s->tree, "10");
	cow_faults_measured(&s->faults, &s->process[0], &unknown, 300 * SEC);
	assert_int_equal(s->tracked[0].watch, TRACKED_UNCOUNTED);
}

static void look(struct scene *s, uint64_t max_age_ns, uint64_t available_ns)
{
	s->opened.count = 0;
	cow_faults_look(&s->faults, 10 * SEC, max_age_ns, available_ns);
}

/* Each pass reads some counters; each is read several times within the maximum age. */
static void reads_in_turn(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();

	(void)state;
	for (unsigned int pass = 0; pass < 6; pass++) {
		look(s, 120 * SEC, SEC);
		assert_int_equal(s->opened.count, MEMBERS / 3);
	}
	s->tracked[0].watch = TRACKED_UNCOUNTED;
	s->tracked[1].has_base = false;
	s->tracked[2].relations = TRACKED_ELSEWHERE;
	look(s, 10 * SEC, 0);
	assert_int_equal(s->opened.count, MEMBERS - 3);
}

/*
 * Growth takes faults: of anonymous memory, files and shared memory. Each new page may be one
 * fault.
 */
static void growth_is_no_write(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();

	(void)state;
	for (pid_t pid = 10; pid < 10 + MEMBERS; pid++)
		tree_set_faults(&s->tree, pid, 1000 + 40 * 256);
	s->tracked[0].seen.resident += 40 * 256;
	s->tracked[1].seen.resident += 40 * 256;
	s->tracked[1].seen.shared += 40 * 256;
	s->tracked[2].seen.resident += 30 * 256;
	s->tracked[2].seen.shared += 20 * 256;
	look(s, 10 * SEC, 0);
	assert_int_equal(s->tracked[0].broken_kib, 0);
	assert_int_equal(s->tracked[1].broken_kib, 0);
	assert_int_equal(s->tracked[2].broken_kib, 10 << 10);
	assert_int_equal(s->tracked[3].broken_kib, 40 << 10);
}

static void join(struct scene *s, unsigned int i)
{
	struct tracked *w = &s->tracked[i];

	assert_int_equal(families_measured(&s->families, &w->member, 1000, 2000, NULL, &w->base,
				 clock_now_ns(CLOCK_BOOTTIME)),
		0);
}

/* All processes form a family, and fault for 40 MiB, which they share. */
static void write_all(struct scene *s)
{
	for (unsigned int i = 0; i < MEMBERS; i++) {
		join(s, i);
		tree_set_faults(&s->tree, (pid_t)(10 + i), 1000 + 40 * 256);
	}
}

static unsigned int count_broken(const struct scene *s)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < MEMBERS; i++)
		count += s->tracked[i].broken_kib == 40 << 10;
	return count;
}

/*
 * Readings because of an alarm take a quarter of the tokens, and continue in the next pass where
 * they ended.
 */
static void alarms_take_a_part_of_the_budget(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();

	(void)state;
	write_all(s);
	look(s, 120 * SEC, 0);
	assert_int_equal(s->opened.count, 2);
	cow_faults_alarmed(&s->faults);
	assert_int_equal(s->opened.count, 2);

	for (unsigned int pass = 0; pass < 3; pass++) {
		for (unsigned int i = 0; i < MEMBERS; i++)
			s->tracked[i].watch = TRACKED_COUNTED;
		look(s, 1200 * SEC, 80 * NS_PER_USEC); /* enough for two; no reading is due */
		assert_int_equal(s->opened.count, 0);
		cow_faults_alarmed(&s->faults);
		assert_int_equal(s->opened.count, 2);
		cow_faults_alarmed(&s->faults);
		assert_int_equal(s->opened.count, 2);
	}
	assert_int_equal(count_broken(s), MEMBERS);
}

static uint64_t high_of(const struct scene *s, unsigned int i)
{
	struct estimate e;

	assert_true(sharing_state_estimate(&s->tracked[i], PAGE, NULL, &e, NULL));
	return e.high;
}

static void age(struct scene *s, uint64_t age_ns)
{
	uint64_t then_ns = clock_now_ns(CLOCK_BOOTTIME) - age_ns;

	for (unsigned int i = 0; i < MEMBERS; i++) {
		join(s, i);
		s->tracked[i].measured_ns = s->tracked[i].member.measured_ns = then_ns;
	}
}

/*
 * Without tokens no alarm would find a writer. So if the counter of a process was not read for
 * longer than an interval, the process may have written to all that it shares.
 */
static void unread_processes_may_have_written(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();

	(void)state;
	age(s, 15 * SEC);
	s->tracked[5].measured_ns = clock_now_ns(CLOCK_BOOTTIME) - 5 * SEC;
	/* While there are tokens for an alarm, regular readings are enough. */
	look(s, 1200 * SEC, SEC);
	assert_int_equal(s->opened.count, 0);
	assert_int_equal(high_of(s, 0), 20 * MIB);
	look(s, 1200 * SEC, 0);
	assert_int_equal(s->opened.count, 0);
	for (unsigned int i = 0; i < 5; i++)
		assert_int_equal(high_of(s, i), 100 * MIB);
	/* Process 5 shared what the others may have written to. */
	assert_true(high_of(s, 5) > 40 * MIB);
	assert_false(
		s->tracked[5].watch == TRACKED_OVERDUE || s->tracked[6].watch == TRACKED_OVERDUE);
	/* This doubt is no reason to measure any of them. */
	for (unsigned int i = 0; i < MEMBERS; i++) {
		assert_int_equal(cow_faults_broken(&s->tracked[i]), 0);
		assert_int_equal(
			measure_queue_doubt(&s->tracked[i], 20 * MIB, 20 * MIB, high_of(s, i)), 0);
	}

	/*
	 * The counters are read as soon as there are tokens. In a small family no suspicion is left
	 * then.
	 */
	look(s, 1200 * SEC, SEC);
	assert_int_equal(s->opened.count, 5);
	for (unsigned int i = 0; i < MEMBERS; i++)
		assert_int_equal(high_of(s, i), 20 * MIB);
	look(s, 1200 * SEC, SEC);
	assert_int_equal(s->opened.count, 0);
	look(s, 1200 * SEC, 0); /* no reading is older than an interval */
	assert_int_equal(high_of(s, 0), 20 * MIB);
}

/*
 * A forked process copies much shared memory in its first seconds, even if its family is not known.
 */
static void young_processes_are_read(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();
	uint64_t now_ns = clock_now_ns(CLOCK_BOOTTIME);

	(void)state;
	for (unsigned int i = 0; i < MEMBERS; i++) {
		s->tracked[i].member.born_ns = now_ns - 60 * SEC;
		s->tracked[i].measured_ns = now_ns - (i == 3 ? 31 : 29) * SEC;
	}
	tree_set_faults(&s->tree, 13, 1000 + 40 * 256);
	look(s, 1200 * SEC, SEC);
	assert_int_equal(s->opened.count, 1);
	assert_int_equal(cow_faults_broken(&s->tracked[3]), 40 * MIB);
	/* without tokens it is not read */
	look(s, 1200 * SEC, 0);
	assert_int_equal(s->opened.count, 0);
}

/*
 * The counters of the few processes that share most are always read. So births elsewhere do not
 * hide their writes, nor widen their bounds.
 */
static void the_largest_are_always_read(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();

	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		s->tracked[i].base.anon = i < 2 ? 1500 * MIB : 140 * MIB;
		s->tracked[i].base.pss_anon = 20 * MIB;
		s->tracked[i].seen.resident = s->tracked[i].base.anon / PAGE;
		s->tracked[i].measured_ns = clock_now_ns(CLOCK_BOOTTIME) - 15 * SEC;
	}
	tree_set_faults(&s->tree, 11, 1000 + 750 * 256);
	look(s, 1200 * SEC, 0);
	assert_int_equal(s->opened.count, 2);
	assert_int_equal(high_of(s, 0), 20 * MIB);
	assert_int_equal(cow_faults_broken(&s->tracked[1]), 750 * MIB);
	assert_true(s->tracked[2].watch == TRACKED_OVERDUE);
	/* once is enough if it is due as well */
	look(s, 40 * SEC, 0);
	assert_int_equal(s->opened.count, MEMBERS);
}

/* However many processes share nearly as much: the 64 that share most are read. */
static void many_processes_do_not_hide_the_largest(void **state)
{
	AUTO_SCENE struct scene *s = scene_of(CROWD);

	(void)state;
	for (unsigned int i = 0; i < CROWD; i++) {
		s->tracked[i].base.anon = 1000 * MIB + (i == 5 ? 0 : i + 1) * MIB;
		s->tracked[i].seen.resident = s->tracked[i].base.anon / PAGE;
		s->tracked[i].measured_ns = clock_now_ns(CLOCK_BOOTTIME) - 15 * SEC;
	}
	s->tracked[CROWD - 1].watch = TRACKED_UNCOUNTED; /* its writes are not known */
	look(s, 1200 * SEC, 0);
	assert_int_equal(s->opened.count, 64);
	for (unsigned int i = 0; i < CROWD; i++)
		assert_int_equal(s->tracked[i].watch == TRACKED_OVERDUE, i < 4 || i == 5);
	s->tracked[5].base.anon = 2000 * MIB;
	look(s, 1200 * SEC, 0);
	assert_int_equal(s->opened.count, 64);
	assert_false(s->tracked[5].watch == TRACKED_OVERDUE);
}

/*
 * The writes of a child that could not be measured are not known: its family may have gained by
 * them.
 */
static void unmeasured_children_may_have_written(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();

	(void)state;
	age(s, 5 * SEC);
	s->tracked[5].has_base = false;
	s->tracked[5].relations = TRACKED_RELATED;
	look(s, 1200 * SEC, SEC);
	assert_int_equal(high_of(s, 0), 20 * MIB);
	look(s, 1200 * SEC, 0);
	assert_false(
		s->tracked[0].watch == TRACKED_OVERDUE || s->tracked[5].watch == TRACKED_OVERDUE);
	assert_true(high_of(s, 0) > 25 * MIB);
	families_suspect(&s->tracked[5].member, 0, 0); /* as its measurement does */
	assert_int_equal(high_of(s, 0), 20 * MIB);
}

/* A measurement brings the fault counter as a reading does. */
static void a_measurement_ends_the_suspicion(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();

	(void)state;
	s->tracked[0].measured_ns = clock_now_ns(CLOCK_BOOTTIME) - 15 * SEC;
	look(s, 1200 * SEC, 0);
	assert_int_equal(high_of(s, 0), 100 * MIB);
	measured(s, 0, 1000);
	assert_int_equal(high_of(s, 0), 20 * MIB);
}

/* Process I has 40 MiB more than was estimated, by a walk that began at FAULTS. */
static bool find(struct scene *s, unsigned int i, uint32_t faults)
{
	const struct page_walk_result walked = {.faults = faults, .has_faults = true};
	const struct estimate before = {.pss_anon = s->tracked[i].base.pss_anon - 40 * MIB};

	return cow_faults_found(
		&s->faults, &s->process[i], &walked, &before, clock_now_ns(CLOCK_BOOTTIME));
}

static uint64_t broken_of(const struct family_member *m)
{
	struct cow_breaks_sum broken;

	families_broken(m, &broken);
	return broken.gained;
}

/*
 * Copies that a process made before its counter was read: members that were measured between that
 * reading and its own walk know them. They do not know later copies.
 */
static void reports_writes_to_earlier_members(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();

	(void)state;
	for (unsigned int i = 0; i < MEMBERS; i++) {
		s->tracked[i].base.pss_anon = 60 * MIB;
		join(s, i);
	}
	for (pid_t pid = 10; pid < 12; pid++)
		tree_set_faults(&s->tree, pid, 1000 + 50 * 256);
	look(s, 10 * SEC, 0);
	join(s, 4);
	/*
	 * Before any measurement, the others may have gained by the writes, as far as they share.
	 */
	assert_int_equal(high_of(s, 5), 100 * MIB);
	assert_int_equal(high_of(s, 4), 60 * MIB);
	find(s, 0, 1000 + 50 * 256);
	assert_int_equal(broken_of(&s->tracked[4].member), 0);
	assert_int_equal(broken_of(&s->tracked[5].member), 40 * MIB);
	/* Nor does member 4 suspect writes of process 1. */
	assert_int_equal(families_suspected(&s->tracked[4].member), 0);
	assert_int_equal(families_suspected(&s->tracked[5].member), 50 * MIB);
	assert_int_equal(families_suspected(&s->tracked[1].member), 0); /* its own writes */
	tree_set_faults(&s->tree, 11, 1000 + 51 * 256);
	find(s, 1, 1000 + 51 * 256);
	assert_int_equal(broken_of(&s->tracked[4].member), 40 * MIB);
	assert_int_equal(broken_of(&s->tracked[5].member), 80 * MIB);
	assert_int_equal(families_suspected(&s->tracked[5].member), 0);
}

/* A process that has more because others released shared memory has not written. */
static void reports_only_written_memory(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();

	(void)state;
	for (unsigned int i = 0; i < MEMBERS; i++) {
		s->tracked[i].base.pss_anon = 60 * MIB;
		join(s, i);
	}
	assert_false(find(s, 0, 1000));
	assert_int_equal(broken_of(&s->tracked[1].member), 0);
	assert_true(find(s, 0, 1000 + 10 * 256));
	assert_int_equal(broken_of(&s->tracked[1].member), 10 * MIB);
	s->tracked[2].watch = TRACKED_UNCOUNTED; /* its faults are not known */
	assert_false(find(s, 2, 1000));
	assert_int_equal(broken_of(&s->tracked[1].member), 50 * MIB);
	/* A small difference counts if faults show that it was written. */
	assert_true(find(s, 3, 1000 + 8));
	assert_int_equal(broken_of(&s->tracked[1].member), 50 * MIB + 8 * PAGE);
	assert_false(find(s, 3, 1000 + 7));
	assert_int_equal(broken_of(&s->tracked[1].member), 50 * MIB + 8 * PAGE);
}

/*
 * If a member was found to write, the counters of its family are read in each pass, for as long as
 * the maximum age.
 */
static void reads_families_with_writers(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		s->tracked[i].base.pss_anon = 60 * MIB;
		join(s, i);
	}
	find(s, 0, 1000 + 40 * 256);
	/* One other process is due; or it is a member. */
	for (unsigned int pass = 0; pass < 6; pass++) {
		look(s, 240 * SEC, SEC);
		assert_in_range(s->opened.count, 4, 5);
	}
	/* not if tokens are short */
	look(s, 240 * SEC, 0);
	assert_int_equal(s->opened.count, 1);
	assert_true(families_breaks(&s->tracked[1].member, clock_now_ns(CLOCK_BOOTTIME) - SEC));
	assert_false(families_breaks(&s->tracked[1].member, clock_now_ns(CLOCK_BOOTTIME)));
	assert_false(families_breaks(&s->tracked[5].member, 0));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_faults_of_sharers),
		cmocka_unit_test(reads_in_turn),
		cmocka_unit_test(growth_is_no_write),
		cmocka_unit_test(alarms_take_a_part_of_the_budget),
		cmocka_unit_test(unread_processes_may_have_written),
		cmocka_unit_test(young_processes_are_read),
		cmocka_unit_test(the_largest_are_always_read),
		cmocka_unit_test(many_processes_do_not_hide_the_largest),
		cmocka_unit_test(unmeasured_children_may_have_written),
		cmocka_unit_test(a_measurement_ends_the_suspicion),
		cmocka_unit_test(reports_writes_to_earlier_members),
		cmocka_unit_test(reports_only_written_memory),
		cmocka_unit_test(reads_families_with_writers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
