/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/adapt.h"

#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "collectors/amount.h"
#include "collectors/sense.h"
#include "collectors/watch.h"

#define LOOK_MAX_AGE_NS (120 * NS_PER_SEC)  /* of status, where nothing else asks for it */
#define EARLY_NS        (100 * NS_PER_USEC) /* that a timer may be */

void adapt_init(struct adapt *a, struct process_reader *reader, const struct proctable *table,
	struct buffer *scratch)
{
	long page = sysconf(_SC_PAGESIZE);

	*a = (struct adapt){
		.reader = reader,
		.table = table,
		.page_bytes = page > 0 ? (uint64_t)page : 4096,
	};
	disturbance_init(&a->disturbance);
	walks_init(&a->walks, reader, &a->budget, a->page_bytes);
	choosing_init(&a->choosing, scratch);
	a->faults.page_bytes = a->page_bytes;
	figures_init(&a->figures, a->page_bytes);
	hostsum_init(&a->hostsum, a->page_bytes);
	relations_init(&a->relations);
}

void adapt_done(struct adapt *a)
{
	disturbance_done(&a->disturbance);
	walks_done(&a->walks);
	relations_done(&a->relations);
	choosing_done(&a->choosing);
}

static void take_limits(struct adapt *a)
{
	if (a->limits.max_age_ns != a->next_limits.max_age_ns)
		pool_init(&a->hostsum.pool, a->next_limits.max_age_ns);
	a->walks.stall_ns = a->next_limits.stall_ns;
	a->limits = a->next_limits;
}

void adapt_set_limits(struct adapt *a, const struct adapt_limits *limits)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);

	if (!a->budget.rate_ppm)
		budget_init(&a->budget, limits->cpu_ppm, now_ns);
	else if (a->budget.rate_ppm != limits->cpu_ppm)
		budget_set_rate(&a->budget, limits->cpu_ppm, now_ns);
	a->next_limits = *limits;
	if (!a->limits.max_age_ns) /* the first */
		take_limits(a);
}

void adapt_set_interval(struct adapt *a, uint64_t interval_ns)
{
	a->limits.interval_ns = a->next_limits.interval_ns = interval_ns;
}

void adapt_restart(struct adapt *a)
{
	a->begin_ns = a->previous_ns = 0;
	a->relations.begin_ns = a->relations.previous_ns = 0;
}

void adapt_forget(struct adapt *a, struct process *p)
{
	walks_forget(&a->walks, p);
	if (!p->watch)
		return;
	relations_ended(&a->relations, p->watch, false);
	p->watch = watch_free(p->watch);
}

static void read_vmstat(struct adapt *a)
{
	struct vmstat v;

	a->swaps = false;
	if (vmstat_read(a->reader->procfs->fd, &v) < 0)
		return;
	for (unsigned int i = 0; i < VMSTAT_FIELDS; i++)
		if (ROW_HAS(&a->vmstat, i) && ROW_HAS(&v, i) && a->vmstat.q[i] != v.q[i])
			a->swaps = true;
	a->vmstat = v;
}

/* What walks do to their processes, as soon as that is known. */
static void hear_of_disturbance(struct adapt *a)
{
	uint64_t cpu_ns;

	if (!disturbance_answer(&a->disturbance, &cpu_ns))
		return;
	budget_charge(&a->budget, clock_now_ns(CLOCK_MONOTONIC), cpu_ns);
	a->walks.is_undisturbing = a->disturbance.verdict == DISTURBANCE_NO;
}

void adapt_list(struct adapt *a)
{
	hear_of_disturbance(a);
	/* Predicted costs would have been paid for, the real ones were not. */
	a->choosing.deferred[PLAN_BUDGET] += a->choosing.chosen - a->choosing.next;
	choosing_drop(&a->choosing); /* by places in a table that is about to move */
	take_limits(a);
	a->due_ns = 0;
	a->previous_ns = a->begin_ns;
	a->begin_ns = clock_now_ns(CLOCK_BOOTTIME);
	relations_begin(&a->relations, a->begin_ns);
}

static void read_psi(struct adapt *a)
{
	if (psi_read(a->reader->procfs->fd, &a->psi) < 0)
		a->psi = (struct psi){0};
	a->pressure = psi_level(&a->psi, a->pressure);
}

void adapt_begin(struct adapt *a)
{
	figures_begin(&a->figures);
	read_vmstat(a);
	read_psi(a);
	hostsum_before(&a->hostsum, a->reader->procfs->fd);
	sense_begin(a->reader, a->table->count);
}

/* Spreads the looks at those that were first seen together, so that they do not stay together. */
static uint64_t first_age_ns(const struct adapt *a, const struct process *p)
{
	uint64_t span_ns = amount_less(LOOK_MAX_AGE_NS, 2 * a->limits.interval_ns);

	return span_ns / 64 * ((uint32_t)p->pid * 2654435761U >> 26);
}

/* Takes over what S says of P, all but the PSS. */
static void note(struct adapt *a, struct process *p, const struct sample *s, uint64_t now_boot_ns)
{
	uint64_t born_ns = p->stat.start_ticks * a->reader->procfs->ns_per_tick;
	struct watch *w = p->watch;
	struct statm m;

	if (s->is_new_image || !s->is_member) {
		bool is_exec = s->is_member && w->is_member && w->kin.born_ns == born_ns;

		/* What is read of a former image is not this one's, even if nothing but this look ever tells. */
		walks_forget(&a->walks, p);
		relations_ended(&a->relations, w, is_exec);
		watch_renew(w, now_boot_ns);
	}
	watch_note(w, s, now_boot_ns, a->page_bytes);
	/* Before Linux 4.5 status has no counters that compare with statm's. */
	if (w->is_settled && w->is_member && !w->is_seen && sense_read(a->reader, p, &m) == 0) {
		w->seen = m;
		w->is_seen = true;
	}
	if (w->is_member && !w->is_related && !w->is_elsewhere)
		relations_born(&a->relations, a->table, p, born_ns, a->page_bytes);
}

typedef int look_with(struct process_reader *, struct process *, uint64_t, struct sample *);

static int look(
	struct adapt *a, look_with *read, struct process *p, uint64_t now_ns, struct sample *ret)
{
	uint64_t now_boot_ns = clock_now_ns(CLOCK_BOOTTIME);
	int r = read(a->reader, p, now_ns, ret);

	if (r < 0)
		return r;
	note(a, p, ret, now_boot_ns);
	return ADAPT_SAMPLE;
}

/* One that was never seen, or of which nothing is known any more. */
static int meet(struct adapt *a, struct process *p, uint64_t now_ns, struct sample *ret)
{
	uint64_t now_boot_ns = clock_now_ns(CLOCK_BOOTTIME);
	uint64_t before_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID);
	bool is_first = !p->watch;
	int r;

	if (is_first)
		p->watch = watch_new(now_boot_ns);
	if (!p->watch)
		return -ENOMEM;
	r = look(a, process_look, p, now_ns, ret);
	if (r >= 0 && is_first)
		p->watch->looked_ns -= amount_min(first_age_ns(a, p), p->watch->looked_ns);
	/* What passes do not have to do again and again. */
	budget_charge_birth(&a->budget, clock_now_ns(CLOCK_MONOTONIC),
		clock_now_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns);
	return r;
}

static bool is_look_due(const struct adapt *a, const struct watch *w)
{
	uint64_t age_ns = amount_less(a->begin_ns, w->looked_ns);

	return a->swaps || age_ns + a->limits.interval_ns > LOOK_MAX_AGE_NS;
}

int adapt_sense(struct adapt *a, struct process *p, uint64_t now_ns, struct sample *ret)
{
	struct watch *w = p->watch;
	struct statm m;
	int e;

	if (!w || !w->is_settled)
		return meet(a, p, now_ns, ret);
	e = sense_read(a->reader, p, &m);
	if (e < 0)
		return e == -ENOMEM ? e : 0;
	if (e != 0)
		return look(a, process_look, p, now_ns, ret);
	if (!w->is_member && !m.size) /* still a kernel thread or a zombie */
		return 0;
	if (w->is_member && w->is_seen && statm_is_same(&m, &w->seen)) {
		if (is_look_due(a, w))
			return look(a, process_glance, p, now_ns, ret);
		if (!process_cgroup_is_due(a->reader, p, now_ns))
			return 0;
		e = process_read_cgroup(a->reader, p, now_ns, ret);
		return e < 0 ? e : ret->has_cgroup ? ADAPT_SAMPLE : 0;
	}
	return look(a, process_look, p, now_ns, ret);
}

/* Takes over S, which is to be a measurement of P, by the walk WALKED. */
static void take(
	struct adapt *a, struct process *p, const struct sample *s, const struct walked *walked)
{
	uint64_t now_boot_ns = clock_now_ns(CLOCK_BOOTTIME);
	struct watch *w = p->watch;
	struct estimate_base base;
	struct estimate before;
	struct statm after, *seen = NULL;
	bool had_base;

	note(a, p, s, now_boot_ns);
	if (!s->is_member)
		return;
	had_base = w->has_base;
	base = w->base;
	if (had_base)
		figures_estimate(&a->figures, w, &before);
	if (ROW_HAS(s, PROCESS_PSS) && sense_read(a->reader, p, &after) == 0 && after.size)
		seen = &after;
	if (watch_measure(w, s, walked->has_before ? &walked->before : NULL, seen, now_boot_ns,
		    a->page_bytes)) {
		relations_measured(
			&a->relations, a->reader, p, had_base ? &base : NULL, now_boot_ns);
		if (had_base) {
			relations_broke(w, &before, now_boot_ns);
			figures_found(&a->figures, before.pss, s->q[PROCESS_PSS]);
			pool_measured(&a->hostsum.pool, &before, &w->base);
		}
		faults_measured(a->reader, p, a->limits.max_age_ns);
	} else if (s->outcome == OUTCOME_DENIED || s->outcome == OUTCOME_CHANGING) {
		w->has_base =
			false; /* an earlier figure would hide that it can't be had any more */
	}
}

/* The walk WALKED is over, with S. */
static int finish(
	struct adapt *a, struct process *p, const struct sample *s, const struct walked *walked)
{
	uint64_t before_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID);

	take(a, p, s, walked);
	budget_charge(&a->budget, clock_now_ns(CLOCK_MONOTONIC),
		clock_now_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns);
	walks_learn(&a->walks, p, s, walked);
	return ADAPT_SAMPLE;
}

static int measure_whole(struct adapt *a, struct process *p, const struct forecast *f,
	uint64_t now_ns, struct sample *ret)
{
	struct walked walked;
	int r = walks_whole(&a->walks, p, f, now_ns, ret, &walked);

	return r < 0 ? r : finish(a, p, ret, &walked);
}

static int begin_slices(struct adapt *a, struct process *p, const struct forecast *f,
	uint64_t now_ns, struct sample *ret)
{
	struct walked walked;
	int r = walks_begin_slices(&a->walks, p, f, now_ns, ret, &walked);

	if (r == WALKS_LOOKED) {
		note(a, p, ret, clock_now_ns(CLOCK_BOOTTIME));
		return ADAPT_SAMPLE;
	}
	return r < 0 ? r : finish(a, p, ret, &walked);
}

static int step_slices(
	struct adapt *a, uint64_t now_ns, struct sample *ret, struct process **ret_process)
{
	struct walked walked;
	int r = walks_step(&a->walks, now_ns, ret, ret_process, &walked);

	if (r == WALKS_GIANT) /* not before its age has come */
		a->choosing.deferred[PLAN_GIANT]++;
	if (r == WALKS_GIANT || r == WALKS_MORE)
		return ADAPT_MORE;
	return r < 0 ? r : finish(a, *ret_process, ret, &walked);
}

static int choose(struct adapt *a, uint64_t tokens_ns, uint64_t total_cost_ns, bool counts)
{
	struct plan_limits limits = {
		.tokens_ns = tokens_ns,
		.interval_ns = a->limits.interval_ns,
		.max_age_ns = a->limits.max_age_ns,
		.giant_age_ns = a->limits.giant_age_ns,
		.stall_ns = a->limits.stall_ns,
		.total_cost_ns = total_cost_ns,
		.pressure = a->pressure,
	};

	if (limits.pressure)
		limits.tokens_ns = budget_cut_ns(&a->budget, tokens_ns, a->limits.interval_ns);
	a->is_broke = false;
	return choosing_end(&a->choosing, &limits, counts);
}

/* What waits for no turn: who was never measured, and whom births and exits have put in doubt. */
static bool is_urgent(
	const struct adapt *a, const struct watch *w, uint64_t *ret_doubt, uint64_t *ret_pss)
{
	struct estimate e;
	uint64_t age_ns;

	if (!w->is_member || !w->is_settled)
		return false;
	*ret_doubt = *ret_pss = w->seen.resident * a->page_bytes;
	if (!w->has_base)
		return !w->measured_ns;
	if (!w->doubt && !relations_broken(w) && !relations_shifted(w))
		return false;
	figures_estimate(&a->figures, w, &e);
	*ret_doubt = choosing_doubt(w, e.low, e.pss, e.high);
	*ret_pss = e.pss;
	age_ns = amount_less(a->begin_ns, w->measured_ns);
	return plan_doubt_matters(*ret_doubt, e.pss, age_ns, a->limits.max_age_ns);
}

int adapt_choose_urgent(struct adapt *a, uint64_t now_ns)
{
	int r = choosing_begin(&a->choosing, a->table->count);
	uint64_t available_ns;

	if (r < 0)
		return r;
	hostsum_after(&a->hostsum, a->reader->procfs->fd);
	faults_look(&a->faults, a->reader, a->table, a->limits.interval_ns, a->limits.max_age_ns);
	relations_renew(&a->relations, a->page_bytes);
	for (size_t i = 0; i < a->table->count; i++) {
		const struct watch *w = a->table->item[i]->watch;
		struct forecast f;
		uint64_t doubt, pss;

		if (!w || walks_has(&a->walks, a->table->item[i]) || !is_urgent(a, w, &doubt, &pss))
			continue;
		f = walks_forecast(&a->walks, w);
		if (f.way == COST_ROLLUP && !f.is_giant)
			choosing_add(&a->choosing, w, i, &f, doubt, pss);
	}
	if (!a->choosing.count)
		return 0;
	available_ns = budget_available_ns(&a->budget, now_ns);
	a->kept_ns = plan_kept_ns(
		available_ns, a->total_cost_ns, a->limits.interval_ns, a->limits.max_age_ns);
	/* Who is put off here may have its turn before the next pass. */
	return choose(a, available_ns - a->kept_ns, 0, false);
}

/* So that the work is spread evenly over the time until the next pass. */
static uint64_t gap_ns(const struct adapt *a, uint64_t now_ns)
{
	uint64_t turns = a->choosing.left_ns / ADAPT_TURN_NS + 1;

	return amount_less(a->due_ns, now_ns) / (turns + 1);
}

/* Whether P is to be measured in the way F, for which it was not chosen, after all. */
static bool may_be_otherwise(const struct forecast *f, const struct choice *choice, bool has_room)
{
	if (f->is_giant)
		return choice->kind == CHOICE_GIANT;
	return f->way != COST_SLICES || has_room;
}

/* Measures the next that was chosen, or begins to. */
static int measure_next(
	struct adapt *a, uint64_t now_ns, struct sample *ret, struct process **ret_process)
{
	bool is_between = a->due_ns != 0, has_room = is_between && walks_have_room(&a->walks);
	struct choice choice;

	while (choosing_next(&a->choosing, has_room || !is_between, &choice)) {
		struct process *p = a->table->item[choice.place];
		struct forecast f;

		if (!p->watch->is_member || walks_has(&a->walks, p))
			continue;
		f = walks_forecast(&a->walks, p->watch);
		if (!may_be_otherwise(&f, &choice, has_room)) {
			if (is_between)
				a->choosing.deferred[f.is_giant ? PLAN_GIANT : PLAN_STALL]++;
			continue;
		}
		a->turn_ns = now_ns + gap_ns(a, now_ns);
		*ret_process = p;
		return f.way == COST_ROLLUP ? measure_whole(a, p, &f, now_ns, ret)
		                            : begin_slices(a, p, &f, now_ns, ret);
	}
	return 0;
}

int adapt_measure(
	struct adapt *a, uint64_t now_ns, struct sample *ret, struct process **ret_process)
{
	bool is_rested = a->due_ns && walks_next_ns(&a->walks) <= amount_add(now_ns, EARLY_NS),
	     is_turn;
	int r = 0;

	a->is_broke = budget_available_ns(&a->budget, now_ns) <= (a->due_ns ? 0 : a->kept_ns);
	if (a->is_broke)
		return 0;
	/* Slices and whole reads take turns where both are due: neither keeps the other waiting. */
	is_turn = now_ns >= a->turn_ns;
	if (!is_rested || is_turn)
		r = measure_next(a, now_ns, ret, ret_process);
	if (r == 0 && is_rested)
		r = step_slices(a, now_ns, ret, ret_process);
	return r;
}

void adapt_begin_estimates(struct adapt *a)
{
	relations_renew(&a->relations, a->page_bytes);
	hostsum_begin(&a->hostsum);
	figures_begin_rows(&a->figures);
}

void adapt_estimate(struct adapt *a, const struct process *p, struct snapshot_process *row)
{
	figures_fill(&a->figures, p, a->previous_ns, row);
}

bool adapt_end_estimates(struct adapt *a, bool is_whole)
{
	/* The first pass is a long one, in which nobody's figures are of one moment. */
	bool is_used = hostsum_end(&a->hostsum,
		is_whole && a->reader->procfs->is_whole && a->previous_ns, a->begin_ns);

	a->faults.is_alarmed |= pool_alarms(&a->hostsum.pool);
	return is_used;
}

/* Who shares a whole address space is one: the process that stands for it has the relations. */
static void set_elsewhere(struct adapt *a, struct process *p, bool is_elsewhere)
{
	struct watch *w = p->watch;

	if (w->is_elsewhere == is_elsewhere)
		return;
	w->is_elsewhere = is_elsewhere;
	if (is_elsewhere) {
		relations_ended(&a->relations, w, false);
		return;
	}
	relations_born(&a->relations, a->table, p,
		p->stat.start_ticks * a->reader->procfs->ns_per_tick, a->page_bytes);
	if (w->has_base)
		relations_measured(&a->relations, a->reader, p, NULL, w->measured_ns);
}

int adapt_plan(struct adapt *a, uint64_t now_ns, uint64_t cpu_ns, uint64_t due_ns,
	struct process *const *members, const struct snapshot_process *rows, size_t count)
{
	bool is_long = false;
	size_t at = 0;
	int r = choosing_begin(&a->choosing, a->table->count);

	budget_charge_pass(&a->budget, now_ns, cpu_ns, due_ns);
	a->due_ns = due_ns;
	choosing_drop(&a->choosing);
	if (r < 0)
		return r;
	faults_heed(&a->faults, a->reader, a->table);
	a->total_cost_ns = 0;
	for (size_t i = 0; i < count; i++) {
		struct process *p = members[i];
		struct watch *w = p->watch;
		const struct plan_item *item;
		struct forecast f;

		set_elsewhere(a, p, rows[i].outcome == OUTCOME_SHARED_MM);
		w->moved = 0;
		while (a->table->item[at] != p)
			at++;
		if (w->is_elsewhere || walks_has(&a->walks, p))
			continue;
		f = walks_forecast(&a->walks, w);
		item = choosing_add(&a->choosing, w, at, &f, choosing_row_doubt(w, &rows[i]),
			rows[i].q[PROCESS_PSS]);
		if (!item->is_giant)
			a->total_cost_ns += item->cost_ns;
		is_long |= w->outcome != OUTCOME_DENIED && (f.way == COST_SLICES || f.is_giant);
	}
	r = choose(a, budget_until_due_ns(&a->budget, now_ns), a->total_cost_ns, true);
	a->turn_ns = now_ns + gap_ns(a, now_ns);
	/* Hosts on which no walk takes long never pay for it. Without a child it is asked again. */
	if (is_long && a->reader->procfs->live)
		(void)disturbance_ask(&a->disturbance);
	return r;
}

/* How long it takes until a turn can be paid for again. */
static uint64_t broke_ns(const struct adapt *a)
{
	uint64_t debt_ns = a->budget.tokens_ns < 0 ? -(uint64_t)a->budget.tokens_ns : 0;

	return amount_part(amount_add(debt_ns, ADAPT_TURN_NS), BUDGET_PPM_MAX, a->budget.rate_ppm);
}

uint64_t adapt_next_ns(const struct adapt *a, uint64_t now_ns)
{
	uint64_t at_ns = walks_next_ns(&a->walks);

	if (!a->due_ns || now_ns >= a->due_ns)
		return UINT64_MAX;
	if (walks_have_room(&a->walks) ? !choosing_is_over(&a->choosing)
				       : choosing_has_unsliced(&a->choosing))
		at_ns = amount_min(at_ns, a->turn_ns);
	if (at_ns == UINT64_MAX)
		return at_ns;
	return amount_max(at_ns, a->is_broke ? amount_add(now_ns, broke_ns(a)) : now_ns);
}
