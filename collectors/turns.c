/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/turns.h"

#include "base/clock.h"
#include "collectors/amount.h"
#include "collectors/fetch.h"

#define EARLY_NS (100 * NS_PER_USEC) /* that a timer may be */

enum { WHOLE_PART = 4 }; /* of the interval, that a pass may take to measure all */

void turns_init(struct turns *t, struct adapt *a, struct buffer *scratch)
{
	*t = (struct turns){.adapt = a};
	choosing_init(&t->choosing, scratch);
}

void turns_done(struct turns *t)
{
	choosing_done(&t->choosing);
}

void turns_end(struct turns *t)
{
	/* Predicted costs would have been paid for, the real ones were not. */
	t->choosing.deferred[PLAN_BUDGET] += t->choosing.chosen - t->choosing.next;
	choosing_drop(&t->choosing);
	t->due_ns = 0;
}

/* The walk WALKED is over, with S. */
static int finish(
	struct turns *t, struct process *p, const struct sample *s, const struct walked *walked)
{
	struct adapt *a = t->adapt;
	uint64_t before_ns = fetch_cpu_ns(a->reader), cpu_ns;

	adapt_take(a, p, s, walked);
	p->watch->was_there = false;
	cpu_ns = fetch_cpu_ns(a->reader) - before_ns;
	if (walked->is_excused)
		budget_excuse(&a->budget, cpu_ns);
	else
		budget_charge(&a->budget, clock_now_ns(CLOCK_MONOTONIC), cpu_ns);
	walks_learn(&a->walks, p, s, walked);
	return TURNS_SAMPLE;
}

static int measure_whole(struct turns *t, struct process *p, const struct forecast *f,
	uint64_t now_ns, struct sample *ret)
{
	struct walked walked;
	int r = walks_whole(&t->adapt->walks, p, f, now_ns, ret, &walked);

	return r < 0 ? r : finish(t, p, ret, &walked);
}

static int begin_slices(struct turns *t, struct process *p, const struct forecast *f,
	uint64_t now_ns, struct sample *ret)
{
	struct walked walked;
	int r = walks_begin_slices(&t->adapt->walks, p, f, now_ns, ret, &walked);

	if (r == WALKS_LOOKED) {
		adapt_note(t->adapt, p, ret);
		if (walks_has(&t->adapt->walks, p))
			relations_walk(&t->adapt->relations, p->watch);
		return TURNS_SAMPLE;
	}
	return r < 0 ? r : finish(t, p, ret, &walked);
}

static int step_slices(
	struct turns *t, uint64_t now_ns, struct sample *ret, struct process **ret_process)
{
	struct walked walked;
	int r = walks_step(&t->adapt->walks, t->is_broke, now_ns, ret, ret_process, &walked);

	if (r == WALKS_GIANT) /* not before its age has come */
		t->choosing.deferred[PLAN_GIANT]++;
	if (r == WALKS_GIANT || r == WALKS_MORE)
		return TURNS_MORE;
	return r < 0 ? r : finish(t, *ret_process, ret, &walked);
}

/* Who is chosen waits until he has his turn: it may turn out that it can't be paid for. */
static void note_waiting(const struct turns *t)
{
	const struct choosing *c = &t->choosing;

	for (size_t i = 0; i < c->count; i++) {
		const struct plan_item *item = &c->items[i];
		bool is_chosen = i < c->chosen && !item->is_excused;

		t->adapt->table->item[item->id / CHOICE_KINDS]->watch->is_waiting =
			is_chosen || item->is_put_off;
	}
}

static int choose(struct turns *t, uint64_t tokens_ns, uint64_t total_cost_ns, bool counts)
{
	const struct adapt *a = t->adapt;
	struct plan_limits limits = {
		.tokens_ns = tokens_ns,
		.interval_ns = a->limits.interval_ns,
		.max_age_ns = a->limits.max_age_ns,
		.giant_age_ns = a->limits.giant_age_ns,
		.stall_ns = a->limits.stall_ns,
		.total_cost_ns = total_cost_ns,
		.pressure = a->pressure,
	};
	int r;

	if (limits.pressure)
		limits.tokens_ns = budget_cut_ns(&a->budget, tokens_ns, a->limits.interval_ns);
	t->is_broke = false;
	r = choosing_end(&t->choosing, &limits, counts);
	if (r == 0)
		note_waiting(t);
	return r;
}

/* What waits for no turn: who was never measured, who maps what nobody knows, and whom births and exits have put in doubt. */
static bool is_urgent(
	const struct adapt *a, const struct process *p, uint64_t *ret_doubt, uint64_t *ret_pss)
{
	const struct watch *w = p->watch;
	struct estimate e;
	uint64_t age_ns, stray;

	*ret_doubt = *ret_pss = w->seen.resident * a->page_bytes;
	if (block_is_on(&p->block))
		return true;
	if (!w->has_base)
		return !w->measured_ns;
	/* Until its maps are read, nobody knows whose figures it has changed, too. */
	stray = relations_strayed(w, a->page_bytes);
	if (!w->doubt && !stray && !relations_broken(w) && !relations_shifted(w) &&
		!relations_unsettled(w))
		return false;
	figures_estimate(&a->figures, w, &e);
	*ret_doubt = amount_max(choosing_doubt(w, e.low, e.pss, e.high), stray);
	*ret_pss = e.pss;
	age_ns = amount_less(a->begin_ns, w->measured_ns);
	return plan_doubt_matters(*ret_doubt, e.pss, age_ns, a->limits.max_age_ns);
}

/* Whether P may be measured in this pass at all, and *RET, how. */
static bool is_candidate(const struct adapt *a, const struct process *p, struct forecast *ret)
{
	const struct watch *w = p->watch;

	if (!w || !w->is_member || !w->is_settled || w->is_elsewhere || walks_has(&a->walks, p) ||
		block_is_put_off(&p->block))
		return false;
	*ret = walks_forecast(&a->walks, w);
	return ret->way == COST_ROLLUP && !ret->is_giant; /* for slices the pass would wait */
}

/* Whether a pass that measures all has P measured. What the kernel has refused is tried again in its turn. */
static bool is_of_all(const struct process *p)
{
	return p->watch->outcome != OUTCOME_DENIED || !p->watch->measured_ns;
}

/*
 * Whether the measurement of all processes fits the budget, in this pass and in each that is like it, and does not make the pass
 * much longer.
 */
static bool all_fit(const struct turns *t, uint64_t available_ns)
{
	const struct adapt *a = t->adapt;
	uint64_t each_ns = budget_each_ns(&a->budget, a->limits.interval_ns);
	uint64_t part_ns = amount_part(
		amount_min(each_ns, available_ns), a->limits.whole_ppm, BUDGET_PPM_MAX);
	uint64_t most_ns = amount_min(part_ns, a->limits.interval_ns / WHOLE_PART);
	uint64_t cost_ns = 0;
	struct forecast f;

	if (!a->limits.whole_ppm || a->pressure)
		return false;
	for (size_t i = 0; i < a->table->count && cost_ns <= most_ns; i++) {
		const struct process *p = a->table->item[i];

		if (is_candidate(a, p, &f) && is_of_all(p))
			cost_ns = amount_add(cost_ns, f.prediction.cpu_ns);
	}
	return cost_ns <= most_ns;
}

int turns_choose_urgent(struct turns *t, uint64_t now_ns)
{
	struct adapt *a = t->adapt;
	int r = choosing_begin(&t->choosing, a->table->count);
	uint64_t available_ns;

	if (r < 0)
		return r;
	adapt_end_senses(a);
	available_ns = budget_available_ns(&a->budget, now_ns);
	t->measures_all = all_fit(t, available_ns);
	for (size_t i = 0; i < a->table->count; i++) {
		const struct process *p = a->table->item[i];
		uint64_t doubt = 0, pss = 0;
		struct forecast f;

		if (!is_candidate(a, p, &f) ||
			(!is_urgent(a, p, &doubt, &pss) && !(t->measures_all && is_of_all(p))))
			continue;
		choosing_add(&t->choosing, p->watch, i, &f, doubt, pss)->is_excused |=
			t->measures_all;
	}
	if (!t->choosing.count)
		return 0;
	/* A pass that measures all processes leaves none to refresh later. */
	t->kept_ns = t->measures_all ? 0
	                             : plan_kept_ns(available_ns, t->total_cost_ns,
					       a->limits.interval_ns, a->limits.max_age_ns);
	/* Who is put off here may have its turn before the next pass. */
	return choose(t, available_ns - t->kept_ns, 0, false);
}

/* So that the work is spread evenly over the time until the next pass. */
static uint64_t gap_ns(const struct turns *t, uint64_t now_ns)
{
	uint64_t turns = t->choosing.left_ns / TURNS_LENGTH_NS + 1;

	return amount_less(t->due_ns, now_ns) / (turns + 1);
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
	struct turns *t, uint64_t now_ns, struct sample *ret, struct process **ret_process)
{
	struct adapt *a = t->adapt;
	bool is_between = t->due_ns != 0, has_room = is_between && walks_have_room(&a->walks);
	struct choice choice;

	while (choosing_next(&t->choosing, has_room || !is_between, t->is_broke, &choice)) {
		struct process *p = a->table->item[choice.place];
		struct forecast f;

		if (!p->watch->is_member || walks_has(&a->walks, p))
			continue;
		f = walks_forecast(&a->walks, p->watch);
		/* Another image by now; or a pass that measures all costs more than was predicted. */
		if (t->is_broke && !f.is_excused) {
			t->choosing.deferred[PLAN_BUDGET] += is_between;
			continue;
		}
		p->watch->is_waiting = false;
		if (!may_be_otherwise(&f, &choice, has_room)) {
			if (is_between)
				t->choosing.deferred[f.is_giant ? PLAN_GIANT : PLAN_STALL]++;
			continue;
		}
		t->turn_ns = now_ns + gap_ns(t, now_ns);
		*ret_process = p;
		return f.way == COST_ROLLUP ? measure_whole(t, p, &f, now_ns, ret)
		                            : begin_slices(t, p, &f, now_ns, ret);
	}
	return 0;
}

int turns_measure(
	struct turns *t, uint64_t now_ns, struct sample *ret, struct process **ret_process)
{
	struct adapt *a = t->adapt;
	bool is_rested, is_turn;
	int r = 0;

	t->is_broke = budget_available_ns(&a->budget, now_ns) <= (t->due_ns ? 0 : t->kept_ns);
	is_rested = t->due_ns &&
	            walks_next_ns(&a->walks, t->is_broke) <= amount_add(now_ns, EARLY_NS);
	/* Slices and whole reads take turns where both are due: neither keeps the other waiting. */
	is_turn = now_ns >= t->turn_ns;
	if (!is_rested || is_turn)
		r = measure_next(t, now_ns, ret, ret_process);
	if (r == 0 && is_rested)
		r = step_slices(t, now_ns, ret, ret_process);
	return r;
}

int turns_plan(struct turns *t, uint64_t now_ns, uint64_t cpu_ns, uint64_t due_ns,
	struct process *const *members, const struct snapshot_process *rows, size_t count)
{
	struct adapt *a = t->adapt;
	bool is_long = false;
	size_t at = 0;
	int r = choosing_begin(&t->choosing, a->table->count);

	budget_charge_pass(&a->budget, now_ns, cpu_ns, due_ns);
	t->due_ns = due_ns;
	choosing_drop(&t->choosing);
	if (r < 0)
		return r;
	t->total_cost_ns = 0;
	for (size_t i = 0; i < count; i++) {
		struct process *p = members[i];
		struct watch *w = p->watch;
		const struct plan_item *item;
		struct forecast f;

		adapt_set_elsewhere(a, p, rows[i].outcome == OUTCOME_SHARED_MM);
		w->moved = 0;
		while (a->table->item[at] != p)
			at++;
		if (w->is_elsewhere || walks_has(&a->walks, p) || block_is_put_off(&p->block))
			continue;
		f = walks_forecast(&a->walks, w);
		if (t->measures_all && w->measured_ns >= a->begin_ns) {
			t->total_cost_ns +=
				f.prediction.cpu_ns; /* the next pass measures it, too */
			continue;
		}
		item = choosing_add(&t->choosing, w, at, &f, choosing_row_doubt(w, &rows[i]),
			rows[i].q[PROCESS_PSS]);
		if (!item->is_giant)
			t->total_cost_ns += item->cost_ns;
		is_long |= w->outcome != OUTCOME_DENIED && (f.way == COST_SLICES || f.is_giant);
	}
	r = choose(t, budget_until_due_ns(&a->budget, now_ns), t->total_cost_ns, true);
	t->turn_ns = now_ns + gap_ns(t, now_ns);
	/* Hosts on which no walk takes long never pay for it. Without a child it is asked again. */
	if (is_long && a->reader->procfs->live)
		(void)disturbance_ask(&a->disturbance);
	return r;
}

/* How long it takes until a turn can be paid for again. */
static uint64_t broke_ns(const struct turns *t)
{
	const struct budget *b = &t->adapt->budget;
	uint64_t debt_ns = b->tokens_ns < 0 ? -(uint64_t)b->tokens_ns : 0;

	return amount_part(amount_add(debt_ns, TURNS_LENGTH_NS), BUDGET_PPM_MAX, b->rate_ppm);
}

/* When there is one, EXCUSED_ALONE: that is excused. */
static uint64_t next_ns(const struct turns *t, bool excused_alone)
{
	const struct walks *walks = &t->adapt->walks;
	uint64_t at_ns = walks_next_ns(walks, excused_alone);

	return choosing_has(&t->choosing, walks_have_room(walks), excused_alone)
	               ? amount_min(at_ns, t->turn_ns)
	               : at_ns;
}

uint64_t turns_next_ns(const struct turns *t, uint64_t now_ns)
{
	uint64_t at_ns;

	if (!t->due_ns || now_ns >= t->due_ns)
		return UINT64_MAX;
	at_ns = next_ns(t, false);
	if (at_ns == UINT64_MAX || !t->is_broke)
		return amount_max(at_ns, now_ns);
	at_ns = amount_max(at_ns, amount_add(now_ns, broke_ns(t)));
	return amount_min(at_ns, amount_max(next_ns(t, true), now_ns));
}
