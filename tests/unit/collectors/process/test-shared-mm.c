/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of collectors/process/shared-mm.h: processes with a common address space. Address spaces
 * are invented: a comparison function looks up the space of a pid and counts its calls.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "base/os/kcmp.h"
#include "collectors/process/shared-mm.h"

enum { PIDS = 512 };

static unsigned int space_of[PIDS]; /* 0: the process has exited */
static bool refuses[PIDS];
static unsigned int comparisons;

static int compare_spaces(pid_t a, pid_t b)
{
	comparisons++;
	if (!space_of[a] || !space_of[b])
		return -ESRCH;
	if (refuses[a] || refuses[b])
		return -EPERM;
	if (space_of[a] == space_of[b])
		return 0;
	return space_of[a] < space_of[b] ? 1 : 2;
}

static int setup(void **state)
{
	(void)state;
	memset(space_of, 0, sizeof(space_of));
	memset(refuses, 0, sizeof(refuses));
	comparisons = 0;
	return 0;
}

/* Makes a process with address space SPACE, in the address range of its family. */
static void make(struct process *p, pid_t pid, uint64_t range, unsigned int space)
{
	process_init(p, pid);
	p->measured = true;
	p->mm_is_new = true;
	p->range_start = range << 12;
	p->range_end = (range + 1) << 12;
	space_of[pid] = space;
}

static void run(struct shared_mm *s, struct process *p, size_t count)
{
	struct process *list[PIDS];

	for (size_t i = 0; i < count; i++)
		list[i] = &p[i];
	assert_int_equal(shared_mm_begin(s, list, count), 0);
	while (shared_mm_step(s))
		;
}

/* Asserts that two processes are in one group exactly if their spaces are equal. */
static void assert_groups(const struct process *p, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		bool shares = false;

		for (size_t k = 0; k < count; k++) {
			bool same = i != k && space_of[p[i].pid] == space_of[p[k].pid];

			shares = shares || same;
			if (same)
				assert_int_equal(p[i].mm_group, p[k].mm_group);
			else if (i != k && p[i].mm_group)
				assert_int_not_equal(p[i].mm_group, p[k].mm_group);
		}
		assert_int_equal(p[i].mm_group != 0, shares);
	}
}

static void finds_clones_but_not_forks(void **state)
{
	struct shared_mm s = {.compare = compare_spaces};
	struct process p[4];

	(void)state;
	make(&p[0], 10, 7, 100);
	make(&p[1], 11, 7, 100); /* CLONE_VM */
	make(&p[2], 12, 7, 101); /* fork: same range, another space */
	make(&p[3], 13, 8, 100); /* impossible: other ranges are never compared */
	run(&s, p, 3);
	assert_groups(p, 3);
	assert_int_not_equal(p[0].mm_group, 0);
	comparisons = 0;
	make(&p[3], 13, 8, 102);
	run(&s, p, 4);
	assert_int_equal(comparisons, 0);
	assert_int_equal(p[3].mm_group, 0);
	shared_mm_done(&s);
}

static void costs_nothing_when_nothing_is_new(void **state)
{
	struct shared_mm s = {.compare = compare_spaces};
	struct process p[256];

	(void)state;
	for (unsigned int i = 0; i < 256; i++)
		make(&p[i], (pid_t)(i + 1), 1, 1000 + i * 37 % 256);
	run(&s, p, 256);
	assert_true(comparisons < 256 * 9); /* a binary search each, not every pair */
	comparisons = 0;
	run(&s, p, 256);
	assert_int_equal(comparisons, 0);
	/* A new process among 255 siblings. */
	make(&p[100], p[100].pid, 1, 1000 + 3);
	run(&s, p, 256);
	assert_true(comparisons <= 9);
	assert_groups(p, 256);
	shared_mm_done(&s);
}

static void is_right_for_random_populations(void **state)
{
	struct shared_mm s = {.compare = compare_spaces};
	uint64_t seed = 1;
	struct process p[64];

	(void)state;
	for (unsigned int i = 0; i < 64; i++)
		make(&p[i], (pid_t)(i + 1), unit_random(&seed) % 3, 0);
	for (unsigned int pass = 0; pass < 200; pass++) {
		for (unsigned int i = 0; i < 64; i++) {
			uint64_t range = p[i].range_start >> 12;

			/* Each space belongs to one range, as in the kernel. */
			if (!space_of[p[i].pid] || unit_random(&seed) % 8 == 0)
				make(&p[i], p[i].pid, range,
					(unsigned int)(1 + range * 100 + unit_random(&seed) % 20));
		}
		/*
		 * The last process of a group keeps the group's number, which then is shared by no
		 * other.
		 */
		for (unsigned int i = 0; i < 64; i++) {
			bool alone = true;

			for (unsigned int k = 0; k < 64; k++)
				alone = alone && (k == i || p[k].mm_group != p[i].mm_group);
			if (alone)
				p[i].mm_group = 0;
		}
		run(&s, p, 64);
		for (unsigned int i = 0; i < 64; i++)
			for (unsigned int k = 0; k < i; k++)
				if (p[i].mm_group && p[i].mm_group == p[k].mm_group)
					assert_int_equal(space_of[p[i].pid], space_of[p[k].pid]);
		for (unsigned int i = 0; i < 64; i++)
			for (unsigned int k = 0; k < i; k++)
				if (space_of[p[i].pid] == space_of[p[k].pid])
					assert_int_equal(p[i].mm_group, p[k].mm_group);
	}
	shared_mm_done(&s);
}

static void skips_exited_and_refused_processes(void **state)
{
	struct shared_mm s = {.compare = compare_spaces};
	struct process p[5];

	(void)state;
	for (unsigned int i = 0; i < 5; i++)
		make(&p[i], (pid_t)(20 + i), 3, 50 + (i & 1));
	space_of[21] = 0;
	run(&s, p, 5);
	assert_int_equal(p[1].mm_group, 0);
	assert_int_not_equal(p[0].mm_group, 0);
	assert_int_equal(p[0].mm_group, p[2].mm_group);
	assert_int_equal(p[0].mm_group, p[4].mm_group);
	assert_false(s.refused);
	for (unsigned int i = 0; i < 5; i++)
		make(&p[i], (pid_t)(20 + i), 3, 50 + (i & 1));
	refuses[22] = true;
	run(&s, p, 5);
	assert_true(s.refused);
	assert_int_equal(p[2].mm_group, 0);
	assert_int_equal(p[0].mm_group, p[4].mm_group);
	assert_int_equal(p[1].mm_group, p[3].mm_group);
	shared_mm_done(&s);
}

static void does_nothing_in_another_pid_namespace(void **state)
{
	struct shared_mm s = {0};
	struct process p[2];

	(void)state;
	make(&p[0], 1, 1, 9);
	make(&p[1], 2, 1, 9);
	run(&s, p, 2);
	assert_int_equal(p[0].mm_group, 0);
	shared_mm_done(&s);
}

/* Makes a pass over P. Returns a bit mask of the rows that are left out. */
static unsigned int elect(
	struct shared_mm *s, struct process *p, const uint8_t *outcome, size_t count)
{
	AUTO_BUFFER struct buffer scratch = {0};
	struct snapshot_process rows[8] = {{0}};
	struct process *list[8] = {NULL};
	unsigned int dropped = 0;

	for (size_t i = 0; i < count; i++) {
		list[i] = &p[i];
		rows[i].pid = (uint32_t)p[i].pid;
		rows[i].outcome = outcome[i];
		ROW_SET(&rows[i], PROCESS_PSS, 4096);
		ROW_SET(&rows[i], PROCESS_START_TIME, 1);
		ROW_SET(&rows[i], PROCESS_THREADS, 1);
	}
	assert_int_equal(shared_mm_elect(s, list, rows, count, &scratch), 0);
	for (size_t i = 0; i < count; i++)
		if (rows[i].outcome == OUTCOME_SHARED_MM) {
			assert_int_equal(rows[i].present,
				UINT64_C(1) << PROCESS_START_TIME | UINT64_C(1) << PROCESS_THREADS);
			assert_int_not_equal(rows[i].mm_pid, 0);
			dropped |= 1U << i;
		}
	return dropped;
}

/* Three processes of one address space, after a pass in which no read blocked. */
static void make_sharers(struct shared_mm *s, struct process p[static 3])
{
	for (unsigned int i = 0; i < 3; i++)
		make(&p[i], (pid_t)(10 + i), 7, 100);
	run(s, p, 3);
}

static void leaves_out_all_but_one(void **state)
{
	static const uint8_t measured[3] = {OUTCOME_MEASURED, OUTCOME_MEASURED, OUTCOME_MEASURED};
	struct shared_mm s = {.compare = compare_spaces};
	struct process p[3];

	(void)state;
	make_sharers(&s, p);
	assert_int_equal(elect(&s, p, measured, 3), 6);
	shared_mm_done(&s);
}

/*
 * After pids have wrapped around a child has a lower pid than its parent. It does not take its
 * parent's place.
 */
static void eldest_represents_the_others(void **state)
{
	static const uint8_t measured[3] = {OUTCOME_MEASURED, OUTCOME_MEASURED, OUTCOME_MEASURED};
	struct shared_mm s = {.compare = compare_spaces};
	struct process p[3];

	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		make(&p[i], (pid_t)(10 + i), 7, 100);
		p[i].has_stat = true;
		p[i].stat.start_ticks = 900 - i;
	}
	run(&s, p, 3);
	assert_int_equal(elect(&s, p, measured, 3), 1 | 2);
	p[1].stat.start_ticks = p[2].stat.start_ticks;
	assert_int_equal(elect(&s, p, measured, 3), 1 | 4);
	p[2].stat.start_ticks = 0;
	p[2].has_stat = false;
	assert_int_equal(elect(&s, p, measured, 3), 1 | 4);
	shared_mm_done(&s);
}

/* A process without values may not represent the others; their memory would be in no sum. */
static void only_measured_processes_represent_others(void **state)
{
	static const uint8_t outcome[3] = {OUTCOME_ERROR, OUTCOME_MEASURED, OUTCOME_MEASURED};
	struct shared_mm s = {.compare = compare_spaces};
	struct process p[3];

	(void)state;
	make_sharers(&s, p);
	assert_int_equal(elect(&s, p, outcome, 3), 4);
	shared_mm_done(&s);
}

/*
 * Elects one of three processes with OUTCOME and VM_SIZE, which have a PSS of 1000 each unless
 * LACKS_PSS. Returns the sum of what counts.
 */
static uint64_t sum_of(struct shared_mm *s, struct process *p, const uint8_t *outcome,
	const uint64_t *vm_size, const bool *lacks_pss, unsigned int *ret_dropped)
{
	AUTO_BUFFER struct buffer scratch = {0};
	struct snapshot_process rows[3] = {{0}};
	struct process *list[3];
	uint64_t sum = 0;

	*ret_dropped = 0;
	for (size_t i = 0; i < 3; i++) {
		list[i] = &p[i];
		rows[i].pid = (uint32_t)p[i].pid;
		rows[i].outcome = outcome[i];
		if (!lacks_pss[i])
			ROW_SET(&rows[i], PROCESS_PSS, 1000);
		ROW_SET(&rows[i], PROCESS_VM_SIZE, vm_size[i]);
	}
	assert_int_equal(shared_mm_elect(s, list, rows, 3, &scratch), 0);
	for (size_t i = 0; i < 3; i++) {
		sum += snapshot_has_figure(&rows[i]) ? rows[i].q[PROCESS_PSS] : 0;
		*ret_dropped |= rows[i].outcome == OUTCOME_SHARED_MM ? 1U << i : 0;
	}
	return sum;
}

/*
 * The lock of an address space blocks walks of all its processes. Their last measurement counts
 * once, too.
 */
static void blocked_processes_count_once(void **state)
{
	static const struct {
		uint8_t outcome[3];
		bool lacks_pss[3];
		unsigned int dropped;
	} cases[] = {
		{{OUTCOME_BLOCKED, OUTCOME_MEASURED, OUTCOME_MEASURED}, {false}, 1 | 4},
		{{OUTCOME_MEASURED, OUTCOME_BLOCKED, OUTCOME_BLOCKED}, {false}, 2 | 4},
		{{OUTCOME_BLOCKED, OUTCOME_BLOCKED, OUTCOME_BLOCKED}, {false}, 2 | 4},
		{{OUTCOME_BLOCKED, OUTCOME_BLOCKED, OUTCOME_BLOCKED}, {true, false, true}, 1 | 4},
		{{OUTCOME_BLOCKED, OUTCOME_BLOCKED, OUTCOME_MEASURED}, {true, true, false}, 1 | 2},
	};
	static const uint64_t vm_size[3] = {8192, 8192, 8192};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct shared_mm s = {.compare = compare_spaces};
		struct process p[3];
		unsigned int dropped;

		make_sharers(&s, p);
		for (size_t k = 0; k < 3; k++)
			if (cases[i].outcome[k] == OUTCOME_BLOCKED)
				block_begin(&p[k].block, "smaps_rollup", true, NS_PER_SEC);
		assert_int_equal(
			sum_of(&s, p, cases[i].outcome, vm_size, cases[i].lacks_pss, &dropped),
			1000);
		assert_int_equal(dropped, cases[i].dropped);
		shared_mm_done(&s);
	}
}

/*
 * A process inside execve() has an address space of its own, which counts, unless it still waits
 * to leave the former one. It is not compared, because that would block.
 */
static void process_in_exec_has_left(void **state)
{
	static const uint8_t outcome[3] = {OUTCOME_BLOCKED, OUTCOME_BLOCKED, OUTCOME_MEASURED};
	static const uint64_t left[3] = {4096, 8192, 8192}, stayed[3] = {8192, 8192, 8192};
	static const bool none[3];
	struct shared_mm s = {.compare = compare_spaces};
	struct process p[3], *list[3] = {&p[0], &p[1], &p[2]};
	unsigned int dropped;

	(void)state;
	make_sharers(&s, p);
	block_begin(&p[0].block, "stat", false, NS_PER_SEC);
	block_begin(&p[1].block, "smaps", true, NS_PER_SEC);
	assert_int_equal(sum_of(&s, p, outcome, stayed, none, &dropped), 1000);
	assert_int_equal(dropped, 1 | 2);
	comparisons = 0;
	assert_int_equal(sum_of(&s, p, outcome, left, none, &dropped), 2000);
	assert_int_equal(dropped, 2);
	assert_int_equal(p[0].mm_group, 0);
	assert_int_equal(comparisons, 1); /* of the other two */

	/* Nor is it compared with new images. */
	comparisons = 0;
	run(&s, p, 3);
	assert_int_equal(comparisons, 0);
	p[2].mm_is_new = true;
	p[2].mm_group = 0;
	p[1].mm_group = 0;
	run(&s, p, 3);
	assert_int_equal(comparisons, 1);
	assert_int_not_equal(p[1].mm_group, 0);
	assert_int_equal(p[1].mm_group, p[2].mm_group);
	/* It is compared once it can be read. */
	p[0].block = (struct block){0};
	assert_int_equal(shared_mm_begin(&s, list, 3), 0);
	while (shared_mm_step(&s))
		;
	assert_int_equal(p[0].mm_group, p[1].mm_group);
	shared_mm_done(&s);
}

/* After an exec that changes nothing visible the process still has an address space of its own. */
static void verifies_that_processes_still_share(void **state)
{
	static const uint8_t measured[2] = {OUTCOME_MEASURED, OUTCOME_MEASURED};
	struct shared_mm s = {.compare = compare_spaces};
	struct process p[2];

	(void)state;
	make(&p[0], 10, 7, 100);
	make(&p[1], 11, 7, 100);
	run(&s, p, 2);
	assert_int_equal(elect(&s, p, measured, 2), 2);
	space_of[11] = 101;
	assert_int_equal(elect(&s, p, measured, 2), 0);
	run(&s, p, 2);
	assert_int_equal(elect(&s, p, measured, 2), 0);
	shared_mm_done(&s);
}

/* Two dead leaders have no address space, which is no common one. Their threads are compared. */
static void compares_the_threads_of_dead_leaders(void **state)
{
	struct shared_mm s = {.compare = compare_spaces};
	struct process p[2];

	(void)state;
	make(&p[0], 10, 7, 100);
	make(&p[1], 11, 7, 100);
	p[0].tid = 20;
	p[1].tid = 21;
	space_of[20] = 200;
	space_of[21] = 201;
	run(&s, p, 2);
	assert_int_equal(p[0].mm_group, 0);
	assert_int_equal(p[1].mm_group, 0);
	shared_mm_done(&s);
}

/* With the real kcmp(): a thread group equals itself and not its child. */
static void asks_the_kernel(void **state)
{
	(void)state;
	if (kcmp_memory(getpid(), getpid()) == -ENOSYS)
		skip();
	assert_int_equal(kcmp_memory(getpid(), getpid()), 0);
	assert_int_equal(kcmp_memory(getpid(), INT32_MAX), -ESRCH);
}

/* The best figure counts: a measurement, also one carried forward, rather than a guess. */
static void measurements_represent_guesses(void **state)
{
	static const uint8_t outcomes[2][2] = {
		{OUTCOME_MEASURED, OUTCOME_MEASURED}, {OUTCOME_MEASURED, OUTCOME_BLOCKED}};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct shared_mm s = {.compare = compare_spaces};
		struct process p[2];

		make(&p[0], 10, 7, 100);
		make(&p[1], 11, 7, 100);
		run(&s, p, 2);
		p[0].measured = false;
		assert_int_equal(elect(&s, p, outcomes[i], 2), 1);
		shared_mm_done(&s);
	}
}

/*
 * Processes that were never measured have a place by stat; without stat they have none. A stat that
 * no longer identifies the image has the place.
 */
static void never_measured_processes_count_once(void **state)
{
	struct shared_mm s = {.compare = compare_spaces};
	struct process p[4];

	(void)state;
	for (int i = 0; i < 4; i++) {
		make(&p[i], 10 + i, 0, i < 3 ? 1 : 2);
		p[i].measured = i == 1;
		p[i].range_start = p[i].measured ? 1 << 12 : 0;
		p[i].range_end = p[i].measured ? 2 << 12 : 0;
		p[i].has_stat = i > 0;
		p[i].stat.start_code = 0x400000;
		p[i].stat.start_stack = i == 2 ? 0 : 0x7ffc0000;
	}
	p[1].mm_group = 5; /* found to share with its parent before */
	run(&s, p, 4);
	assert_int_equal(p[0].mm_group, 5);
	assert_int_equal(p[1].mm_group, 5);
	assert_int_equal(p[2].mm_group, 0);
	assert_int_equal(p[3].mm_group, 0);
	assert_true(p[2].mm_is_new);
	shared_mm_done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(finds_clones_but_not_forks, setup),
		cmocka_unit_test_setup(costs_nothing_when_nothing_is_new, setup),
		cmocka_unit_test_setup(is_right_for_random_populations, setup),
		cmocka_unit_test_setup(skips_exited_and_refused_processes, setup),
		cmocka_unit_test_setup(does_nothing_in_another_pid_namespace, setup),
		cmocka_unit_test_setup(leaves_out_all_but_one, setup),
		cmocka_unit_test_setup(eldest_represents_the_others, setup),
		cmocka_unit_test_setup(only_measured_processes_represent_others, setup),
		cmocka_unit_test_setup(blocked_processes_count_once, setup),
		cmocka_unit_test_setup(process_in_exec_has_left, setup),
		cmocka_unit_test_setup(verifies_that_processes_still_share, setup),
		cmocka_unit_test_setup(compares_the_threads_of_dead_leaders, setup),
		cmocka_unit_test(measurements_represent_guesses),
		cmocka_unit_test(never_measured_processes_count_once),
		cmocka_unit_test(asks_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
