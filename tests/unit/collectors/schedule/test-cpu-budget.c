/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the CPU budget: tokens, debts, and the stretching of the interval. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"
#include "collectors/schedule/cpu-budget.h"

#define SEC    NS_PER_SEC
#define MSEC   NS_PER_MSEC
#define ONE_PC CPU_BUDGET_PPM_PER_PERCENT

static const uint64_t start = 1000 * SEC;

/* A rate of one percent, with no tokens left. */
static struct cpu_budget empty(void)
{
	struct cpu_budget b;

	cpu_budget_init(&b, ONE_PC, start);
	cpu_budget_charge(&b, start, 600 * MSEC);
	return b;
}

static void is_full_at_the_start(void **state)
{
	struct cpu_budget b;

	(void)state;
	cpu_budget_init(&b, ONE_PC, start);
	assert_int_equal(cpu_budget_capacity_ns(&b), 600 * MSEC);
	assert_int_equal(cpu_budget_available_ns(&b, start), 600 * MSEC);
	cpu_budget_init(&b, 100, start);
	assert_int_equal(cpu_budget_available_ns(&b, start), 6 * MSEC);
}

static void fills_at_its_rate(void **state)
{
	struct cpu_budget b = empty();

	(void)state;
	assert_int_equal(cpu_budget_available_ns(&b, start), 0);
	assert_int_equal(cpu_budget_available_ns(&b, start + 10 * SEC), 100 * MSEC);
	assert_int_equal(cpu_budget_available_ns(&b, start + 60 * SEC), 600 * MSEC);
	assert_int_equal(cpu_budget_available_ns(&b, start + 70 * SEC), 600 * MSEC);
}

/* Reading the clock every 7 ns at 0.01 % adds 0.0007 tokens each time. */
static void frequent_looks_lose_nothing(void **state)
{
	struct cpu_budget b;

	(void)state;
	cpu_budget_init(&b, 100, start);
	cpu_budget_charge(&b, start, 6 * MSEC);
	for (uint64_t i = 1; i <= 1000000; i++)
		cpu_budget_available_ns(&b, start + i * 7);
	assert_int_equal(cpu_budget_available_ns(&b, start + 7000000), 700);
}

static void a_debt_is_paid_first(void **state)
{
	struct cpu_budget b = empty();

	(void)state;
	cpu_budget_charge(&b, start, 178 * MSEC);
	assert_int_equal(cpu_budget_available_ns(&b, start + 17 * SEC), 0);
	assert_int_equal(cpu_budget_available_ns(&b, start + 18 * SEC), 2 * MSEC);
}

/* With half of the rate reserved, it takes twice as long. Tokens that are there need no time. */
static void computes_when_a_read_can_be_paid(void **state)
{
	struct cpu_budget b = empty();

	(void)state;
	assert_int_equal(cpu_budget_time_ns(&b, start, 10 * MSEC, 0), SEC);
	assert_int_equal(cpu_budget_time_ns(&b, start, 10 * MSEC, ONE_PC / 2), 2 * SEC);
	assert_int_equal(cpu_budget_time_ns(&b, start + SEC, 10 * MSEC, 0), 0);
	cpu_budget_charge(&b, start + SEC, 100 * MSEC);
	assert_int_equal(cpu_budget_time_ns(&b, start + SEC, 10 * MSEC, 0), 10 * SEC);
	assert_int_equal(cpu_budget_time_ns(&b, start + SEC, 0, 0), 0);
	cpu_budget_expect(&b, 20 * MSEC);
	assert_int_equal(cpu_budget_time_ns(&b, start + SEC, 10 * MSEC, 0), 12 * SEC);
	assert_int_equal(cpu_budget_time_ns(&b, start + SEC, UINT64_MAX, ONE_PC - 1), UINT64_MAX);
}

/* However much a read cost, there are tokens again after a minute. */
static void no_debt_is_deeper_than_the_bucket(void **state)
{
	struct cpu_budget b = empty();

	(void)state;
	cpu_budget_charge(&b, start, 10 * SEC);
	assert_int_equal(b.tokens_ns, -600 * (int64_t)MSEC);
	assert_int_equal(b.forgiven_ns, 9400 * MSEC);
	assert_int_equal(cpu_budget_available_ns(&b, start + 60 * SEC), 0);
	assert_int_equal(cpu_budget_available_ns(&b, start + 61 * SEC), 10 * MSEC);
	/* a smaller bucket limits the debt further */
	b = empty();
	cpu_budget_charge(&b, start, 10 * SEC);
	cpu_budget_set_rate(&b, ONE_PC / 10, start);
	assert_int_equal(cpu_budget_available_ns(&b, start + 60 * SEC), 0);
	assert_int_equal(cpu_budget_available_ns(&b, start + 61 * SEC), MSEC);
}

static void jumps_bring_one_bucket_at_most(void **state)
{
	static const uint64_t ahead[] = {61 * SEC, 3600 * SEC, 86400 * 365 * SEC,
		UINT64_MAX / ONE_PC + 1 /* times the rate overflows */};

	(void)state;
	for (size_t i = 0; i < sizeof(ahead) / sizeof(ahead[0]); i++) {
		struct cpu_budget b = empty();

		cpu_budget_charge(&b, start, 100 * MSEC);
		assert_int_equal(cpu_budget_available_ns(&b, start + ahead[i]), 500 * MSEC);
	}
}

static void a_clock_that_goes_back_brings_nothing(void **state)
{
	struct cpu_budget b = empty();

	(void)state;
	assert_int_equal(cpu_budget_available_ns(&b, start - 500 * SEC), 0);
	assert_int_equal(cpu_budget_available_ns(&b, start - 490 * SEC), 100 * MSEC);
	assert_int_equal(cpu_budget_available_ns(&b, 0), 100 * MSEC);
}

static void another_rate_keeps_tokens_up_to_its_limit(void **state)
{
	struct cpu_budget b;

	(void)state;
	cpu_budget_init(&b, ONE_PC, start);
	cpu_budget_set_rate(&b, ONE_PC / 10, start);
	assert_int_equal(cpu_budget_available_ns(&b, start), 60 * MSEC);
	cpu_budget_set_rate(&b, 100 * ONE_PC, start);
	assert_int_equal(cpu_budget_available_ns(&b, start), 60 * MSEC);
	assert_int_equal(cpu_budget_available_ns(&b, start + SEC), 1060 * MSEC);
}

/* Time before the change counts at the former rate. */
static void another_rate_counts_from_now(void **state)
{
	struct cpu_budget b = empty();

	(void)state;
	cpu_budget_set_rate(&b, 10 * ONE_PC, start + 10 * SEC);
	assert_int_equal(cpu_budget_available_ns(&b, start + 10 * SEC), 100 * MSEC);
}

static void tokens_for_the_next_pass_are_reserved(void **state)
{
	struct cpu_budget b = empty();

	(void)state;
	/* Passes cost 80 ms, an interval brings 100 ms: 20 ms of each interval are for reads. */
	cpu_budget_charge_pass(&b, start, 0, start);
	b.tokens_ns = 80 * MSEC;
	cpu_budget_charge_pass(&b, start, 80 * MSEC, start + 10 * SEC);
	assert_int_equal(cpu_budget_available_ns(&b, start), 0);
	assert_int_equal(cpu_budget_available_ns(&b, start + 8 * SEC), 20 * MSEC);
	assert_int_equal(cpu_budget_available_ns(&b, start + 10 * SEC), 20 * MSEC);
	cpu_budget_charge(&b, start + 10 * SEC, 20 * MSEC);
	assert_int_equal(cpu_budget_available_ns(&b, start + 10 * SEC), 0);
	/* The pass is late: its share stays reserved. */
	assert_int_equal(cpu_budget_available_ns(&b, start + 11 * SEC), 10 * MSEC);
	cpu_budget_charge_pass(&b, start + 11 * SEC, 80 * MSEC, start + 20 * SEC);
	assert_true(b.tokens_ns >= 0);
}

static void a_higher_cost_counts_at_once(void **state)
{
	struct cpu_budget b = empty();

	(void)state;
	cpu_budget_charge_pass(&b, start, 8 * MSEC, start);
	assert_int_equal(b.sensing_ns, 8 * MSEC);
	cpu_budget_charge_pass(&b, start, 16 * MSEC, start);
	assert_int_equal(b.sensing_ns, 16 * MSEC);
	cpu_budget_charge_pass(&b, start, 8 * MSEC, start);
	assert_int_equal(b.sensing_ns, 15 * MSEC);
	for (int i = 0; i < 200; i++)
		cpu_budget_charge_pass(&b, start, 8 * MSEC, start);
	assert_int_equal(b.sensing_ns, 8 * MSEC);
}

/*
 * A pass that is expensive once, as when thousands of processes of one tree exit, does not raise
 * the expectation.
 */
static void one_expensive_pass_changes_little(void **state)
{
	struct cpu_budget b = empty();
	uint64_t time_ns = 0;

	(void)state;
	cpu_budget_charge_pass(&b, start, 20 * MSEC, start);
	cpu_budget_expect(&b, SEC);
	cpu_budget_expect(&b, 2 * SEC);
	cpu_budget_charge_pass(&b, start, 2 * SEC, start);
	assert_int_equal(b.sensing_ns, 40 * MSEC);
	cpu_budget_init(&b, ONE_PC, start);
	cpu_budget_charge_pass(&b, start, 75 * MSEC, start);
	cpu_budget_charge_pass(&b, start, 2 * SEC, start);
	for (int i = 0; i < 8; i++) {
		time_ns += cpu_budget_set_interval(&b, 10 * SEC);
		cpu_budget_charge_pass(&b, start, 75 * MSEC, start);
	}
	assert_in_range(time_ns, 80 * SEC, 140 * SEC);
}

static void stretches_the_interval_if_passes_cost_too_much(void **state)
{
	struct cpu_budget b = empty();

	(void)state;
	assert_int_equal(cpu_budget_set_interval(&b, 10 * SEC), 10 * SEC);
	cpu_budget_charge_pass(&b, start, 75 * MSEC, start);
	assert_int_equal(cpu_budget_set_interval(&b, 10 * SEC), 10 * SEC);
	/* The cost so far of the pass that is being published counts at once. */
	cpu_budget_expect(&b, 120 * MSEC);
	assert_int_equal(cpu_budget_set_interval(&b, 10 * SEC), 16 * SEC);
	cpu_budget_expect(&b, 0);
	assert_int_equal(cpu_budget_set_interval(&b, 10 * SEC), 16 * SEC);
	cpu_budget_charge_pass(&b, start, 150 * MSEC, start);
	assert_int_equal(cpu_budget_set_interval(&b, 10 * SEC), 20 * SEC);
	for (int i = 0; i < 100; i++)
		cpu_budget_charge_pass(&b, start, UINT64_MAX, start);
	assert_int_equal(cpu_budget_set_interval(&b, 10 * SEC), 4 * 3600 * SEC);
	assert_int_equal(cpu_budget_set_interval(&b, 5 * 3600 * SEC), 5 * 3600 * SEC);
}

/*
 * The stretched interval brings 40 ms. The pass takes 30 of them, however little a minute brings.
 */
static void a_stretched_interval_leaves_something_for_reads(void **state)
{
	uint64_t now = start, interval, used = 0;
	struct cpu_budget b;

	(void)state;
	cpu_budget_init(&b, 100, now);
	for (int pass = 0; pass < 40; pass++) {
		cpu_budget_expect(&b, 30 * MSEC);
		interval = cpu_budget_set_interval(&b, 10 * SEC);
		assert_int_equal(interval, 400 * SEC);
		for (int turn = 0; turn < 400 && cpu_budget_available_ns(&b, now); turn++) {
			cpu_budget_charge(&b, now, MSEC / 10);
			used += MSEC / 10;
		}
		cpu_budget_charge_pass(&b, now, 30 * MSEC, now + interval);
		now += interval;
		/* the debt of the first passes, when the bucket held a minute's tokens, is paid */
		if (pass > 10)
			assert_in_range(used, 9 * MSEC, 11 * MSEC);
		used = 0;
	}
}

/*
 * Costs of births that come with each pass are expected of the next one. Those of the first pass
 * are not.
 */
static void births_are_expected(void **state)
{
	struct cpu_budget b;

	(void)state;
	cpu_budget_init(&b, ONE_PC, start);
	cpu_budget_charge_birth(&b, start, 300 * MSEC);
	cpu_budget_charge_pass(&b, start, 10 * MSEC, start + 10 * SEC);
	assert_int_equal(cpu_budget_set_interval(&b, 10 * SEC), 10 * SEC);
	assert_int_equal(cpu_budget_available_ns(&b, start + 10 * SEC), 590 * MSEC);

	/* The cost of a single burst of births raises the expectation a little. */
	cpu_budget_charge_birth(&b, start, 160 * MSEC);
	cpu_budget_charge_pass(&b, start, 10 * MSEC, start + 10 * SEC);
	assert_int_equal(b.births_ns, 20 * MSEC);
	/* Births in each pass are part of the expected cost. */
	for (int i = 0; i < 100; i++) {
		cpu_budget_charge_birth(&b, start, 290 * MSEC);
		cpu_budget_charge_pass(&b, start, 10 * MSEC, start + 10 * SEC);
	}
	assert_in_range(cpu_budget_set_interval(&b, 10 * SEC), 39 * SEC, 40 * SEC);
	assert_in_range(cpu_budget_needed_ppm(&b, 10 * SEC, 0, SEC), 39 * ONE_PC / 10, 4 * ONE_PC);
	for (int i = 0; i < 200; i++)
		cpu_budget_charge_pass(&b, start, 10 * MSEC, start + 10 * SEC);
	assert_int_equal(b.births_ns, 0);
}

/* The cost of finding the processes at the start says nothing about later passes. */
static void the_first_pass_does_not_count(void **state)
{
	struct cpu_budget b;

	(void)state;
	cpu_budget_init(&b, ONE_PC, start);
	cpu_budget_charge_birth(&b, start, 3 * SEC);
	cpu_budget_charge_pass(&b, start, 20 * MSEC, start);
	assert_int_equal(b.tokens_ns, 600 * MSEC);
	assert_int_equal(b.charged_ns, 0);
	assert_int_equal(b.excused_ns, 3020 * MSEC);
	cpu_budget_excuse(&b, SEC);
	assert_int_equal(b.tokens_ns, 600 * MSEC);
	cpu_budget_charge_birth(&b, start, 3 * MSEC);
	cpu_budget_charge_pass(&b, start, 20 * MSEC, start);
	assert_int_equal(b.tokens_ns, 577 * MSEC);
	assert_int_equal(b.excused_ns, 4020 * MSEC);
	assert_int_equal(cpu_budget_used_ns(&b), 4043 * MSEC);
}

static void computes_the_needed_budget(void **state)
{
	struct cpu_budget b = empty();

	(void)state;
	cpu_budget_charge_pass(&b, start, 20 * MSEC, start);
	/* 20 ms in 10 s are 0.2 %, 900 ms in 300 s are 0.3 %. */
	assert_int_equal(cpu_budget_needed_ppm(&b, 10 * SEC, 900 * MSEC, 300 * SEC), ONE_PC / 2);
	/*
	 * Passes may use three quarters of the budget: with the needed budget they are not
	 * stretched.
	 */
	assert_int_equal(cpu_budget_needed_ppm(&b, 10 * SEC, 1, 300 * SEC), 2667);
	cpu_budget_set_rate(&b, 2667, start);
	assert_int_equal(cpu_budget_set_interval(&b, 10 * SEC), 10 * SEC);
	cpu_budget_set_rate(&b, 2666, start);
	assert_true(cpu_budget_set_interval(&b, 10 * SEC) > 10 * SEC);
	assert_true(cpu_budget_needed_ppm(&b, 1, UINT64_MAX, 1) > CPU_BUDGET_PPM_MAX);
}

static void extreme_charges_are_a_debt(void **state)
{
	struct cpu_budget b = empty();

	(void)state;
	for (int i = 0; i < 3; i++) {
		cpu_budget_charge(&b, start, UINT64_MAX);
		assert_int_equal(cpu_budget_available_ns(&b, start), 0);
	}
}

/*
 * Over any span from the start, use is at most rate times span, plus one bucket and one read. The
 * part of a read that exceeds the bucket does not count.
 */
static void no_span_uses_more(void **state)
{
	uint64_t seed = 42;

	(void)state;
	for (int run = 0; run < 200; run++) {
		uint32_t rate = 100 + (uint32_t)(unit_random(&seed) % (CPU_BUDGET_PPM_MAX - 100));
		uint64_t now = start, used = 0;
		struct cpu_budget b;

		cpu_budget_init(&b, rate, now);
		for (int i = 0; i < 2000; i++) {
			uint64_t cpu = unit_random(&seed) % (20 * MSEC);

			if (cpu_budget_available_ns(&b, now) > 0) {
				cpu_budget_charge(&b, now, cpu);
				used += cpu;
			}
			assert_true(used <= (now - start) / 1000 * rate / 1000 +
						    cpu_budget_capacity_ns(&b) + 20 * MSEC +
						    b.forgiven_ns);
			if (cpu_budget_capacity_ns(&b) >= 20 * MSEC)
				assert_int_equal(b.forgiven_ns, 0);
			now += unit_random(&seed) % SEC;
		}
	}
}

/*
 * Under memory pressure, half of the current tokens is available, and none of those saved earlier.
 */
static void memory_pressure_leaves_half(void **state)
{
	struct cpu_budget b;

	(void)state;
	cpu_budget_init(&b, ONE_PC, start);
	assert_int_equal(cpu_budget_cut_ns(&b, 600 * MSEC, 10 * SEC), 50 * MSEC);
	assert_int_equal(cpu_budget_cut_ns(&b, 40 * MSEC, 10 * SEC), 20 * MSEC);
	assert_int_equal(cpu_budget_cut_ns(&b, 0, 10 * SEC), 0);
	assert_int_equal(cpu_budget_cut_ns(&b, UINT64_MAX, UINT64_MAX), 300 * MSEC);
}

/*
 * After a pass of 40 ms each interval leaves 60 ms for reads, whether the bucket is full or empty.
 */
static void saved_tokens_do_not_change_an_interval(void **state)
{
	struct cpu_budget b;

	(void)state;
	cpu_budget_init(&b, ONE_PC, start);
	assert_int_equal(cpu_budget_each_ns(&b, 10 * SEC), 100 * MSEC);
	cpu_budget_charge_pass(&b, start, 40 * MSEC, start + 10 * SEC);
	assert_true(cpu_budget_available_ns(&b, start) > 500 * MSEC);
	assert_int_equal(cpu_budget_each_ns(&b, 10 * SEC), 60 * MSEC);
	cpu_budget_charge(&b, start, 700 * MSEC);
	assert_int_equal(cpu_budget_each_ns(&b, 10 * SEC), 60 * MSEC);
	assert_int_equal(cpu_budget_each_ns(&b, 3 * SEC), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_full_at_the_start),
		cmocka_unit_test(fills_at_its_rate),
		cmocka_unit_test(frequent_looks_lose_nothing),
		cmocka_unit_test(a_debt_is_paid_first),
		cmocka_unit_test(computes_when_a_read_can_be_paid),
		cmocka_unit_test(no_debt_is_deeper_than_the_bucket),
		cmocka_unit_test(jumps_bring_one_bucket_at_most),
		cmocka_unit_test(a_clock_that_goes_back_brings_nothing),
		cmocka_unit_test(another_rate_keeps_tokens_up_to_its_limit),
		cmocka_unit_test(another_rate_counts_from_now),
		cmocka_unit_test(tokens_for_the_next_pass_are_reserved),
		cmocka_unit_test(a_higher_cost_counts_at_once),
		cmocka_unit_test(one_expensive_pass_changes_little),
		cmocka_unit_test(stretches_the_interval_if_passes_cost_too_much),
		cmocka_unit_test(a_stretched_interval_leaves_something_for_reads),
		cmocka_unit_test(births_are_expected),
		cmocka_unit_test(the_first_pass_does_not_count),
		cmocka_unit_test(computes_the_needed_budget),
		cmocka_unit_test(extreme_charges_are_a_debt),
		cmocka_unit_test(no_span_uses_more),
		cmocka_unit_test(memory_pressure_leaves_half),
		cmocka_unit_test(saved_tokens_do_not_change_an_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
