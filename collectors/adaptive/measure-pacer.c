/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/adaptive/measure-pacer.h"

#include "base/clock.h"
#include "base/saturate.h"

#define EARLY_NS (100 * NS_PER_USEC) /* by how much a timer may be early */

enum {
	/* The part of the budget of an interval for measurements that walks between passes must
	 * leave to the next pass. */
	KEPT_PART = 2,
	/* The part of the interval that a pass plans at most, as CPU time, for measurements that
	 * could wait. */
	WHOLE_PART = 4,
	/* The highest weight of a user or a program that is smaller than the mean. */
	WEIGHT_MAX = 3,
};

void measure_pacer_init(struct measure_pacer *m, struct adaptive_pass *a,
	const struct owner_sums *sums, struct buffer *scratch)
{
	*m = (struct measure_pacer){.adaptive = a, .sums = sums};
	measure_queue_init(&m->queue, scratch);
}

void measure_pacer_done(struct measure_pacer *m)
{
	measure_queue_done(&m->queue);
}

/*
 * After exact passes another process may be at this place: then its flag is wrong until the next
 * plan.
 */
static void set_waiting(
	const struct measure_pacer *m, const struct measure_choice *choice, bool is_waiting)
{
	const struct process_table *table = m->adaptive->table;
	struct tracked *t = choice->place < table->count ? table->item[choice->place]->tracked
	                                                 : NULL;

	if (t)
		t->is_waiting = is_waiting;
}

void measure_pacer_drop(struct measure_pacer *m)
{
	struct measure_queue *q = &m->queue;

	/* These cost more than predicted, or their budget was kept for the next pass, or a brief
	 * pass comes first. */
	q->deferred[m->adaptive->is_brief ? MEASURE_PLAN_PRESSURE : MEASURE_PLAN_BUDGET] +=
		measure_queue_left(q);
	for (size_t i = 0; i < q->chosen; i++)
		if (!q->choice[i].is_taken)
			set_waiting(m, &q->choice[i], true);
	measure_queue_drop(q);
	m->due_ns = 0;
}

/* Finishes the walk WALKED of P, with the sample S. */
static int measure_pacer_finish(struct measure_pacer *m, struct process *p, const struct sample *s,
	const struct page_walk_result *walked)
{
	adaptive_pass_take(m->adaptive, p, s, walked);
	return MEASURE_PACER_SAMPLE;
}

static int measure_whole(struct measure_pacer *m, struct process *p,
	const struct page_walk_forecast *f, uint64_t now_ns, struct sample *ret)
{
	struct page_walk_result walked;
	int r = page_walks_whole(&m->adaptive->walks, p, f, now_ns, ret, &walked);

	return r < 0 ? r : measure_pacer_finish(m, p, ret, &walked);
}

static int begin_slices(struct measure_pacer *m, struct process *p,
	const struct page_walk_forecast *f, uint64_t now_ns, struct sample *ret)
{
	struct page_walk_result walked;
	int r = page_walks_begin_slices(&m->adaptive->walks, p, f, now_ns, ret, &walked);

	if (r == PAGE_WALKS_LOOKED) {
		adaptive_pass_note(m->adaptive, p, ret, clock_now_ns(CLOCK_BOOTTIME));
		return MEASURE_PACER_SAMPLE;
	}
	return r < 0 ? r : measure_pacer_finish(m, p, ret, &walked);
}

static int step_slices(
	struct measure_pacer *m, uint64_t now_ns, struct sample *ret, struct process **ret_process)
{
	struct page_walk_result walked;
	int r = page_walks_step(
		&m->adaptive->walks, m->is_broke, now_ns, ret, ret_process, &walked);

	if (r == PAGE_WALKS_GIANT) /* it waits for the age for giants */
		m->queue.deferred[MEASURE_PLAN_GIANT]++;
	if (r == PAGE_WALKS_GIANT || r == PAGE_WALKS_MORE)
		return MEASURE_PACER_MORE;
	return r < 0 ? r : measure_pacer_finish(m, *ret_process, ret, &walked);
}

/* Returns by how many bytes the estimate of T may be wrong, and writes the estimate to *RET_PSS. */
static uint64_t doubt_of(const struct adaptive_pass *a, const struct tracked *t, uint64_t *ret_pss)
{
	struct estimate e;
	uint64_t stray, doubt;

	/* Memory of no known mapping may be shared with any process: reading the maps tells with
	 * which. */
	stray = sharing_state_strayed(t, a->page_bytes);
	if (t->has_base && !t->doubt && !stray && !cow_faults_broken(t) &&
		!sharing_state_shifted(t) && !sharing_state_unsettled(t) &&
		tracked_is_quiet(t, a->page_bytes)) {
		*ret_pss = estimate_base_pss(&t->base);
		return 0;
	}
	row_estimate_get(&a->estimates, t, &e);
	*ret_pss = e.pss;
	doubt = measure_queue_doubt(t, e.low, e.pss, e.high);
	return saturate_max(saturate_max(doubt, cow_faults_broken(t)), stray);
}

/*
 * Returns BYTES of P times the mean PSS of owners of KIND by the PSS of P's owner in the last pass,
 * but at most WEIGHT_MAX times BYTES: a user with many subordinate uids could make each of them
 * small.
 */
static uint64_t measure_pacer_weighted(const struct measure_pacer *m, const struct process *p,
	enum owner_kind kind, uint64_t bytes)
{
	const struct owner_table *owners = &m->sums->table[kind];
	uint32_t slot = owner_sums_owners(m->sums, p->membership)[kind];
	uint64_t mean = m->sums->host.last_pss / saturate_max(owners->count, 1);

	if (slot == PROCESS_NO_SCOPE)
		return 0;
	return saturate_min(saturate_part(bytes, mean,
				    saturate_max(owner_table_at(owners, slot)->last_pss, bytes)),
		saturate_part(bytes, WEIGHT_MAX, 1));
}

/*
 * Returns how much a measurement of P is worth, in bytes: DOUBT, by which its estimate may be
 * wrong, weighted for the sum of the host, of the user and of the program. A user can give each
 * process another name, so a program counts at most as much as its user.
 */
static uint64_t measure_pacer_worth(
	const struct measure_pacer *m, const struct process *p, uint64_t doubt)
{
	uint64_t user, program;

	if (!doubt || p->membership == PROCESS_NO_SCOPE)
		return doubt;
	user = measure_pacer_weighted(m, p, OWNER_USER, doubt);
	program = measure_pacer_weighted(m, p, OWNER_PROGRAM, doubt);
	return saturate_add(doubt, saturate_add(user, saturate_min(program, user)));
}

/* Returns true if P may be measured. */
static bool measure_pacer_is_candidate(const struct process *p)
{
	const struct tracked *t = p->tracked;

	return t && t->image == TRACKED_SETTLED && t->relations != TRACKED_ELSEWHERE &&
	       !block_is_barred(&p->block);
}

/*
 * Returns true if a pass that measures all measures P. A process that the kernel refuses waits for
 * its turn.
 */
static bool is_of_all(const struct process *p, const struct page_walk_forecast *f)
{
	return f->way == WALK_COST_ROLLUP && !f->is_giant &&
	       (p->tracked->outcome != OUTCOME_DENIED || !p->tracked->measured_ns);
}

static void measure_pacer_add(struct measure_pacer *m, size_t place)
{
	struct adaptive_pass *a = m->adaptive;
	const struct process *p = a->table->item[place];
	const struct tracked *t = p->tracked;
	struct page_walk_forecast f = page_walks_forecast(&a->walks, t);
	uint64_t pss = t->seen.resident * a->page_bytes, doubt = pss;
	/* Forks of a giant are not measured as long as the giant is their speaker. */
	bool is_known = t->has_base || (f.is_giant && sharing_state_speaker(t));
	struct measure_plan_item *item;

	if (page_walks_has(&a->walks, p)) { /* counts for its next walks, too */
		m->total_cost_ns += f.is_giant ? 0 : f.prediction.cpu_ns;
		return;
	}
	if (is_known && !block_is_on(&p->block))
		doubt = saturate_max(doubt_of(a, t, &pss), t->shown_kib * UINT64_C(1024));
	item = measure_queue_add(&m->queue, t, place, &f, doubt, pss);
	item->worth_bytes = measure_pacer_worth(m, p, item->doubt_bytes);
	if (!item->is_giant)
		m->total_cost_ns += item->cost_ns;
	if (is_of_all(p, &f))
		m->all_cost_ns += item->cost_ns;
	m->is_long |= t->outcome != OUTCOME_DENIED && (f.way == WALK_COST_SLICES || f.is_giant);
}

/*
 * Returns the CPU time that this pass may use for measurements that could wait: so much that every
 * pass can use as much.
 */
static uint64_t spare_ns(const struct measure_pacer *m, uint64_t available_ns)
{
	const struct adaptive_pass_limits *l = &m->adaptive->limits;
	uint64_t each_ns = cpu_budget_each_ns(&m->adaptive->budget, l->interval_ns);

	if (m->adaptive->pressure)
		return 0;
	return saturate_min(saturate_part(saturate_min(each_ns, available_ns), l->spare_ppm,
				    CPU_BUDGET_PPM_MAX),
		l->interval_ns / WHOLE_PART);
}

/* Chooses all processes that a pass can measure. */
static void excuse_all(struct measure_pacer *m)
{
	for (size_t i = 0; i < m->queue.count; i++) {
		struct measure_plan_item *item = &m->queue.items[i];
		const struct process *p = m->adaptive->table->item[item->id / CHOICE_KINDS];
		struct page_walk_forecast f = page_walks_forecast(&m->adaptive->walks, p->tracked);

		item->is_excused |= is_of_all(p, &f);
	}
}

/* A process to be measured after the pass keeps its flag: it has not waited yet. */
static void note_waiting(const struct measure_pacer *m)
{
	const struct measure_queue *q = &m->queue;

	for (size_t i = 0; i < q->count; i++) {
		const struct measure_plan_item *item = &q->items[i];
		struct tracked *t = m->adaptive->table->item[item->id / CHOICE_KINDS]->tracked;

		if (i >= q->chosen || item->is_excused)
			t->is_waiting = item->is_deferred;
		/* until it is measured; it may not be, if costs are higher than predicted */
		else if (item->is_in_pass)
			t->is_waiting = true;
	}
}

int measure_pacer_choose(struct measure_pacer *m, uint64_t now_ns)
{
	struct adaptive_pass *a = m->adaptive;
	uint64_t available_ns;
	struct measure_plan_limits limits = {
		.interval_ns = a->limits.interval_ns,
		.max_age_ns = a->limits.max_age_ns,
		.giant_age_ns = a->limits.giant_age_ns,
		.stall_ns = a->limits.stall_ns,
		.pressure = a->pressure,
	};
	int r = measure_queue_begin(&m->queue, a->table->count);

	if (r < 0)
		return r;
	adaptive_pass_end_polls(a);
	m->total_cost_ns = m->all_cost_ns = 0;
	m->is_long = false;
	for (size_t i = 0; i < a->table->count; i++)
		if (measure_pacer_is_candidate(a->table->item[i]))
			measure_pacer_add(m, i);
	available_ns = cpu_budget_available_ns(&a->budget, now_ns);
	if (a->pressure)
		available_ns = cpu_budget_cut_ns(&a->budget, available_ns, limits.interval_ns);
	/* one processor cannot use more */
	limits.tokens_ns = saturate_min(available_ns, limits.interval_ns);
	limits.spare_ns = spare_ns(m, limits.tokens_ns);
	limits.total_cost_ns = m->total_cost_ns;
	m->measures_all = limits.spare_ns && m->all_cost_ns <= limits.spare_ns;
	if (m->measures_all)
		excuse_all(m);
	/* Before anything was measured, predictions say nothing about this host. */
	if (a->begin_ns == a->start_ns)
		m->total_cost_ns = 0;
	m->is_broke = false;
	r = measure_queue_end(&m->queue, &limits);
	if (r == 0)
		note_waiting(m);
	return r;
}

/* Returns the pause between turns that spreads the work evenly until the next pass. */
static uint64_t gap_ns(const struct measure_pacer *m, uint64_t now_ns)
{
	uint64_t turns = m->queue.left_ns / MEASURE_PACER_LENGTH_NS + 1;

	return saturate_less(m->due_ns, now_ns) / (turns + 1);
}

/*
 * Which kinds of choices may be measured now. A pass does not wait for the pauses of slices, nor
 * for giants.
 */
static unsigned int kinds_now(const struct measure_pacer *m)
{
	bool is_between = m->due_ns != 0;

	if (!is_between)
		return CHOICES_WHOLE;
	return page_walks_have_room(&m->adaptive->walks) ? CHOICES_ALL
	                                                 : CHOICES_ALL & ~(1U << CHOICE_SLICES);
}

/* Measures the next chosen process, or begins to. Returns as measure_pacer_measure(). */
static int measure_next(
	struct measure_pacer *m, uint64_t now_ns, struct sample *ret, struct process **ret_process)
{
	struct adaptive_pass *a = m->adaptive;
	unsigned int kinds = kinds_now(m);
	struct measure_choice *choice;

	while ((choice = measure_queue_next(&m->queue, kinds, m->is_broke))) {
		struct process *p = a->table->item[choice->place];
		struct page_walk_forecast f;

		if (!tracked_has_memory(p->tracked) || p->tracked->relations == TRACKED_ELSEWHERE ||
			page_walks_has(&a->walks, p))
			continue;
		f = page_walks_forecast(&a->walks, p->tracked);
		if (f.is_giant && choice->kind != CHOICE_GIANT) {
			m->queue.deferred[MEASURE_PLAN_GIANT]++;
			p->tracked->is_waiting = false;
			continue;
		}
		/* The choice is of another image, or this pass measures all and costs more than
		 * predicted. */
		p->tracked->is_waiting = m->is_broke && !f.is_excused;
		if (p->tracked->is_waiting) {
			m->queue.deferred[MEASURE_PLAN_BUDGET]++;
			continue;
		}
		/* The process has grown, or costs have been learned since: the next plan has it. */
		if (!(kinds >> measure_queue_kind(&f) & 1))
			continue;
		m->turn_ns = now_ns + gap_ns(m, now_ns);
		*ret_process = p;
		return f.way == WALK_COST_ROLLUP ? measure_whole(m, p, &f, now_ns, ret)
		                                 : begin_slices(m, p, &f, now_ns, ret);
	}
	return 0;
}

int measure_pacer_measure(
	struct measure_pacer *m, uint64_t now_ns, struct sample *ret, struct process **ret_process)
{
	struct adaptive_pass *a = m->adaptive;
	bool is_rested, is_turn;
	int r = 0;

	m->is_broke = cpu_budget_available_ns(&a->budget, now_ns) <= (m->due_ns ? m->kept_ns : 0);
	is_rested = m->due_ns &&
	            page_walks_next_ns(&a->walks, m->is_broke) <= saturate_add(now_ns, EARLY_NS);
	/* If slices and whole walks are both due, they alternate: neither keeps the other
	 * waiting. */
	is_turn = now_ns >= m->turn_ns;
	if (!is_rested || is_turn)
		r = measure_next(m, now_ns, ret, ret_process);
	if (r == 0 && is_rested)
		r = step_slices(m, now_ns, ret, ret_process);
	return r;
}

void measure_pacer_end_brief(struct measure_pacer *m, uint64_t now_ns, uint64_t cpu_ns,
	struct process *const *members, const struct snapshot_process *rows, size_t count)
{
	cpu_budget_charge(&m->adaptive->budget, now_ns, cpu_ns);
	for (size_t i = 0; i < count; i++)
		adaptive_pass_set_elsewhere(
			m->adaptive, members[i], rows[i].outcome == OUTCOME_SHARED_MM);
}

void measure_pacer_begin_rest(struct measure_pacer *m, uint64_t now_ns, uint64_t cpu_ns,
	uint64_t due_ns, struct process *const *members, const struct snapshot_process *rows,
	size_t count)
{
	struct adaptive_pass *a = m->adaptive;

	cpu_budget_charge_pass(&a->budget, now_ns, cpu_ns, due_ns);
	m->due_ns = due_ns;
	m->kept_ns = cpu_budget_each_ns(&a->budget, a->limits.interval_ns) / KEPT_PART;
	for (size_t i = 0; i < count; i++) {
		adaptive_pass_set_elsewhere(a, members[i], rows[i].outcome == OUTCOME_SHARED_MM);
		members[i]->tracked->moved = 0;
		members[i]->tracked->shown_kib = saturate_u32(
			measure_queue_row_doubt(members[i]->tracked, &rows[i]) / 1024);
	}
	m->turn_ns = now_ns + gap_ns(m, now_ns);
	/* The lock trial costs nothing on hosts without long walks. If no child can be forked, it
	 * is requested again. */
	if (m->is_long && a->reader->procfs->live)
		(void)lock_trial_ask(&a->lock_trial);
}

/* Returns how long it takes until a turn can be paid for again. */
static uint64_t broke_ns(const struct measure_pacer *m)
{
	const struct cpu_budget *b = &m->adaptive->budget;
	uint64_t needed_ns = saturate_add(m->kept_ns, MEASURE_PACER_LENGTH_NS);
	uint64_t debt_ns = b->tokens_ns < 0 ? -(uint64_t)b->tokens_ns : 0;
	uint64_t tokens_ns = b->tokens_ns > 0 ? (uint64_t)b->tokens_ns : 0;
	uint64_t lacking_ns = saturate_less(saturate_add(needed_ns, debt_ns), tokens_ns);

	return saturate_part(
		saturate_max(lacking_ns, MEASURE_PACER_LENGTH_NS), CPU_BUDGET_PPM_MAX, b->rate_ppm);
}

/* Returns when there is something to measure; with EXCUSED_ALONE, something excused. */
static uint64_t next_ns(const struct measure_pacer *m, bool excused_alone)
{
	const struct page_walks *walks = &m->adaptive->walks;
	uint64_t at_ns = page_walks_next_ns(walks, excused_alone);

	return measure_queue_has(&m->queue, kinds_now(m), excused_alone)
	               ? saturate_min(at_ns, m->turn_ns)
	               : at_ns;
}

uint64_t measure_pacer_next_ns(const struct measure_pacer *m, uint64_t now_ns)
{
	uint64_t at_ns;

	if (!m->due_ns || now_ns >= m->due_ns)
		return UINT64_MAX;
	at_ns = next_ns(m, false);
	if (at_ns == UINT64_MAX || !m->is_broke)
		return saturate_max(at_ns, now_ns);
	at_ns = saturate_max(at_ns, saturate_add(now_ns, broke_ns(m)));
	return saturate_min(at_ns, saturate_max(next_ns(m, true), now_ns));
}
