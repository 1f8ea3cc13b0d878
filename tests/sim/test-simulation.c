/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The daemon's passes on simulated hosts: hours and days in seconds. With MEMTALLY_LONG set, more hosts,
 * larger ones, and for longer.
 */
#include "config.h"

#include "tests/unit/unit.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/number.h"
#include "tests/sim/daemon.h"

#define SEC     NS_PER_SEC
#define MSEC    NS_PER_MSEC
#define TURN_NS (2 * NS_PER_MSEC)

enum {
	LIBRARIES = 24,
	SENSE_NS = 3500, /* of a pass, for each process: more than it takes */
};

static const struct host_rates no_events = {0};

/* A day's work: one in a hundred does something else in a pass, workers come and go. */
static const struct host_rates some_events = {
	.churn = 0.9,
	.write = 0.2,
	.leave = 0.01,
	.births = 4,
	.forks = 1,
	.exec = 0.05,
};

static const struct host_rates many_events = {
	.churn = 1,
	.write = 0.7,
	.leave = 0.05,
	.births = 30,
	.forks = 6,
	.exec = 0.1,
	.pressure = 0.02,
	.pressure_share = 0.02,
};

static bool is_long(void)
{
	const char *value = getenv("MEMTALLY_LONG");

	return value && *value; /* as for the scenarios, empty is not set */
}

/* Other hosts than those of every day, with MEMTALLY_SEED. */
static uint64_t seed_of(uint64_t number)
{
	const char *value = getenv("MEMTALLY_SEED");
	uint64_t seed = 0;

	if (value && *value)
		assert_int_equal(number_parse_u64(value, strlen(value), &seed), 0);
	return number + seed * 1000;
}

/* From 64 pages to 16,384, small ones being more frequent. */
static uint64_t some_pages(struct host *h)
{
	return (UINT64_C(64) << host_random(h, 9 - host_random(h, 4))) + host_random(h, 64);
}

static void create_libraries(struct host *h)
{
	if (h->libraries > 0)
		return;
	for (uint32_t i = 0; i < LIBRARIES; i++)
		host_create(h, HOST_FILE, 64 + host_random(h, 1024), 4);
	h->libraries = LIBRARIES;
}

/*
 * COUNT processes of eight users: servers with workers, sharers of segments, idle ones, and BUSY of a
 * hundred that are active, leak or map files.
 */
static void populate(struct host *h, size_t count, uint32_t busy)
{
	create_libraries(h);

	while (h->living < count) {
		uint32_t user = (uint32_t)host_random(h, 8);
		uint64_t kind = host_random(h, 100);
		size_t slot;

		if (kind < busy) {
			static const enum host_role roles[] = {
				HOST_ACTIVE, HOST_ACTIVE, HOST_LEAK, HOST_CACHE};

			slot = host_spawn(h, user, roles[host_random(h, 4)], some_pages(h), 16);
			host_map_libraries(h, slot);
		} else if (kind < 98) {
			slot = host_spawn(h, user, HOST_IDLE, some_pages(h), 8);
			host_map_libraries(h, slot);
		} else if (kind < 99) {
			slot = host_spawn(h, user, HOST_SERVER, some_pages(h) * 4, 32);
			host_map_libraries(h, slot);
			h->process[slot].workers = 4 + (uint32_t)host_random(h, 28);
			for (uint32_t i = 0; i < h->process[slot].workers; i++)
				host_fork(h, slot);
		} else {
			uint32_t segment = host_create(h, HOST_SHMEM, some_pages(h) * 8 + 64, 16);

			slot = host_spawn(h, user, HOST_IDLE, some_pages(h), 8);
			host_map_libraries(h, slot);
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

static double percent(double part, double of)
{
	return of > 0 ? 100 * part / of : 0;
}

static void print(const char *name, const struct daemon *d)
{
	const struct daemon_account *a = &d->account;
	const struct kernel *k = &d->kernel;

	print_message(
		"%s: %zu processes, %u passes, %.3f %% CPU, %u reads, %u by slices; users' "
		"error %.3f %%, width %.2f %%; host's low %.2f %% below; sums off %.3f %%, "
		"outside %.3f %%; processes off %.3f %%, outside %.3f %% (far %.3f %%, mean %.0f KiB); oldest %u s, "
		"deferred %u, %u, %u, %u\n",
		name, d->host->living, (unsigned int)a->passes,
		percent((double)a->used_ns, (double)a->span_ns), (unsigned int)k->rollups,
		(unsigned int)k->slice_walks, percent(a->error, a->truth),
		percent(a->width, a->truth), percent(a->host_width, a->host_truth),
		percent((double)a->sums_off, (double)a->sums),
		percent((double)a->sums_outside, (double)a->sums),
		percent((double)a->off, (double)a->samples),
		percent((double)a->outside, (double)a->samples),
		percent((double)a->far_outside, (double)a->samples),
		a->outside > 0 ? a->outside_bytes / (double)a->outside / 1024 : 0,
		(unsigned int)(a->oldest_ns / SEC), (unsigned int)a->deferred[PLAN_BUDGET],
		(unsigned int)a->deferred[PLAN_STALL], (unsigned int)a->deferred[PLAN_GIANT],
		(unsigned int)a->deferred[PLAN_PRESSURE]);
}

static uint64_t walks(const struct daemon *d)
{
	return d->kernel.rollups + d->kernel.slice_walks;
}

static unsigned int failures; /* all are told, before the test ends */

static void found(const char *name, const char *what, double value, double limit)
{
	print_message("FAILS: %s: %s: %g, where %g is the limit\n", name, what, value, limit);
	failures++;
}

static void at_most(const char *name, const char *what, double value, double limit)
{
	if (value > limit)
		found(name, what, value, limit);
}

static void assert_nothing_found(void)
{
	unsigned int n = failures;

	failures = 0;
	assert_int_equal(n, 0);
}

/*
 * What holds on every host: all processes are shown, none younger than it is, within the budget. A pass has to look at
 * all that there are, whatever that takes; it is made up for, as far as that is not forgiven, but in the first pass. And a read comes with
 * what else it needs to read, at the end of a turn.
 */
static void check(const char *name, const struct daemon *d)
{
	const struct daemon_account *a = &d->account;
	double minute_ns = 60e9 * d->options.rate_ppm / 1e6;

	at_most(name, "processes without a row", (double)a->missing, 0);
	at_most(name, "rows whose age is false", (double)a->false_ages, 0);
	at_most(name, "ms by which the budget is overdrawn",
		((double)a->worst_ns - minute_ns) / 1e6,
		(double)(d->kernel.longest_read_ns + TURN_NS + a->longest_pass_ns + a->forgiven_ns +
			 a->excused_ns) /
			1e6);
	at_most(name, "holds above the stall budget", (double)d->kernel.stalls, 0);
	at_most(name, "passes in which all have less than is sure", (double)a->host_outside, 0);
}

/* How well bounds hold in a case. */
enum holding {
	HOLDS, /* the truth is within them, but for 0.1 % of the samples of processes and of sums */
	NEARLY, /* but for 0.1 % it is at least not beyond by more than a KiB and 0.1 % */
};

/* Bounds hold but for OUTSIDE percent of the samples, and are narrow: WIDTH percent. */
static void check_bounds(const char *name, const struct daemon *d, enum holding holding,
	double outside, double width)
{
	const struct daemon_account *a = &d->account;
	double far = percent((double)a->far_outside, (double)a->samples);
	double beyond = percent((double)a->outside, (double)a->samples);
	double sums = percent((double)a->sums_outside, (double)a->sums);

	if (holding == HOLDS)
		at_most(name, "% of processes out of bounds", beyond, outside);
	if (holding == NEARLY)
		at_most(name, "% of processes far out of bounds", far, outside);
	at_most(name, "% of users and programs out of bounds", sums, outside);
	at_most(name, "% width of users", percent(a->width, a->truth), width);
	at_most(name, "% of processes off by 2 % and 1 MiB",
		percent((double)a->off, (double)a->samples), 1);
	if (holding != HOLDS && beyond <= outside && sums <= outside)
		print_message("%s: holds by now\n", name);
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
		host_init(&h, seed_of(seed));
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
	static const size_t counts[] = {10, 300, 1500};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		const uint64_t cycle = daemon_defaults.max_age_ns / daemon_defaults.interval_ns;
		const struct daemon_account *a;
		struct host h;
		struct daemon d;

		host_init(&h, seed_of(1 + i));
		populate(&h, counts[i], 0);
		daemon_init(&d, &h, &daemon_defaults);
		daemon_run(&d, &no_events, cycle);
		daemon_restart_accounts(&d);
		daemon_run(&d, &no_events, 4 * cycle);
		print("quiet", &d);
		check("quiet", &d);
		check_bounds("quiet", &d, HOLDS, 0, 2);
		a = &d.account;
		assert_true(a->error <= (double)a->samples * 1024);
		assert_true(a->oldest_ns <= daemon_defaults.max_age_ns);
		assert_in_range(walks(&d), 4 * h.living * 9 / 10, 4 * h.living * 6 / 5);
		daemon_done(&d);
		host_done(&h);
	}
	assert_nothing_found();
}

/* The budget holds at any rate, at any load, on slow hosts, from the first pass on. */
static void budgets_hold(void **state)
{
	static const uint32_t rates_ppm[] = {100, 1000, 10000, 100000};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rates_ppm); i++) {
		struct daemon_options options = daemon_defaults;
		struct host h;
		struct daemon d;

		options.rate_ppm = rates_ppm[i];
		options.is_blind = true;
		host_init(&h, seed_of(10 + i));
		daemon_init(&d, &h, &options);
		d.kernel.slowness = i % 2 ? 3 : 1;
		d.kernel.outliers = 50;
		populate(&h, 200, 40);
		daemon_run(&d, &many_events, is_long() ? 1500 : 80);
		print("budget", &d);
		d.kernel.stalls = 0; /* on a slow host, before that is known */
		check("budget", &d);
		/* And it is used, where there is so much to read. */
		if (rates_ppm[i] <= 1000)
			assert_true(d.account.deferred[PLAN_BUDGET] > 0);
		daemon_done(&d);
		host_done(&h);
	}
	assert_nothing_found();
}

/*
 * However little there is, everything is measured again in its turn: of what passes leave, new ones take half, and
 * doubts half of the rest. Nothing is older than the maximum age but where it is told that the budget forbids it.
 */
static void nothing_starves(void **state)
{
	static const uint32_t rates_ppm[] = {300, 600, 2000, 10000};
	const uint64_t rounds = is_long() ? 20 : 1, passes = is_long() ? 200 : 60;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rates_ppm); i++) {
		struct daemon_options options = daemon_defaults;
		const struct daemon_account *a;
		struct host h;
		struct daemon d;

		options.rate_ppm = rates_ppm[i];
		options.is_blind = true;
		host_init(&h, seed_of(20 + i));
		populate(&h, 200, 40);
		daemon_init(&d, &h, &options);
		a = &d.account;
		daemon_run(&d, &some_events, passes);
		for (uint64_t round = 0; round < rounds; round++) {
			double rest, fair;

			daemon_restart_accounts(&d);
			daemon_run(&d, &some_events, passes);
			print("starve", &d);
			check("starve", &d);
			rest = options.rate_ppm / 1e6 - (double)a->passes_ns / (double)a->span_ns;
			fair = (double)options.max_age_ns +
			       4 * (double)daemon_total_cost_ns(&d) / rest;
			at_most("starve", "of the budget used by passes", 1 - rest, 1);
			at_most("starve", "s of age", (double)a->oldest_ns / 1e9, fair / 1e9);
			if (a->deferred[PLAN_BUDGET] == 0)
				at_most("starve", "s of age, where nothing was put off",
					(double)a->oldest_ns / 1e9,
					(double)options.max_age_ns / 1e9);
		}
		/* At the default nothing is ever too old. */
		if (rates_ppm[i] == 10000)
			at_most("starve", "put off", (double)a->deferred[PLAN_BUDGET], 0);
		daemon_done(&d);
		host_done(&h);
	}
	assert_nothing_found();
}

/* The same hosts, the same events: more budget, less error. */
static void error_shrinks_as_the_budget_grows(void **state)
{
	static const uint32_t rates_ppm[] = {150, 200, 300, 500, 1000, 10000};
	double first = 0, last = 1;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rates_ppm); i++) {
		struct daemon_options options = daemon_defaults;
		double error = 0, width = 0, truth = 0, used_ns = 0, passes = 0;
		uint64_t oldest_ns = 0;

		if (!is_long() &&
			(rates_ppm[i] == 200 || rates_ppm[i] == 500 || rates_ppm[i] == 1000))
			continue;
		options.rate_ppm = rates_ppm[i];
		for (uint64_t seed = 30; seed < (is_long() ? 34 : 32); seed++) {
			struct host h;
			struct daemon d;

			host_init(&h, seed_of(seed));
			populate(&h, 200, 30);
			daemon_init(&d, &h, &options);
			daemon_run(&d, &some_events, 31);
			daemon_restart_accounts(&d);
			daemon_run(&d, &some_events, is_long() ? 600 : 120);
			error += d.account.error;
			width += d.account.width;
			truth += d.account.truth;
			used_ns += (double)d.account.used_ns;
			passes += (double)d.account.passes;
			check("shrinks", &d);
			if (d.account.oldest_ns > oldest_ns)
				oldest_ns = d.account.oldest_ns;
			daemon_done(&d);
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
	assert_nothing_found();
}

/*
 * What a mapping too large to slice costs its process: one hold in the age for giants, none if that is 0. Their forks are
 * spoken for.
 */
static void giants_are_held_once_an_hour(void **state)
{
	static const struct {
		const char *name;
		uint64_t giant_age_ns;
		double forks;
	} cases[] = {
		{"giants, never", 0, 0},
		{"giants, an hour", 3600 * SEC, 0},
		{"giants, ten minutes", 600 * SEC, 0},
		{"giants and forks, never", 0, 0.5},
		{"giants and forks, an hour", 3600 * SEC, 0.5},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const uint64_t passes = is_long() ? 3600 : 400, giants = 3,
			       age_ns = cases[i].giant_age_ns;
		const char *name = cases[i].name;
		struct daemon_options options = daemon_defaults;
		struct host_rates rates = some_events;
		uint64_t expected; /* holds */
		struct host h;
		struct daemon d;

		options.giant_age_ns = age_ns;
		rates.forks = 0; /* before anything is known of the giants */
		host_init(&h, seed_of(50));
		populate(&h, 30, 30);
		for (uint64_t n = 0; n < giants; n++)
			host_spawn(&h, 1, n ? HOST_LEAK : HOST_IDLE, UINT64_C(4) << 18, 1);
		/* As large, but in 256 mappings, and one that takes no longer than is allowed: sliced. */
		host_spawn(&h, 2, HOST_LEAK, UINT64_C(4) << 18, 256);
		host_spawn(&h, 2, HOST_IDLE, UINT64_C(2) << 17, 64);
		daemon_init(&d, &h, &options);
		daemon_run(&d, &rates, 31);
		rates.forks = cases[i].forks;
		daemon_run(&d, &rates, passes - 31);
		print(name, &d);
		check(name, &d);
		expected = giants * (age_ns ? 1 + passes * options.interval_ns / age_ns : 0);
		/* A fork whose parent had ended before anybody saw it is nobody's. */
		at_most(name, "holds", (double)d.kernel.giant_holds,
			(double)expected + (rates.forks > 0 ? 1 : 0));
		at_most(name, "holds that there should be", (double)expected * 0.9,
			(double)d.kernel.giant_holds);
		at_most(name, "s that should be between two holds", (double)age_ns / 1e9,
			(double)d.kernel.least_giant_gap_ns / 1e9);
		/* What is predicted to take longer than 2 ms is sliced. */
		at_most(name, "ms of the longest hold", (double)d.kernel.longest_hold_ns / 1e6, 3);
		assert_true(d.kernel.slice_walks > 0);
		at_most(name, "s of age", (double)d.account.oldest_ns / 1e9,
			(double)options.max_age_ns / 1e9);
		if (age_ns && rates.forks <= 0)
			at_most(name, "s of age of giants", (double)d.account.oldest_giant_ns / 1e9,
				(double)(age_ns + 3 * options.interval_ns) / 1e9);
		daemon_done(&d);
		host_done(&h);
	}
	assert_nothing_found();
}

/* What the daemon finds at its start is known as soon as it can be walked, without a long hold; then the budget counts. */
static void what_was_there_is_known_soon(void **state)
{
	static const struct {
		const char *name;
		uint64_t pages; /* each */
		uint32_t parts, segment_pages;
		uint32_t rate_ppm;
	} cases[] = {
		{"a hundred of 1 GiB", UINT64_C(1) << 18, 256, 0, 10000},
		{"a hundred of 1 GiB, at a tenth of the budget", UINT64_C(1) << 18, 256, 0, 1000},
		{"a hundred backends, at a tenth of the budget", 2048, 16, UINT32_C(1) << 18, 1000},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct daemon_options options = daemon_defaults;
		const struct daemon_account *a;
		struct host h;
		struct daemon d;
		uint32_t segment = 0;

		options.rate_ppm = cases[i].rate_ppm;
		host_init(&h, seed_of(120 + i));
		populate(&h, 100, 0);
		if (cases[i].segment_pages)
			segment = host_create(&h, HOST_SHMEM, cases[i].segment_pages, 64);
		for (uint32_t n = 0; n < 100; n++) {
			size_t slot = host_spawn(
				&h, n % 8, HOST_IDLE, cases[i].pages, cases[i].parts);

			if (segment)
				host_map(&h, slot, segment, 64);
		}
		daemon_init(&d, &h, &options);
		d.kernel.longest_hold_ns = 0;
		daemon_run(&d, &no_events, 2);
		check(cases[i].name, &d);
		daemon_restart_accounts(&d);
		daemon_run(&d, &no_events, 20);
		print(cases[i].name, &d);
		check(cases[i].name, &d);
		a = &d.account;
		at_most(cases[i].name, "samples off", (double)a->off, 0);
		at_most(cases[i].name, "% of error", percent(a->error, a->truth), 0.1);
		at_most(cases[i].name, "% of width", percent(a->width, a->truth), 1);
		at_most(cases[i].name, "ms excused later", (double)a->excused_ns / 1e6, 0);
		daemon_done(&d);
		host_done(&h);
	}
	assert_nothing_found();
}

/*
 * The daemon is stopped for an hour or a month, the host sleeps, the wall clock jumps, or there was just nothing to
 * do; then there is much to read at once: no burst, and all goes on.
 */
static void time_may_jump(void **state)
{
	static const struct {
		int64_t stopped, suspended, wall; /* seconds */
	} jumps[] = {{0, 0, 0}, {3600, 0, 0}, {86400 * 30, 0, 0}, {0, 3600, 0}, {0, 0, -3600},
		{0, 0, 86400}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(jumps); i++) {
		struct daemon_options options = daemon_defaults;
		struct host h;
		struct daemon d;

		options.rate_ppm = 2000;
		host_init(&h, seed_of(60 + i));
		daemon_init(&d, &h, &options);
		populate(&h, 200, 40);
		daemon_run(&d, i ? &some_events : &no_events, 60);
		kernel_pass_time(&d.kernel, (uint64_t)jumps[i].stopped * SEC);
		kernel_suspend(&d.kernel, (uint64_t)jumps[i].suspended * SEC);
		d.kernel.wall_ns += jumps[i].wall * (int64_t)SEC;
		d.lived_ns = d.kernel.monotonic_ns;
		populate(&h, 400, 40);
		daemon_restart_accounts(&d);
		daemon_run(&d, &some_events, 30);
		print("jump", &d);
		/* What a minute brings, at most, and one read. */
		check("jump", &d);
		daemon_restart_accounts(&d);
		daemon_run(&d, &no_events, 30);
		print("jump", &d);
		assert_true(walks(&d) > 250);
		daemon_done(&d);
		host_done(&h);
	}
	assert_nothing_found();
}

/* Large hosts: nothing grows faster than processes do. */
static void large_hosts_are_watched(void **state)
{
	const size_t count = is_long() ? 100000 : 2000;
	struct daemon_options options = daemon_defaults;
	struct host h;
	struct daemon d;

	(void)state;
	options.rate_ppm = (is_long() ? 12 : 5) * BUDGET_PPM_PER_PERCENT;
	options.is_blind = true;
	host_init(&h, seed_of(70));
	populate(&h, count, 5);
	daemon_init(&d, &h, &options);
	daemon_run(&d, &some_events, 31);
	print("large", &d);
	check("large", &d);
	/* Doubts want more than there is, so that refreshes have their half. */
	assert_true(d.account.oldest_ns <= options.max_age_ns + 3 * options.interval_ns);
	daemon_done(&d);
	host_done(&h);
	assert_nothing_found();
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
 * One kind of event alone, at a rate that would be high. The truth of every process, user and program lies within
 * its bounds in 99.9 % of the samples, and the bounds are as narrow as is promised.
 */
static void bounds_hold_whatever_happens(void **state)
{
	static const struct {
		const char *name;
		enum host_role role;
		bool is_family; /* 130 of 530 are workers of 10 servers */
		struct host_rates rates;
		enum holding holding;
		double width, error; /* percent of users' PSS, at most */
	} cases[] = {
		{"allocating", HOST_ACTIVE, false, {.churn = 0.9}, HOLDS, 10, 0.05},
		{"leaking", HOST_LEAK, false, {.churn = 0}, HOLDS, 10, 0.05},
		{"births", HOST_IDLE, false, {.births = 4, .exec = 0.1}, HOLDS, 10, 0.1},
		{"forks and execs", HOST_IDLE, false, {.forks = 4, .exec = 0.4}, HOLDS, 10, 0.1},
		{"swapping", HOST_ACTIVE, false,
			{.churn = 0.9, .pressure = 0.05, .pressure_share = 0.02}, HOLDS, 10, 0.5},
		{"workers ending", HOST_WORKER, true, {.leave = 0.02}, HOLDS, 10, 0.1},
		{"workers writing", HOST_WORKER, true, {.write = 0.02}, HOLDS, 10, 0.1},
		{"sharers touching", HOST_SHARER, true, {.churn = 0.02}, HOLDS, 10, 0.5},
		{"mapping files", HOST_CACHE, false, {.churn = 0.1}, NEARLY, 10, 0.1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct host h;
		struct daemon d;

		host_init(&h, seed_of(80 + i));
		create_libraries(&h);
		for (uint32_t n = 0; n < 400; n++) {
			bool is_busy = !cases[i].is_family && n % 10 == 0;
			size_t slot = host_spawn(&h, (uint32_t)host_random(&h, 8),
				is_busy ? cases[i].role : HOST_IDLE, some_pages(&h), 8);

			host_map_libraries(&h, slot);
			if (cases[i].is_family && n % 40 == 0)
				have_workers(&h, slot, cases[i].role);
		}
		host_live(&h, &no_events, 1);
		daemon_init(&d, &h, &daemon_defaults);
		daemon_run(&d, &no_events, 31);
		daemon_restart_accounts(&d);
		daemon_run(&d, &cases[i].rates, is_long() ? 1000 : 60);
		print(cases[i].name, &d);
		check(cases[i].name, &d);
		check_bounds(cases[i].name, &d, cases[i].holding, 0.1, cases[i].width);
		at_most(cases[i].name, "% error of users",
			percent(d.account.error, d.account.truth), cases[i].error);
		daemon_done(&d);
		host_done(&h);
	}
	assert_nothing_found();
}

/* The shared memory of a database, and what goes on in it. */
struct database {
	const char *name;
	uint64_t mib; /* of shared memory */
	uint32_t backends;
	bool is_full;    /* one, which writes to the disk what others change, has all of it */
	bool is_partial; /* in a container: the host's sums do not tell */
	uint64_t lead;   /* passes before the daemon begins */
	struct host_rates rates;
	enum holding holding;
	double width, off; /* percent of users, and of sums, at most */
};

enum { EXTENTS_PER_MIB = 2, DATABASE_USER = 7 };

/* A postmaster and its children, of a user of their own, among others. */
static void have_database(struct host *h, const struct database *db)
{
	uint32_t segment, program;
	size_t server, writer;

	create_libraries(h);
	for (uint32_t n = 0; n < 100; n++)
		host_map_libraries(
			h, host_spawn(h, n % DATABASE_USER, HOST_IDLE, some_pages(h), 8));
	program = host_create(h, HOST_FILE, 2048, 16);
	segment = host_create(h, HOST_SHMEM, db->mib * 256, (uint32_t)db->mib * EXTENTS_PER_MIB);
	server = host_spawn(h, DATABASE_USER, HOST_SERVER, 2500, 24);
	host_map(h, server, program, 12);
	host_map_libraries(h, server);
	host_map(h, server, segment, 4);
	h->process[server].segment = segment;
	h->process[server].has_backends = true;
	writer = host_fork(h, server);
	h->process[writer].role = HOST_IDLE;
	if (db->is_full)
		host_map(h, writer, segment, UINT32_MAX);
	h->process[server].workers = db->backends + 1;
	for (uint64_t n = 0; n < db->lead; n++)
		host_live(h, &db->rates, 1);
}

/*
 * All touch the same pages, one after the other, so that each has more and counts as much as before. Bounds hold and are
 * narrow, and users and programs are within 1 %.
 */
static void databases_are_known(void **state)
{
	static const struct database cases[] = {
		{"a database that is being filled", 256, 30, false, false, 2,
			{.churn = 0.5, .touches = 4}, HOLDS, 12, 1},
		{"a database, full", 256, 30, true, false, 30, {.churn = 0.5, .touches = 4}, HOLDS,
			10, 0},
		{"a database, full, in a container", 256, 30, true, true, 30,
			{.churn = 0.5, .touches = 4}, HOLDS, 10, 0},
		{"a database, connections come and go", 256, 30, true, false, 30,
			{.churn = 0.5, .touches = 40, .leave = 0.02}, HOLDS, 10, 3},
		{"a large database that is being filled", 1024, 100, false, false, 2,
			{.churn = 0.5, .touches = 12}, HOLDS, 10, 0},
		{"a large database", 1024, 100, true, false, 30, {.churn = 0.5, .touches = 12},
			HOLDS, 10, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct daemon_options options = daemon_defaults;
		struct host h;
		struct daemon d;

		options.is_partial = cases[i].is_partial;
		host_init(&h, seed_of(130 + i));
		have_database(&h, &cases[i]);
		daemon_init(&d, &h, &options);
		daemon_run(&d, &cases[i].rates, 31);
		daemon_restart_accounts(&d);
		daemon_run(&d, &cases[i].rates, is_long() ? 600 : 60);
		print(cases[i].name, &d);
		check(cases[i].name, &d);
		check_bounds(cases[i].name, &d, cases[i].holding, 0.1, cases[i].width);
		at_most(cases[i].name, "% of sums that are off by 1 %",
			percent((double)d.account.sums_off, (double)d.account.sums), cases[i].off);
		daemon_done(&d);
		host_done(&h);
	}
	assert_nothing_found();
}

/* All of it at once, on hosts of a hundred and of five hundred. */
static void an_ordinary_day(void **state)
{
	static const size_t counts[] = {100, 500};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		struct host h;
		struct daemon d;

		host_init(&h, seed_of(100 + i));
		populate(&h, counts[i], 10);
		daemon_init(&d, &h, &daemon_defaults);
		daemon_run(&d, &some_events, 31);
		daemon_restart_accounts(&d);
		daemon_run(&d, &some_events, is_long() ? 864000 / counts[i] : 60);
		print("day", &d);
		check("day", &d);
		check_bounds("day", &d, HOLDS, 0.1, 25);
		at_most("day", "s of age", (double)d.account.oldest_ns / 1e9, 300);
		daemon_done(&d);
		host_done(&h);
	}
	assert_nothing_found();
}

/* Where the host is short of memory, little is measured; nobody is left out, and what was put off is made up for. */
static void pressure_is_heeded(void **state)
{
	struct host h;
	struct daemon d;
	uint64_t calm;

	(void)state;
	host_init(&h, seed_of(110));
	populate(&h, 300, 40);
	daemon_init(&d, &h, &daemon_defaults);
	daemon_run(&d, &some_events, 60);
	daemon_restart_accounts(&d);
	daemon_run(&d, &some_events, 30);
	print("calm", &d);
	check("calm", &d);
	assert_int_equal(d.account.deferred[PLAN_PRESSURE], 0);
	calm = walks(&d);
	h.pressure = 5000; /* half of the time */
	daemon_restart_accounts(&d);
	daemon_run(&d, &some_events, 30);
	print("pressure", &d);
	check("pressure", &d);
	assert_true(d.account.deferred[PLAN_PRESSURE] > 0);
	assert_true(walks(&d) < calm);
	at_most("pressure", "s of age", (double)d.account.oldest_ns / 1e9, 300);
	h.pressure = 0;
	daemon_run(&d, &some_events, 3);
	daemon_restart_accounts(&d);
	daemon_run(&d, &some_events, 30);
	print("relief", &d);
	check("relief", &d);
	assert_int_equal(d.account.deferred[PLAN_PRESSURE], 0);
	daemon_done(&d);
	host_done(&h);
	assert_nothing_found();
}

/* With descriptors for a few of the processes all are seen as well, and no more are open than may be. */
static void few_descriptors_suffice(void **state)
{
	static const size_t most[] = {400, 80};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(most); i++) {
		struct daemon_options options = daemon_defaults;
		struct host h;
		struct daemon d;

		host_init(&h, seed_of(120));
		populate(&h, 300, 40);
		options.max_fds = most[i];
		daemon_init(&d, &h, &options);
		daemon_run(&d, &some_events, 40);
		print("descriptors", &d);
		check("descriptors", &d);
		at_most("descriptors", "open", (double)d.vfs.most_open_files, (double)most[i]);
		at_most("descriptors", "s of age", (double)d.account.oldest_ns / 1e9, 300);
		daemon_done(&d);
		host_done(&h);
	}
	assert_nothing_found();
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
		struct daemon d;

		host_init(&h, seed_of(90 + i));
		populate(&h, 300, 0);
		server = host_spawn(&h, 3, HOST_SERVER, cases[i].has_segment ? 1024 : 131072, 64);
		if (cases[i].has_segment)
			host_map(&h, server, host_create(&h, HOST_SHMEM, 32768, 32), 32);
		if (cases[i].has_workers)
			fork_workers(&h, server);
		if (cases[i].burst == burst_exit)
			burst_write(&h, server);
		daemon_init(&d, &h, &daemon_defaults);
		daemon_run(&d, &no_events, 35);
		if (cases[i].is_swapped) {
			host_swap_out(&h, 0.3);
			daemon_run(&d, &no_events, 35);
		}
		cases[i].burst(&h, server);
		for (int pass = 0; pass < 3; pass++) {
			daemon_run(&d, &no_events, 1);
			print_message("%s, pass %d: worst sum %.2f %% off\n", cases[i].name, pass,
				100 * d.account.worst_sum);
		}
		at_most(cases[i].name, "% error of the worst user or program",
			100 * d.account.worst_sum, 1);
		daemon_done(&d);
		host_done(&h);
	}
	assert_nothing_found();
}

/* COUNT newcomers of 10 MiB, of whom nobody shares anything, in place of as many of those before, if there are MOST. */
static void let_come(struct host *h, size_t count, size_t most)
{
	size_t gone = 0;

	for (size_t slot = 0; h->living > most && slot < h->slots && gone < count; slot++)
		if (h->process[slot].pid && h->process[slot].role == HOST_CACHE) {
			host_exit(h, slot);
			gone++;
		}
	for (size_t i = 0; i < count; i++)
		host_spawn(h, 2, HOST_CACHE, 2560, 4);
}

/*
 * The workers of the largest server write half of what they have from it, 3 GiB in all, while so many others come and go
 * that the budget does not suffice for them: it is found all the same, as soon as its walks can be paid for.
 */
static void a_large_burst_is_found_among_births(void **state)
{
	enum { NEWCOMERS = 750, MOST = 1400, LATE = 5 };
	struct daemon_options options = daemon_defaults;
	size_t server;
	struct host h;
	struct daemon d;

	(void)state;
	options.rate_ppm = BUDGET_PPM_PER_PERCENT / 2;
	host_init(&h, seed_of(300));
	populate(&h, 300, 0);
	server = host_spawn(&h, 3, HOST_SERVER, 393216, 192);
	h.process[server].workers = 4;
	host_live(&h, &no_events, 1);
	daemon_init(&d, &h, &options);
	daemon_run(&d, &no_events, 35);
	for (int pass = 0; pass < 15; pass++) {
		let_come(&h, NEWCOMERS, MOST);
		daemon_run(&d, &no_events, 1);
	}
	for (size_t slot = 0; slot < h.slots; slot++)
		if (h.process[slot].parent == h.process[server].pid)
			host_write(&h, slot, 96);
	for (int pass = 0; pass <= LATE; pass++) {
		let_come(&h, NEWCOMERS, MOST);
		daemon_run(&d, &no_events, 1);
		print_message("a burst among births, pass %d: worst sum %.2f %% off\n", pass,
			100 * d.account.worst_sum);
	}
	at_most("a burst among births", "% error of the worst user or program",
		100 * d.account.worst_sum, 5);
	daemon_done(&d);
	host_done(&h);
	assert_nothing_found();
}

/* In extents of 4 MiB, of which each worker writes one in two steps: 80 MiB a second. */
enum { EXTENT_MIB = 4, EXTENTS = 512 / EXTENT_MIB, WORKERS = 20 };

/* A server of 512 MiB, or with a segment of 256, and what becomes of its workers. */
struct slow_burst {
	const char *name;
	uint32_t workers, forks,
		writers; /* that there are, that there will be, who of them write */
	uint32_t mib;    /* that each of those writes */
	uint32_t exits;
	bool has_segment;
	uint32_t out, in; /* steps in which pages go to swap, and come back */
};

/* One that takes a while, so that passes and walks come in between. */
struct under_way {
	const struct slow_burst *burst;
	size_t server, worker[WORKERS];
	uint32_t workers, exits, written[WORKERS];
	uint32_t wait, step; /* until it begins, since then */
};

static bool is_over(const struct under_way *u)
{
	for (uint32_t i = 0; i < u->burst->writers; i++)
		if (u->written[i] * EXTENT_MIB < u->burst->mib)
			return false;
	return u->workers >= u->burst->forks && u->exits == u->burst->exits &&
	       u->step >= u->burst->out && u->step >= u->burst->in;
}

static void go_on(struct host *h, void *data)
{
	struct under_way *u = data;

	if (u->wait > 0) {
		u->wait--;
		return;
	}
	u->step++;
	if (u->workers < u->burst->forks)
		u->worker[u->workers++] = host_fork(h, u->server);
	for (uint32_t i = 0; i < u->workers && i < u->burst->writers; i++)
		if ((i + u->step) % 2 == 0 && u->written[i] * EXTENT_MIB < u->burst->mib)
			host_write_at(h, u->worker[i], u->written[i]++, 1);
	if (u->step <= u->burst->out)
		host_swap_out(h, 0.01);
	for (size_t slot = 0; slot < h->slots && u->step <= u->burst->in; slot++)
		if (h->process[slot].pid)
			host_swap_in(h, slot, 1);
	if (u->exits < u->burst->exits)
		host_exit(h, u->worker[2 * u->exits++]);
}

/* BURST begins WAIT steps after a pass. */
static void follow_slow_burst(const struct slow_burst *burst, uint32_t wait, uint64_t seed)
{
	static const struct daemon_options often = {
		.interval_ns = SEC,
		.max_age_ns = 30 * SEC,
		.giant_age_ns = 3600 * SEC,
		.stall_ns = 20 * MSEC,
		.rate_ppm = 10 * BUDGET_PPM_PER_PERCENT,
		.max_fds = 524288,
	};
	enum { PASSES = 4 };
	struct under_way u = {.burst = burst, .wait = wait};
	double worst[PASSES];
	uint64_t outside;
	struct host h;
	struct daemon d;

	host_init(&h, seed);
	populate(&h, 300, 0);
	u.server = host_spawn(&h, 3, HOST_IDLE, burst->has_segment ? 1024 : 131072, EXTENTS);
	if (burst->has_segment)
		host_map(&h, u.server, host_create(&h, HOST_SHMEM, 65536, 64), 64);
	for (; u.workers < burst->workers; u.workers++) {
		u.worker[u.workers] = host_fork(&h, u.server);
		if (burst->exits && !burst->has_segment)
			host_write_at(&h, u.worker[u.workers], 0, EXTENTS / 4);
	}
	daemon_init(&d, &h, &often);
	daemon_run(&d, &no_events, 35);
	if (burst->in) {
		host_swap_out(&h, 0.3);
		daemon_run(&d, &no_events, 35);
	}
	daemon_restart_accounts(&d);
	d.happens = go_on;
	d.data = &u;
	while (!is_over(&u))
		daemon_run(&d, &no_events, 1);
	outside = d.account.sums_outside;
	for (int pass = 0; pass < PASSES; pass++) {
		daemon_run(&d, &no_events, 1);
		worst[pass] = 100 * d.account.worst_large;
	}
	outside = d.account.sums_outside - outside;
	print_message("%s, %u ms after a pass: worst sums %.2f %%, %.2f %%, %.2f %%, %.2f %% off, "
		      "%u sums outside, %u walks\n",
		burst->name, 25 * wait, worst[0], worst[1], worst[2], worst[3],
		(unsigned int)outside, (unsigned int)walks(&d));
	for (int pass = 1; pass < PASSES; pass++)
		at_most(burst->name, "% error of the worst user or program", worst[pass], 1);
	daemon_done(&d);
	host_done(&h);
}

/* As above, whenever it begins and however long it takes. */
static void slow_bursts_are_known_soon(void **state)
{
	static const struct slow_burst bursts[] = {
		{"20 workers are forked and write", 0, 20, 20, 128, 0, false},
		{"20 workers write", 20, 20, 20, 128, 0, false},
		{"one of 4 workers writes", 4, 4, 1, 512, 0, false},
		{"one of 20 workers writes", 20, 20, 1, 512, 0, false},
		{"3 of 20 workers write", 20, 20, 3, 512, 0, false},
		{"half of 20 workers end", 20, 20, 0, 0, 10, false},
		{"half of 20 sharers end", 20, 20, 0, 0, 10, true},
		{"20 workers go to swap", 20, 20, 0, 0, 0, false, 50, 0},
		{"20 workers come back", 20, 20, 0, 0, 0, false, 0, 50},
		{"20 workers with memory of their own go to swap", 20, 20, 0, 0, 1, false, 50, 0},
		{"20 workers with memory of their own come back", 20, 20, 0, 0, 1, false, 0, 50},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bursts); i++)
		for (uint32_t wait = 0; wait < 40; wait += is_long() ? 1 : 12)
			follow_slow_burst(&bursts[i], wait, seed_of(90 + i));
	assert_nothing_found();
}

/* Of a pattern, only the tests that fit it. */
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_host_is_sound),
		cmocka_unit_test(a_quiet_host_is_known),
		cmocka_unit_test(budgets_hold),
		cmocka_unit_test(nothing_starves),
		cmocka_unit_test(error_shrinks_as_the_budget_grows),
		cmocka_unit_test(bounds_hold_whatever_happens),
		cmocka_unit_test(databases_are_known),
		cmocka_unit_test(an_ordinary_day),
		cmocka_unit_test(pressure_is_heeded),
		cmocka_unit_test(few_descriptors_suffice),
		cmocka_unit_test(bursts_are_known_soon),
		cmocka_unit_test(a_large_burst_is_found_among_births),
		cmocka_unit_test(slow_bursts_are_known_soon),
		cmocka_unit_test(what_was_there_is_known_soon),
		cmocka_unit_test(giants_are_held_once_an_hour),
		cmocka_unit_test(time_may_jump),
		cmocka_unit_test(large_hosts_are_watched),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
