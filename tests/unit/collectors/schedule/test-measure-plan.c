/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of collectors/schedule/measure-plan.h: which processes are measured next within a budget of
 * tokens.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "collectors/schedule/measure-plan.h"

#define SEC  NS_PER_SEC
#define MSEC NS_PER_MSEC
#define USEC NS_PER_USEC
#define MIB  (UINT64_C(1) << 20)

static const struct measure_plan_limits plenty = {
	.tokens_ns = 600 * MSEC,
	.interval_ns = 10 * SEC,
	.max_age_ns = 300 * SEC,
	.giant_age_ns = 3600 * SEC,
	.stall_ns = 20 * MSEC,
};

/* With these limits not everything can be read within the maximum age, whatever the tokens. */
static const struct measure_plan_limits too_little = {
	.tokens_ns = 600 * MSEC,
	.interval_ns = 10 * SEC,
	.max_age_ns = 300 * SEC,
	.giant_age_ns = 3600 * SEC,
	.stall_ns = 20 * MSEC,
	.total_cost_ns = 3600 * SEC,
};

static struct measure_plan_item item(
	uint32_t id, uint64_t cost_ns, uint64_t doubt_bytes, uint64_t age_ns)
{
	return (struct measure_plan_item){.id = id,
		.cost_ns = cost_ns,
		.hold_ns = cost_ns / 2,
		.doubt_bytes = doubt_bytes,
		.worth_bytes = doubt_bytes,
		.is_in_pass = true,
		.pss_bytes = 10 * MIB,
		.age_ns = age_ns};
}

static struct measure_plan_item new_item(uint32_t id, uint64_t cost_ns, uint64_t doubt_bytes)
{
	struct measure_plan_item i = item(id, cost_ns, doubt_bytes, 0);

	i.is_new = true;
	return i;
}

/* Asserts that the chosen items are those of IDS, in this order. */
static void assert_ids(const struct measure_plan_item *items, size_t count, const char *ids)
{
	assert_int_equal(count, strlen(ids));
	for (size_t i = 0; i < count; i++)
		assert_int_equal(items[i].id, ids[i]);
}

/* Returns the number of items marked as deferred. None of the first N may be. */
static uint64_t deferred_of(const struct measure_plan_item *items, size_t n, size_t count)
{
	uint64_t marked = 0;

	for (size_t i = 0; i < count; i++) {
		assert_false(i < n && items[i].is_deferred);
		marked += items[i].is_deferred;
	}
	return marked;
}

static void chooses_nothing_if_nothing_is_due(void **state)
{
	struct measure_plan_item one[] = {item('a', 100 * USEC, 0, 10 * SEC)};
	struct measure_plan_counts counts;

	(void)state;
	assert_int_equal(measure_plan_choose(NULL, 0, &plenty, &counts), 0);
	assert_int_equal(counts.chosen + counts.deferred[MEASURE_PLAN_BUDGET], 0);
	assert_int_equal(measure_plan_choose(one, 1, &plenty, &counts), 0);
	assert_int_equal(counts.chosen + counts.deferred[MEASURE_PLAN_BUDGET], 0);
}

static void order_is_new_overdue_uncertain(void **state)
{
	struct measure_plan_item items[] = {
		item('a', 100 * USEC, 0, 10 * SEC),
		item('b', 100 * USEC, 2 * MIB, 10 * SEC),
		item('c', 100 * USEC, 0, 295 * SEC),
		new_item('d', 100 * USEC, MIB),
		item('e', 100 * USEC, 4 * MIB, 10 * SEC),
		item('f', 100 * USEC, 0, 297 * SEC),
		new_item('g', 50 * USEC, MIB),
	};
	struct measure_plan_counts counts;

	(void)state;
	assert_ids(items, measure_plan_choose(items, 7, &plenty, &counts), "gdfceb");
	assert_int_equal(counts.chosen, 6);
	assert_int_equal(counts.chosen_ns, 550 * USEC);
	for (int i = 0; i < MEASURE_PLAN_REASONS; i++)
		assert_int_equal(counts.deferred[i], 0);
}

/* Excused items are first, in order of size, whatever the tokens. They use none of them. */
static void excused_items_need_no_tokens(void **state)
{
	struct measure_plan_item items[] = {
		new_item('a', 100 * USEC, MIB),
		new_item('b', 500 * MSEC, 4 * MIB),
		new_item('c', 200 * MSEC, 8 * MIB),
		new_item('d', 100 * USEC, MIB),
		new_item('e', 500 * MSEC, MIB),
	};
	struct measure_plan_limits limits = plenty;
	struct measure_plan_counts counts;

	(void)state;
	limits.tokens_ns = 100 * USEC;
	items[1].is_excused = items[2].is_excused = items[4].is_excused = true;
	items[1].pss_bytes = 100 * MIB;
	items[2].pss_bytes = 200 * MIB;
	items[1].hold_ns = items[2].hold_ns = 0;
	items[4].is_giant = true;
	assert_ids(items, measure_plan_choose(items, 5, &limits, &counts), "cbea");
	assert_int_equal(counts.chosen_ns, 1200 * MSEC + 100 * USEC);
	assert_int_equal(counts.deferred[MEASURE_PLAN_BUDGET], 1);

	limits.giant_age_ns = 0; /* giants are never read */
	assert_ids(items, measure_plan_choose(items, 5, &limits, &counts), "cba");
	assert_int_equal(counts.deferred[MEASURE_PLAN_GIANT], 1);
}

/* 1 MiB for 10 us is worth more than 4 MiB for 100 us. */
static void doubts_are_ordered_by_worth_per_cost(void **state)
{
	struct measure_plan_item items[] = {
		item('a', 100 * USEC, 4 * MIB, 10 * SEC),
		item('b', 10 * USEC, MIB, 10 * SEC),
		item('c', 1000 * USEC, 20 * MIB, 10 * SEC),
		item('d', 0, MIB, 10 * SEC),
		item('e', 100 * USEC, 4 * MIB, 20 * SEC),
	};
	struct measure_plan_counts counts;

	(void)state;
	assert_ids(items, measure_plan_choose(items, 5, &plenty, &counts), "dbeac");
}

static void small_doubts_do_not_matter(void **state)
{
	const uint64_t now = 10 * SEC, later = 100 * SEC, max_age = 300 * SEC;

	(void)state;
	/* 2 % of a large process, */
	assert_true(measure_plan_doubt_matters(20 * MIB, 1000 * MIB, now, max_age));
	assert_false(measure_plan_doubt_matters(20 * MIB - 1, 1000 * MIB, now, max_age));
	/* 1 MiB of a medium one, */
	assert_true(measure_plan_doubt_matters(MIB, 20 * MIB, now, max_age));
	assert_false(measure_plan_doubt_matters(MIB - 1, 20 * MIB, now, max_age));
	/* a quarter of a small one, */
	assert_true(measure_plan_doubt_matters(MIB / 2, 2 * MIB, now, max_age));
	assert_false(measure_plan_doubt_matters(MIB / 2 - 1, 2 * MIB, now, max_age));
	/* 256 KiB of a tiny one; */
	assert_true(measure_plan_doubt_matters(262144, 0, now, max_age));
	assert_false(measure_plan_doubt_matters(262143, 0, now, max_age));
	/* after a while, half of that. */
	assert_true(measure_plan_doubt_matters(10 * MIB, 1000 * MIB, later, max_age));
	assert_false(measure_plan_doubt_matters(10 * MIB - 1, 1000 * MIB, later, max_age));
	assert_false(measure_plan_doubt_matters(10 * MIB, 1000 * MIB, later - 1, max_age));
	assert_true(measure_plan_doubt_matters(MIB / 2, 20 * MIB, UINT64_MAX, max_age));
	assert_false(measure_plan_doubt_matters(0, 0, UINT64_MAX, max_age));
}

/* Adds COUNT items of each kind, at a cost of 1 ms each. */
static size_t fill(
	struct measure_plan_item *items, size_t count, bool has_new, bool has_old, bool has_doubt)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		if (has_new)
			items[n++] = new_item('n', MSEC, MIB);
		if (has_old)
			items[n++] = item('o', MSEC, 0, 400 * SEC);
		if (has_doubt)
			items[n++] = item('d', MSEC, 2 * MIB, 10 * SEC);
	}
	return n;
}

static size_t chosen_of(const struct measure_plan_item *items, size_t count, uint32_t id)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		n += items[i].id == id;
	return n;
}

static void kinds_share_the_tokens(void **state)
{
	static const struct {
		bool has_new, has_old, has_doubt;
		size_t new, old, doubt;
	} cases[] = {
		{true, true, true, 40, 20, 20},
		{false, true, true, 0, 40, 40},
		{true, true, false, 40, 40, 0},
		{true, false, true, 40, 0, 40},
		{true, false, false, 80, 0, 0},
		{false, true, false, 0, 80, 0},
		{false, false, true, 0, 0, 80},
	};
	struct measure_plan_limits limits = too_little;

	(void)state;
	limits.tokens_ns = 80 * MSEC;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		for (limits.round = 0; limits.round < 20; limits.round++) {
			struct measure_plan_item items[300];
			struct measure_plan_counts counts;
			size_t count = fill(
				items, 100, cases[i].has_new, cases[i].has_old, cases[i].has_doubt);
			size_t n = measure_plan_choose(items, count, &limits, &counts);

			assert_int_equal(n, 80);
			assert_int_equal(counts.chosen_ns, 80 * MSEC);
			assert_int_equal(chosen_of(items, n, 'n'), cases[i].new);
			assert_int_equal(chosen_of(items, n, 'o'), cases[i].old);
			assert_int_equal(chosen_of(items, n, 'd'), cases[i].doubt);
			assert_int_equal(counts.deferred[MEASURE_PLAN_BUDGET], count - 80);
		}
	}
}

/* Tokens that one kind does not need go to the others. */
static void unused_tokens_go_to_other_kinds(void **state)
{
	struct measure_plan_limits limits = plenty;
	struct measure_plan_item items[130];
	struct measure_plan_counts counts;
	size_t count = fill(items, 50, true, false, true), n;

	(void)state;
	limits.tokens_ns = 80 * MSEC;
	for (int i = 0; i < 5; i++)
		items[count++] = item('o', MSEC, 0, 400 * SEC);
	n = measure_plan_choose(items, count, &limits, &counts);
	assert_int_equal(n, 80);
	assert_int_equal(chosen_of(items, n, 'n'), 37);
	assert_int_equal(chosen_of(items, n, 'o'), 5);
	assert_int_equal(chosen_of(items, n, 'd'), 38);

	limits.tokens_ns = 104 * MSEC;
	n = measure_plan_choose(items, count, &limits, &counts);
	assert_int_equal(n, 104);
	assert_int_equal(chosen_of(items, n, 'n'), 49);
	assert_int_equal(counts.deferred[MEASURE_PLAN_BUDGET], 1);
}

static void at_most_one_read_overdraws(void **state)
{
	uint64_t seed = 5;

	(void)state;
	for (unsigned int run = 0; run < unit_rounds(3000); run++) {
		struct measure_plan_limits limits = plenty;
		struct measure_plan_item items[60];
		struct measure_plan_counts counts;
		uint64_t sum = 0, most = 0;
		size_t n;

		limits.tokens_ns = unit_random(&seed) % (20 * MSEC);
		limits.round = unit_random(&seed);
		for (uint32_t i = 0; i < 60; i++) {
			items[i] = item(i, unit_random(&seed) % (5 * MSEC),
				unit_random(&seed) % (3 * MIB), unit_random(&seed) % (600 * SEC));
			items[i].is_new = unit_random(&seed) % 4 == 0;
		}
		n = measure_plan_choose(items, 60, &limits, &counts);
		assert_int_equal(counts.chosen, n);
		for (size_t i = 0; i < n; i++) {
			uint64_t cost = items[i].cost_ns ? items[i].cost_ns : 1;

			sum += cost;
			most = cost > most ? cost : most;
		}
		assert_int_equal(sum, counts.chosen_ns);
		assert_true(n == 0 || sum - most < limits.tokens_ns);
		/* Reordering neither loses nor duplicates an item. */
		for (uint32_t i = 0; i < 60; i++)
			assert_int_equal(chosen_of(items, 60, i), 1);
		/* No item waits while there are tokens. */
		if (sum < limits.tokens_ns)
			assert_int_equal(counts.deferred[MEASURE_PLAN_BUDGET], 0);
	}
}

static void without_tokens_nothing_is_read(void **state)
{
	struct measure_plan_limits limits = plenty;
	struct measure_plan_item items[30];
	struct measure_plan_counts counts;

	(void)state;
	limits.tokens_ns = 0;
	assert_int_equal(
		measure_plan_choose(items, fill(items, 10, true, true, true), &limits, &counts), 0);
	assert_int_equal(counts.deferred[MEASURE_PLAN_BUDGET], 30);
}

static void giants_are_read_at_their_own_age(void **state)
{
	/* Fields: giant, new, hold, age, doubt, giant age; whether it is read or deferred. */
	static const struct {
		bool is_giant, is_new;
		uint64_t hold_ns, age_ns, doubt_bytes, giant_age_ns;
		bool is_read;
		int reason; /* -1: neither read nor deferred */
	} cases[] = {
		{true, false, 50 * MSEC, 400 * SEC, 0, 3600 * SEC, false, MEASURE_PLAN_GIANT},
		{true, false, 50 * MSEC, 100 * SEC, 0, 3600 * SEC, false, -1},
		{true, false, 50 * MSEC, 100 * SEC, 2000 * MIB, 3600 * SEC, false,
			MEASURE_PLAN_GIANT},
		{true, false, 50 * MSEC, 3599 * SEC, 2000 * MIB, 3600 * SEC, false,
			MEASURE_PLAN_GIANT},
		{true, false, 50 * MSEC, 3600 * SEC, 0, 3600 * SEC, true, -1},
		{true, false, 50 * MSEC, 360000 * SEC, 0, 0, false, MEASURE_PLAN_GIANT},
		{true, false, 10 * MSEC, 400 * SEC, 0, 3600 * SEC, false, MEASURE_PLAN_GIANT},
		{true, false, 50 * MSEC, 150 * SEC, 0, 100 * SEC, true, -1},
		{true, false, 50 * MSEC, UINT64_MAX, 0, 3600 * SEC, true, -1},
		{false, false, MSEC, UINT64_MAX, 0, 3600 * SEC, true, -1},
		{true, true, 50 * MSEC, 0, 2000 * MIB, 3600 * SEC, true, -1},
		{true, true, 50 * MSEC, 400 * SEC, 2000 * MIB, 3600 * SEC, true, -1},
		{true, true, 50 * MSEC, 0, 2000 * MIB, 0, false, MEASURE_PLAN_GIANT},
		{false, false, 21 * MSEC, 400 * SEC, 0, 3600 * SEC, false, MEASURE_PLAN_STALL},
		{false, true, 21 * MSEC, 400 * SEC, 0, 0, false, MEASURE_PLAN_STALL},
		{false, false, 21 * MSEC, 3600 * SEC, 0, 3600 * SEC, true, -1},
		{false, false, 20 * MSEC, 400 * SEC, 0, 3600 * SEC, true, -1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct measure_plan_item giant = item(
			'g', 60 * MSEC, cases[i].doubt_bytes, cases[i].age_ns);
		struct measure_plan_limits limits = plenty;
		struct measure_plan_counts counts;

		giant.is_giant = cases[i].is_giant;
		giant.is_new = cases[i].is_new;
		giant.hold_ns = cases[i].hold_ns;
		giant.pss_bytes = 10000 * MIB;
		limits.giant_age_ns = cases[i].giant_age_ns;
		if (measure_plan_choose(&giant, 1, &limits, &counts) != cases[i].is_read)
			fail_msg("case %zu", i);
		for (int reason = 0; reason < MEASURE_PLAN_REASONS; reason++) {
			if (counts.deferred[reason] != (reason == cases[i].reason))
				fail_msg("case %zu, reason %d", i, reason);
		}
	}
}

/*
 * Uncertain and new items always want more than there is. If reading everything within the maximum
 * age fits the budget, nothing gets older than that. Otherwise each kind has its share.
 */
static void keeps_the_maximum_age_if_the_budget_allows(void **state)
{
	enum { COUNT = 300 };
	static const uint64_t tokens_ms[] = {11, 13, 20, 50, 8};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(tokens_ms); i++) {
		struct measure_plan_limits limits = plenty;
		static struct measure_plan_item items[COUNT + 60];
		static uint64_t age_ns[COUNT];
		uint64_t oldest = 0, doubts = 0, deferred = 0, seed = 4;

		memset(age_ns, 0, sizeof(age_ns));
		limits.tokens_ns = tokens_ms[i] * MSEC;
		for (limits.round = 0; limits.round < 300; limits.round++) {
			struct measure_plan_counts counts;
			size_t n, count = 0;

			/* 300 ms in total: 10 ms a pass. */
			for (uint32_t id = 0; id < COUNT; id++) {
				items[count++] = item(id, MSEC, 0, age_ns[id]);
				if (id >= COUNT / 3)
					continue;
				items[id].doubt_bytes = 20 * MIB + unit_random(&seed) % MIB;
			}
			for (uint32_t id = 0; id < 60; id++)
				items[count++] = new_item(COUNT + id, MSEC, 10 * MIB);
			limits.total_cost_ns = COUNT * MSEC;
			n = measure_plan_choose(items, count, &limits, &counts);
			deferred += counts.deferred[MEASURE_PLAN_BUDGET];
			for (size_t k = 0; k < n; k++) {
				if (items[k].id >= COUNT)
					continue;
				doubts += items[k].id < COUNT / 3;
				age_ns[items[k].id] = 0;
			}
			for (size_t id = 0; id < COUNT; id++) {
				age_ns[id] += limits.interval_ns;
				if (age_ns[id] > oldest)
					oldest = age_ns[id];
			}
		}
		if ((oldest > limits.max_age_ns) != (tokens_ms[i] < 10))
			fail_msg("%u ms: %u s", (unsigned int)tokens_ms[i],
				(unsigned int)(oldest / SEC));
		assert_true(deferred > 0);
		if (tokens_ms[i] >= 20) /* some tokens are left for them */
			assert_true(doubts > 300 * COUNT / 3 / 30 * 5 / 4);
	}
}

/*
 * The rest of .spare_ns goes to smaller doubts that are read within the pass, in order of worth
 * per cost. Items that do not fit are not counted as deferred, and do not keep others waiting.
 */
static void minor_doubts_use_spare_time(void **state)
{
	static const struct {
		uint64_t spare_ns;
		const char *ids;
	} cases[] = {
		{0, "bf"},
		{200 * USEC, "bf"},
		{250 * USEC, "bf"},
		{300 * USEC, "bfd"},
		{499 * USEC, "bfdc"},
		{500 * USEC, "bfdca"},
		{1000 * USEC, "bfgdc"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct measure_plan_item items[] = {
			item('a', 100 * USEC, 1000, 10 * SEC),
			item('b', 100 * USEC, 4 * MIB, 10 * SEC),
			item('c', 100 * USEC, 3000, 10 * SEC),
			item('d', 100 * USEC, 2000, 10 * SEC),
			item('e', 100 * USEC, 0, 10 * SEC),
			item('f', 100 * USEC, 2 * MIB, 10 * SEC),
			item('g', 600 * USEC, 60000, 10 * SEC),
			item('h', 100 * USEC, 9000, 10 * SEC),
		};
		struct measure_plan_limits limits = plenty;
		struct measure_plan_counts counts;

		items[3].worth_bytes = 9000; /* of a small user */
		items[7].is_in_pass = false;
		limits.spare_ns = cases[i].spare_ns;
		assert_ids(items, measure_plan_choose(items, ARRAY_SIZE(items), &limits, &counts),
			cases[i].ids);
		assert_int_equal(counts.deferred[MEASURE_PLAN_BUDGET], 0);
	}
}

static uint64_t id_cost(uint32_t id, uint64_t least_ns, uint64_t most_ns)
{
	uint64_t seed = id;

	return least_ns + unit_random(&seed) % (most_ns - least_ns);
}

/* A model host with passes that only refresh: processes age, and chosen ones are read. */
struct host {
	size_t count;
	uint64_t *age_ns; /* indexed by id */
	struct measure_plan_item *items;
	uint64_t least_ns, most_ns; /* range of costs */
};

static void host_open(struct host *h, size_t count, uint64_t least_ns, uint64_t most_ns)
{
	*h = (struct host){.count = count, .least_ns = least_ns, .most_ns = most_ns};
	h->age_ns = calloc(count, sizeof(*h->age_ns));
	h->items = calloc(count, sizeof(*h->items));
	assert_non_null(h->age_ns);
	assert_non_null(h->items);
}

static void host_close(struct host *h)
{
	free(h->age_ns);
	free(h->items);
}

/* Makes a pass. Returns the age of the oldest process. */
static uint64_t host_pass(struct host *h, const struct measure_plan_limits *limits,
	struct measure_plan_counts *ret_counts)
{
	uint64_t oldest = 0;
	size_t n;

	for (size_t i = 0; i < h->count; i++) {
		uint32_t id = (uint32_t)i;

		h->items[i] = item(id, id_cost(id, h->least_ns, h->most_ns), 0, h->age_ns[i]);
		if (h->age_ns[i] > oldest)
			oldest = h->age_ns[i];
	}
	n = measure_plan_choose(h->items, h->count, limits, ret_counts);
	for (size_t i = 0; i < n; i++)
		h->age_ns[h->items[i].id] = 0;
	for (size_t i = 0; i < h->count; i++)
		h->age_ns[i] += limits->interval_ns;
	return oldest;
}

static uint64_t host_total(const struct host *h)
{
	uint64_t total = 0;

	for (size_t i = 0; i < h->count; i++)
		total += id_cost((uint32_t)i, h->least_ns, h->most_ns);
	return total;
}

/*
 * All are read at once at the start. Their times spread, none gets too old, and no pass has much
 * more than its share.
 */
static void refreshes_are_spread_evenly(void **state)
{
	static const struct {
		size_t count;
		uint64_t least_ns, most_ns, interval_ns, max_age_ns;
	} cases[] = {
		{1000, 100 * USEC, 101 * USEC, 10 * SEC, 300 * SEC},
		{5000, 10 * USEC, 20 * USEC, 10 * SEC, 300 * SEC},
		{300, 10 * USEC, 5000 * USEC, 10 * SEC, 300 * SEC},
		{1000, 10 * USEC, 500 * USEC, SEC, 300 * SEC},
		{500, 10 * USEC, 500 * USEC, SEC, 3600 * SEC},
		{100, 10 * USEC, 500 * USEC, 10 * SEC, 45 * SEC},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t passes = cases[i].max_age_ns / cases[i].interval_ns, all = 0, most = 0;
		struct measure_plan_limits limits = plenty;
		struct host h;

		limits.interval_ns = cases[i].interval_ns;
		limits.max_age_ns = cases[i].max_age_ns;
		limits.tokens_ns = UINT64_MAX;
		host_open(&h, cases[i].count, cases[i].least_ns, cases[i].most_ns);
		for (uint64_t pass = 0; pass < 4 * passes; pass++) {
			struct measure_plan_counts counts;

			assert_true(host_pass(&h, &limits, &counts) <= limits.max_age_ns);
			all += counts.chosen_ns;
			if (counts.chosen_ns > most)
				most = counts.chosen_ns;
		}
		if (most > host_total(&h) * 4 / 3 / passes * (passes / 512 + 1) + cases[i].most_ns)
			fail_msg("case %zu: %u us in a pass, %u in all", i,
				(unsigned int)(most / USEC), (unsigned int)(host_total(&h) / USEC));
		/* Over all cycles hardly more than necessary. */
		if (all > host_total(&h) * 4 * 23 / 20)
			fail_msg("case %zu: %u us in all", i, (unsigned int)(all / USEC));
		host_close(&h);
	}
}

/* Ten items of 5 ms each: one every third pass. */
static void large_reads_are_not_read_too_early(void **state)
{
	struct measure_plan_limits limits = plenty;
	size_t reads = 0, most = 0;
	struct host h;

	(void)state;
	host_open(&h, 10, 5 * MSEC, 5 * MSEC + 1);
	for (int pass = 0; pass < 300; pass++) {
		struct measure_plan_counts counts;

		assert_true(host_pass(&h, &limits, &counts) <= limits.max_age_ns);
		reads += counts.chosen;
		if (counts.chosen > most)
			most = counts.chosen;
	}
	assert_in_range(reads, 90, 115);
	assert_int_equal(most, 1);
	host_close(&h);
}

/* An item read for its doubt is not refreshed again, and no item is read just to keep the pace. */
static void items_read_for_doubt_need_no_refresh(void **state)
{
	struct measure_plan_limits limits = plenty;
	struct host h;

	(void)state;
	host_open(&h, 100, MSEC, MSEC + 1);
	for (int pass = 0; pass < 300; pass++) {
		struct measure_plan_counts counts;

		host_pass(&h, &limits, &counts);
		assert_int_equal(counts.chosen, 0);
		for (size_t i = 0; i < 100; i++) {
			if ((size_t)pass % 25 == i / 4)
				h.age_ns[i] = 0;
		}
	}
	host_close(&h);
}

/* The caller omits young items. The pace follows the total of all. */
static void total_cost_sets_the_pace(void **state)
{
	struct measure_plan_limits limits = plenty;
	struct measure_plan_counts counts;
	struct measure_plan_item items[40];

	(void)state;
	/*
	 * Due within the next 90 s: 40 ms of 300 exceed a pace for 80 ms, but not one for 300 ms.
	 */
	for (uint32_t i = 0; i < 40; i++)
		items[i] = item(i, MSEC, 0, 205 * SEC);
	assert_true(measure_plan_choose(items, 40, &limits, &counts) > 0);
	limits.total_cost_ns = 300 * MSEC;
	assert_int_equal(measure_plan_choose(items, 40, &limits, &counts), 0);
}

/* The costs of giants do not set the pace, and new items do not cause others to be read early. */
static void only_refreshes_set_the_pace(void **state)
{
	struct measure_plan_counts counts;
	struct measure_plan_item items[41];
	size_t n;

	(void)state;
	for (uint32_t i = 0; i < 40; i++)
		items[i] = item(i, MSEC, 0, 205 * SEC);
	items[40] = item(40, SEC, 0, 0);
	n = measure_plan_choose(items, 41, &plenty, &counts);
	assert_in_range(n, 20, 30);

	for (uint32_t i = 0; i < 40; i++)
		items[i] = item(i, MSEC, 0, i < 2 ? 275 * SEC : 20 * SEC);
	items[40] = new_item('n', 10 * MSEC, MIB);
	items[40].age_ns = 265 * SEC;
	assert_ids(items, measure_plan_choose(items, 41, &plenty, &counts), "n");
}

/* However slow the pace is, and however long the maximum age. */
static void giants_are_due_at_their_own_age(void **state)
{
	struct measure_plan_limits limits = plenty;
	struct measure_plan_counts counts;
	struct measure_plan_item items[41];

	(void)state;
	limits.giant_age_ns = 100 * SEC;
	for (uint32_t i = 0; i < 40; i++)
		items[i] = item(i, 10 * MSEC, 0, 20 * SEC);
	items[40] = item('g', 60 * MSEC, 0, 150 * SEC);
	assert_ids(items, measure_plan_choose(items, 41, &limits, &counts), "g");
}

/*
 * If cheap items could use up all tokens exactly, an item that costs more than a share is still
 * read sometimes.
 */
static void expensive_items_are_read_at_random(void **state)
{
	static const struct {
		struct measure_plan_item dear, cheap;
	} cases[] = {
		{{.id = 'x', .is_new = true, .cost_ns = 60 * MSEC, .doubt_bytes = MIB},
			{.id = 'o', .cost_ns = MSEC, .age_ns = 400 * SEC}},
		{{.id = 'x', .is_new = true, .cost_ns = 60 * MSEC, .doubt_bytes = MIB},
			{.id = 'd', .cost_ns = MSEC, .doubt_bytes = 2 * MIB}},
		{{.id = 'x', .age_ns = 400 * SEC, .cost_ns = 60 * MSEC},
			{.id = 'd', .cost_ns = MSEC, .doubt_bytes = 2 * MIB}},
		{{.id = 'x', .age_ns = 400 * SEC, .cost_ns = 60 * MSEC},
			{.id = 'n', .is_new = true, .cost_ns = MSEC, .doubt_bytes = MIB}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct measure_plan_limits limits = too_little;
		size_t times = 0;

		limits.tokens_ns = 80 * MSEC;
		for (limits.round = 0; limits.round < 100; limits.round++) {
			struct measure_plan_item items[201];
			struct measure_plan_counts counts;
			size_t n;

			items[0] = cases[i].dear;
			for (size_t k = 1; k < 201; k++)
				items[k] = cases[i].cheap;
			n = measure_plan_choose(items, 201, &limits, &counts);
			times += chosen_of(items, n, 'x');
			assert_true(chosen_of(items, n, cases[i].cheap.id) >= 20);
		}
		assert_in_range(times, 15, 85);
	}
}

/*
 * A budget far too small: tokens come slowly, some reads cost as much as many passes bring, and
 * there are always new and uncertain items. Everything is still read repeatedly, the oldest first.
 */
static void nothing_starves(void **state)
{
	enum { COUNT = 40 };

	(void)state;
	for (uint64_t income_us = 100; income_us <= 10000; income_us *= 10) {
		struct measure_plan_limits limits = plenty;
		uint64_t seed = income_us, kept_new_age = 0, total_ns = 0, passes;
		uint64_t oldest_new = 0, oldest = 0;
		int64_t tokens = 0;
		struct host h;

		host_open(&h, COUNT, 10 * USEC, 20 * MSEC);
		total_ns = host_total(&h);
		passes = unit_rounds(400 + (unsigned int)(40 * total_ns / (income_us * USEC)));
		for (uint64_t pass = 0; pass < passes; pass++) {
			struct measure_plan_item items[COUNT + 10];
			struct measure_plan_counts counts;
			size_t n, count = 0;

			tokens += (int64_t)(income_us * USEC);
			limits.tokens_ns = tokens > 0 ? (uint64_t)tokens : 0;
			limits.round = pass;
			for (uint32_t i = 0; i < COUNT; i++) {
				items[count++] = item(i, id_cost(i, 10 * USEC, 20 * MSEC),
					i % 3 ? unit_random(&seed) % (40 * MIB) : 0, h.age_ns[i]);
			}
			/*
			 * New items each pass that are gone in the next, and an expensive new one
			 * that stays.
			 */
			for (uint32_t i = 0; i < 9; i++)
				items[count++] = new_item(1000, 100 * USEC, 8 * MIB);
			items[count] = new_item(2000, 15 * MSEC, MIB);
			items[count++].age_ns = kept_new_age;

			n = measure_plan_choose(items, count, &limits, &counts);
			for (size_t i = 0; i < n; i++) {
				tokens -= (int64_t)items[i].cost_ns;
				if (items[i].id == 2000)
					kept_new_age = 0;
				else if (items[i].id < COUNT)
					h.age_ns[items[i].id] = 0;
			}
			for (size_t i = 0; i < COUNT; i++) {
				h.age_ns[i] += limits.interval_ns;
				oldest = h.age_ns[i] > oldest ? h.age_ns[i] : oldest;
			}
			kept_new_age += limits.interval_ns;
			oldest_new = kept_new_age > oldest_new ? kept_new_age : oldest_new;
		}
		/* With a third of the tokens, all in turn. */
		uint64_t fair = limits.max_age_ns +
		                (4 * total_ns / (income_us * USEC) + 20) * limits.interval_ns;

		if (oldest > fair || oldest_new > fair)
			fail_msg("%u us a pass: %u s and %u s, where %u would be fair",
				(unsigned int)income_us, (unsigned int)(oldest / SEC),
				(unsigned int)(oldest_new / SEC), (unsigned int)(fair / SEC));
		host_close(&h);
	}
}

/* Any numbers: nothing overflows, and no item is lost. */
static void accepts_extreme_numbers(void **state)
{
	static const uint64_t extremes[] = {0, 1, 1000, SEC, UINT64_C(1) << 62, UINT64_MAX};
	uint64_t seed = 6;

	(void)state;
	for (unsigned int run = 0; run < unit_rounds(20000); run++) {
		struct measure_plan_item items[12];
		struct measure_plan_counts counts;
		struct measure_plan_limits limits = {
			.tokens_ns = extremes[unit_random(&seed) % 6],
			.spare_ns = extremes[unit_random(&seed) % 6],
			.interval_ns = extremes[1 + unit_random(&seed) % 5],
			.max_age_ns = extremes[1 + unit_random(&seed) % 5],
			.giant_age_ns = extremes[unit_random(&seed) % 6],
			.stall_ns = extremes[unit_random(&seed) % 6],
			.total_cost_ns = extremes[unit_random(&seed) % 6],
			.round = extremes[unit_random(&seed) % 6],
		};
		size_t count = unit_random(&seed) % 13, n;

		for (uint32_t i = 0; i < count; i++) {
			items[i] = (struct measure_plan_item){
				.id = i,
				.is_new = unit_random(&seed) % 2,
				.is_giant = unit_random(&seed) % 2,
				.cost_ns = extremes[unit_random(&seed) % 6],
				.hold_ns = extremes[unit_random(&seed) % 6],
				.doubt_bytes = extremes[unit_random(&seed) % 6],
				.worth_bytes = extremes[unit_random(&seed) % 6],
				.pss_bytes = extremes[unit_random(&seed) % 6],
				.age_ns = extremes[unit_random(&seed) % 6],
			};
		}
		n = measure_plan_choose(items, count, &limits, &counts);
		assert_true(n <= count);
		assert_int_equal(
			deferred_of(items, n, count), counts.deferred[MEASURE_PLAN_BUDGET]);
		for (uint32_t i = 0; i < count; i++)
			assert_int_equal(chosen_of(items, count, i), 1);
		assert_true(n + counts.deferred[MEASURE_PLAN_BUDGET] +
				    counts.deferred[MEASURE_PLAN_STALL] +
				    counts.deferred[MEASURE_PLAN_GIANT] <=
			    count);
	}
}

/*
 * Under severe pressure only new items and those due now are read, whatever the tokens. The others
 * are counted.
 */
static void shortage_defers_items_that_can_wait(void **state)
{
	static const struct {
		enum psi_level pressure;
		uint64_t tokens_ns;
		const char *ids;
		uint64_t budget, pressed;
	} cases[] = {
		{PSI_CALM, 600 * MSEC, "dfceba", 0, 0},
		{PSI_STRAINED, 600 * MSEC, "dfceba", 0, 0},
		{PSI_SEVERE, 600 * MSEC, "dfc", 0, 3},
		{PSI_CALM, 0, "", 6, 0},
		{PSI_STRAINED, 0, "", 0, 6},
		{PSI_SEVERE, 0, "", 0, 6},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct measure_plan_item items[] = {
			item('a', 100 * USEC, MIB, 10 * SEC),
			item('b', 100 * USEC, 2 * MIB, 10 * SEC),
			item('c', 100 * USEC, 0, 295 * SEC),
			new_item('d', 100 * USEC, MIB),
			item('e', 100 * USEC, 4 * MIB, 10 * SEC),
			item('f', 100 * USEC, 0, 297 * SEC),
			item('g', 100 * USEC, 0, 200 * SEC),
		};
		struct measure_plan_limits limits = plenty;
		struct measure_plan_counts counts;
		size_t n;

		limits.pressure = cases[i].pressure;
		limits.tokens_ns = cases[i].tokens_ns;
		n = measure_plan_choose(items, 7, &limits, &counts);
		assert_ids(items, n, cases[i].ids);
		assert_int_equal(deferred_of(items, n, 7), cases[i].budget + cases[i].pressed);
		assert_int_equal(counts.deferred[MEASURE_PLAN_BUDGET], cases[i].budget);
		assert_int_equal(counts.deferred[MEASURE_PLAN_PRESSURE], cases[i].pressed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chooses_nothing_if_nothing_is_due),
		cmocka_unit_test(order_is_new_overdue_uncertain),
		cmocka_unit_test(excused_items_need_no_tokens),
		cmocka_unit_test(doubts_are_ordered_by_worth_per_cost),
		cmocka_unit_test(small_doubts_do_not_matter),
		cmocka_unit_test(kinds_share_the_tokens),
		cmocka_unit_test(unused_tokens_go_to_other_kinds),
		cmocka_unit_test(at_most_one_read_overdraws),
		cmocka_unit_test(without_tokens_nothing_is_read),
		cmocka_unit_test(giants_are_read_at_their_own_age),
		cmocka_unit_test(minor_doubts_use_spare_time),
		cmocka_unit_test(keeps_the_maximum_age_if_the_budget_allows),
		cmocka_unit_test(refreshes_are_spread_evenly),
		cmocka_unit_test(large_reads_are_not_read_too_early),
		cmocka_unit_test(items_read_for_doubt_need_no_refresh),
		cmocka_unit_test(total_cost_sets_the_pace),
		cmocka_unit_test(only_refreshes_set_the_pace),
		cmocka_unit_test(giants_are_due_at_their_own_age),
		cmocka_unit_test(expensive_items_are_read_at_random),
		cmocka_unit_test(nothing_starves),
		cmocka_unit_test(accepts_extreme_numbers),
		cmocka_unit_test(shortage_defers_items_that_can_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
