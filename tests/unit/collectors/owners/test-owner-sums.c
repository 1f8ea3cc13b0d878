/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of collectors/owners/owner-sums.h: sums, growth and integrals of owners, against simple
 * sums.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"
#include "collectors/owners/owner-sums.h"

enum { MEMBERS = 200 };

/* A model host with MEMBERS processes. */
struct host {
	struct owner_sums sums;
	struct process process[MEMBERS];
	struct snapshot_process row[MEMBERS];
	size_t count;
};

static struct scope *scope_of(struct host *h, enum owner_kind kind, unsigned int key)
{
	char name[16];

	if (kind == OWNER_USER)
		return owner_table_get(&h->sums.table[kind], &key, sizeof(key));
	return owner_table_get(
		&h->sums.table[kind], name, (size_t)snprintf(name, sizeof(name), "x%u", key));
}

static void place(
	struct host *h, size_t i, unsigned int user, unsigned int program, unsigned int unit)
{
	struct membership m;

	process_init(&h->process[i], (pid_t)(i + 1));
	for (unsigned int kind = 0; kind < OWNER_KINDS; kind++) {
		m.owner[kind] = scope_of(h, (enum owner_kind)kind, unit)->slot;
		m.cgroup[kind] = UINT32_MAX;
	}
	m.owner[OWNER_USER] = scope_of(h, OWNER_USER, user)->slot;
	m.owner[OWNER_PROGRAM] = scope_of(h, OWNER_PROGRAM, program)->slot;
	assert_int_equal(owner_sums_join(&h->sums, &m, &h->process[i].membership), 0);
}

static void measure(struct snapshot_process *row, uint64_t pss, uint64_t rss)
{
	*row = (struct snapshot_process){.outcome = OUTCOME_MEASURED, .source = SOURCE_ROLLUP};
	ROW_SET(row, PROCESS_PSS, pss);
	ROW_SET(row, PROCESS_PSS_LOW, pss);
	ROW_SET(row, PROCESS_PSS_HIGH, pss + 1023 < rss ? pss + 1023 : rss);
	ROW_SET(row, PROCESS_RSS, rss);
	ROW_SET(row, PROCESS_USS, pss / 2);
	ROW_SET(row, PROCESS_VM_HWM, rss + 7);
}

static void pass(struct host *h, uint64_t now_ns)
{
	owner_sums_begin(&h->sums, 1);
	for (size_t i = 0; i < h->count; i++)
		owner_sums_add(&h->sums, &h->process[i], &h->row[i], &(struct growth_step){0});
	owner_sums_end(&h->sums, now_ns, 0, UINT64_MAX);
	for (unsigned int kind = 0; kind < OWNER_KINDS; kind++)
		owner_sums_sum_other(&h->sums, (enum owner_kind)kind);
}

static uint64_t get(const struct scope *s, enum scope_quantity i)
{
	assert_true(ROW_HAS(&s->sums, i));
	return s->sums.q[i];
}

/* For each table the host's quantity is the sum over its rows, exported or in (other). */
static void assert_adds_up(struct host *h, enum scope_quantity quantity)
{
	for (unsigned int table = 0; table < OWNER_KINDS; table++) {
		uint64_t rows = 0, exported = h->sums.other[table].sums.q[quantity];

		for (struct scope *s = NULL; (s = owner_table_next(&h->sums.table[table], s));) {
			rows += s->sums.q[quantity];
			exported += s->exported ? s->sums.q[quantity] : 0;
		}
		assert_int_equal(rows, h->sums.host.sums.q[quantity]);
		assert_int_equal(exported, h->sums.host.sums.q[quantity]);
	}
}

static void sums_do_not_depend_on_slicing(void **state)
{
	static const enum scope_quantity additive[] = {SCOPE_PSS, SCOPE_PSS_LOW, SCOPE_PSS_HIGH,
		SCOPE_USS, SCOPE_RSS, SCOPE_PROCESSES, SCOPE_UNMEASURED_DENIED,
		SCOPE_UNMEASURED_CHANGING};
	struct host *h = calloc(1, sizeof(*h));
	uint64_t seed = 3;

	(void)state;
	assert_non_null(h);
	owner_sums_init(&h->sums, 1);
	h->count = MEMBERS;
	for (size_t i = 0; i < MEMBERS; i++) {
		uint64_t rss = unit_random(&seed) % (1 << 20) * 1024;

		place(h, i, (unsigned int)unit_random(&seed) % 9,
			(unsigned int)unit_random(&seed) % 30,
			(unsigned int)unit_random(&seed) % 5);
		measure(&h->row[i], rss / (1 + unit_random(&seed) % 4), rss);
		if (i % 17 == 0) {
			h->row[i].outcome = OUTCOME_DENIED;
			h->row[i].present &= ~(UINT64_C(1) << PROCESS_PSS | 1 << PROCESS_PSS_LOW |
					       1 << PROCESS_PSS_HIGH | 1 << PROCESS_USS);
		}
		if (i % 23 == 0)
			h->row[i].outcome = OUTCOME_CHANGING;
	}
	for (unsigned int i = 0; i < 4; i++)
		scope_of(h, OWNER_USER, i)->exported = true;
	pass(h, NS_PER_SEC);
	for (size_t i = 0; i < sizeof(additive) / sizeof(additive[0]); i++)
		assert_adds_up(h, additive[i]);
	assert_true(get(&h->sums.host, SCOPE_PSS_LOW) <= get(&h->sums.host, SCOPE_PSS));
	assert_true(get(&h->sums.host, SCOPE_PSS) <= get(&h->sums.host, SCOPE_PSS_HIGH));
	owner_sums_done(&h->sums);
	free(h);
}

static void absent_values_are_not_zero(void **state)
{
	struct host h = {.count = 2};
	struct scope *user;

	(void)state;
	owner_sums_init(&h.sums, 1);
	place(&h, 0, 1, 1, 1);
	place(&h, 1, 2, 1, 1);
	measure(&h.row[0], 4096, 8192);
	h.row[1] = (struct snapshot_process){.outcome = OUTCOME_DENIED, .source = SOURCE_RSS};
	ROW_SET(&h.row[1], PROCESS_RSS, 10240);
	pass(&h, 1);
	user = scope_of(&h, OWNER_USER, 2);
	assert_false(ROW_HAS(&user->sums, SCOPE_PSS));
	assert_false(ROW_HAS(&user->sums, SCOPE_PSS_LOW));
	assert_false(ROW_HAS(&user->sums, SCOPE_USS));
	assert_int_equal(get(user, SCOPE_PSS_HIGH), 10240);
	assert_int_equal(get(user, SCOPE_RSS), 10240);
	assert_int_equal(get(user, SCOPE_UNMEASURED_DENIED), 1);
	assert_int_equal(get(&h.sums.host, SCOPE_PSS), 4096);
	assert_int_equal(get(&h.sums.host, SCOPE_PSS_HIGH), 4096 + 1023 + 10240);
	/* A member with nothing known leaves no upper bound. */
	h.row[1].present = 0;
	pass(&h, 2);
	assert_false(ROW_HAS(&h.sums.host.sums, SCOPE_PSS_HIGH));
	assert_false(ROW_HAS(&scope_of(&h, OWNER_USER, 2)->sums, SCOPE_RSS));
	owner_sums_done(&h.sums);
}

static void counts_a_shared_address_space_once(void **state)
{
	struct host h = {.count = 2};

	(void)state;
	owner_sums_init(&h.sums, 1);
	place(&h, 0, 1, 1, 1);
	place(&h, 1, 1, 1, 1);
	measure(&h.row[0], 4096, 8192);
	h.row[1] = (struct snapshot_process){.outcome = OUTCOME_SHARED_MM, .mm_pid = 1};
	pass(&h, 1);
	assert_int_equal(get(&h.sums.host, SCOPE_PROCESSES), 2);
	assert_int_equal(get(&h.sums.host, SCOPE_PSS), 4096);
	assert_int_equal(get(&h.sums.host, SCOPE_PSS_HIGH), 4096 + 1023);
	assert_int_equal(get(&h.sums.host, SCOPE_UNMEASURED_DENIED), 0);
	owner_sums_done(&h.sums);
}

/* As in ps_mem: private hugetlb pages are summed, and of shared ones the largest amount counts. */
static void hugetlb_is_not_additive(void **state)
{
	struct host h = {.count = 2};

	(void)state;
	owner_sums_init(&h.sums, 1);
	for (size_t i = 0; i < 2; i++) {
		place(&h, i, 1, (unsigned int)i, 1);
		measure(&h.row[i], 0, 0);
		ROW_SET(&h.row[i], PROCESS_PRIVATE_HUGETLB, 100);
		ROW_SET(&h.row[i], PROCESS_SHARED_HUGETLB, 1000 + i);
	}
	pass(&h, 1);
	assert_int_equal(get(scope_of(&h, OWNER_USER, 1), SCOPE_HUGETLB), 200 + 1001);
	assert_int_equal(get(scope_of(&h, OWNER_PROGRAM, 0), SCOPE_HUGETLB), 100 + 1000);
	assert_int_equal(get(&h.sums.other[0], SCOPE_HUGETLB), 200 + 1001);
	owner_sums_done(&h.sums);
}

static double byte_seconds(const struct scope *s)
{
	return metric_real(get(s, SCOPE_PSS_BYTE_SECONDS));
}

static void integrates_with_the_trapezoidal_rule(void **state)
{
	struct host h = {.count = 1};
	struct scope *user;

	(void)state;
	owner_sums_init(&h.sums, 1);
	place(&h, 0, 1, 1, 1);
	measure(&h.row[0], 1000, 5000);
	pass(&h, 10 * NS_PER_SEC); /* the first pass has no interval */
	user = scope_of(&h, OWNER_USER, 1);
	assert_true(byte_seconds(user) == 0);
	measure(&h.row[0], 2000, 5000);
	pass(&h, 12 * NS_PER_SEC);
	assert_true(byte_seconds(user) == (1000 + 2000) / 2.0 * 2);
	/*
	 * After the last member exits, the decrease is counted, and the rows still add up to the
	 * host.
	 */
	user->exported = true;
	h.count = 0;
	pass(&h, 13 * NS_PER_SEC);
	assert_true(byte_seconds(user) == 3000 + 1000);
	assert_true(byte_seconds(&h.sums.host) == 4000);
	assert_true(byte_seconds(&h.sums.other[0]) == 3000); /* before it was exported */
	assert_int_equal(get(user, SCOPE_PSS), 0);
	assert_int_equal(get(user, SCOPE_PROCESSES), 0);
	assert_false(ROW_HAS(&user->sums, SCOPE_VM_HWM_MAX));
	assert_int_equal(user->empty_ns, 13 * NS_PER_SEC);
	owner_sums_done(&h.sums);
}

/* 4 TiB for ten years exceed 64 bits of byte seconds. */
static void integrates_beyond_64_bits(void **state)
{
	const uint64_t year_ns = UINT64_C(365) * 86400 * NS_PER_SEC, pss = UINT64_C(1) << 42;
	struct host h = {.count = 1};
	double expected, got;

	(void)state;
	owner_sums_init(&h.sums, 1);
	place(&h, 0, 1, 1, 1);
	measure(&h.row[0], pss, pss);
	for (unsigned int year = 1; year <= 11; year++)
		pass(&h, year * year_ns);
	expected = (double)pss * 10 * 365 * 86400;
	got = byte_seconds(&h.sums.host);
	assert_true(got > expected * 0.999999 && got < expected * 1.000001);
	owner_sums_done(&h.sums);
}

static void counts_growth_in_the_right_rows(void **state)
{
	struct host h = {.count = 1};
	struct scope *user;

	(void)state;
	owner_sums_init(&h.sums, 1);
	place(&h, 0, 1, 1, 1);
	measure(&h.row[0], 1, 1);
	user = scope_of(&h, OWNER_USER, 1);
	for (unsigned int i = 1; i <= 3; i++) {
		user->exported = i > 1;
		owner_sums_begin(&h.sums, 1);
		owner_sums_add(&h.sums, &h.process[0], &h.row[0],
			&(struct growth_step){
				.hwm_bytes = 10, .swap_bytes = 100, .anon_bytes = 1000});
		owner_sums_end(&h.sums, i, 0, UINT64_MAX);
		owner_sums_sum_other(&h.sums, OWNER_USER);
	}
	assert_int_equal(get(user, SCOPE_VM_HWM_GROWTH), 30);
	assert_int_equal(get(user, SCOPE_VM_SWAP_GROWTH), 300);
	assert_int_equal(get(user, SCOPE_ANON_GROWTH), 3000);
	/*
	 * (other) keeps what was added before the row was exported. The row has it too, so that
	 * its own increase is right. The total is the host's.
	 */
	assert_int_equal(get(&h.sums.other[0], SCOPE_VM_HWM_GROWTH), 10);
	assert_int_equal(get(&h.sums.other[0], SCOPE_VM_SWAP_GROWTH), 100);
	assert_int_equal(get(&h.sums.other[0], SCOPE_ANON_GROWTH), 1000);
	assert_int_equal(get(&h.sums.host, SCOPE_VM_HWM_GROWTH), 30);
	assert_int_equal(get(&h.sums.host, SCOPE_VM_SWAP_GROWTH), 300);
	assert_int_equal(get(&h.sums.host, SCOPE_ANON_GROWTH), 3000);
	owner_sums_done(&h.sums);
}

/* Without a later pass a counter would be 0 and look like no growth. */
static void a_single_pass_has_no_counters(void **state)
{
	const uint64_t counters = UINT64_C(1) << SCOPE_VM_HWM_GROWTH |
	                          UINT64_C(1) << SCOPE_VM_SWAP_GROWTH |
	                          UINT64_C(1) << SCOPE_ANON_GROWTH |
	                          UINT64_C(1) << SCOPE_PSS_BYTE_SECONDS;
	struct host h = {.count = 1};

	(void)state;
	owner_sums_init(&h.sums, 1);
	h.sums.is_single = true;
	place(&h, 0, 1, 1, 1);
	measure(&h.row[0], 1, 1);
	pass(&h, 1);
	owner_sums_sum_other(&h.sums, OWNER_USER);
	assert_true(ROW_HAS(&h.sums.host.sums, SCOPE_PSS));
	assert_int_equal(h.sums.host.sums.present & counters, 0);
	assert_int_equal(scope_of(&h, OWNER_USER, 1)->sums.present & counters, 0);
	assert_int_equal(h.sums.other[OWNER_USER].sums.present & counters, 0);
	owner_sums_done(&h.sums);
}

/* Numbers beyond any host must not overflow to small ones. */
static void saturates_at_the_largest_number(void **state)
{
	struct host h = {.count = 3};

	(void)state;
	owner_sums_init(&h.sums, 1);
	for (size_t i = 0; i < 3; i++) {
		place(&h, i, 1, 1, 1);
		measure(&h.row[i], INT64_MAX, INT64_MAX);
	}
	pass(&h, 1);
	assert_int_equal(get(&h.sums.host, SCOPE_PSS), INT64_MAX);
	assert_int_equal(get(&h.sums.host, SCOPE_RSS), INT64_MAX);
	owner_sums_done(&h.sums);
}

/*
 * Upper bounds are limited by what the host has. If more was found, all rows have the same limit.
 * The lower bound of the total does not raise that of a part.
 */
static void bounds_are_limited_by_the_host(void **state)
{
	static const struct {
		uint64_t least, most, host, user, low;
	} cases[] = {
		{0, UINT64_MAX, 4 * 1000 + 4 * 1023, 2 * 1000 + 2 * 1023, 4 * 900},
		{3800, 5000, 5000, 4046, 3800},
		{100, 4040, 4040, 4040, 4 * 900},
		{9000, 100, 4000, 4000, 4000},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct host h = {.count = 4};

		owner_sums_init(&h.sums, 1);
		for (unsigned int n = 0; n < h.count; n++) {
			place(&h, n, n / 2, 1, 1);
			measure(&h.row[n], 1000, 9000);
			ROW_SET(&h.row[n], PROCESS_PSS_LOW, 900);
		}
		scope_of(&h, OWNER_USER, 0)->exported = true;
		owner_sums_begin(&h.sums, 1);
		for (unsigned int n = 0; n < h.count; n++)
			owner_sums_add(&h.sums, &h.process[n], &h.row[n], &(struct growth_step){0});
		owner_sums_end(&h.sums, 1, cases[i].least, cases[i].most);
		owner_sums_sum_other(&h.sums, OWNER_USER);
		owner_sums_sum_other(&h.sums, OWNER_UNIT);
		assert_int_equal(get(&h.sums.host, SCOPE_PSS_HIGH), cases[i].host);
		assert_int_equal(get(&h.sums.host, SCOPE_PSS_LOW), cases[i].low);
		assert_int_equal(get(scope_of(&h, OWNER_USER, 0), SCOPE_PSS_LOW), 2 * 900);
		assert_int_equal(get(scope_of(&h, OWNER_USER, 0), SCOPE_PSS_HIGH), cases[i].user);
		assert_int_equal(get(&h.sums.other[0], SCOPE_PSS_HIGH), cases[i].user);
		assert_int_equal(get(&h.sums.other[2], SCOPE_PSS_HIGH), cases[i].host);
		owner_sums_done(&h.sums);
	}
}

/* A random row, with absent quantities and all outcomes. */
static void invent(struct snapshot_process *row, uint64_t *seed)
{
	*row = (struct snapshot_process){
		.outcome = (uint8_t)(unit_random(seed) % OUTCOME_COUNT_),
		.source = (uint8_t)(unit_random(seed) % SOURCE_COUNT_),
	};
	for (size_t i = 0; i < PROCESS_QUANTITIES; i++) {
		row->q[i] = unit_random(seed) % (1 << 30);
		if (unit_random(seed) % 4)
			row->present |= UINT64_C(1) << i;
	}
}

/*
 * The sums of each owner equal those of adding members one by one, however many owners they have
 * in common.
 */
static void memberships_do_not_change_sums(void **state)
{
	struct host *h = calloc(1, sizeof(*h));
	uint64_t seed = 11;

	(void)state;
	assert_non_null(h);
	for (unsigned int round = 0; round < 300; round++) {
		struct sums sums[10] = {{0}};

		owner_sums_init(&h->sums, 1);
		h->count = 1 + unit_random(&seed) % 12;
		for (size_t i = 0; i < h->count; i++) {
			unsigned int user = (unsigned int)unit_random(&seed) % 10;

			place(h, i, user, (unsigned int)unit_random(&seed) % 2, user % 2);
			invent(&h->row[i], &seed);
			sums_add(&sums[user], &h->row[i]);
		}
		owner_sums_begin(&h->sums, 1);
		for (size_t i = 0; i < h->count; i++)
			owner_sums_add(
				&h->sums, &h->process[i], &h->row[i], &(struct growth_step){0});
		owner_sums_end(&h->sums, 1, 0, UINT64_MAX);
		for (unsigned int user = 0; user < 10; user++) {
			const uint64_t counters = UINT64_C(1) << SCOPE_VM_HWM_GROWTH |
			                          UINT64_C(1) << SCOPE_VM_SWAP_GROWTH |
			                          UINT64_C(1) << SCOPE_ANON_GROWTH |
			                          UINT64_C(1) << SCOPE_PSS_BYTE_SECONDS;
			const struct sums *found = &scope_of(h, OWNER_USER, user)->sums;

			sums_end(&sums[user]);
			if (!sums[user].q[SCOPE_PROCESSES])
				continue;
			assert_int_equal(found->present & ~counters, sums[user].present);
			for (unsigned int i = 0; i < SCOPE_QUANTITIES; i++)
				if (ROW_HAS(&sums[user], i))
					assert_int_equal(found->q[i], sums[user].q[i]);
		}
		owner_sums_done(&h->sums);
	}
	free(h);
}

/* Members with the same owners share a membership. A membership without members is removed. */
static void members_with_equal_owners_share_a_membership(void **state)
{
	struct host h = {.count = 3};
	uint32_t left;

	(void)state;
	owner_sums_init(&h.sums, 1);
	place(&h, 0, 1, 1, 1);
	place(&h, 1, 1, 1, 1);
	place(&h, 2, 1, 1, 2);
	assert_int_equal(h.process[0].membership, h.process[1].membership);
	assert_int_not_equal(h.process[0].membership, h.process[2].membership);
	assert_int_equal(h.sums.memberships.count, 2);
	for (size_t i = 0; i < h.count; i++)
		measure(&h.row[i], 1000, 1000);
	pass(&h, NS_PER_SEC);
	owner_sums_tidy(&h.sums);
	assert_int_equal(h.sums.memberships.count, 2);
	assert_int_equal(owner_sums_owners(&h.sums, h.process[2].membership)[OWNER_UNIT],
		scope_of(&h, OWNER_UNIT, 2)->slot);

	/* The process changes its user, and then exits. */
	left = h.process[2].membership;
	place(&h, 2, 2, 1, 2);
	assert_int_not_equal(h.process[2].membership, left);
	pass(&h, 2 * NS_PER_SEC);
	assert_int_equal(get(scope_of(&h, OWNER_USER, 1), SCOPE_PSS), 2000);
	assert_int_equal(get(scope_of(&h, OWNER_USER, 2), SCOPE_PSS), 1000);
	assert_int_equal(get(scope_of(&h, OWNER_UNIT, 2), SCOPE_PSS), 1000);
	owner_sums_tidy(&h.sums);
	assert_int_equal(h.sums.memberships.count, 2);
	assert_null(h.sums.memberships.slot[left]);
	owner_sums_done(&h.sums);
}

/* Sets what P has done in this pass. */
static void act(struct activity *a, struct process *p, enum activity_state s, uint64_t user)
{
	*a = (struct activity){.is_read = true, .state = s};
	a->step = (struct activity_counts){.user_ticks = user,
		.system_ticks = 2 * user,
		.minor_faults = 3 * user,
		.major_faults = 4 * user};
	p->activity = a;
}

/*
 * Counters of a namegroup go on when its processes leave it, also for a process that shares its
 * memory. Other kinds of owners have none.
 */
static void namegroups_count_what_processes_do(void **state)
{
	struct host h = {.count = 3};
	struct activity a[3];
	struct scope *group, *other = &h.sums.other[OWNER_NAMEGROUP];

	(void)state;
	owner_sums_init(&h.sums, 1);
	h.sums.has_activity = true;
	h.sums.ns_per_tick = 10 * NS_PER_MSEC;
	for (size_t i = 0; i < h.count; i++) {
		place(&h, i, 1, 1, i == 2);
		measure(&h.row[i], 4096, 8192);
		act(&a[i], &h.process[i], i ? ACTIVITY_WAITING : ACTIVITY_RUNNING, i + 1);
	}
	h.row[1].outcome = OUTCOME_SHARED_MM;
	group = scope_of(&h, OWNER_NAMEGROUP, 0);
	group->exported = true;
	pass(&h, 1);
	assert_int_equal(get(group, SCOPE_CPU_USER), 3 * 10 * NS_PER_MSEC);
	assert_int_equal(get(group, SCOPE_CPU_SYSTEM), 6 * 10 * NS_PER_MSEC);
	assert_int_equal(get(group, SCOPE_MINOR_FAULTS), 9);
	assert_int_equal(get(group, SCOPE_MAJOR_FAULTS), 12);
	assert_int_equal(get(group, SCOPE_RUNNING), 1);
	assert_int_equal(get(group, SCOPE_WAITING), 1);
	assert_int_equal(get(group, SCOPE_SLEEPING) + get(group, SCOPE_OTHER_STATE), 0);
	assert_int_equal(get(other, SCOPE_MINOR_FAULTS), 9);
	assert_false(ROW_HAS(&scope_of(&h, OWNER_USER, 1)->sums, SCOPE_CPU_USER));
	assert_false(ROW_HAS(&h.sums.host.sums, SCOPE_RUNNING));
	/* One has exited, another could not be read. */
	h.count = 2;
	h.process[0] = h.process[2];
	h.row[0] = h.row[2];
	h.process[0].activity = &a[2];
	a[1].is_read = false;
	pass(&h, 2);
	assert_int_equal(get(group, SCOPE_MINOR_FAULTS), 9);
	assert_int_equal(group->sums.q[SCOPE_PROCESSES], 1);
	assert_false(ROW_HAS(&group->sums, SCOPE_RUNNING));
	assert_false(ROW_HAS(&group->sums, SCOPE_WAITING));
	assert_int_equal(get(other, SCOPE_WAITING), 1);
	assert_int_equal(get(other, SCOPE_MINOR_FAULTS), 18);
	h.sums.has_activity = false;
	pass(&h, 3);
	assert_false(ROW_HAS(&group->sums, SCOPE_MINOR_FAULTS));
	owner_sums_done(&h.sums);
}

/* A snapshot with more than INT64_MAX would be refused as a whole. */
static void activities_saturate_at_the_largest_number(void **state)
{
	struct host h = {.count = 3};
	struct activity a[3];
	struct scope *group;

	(void)state;
	owner_sums_init(&h.sums, 1);
	h.sums.has_activity = true;
	h.sums.ns_per_tick = 10 * NS_PER_MSEC;
	for (size_t i = 0; i < h.count; i++) {
		place(&h, i, 1, 1, 1);
		measure(&h.row[i], 4096, 8192);
		act(&a[i], &h.process[i], ACTIVITY_RUNNING, INT64_MAX / 4);
	}
	group = scope_of(&h, OWNER_NAMEGROUP, 1);
	for (uint64_t now_ns = 1; now_ns < 3; now_ns++) {
		pass(&h, now_ns);
		assert_int_equal(get(group, SCOPE_CPU_USER), INT64_MAX);
		assert_int_equal(get(group, SCOPE_CPU_SYSTEM), INT64_MAX);
		assert_int_equal(get(group, SCOPE_MINOR_FAULTS), INT64_MAX);
		assert_int_equal(get(group, SCOPE_MAJOR_FAULTS), INT64_MAX);
	}
	owner_sums_done(&h.sums);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_do_not_depend_on_slicing),
		cmocka_unit_test(memberships_do_not_change_sums),
		cmocka_unit_test(members_with_equal_owners_share_a_membership),
		cmocka_unit_test(absent_values_are_not_zero),
		cmocka_unit_test(counts_a_shared_address_space_once),
		cmocka_unit_test(hugetlb_is_not_additive),
		cmocka_unit_test(integrates_with_the_trapezoidal_rule),
		cmocka_unit_test(integrates_beyond_64_bits),
		cmocka_unit_test(counts_growth_in_the_right_rows),
		cmocka_unit_test(a_single_pass_has_no_counters),
		cmocka_unit_test(saturates_at_the_largest_number),
		cmocka_unit_test(bounds_are_limited_by_the_host),
		cmocka_unit_test(namegroups_count_what_processes_do),
		cmocka_unit_test(activities_saturate_at_the_largest_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
