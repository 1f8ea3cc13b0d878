/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of collectors/model/host-drift.h, host reconciliation: sums of estimates are compared with
 * AnonPages and Mapped of a model host with known memory.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "base/saturate.h"
#include "collectors/model/host-drift.h"
#include "tests/unit/support/model/world.h"

#define KIB UINT64_C(1024)
#define MIB (UINT64_C(1024) * KIB)
#define SEC UINT64_C(1000000000)

#define LATE_BYTES (512 * KIB) /* that two CPUs keep back */

enum { PROCESSES = WORLD_PROCESSES };

static struct host {
	struct world world;
	struct host_drift drift;
	struct estimate_base base[PROCESSES];
	struct estimate_now before[PROCESSES];
	struct estimate_doubt doubt[PROCESSES]; /* from sources other than the reconciliation */
	struct estimate estimate[PROCESSES];    /* from the last pass */
	uint64_t measured_ns[PROCESSES];
	uint64_t alive, now;
	int64_t extra_anon, extra_mapped; /* bytes in the host's sums that belong to no process */
	uint64_t anon_unsure, mapped_unsure; /* change of the sums while the processes were read */
	uint64_t denied;                     /* the processes of .alive that cannot be read */
	bool is_partial;
} h; /* static, because it is large */

static int setup(void **state)
{
	(void)state;
	h = (struct host){.now = 1000 * SEC};
	host_drift_init(&h.drift, 300 * SEC);
	return 0;
}

static uint64_t bit(unsigned int i)
{
	return world_bit(i);
}

static uint64_t truth(unsigned int i)
{
	return world_pss(&h.world, i, WORLD_ANON) + world_pss(&h.world, i, WORLD_FILES);
}

static void measure(unsigned int i)
{
	struct estimate_base found = world_measure(&h.world, i);
	struct estimate_now now = world_now(&h.world, i);
	struct estimate e;

	if (h.measured_ns[i]) {
		estimate_carry(&h.base[i], &now, &h.doubt[i], &e);
		host_drift_measured(&h.drift, &e, &found);
	}
	h.base[i] = found;
	h.measured_ns[i] = h.now + SEC;
}

static void measure_all(void)
{
	for (unsigned int i = 0; i < PROCESSES; i++)
		if (h.alive & bit(i))
			measure(i);
}

static struct host_drift_member member_of(unsigned int i, const struct estimate_now *now)
{
	uint64_t moved = saturate_max(now->anon, h.before[i].anon) -
	                 saturate_min(now->anon, h.before[i].anon);

	return (struct host_drift_member){&h.base[i], now, &h.estimate[i], moved, h.measured_ns[i]};
}

static void tell(unsigned int i, const struct estimate_now *now)
{
	struct host_drift_member m = member_of(i, now);
	struct estimate_doubt doubt;

	host_drift_doubt(&h.drift, &m, &doubt);
	estimate_doubt_add(&doubt, &h.doubt[i]);
	estimate_carry(&h.base[i], now, &doubt, &h.estimate[i]);
	host_drift_narrow(&h.drift, &h.estimate[i]);
}

/* Makes a pass. Returns true if estimates were changed. */
static bool one_pass(void)
{
	struct host_drift_host host = {.is_whole = !h.is_partial, .late_bytes = LATE_BYTES};
	struct estimate_now now[PROCESSES];
	bool tells;

	h.now += 10 * SEC;
	host.now_ns = h.now;
	host.anon = world_sum(&h.world, WORLD_ANON) + (uint64_t)h.extra_anon;
	host.mapped = world_sum(&h.world, WORLD_FILES) + (uint64_t)h.extra_mapped;
	host.anon_unsure = h.anon_unsure;
	host.mapped_unsure = h.mapped_unsure;
	host_drift_begin(&h.drift);
	for (unsigned int i = 0; i < PROCESSES; i++) {
		struct host_drift_member m;

		now[i] = world_now(&h.world, i);
		if (h.denied & bit(i))
			host_drift_add_unread(&h.drift, now[i].anon, now[i].file);
		if (!(h.alive & ~h.denied & bit(i)))
			continue;
		estimate_carry(&h.base[i], &now[i], &h.doubt[i], &h.estimate[i]);
		m = member_of(i, &now[i]);
		host_drift_add(&h.drift, &m);
		h.before[i] = now[i];
	}
	tells = host_drift_end(&h.drift, &host);
	for (unsigned int i = 0; tells && i < PROCESSES; i++)
		if (h.alive & ~h.denied & bit(i))
			tell(i, &now[i]);
	return tells;
}

/* A second pass confirms what the first has found. */
static bool pass(void)
{
	bool first = one_pass();

	return one_pass() && first;
}

static void assert_within(unsigned int i, unsigned int per_mille)
{
	uint64_t pss = truth(i), mid = h.estimate[i].pss;
	uint64_t error = mid > pss ? mid - pss : pss - mid;

	if (error > pss * per_mille / 1000)
		fail_msg("process %u: %ju instead of %ju", i, (uintmax_t)mid, (uintmax_t)pss);
}

static void assert_bounds(unsigned int i)
{
	const struct estimate *e = &h.estimate[i];
	uint64_t pss = truth(i);

	assert_true(e->low <= e->pss && e->pss <= e->high);
	if (e->low > pss + 4 * KIB || pss > e->high + 4 * KIB)
		fail_msg("process %u: %ju not in %ju to %ju", i, (uintmax_t)pss, (uintmax_t)e->low,
			(uintmax_t)e->high);
}

/* Starts a server of 512 MiB with 20 workers, and 20 processes of 50 MiB. All are measured. */
static void start_server(void)
{
	world_map(&h.world, 128 * MIB, bit(0), WORLD_ANON); /* block 0 */
	world_map(&h.world, 384 * MIB, bit(0), WORLD_ANON);
	for (unsigned int i = 1; i <= 20; i++)
		world_fork(&h.world, 0, i);
	for (unsigned int i = 21; i <= 40; i++)
		world_map(&h.world, 50 * MIB, bit(i), WORLD_ANON);
	world_map(&h.world, 20 * MIB, (UINT64_C(1) << 41) - 1, WORLD_FILES);
	h.alive = (UINT64_C(1) << 41) - 1;
	measure_all();
	assert_false(pass());
}

/*
 * In the first pass much is guessed: 20 workers that were never measured, 20 MiB too high each. A
 * difference that their bounds explain is no bias but drift, which is gone when they are measured.
 */
static void guesses_cause_no_bias(void **state)
{
	(void)state;
	start_server();
	host_drift_init(&h.drift, 300 * SEC);
	for (unsigned int i = 1; i <= 20; i++)
		h.doubt[i] = (struct estimate_doubt){
			.anon_mid = (int64_t)(20 * MIB), .anon_down = 24 * MIB};
	assert_true(pass());
	assert_true(h.drift.anon.drift < -(int64_t)(390 * MIB));
	memset(h.doubt, 0, sizeof(h.doubt));
	measure_all();
	pass();
	assert_int_equal(h.drift.anon.drift, 0);
	for (unsigned int i = 0; i <= 40; i++)
		assert_within(i, 1);
}

/*
 * The first comparison waits for processes without an estimate. For denied processes it waits no
 * longer than it takes to measure all.
 */
static void waits_for_new_processes(void **state)
{
	(void)state;
	start_server();
	host_drift_init(&h.drift, 300 * SEC);
	h.denied = bit(1) | bit(2);
	assert_false(one_pass());
	assert_false(h.drift.anon.is_used);
	h.denied = 0;
	assert_false(one_pass());
	assert_true(h.drift.anon.is_used && h.drift.anon.bias == 0);

	host_drift_init(&h.drift, 300 * SEC);
	h.denied = bit(40);
	for (unsigned int i = 0; i < 30; i++) {
		assert_false(one_pass());
		assert_false(h.drift.anon.is_used);
	}
	assert_false(one_pass());
	assert_true(h.drift.anon.is_used);
}

static void small_changes_cause_no_drift(void **state)
{
	(void)state;
	start_server();
	for (unsigned int i = 0; i < 100; i++) {
		h.extra_anon = (int64_t)((i % 5) * 40 * KIB);
		h.extra_mapped = (int64_t)((i % 7) * 40 * KIB);
		assert_false(pass());
		assert_true(h.drift.anon.is_used && h.drift.file.is_used && !h.drift.anon.drift &&
			    !h.drift.file.drift);
	}
}

/*
 * Ten workers write to 50 MiB of their own. It is unknown which ones did, so estimates stay, but
 * their bounds contain the truth.
 */
static void bounds_contain_private_writes(void **state)
{
	(void)state;
	start_server();
	for (unsigned int i = 1; i <= 10; i++)
		world_write(&h.world, i, 50 * MIB);
	assert_true(one_pass());
	assert_in_range(h.drift.anon.drift, 499 * MIB, 501 * MIB);
	for (unsigned int i = 0; i <= 40; i++) {
		assert_bounds(i);
		assert_int_equal(h.estimate[i].pss, h.base[i].pss_anon + h.base[i].pss_file);
	}
}

/*
 * Each worker writes to the same 128 MiB: AnonPages rises, and no RSS does. Only sharers can gain.
 */
static void finds_copy_on_write_breaks(void **state)
{
	(void)state;
	start_server();
	for (unsigned int i = 1; i <= 20; i++) {
		h.world.block[0].mask &= ~bit(i);
		world_map(&h.world, 128 * MIB, bit(i), WORLD_ANON);
	}
	assert_true(pass());
	for (unsigned int i = 0; i <= 40; i++) {
		assert_bounds(i);
	}
	/* One worker is measured. The remaining drift belongs to the others. */
	measure(1);
	assert_true(pass());
	for (unsigned int i = 0; i <= 40; i++) {
		assert_bounds(i);
	}
	measure_all();
	assert_false(pass());
	assert_int_equal(h.drift.anon.drift, 0);
}

/* Half of the workers exit, and it was not known that they shared. */
static void finds_exits_of_unknown_sharers(void **state)
{
	(void)state;
	start_server();
	for (unsigned int i = 1; i <= 10; i++)
		world_unmap_all(&h.world, i);
	h.alive &= ~UINT64_C(0x7fe);
	assert_true(pass());
	for (unsigned int i = 0; i <= 40; i++)
		if (h.alive & bit(i)) {
			assert_bounds(i);
		}
}

/* Sharers of a file gain what exited sharers leave, in files and not in anonymous memory. */
static void finds_gains_and_losses_of_files(void **state)
{
	uint64_t low = 0, high = 0, real = 0;

	(void)state;
	for (unsigned int i = 0; i < 20; i++)
		world_map(&h.world, 5 * MIB, bit(i), WORLD_ANON);
	world_map(&h.world, 64 * MIB, (1 << 20) - 1, WORLD_FILES);
	h.alive = (1 << 20) - 1;
	measure_all();
	assert_false(pass());
	for (unsigned int i = 10; i < 20; i++)
		world_unmap_all(&h.world, i);
	h.alive = (1 << 10) - 1;
	assert_true(pass());
	for (unsigned int i = 0; i < 10; i++) {
		assert_int_equal(h.estimate[i].pss_anon, 5 * MIB);
		assert_bounds(i);
	}
	/*
	 * Ten new processes touch all of the file and are measured. The estimates of the others do
	 * not know of it.
	 */
	measure_all();
	pass();
	for (unsigned int i = 20; i < 30; i++)
		world_map(&h.world, 5 * MIB, bit(i), WORLD_ANON);
	h.alive |= UINT64_C(0x3ff) << 20;
	h.world.block[20].mask |= UINT64_C(0x3ff) << 20;
	for (unsigned int i = 20; i < 30; i++)
		measure(i);
	assert_true(pass());
	assert_true(h.drift.file.drift < 0);
	for (unsigned int i = 0; i < 30; i++) {
		if (!(h.alive & bit(i)))
			continue;
		low += h.estimate[i].low;
		high += h.estimate[i].high;
		real += truth(i);
	}
	assert_true(low <= real && real <= high);
}

/* After an unknown fork, memory that looked private is shared. */
static void finds_unknown_sharing(void **state)
{
	(void)state;
	world_map(&h.world, 100 * MIB, bit(0), WORLD_ANON);
	world_map(&h.world, 100 * MIB, bit(1), WORLD_ANON);
	world_map(&h.world, MIB, bit(0) | bit(1), WORLD_FILES);
	h.alive = 3;
	measure_all();
	assert_false(pass());
	world_map(&h.world, 60 * MIB, bit(0) | bit(1), WORLD_ANON);
	assert_true(pass());
	/* Both grew by the same 60 MiB. */
	assert_true(h.drift.anon.drift < 0);
	for (unsigned int i = 0; i < 2; i++) {
		assert_bounds(i);
	}
}

/* KSM merged pages: no process grew, and no estimate was uncertain. */
static void finds_merged_pages(void **state)
{
	(void)state;
	world_map(&h.world, 99 * MIB, bit(0), WORLD_ANON);
	world_map(&h.world, 99 * MIB, bit(1), WORLD_ANON);
	world_map(&h.world, MIB, bit(0), WORLD_ANON);
	world_map(&h.world, MIB, bit(1), WORLD_ANON);
	world_map(&h.world, MIB, bit(0) | bit(1), WORLD_FILES);
	h.alive = 3;
	measure_all();
	assert_false(pass());
	h.world.block[2].mask = bit(0) | bit(1);
	h.world.block[3].mask = 0;
	assert_true(pass());
	assert_true(h.drift.anon.drift < 0);
	for (unsigned int i = 0; i < 2; i++) {
		assert_bounds(i);
		/* The reduction is limited to a part of the PSS. */
		assert_true(h.estimate[i].low > 95 * MIB);
	}
}

/* A difference that remains after all processes were measured becomes bias. */
static void lasting_difference_becomes_bias(void **state)
{
	unsigned int told = 0;

	(void)state;
	start_server();
	h.extra_mapped = (int64_t)(100 * MIB);
	for (unsigned int i = 0; i < 31; i++) {
		told += one_pass();
		/* In each tenth of the maximum age a third of the processes is measured. */
		for (unsigned int k = i * 41 / 30; k < (i + 1) * 41 / 30; k++)
			measure(k % 41);
	}
	assert_true(told >= 1 && told <= 31);
	assert_false(one_pass());
	assert_int_equal(h.drift.file.drift, 0);
	/* Later changes are relative to the bias. */
	h.extra_mapped = (int64_t)(90 * MIB);
	assert_true(one_pass());
	assert_true(h.drift.file.drift < 0);
	h.extra_mapped = (int64_t)(100 * MIB);
	one_pass();
	assert_int_equal(h.drift.file.drift, 0);
}

/*
 * A drift is given up after the maximum age even if no process was measured, and at once if all
 * were.
 */
static void gives_up_drift_after_the_maximum_age(void **state)
{
	(void)state;
	start_server();
	h.extra_mapped = (int64_t)(100 * MIB);
	for (unsigned int i = 0; i < 30; i++)
		assert_true(one_pass());
	assert_false(one_pass());
	h.extra_mapped = (int64_t)(200 * MIB);
	assert_true(one_pass());
	measure_all();
	assert_false(one_pass());
	assert_false(one_pass());
	assert_true(h.drift.file.bias > (int64_t)(199 * MIB));
}

/* A bias that exists for long, and one that changes slowly. */
static void follows_the_bias(void **state)
{
	(void)state;
	start_server();
	h.extra_anon = (int64_t)(50 * MIB);
	h.extra_mapped = -(int64_t)(10 * MIB);
	for (unsigned int i = 0; i < 31; i++)
		one_pass();
	for (unsigned int i = 0; i < 100; i++) {
		h.extra_anon += (int64_t)(20 * KIB);
		assert_false(one_pass());
		assert_int_equal(h.drift.anon.drift, 0);
	}
}

/*
 * Makes a pass with a process that has 200 MiB of shared memory, and with a second one that may
 * have mapped it since.
 */
static void pass_over_segment(const struct estimate_base *base, const uint64_t *measured_ns,
	unsigned int count, struct estimate_doubt *ret)
{
	const struct estimate_now now = {.file = 200 * MIB, .shmem = 200 * MIB};
	struct host_drift_host host = {
		.is_whole = true, .late_bytes = LATE_BYTES, .mapped = 200 * MIB, .now_ns = h.now};
	struct host_drift_member m[2];
	struct estimate e[2];

	host_drift_begin(&h.drift);
	for (unsigned int i = 0; i < count; i++) {
		estimate_carry(&base[i], &now, &(struct estimate_doubt){0}, &e[i]);
		m[i] = (struct host_drift_member){&base[i], &now, &e[i], 0, measured_ns[i]};
		host_drift_add(&h.drift, &m[i]);
	}
	(void)host_drift_end(&h.drift, &host);
	host_drift_doubt(&h.drift, &m[0], ret);
}

/*
 * Shared memory of one process is now mapped by a second one. When that is measured, MORE bytes
 * are found than expected, because it has grown since the last pass.
 */
static void assert_finds_second_mapper(uint64_t more)
{
	const struct estimate_base base[] = {
		{.file = 200 * MIB,
			.pss_shmem = 200 * MIB,
			.uss = 200 * MIB,
			.shmem_kib = 200 << 10,
			.has_parts = true},
		{.file = 200 * MIB,
			.pss_shmem = 100 * MIB,
			.shmem_kib = 200 << 10,
			.has_parts = true},
	};
	const struct estimate before = {.pss_shmem = 100 * MIB - more};
	uint64_t measured_ns[] = {h.now, h.now + 15 * SEC};
	struct estimate_doubt doubt;

	h.now += 10 * SEC;
	pass_over_segment(base, measured_ns, 1, &doubt);
	assert_int_equal(doubt.file_down, 0);
	h.now += 10 * SEC;
	host_drift_measured(&h.drift, &before, &base[1]);
	pass_over_segment(base, measured_ns, 2, &doubt);
	assert_in_range(doubt.file_down, 99 * MIB, 100 * MIB);
}

static void finds_the_second_mapper(void **state)
{
	(void)state;
	assert_finds_second_mapper(90 * MIB);
}

/*
 * A bias that was accepted because nothing was measured in time is removed when measurements find
 * it. The same with the opposite sign.
 */
static void removes_bias_that_measurements_find(void **state)
{
	(void)state;
	start_server();
	for (unsigned int i = 1; i <= 20; i++)
		world_write(&h.world, i, 10 * MIB);
	for (unsigned int i = 0; i < 31; i++)
		one_pass();
	assert_true(h.drift.anon.bias > (int64_t)(190 * MIB));
	measure_all();
	assert_false(one_pass());
	assert_true(h.drift.anon.bias < (int64_t)MIB && !h.drift.anon.drift);
	/* Processes that again share memory that was private. */
	for (unsigned int b = 0; b < h.world.blocks; b++)
		if (h.world.block[b].kind == WORLD_ANON && h.world.block[b].mask == bit(5))
			h.world.block[b].mask = bit(5) | bit(63);
	h.alive |= bit(63);
	measure(63);
	for (unsigned int i = 0; i < 31; i++)
		one_pass();
	assert_true(h.drift.anon.bias < -(int64_t)(4 * MIB));
	measure_all();
	assert_false(one_pass());
	assert_true(h.drift.anon.bias > -(int64_t)MIB && !h.drift.anon.drift);
	/* Memory that is written and measured before a pass causes neither drift nor bias. */
	for (unsigned int i = 1; i <= 20; i++)
		world_write(&h.world, i, 10 * MIB);
	measure_all();
	assert_false(one_pass());
	assert_true(h.drift.anon.bias < (int64_t)MIB && !h.drift.anon.drift);
	assert_false(one_pass());
}

/* smaps rounds each mapping, so a difference of that size is expected. */
static void allows_for_rounding(void **state)
{
	(void)state;
	start_server();
	for (unsigned int i = 1; i <= 20; i++) {
		h.base[i].pss_file -= 480 * KIB;
		h.base[i].rounding = 512 * KIB;
	}
	assert_false(pass());
	assert_int_equal(h.drift.file.drift, 0);
}

/* A second drift follows a first: processes that were measured in between are suspects again. */
static void second_drift_has_new_suspects(void **state)
{
	(void)state;
	start_server();
	for (unsigned int i = 1; i <= 10; i++)
		world_write(&h.world, i, 64 * MIB);
	assert_true(pass());
	for (unsigned int i = 0; i <= 10; i++)
		measure(i);
	assert_true(pass());
	assert_int_equal(h.estimate[1].pss, truth(1));
	for (unsigned int i = 1; i <= 10; i++)
		world_write(&h.world, i, 64 * MIB);
	assert_true(pass());
	assert_true(h.estimate[1].high > h.base[1].pss_anon + h.base[1].pss_file + 20 * MIB);
}

/* The same after half of the first drift is explained, and after its sign changes. */
static void changed_drift_has_new_suspects(void **state)
{
	uint64_t first;

	(void)state;
	start_server();
	h.extra_anon = (int64_t)(100 * MIB);
	assert_true(one_pass());
	first = h.drift.anon.since_ns;
	assert_int_equal(first, h.now);
	h.extra_anon = (int64_t)(40 * MIB);
	assert_true(one_pass());
	assert_int_equal(h.drift.anon.since_ns, first);
	h.extra_anon = (int64_t)(60 * MIB);
	assert_true(one_pass());
	assert_int_equal(h.drift.anon.since_ns, h.now);
	h.extra_anon = -(int64_t)(40 * MIB);
	assert_true(one_pass());
	assert_int_equal(h.drift.anon.since_ns, h.now);
}

/* The same if measurements have found more than the drift fell by: a process goes on writing. */
static void continued_writes_renew_suspects(void **state)
{
	(void)state;
	start_server();
	world_write(&h.world, 1, 128 * MIB);
	assert_true(one_pass());
	assert_true(host_drift_alarms(&h.drift));
	measure(1);
	world_write(&h.world, 1, 100 * MIB);
	assert_true(one_pass());
	assert_int_equal(h.drift.anon.since_ns, h.now);
	assert_true(host_drift_alarms(&h.drift));
	measure(1);
	assert_true(one_pass());
	/* the rest of the drift is attributed to the others */
	assert_true(h.drift.anon.since_ns < h.now);
	assert_false(host_drift_alarms(&h.drift));
}

/*
 * The alarm asks for a look at all suspects. It is raised for a new rise, not twice for the same
 * one.
 */
static void raises_one_alarm_per_rise(void **state)
{
	(void)state;
	start_server();
	assert_false(host_drift_alarms(&h.drift));
	h.extra_anon = (int64_t)(30 * MIB);
	one_pass();
	assert_true(host_drift_alarms(&h.drift));
	assert_false(host_drift_alarms(&h.drift));
	one_pass();
	assert_false(host_drift_alarms(&h.drift));
	h.extra_anon = (int64_t)(10 * MIB);
	one_pass();
	assert_false(host_drift_alarms(&h.drift));
	h.extra_anon = (int64_t)(30 * MIB);
	one_pass();
	assert_true(host_drift_alarms(&h.drift));
	h.extra_anon = -(int64_t)(30 * MIB);
	one_pass();
	assert_false(host_drift_alarms(&h.drift));
}

/* A slow rise raises it too. */
static void raises_alarms_for_a_slow_rise(void **state)
{
	unsigned int alarms = 0;

	(void)state;
	start_server();
	for (unsigned int i = 0; i < 20; i++) {
		h.extra_anon = (int64_t)(30 * MIB + i * 100 * KIB);
		one_pass();
		alarms += host_drift_alarms(&h.drift);
	}
	assert_in_range(alarms, 2, 6);
}

/* A drift cannot be larger than what its suspects can have. */
static void drift_is_limited_by_its_suspects(void **state)
{
	(void)state;
	start_server();
	h.extra_anon = (int64_t)(100000 * MIB);
	assert_true(pass());
	for (unsigned int i = 0; i <= 40; i++) {
		struct estimate_now now = world_now(&h.world, i);

		assert_true(h.estimate[i].high <= now.anon + now.file);
		if (i > 20)
			assert_true(h.estimate[i].pss_anon == 50 * MIB);
	}
	h.extra_anon = -(int64_t)(1000 * MIB);
	pass();
	for (unsigned int i = 0; i <= 40; i++)
		assert_true(h.estimate[i].low <= h.estimate[i].pss);
}

static void is_unused_if_too_much_is_unread(void **state)
{
	(void)state;
	start_server();
	h.extra_anon = (int64_t)(500 * MIB);
	h.is_partial = true;
	assert_false(pass());
	assert_false(h.drift.anon.is_used);
	h.is_partial = false;
	/* Denied: 20 of 50 MiB, of 1512 MiB in all. */
	h.denied = UINT64_C(0xfffff) << 21;
	assert_false(pass());
	assert_false(h.drift.anon.is_used);
	h.denied = bit(40);
	assert_true(pass());
	assert_true(h.drift.anon.is_used && !h.drift.file.is_used);
	/* 400 MiB are more than a quarter of all, 350 MiB are less. */
	h.extra_anon = 0;
	h.denied = UINT64_C(0xff) << 33;
	one_pass();
	assert_false(h.drift.anon.is_used);
	h.denied = UINT64_C(0x7f) << 34;
	one_pass();
	assert_true(h.drift.anon.is_used);
}

/* Processes that cannot be read count with their RSS, and leave the bounds of others valid. */
static void counts_denied_processes_by_rss(void **state)
{
	(void)state;
	start_server();
	h.denied = bit(40);
	for (unsigned int i = 0; i < 10; i++)
		assert_false(pass());
	for (unsigned int i = 1; i <= 20; i++) {
		h.world.block[0].mask &= ~bit(i);
		world_map(&h.world, 128 * MIB, bit(i), WORLD_ANON);
	}
	assert_true(pass());
	for (unsigned int i = 0; i <= 20; i++)
		assert_bounds(i);
}

/* A change of the sums while the processes were read is not attributed to them. */
static void allows_for_sums_that_move(void **state)
{
	(void)state;
	for (unsigned int is_file = 0; is_file < 2; is_file++) {
		setup(state);
		start_server();
		*(is_file ? &h.extra_mapped : &h.extra_anon) = (int64_t)(3 * MIB);
		*(is_file ? &h.mapped_unsure : &h.anon_unsure) = 3 * MIB;
		assert_false(one_pass());
		h.anon_unsure = h.mapped_unsure = 0;
		assert_true(one_pass());
	}
}

/* While processes move much, the sums are not of the same moment. */
static void allows_for_moving_processes(void **state)
{
	(void)state;
	start_server();
	world_map(&h.world, 160 * MIB, bit(30), WORLD_ANON);
	h.extra_anon = -(int64_t)(9 * MIB);
	assert_false(one_pass());
	assert_int_equal(h.drift.anon.drift, 0);
	assert_true(one_pass());
	assert_true(h.drift.anon.drift < 0);
}

/*
 * Twenty newborns with unknown writes: each may have all for itself, but not all of them together.
 * The sums narrow such bounds.
 */
static void sums_narrow_bounds(void **state)
{
	struct estimate_now now;
	struct estimate e;

	(void)state;
	start_server();
	for (unsigned int i = 1; i <= 20; i++)
		h.doubt[i].anon_up = 400 * MIB;
	assert_true(pass());
	assert_true(h.estimate[1].high <= h.estimate[1].low + 4 * MIB);
	now = world_now(&h.world, 1);
	/* Not if drift shows that bounds do not hold. */
	h.extra_anon = -(int64_t)(100 * MIB);
	assert_true(pass());
	estimate_carry(&h.base[1], &now, &(struct estimate_doubt){.anon_up = 400 * MIB}, &e);
	host_drift_narrow(&h.drift, &e);
	assert_true(e.high > 400 * MIB);
	/* The same for files. */
	h.extra_anon = 0;
	pass();
	h.extra_mapped = -(int64_t)(15 * MIB);
	assert_true(pass());
	estimate_carry(&h.base[1], &now, &(struct estimate_doubt){.anon_up = 400 * MIB}, &e);
	host_drift_narrow(&h.drift, &e);
	assert_true(e.high > 420 * MIB);
}

/*
 * Denied processes may have no anonymous memory of their own, but the others cannot have more for
 * that.
 */
static void sums_narrow_bounds_beside_denied_processes(void **state)
{
	struct estimate_now now;
	struct estimate e;

	(void)state;
	start_server();
	world_map(&h.world, 60 * MIB, bit(50) | bit(0), WORLD_ANON);
	h.alive |= bit(50);
	h.denied = bit(50);
	measure(0);
	for (unsigned int i = 0; i < 40; i++)
		one_pass();
	assert_true(h.drift.anon.bias < -(int64_t)(20 * MIB));
	now = world_now(&h.world, 1);
	estimate_carry(&h.base[1], &now, &(struct estimate_doubt){.anon_up = 400 * MIB}, &e);
	host_drift_narrow(&h.drift, &e);
	/* The host's sum is 30 MiB more than the PSS of the others. */
	assert_true(e.high <= e.pss + 34 * MIB);
}

/* The bias is subtracted before sums are compared. */
static void bias_limits_narrowing(void **state)
{
	struct estimate_now now;
	struct estimate e;

	(void)state;
	start_server();
	h.extra_anon = -(int64_t)(30 * MIB);
	for (unsigned int i = 0; i < 31; i++)
		one_pass();
	assert_false(one_pass());
	now = world_now(&h.world, 1);
	estimate_carry(&h.base[1], &now, &(struct estimate_doubt){.anon_up = 512 * KIB}, &e);
	host_drift_narrow(&h.drift, &e);
	assert_true(e.high >= e.pss + 512 * KIB);
}

/*
 * Asserts that the upper bound of memory that belongs to no process is between EXTRA_MIB and
 * MOST_MIB.
 */
static void assert_beyond(uint64_t extra_mib, uint64_t most_mib)
{
	uint64_t beyond = host_drift_beyond(&h.drift);

	if (beyond < extra_mib * MIB || beyond > most_mib * MIB)
		fail_msg("%ju KiB, not %ju to %ju MiB", (uintmax_t)(beyond / KIB),
			(uintmax_t)extra_mib, (uintmax_t)most_mib);
}

/* When such memory appears, when it has been there for long, and without a comparison. */
static void bounds_memory_without_owner(void **state)
{
	(void)state;
	assert_true(host_drift_beyond(&h.drift) == UINT64_MAX);
	start_server();
	assert_beyond(0, 3);
	h.extra_anon = (int64_t)(30 * MIB);
	h.extra_mapped = (int64_t)(20 * MIB);
	for (unsigned int i = 0; i < 40; i++) {
		one_pass();
		assert_beyond(50, 53);
	}
	assert_true(!h.drift.anon.drift && !h.drift.file.drift);
	/* Memory that the sum of files lacks does not reduce the bound. */
	h.extra_mapped = -(int64_t)(15 * MIB);
	for (unsigned int i = 0; i < 40; i++)
		one_pass();
	assert_beyond(30, 33);
	/* If too many processes cannot be read, the bound stays, including a recent rise. */
	h.extra_anon = (int64_t)(40 * MIB);
	one_pass();
	assert_true(h.drift.anon.drift > (int64_t)(8 * MIB));
	assert_beyond(40, 43);
	h.denied = bit(0) | bit(1);
	one_pass();
	assert_false(h.drift.anon.is_used);
	assert_beyond(40, 43);
	h.denied = 0;
	h.is_partial = true;
	one_pass();
	assert_true(host_drift_beyond(&h.drift) == UINT64_MAX);
}

/* If files cannot be compared, the bound of anonymous memory still counts. */
static void bounds_memory_without_owner_of_each_part(void **state)
{
	(void)state;
	start_server();
	world_map(&h.world, 100 * MIB, bit(40), WORLD_FILES);
	h.denied = bit(40);
	h.extra_anon = (int64_t)(100 * MIB);
	one_pass();
	assert_true(h.drift.anon.is_used && !h.drift.file.is_used);
	assert_true(host_drift_beyond(&h.drift) >= 90 * MIB);
}

static void guess_too_much(void)
{
	for (unsigned int i = 1; i <= 20; i++)
		h.doubt[i] = (struct estimate_doubt){
			.anon_mid = (int64_t)(20 * MIB), .anon_down = 20 * MIB};
}

/*
 * Guesses that are too high by as much as belongs to no process look right until the processes are
 * measured.
 */
static void allows_for_guesses_that_match_by_chance(void **state)
{
	(void)state;
	start_server();
	host_drift_init(&h.drift, 300 * SEC);
	h.extra_anon = (int64_t)(400 * MIB);
	guess_too_much();
	one_pass();
	assert_int_equal(h.drift.anon.drift, 0);
	assert_beyond(400, 500);
	memset(h.doubt, 0, sizeof(h.doubt));
	measure_all();
	one_pass();
	assert_true(h.drift.anon.drift > (int64_t)(390 * MIB));
	assert_beyond(400, 900);
	guess_too_much();
	one_pass();
	assert_int_equal(h.drift.anon.drift, 0);
	assert_beyond(400, 500);
	memset(h.doubt, 0, sizeof(h.doubt));
	for (unsigned int i = 0; i < 31; i++)
		one_pass();
	assert_beyond(400, 403);
	/* If there is no such memory, this is known as soon as all are measured, */
	host_drift_init(&h.drift, 300 * SEC);
	h.extra_anon = 0;
	h.doubt[1].anon_down = 20 * MIB;
	one_pass();
	assert_beyond(20, 30);
	h.doubt[1].anon_down = 0;
	one_pass();
	assert_beyond(0, 3);
	/* or as soon as all have been measured since, whatever has happened to them. */
	host_drift_init(&h.drift, 300 * SEC);
	h.doubt[1].anon_down = 20 * MIB;
	for (unsigned int i = 0; i <= 30; i++) {
		one_pass();
		assert_beyond(0, 30);
	}
	assert_beyond(0, 3);
}

static void assert_not_narrowed(const struct estimate *wide)
{
	struct estimate e = *wide;

	host_drift_narrow(&h.drift, &e);
	assert_int_equal(e.low, wide->low);
	assert_int_equal(e.high, wide->high);
}

/*
 * Before the first comparison it is unknown how much of a sum belongs to no process, and for a sum
 * that can no longer be compared it is unknown how much it would be now. Neither may narrow
 * bounds.
 */
static void narrows_only_after_a_comparison(void **state)
{
	static const struct estimate_doubt unsure = {.anon_down = 40 * MIB, .anon_up = 40 * MIB};

	for (unsigned int is_file = 0; is_file < 2; is_file++) {
		int64_t *extra = is_file ? &h.extra_mapped : &h.extra_anon;
		struct estimate_now now;
		struct estimate wide, e;

		setup(state);
		start_server();
		world_map(&h.world, 50 * MIB, bit(30) | bit(31), WORLD_ANON);
		measure_all();
		now = world_now(&h.world, 30);
		h.doubt[30] = unsure;
		estimate_carry(&h.base[30], &now, &unsure, &wide);
		host_drift_init(&h.drift, 300 * SEC);
		/*
		 * A new process is waited for. Meanwhile the sum contains pages of a device, or it
		 * is too small.
		 */
		world_map(&h.world, 8 * MIB, bit(50), is_file ? WORLD_FILES : WORLD_ANON);
		h.alive |= bit(50);
		h.denied = bit(50);
		*extra = (int64_t)(500 * MIB);
		assert_false(one_pass());
		assert_true(
			h.drift.anon.has_looked == is_file && h.drift.file.has_looked != is_file);
		assert_not_narrowed(&wide);
		*extra = -(int64_t)(15 * MIB);
		assert_false(one_pass());
		assert_not_narrowed(&wide);
		/* The process is measured, and the bias is known. */
		*extra = 0;
		measure_all();
		h.denied = 0;
		assert_true(one_pass());
		e = wide;
		host_drift_narrow(&h.drift, &e);
		assert_true(e.low == wide.low && e.high < wide.high);
		/* Some processes cannot be read any more, and most of the files are theirs. */
		h.denied = bit(40);
		assert_false(one_pass());
		assert_true(h.drift.anon.is_used && !h.drift.file.is_used);
		assert_not_narrowed(&wide);
	}
}

static uint64_t random_amount(uint64_t *seed)
{
	uint64_t v = unit_random(seed);

	switch (unit_random(seed) % 6) {
	case 0: return 0;
	case 1: return v;
	case 2: return UINT64_MAX - v % 4;
	default: return v % (64 * 1024 * MIB);
	}
}

/* For any input, changes stay within what a process has, and estimates stay within their bounds. */
static void keeps_bounds_for_any_input(void **state)
{
	uint64_t seed = 17;

	(void)state;
	for (unsigned int round = 0; round < 20000; round++) {
		enum { MEMBERS = 5 };
		struct estimate_base b[MEMBERS];
		struct estimate_now now[MEMBERS];
		struct estimate e[MEMBERS];
		struct host_drift_member m[MEMBERS];
		struct host_drift_host host = {
			.is_whole = unit_random(&seed) % 8,
			.anon = random_amount(&seed),
			.mapped = random_amount(&seed),
			.anon_unsure = random_amount(&seed),
			.mapped_unsure = random_amount(&seed),
			.late_bytes = random_amount(&seed),
			.now_ns = random_amount(&seed),
		};

		if (unit_random(&seed) % 16 == 0)
			host_drift_init(&h.drift, random_amount(&seed));
		host_drift_begin(&h.drift);
		for (unsigned int i = 0; i < MEMBERS; i++) {
			static const struct estimate_doubt none;

			b[i] = (struct estimate_base){.anon = random_amount(&seed),
				.file = random_amount(&seed),
				.pss_anon = random_amount(&seed),
				.pss_file = random_amount(&seed),
				.uss = random_amount(&seed),
				.rounding = random_amount(&seed),
				.has_parts = unit_random(&seed) & 1};
			now[i] = (struct estimate_now){
				random_amount(&seed), random_amount(&seed), 0};
			estimate_carry(&b[i], &now[i], &none, &e[i]);
			m[i] = (struct host_drift_member){
				&b[i], &now[i], &e[i], random_amount(&seed), random_amount(&seed)};
			host_drift_add(&h.drift, &m[i]);
		}
		host_drift_add_unread(&h.drift, random_amount(&seed) / 4, random_amount(&seed) / 4);
		host_drift_end(&h.drift, &host);
		for (unsigned int i = 0; i < MEMBERS; i++) {
			uint64_t low = e[i].low, high = e[i].high;
			struct estimate_doubt d;

			host_drift_doubt(&h.drift, &m[i], &d);
			assert_true(d.anon_mid <= 0 || (uint64_t)d.anon_mid + d.anon_up <=
							       now[i].anon - e[i].pss_anon);
			assert_true(d.file_mid <= 0 || (uint64_t)d.file_mid + d.file_up <=
							       now[i].file - e[i].pss_file);
			assert_true(d.anon_mid >= -(int64_t)e[i].pss_anon);
			assert_true(d.file_mid >= -(int64_t)(e[i].pss_file + e[i].pss_shmem));
			host_drift_narrow(&h.drift, &e[i]);
			assert_true(low <= e[i].low && e[i].low <= e[i].pss);
			assert_true(e[i].pss <= e[i].high && e[i].high <= high);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(guesses_cause_no_bias, setup),
		cmocka_unit_test_setup(waits_for_new_processes, setup),
		cmocka_unit_test_setup(small_changes_cause_no_drift, setup),
		cmocka_unit_test_setup(finds_copy_on_write_breaks, setup),
		cmocka_unit_test_setup(bounds_contain_private_writes, setup),
		cmocka_unit_test_setup(finds_exits_of_unknown_sharers, setup),
		cmocka_unit_test_setup(finds_gains_and_losses_of_files, setup),
		cmocka_unit_test_setup(finds_unknown_sharing, setup),
		cmocka_unit_test_setup(lasting_difference_becomes_bias, setup),
		cmocka_unit_test_setup(gives_up_drift_after_the_maximum_age, setup),
		cmocka_unit_test_setup(follows_the_bias, setup),
		cmocka_unit_test_setup(finds_the_second_mapper, setup),
		cmocka_unit_test_setup(removes_bias_that_measurements_find, setup),
		cmocka_unit_test_setup(allows_for_rounding, setup),
		cmocka_unit_test_setup(second_drift_has_new_suspects, setup),
		cmocka_unit_test_setup(changed_drift_has_new_suspects, setup),
		cmocka_unit_test_setup(continued_writes_renew_suspects, setup),
		cmocka_unit_test_setup(raises_one_alarm_per_rise, setup),
		cmocka_unit_test_setup(drift_is_limited_by_its_suspects, setup),
		cmocka_unit_test_setup(is_unused_if_too_much_is_unread, setup),
		cmocka_unit_test_setup(counts_denied_processes_by_rss, setup),
		cmocka_unit_test_setup(allows_for_moving_processes, setup),
		cmocka_unit_test_setup(sums_narrow_bounds, setup),
		cmocka_unit_test_setup(finds_merged_pages, setup),
		cmocka_unit_test_setup(raises_alarms_for_a_slow_rise, setup),
		cmocka_unit_test_setup(allows_for_sums_that_move, setup),
		cmocka_unit_test_setup(sums_narrow_bounds_beside_denied_processes, setup),
		cmocka_unit_test_setup(bias_limits_narrowing, setup),
		cmocka_unit_test_setup(narrows_only_after_a_comparison, setup),
		cmocka_unit_test_setup(bounds_memory_without_owner, setup),
		cmocka_unit_test_setup(bounds_memory_without_owner_of_each_part, setup),
		cmocka_unit_test_setup(allows_for_guesses_that_match_by_chance, setup),
		cmocka_unit_test_setup(keeps_bounds_for_any_input, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
