/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the cost model of page-table walks against simulated hosts with known costs. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "collectors/schedule/walk-cost.h"

/* A simulated host: the true cost of its walks, and how much the measured cost varies. */
struct host {
	double walk, page, huge, mapping;
	double noise;   /* evenly distributed, as a fraction of the cost */
	int outlier_of; /* one read in so many takes a hundred times as long; 0: none */
	uint64_t seed;
};

static double uniform(uint64_t *seed)
{
	return (double)(unit_random(seed) >> 11) / 9007199254740992.0;
}

static double truth(const struct host *h, const struct walk_cost_work *w, uint64_t mappings)
{
	return h->walk + h->page * (double)w->pages + h->huge * (double)w->huge_pages +
	       h->mapping * (double)mappings;
}

static uint64_t read_of(struct host *h, const struct walk_cost_work *w, uint64_t mappings)
{
	double ns = truth(h, w, mappings) * (1 + h->noise * (2 * uniform(&h->seed) - 1));

	if (h->outlier_of && unit_random(&h->seed) % (uint64_t)h->outlier_of == 0)
		ns *= 100;
	return (uint64_t)ns;
}

/* Returns work of 128 KiB to 1 GiB, evenly distributed by order of magnitude. */
static struct walk_cost_work some_work(uint64_t *seed)
{
	uint64_t pages = UINT64_C(32) << (unit_random(seed) % 14);

	return (struct walk_cost_work){.pages = pages + unit_random(seed) % pages};
}

static uint64_t predict(const struct walk_cost_model *m, struct walk_cost_work w)
{
	return walk_cost_predict(m, &w, NULL).cpu_ns;
}

#define assert_near(value, expected, percent)                                                      \
	assert_in_range((uint64_t)(value),                                                         \
		(uint64_t)((double)(expected) * (100 - (percent)) / 100),                          \
		(uint64_t)((double)(expected) * (100 + (percent)) / 100))

/* Returns the worst relative error over all sizes. */
static double worst_error(const struct walk_cost_model *m, const struct host *h)
{
	double worst = 0;

	for (uint64_t pages = 32; pages <= 1 << 19; pages *= 2) {
		struct walk_cost_work w = {.pages = pages};
		double off = (double)predict(m, w) / truth(h, &w, 0) - 1;

		off = off < 0 ? -off : off;
		worst = off > worst ? off : worst;
	}
	return worst;
}

static void starts_from_the_prior(void **state)
{
	struct walk_cost_model m;

	(void)state;
	walk_cost_init(&m, WALK_COST_ROLLUP);
	/* 13.5 MiB in 305 mappings: 101 us. */
	assert_int_equal(predict(&m, (struct walk_cost_work){.pages = 3456, .mappings = 305}),
		10000 + 3456 * 22 + 305 * 50);
	/* 10 GiB in huge pages: 0.2 ms rather than 55 ms. */
	assert_int_equal(
		predict(&m, (struct walk_cost_work){.huge_pages = 5120}), 10000 + 5120 * 36);
	walk_cost_init(&m, WALK_COST_SLICES);
	assert_true(predict(&m, (struct walk_cost_work){.mappings = 60000}) > 50000000);
}

static void work_counts_resident_memory(void **state)
{
	struct walk_cost_work w = walk_cost_work_of(10 << 20, 4 << 20);

	(void)state;
	assert_int_equal(w.pages, 6 * 256);
	assert_int_equal(w.huge_pages, 2);
	w = walk_cost_work_of(1 << 20, 4 << 20);
	assert_int_equal(w.pages, 0);
}

static void the_hold_of_a_walk_is_the_walk(void **state)
{
	struct walk_cost_work w = {.pages = 1 << 20, .mappings = 256};
	struct walk_cost_habit habit = {{5000000, 5000000}};
	struct walk_cost_model m;

	(void)state;
	walk_cost_init(&m, WALK_COST_ROLLUP);
	assert_int_equal(walk_cost_predict(&m, &w, NULL).hold_ns, (22 << 20) + 256 * 50);
	assert_int_equal(
		walk_cost_predict(&m, &w, &habit).hold_ns, (22 << 20) + 256 * 50 + 5000000);
	habit = (struct walk_cost_habit){{-5000000, -5000000}};
	assert_int_equal(walk_cost_predict(&m, &w, &habit).hold_ns, (22 << 20) + 256 * 50);
	w.largest_pages = 4096;
	assert_int_equal(walk_cost_predict(&m, &w, NULL).hold_ns, (22 << 20) + 256 * 50);
}

static void the_hold_of_slices_is_the_largest_mapping(void **state)
{
	struct walk_cost_work w = {.pages = 1 << 20, .mappings = 256, .largest_pages = 4096};
	struct walk_cost_habit habit = {{5000000, 5000000}};
	struct walk_cost_model m;

	(void)state;
	walk_cost_init(&m, WALK_COST_SLICES);
	assert_int_equal(walk_cost_predict(&m, &w, &habit).hold_ns, 27 * 4096 + 900);
	w.largest_pages = 0;
	assert_true(walk_cost_predict(&m, &w, NULL).hold_ns >= 27 << 20);
}

/* Hosts that are three times slower, a third faster, or have other proportions, with some noise. */
static void learns_a_host_in_some_dozens_of_reads(void **state)
{
	static const struct host hosts[] = {
		{30000, 66, 108, 150, 0.3, 0, 1},
		{7000, 15, 24, 33, 0.3, 0, 2},
		{30000, 22, 36, 50, 0.2, 0, 3},
		{10000, 66, 36, 50, 0.2, 0, 4},
		{10000, 22, 36, 50, 0.9, 0, 5},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
		struct host h = hosts[i];
		struct walk_cost_model m;

		walk_cost_init(&m, WALK_COST_ROLLUP);
		for (int n = 0; n < 48; n++) {
			struct walk_cost_work w = some_work(&h.seed);

			walk_cost_learn(&m, &w, NULL, read_of(&h, &w, 0));
		}
		if (worst_error(&m, &h) > 0.3)
			fail_msg("host %zu: %.2f off", i, worst_error(&m, &h));
		for (int n = 0; n < 400; n++) {
			struct walk_cost_work w = some_work(&h.seed);

			walk_cost_learn(&m, &w, NULL, read_of(&h, &w, 0));
		}
		if (worst_error(&m, &h) > 0.2)
			fail_msg("host %zu: %.2f off at last", i, worst_error(&m, &h));
	}
}

static void outliers_spoil_little(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct host h = {10000, 22, 36, 50, 0.2, 30, seed};
		struct walk_cost_model m;
		double worst = 0;

		walk_cost_init(&m, WALK_COST_ROLLUP);
		for (int n = 0; n < 600; n++) {
			struct walk_cost_work w = some_work(&h.seed);

			walk_cost_learn(&m, &w, NULL, read_of(&h, &w, 0));
			/*
			 * The very first read may be an outlier, and there is nothing yet to
			 * compare it with.
			 */
			if (n == 30)
				worst = 0;
			if (worst_error(&m, &h) > worst)
				worst = worst_error(&m, &h);
			if (worst > (n < 30 ? 0.6 : 0.15))
				fail_msg("seed %u: %.2f off", (unsigned int)seed, worst);
		}
	}
}

/* The host becomes slower while it is measured, as with another guest or a lower clock rate. */
static void follows_a_change_of_speed(void **state)
{
	struct host h = {10000, 22, 36, 50, 0.2, 50, 7};
	struct walk_cost_model m;

	(void)state;
	walk_cost_init(&m, WALK_COST_ROLLUP);
	for (int n = 0; n < 2000; n++) {
		struct walk_cost_work w = some_work(&h.seed);

		if (n == 1000)
			h = (struct host){30000, 66, 108, 150, 0.2, 50, 8};
		walk_cost_learn(&m, &w, NULL, read_of(&h, &w, 0));
		if (n == 1300)
			assert_true(worst_error(&m, &h) < 0.3);
	}
	assert_true(worst_error(&m, &h) < 0.2);
}

/* Even if all reads so far took the same time, or none that the clock could show. */
static void keeps_some_uncertainty(void **state)
{
	(void)state;
	for (int nothing = 0; nothing < 2; nothing++) {
		struct host h = {30000, 66, 108, 150, 0.2, 0, 8};
		struct walk_cost_model m;

		walk_cost_init(&m, WALK_COST_ROLLUP);
		for (int n = 0; n < 4000; n++) {
			struct walk_cost_work w = some_work(&h.seed);

			walk_cost_learn(&m, &w, NULL, nothing ? 0 : predict(&m, w));
		}
		for (int n = 0; n < (nothing ? 300 : 150); n++) {
			struct walk_cost_work w = some_work(&h.seed);

			walk_cost_learn(&m, &w, NULL, read_of(&h, &w, 0));
		}
		assert_true(worst_error(&m, &h) < 0.4);
	}
}

/*
 * Reads of one size cannot tell the terms apart. Other sizes are predicted by the relative speed of
 * the host.
 */
static void equal_processes_spoil_nothing(void **state)
{
	struct host h = {30000, 66, 108, 150, 0.2, 0, 9};
	struct walk_cost_model m;

	(void)state;
	walk_cost_init(&m, WALK_COST_ROLLUP);
	for (int n = 0; n < 5000; n++) {
		struct walk_cost_work w = {.pages = 3456};

		walk_cost_learn(&m, &w, NULL, read_of(&h, &w, 0));
	}
	assert_true(worst_error(&m, &h) < 0.2);
	/* No huge page was ever seen: their cost is three times the prior as well. */
	assert_near(predict(&m, (struct walk_cost_work){.huge_pages = 100000}), 100000 * 108, 20);
}

/*
 * Small reads cost less than the constant and large ones more, so the best fit has negative terms.
 */
static void nothing_is_ever_negative(void **state)
{
	uint64_t seed = 11;
	struct walk_cost_model m;

	(void)state;
	walk_cost_init(&m, WALK_COST_ROLLUP);
	for (int n = 0; n < 3000; n++) {
		struct walk_cost_work w = some_work(&seed);

		w.huge_pages = unit_random(&seed) % 1000;
		w.mappings = unit_random(&seed) % 1000;
		walk_cost_learn(&m, &w, NULL, w.pages * 5 > 20000 ? w.pages * 5 - 20000 : 0);
		for (int i = 0; i < WALK_COST_TERMS; i++)
			assert_true(m.factor[i] >= 0 && m.factor[i] < 10);
		assert_true(predict(&m, (struct walk_cost_work){0}) > 0);
		assert_true(predict(&m, w) > 0);
	}
	/* Work that is predicted to cost nothing costs nothing for a while, and then something. */
	assert_true(m.factor[0] == 0);
	for (uint64_t n = 0; n < 400; n++)
		walk_cost_learn(&m, &(struct walk_cost_work){0}, NULL, n < 50 ? 0 : 10000);
	assert_near(predict(&m, (struct walk_cost_work){0}), 10000, 20);
}

static void extremes_stay_finite(void **state)
{
	static const uint64_t extremes[] = {0, 1, 1000, UINT64_C(1) << 40, UINT64_MAX};
	uint64_t seed = 12;

	(void)state;
	for (enum walk_cost_way way = WALK_COST_ROLLUP; way < WALK_COST_WAYS; way++) {
		struct walk_cost_habit habit = {{0, 0}};
		struct walk_cost_model m;

		walk_cost_init(&m, way);
		for (int n = 0; n < 5000; n++) {
			struct walk_cost_work w = {
				.pages = extremes[unit_random(&seed) % 5],
				.huge_pages = extremes[unit_random(&seed) % 5],
				.mappings = extremes[unit_random(&seed) % 5],
				.largest_pages = extremes[unit_random(&seed) % 5],
			};
			struct walk_cost_prediction p;

			walk_cost_learn(&m, &w, &habit, extremes[unit_random(&seed) % 5]);
			p = walk_cost_predict(&m, &w, &habit);
			assert_in_range(p.cpu_ns, 1, UINT64_C(1000000000000000000));
			assert_true(p.hold_ns <= UINT64_C(1000000000000000000));
			for (int i = 0; i < WALK_COST_TERMS; i++)
				assert_true(m.factor[i] >= 0 && m.factor[i] < 1e12);
		}
		/* The model recovers. */
		for (int n = 0; n < 6000; n++) {
			struct host h = {10000, 22, 36, 50, 0.1, 0, seed++};
			struct walk_cost_work w = some_work(&seed);

			walk_cost_learn(&m, &w, NULL, read_of(&h, &w, 0));
		}
		assert_near(predict(&m, (struct walk_cost_work){.pages = 10000}), 230000, 25);
	}
}

/* 60,000 mappings that smaps_rollup does not show: 9.7 ms instead of 0.1 ms. */
static void a_habit_counts_when_seen_twice(void **state)
{
	struct walk_cost_work w = {.pages = 4000};
	struct walk_cost_habit habit = {{0, 0}};
	struct walk_cost_model m;
	uint64_t usual;

	(void)state;
	walk_cost_init(&m, WALK_COST_ROLLUP);
	usual = predict(&m, w);
	/* The first walk of a process counts by itself. */
	walk_cost_learn(&m, &w, &habit, 9700000);
	assert_near(walk_cost_predict(&m, &w, &habit).cpu_ns, 9700000, 5);
	/* The second walk had the usual cost, so the first one was disturbed. */
	walk_cost_learn(&m, &w, &habit, usual);
	assert_near(walk_cost_predict(&m, &w, &habit).cpu_ns, predict(&m, w), 1);
	/* Two high costs in a row are a habit. */
	walk_cost_learn(&m, &w, &habit, 9700000);
	assert_near(walk_cost_predict(&m, &w, &habit).cpu_ns, predict(&m, w), 1);
	walk_cost_learn(&m, &w, &habit, 9600000);
	assert_near(walk_cost_predict(&m, &w, &habit).cpu_ns, 9600000, 5);
	/* A habit is as large as the smaller of the last two deviations. */
	for (int later = 0; later < 2; later++) {
		habit = (struct walk_cost_habit){
			{later ? 500000 : 900000, later ? 900000 : 500000}};
		assert_int_equal(walk_cost_predict(&m, &w, &habit).cpu_ns, predict(&m, w) + 500000);
		habit = (struct walk_cost_habit){{later ? -5000 : -9000, later ? -9000 : -5000}};
		assert_int_equal(walk_cost_predict(&m, &w, &habit).cpu_ns, predict(&m, w) - 5000);
	}
	/* A process may be cheaper than the model says, but never free. */
	habit = (struct walk_cost_habit){{-1000000, -1000000}};
	assert_near(
		(double)walk_cost_predict(&m, &w, &habit).cpu_ns, (double)predict(&m, w) / 4, 1);
	w = (struct walk_cost_work){0};
	m.factor[0] = 0;
	assert_int_equal(walk_cost_predict(&m, &w, NULL).cpu_ns, 1);
}

/* Each twentieth process has a habit of its own. The model fits the others. */
static void habits_leave_the_model_alone(void **state)
{
	struct walk_cost_habit habit[40] = {0};
	struct host h = {10000, 22, 36, 50, 0.2, 0, 13};
	struct walk_cost_model m;

	(void)state;
	walk_cost_init(&m, WALK_COST_ROLLUP);
	for (int n = 0; n < 4000; n++) {
		struct walk_cost_work w = {.pages = 100 * (1 + (uint64_t)(n % 40))};

		walk_cost_learn(&m, &w, &habit[n % 40], read_of(&h, &w, n % 20 == 7 ? 60000 : 0));
	}
	assert_true(worst_error(&m, &h) < 0.25);
	for (uint64_t i = 0; i < 40; i++) {
		struct walk_cost_work w = {.pages = 100 * (1 + i)};

		assert_near(walk_cost_predict(&m, &w, &habit[i]).cpu_ns,
			truth(&h, &w, i % 20 == 7 ? 60000 : 0), 30);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_from_the_prior),
		cmocka_unit_test(work_counts_resident_memory),
		cmocka_unit_test(the_hold_of_a_walk_is_the_walk),
		cmocka_unit_test(the_hold_of_slices_is_the_largest_mapping),
		cmocka_unit_test(learns_a_host_in_some_dozens_of_reads),
		cmocka_unit_test(outliers_spoil_little),
		cmocka_unit_test(follows_a_change_of_speed),
		cmocka_unit_test(keeps_some_uncertainty),
		cmocka_unit_test(equal_processes_spoil_nothing),
		cmocka_unit_test(nothing_is_ever_negative),
		cmocka_unit_test(extremes_stay_finite),
		cmocka_unit_test(a_habit_counts_when_seen_twice),
		cmocka_unit_test(habits_leave_the_model_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
