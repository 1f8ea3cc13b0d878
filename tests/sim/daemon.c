/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/sim/daemon.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "collectors/pass/pass-private.h"
#include "tests/sim/host/calls.h"

#define BATCH_NS      (5 * NS_PER_MSEC)  /* as memtallyd's */
#define LATE_NS       (10 * NS_PER_MSEC) /* between a walk and its time stamp */
#define LONG_PASS_NS  (200 * NS_PER_MSEC)
#define GIANT_PAGE_NS 27

const struct daemon_options daemon_defaults = {
	.interval_ns = 10 * NS_PER_SEC,
	.max_age_ns = 300 * NS_PER_SEC,
	.giant_age_ns = 3600 * NS_PER_SEC,
	.stall_ns = 20 * NS_PER_MSEC,
	.rate_ppm = CPU_BUDGET_PPM_PER_PERCENT,
	/* A tenth of memtallyd's: otherwise passes would measure all processes of a small host. */
	.spare_ppm = 75000,
	.max_fds = 524288,
};

/* Rates are probabilities per 10 s, in this number of steps. */
enum { LIFE_STEPS = 8 };

static const uint64_t life_step_ns = 10 * NS_PER_SEC / LIFE_STEPS;

static void must(bool is_so)
{
	if (!is_so)
		abort();
}

/* All processes live LIFE_STEPS times in 10 s, each time at a random moment. */
static void choose_next_life(struct daemon *d)
{
	d->next_life_ns = d->lived_ns + (uint64_t)(random_part(&d->life_seed) * life_step_ns);
}

static void schedule(struct daemon *d)
{
	uint64_t next_ns = d->next_life_ns;

	if (d->happens && d->happened_ns + DAEMON_STEP_NS < next_ns)
		next_ns = d->happened_ns + DAEMON_STEP_NS;
	d->kernel.next_event_ns = next_ns;
}

/* Makes all events happen that are due. */
static void happen(void *data)
{
	struct daemon *d = data;
	uint64_t now_ns = d->kernel.monotonic_ns;

	while (d->happens && d->happened_ns + DAEMON_STEP_NS <= now_ns) {
		d->happened_ns += DAEMON_STEP_NS;
		d->happens(d->host, d->data);
	}
	while (d->next_life_ns <= now_ns) {
		d->lived_ns += life_step_ns;
		choose_next_life(d);
		host_live(d->host, &d->rates, 1.0 / LIFE_STEPS);
	}
	schedule(d);
}

/* From now on events happen at RATES. */
static void set_rates(struct daemon *d, const struct host_rates *rates)
{
	uint64_t now_ns = d->kernel.monotonic_ns;

	d->rates = *rates;
	if (d->happened_ns + DAEMON_STEP_NS <= now_ns)
		d->happened_ns += (now_ns - d->happened_ns) / DAEMON_STEP_NS * DAEMON_STEP_NS;
	schedule(d);
}

void daemon_load(struct daemon *d, double load)
{
	d->kernel.load = load;
	d->host->exit_slowness = (uint64_t)load;
}

void daemon_skip_time(struct daemon *d, uint64_t ns)
{
	kernel_skip_time(&d->kernel, ns);
	d->lived_ns = d->kernel.monotonic_ns;
	choose_next_life(d);
	schedule(d);
}

void daemon_init(struct daemon *d, struct host *h, const struct daemon_options *options)
{
	const struct pass_options o = {
		.procfs = CALLS_PROC,
		.version = "simulated",
		.interval_ns = options->interval_ns,
		.is_adaptive = true,
		.budget_cpu_ppm = options->rate_ppm,
		.spare_ppm = options->spare_ppm,
		.max_age_ns = options->max_age_ns,
		.stall_ns = options->stall_ns,
		.giant_age_ns = options->giant_age_ns,
		.export_owners[0 ... OWNER_KINDS - 1] = 100,
		.export_processes = 100,
	};

	*d = (struct daemon){.options = *options, .host = h};
	kernel_init(&d->kernel, h);
	d->kernel.stall_ns = options->stall_ns;
	d->kernel.happen = happen;
	d->kernel.data = d;
	d->life_seed = h->seed;
	vfs_init(&d->vfs, &d->kernel);
	d->vfs.max_fds = options->max_fds;
	calls_redirect(&d->vfs);
	must(pass_open(&o, &d->pass) == 0);
	d->pass->procfs.is_whole = !options->is_partial;
	/* In place of the trial by a child process, which needs a real kernel. */
	pass_set_map_counts(d->pass, h->averages ? MAPCOUNTS_AVERAGED : MAPCOUNTS_EXACT);
	surveyor_init(&d->surveyor, d->pass, 1, d->kernel.monotonic_ns);
	surveyor_set(&d->surveyor, options->files_ns, options->rate_ppm, d->kernel.monotonic_ns);
	d->start_ns = d->due_ns = d->lived_ns = d->happened_ns = d->kernel.monotonic_ns;
	choose_next_life(d);
	schedule(d);
	daemon_restart_accounts(d);
}

void daemon_done(struct daemon *d)
{
	surveyor_done(&d->surveyor);
	d->pass = pass_free(d->pass);
	calls_redirect(NULL);
	vfs_done(&d->vfs);
	kernel_done(&d->kernel);
	free(d->before);
}

void daemon_restart_accounts(struct daemon *d)
{
	d->account = (struct daemon_account){0};
	d->above_ns = d->least_above_ns = 0;
	d->accounted_ns = d->kernel.monotonic_ns;
	d->accounted_cpu_ns = d->kernel.cpu_ns;
	d->forgiven_ns = d->pass->adaptive.budget.forgiven_ns;
	d->excused_ns = d->pass->adaptive.budget.excused_ns;
	memcpy(d->deferred, d->pass->pacer.queue.deferred, sizeof(d->deferred));
	kernel_restart_counts(&d->kernel);
}

/* In no period may memtallyd use more CPU than the rate, one minute's worth and one read. */
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
		d->account.false_ages += since_ns >
		                         p->walked_ns + (uint64_t)(LATE_NS * d->kernel.load);
	}
	*oldest = later(*oldest, d->host->now_ns - since_ns);
}

/*
 * Each row is of a different moment of the pass. The true sum lies between the sum of each
 * process's least PSS at the beginning and end of the pass, and the sum of each process's greatest.
 */
struct totals {
	double least[DAEMON_SUMS], most[DAEMON_SUMS];
	double pss[DAEMON_SUMS], low[DAEMON_SUMS], high[DAEMON_SUMS];
};

static double least(double a, double b)
{
	return a < b ? a : b;
}

static void add_to_sum(
	struct totals *s, size_t i, double before, double truth, const struct snapshot_process *row)
{
	s->least[i] += least(before, truth);
	s->most[i] += before + truth - least(before, truth);
	s->pss[i] += (double)row->q[PROCESS_PSS];
	s->low[i] += (double)row->q[PROCESS_PSS_LOW];
	s->high[i] += (double)row->q[PROCESS_PSS_HIGH];
}

/* Returns by how much [LOW, HIGH] misses the range between A and B; 0 or less: it does not. */
static double missed_by(double low, double high, double a, double b)
{
	double above = least(a, b) - high, below = low - (a > b ? a : b);

	return above > below ? above : below;
}

/* Returns the distance of V from the range between A and B. */
static double off_by(double v, double a, double b)
{
	double beyond = missed_by(v, v, a, b);

	return beyond > 0 ? beyond : 0;
}

static double truth_before(const struct daemon *d, size_t slot, double truth)
{
	return d->has_before && slot < d->before_slots && d->before[slot] >= 0 ? d->before[slot]
	                                                                       : truth;
}

/*
 * If the process's varying memory was present when the pass read its counters, the row may count
 * it.
 */
static void widen_by_flutter(const struct daemon *d, size_t slot, double *before, double *after)
{
	const struct host_flutter *f = &d->host->flutter;
	double bytes = (double)(f->pages * HOST_PAGE);

	if (!f->period_ns || f->slot != slot)
		return;
	if (f->is_there && *before >= *after)
		*before -= bytes;
	else if (!f->is_there && f->was_seen && *before <= *after)
		*before += bytes;
}

static void account_for_row(
	struct daemon *d, size_t slot, const struct snapshot_process *row, struct totals *sums)
{
	const struct host_process *p = &d->host->process[slot];
	struct daemon_account *a = &d->account;
	double before, beyond, off;
	struct host_truth t;

	host_truth(d->host, slot, &t);
	account_for_age(d, slot, row, is_giant(d, &t));
	before = truth_before(d, slot, t.pss);
	widen_by_flutter(d, slot, &before, &t.pss);
	beyond = missed_by(
		(double)row->q[PROCESS_PSS_LOW], (double)row->q[PROCESS_PSS_HIGH], before, t.pss);
	off = off_by((double)row->q[PROCESS_PSS], before, t.pss);
	a->samples++;
	a->unmeasured += !ROW_HAS(row, PROCESS_PSS_AGE);
	a->outside += beyond > 0.5;
	a->far_outside += beyond > 1024 && beyond > t.pss / 1000;
	a->off += off > 1048576 && off > t.pss * 0.02;
	add_to_sum(sums, p->user % DAEMON_USERS, before, t.pss, row);
	add_to_sum(sums, DAEMON_USERS + p->program, before, t.pss, row);
}

static void account_for_sums(struct daemon *d, const struct totals *s)
{
	struct daemon_account *a = &d->account;

	a->worst_sum = a->worst_large = 0;
	for (size_t i = 0; i < DAEMON_SUMS; i++) {
		double off = off_by(s->pss[i], s->least[i], s->most[i]);
		double part = s->most[i] > 0 ? off / s->most[i] : 0;

		if (!(s->most[i] > 0))
			continue;
		a->worst_sum = part > a->worst_sum ? part : a->worst_sum;
		if (off > 1048576 && part > a->worst_large)
			a->worst_large = part;
		a->sums++;
		a->sums_off += part > 0.01;
		a->sums_outside += missed_by(s->low[i], s->high[i], s->least[i], s->most[i]) > 0.5;
		if (i >= DAEMON_USERS)
			continue;
		a->user[i].truth += s->most[i];
		a->user[i].error += off;
		a->user[i].passes++;
		a->user[i].off += part > 0.05;
		a->truth += s->most[i];
		a->error += off;
		a->width += s->high[i] - s->low[i];
	}
}

static void account_for_host(struct daemon *d, const struct totals *s)
{
	const struct sums *host = &d->pass->sums.host.sums;
	struct daemon_account *a = &d->account;
	double truth = 0, low = (double)host->q[SCOPE_PSS_LOW];

	for (size_t i = 0; i < DAEMON_USERS; i++)
		truth += s->most[i];
	a->host_outside += low > truth + 0.5;
}

/*
 * Returns whether the process in SLOT lives and has had the same image since BEGIN_NS
 * (CLOCK_BOOTTIME). Such a process must have a row.
 */
static bool is_since(const struct host *h, size_t slot, uint64_t begin_ns)
{
	return slot < h->slots && host_is_alive(&h->process[slot]) &&
	       h->process[slot].image_ns <= begin_ns;
}

static size_t count_since(const struct host *h, uint64_t begin_ns)
{
	size_t count = 0;

	for (size_t slot = 0; slot < h->slots; slot++)
		count += is_since(h, slot, begin_ns);
	return count;
}

static void account_for_rows(struct daemon *d, uint64_t begin_ns)
{
	uint32_t count = builder_process_count(&d->pass->builder), found = 0, gone = 0;
	struct totals sums = {0};

	d->account.unmeasured = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct snapshot_process *row = builder_process(&d->pass->builder, i);
		size_t slot = kernel_find(&d->kernel, row->pid);

		if (!is_since(d->host, slot, begin_ns)) {
			gone++; /* exited, or called exec, during the pass */
			continue;
		}
		if (row->outcome != OUTCOME_MEASURED || !ROW_HAS(row, PROCESS_PSS))
			continue;
		found++;
		account_for_row(d, slot, row, &sums);
	}
	d->account.missing += count_since(d->host, begin_ns) - found;
	if (gone > 0)
		return; /* the truth of these processes is no longer known */
	account_for_sums(d, &sums);
	account_for_host(d, &sums);
}

static void account_for_ages(struct daemon *d, uint64_t begin_ns)
{
	for (uint32_t i = 0; i < builder_process_count(&d->pass->builder); i++) {
		const struct snapshot_process *row = builder_process(&d->pass->builder, i);
		size_t slot = kernel_find(&d->kernel, row->pid);
		struct host_truth t;

		if (!is_since(d->host, slot, begin_ns))
			continue;
		host_truth(d->host, slot, &t);
		account_for_age(d, slot, row, is_giant(d, &t));
	}
}

static void sleep_until(struct daemon *d, uint64_t ns)
{
	if (ns > d->kernel.monotonic_ns)
		kernel_pass_time(&d->kernel, ns - d->kernel.monotonic_ns);
}

/* Remembers the truth at the beginning of a pass, if events may happen during the pass. */
static void look_before(struct daemon *d)
{
	const struct host *h = d->host;
	struct host_truth t;

	d->has_before = h->remaining > 0 ||
	                d->kernel.next_event_ns < d->kernel.monotonic_ns + LONG_PASS_NS;
	if (!d->has_before || d->options.is_blind)
		return;
	d->before = reallocarray(d->before, h->slots + 1, sizeof(*d->before));
	must(d->before);
	d->before_slots = h->slots;
	for (size_t slot = 0; slot < h->slots; slot++) {
		d->before[slot] = -1;
		if (!host_is_alive(&h->process[slot]))
			continue;
		host_truth(h, slot, &t);
		d->before[slot] = t.pss;
	}
}

static void daemon_pass(struct daemon *d, bool is_brief)
{
	struct daemon_account *a = &d->account;
	uint64_t begin_ns = d->kernel.monotonic_ns, begin_boot_ns = d->host->now_ns;
	uint64_t before_ns = d->kernel.cpu_ns - d->kernel.walks_ns, cpu_ns;
	uint64_t interval_ns, needed_ppm;
	int r;

	d->host->flutter.was_seen = false;
	look_before(d);
	must((is_brief ? pass_begin_brief(d->pass) : pass_begin(d->pass)) == 0);
	do {
		r = pass_step(d->pass, d->kernel.monotonic_ns + BATCH_NS);
		account_for_cpu(d);
	} while (r == PASS_MORE);
	must(r == 0);
	cpu_ns = d->kernel.cpu_ns - d->kernel.walks_ns - before_ns;
	a->passes_ns += cpu_ns;
	a->longest_pass_ns = later(a->longest_pass_ns, cpu_ns);
	if (d->options.is_blind)
		account_for_ages(d, begin_boot_ns);
	else if (!is_brief || !d->options.skips_briefs)
		account_for_rows(d, begin_boot_ns);
	interval_ns = pass_interval_ns(d->pass, &needed_ppm);
	a->passes++;
	a->whole += d->pass->pacer.measures_all;
	a->waiting += d->pass->counts.waiting;
	a->stretched += interval_ns > d->options.interval_ns;
	if (!is_brief)
		d->due_ns = later(begin_ns + interval_ns, d->kernel.monotonic_ns);
	pass_plan(d->pass, d->due_ns);
	for (int i = 0; i < MEASURE_PLAN_REASONS; i++)
		a->deferred[i] = d->pass->pacer.queue.deferred[i] - d->deferred[i];
	a->forgiven_ns = d->pass->adaptive.budget.forgiven_ns - d->forgiven_ns;
}

static void survey(struct daemon *d)
{
	int r = surveyor_turn(&d->surveyor);

	must(r >= 0);
	d->turns++;
	d->surveys += r == SURVEYOR_ENDED;
}

/* Makes the measurements and surveys that are due before the next pass. */
static void daemon_wait(struct daemon *d)
{
	for (;;) {
		uint64_t turn_ns = pass_next_measure_ns(d->pass, d->kernel.monotonic_ns);
		uint64_t survey_ns = surveyor_next_ns(&d->surveyor);
		uint64_t at_ns = turn_ns < survey_ns ? turn_ns : survey_ns;

		if (at_ns >= d->due_ns || d->kernel.monotonic_ns >= d->due_ns)
			break;
		sleep_until(d, at_ns);
		if (survey_ns < turn_ns)
			survey(d);
		else
			must(pass_measure(d->pass) == 0);
		account_for_cpu(d);
	}
	sleep_until(d, d->due_ns);
	account_for_cpu(d);
	d->account.excused_ns = d->pass->adaptive.budget.excused_ns - d->excused_ns;
}

/* Makes the brief passes that are due before the next full pass. */
static void press_on(struct daemon *d)
{
	uint64_t begin_ns = d->kernel.monotonic_ns, span_ns = d->due_ns - begin_ns;

	for (unsigned int i = 1; i <= d->options.briefs; i++) {
		sleep_until(d, begin_ns + span_ns / (d->options.briefs + 1) * i);
		account_for_cpu(d);
		daemon_pass(d, true);
	}
	sleep_until(d, d->due_ns);
	account_for_cpu(d);
}

void daemon_run(struct daemon *d, const struct host_rates *rates, uint64_t passes)
{
	set_rates(d, rates);
	for (uint64_t i = 0; i < passes; i++) {
		daemon_pass(d, false);
		if (d->options.briefs)
			press_on(d);
		else
			daemon_wait(d);
	}
}

uint64_t daemon_total_cost_ns(const struct daemon *d)
{
	return d->pass->pacer.total_cost_ns;
}
