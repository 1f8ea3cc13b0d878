/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The planner and the estimator on simulated hosts: hours and days in seconds. With MEMTALLY_LONG set,
 * more hosts, larger ones, and for longer.
 */
#include "config.h"

#include "tests/unit/unit.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "tests/sim/host.h"
#include "tests/sim/watch.h"

#define SEC  NS_PER_SEC
#define MSEC NS_PER_MSEC
#define MIB  (UINT64_C(1) << 20)

enum { LIBRARIES = 24 };

static const struct host_rates no_events = {0};

/* A day's work: one in a hundred does something else in a pass, workers come and go. */
static const struct host_rates some_events = {
	.churn = 0.9,
	.write = 0.2,
	.leave = 0.01,
	.births = 4,
	.exec = 0.05,
};

static const struct host_rates many_events = {
	.churn = 1,
	.write = 0.7,
	.leave = 0.05,
	.births = 30,
	.exec = 0.1,
	.pressure = 0.02,
	.pressure_share = 0.02,
};

static bool is_long(void)
{
	const char *value = getenv("MEMTALLY_LONG");

	return value && *value; /* as for the scenarios, empty is not set */
}

/* From 64 pages to 16,384, small ones being more frequent. */
static uint64_t some_pages(struct host *h)
{
	return (UINT64_C(64) << host_random(h, 9 - host_random(h, 4))) + host_random(h, 64);
}

static uint32_t create_libraries(struct host *h)
{
	uint32_t first = 0;

	for (uint32_t i = 0; i < LIBRARIES; i++) {
		uint32_t inode = host_create(h, HOST_FILE, 64 + host_random(h, 1024), 4);

		first = first ? first : inode;
	}
	return first;
}

static void map_libraries(struct host *h, size_t slot, uint32_t first)
{
	for (uint32_t i = 0; i < 4; i++)
		host_map(h, slot, first + (uint32_t)host_random(h, LIBRARIES), 4);
}

/*
 * COUNT processes of eight users: servers with workers, sharers of segments, idle ones, and BUSY of a
 * hundred that are active, leak or map files.
 */
static void populate(struct host *h, size_t count, uint32_t busy)
{
	uint32_t first = create_libraries(h);

	while (h->living < count) {
		uint32_t user = (uint32_t)host_random(h, 8);
		uint64_t kind = host_random(h, 100);
		size_t slot;

		if (kind < busy) {
			static const enum host_role roles[] = {
				HOST_ACTIVE, HOST_ACTIVE, HOST_LEAK, HOST_CACHE};

			slot = host_spawn(h, user, roles[host_random(h, 4)], some_pages(h), 16);
			map_libraries(h, slot, first);
		} else if (kind < 98) {
			slot = host_spawn(h, user, HOST_IDLE, some_pages(h), 8);
			map_libraries(h, slot, first);
		} else if (kind < 99) {
			slot = host_spawn(h, user, HOST_SERVER, some_pages(h) * 4, 32);
			map_libraries(h, slot, first);
			h->process[slot].workers = 4 + (uint32_t)host_random(h, 28);
			for (uint32_t i = 0; i < h->process[slot].workers; i++)
				host_fork(h, slot);
		} else {
			uint32_t segment = host_create(h, HOST_SHMEM, some_pages(h) * 8 + 64, 16);

			slot = host_spawn(h, user, HOST_IDLE, some_pages(h), 8);
			map_libraries(h, slot, first);
			host_map(h, slot, segment, 16);
			for (uint64_t i = host_random(h, 16); i > 0; i--) {
				size_t sharer = host_fork(h, slot);

				h->process[sharer].role = HOST_SHARER;
				h->process[sharer].segment = segment;
			}
		}
	}
	assert_true(host_is_sound(h));
}

static void run(struct watch *w, const struct host_rates *rates, uint64_t passes)
{
	for (uint64_t i = 0; i < passes; i++)
		watch_and_live(w, rates);
}

static double percent(double part, double of)
{
	return of > 0 ? 100 * part / of : 0;
}

static void print(const char *name, const struct watch *w)
{
	const struct watch_account *a = &w->account;

	print_message("%s: %zu processes, %u passes, %.3f %% CPU, %u reads (%u sliced), cost "
		      "%.2f of predicted, error %.3f %%, width %.2f %%, outside %.3f %% (far "
		      "%.3f %%, users %.3f %%), oldest %u s, deferred %u\n",
		name, w->host->living, (unsigned int)a->passes,
		percent((double)a->used_ns, (double)a->passes * (double)w->options.interval_ns),
		(unsigned int)a->reads, (unsigned int)a->slices, a->cost / a->predicted,
		percent(a->error, a->truth), percent(a->width, a->truth),
		percent((double)a->outside, (double)a->samples),
		percent((double)a->far_outside, (double)a->samples),
		percent((double)a->sums_outside, (double)a->sums),
		(unsigned int)(a->oldest_ns / SEC), (unsigned int)a->deferred[PLAN_BUDGET]);
}

/* The simulated kernel keeps its books right, whatever happens. */
static void the_host_is_sound(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct host_rates rates = many_events;
		struct host h;

		rates.pressure = 0.2;
		rates.pressure_share = 0.2;
		host_init(&h, seed);
		populate(&h, 300, 30);
		for (int i = 0; i < 100; i++) {
			host_live(&h, &rates, 1);
			assert_true(host_is_sound(&h));
		}
		assert_true(h.events > 500);
		host_done(&h);
	}
}

/* Nothing happens: the truth to the KiB, everything read once in a maximum age, evenly, for little. */
static void a_quiet_host_is_known(void **state)
{
	static const size_t counts[] = {10, 500, 3000};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		const uint64_t cycle = watch_defaults.max_age_ns / watch_defaults.interval_ns;
		const struct watch_account *a;
		struct host h;
		struct watch w;

		host_init(&h, 1 + i);
		populate(&h, counts[i], 0);
		watch_init(&w, &h, &watch_defaults);
		run(&w, &no_events, cycle);
		watch_restart_accounts(&w);
		run(&w, &no_events, 4 * cycle);
		print("quiet", &w);
		a = &w.account;
		assert_int_equal(a->outside, 0);
		assert_int_equal(a->sums_outside, 0);
		assert_true(a->error <= (double)a->samples * 1024);
		assert_true(a->oldest_ns <= watch_defaults.max_age_ns);
		assert_in_range(a->reads, 4 * h.living * 9 / 10, 4 * h.living * 6 / 5);
		/* No pass much more than its part of the reads. */
		assert_true((double)a->most_reads_ns <
			    a->cost / (double)a->passes * 3 + 2 * (double)a->longest_read_ns);
		watch_done(&w);
		host_done(&h);
	}
}

/* The budget holds at any rate, at any load, on slow hosts, from the first pass on. */
static void budgets_hold(void **state)
{
	static const uint32_t rates_ppm[] = {100, 1000, 10000, 100000};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rates_ppm); i++) {
		struct watch_options options = watch_defaults;
		uint64_t first_ns;
		struct host h;
		struct watch w;

		options.rate_ppm = rates_ppm[i];
		options.slowness = i % 2 ? 3 : 1;
		options.outliers = 50;
		options.is_blind = true;
		host_init(&h, 10 + i);
		populate(&h, 400, 40);
		watch_init(&w, &h, &options);
		run(&w, &many_events, is_long() ? 9000 : 240);
		print("budget", &w);
		/* The first pass is what it is. */
		first_ns = 440 * (WATCH_SENSE_NS + WATCH_BIRTH_NS);
		print_message("worst %.1f ms, longest read %.1f, first pass %.1f, forgiven %.1f\n",
			(double)w.account.worst_ns / 1e6, (double)w.account.longest_read_ns / 1e6,
			(double)first_ns / 1e6, (double)w.budget.forgiven_ns / 1e6);
		assert_true(w.account.worst_ns <=
			    w.account.longest_read_ns + first_ns + w.budget.forgiven_ns);
		/* And it is used, where there is so much to read. */
		if (rates_ppm[i] <= 1000)
			assert_true(w.account.deferred[PLAN_BUDGET] > 0);
		watch_done(&w);
		host_done(&h);
	}
}

/* However little there is, everything is read again in its turn. */
static void nothing_starves(void **state)
{
	static const uint32_t rates_ppm[] = {200, 500, 2000, 10000};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rates_ppm); i++) {
		struct watch_options options = watch_defaults;
		struct host h;
		struct watch w;

		options.rate_ppm = rates_ppm[i];
		options.is_blind = true;
		host_init(&h, 20 + i);
		populate(&h, 200, 40);
		watch_init(&w, &h, &options);
		/* A quarter of what passes leave, for everything in turn. */
		for (uint64_t pass = 0; pass < (is_long() ? 20000 : 600); pass++) {
			double cycle, fair;

			watch_and_live(&w, &some_events);
			cycle = 4 * (double)watch_total_ns(&w) /
			        ((double)options.interval_ns * options.rate_ppm / 1e6 -
					(double)h.living * WATCH_SENSE_NS) *
			        (double)options.interval_ns;
			fair = (double)options.max_age_ns + cycle;
			if (cycle < 0 || (double)w.account.oldest_ns > fair)
				fail_msg("%u ppm: %.0f s old, where %.0f would be fair",
					options.rate_ppm, (double)w.account.oldest_ns / 1e9,
					fair / 1e9);
			if (pass % 100 == 0)
				w.account.oldest_ns = 0;
		}
		print("starve", &w);
		/* At the default nothing is ever too old. */
		if (rates_ppm[i] == 10000)
			assert_true(w.account.oldest_ns <= options.max_age_ns);
		watch_done(&w);
		host_done(&h);
	}
}

/* The same hosts, the same events: more budget, less error. */
static void error_shrinks_as_the_budget_grows(void **state)
{
	static const uint32_t rates_ppm[] = {150, 200, 300, 500, 1000, 10000};
	double first = 0, last = 1;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rates_ppm); i++) {
		struct watch_options options = watch_defaults;
		double error = 0, width = 0, truth = 0, used_ns = 0, passes = 0;
		uint64_t oldest_ns = 0;

		if (!is_long() && (rates_ppm[i] == 500 || rates_ppm[i] == 1000))
			continue;
		options.rate_ppm = rates_ppm[i];
		for (uint64_t seed = 30; seed < (is_long() ? 40 : 33); seed++) {
			struct host h;
			struct watch w;

			host_init(&h, seed);
			populate(&h, 200, 30);
			watch_init(&w, &h, &options);
			run(&w, &some_events, 60);
			watch_restart_accounts(&w);
			run(&w, &some_events, is_long() ? 3000 : 200);
			error += w.account.error;
			width += w.account.width;
			truth += w.account.truth;
			used_ns += (double)w.account.used_ns;
			passes += (double)w.account.passes;
			if (w.account.oldest_ns > oldest_ns)
				oldest_ns = w.account.oldest_ns;
			watch_done(&w);
			host_done(&h);
		}
		print_message("budget %.3f %%: used %.3f %%, error %.3f %%, width %.2f %%, oldest "
			      "%u s\n",
			rates_ppm[i] / 1e4, percent(used_ns, passes * (double)options.interval_ns),
			percent(error, truth), percent(width, truth),
			(unsigned int)(oldest_ns / SEC));
		assert_true(error / truth < last * 1.1);
		last = error / truth;
		first = i == 0 ? last : first;
	}
	assert_true(last < first / 2);
}

/* What a mapping too large to slice costs its process: one hold in the age for giants. */
static void giants_are_held_once_an_hour(void **state)
{
	static const uint64_t giant_ages[] = {0, 3600 * SEC, 600 * SEC};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(giant_ages); i++) {
		const uint64_t passes = 1100, giants = 3;
		struct watch_options options = watch_defaults;
		uint64_t expected; /* holds of each */
		struct host h;
		struct watch w;

		options.giant_age_ns = giant_ages[i];
		host_init(&h, 50);
		populate(&h, 100, 30);
		for (uint64_t n = 0; n < giants; n++)
			host_spawn(&h, 1, n ? HOST_LEAK : HOST_IDLE, UINT64_C(4) << 18, 1);
		/* As large, but in 256 mappings: sliced. */
		host_spawn(&h, 2, HOST_LEAK, UINT64_C(4) << 18, 256);
		watch_init(&w, &h, &options);
		run(&w, &some_events, passes);
		print("giants", &w);
		expected = giant_ages[i] ? 1 + passes * options.interval_ns / giant_ages[i] : 0;
		assert_in_range(w.account.stalls, giants * expected * 9 / 10, giants * expected);
		assert_true(w.account.longest_hold_ns <= options.stall_ns);
		assert_true(w.account.slices > w.account.stalls);
		assert_true(w.account.oldest_ns <= options.max_age_ns);
		if (giant_ages[i])
			assert_true(w.account.oldest_giant_ns <=
				    giant_ages[i] + 3 * options.interval_ns);
		watch_done(&w);
		host_done(&h);
	}
}

/*
 * The daemon is stopped for an hour, the host sleeps, the clock jumps back, or there was just nothing to do;
 * then there is much to read at once: no burst, and all goes on.
 */
static void time_may_jump(void **state)
{
	static const int64_t jumps[] = {0, 3600, 86400 * 30, -3600, -5};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(jumps); i++) {
		struct watch_options options = watch_defaults;
		struct host h;
		struct watch w;

		options.rate_ppm = 2000;
		host_init(&h, 60 + i);
		h.now_ns = 7200 * SEC;
		populate(&h, 300, 40);
		watch_init(&w, &h, &options);
		run(&w, jumps[i] ? &some_events : &no_events, 200);
		h.now_ns += (uint64_t)(jumps[i] * (int64_t)SEC);
		populate(&h, 1200, 40);
		watch_restart_accounts(&w);
		w.start_ns = h.now_ns;
		run(&w, &some_events, 40);
		print("jump", &w);
		/* What a minute brings, at most, and one read. */
		assert_true(w.account.most_reads_ns <=
			    budget_capacity_ns(&w.budget) + w.account.longest_read_ns);
		assert_true(w.account.worst_ns <= w.account.longest_read_ns);
		watch_restart_accounts(&w);
		run(&w, &no_events, 40);
		print("jump", &w);
		assert_true(w.account.reads > 700);
		watch_done(&w);
		host_done(&h);
	}
}

/* Large hosts: nothing grows faster than processes do. */
static void large_hosts_are_watched(void **state)
{
	const size_t count = is_long() ? 100000 : 10000;
	struct watch_options options = watch_defaults;
	struct host h;
	struct watch w;

	(void)state;
	options.rate_ppm = (is_long() ? 12 : 5) * BUDGET_PPM_PER_PERCENT;
	options.is_blind = true;
	host_init(&h, 70);
	populate(&h, count, 5);
	watch_init(&w, &h, &options);
	run(&w, &some_events, is_long() ? 200 : 31);
	print("large", &w);
	assert_true(w.account.worst_ns <= w.account.longest_read_ns);
	/* Doubts want more than there is, so that refreshes have their half. */
	assert_true(w.account.oldest_ns <= options.max_age_ns + 3 * options.interval_ns);
	watch_done(&w);
	host_done(&h);
}

/* 13 workers of SLOT, with a segment if they are to be sharers. */
static void have_workers(struct host *h, size_t slot, enum host_role role)
{
	uint32_t segment = role == HOST_SHARER ? host_create(h, HOST_SHMEM, 16384, 16) : 0;

	host_grow(h, slot, 16384, 32);
	h->process[slot].role = HOST_SERVER;
	h->process[slot].workers = 13;
	h->process[slot].segment = segment;
	if (segment)
		host_map(h, slot, segment, 16);
	for (int i = 0; i < 13; i++) {
		size_t worker = host_fork(h, slot);

		h->process[worker].role = role;
	}
}

/*
 * One kind of event alone, at a rate that would be high: the truth lies within the bounds of the process in
 * more than 99.9 % of the samples, or less than 0.1 % beyond: so much a newborn takes from those who have mapped a
 * library below the size of segments that it maps too. And the bounds are narrow. What no counter tells, that others
 * have copied what they share, the host's sums do not tell in time to all that it concerns.
 */
static void bounds_hold_whatever_is_sensed(void **state)
{
	static const struct {
		const char *name;
		enum host_role role;
		bool is_family; /* 130 of 530 are workers of 10 servers */
		struct host_rates rates;
		/* Percent, at most: of samples; of users' PSS. */
		double outside, error, width;
	} cases[] = {
		{"allocating", HOST_ACTIVE, false, {.churn = 0.9}, 0, 0.02, 0.1},
		{"leaking", HOST_LEAK, false, {.churn = 0}, 0, 0.02, 0.1},
		{"births", HOST_IDLE, false, {.births = 4, .exec = 0.1}, 0, 0.02, 0.1},
		{"swapping", HOST_ACTIVE, false,
			{.churn = 0.9, .pressure = 0.05, .pressure_share = 0.02}, 0, 0.02, 0.1},
		{"workers ending", HOST_WORKER, true, {.leave = 0.02}, 0.05, 0.05, 8},
		{"workers writing", HOST_WORKER, true, {.write = 0.02}, 5, 0.5, 4},
		{"sharers touching", HOST_SHARER, true, {.churn = 0.02}, 0.05, 0.2, 10},
		{"mapping files", HOST_CACHE, false, {.churn = 0.1}, 0.05, 0.05, 2},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint32_t first;
		struct host h;
		struct watch w;

		host_init(&h, 80 + i);
		first = create_libraries(&h);
		for (uint32_t n = 0; n < 400; n++) {
			bool is_busy = !cases[i].is_family && n % 10 == 0;
			size_t slot = host_spawn(&h, (uint32_t)host_random(&h, 8),
				is_busy ? cases[i].role : HOST_IDLE, some_pages(&h), 8);

			map_libraries(&h, slot, first);
			if (cases[i].is_family && n % 40 == 0)
				have_workers(&h, slot, cases[i].role);
		}
		host_live(&h, &no_events, 1);
		watch_init(&w, &h, &watch_defaults);
		run(&w, &no_events, 31);
		watch_restart_accounts(&w);
		run(&w, &cases[i].rates, is_long() ? 5000 : 200);
		print(cases[i].name, &w);
		if (percent((double)w.account.far_outside, (double)w.account.samples) >
				cases[i].outside ||
			percent(w.account.error, w.account.truth) > cases[i].error ||
			percent(w.account.width, w.account.truth) > cases[i].width)
			fail_msg("%s", cases[i].name);
		watch_done(&w);
		host_done(&h);
	}
}

/* What may happen at once. SERVER has 20 workers, or none yet; they may have a segment. */
static void fork_workers(struct host *h, size_t server)
{
	h->process[server].workers = 20;
	host_live(h, &no_events, 1);
}

static void burst_write(struct host *h, size_t server)
{
	for (size_t slot = 0; slot < h->slots; slot++) {
		if (h->process[slot].parent == h->process[server].pid)
			host_write(h, slot, 16);
	}
}

static void burst_fork(struct host *h, size_t server)
{
	fork_workers(h, server);
	burst_write(h, server);
}

static void burst_exit(struct host *h, size_t server)
{
	uint32_t n = 0;

	h->process[server].workers = 10;
	for (size_t slot = 0; slot < h->slots; slot++) {
		if (h->process[slot].parent == h->process[server].pid && n++ % 2)
			host_exit(h, slot);
	}
}

static void burst_swap_out(struct host *h, size_t server)
{
	(void)server;
	host_swap_out(h, 0.3);
}

static void burst_swap_in(struct host *h, size_t server)
{
	(void)server;
	for (size_t slot = 0; slot < h->slots; slot++) {
		if (h->process[slot].pid)
			host_swap_in(h, slot, 4);
	}
}

/* Every user's PSS is within 1 % again two passes after the first that could see it. */
static void bursts_are_known_soon(void **state)
{
	static const struct {
		const char *name;
		bool has_workers, has_segment, is_swapped;
		void (*burst)(struct host *h, size_t server);
	} cases[] = {
		{"20 workers are forked and write 128 MiB each", false, false, false, burst_fork},
		{"20 workers that were read write 128 MiB each", true, false, false, burst_write},
		{"half of the workers end", true, false, false, burst_exit},
		{"half of the sharers of a segment end", true, true, false, burst_exit},
		{"swapped out", true, false, false, burst_swap_out},
		{"swapped in", true, false, true, burst_swap_in},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t server;
		struct host h;
		struct watch w;

		host_init(&h, 90 + i);
		populate(&h, 300, 0);
		server = host_spawn(&h, 3, HOST_SERVER, cases[i].has_segment ? 1024 : 131072, 64);
		if (cases[i].has_segment)
			host_map(&h, server, host_create(&h, HOST_SHMEM, 32768, 32), 32);
		if (cases[i].has_workers)
			fork_workers(&h, server);
		if (cases[i].burst == burst_exit)
			burst_write(&h, server);
		watch_init(&w, &h, &watch_defaults);
		run(&w, &no_events, 35);
		if (cases[i].is_swapped) {
			host_swap_out(&h, 0.3);
			run(&w, &no_events, 35);
		}
		cases[i].burst(&h, server);
		for (int pass = 0; pass < 3; pass++) {
			run(&w, &no_events, 1);
			print_message("%s, pass %d: worst user %.2f %% off\n", cases[i].name, pass,
				100 * w.account.worst_user);
		}
		if (w.account.worst_user > 0.01)
			fail_msg("%s: %.2f %%", cases[i].name, 100 * w.account.worst_user);
		watch_done(&w);
		host_done(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_host_is_sound),
		cmocka_unit_test(a_quiet_host_is_known),
		cmocka_unit_test(budgets_hold),
		cmocka_unit_test(nothing_starves),
		cmocka_unit_test(error_shrinks_as_the_budget_grows),
		cmocka_unit_test(bounds_hold_whatever_is_sensed),
		cmocka_unit_test(bursts_are_known_soon),
		cmocka_unit_test(giants_are_held_once_an_hour),
		cmocka_unit_test(time_may_jump),
		cmocka_unit_test(large_hosts_are_watched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
