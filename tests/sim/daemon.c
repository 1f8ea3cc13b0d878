/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/sim/daemon.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "collectors/pass-state.h"
#include "tests/sim/calls.h"

#define BATCH_NS      (5 * NS_PER_MSEC)              /* as the daemon's */
#define LIFE_STEP_NS  (10 * NS_PER_SEC / LIFE_STEPS) /* rates are chances in all of them */
#define LATE_NS       (10 * NS_PER_MSEC)             /* between the walk and its time stamp */
#define GIANT_PAGE_NS 27

const struct daemon_options daemon_defaults = {
	.interval_ns = 10 * NS_PER_SEC,
	.max_age_ns = 300 * NS_PER_SEC,
	.giant_age_ns = 3600 * NS_PER_SEC,
	.stall_ns = 20 * NS_PER_MSEC,
	.rate_ppm = BUDGET_PPM_PER_PERCENT,
	.max_fds = 524288,
};

enum { LIFE_STEPS = 8 };

static void must(bool is_so)
{
	if (!is_so)
		abort();
}

void daemon_init(struct daemon *d, struct host *h, const struct daemon_options *options)
{
	const struct pass_options o = {
		.procfs = CALLS_PROC,
		.version = "simulated",
		.interval_ns = options->interval_ns,
		.is_adaptive = true,
		.budget_cpu_ppm = options->rate_ppm,
		.max_age_ns = options->max_age_ns,
		.stall_ns = options->stall_ns,
		.giant_age_ns = options->giant_age_ns,
		.export_owners[0 ... OWNER_KINDS - 1] = 100,
		.export_processes = 100,
	};

	*d = (struct daemon){.options = *options, .host = h};
	kernel_init(&d->kernel, h);
	d->kernel.stall_ns = options->stall_ns;
	vfs_init(&d->vfs, &d->kernel);
	d->vfs.max_fds = options->max_fds;
	calls_redirect(&d->vfs);
	must(pass_open(&o, &d->pass) == 0);
	d->pass->procfs.is_whole = !options->is_partial;
	surveyor_init(&d->surveyor, d->pass, 1, d->kernel.monotonic_ns);
	surveyor_set(&d->surveyor, options->files_ns, options->rate_ppm, d->kernel.monotonic_ns);
	d->start_ns = d->due_ns = d->lived_ns = d->happened_ns = d->kernel.monotonic_ns;
	daemon_restart_accounts(d);
}

void daemon_done(struct daemon *d)
{
	surveyor_done(&d->surveyor);
	d->pass = pass_free(d->pass);
	calls_redirect(NULL);
	vfs_done(&d->vfs);
	kernel_done(&d->kernel);
}

void daemon_restart_accounts(struct daemon *d)
{
	d->account = (struct daemon_account){0};
	d->above_ns = d->least_above_ns = 0;
	d->accounted_ns = d->kernel.monotonic_ns;
	d->accounted_cpu_ns = d->kernel.cpu_ns;
	d->forgiven_ns = d->pass->adapt.budget.forgiven_ns;
	d->excused_ns = d->pass->adapt.budget.excused_ns;
	memcpy(d->deferred, d->pass->turns.choosing.deferred, sizeof(d->deferred));
	kernel_restart_counts(&d->kernel);
}

/* No span may use more than the rate, a minute's worth and one read. */
static void account_for_cpu(struct daemon *d)
{
	struct daemon_account *a = &d->account;
	const struct kernel *k = &d->kernel;
	uint64_t span_ns = k->monotonic_ns - d->accounted_ns;
	uint64_t cpu_ns = k->cpu_ns - d->accounted_cpu_ns;

	d->accounted_ns = k->monotonic_ns;
	d->accounted_cpu_ns = k->cpu_ns;
	a->span_ns += span_ns;
	a->used_ns += cpu_ns;
	d->above_ns -= (double)(span_ns - cpu_ns) * d->options.rate_ppm / 1e6;
	if (d->above_ns < d->least_above_ns)
		d->least_above_ns = d->above_ns;
	d->above_ns += (double)cpu_ns * (1 - d->options.rate_ppm / 1e6);
	if (d->above_ns - d->least_above_ns > (double)a->worst_ns)
		a->worst_ns = (uint64_t)(d->above_ns - d->least_above_ns);
}

static bool is_giant(const struct daemon *d, const struct host_truth *t)
{
	return (double)t->largest_pages * GIANT_PAGE_NS * d->kernel.slowness >
	       (double)d->options.stall_ns;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void account_for_age(
	struct daemon *d, size_t slot, const struct snapshot_process *row, bool of_giant)
{
	const struct host_process *p = &d->host->process[slot];
	uint64_t *oldest = of_giant ? &d->account.oldest_giant_ns : &d->account.oldest_ns;
	uint64_t since_ns = later(p->image_ns, d->start_ns);

	if (ROW_HAS(row, PROCESS_PSS_AGE)) {
		since_ns = row->q[PROCESS_PSS_AGE];
		d->account.false_ages += since_ns > p->walked_ns + LATE_NS;
	}
	*oldest = later(*oldest, d->host->now_ns - since_ns);
}

struct totals {
	double truth[DAEMON_SUMS], pss[DAEMON_SUMS], low[DAEMON_SUMS], high[DAEMON_SUMS];
};

static void add_to_sum(
	struct totals *s, size_t i, const struct host_truth *t, const struct snapshot_process *row)
{
	s->truth[i] += t->pss;
	s->pss[i] += (double)row->q[PROCESS_PSS];
	s->low[i] += (double)row->q[PROCESS_PSS_LOW];
	s->high[i] += (double)row->q[PROCESS_PSS_HIGH];
}

static double distance(double a, double b)
{
	return a > b ? a - b : b - a;
}

static void account_for_row(
	struct daemon *d, size_t slot, const struct snapshot_process *row, struct totals *sums)
{
	const struct host_process *p = &d->host->process[slot];
	struct daemon_account *a = &d->account;
	double beyond, off;
	struct host_truth t;

	host_truth(d->host, slot, &t);
	account_for_age(d, slot, row, is_giant(d, &t));
	beyond = (double)row->q[PROCESS_PSS_LOW] - t.pss;
	if (t.pss - (double)row->q[PROCESS_PSS_HIGH] > beyond)
		beyond = t.pss - (double)row->q[PROCESS_PSS_HIGH];
	off = distance(t.pss, (double)row->q[PROCESS_PSS]);
	a->samples++;
	a->outside += beyond > 0.5;
	a->far_outside += beyond > 1024 && beyond > t.pss / 1000;
	a->outside_bytes += beyond > 0.5 ? beyond : 0;
	a->off += off > 1048576 && off > t.pss * 0.02;
	add_to_sum(sums, p->user % DAEMON_USERS, &t, row);
	add_to_sum(sums, DAEMON_USERS + p->program, &t, row);
}

static void account_for_sums(struct daemon *d, const struct totals *s)
{
	struct daemon_account *a = &d->account;

	a->worst_sum = a->worst_large = 0;
	for (size_t i = 0; i < DAEMON_SUMS; i++) {
		double off = distance(s->pss[i], s->truth[i]);
		double part = s->truth[i] > 0 ? off / s->truth[i] : 0;

		if (!(s->truth[i] > 0))
			continue;
		a->worst_sum = part > a->worst_sum ? part : a->worst_sum;
		if (off > 1048576 && part > a->worst_large)
			a->worst_large = part;
		a->sums++;
		a->sums_off += part > 0.01;
		a->sums_outside += s->truth[i] < s->low[i] - 0.5 || s->truth[i] > s->high[i] + 0.5;
		if (i >= DAEMON_USERS)
			continue;
		a->truth += s->truth[i];
		a->error += off;
		a->width += s->high[i] - s->low[i];
	}
}

static void account_for_host(struct daemon *d, const struct totals *s)
{
	const struct sums *host = &d->pass->tally.host.sums;
	struct daemon_account *a = &d->account;
	double truth = 0, low = (double)host->q[SCOPE_PSS_LOW];

	for (size_t i = 0; i < DAEMON_USERS; i++)
		truth += s->truth[i];
	a->host_outside += low > truth + 0.5;
	a->host_truth += truth;
	a->host_width += (double)host->q[SCOPE_PSS] - low;
}

static void account_for_rows(struct daemon *d)
{
	uint32_t count = rows_count(&d->pass->rows), found = 0;
	struct totals sums = {0};

	for (uint32_t i = 0; i < count; i++) {
		const struct snapshot_process *row = rows_at(&d->pass->rows, i);
		size_t slot = kernel_find(&d->kernel, row->pid);

		must(slot < d->host->slots);
		if (row->outcome != OUTCOME_MEASURED || !ROW_HAS(row, PROCESS_PSS))
			continue;
		found++;
		account_for_row(d, slot, row, &sums);
	}
	d->account.missing += d->host->living - found;
	account_for_sums(d, &sums);
	account_for_host(d, &sums);
}

static void account_for_ages(struct daemon *d)
{
	for (uint32_t i = 0; i < rows_count(&d->pass->rows); i++) {
		const struct snapshot_process *row = rows_at(&d->pass->rows, i);
		size_t slot = kernel_find(&d->kernel, row->pid);
		struct host_truth t;

		must(slot < d->host->slots);
		host_truth(d->host, slot, &t);
		account_for_age(d, slot, row, is_giant(d, &t));
	}
}

static void sleep_until(struct daemon *d, uint64_t ns)
{
	if (ns > d->kernel.monotonic_ns)
		kernel_pass_time(&d->kernel, ns - d->kernel.monotonic_ns);
}

/* Until UNTIL_NS, which may be now: what is due by then. */
static void let_happen(struct daemon *d, uint64_t until_ns)
{
	while (d->happened_ns + DAEMON_STEP_NS <= until_ns) {
		d->happened_ns += DAEMON_STEP_NS;
		if (!d->happens)
			continue;
		sleep_until(d, d->happened_ns);
		d->happens(d->host, d->data);
	}
	sleep_until(d, until_ns);
}

void daemon_pass(struct daemon *d)
{
	struct daemon_account *a = &d->account;
	uint64_t begin_ns = d->kernel.monotonic_ns;
	uint64_t before_ns = d->kernel.cpu_ns - d->kernel.walks_ns, cpu_ns;
	uint64_t interval_ns, needed_ppm;
	int r;

	must(pass_begin(d->pass) == 0);
	do {
		r = pass_step(d->pass, d->kernel.monotonic_ns + BATCH_NS);
		let_happen(d, d->kernel.monotonic_ns);
		account_for_cpu(d);
	} while (r == PASS_MORE);
	must(r == 0);
	cpu_ns = d->kernel.cpu_ns - d->kernel.walks_ns - before_ns;
	a->passes_ns += cpu_ns;
	a->longest_pass_ns = later(a->longest_pass_ns, cpu_ns);
	if (d->options.is_blind)
		account_for_ages(d);
	else
		account_for_rows(d);
	interval_ns = pass_interval_ns(d->pass, &needed_ppm);
	a->passes++;
	a->stretched += interval_ns > d->options.interval_ns;
	d->due_ns = later(begin_ns + interval_ns, d->kernel.monotonic_ns);
	pass_plan(d->pass, d->due_ns);
	for (int i = 0; i < PLAN_REASONS; i++)
		a->deferred[i] = d->pass->turns.choosing.deferred[i] - d->deferred[i];
	a->forgiven_ns = d->pass->adapt.budget.forgiven_ns - d->forgiven_ns;
}

/* To UNTIL_NS, unless it has come to that already. */
static void let_live(struct daemon *d, const struct host_rates *rates, uint64_t until_ns)
{
	while (d->lived_ns + LIFE_STEP_NS <= until_ns) {
		d->lived_ns += LIFE_STEP_NS;
		let_happen(d, d->lived_ns);
		host_live(d->host, rates, 1.0 / LIFE_STEPS);
	}
	let_happen(d, until_ns);
}

static void survey(struct daemon *d)
{
	int r = surveyor_turn(&d->surveyor);

	must(r >= 0);
	d->turns++;
	d->surveys += r == SURVEYOR_ENDED;
}

void daemon_wait(struct daemon *d, const struct host_rates *rates)
{
	for (;;) {
		uint64_t turn_ns = pass_next_measure_ns(d->pass, d->kernel.monotonic_ns);
		uint64_t survey_ns = surveyor_next_ns(&d->surveyor);
		uint64_t at_ns = turn_ns < survey_ns ? turn_ns : survey_ns;

		if (at_ns >= d->due_ns)
			break;
		let_live(d, rates, at_ns);
		if (survey_ns < turn_ns)
			survey(d);
		else
			must(pass_measure(d->pass) == 0);
		account_for_cpu(d);
	}
	let_live(d, rates, d->due_ns);
	account_for_cpu(d);
	d->account.excused_ns = d->pass->adapt.budget.excused_ns - d->excused_ns;
}

void daemon_run(struct daemon *d, const struct host_rates *rates, uint64_t passes)
{
	for (uint64_t i = 0; i < passes; i++) {
		daemon_pass(d);
		daemon_wait(d, rates);
	}
}

uint64_t daemon_total_cost_ns(const struct daemon *d)
{
	return d->pass->turns.total_cost_ns;
}
