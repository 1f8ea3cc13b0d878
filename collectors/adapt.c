/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/adapt.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "collectors/amount.h"
#include "collectors/sense.h"
#include "collectors/watch.h"
#include "snapshot/metric.h"

#define LOOK_MAX_AGE_NS (120 * NS_PER_SEC) /* of status, where nothing else asks for it */
#define SLICE_ABOVE_NS  (2 * NS_PER_MSEC)  /* longer holds than this are sliced */
#define PAUSE_NS        (2 * NS_PER_MSEC) /* between slices: they, and not the slices, are what helps */
enum { GUESS_TIMES = 16, LOOKS_IN_AN_AGE = 8 };

#define REFUSED_COST_NS (5 * NS_PER_USEC) /* of an open that is denied */

void adapt_init(struct adapt *a, struct process_reader *reader, const struct proctable *table,
	struct buffer *scratch)
{
	long page = sysconf(_SC_PAGESIZE), cpus = sysconf(_SC_NPROCESSORS_ONLN);

	*a = (struct adapt){
		.reader = reader,
		.table = table,
		.scratch = scratch,
		.page_bytes = page > 0 ? (uint64_t)page : 4096,
		.cpus = cpus > 0 ? (uint32_t)cpus : 1,
		.counts.errors.id = HISTOGRAM_ESTIMATE_ERROR,
	};
	slices_init(&a->slices);
	for (unsigned int way = 0; way < COST_WAYS; way++)
		cost_init(&a->model[way], (enum cost_way)way);
}

void adapt_done(struct adapt *a)
{
	slices_done(&a->slices);
	relations_done(&a->relations);
	free(a->choice);
	a->choice = NULL;
}

void adapt_set_limits(struct adapt *a, const struct adapt_limits *limits)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);

	if (!a->budget.rate_ppm)
		budget_init(&a->budget, limits->cpu_ppm, now_ns);
	else if (a->budget.rate_ppm != limits->cpu_ppm)
		budget_set_rate(&a->budget, limits->cpu_ppm, now_ns);
	if (a->limits.max_age_ns != limits->max_age_ns)
		pool_init(&a->pool, limits->max_age_ns);
	a->limits = *limits;
}

static void end_slices(struct adapt *a)
{
	a->counts.slices += a->slices.count;
	a->slices.count = 0;
	slices_drop(&a->slices);
}

void adapt_forget(struct adapt *a, struct process *p)
{
	if (a->slices.process == p) {
		end_slices(a);
		a->counts.discarded++;
	}
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

void adapt_list(struct adapt *a)
{
	a->chosen = a->next = 0; /* by places in a table that is about to move */
	a->due_ns = 0;
	a->previous_ns = a->begin_ns;
	a->begin_ns = clock_now_ns(CLOCK_BOOTTIME);
	relations_begin(&a->relations, a->begin_ns);
}

static void read_meminfo(const struct adapt *a, struct meminfo *ret)
{
	if (meminfo_read(a->reader->procfs->fd, ret) < 0)
		*ret = (struct meminfo){0};
}

static void read_psi(struct adapt *a)
{
	if (psi_read(a->reader->procfs->fd, &a->psi) < 0)
		a->psi = (struct psi){0};
}

void adapt_begin(struct adapt *a)
{
	a->file_pss = a->next_file_pss;
	a->file_rss = a->next_file_rss;
	a->next_file_pss = a->next_file_rss = 0;
	read_vmstat(a);
	read_psi(a);
	read_meminfo(a, &a->before);
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
		relations_born(&a->relations, a->table, p, born_ns);
}

static int look(struct adapt *a, struct process *p, uint64_t now_ns, struct sample *ret)
{
	uint64_t now_boot_ns = clock_now_ns(CLOCK_BOOTTIME);
	int r = process_look(a->reader, p, now_ns, ret);

	if (r < 0)
		return r;
	note(a, p, ret, now_boot_ns);
	return ADAPT_SAMPLE;
}

/* Charges what passes do not have to do again and again. */
static void charge(struct adapt *a, uint64_t cpu_ns)
{
	a->charged_ns += cpu_ns;
	budget_charge(&a->budget, clock_now_ns(CLOCK_MONOTONIC), cpu_ns);
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
	r = look(a, p, now_ns, ret);
	if (r >= 0 && is_first)
		p->watch->looked_ns -= amount_min(first_age_ns(a, p), p->watch->looked_ns);
	charge(a, clock_now_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns);
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
		return look(a, p, now_ns, ret);
	if (!w->is_member && !m.size) /* still a kernel thread or a zombie */
		return 0;
	if (w->is_member && w->is_seen && statm_is_same(&m, &w->seen) && !is_look_due(a, w)) {
		if (now_ns - p->cgroup_ns < a->reader->cgroup_max_age_ns)
			return 0;
		e = process_read_cgroup(a->reader, p, now_ns, ret);
		return e < 0 ? e : ret->has_cgroup ? ADAPT_SAMPLE : 0;
	}
	return look(a, p, now_ns, ret);
}

/* What a walk of P would meet now. */
static struct cost_work work_of(const struct adapt *a, const struct watch *w)
{
	uint64_t rss = w->seen.resident * a->page_bytes, huge = (uint64_t)w->huge_kib * 1024;
	struct cost_work work = cost_work_of(rss, amount_min(huge, rss));
	uint64_t largest;

	work.mappings = w->mappings;
	if (w->largest_kib) { /* all that it has grown by may be in it */
		largest = w->largest_kib + amount_less(rss / 1024, w->mapped_kib);
		work.largest_pages = amount_min(largest / 4, work.pages);
	}
	return work;
}

struct forecast {
	enum cost_way way;
	struct cost_work work;
	struct cost_prediction prediction;
	bool is_giant;
};

/* In which way P is to be measured, and what it will cost. */
static struct forecast forecast(const struct adapt *a, const struct watch *w)
{
	struct forecast f = {.work = work_of(a, w)};

	f.prediction = cost_predict(
		&a->model[COST_ROLLUP], &f.work, w->by_slices ? NULL : &w->habit);
	if (f.prediction.hold_ns <= SLICE_ABOVE_NS)
		return f;
	f.way = COST_SLICES;
	f.prediction = cost_predict(
		&a->model[COST_SLICES], &f.work, w->by_slices ? &w->habit : NULL);
	if (!f.work.largest_pages) /* maps will tell before the walk begins */
		f.prediction.hold_ns = amount_min(f.prediction.hold_ns, SLICE_ABOVE_NS);
	if (f.prediction.hold_ns <= a->limits.stall_ns)
		return f;
	/* Slicing is of no use: the one hold that is too long stays, so the cheaper way will do. */
	f.way = COST_ROLLUP;
	f.prediction = cost_predict(
		&a->model[COST_ROLLUP], &f.work, w->by_slices ? NULL : &w->habit);
	f.is_giant = true;
	return f;
}

/* What is estimated of one that was never measured: all of its own but the files, shared as others' are. */
static void guess(const struct adapt *a, const struct watch *w, struct estimate *ret)
{
	struct estimate_now now = watch_now(w, a->page_bytes);
	uint64_t pss = amount_min(a->file_pss, a->file_rss); /* counters may be a little late */
	uint64_t file = a->file_rss ? amount_part(now.file, pss, a->file_rss) : now.file / 2;

	*ret = (struct estimate){
		.pss_anon = now.anon,
		.pss_file = file,
		.pss = now.anon + file,
		.high = now.anon + now.file,
		.uss = now.anon,
		.swap_pss = now.swap,
	};
}

static void estimate(const struct adapt *a, const struct watch *w, struct estimate *ret)
{
	if (!relations_estimate(w, a->page_bytes, NULL, ret, NULL))
		guess(a, w, ret);
}

/* How far off the estimate was that a measurement replaces, in parts of what it found. */
static void count_error(struct adapt *a, uint64_t estimated, uint64_t found)
{
	uint64_t off = estimated > found ? estimated - found : found - estimated;
	uint64_t error = found ? amount_part(off, NS_PER_SEC, found) : off ? NS_PER_SEC : 0;
	struct snapshot_histogram *h = &a->counts.errors;

	h->bucket[metric_histogram_bucket(metric_histogram(h->id), error)]++;
	h->count++;
	h->sum_ns = amount_add(h->sum_ns, error);
}

/* Whether W shares so much anonymous memory that it would have to be measured if it wrote to that. */
static bool may_break(const struct adapt *a, const struct watch *w)
{
	const struct estimate_base *b = &w->base;

	return plan_doubt_matters(relations_room(w), b->pss_anon + b->pss_file + b->pss_shmem,
		a->limits.max_age_ns, a->limits.max_age_ns);
}

/*
 * A write to memory that is shared copies a page and moves no counter but that of faults. Looks at those of
 * all who may, or, in each pass, at some in turn.
 */
static void read_faults(struct adapt *a, bool all)
{
	uint64_t turns = amount_max(
		a->limits.max_age_ns / a->limits.interval_ns / LOOKS_IN_AN_AGE, 1);
	uint64_t faults;

	a->turn++;
	for (size_t i = 0; i < a->table->count; i++) {
		struct process *p = a->table->item[i];
		struct watch *w = p->watch;

		if (!w || !w->has_base || !w->has_faults || w->is_elsewhere ||
			(!all && ((uint64_t)p->pid + a->turn) % turns))
			continue;
		if (process_faults(a->reader, p, &faults) == 0)
			relations_faulted(w, faults, a->page_bytes, clock_now_ns(CLOCK_BOOTTIME));
		/* Where one has, others may have at the same time. */
		if (!w->calm && w->broken_kib && relations_broken(w) >= relations_room(w) / 4)
			a->is_alarmed = true;
	}
}

/* Takes over S, which is to be a measurement of P. */
static void take(struct adapt *a, struct process *p, const struct sample *s)
{
	uint64_t now_boot_ns = clock_now_ns(CLOCK_BOOTTIME);
	struct watch *w = p->watch;
	struct estimate_base base;
	struct estimate before;
	struct statm after, *seen = NULL;
	uint64_t faults;
	bool had_base;

	note(a, p, s, now_boot_ns);
	if (!s->is_member)
		return;
	had_base = w->has_base;
	base = w->base;
	if (had_base)
		estimate(a, w, &before);
	if (ROW_HAS(s, PROCESS_PSS) && sense_read(a->reader, p, &after) == 0 && after.size)
		seen = &after;
	if (watch_measure(w, s, seen, now_boot_ns, a->page_bytes)) {
		relations_measured(
			&a->relations, a->reader, p, had_base ? &base : NULL, now_boot_ns);
		if (had_base) {
			relations_broke(w, &before, now_boot_ns);
			count_error(a, before.pss, s->q[PROCESS_PSS]);
			pool_measured(&a->pool, &before, &w->base);
		}
		w->has_faults = may_break(a, w) && process_faults(a->reader, p, &faults) == 0;
		w->faults = w->has_faults ? (uint32_t)faults : 0;
	} else if (s->outcome == OUTCOME_DENIED || s->outcome == OUTCOME_CHANGING) {
		w->has_base =
			false; /* an earlier figure would hide that it can't be had any more */
	}
}

static void count_read(struct adapt *a, enum cost_way way, uint64_t predicted_ns, uint64_t cpu_ns)
{
	a->counts.reads[way]++;
	a->counts.predicted_ns += predicted_ns;
	a->counts.used_ns += cpu_ns;
	charge(a, cpu_ns);
}

static void learn(struct adapt *a, enum cost_way way, struct watch *w, const struct sample *s,
	uint64_t cpu_ns)
{
	struct cost_work work = work_of(a, w);
	bool by_slices = way == COST_SLICES;

	if (s->outcome != OUTCOME_MEASURED)
		return;
	if (w->by_slices != by_slices) {
		w->by_slices = by_slices;
		w->habit = (struct cost_habit){{0, 0}};
	}
	/* Of a new image names were read besides: no habit of its walks. */
	cost_learn(&a->model[way], &work, s->is_renamed ? NULL : &w->habit, cpu_ns);
}

static int measure_whole(struct adapt *a, struct process *p, const struct forecast *f,
	uint64_t now_ns, struct sample *ret)
{
	uint64_t before_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID), cpu_ns;
	int r = process_read(a->reader, p, now_ns, ret);

	if (r < 0)
		return r;
	cpu_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns;
	count_read(a, COST_ROLLUP, f->prediction.cpu_ns, cpu_ns);
	take(a, p, ret);
	learn(a, COST_ROLLUP, p->watch, ret, cpu_ns);
	return ADAPT_SAMPLE;
}

/* The walk by slices is over, with S. */
static int finish_slices(struct adapt *a, struct process *p, struct sample *s)
{
	struct watch *w = p->watch;

	end_slices(a);
	count_read(a, COST_SLICES, a->slices_predicted_ns, a->slices_ns);
	take(a, p, s);
	if (s->outcome != OUTCOME_MEASURED) {
		a->counts.discarded++;
		return ADAPT_SAMPLE;
	}
	w->largest_kib = (uint32_t)amount_min(a->slices.largest_rss / 1024 + 1, UINT32_MAX);
	w->mapped_kib = (uint32_t)amount_min(s->q[PROCESS_RSS] / 1024, UINT32_MAX);
	learn(a, COST_SLICES, w, s, a->slices_ns);
	return ADAPT_SAMPLE;
}

/* Before the first walk by slices: whether a mapping may be too large for one. */
static void find_largest(struct adapt *a, struct process *p)
{
	uint64_t before_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID), largest;
	struct watch *w = p->watch;
	uint64_t rss_kib = w->seen.resident * a->page_bytes / 1024;

	if (relations_largest(a->reader, p, &largest) == 0) {
		w->largest_kib = (uint32_t)amount_min(
			amount_min(largest / 1024 + 1, rss_kib), UINT32_MAX);
		w->mapped_kib = (uint32_t)amount_min(rss_kib, UINT32_MAX);
	}
	charge(a, clock_now_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns);
}

static int begin_slices(struct adapt *a, struct process *p, const struct forecast *f,
	uint64_t now_ns, struct sample *ret)
{
	uint64_t before_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID);
	int r = slices_begin(&a->slices, a->reader, p, now_ns, ret);

	a->slices_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns;
	a->slices_predicted_ns = f->prediction.cpu_ns;
	if (r < 0)
		return r;
	if (!slices_are_under_way(&a->slices))
		return finish_slices(a, p, ret);
	if (ret->is_new_image) /* nobody knows how large this one is */
		end_slices(a);
	note(a, p, ret, clock_now_ns(CLOCK_BOOTTIME));
	return ADAPT_SAMPLE;
}

static int step_slices(
	struct adapt *a, uint64_t now_ns, struct sample *ret, struct process **ret_process)
{
	uint64_t before_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID);
	struct process *p = a->slices.process;
	int r = slices_step(&a->slices, a->reader, now_ns, ret);

	a->slices_ns += clock_now_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns;
	if (r == SLICES_MORE)
		return ADAPT_MORE;
	if (r < 0)
		return r;
	*ret_process = p;
	return finish_slices(a, p, ret);
}

static void add_item(struct adapt *a, const struct process *p, uint32_t id, uint64_t doubt_bytes,
	uint64_t pss_bytes, struct plan_item *to)
{
	const struct watch *w = p->watch;
	bool is_refused = w->outcome == OUTCOME_DENIED && w->measured_ns;
	struct forecast f = forecast(a, w);
	uint64_t since_ns = w->has_base || is_refused ? w->measured_ns : w->first_ns;

	*to = (struct plan_item){
		.id = id,
		.is_new = !w->has_base && !is_refused,
		.is_giant = f.is_giant,
		.cost_ns = is_refused ? REFUSED_COST_NS : f.prediction.cpu_ns,
		.hold_ns = is_refused ? 0 : f.prediction.hold_ns,
		.doubt_bytes = is_refused ? 0 : doubt_bytes,
		.pss_bytes = pss_bytes,
		.age_ns = amount_less(clock_now_ns(CLOCK_BOOTTIME), since_ns),
	};
	/* Of a giant that was never measured nothing is known: that is worth the one long hold. */
	if (to->is_giant && to->is_new)
		to->age_ns = amount_max(to->age_ns, a->limits.giant_age_ns);
}

static int choose(struct adapt *a, struct plan_item *items, size_t count, uint64_t tokens_ns,
	uint64_t total_cost_ns)
{
	struct plan_counts counts;
	struct plan_limits limits = {
		.tokens_ns = tokens_ns,
		.interval_ns = a->limits.interval_ns,
		.max_age_ns = a->limits.max_age_ns,
		.giant_age_ns = a->limits.giant_age_ns,
		.stall_ns = a->limits.stall_ns,
		.total_cost_ns = total_cost_ns,
		.round = ++a->round,
		.pressure = psi_level(&a->psi),
	};
	size_t n;

	if (limits.pressure)
		limits.tokens_ns = budget_cut_ns(&a->budget, tokens_ns, a->limits.interval_ns);
	n = plan_choose(items, count, &limits, &counts);

	a->chosen = a->next = 0;
	a->is_broke = false;
	if (n > a->capacity) {
		struct adapt_choice *choice = reallocarray(a->choice, n, sizeof(*choice));

		if (!choice)
			return -ENOMEM;
		a->choice = choice;
		a->capacity = n;
	}
	for (size_t i = 0; i < n; i++)
		a->choice[i] = (struct adapt_choice){
			.id = items[i].id,
			.cost_us = (uint32_t)amount_min(items[i].cost_ns / 1000, UINT32_MAX),
		};
	a->chosen = n;
	a->left_ns = counts.chosen_ns;
	for (unsigned int i = 0; i < PLAN_REASONS; i++)
		a->counts.deferred[i] += counts.deferred[i];
	return 0;
}

/* Room for one item for each process. */
static struct plan_item *get_items(struct adapt *a)
{
	buffer_clear(a->scratch);
	return (struct plan_item *)(void *)buffer_reserve(
		a->scratch, (a->table->count + 1) * sizeof(struct plan_item));
}

static uint64_t size_of(int64_t v)
{
	return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

/*
 * How far off the estimate of W may be, for the plan. The bounds of what births and exits have done hold the
 * worst: that whoever is gone had shared with this one alone. So it can be of few, and all that might
 * be such would be measured for it: not more of that counts than so many times the guess.
 */
static uint64_t doubt_of(const struct watch *w, uint64_t low, uint64_t pss, uint64_t high)
{
	uint64_t doubt = amount_max(high - pss, pss - low), events, likely;
	const struct estimate_doubt *d = w->has_base ? w->doubt : NULL;

	if (!d)
		return doubt;
	events = amount_max(
		amount_add(d->anon_up, d->file_up), amount_add(d->anon_down, d->file_down));
	likely = amount_add(relations_turnover(w), size_of(d->anon_mid) + size_of(d->file_mid));
	likely = amount_part(likely, GUESS_TIMES, 1);
	return amount_add(amount_less(doubt, events), amount_min(events, likely));
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
	if (!w->doubt && !relations_broken(w))
		return false;
	estimate(a, w, &e);
	*ret_doubt = doubt_of(w, e.low, e.pss, e.high);
	*ret_pss = e.pss;
	age_ns = amount_less(a->begin_ns, w->measured_ns);
	return plan_doubt_matters(*ret_doubt, e.pss, age_ns, a->limits.max_age_ns);
}

static uint64_t row_doubt(const struct watch *w, const struct snapshot_process *row)
{
	uint64_t pss = row->q[PROCESS_PSS];
	uint64_t doubt = doubt_of(w, amount_min(row->q[PROCESS_PSS_LOW], pss), pss,
		amount_max(row->q[PROCESS_PSS_HIGH], pss));

	return amount_max(doubt, relations_broken(w));
}

int adapt_choose_urgent(struct adapt *a, uint64_t now_ns)
{
	struct adapt_counts counts =
		a->counts; /* who is deferred here may have its turn before the next pass */
	struct plan_item *items = get_items(a);
	size_t count = 0;
	int r = 0;

	if (!items)
		return -ENOMEM;
	read_meminfo(a, &a->after);
	read_faults(a, false);
	relations_renew(&a->relations, a->page_bytes);
	for (size_t i = 0; i < a->table->count; i++) {
		const struct process *p = a->table->item[i];
		const struct watch *w = p->watch;
		struct forecast f;
		uint64_t doubt, pss;

		if (!w || !is_urgent(a, w, &doubt, &pss))
			continue;
		f = forecast(a, w);
		if (f.way == COST_ROLLUP && !f.is_giant)
			add_item(a, p, (uint32_t)i, doubt, pss, &items[count++]);
	}
	if (count)
		r = choose(a, items, count, budget_available_ns(&a->budget, now_ns), 0);
	a->counts = counts;
	return r;
}

int adapt_measure(
	struct adapt *a, uint64_t now_ns, struct sample *ret, struct process **ret_process)
{
	bool is_between = a->due_ns != 0;

	if (is_between && slices_are_under_way(&a->slices))
		return step_slices(a, now_ns, ret, ret_process);
	while (a->next < a->chosen) {
		const struct adapt_choice *item = &a->choice[a->next];
		struct process *p = a->table->item[item->id];
		struct forecast f;

		a->is_broke = !budget_available_ns(&a->budget, now_ns);
		if (a->is_broke)
			return 0;
		a->next++;
		a->left_ns = amount_less(a->left_ns, item->cost_us * NS_PER_USEC);
		if (!p->watch->is_member)
			continue;
		f = forecast(a, p->watch);
		*ret_process = p;
		if (f.way == COST_SLICES && is_between && !p->watch->largest_kib) {
			find_largest(a, p);
			f = forecast(a, p->watch);
			if (f.is_giant && p->watch->has_base) { /* not before its age has come */
				a->counts.deferred[PLAN_GIANT]++;
				continue;
			}
		}
		if (f.way == COST_ROLLUP)
			return measure_whole(a, p, &f, now_ns, ret);
		if (is_between)
			return begin_slices(a, p, &f, now_ns, ret);
	}
	return 0;
}

void adapt_begin_estimates(struct adapt *a)
{
	relations_renew(&a->relations, a->page_bytes);
	pool_begin(&a->pool);
	a->measured_ns = 0;
}

uint64_t adapt_oldest_ns(const struct adapt *a)
{
	return a->measured_ns ? amount_less(clock_now_ns(CLOCK_BOOTTIME), a->measured_ns) : 0;
}

void adapt_estimate(struct adapt *a, const struct process *p, struct snapshot_process *row)
{
	const struct watch *w = p->watch;
	bool is_measured = w->has_base && !w->doubt && w->measured_ns >= a->previous_ns &&
	                   watch_is_quiet(w, a->page_bytes);
	bool is_failed = !w->has_base && w->measured_ns && w->outcome != OUTCOME_MEASURED;
	struct estimate e;

	row->pid = (uint32_t)p->pid;
	row->uid = p->uid;
	if (is_failed || !(w->present >> PROCESS_RSS & 1)) {
		row->outcome = w->outcome;
		row->source = (w->present >> PROCESS_RSS) & 1 ? SOURCE_RSS : SOURCE_NONE;
		watch_fill(w, NULL, a->page_bytes, row);
		return;
	}
	estimate(a, w, &e);
	row->outcome = OUTCOME_MEASURED;
	row->source = is_measured ? w->source : SOURCE_ESTIMATE;
	watch_fill(w, &e, a->page_bytes, row);
	if (w->has_base && (!a->measured_ns || w->measured_ns < a->measured_ns))
		a->measured_ns = w->measured_ns;
	if (w->has_base) {
		a->next_file_pss += w->base.pss_file + w->base.pss_shmem;
		a->next_file_rss += w->base.file;
	}
}

void adapt_pool_add(struct adapt *a, const struct process *p, const struct snapshot_process *row)
{
	const struct watch *w = p->watch, *speaker;
	struct estimate_now now = watch_now(w, a->page_bytes);
	struct pool_member m = {.now = &now, .moved_bytes = w->moved * a->page_bytes};
	struct estimate e;

	if (row->outcome == OUTCOME_SHARED_MM)
		return;
	if (row->outcome != OUTCOME_MEASURED ||
		!relations_estimate(w, a->page_bytes, NULL, &e, &speaker)) {
		pool_add_unread(&a->pool, now.anon, now.file);
		return;
	}
	m.base = &speaker->base;
	m.estimate = &e;
	m.measured_ns = speaker->measured_ns;
	pool_add(&a->pool, &m);
}

/* Of the host's sum FIELD before and after: the middle, and by how much that may be off. */
static bool middle(
	const struct adapt *a, enum meminfo_field field, uint64_t *ret, uint64_t *ret_unsure)
{
	uint64_t before = a->before.q[field], after = a->after.q[field];

	*ret = amount_min(before, after);
	*ret_unsure = (amount_max(before, after) - *ret + 1) / 2;
	*ret += *ret_unsure;
	return ROW_HAS(&a->before, field) && ROW_HAS(&a->after, field);
}

bool adapt_pool_end(struct adapt *a, bool is_whole)
{
	struct pool_host host = {
		/* The first pass is a long one, in which nobody's figures are of one moment. */
		.is_whole = is_whole && a->reader->procfs->is_whole && a->previous_ns,
		.page_bytes = a->page_bytes,
		.cpus = a->cpus,
		.now_ns = a->begin_ns,
	};
	bool is_used;

	if (!middle(a, MEMINFO_ANON_PAGES, &host.anon, &host.anon_unsure) ||
		!middle(a, MEMINFO_MAPPED, &host.mapped, &host.mapped_unsure))
		host.is_whole = false;
	is_used = pool_end(&a->pool, &host);
	a->is_alarmed |= pool_alarms(&a->pool);
	return is_used;
}

void adapt_pool_settle(struct adapt *a, const struct process *p, struct snapshot_process *row)
{
	const struct watch *w = p->watch, *speaker;
	struct estimate_now now = watch_now(w, a->page_bytes);
	struct pool_member m = {.now = &now, .moved_bytes = w->moved * a->page_bytes};
	struct estimate_doubt doubt;
	struct estimate e;

	if (row->outcome != OUTCOME_MEASURED ||
		!relations_estimate(w, a->page_bytes, NULL, &e, &speaker))
		return;
	m.base = &speaker->base;
	m.estimate = &e;
	m.measured_ns = speaker->measured_ns;
	pool_doubt(&a->pool, &m, &doubt);
	if (!relations_estimate(w, a->page_bytes, &doubt, &e, &speaker))
		return;
	pool_narrow(&a->pool, &e);
	watch_fill(w, &e, a->page_bytes, row);
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
	relations_born(
		&a->relations, a->table, p, p->stat.start_ticks * a->reader->procfs->ns_per_tick);
	if (w->has_base)
		relations_measured(&a->relations, a->reader, p, NULL, w->measured_ns);
}

int adapt_plan(struct adapt *a, uint64_t now_ns, uint64_t cpu_ns, uint64_t due_ns,
	struct process *const *members, const struct snapshot_process *rows, size_t count)
{
	struct plan_item *items = get_items(a);
	size_t n = 0, at = 0;

	budget_charge_pass(&a->budget, now_ns, cpu_ns, due_ns);
	a->due_ns = due_ns;
	a->chosen = a->next = 0;
	if (!items)
		return -ENOMEM;
	if (a->is_alarmed)
		read_faults(a, true);
	a->is_alarmed = false;
	a->total_cost_ns = 0;
	for (size_t i = 0; i < count; i++) {
		struct process *p = members[i];
		const struct watch *w = p->watch;

		set_elsewhere(a, p, rows[i].outcome == OUTCOME_SHARED_MM);
		p->watch->moved = 0;
		while (a->table->item[at] != p)
			at++;
		if (w->is_elsewhere || p == a->slices.process)
			continue;
		add_item(a, p, (uint32_t)at, row_doubt(w, &rows[i]), rows[i].q[PROCESS_PSS],
			&items[n]);
		if (!items[n].is_giant)
			a->total_cost_ns += items[n].cost_ns;
		n++;
	}
	return choose(a, items, n, budget_until_due_ns(&a->budget, now_ns), a->total_cost_ns);
}

uint64_t adapt_next_ns(const struct adapt *a, uint64_t now_ns)
{
	uint64_t turns, gap_ns;

	if (!a->due_ns || now_ns >= a->due_ns)
		return UINT64_MAX;
	if (slices_are_under_way(&a->slices))
		return now_ns + PAUSE_NS;
	if (a->next == a->chosen)
		return UINT64_MAX;
	turns = a->left_ns / ADAPT_TURN_NS + 1;
	gap_ns = (a->due_ns - now_ns) / (turns + 1);
	if (a->is_broke) /* until there is something to spend again */
		gap_ns = amount_max(gap_ns, ADAPT_TURN_NS * BUDGET_PPM_MAX / a->budget.rate_ppm);
	return now_ns + gap_ns;
}
