/* SPDX-License-Identifier: Apache-2.0 */
/* How soon passes on simulated hosts find events that happen at once or within a short time. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"
#include "tests/sim/host/population.h"
#include "tests/sim/verdict.h"

/* Bursts. SERVER has 20 workers, or none yet; they may map a segment. */
static void fork_workers(struct host *h, size_t server)
{
	h->process[server].workers = 20;
	host_live(h, &population_no_events, 1);
}

static bool is_child(const struct host *h, size_t slot, size_t parent)
{
	return host_is_alive(&h->process[slot]) &&
	       h->process[slot].parent == h->process[parent].pid;
}

static void burst_write(struct host *h, size_t server)
{
	for (size_t slot = 0; slot < h->slots; slot++) {
		if (is_child(h, slot, server))
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
		if (is_child(h, slot, server) && n++ % 2)
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
		if (host_is_alive(&h->process[slot]))
			host_swap_in(h, slot, 4);
	}
}

struct burst {
	const char *name;
	bool has_workers, has_segment, is_swapped;
	void (*happen)(struct host *h, size_t server);
};

/*
 * Returns the largest error of a user or program two passes after the first that could detect B, in
 * percent.
 */
static double follow_burst(
	const struct burst *b, const struct daemon_options *options, uint64_t seed)
{
	size_t server;
	struct host h;
	struct daemon d;
	double off;

	host_init(&h, seed);
	population_grow(&h, 100, 0);
	server = host_spawn(&h, 3, HOST_SERVER, b->has_segment ? 1024 : 131072, 64);
	if (b->has_segment)
		host_map(&h, server, host_create(&h, HOST_SHMEM, 32768, 32), 32);
	if (b->has_workers)
		fork_workers(&h, server);
	if (b->happen == burst_exit)
		burst_write(&h, server);
	daemon_init(&d, &h, options);
	daemon_run(&d, &population_no_events, 35);
	if (b->is_swapped) {
		host_swap_out(&h, 0.3);
		daemon_run(&d, &population_no_events, 35);
	}
	b->happen(&h, server);
	daemon_run(&d, &population_no_events, 3);
	off = 100 * d.account.worst_sum;
	daemon_done(&d);
	host_done(&h);
	return off;
}

/*
 * Every user's and program's PSS is within 1 % two passes after the first that could detect the
 * burst: p95 over the seeds.
 */
static void bursts_are_known_soon(void **state)
{
	static const struct burst bursts[] = {
		{"20 workers are forked and write 128 MiB each", false, false, false, burst_fork},
		{"20 workers that were read write 128 MiB each", true, false, false, burst_write},
		{"half of the workers end", true, false, false, burst_exit},
		{"half of the sharers of a segment end", true, true, false, burst_exit},
		{"swapped out", true, false, false, burst_swap_out},
		{"swapped in", true, false, true, burst_swap_in},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bursts); i++) {
		struct spread off = {0};

		for (uint64_t seed = 0; seed < population_seeds(); seed++)
			spread_add(&off, follow_burst(&bursts[i], &daemon_defaults,
						 population_seed(90 + i, seed)));
		verdict_p95(bursts[i].name, "error of the worst user or program", "%", &off, 1);
	}
	verdict_assert();
}

/*
 * Half of the workers exit, and the budget is too small to measure all others. The measured ones
 * show how far off the estimates of the others are. In eight runs the median was 0.66 to 0.89 %,
 * and without such corrections 4.1 to 4.4 %.
 */
static void measurements_correct_others(void **state)
{
	static const struct burst burst = {
		"half of the workers end, at a small budget", true, false, false, burst_exit};
	struct daemon_options options = daemon_defaults;
	struct spread off = {0};

	(void)state;
	options.rate_ppm = 500;
	options.spare_ppm = 0;
	for (uint64_t seed = 0; seed < population_seeds(); seed++)
		spread_add(&off, follow_burst(&burst, &options, population_seed(92, seed)));
	verdict_mean(burst.name, "error of the worst user or program", "%", &off, 10);
	verdict_at_most(burst.name, "% of error of the worst user or program, median",
		spread_quantile(&off, 0.5), 1.8);
	verdict_assert();
}

enum { NEWCOMERS = 2, MOST = 1400 };

/* In each 10 s 800 new processes of 10 MiB, which share nothing, replace as many older ones. */
static void let_come(struct host *h, void *data)
{
	size_t gone = 0;

	(void)data;
	for (size_t slot = 0; h->living > MOST && slot < h->slots && gone < NEWCOMERS; slot++)
		if (host_is_alive(&h->process[slot]) && h->process[slot].role == HOST_CACHE) {
			host_exit(h, slot);
			gone++;
		}
	for (size_t i = 0; i < NEWCOMERS; i++)
		host_spawn(h, 2, HOST_CACHE, 2560, 4);
}

/*
 * Returns the largest error of a user or program five passes after a burst of 3 GiB among births
 * and exits, in percent. *RET_ERROR becomes the error of users in all passes since the burst, in
 * percent.
 */
static double follow_large_burst(uint64_t seed, double *ret_error)
{
	struct daemon_options options = daemon_defaults;
	size_t server;
	struct host h;
	struct daemon d;
	double off;

	options.rate_ppm = CPU_BUDGET_PPM_PER_PERCENT / 2;
	host_init(&h, seed);
	population_grow(&h, 100, 0);
	server = host_spawn(&h, 3, HOST_SERVER, 393216, 192);
	h.process[server].workers = 4;
	host_live(&h, &population_no_events, 1);
	daemon_init(&d, &h, &options);
	daemon_run(&d, &population_no_events, 35);
	d.happens = let_come;
	daemon_run(&d, &population_no_events, 10);
	daemon_restart_accounts(&d);
	for (size_t slot = 0; slot < h.slots; slot++)
		if (is_child(&h, slot, server))
			host_write(&h, slot, 96);
	daemon_run(&d, &population_no_events, 6);
	off = 100 * d.account.worst_sum;
	*ret_error = verdict_percent(d.account.error, d.account.truth);
	daemon_done(&d);
	host_done(&h);
	return off;
}

/*
 * The workers of the largest server write to half of the memory that they share with it. So many
 * other processes come and go that the budget does not suffice for them. memtallyd still finds the
 * burst as soon as it can pay for the walks. In the mean over these passes users are 2.9 % off in
 * three runs, and 5.2 to 5.4 % off if the faults of the processes that share most are not read in
 * each pass.
 */
static void a_large_burst_is_found_among_births(void **state)
{
	struct spread off = {0}, errors = {0};

	(void)state;
	for (uint64_t seed = 0; seed < population_seeds(); seed++) {
		double error;

		spread_add(&off, follow_large_burst(population_seed(300, seed), &error));
		spread_add(&errors, error);
	}
	verdict_p95("a burst among births", "error of the worst user or program", "%", &off, 5);
	verdict_mean("a burst among births", "error of users", "%", &errors, 4);
	verdict_assert();
}

/* Extents of 4 MiB. Each worker writes one in two steps: 80 MiB a second. */
enum { EXTENT_MIB = 4, EXTENTS = 512 / EXTENT_MIB, WORKERS = 20 };

/* A server of 512 MiB, or with a segment of 256 MiB, and events of its workers. */
struct slow_burst {
	const char *name;
	uint32_t workers, forks,
		writers; /* workers at the start, workers at the end, workers that write */
	uint32_t mib;    /* that each of the writers writes */
	uint32_t exits;
	bool has_segment;
	uint32_t out, in; /* steps in which pages go to swap, and come back */
};

/* A burst that takes a while, so that passes and walks happen in between. */
struct under_way {
	const struct slow_burst *burst;
	size_t server, worker[WORKERS];
	uint32_t workers, exits, written[WORKERS];
	uint32_t wait, step; /* steps until it begins, and since then */
};

static bool is_over(const struct host *h, const struct under_way *u)
{
	if (h->remaining > 0)
		return false; /* exited workers still have memory */
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
		if (host_is_alive(&h->process[slot]))
			host_swap_in(h, slot, 1);
	if (u->exits < u->burst->exits)
		host_exit(h, u->worker[2 * u->exits++]);
}

/*
 * BURST begins WAIT steps after a pass, on a machine with LOAD. Returns the largest error of a user
 * or program after two intervals, in percent.
 */
static double follow_slow_burst(
	const struct slow_burst *burst, uint32_t wait, double load, uint64_t seed)
{
	static const struct daemon_options often = {
		.interval_ns = NS_PER_SEC,
		.max_age_ns = 30 * NS_PER_SEC,
		.giant_age_ns = 3600 * NS_PER_SEC,
		.stall_ns = 20 * NS_PER_MSEC,
		.rate_ppm = 10 * CPU_BUDGET_PPM_PER_PERCENT,
		.max_fds = 524288,
	};
	enum { PASSES = 4 };
	struct under_way u = {.burst = burst, .wait = wait};
	double late = 0;
	struct host h;
	struct daemon d;

	host_init(&h, seed);
	population_grow(&h, 100, 0);
	u.server = host_spawn(&h, 3, HOST_IDLE, burst->has_segment ? 1024 : 131072, EXTENTS);
	if (burst->has_segment)
		host_map(&h, u.server, host_create(&h, HOST_SHMEM, 65536, 64), 64);
	for (; u.workers < burst->workers; u.workers++) {
		u.worker[u.workers] = host_fork(&h, u.server);
		if (burst->exits && !burst->has_segment)
			host_write_at(&h, u.worker[u.workers], 0, EXTENTS / 4);
	}
	daemon_init(&d, &h, &often);
	daemon_load(&d, load);
	daemon_run(&d, &population_no_events, 35);
	if (burst->in) {
		host_swap_out(&h, 0.3);
		daemon_run(&d, &population_no_events, 35);
	}
	daemon_restart_accounts(&d);
	d.happens = go_on;
	d.data = &u;
	while (!is_over(&h, &u))
		daemon_run(&d, &population_no_events, 1);
	for (int pass = 0; pass < PASSES; pass++) {
		double off;

		daemon_run(&d, &population_no_events, 1);
		off = 100 * d.account.worst_large;
		late = pass > 0 && off > late ? off : late;
	}
	daemon_done(&d);
	host_done(&h);
	return late;
}

/*
 * The same for bursts that begin at any moment of a pass and take some time, every other one on a
 * loaded machine. A new estimate may be wrong until the process is measured. With a confidence of
 * 99 %, fewer than 4 in a hundred bursts are off by more than 1 % after two intervals. Over the
 * seeds, p95 of the worst error of all bursts is at most 2 %.
 */
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

	const uint64_t seeds = population_seeds();
	struct spread worst = {0};
	size_t all = 0, late = 0;

	(void)state;
	for (uint64_t seed = 0; seed < seeds; seed++) {
		double worst_off = 0;

		for (size_t i = 0; i < ARRAY_SIZE(bursts); i++) {
			/* All moments of a pass, in another order for each burst. */
			uint32_t wait = (uint32_t)((seed * 40 / seeds + 7 * i) % 40);
			double off = follow_slow_burst(
				&bursts[i], wait, seed % 2 ? 5 : 1, population_seed(90 + i, seed));

			all++;
			late += off > 1;
			worst_off = off > worst_off ? off : worst_off;
			if (off > 1)
				print_message("%s, %u ms after a pass, seed %u: %.2f %% off\n",
					bursts[i].name, 25 * wait, (unsigned int)seed, off);
		}
		spread_add(&worst, worst_off);
	}
	print_message("%zu of %zu bursts are more than 1 %% off after two intervals\n", late, all);
	verdict_at_most("slow bursts",
		"% of them are not known after two intervals, with 99 % confidence",
		100 * spread_upper_part(late, all), 4);
	verdict_p95("slow bursts", "error of the worst user or program", "%", &worst, 2);
	verdict_assert();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bursts_are_known_soon),
		cmocka_unit_test(measurements_correct_others),
		cmocka_unit_test(a_large_burst_is_found_among_births),
		cmocka_unit_test(slow_bursts_are_known_soon),
	};

	verdict_choose(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
