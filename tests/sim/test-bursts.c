/* SPDX-License-Identifier: Apache-2.0 */
/* How soon passes on simulated hosts find what has happened at once, or within a short time. */
#include "config.h"

#include "tests/unit/unit.h"

#include "base/clock.h"
#include "tests/sim/population.h"
#include "tests/sim/verdict.h"

/* What may happen at once. SERVER has 20 workers, or none yet; they may have a segment. */
static void fork_workers(struct host *h, size_t server)
{
	h->process[server].workers = 20;
	host_live(h, &population_no_events, 1);
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

		host_init(&h, population_seed(90 + i));
		population_grow(&h, 300, 0);
		server = host_spawn(&h, 3, HOST_SERVER, cases[i].has_segment ? 1024 : 131072, 64);
		if (cases[i].has_segment)
			host_map(&h, server, host_create(&h, HOST_SHMEM, 32768, 32), 32);
		if (cases[i].has_workers)
			fork_workers(&h, server);
		if (cases[i].burst == burst_exit)
			burst_write(&h, server);
		daemon_init(&d, &h, &daemon_defaults);
		daemon_run(&d, &population_no_events, 35);
		if (cases[i].is_swapped) {
			host_swap_out(&h, 0.3);
			daemon_run(&d, &population_no_events, 35);
		}
		cases[i].burst(&h, server);
		for (int pass = 0; pass < 3; pass++) {
			daemon_run(&d, &population_no_events, 1);
			print_message("%s, pass %d: worst sum %.2f %% off\n", cases[i].name, pass,
				100 * d.account.worst_sum);
		}
		verdict_at_most(cases[i].name, "% error of the worst user or program",
			100 * d.account.worst_sum, 1);
		daemon_done(&d);
		host_done(&h);
	}
	verdict_assert();
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
	host_init(&h, population_seed(300));
	population_grow(&h, 300, 0);
	server = host_spawn(&h, 3, HOST_SERVER, 393216, 192);
	h.process[server].workers = 4;
	host_live(&h, &population_no_events, 1);
	daemon_init(&d, &h, &options);
	daemon_run(&d, &population_no_events, 35);
	for (int pass = 0; pass < 15; pass++) {
		let_come(&h, NEWCOMERS, MOST);
		daemon_run(&d, &population_no_events, 1);
	}
	for (size_t slot = 0; slot < h.slots; slot++)
		if (h.process[slot].parent == h.process[server].pid)
			host_write(&h, slot, 96);
	for (int pass = 0; pass <= LATE; pass++) {
		let_come(&h, NEWCOMERS, MOST);
		daemon_run(&d, &population_no_events, 1);
		print_message("a burst among births, pass %d: worst sum %.2f %% off\n", pass,
			100 * d.account.worst_sum);
	}
	verdict_at_most("a burst among births", "% error of the worst user or program",
		100 * d.account.worst_sum, 5);
	daemon_done(&d);
	host_done(&h);
	verdict_assert();
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

/* BURST begins WAIT steps after a pass. What the worst user or program is off after two intervals, in percent. */
static double follow_slow_burst(const struct slow_burst *burst, uint32_t wait, uint64_t seed)
{
	static const struct daemon_options often = {
		.interval_ns = NS_PER_SEC,
		.max_age_ns = 30 * NS_PER_SEC,
		.giant_age_ns = 3600 * NS_PER_SEC,
		.stall_ns = 20 * NS_PER_MSEC,
		.rate_ppm = 10 * BUDGET_PPM_PER_PERCENT,
		.max_fds = 524288,
	};
	enum { PASSES = 4 };
	struct under_way u = {.burst = burst, .wait = wait};
	double worst[PASSES], late = 0;
	uint64_t outside;
	struct host h;
	struct daemon d;

	host_init(&h, seed);
	population_grow(&h, 300, 0);
	u.server = host_spawn(&h, 3, HOST_IDLE, burst->has_segment ? 1024 : 131072, EXTENTS);
	if (burst->has_segment)
		host_map(&h, u.server, host_create(&h, HOST_SHMEM, 65536, 64), 64);
	for (; u.workers < burst->workers; u.workers++) {
		u.worker[u.workers] = host_fork(&h, u.server);
		if (burst->exits && !burst->has_segment)
			host_write_at(&h, u.worker[u.workers], 0, EXTENTS / 4);
	}
	daemon_init(&d, &h, &often);
	daemon_run(&d, &population_no_events, 35);
	if (burst->in) {
		host_swap_out(&h, 0.3);
		daemon_run(&d, &population_no_events, 35);
	}
	daemon_restart_accounts(&d);
	d.happens = go_on;
	d.data = &u;
	while (!is_over(&u))
		daemon_run(&d, &population_no_events, 1);
	outside = d.account.sums_outside;
	for (int pass = 0; pass < PASSES; pass++) {
		daemon_run(&d, &population_no_events, 1);
		worst[pass] = 100 * d.account.worst_large;
	}
	outside = d.account.sums_outside - outside;
	print_message("%s, %u ms after a pass: worst sums %.2f %%, %.2f %%, %.2f %%, %.2f %% off, "
		      "%u sums outside, %u walks\n",
		burst->name, 25 * wait, worst[0], worst[1], worst[2], worst[3],
		(unsigned int)outside, (unsigned int)verdict_walks(&d));
	for (int pass = 1; pass < PASSES; pass++)
		late = worst[pass] > late ? worst[pass] : late;
	daemon_done(&d);
	host_done(&h);
	return late;
}

/*
 * As above, whenever it begins and however long it takes: but for one in a hundred, which an estimate takes for less than it is
 * until its turn comes to be measured.
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

	const uint32_t step = extent_is_long() ? 1 : 12;
	double worst = 0;
	unsigned int all = 0, late = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bursts); i++)
		for (uint32_t wait = 0; wait < 40; wait += step) {
			double off = follow_slow_burst(&bursts[i], wait, population_seed(90 + i));

			all++;
			late += off > 1;
			worst = off > worst ? off : worst;
		}
	print_message(
		"%u of %u bursts are more than 1 %% off after two intervals, at most %.2f %%\n",
		late, all, worst);
	verdict_at_most("slow bursts", "% of them are not known after two intervals",
		verdict_percent(late, all), 1);
	verdict_at_most(
		"slow bursts", "% error of the worst user or program after these", worst, 2);
	verdict_assert();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bursts_are_known_soon),
		cmocka_unit_test(a_large_burst_is_found_among_births),
		cmocka_unit_test(slow_bursts_are_known_soon),
	};

	verdict_choose(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
