/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/adaptive/page-walks.h"

#include <assert.h>

#include "base/clock.h"
#include "base/saturate.h"
#include "collectors/process/fetch.h"
#include "collectors/process/statm-poll.h"

#define SLICE_NS (100 * NS_PER_USEC)
/* between slices: the pauses, not the slices, let the process go on */
#define PAUSE_NS (2 * NS_PER_MSEC)

enum {
	/* bytes: a process with less private memory cannot share enough to matter */
	FAULTS_MIN = 128 << 10,
	/* A walk is whole if it is predicted to take at most half of the stall budget: a prediction
	 * may be that far off. Slices of smaps take two to three times the CPU of smaps_rollup. */
	WHOLE_PART = 2,
};

void page_walks_init(struct page_walks *w, struct process_reader *reader, struct cpu_budget *budget,
	uint64_t page_bytes)
{
	*w = (struct page_walks){
		.reader = reader,
		.budget = budget,
		.page_bytes = page_bytes,
		.slice_ns = SLICE_NS,
	};
	for (unsigned int i = 0; i < PAGE_WALKS_AT_ONCE; i++)
		smaps_slices_init(&w->walk[i].slices);
	for (unsigned int way = 0; way < WALK_COST_WAYS; way++)
		walk_cost_init(&w->model[way], (enum walk_cost_way)way);
}

void page_walks_done(struct page_walks *w)
{
	for (unsigned int i = 0; i < PAGE_WALKS_AT_ONCE; i++)
		smaps_slices_done(&w->walk[i].slices);
	w->under_way = 0;
}

/*
 * Returns the index of P's walk, or of an unused place if P is NULL; PAGE_WALKS_AT_ONCE: there is
 * none.
 */
static size_t page_walks_place_of(const struct page_walks *w, const struct process *p)
{
	size_t i = 0;

	while (i < PAGE_WALKS_AT_ONCE && w->walk[i].slices.process != p)
		i++;
	return i;
}

bool page_walks_has(const struct page_walks *w, const struct process *p)
{
	return w->under_way && page_walks_place_of(w, p) < PAGE_WALKS_AT_ONCE;
}

/* The slices may have ended by themselves. */
static void page_walks_end(struct page_walks *w, struct page_walk *walk)
{
	smaps_slices_drop(&walk->slices);
	w->under_way--;
}

void page_walks_forget(struct page_walks *w, const struct process *p)
{
	if (!page_walks_has(w, p))
		return;
	page_walks_end(w, &w->walk[page_walks_place_of(w, p)]);
	w->counts.discarded++;
}

/* Returns what a walk of T would meet now. */
static struct walk_cost_work work_of(const struct page_walks *w, const struct tracked *t)
{
	uint64_t rss = t->seen.resident * w->page_bytes, huge = (uint64_t)t->huge_kib * 1024;
	struct walk_cost_work work = walk_cost_work_of(rss, saturate_min(huge, rss));
	uint64_t largest;

	work.mappings = t->mappings;
	if (t->largest_kib) { /* the largest mapping may have all of the growth */
		largest = t->largest_kib + saturate_less(rss / 1024, t->mapped_kib);
		work.largest_pages = saturate_min(largest / 4, work.pages);
	}
	return work;
}

static uint64_t slice_ns(const struct page_walks *w)
{
	return saturate_min(w->slice_ns, w->stall_ns / 2);
}

struct page_walk_forecast page_walks_forecast(const struct page_walks *w, const struct tracked *t)
{
	uint64_t above_ns = w->stall_ns / WHOLE_PART;
	struct page_walk_forecast f = {
		.work = work_of(w, t), .is_excused = w->excuses && t->was_there};

	f.prediction = walk_cost_predict(
		&w->model[WALK_COST_ROLLUP], &f.work, t->by_slices ? NULL : &t->habit);
	if (w->is_undisturbing)
		f.prediction.hold_ns = 0;
	if (f.prediction.hold_ns <= above_ns)
		return f;
	f.way = WALK_COST_SLICES;
	f.prediction = walk_cost_predict(
		&w->model[WALK_COST_SLICES], &f.work, t->by_slices ? &t->habit : NULL);
	if (f.work.largest_pages) /* the largest mapping may come at the end of a slice */
		f.prediction.hold_ns += slice_ns(w);
	else /* maps will show the largest mapping before the walk begins */
		f.prediction.hold_ns = saturate_min(f.prediction.hold_ns, above_ns);
	if (f.prediction.hold_ns <= w->stall_ns)
		return f;
	/* Slicing does not help: the one hold that is too long remains, so use the cheaper way. */
	f.way = WALK_COST_ROLLUP;
	f.prediction = walk_cost_predict(
		&w->model[WALK_COST_ROLLUP], &f.work, t->by_slices ? NULL : &t->habit);
	f.is_giant = true;
	return f;
}

/*
 * Whether it may matter what T writes to while it is walked in one piece. It does not if T shared
 * too little at its measurement and nothing has happened since. A walk by slices may take seconds,
 * in which T forks and writes.
 */
static bool may_write(const struct page_walks *w, const struct tracked *t)
{
	if ((t->seen.resident - t->seen.shared) * w->page_bytes < FAULTS_MIN)
		return false;
	return !t->has_base || t->watch != TRACKED_UNCOUNTED || t->doubt ||
	       !tracked_is_quiet(t, w->page_bytes);
}

/* Returns false if the fault counter cannot be read. */
static bool read_faults(struct page_walks *w, struct process *p, uint32_t *ret)
{
	uint64_t faults;

	if (process_faults(w->reader, p, &faults) != 0)
		return false;
	*ret = (uint32_t)faults;
	return true;
}

static void page_walks_use(struct page_walks *w, uint64_t cpu_ns, bool is_excused)
{
	w->counts.used_ns += cpu_ns;
	if (is_excused)
		cpu_budget_excuse(w->budget, cpu_ns);
	else
		cpu_budget_charge(w->budget, clock_now_ns(CLOCK_MONOTONIC), cpu_ns);
}

int page_walks_whole(struct page_walks *w, struct process *p, const struct page_walk_forecast *f,
	uint64_t now_ns, struct sample *ret, struct page_walk_result *ret_walked)
{
	struct page_walk_result walked = {.way = WALK_COST_ROLLUP, .is_excused = f->is_excused};
	uint64_t before_ns = fetch_cpu_ns(w->reader), walk_ns;
	bool wants_faults = may_write(w, p->tracked);
	int r;

	/* Announced together, so that the worker is woken once. */
	if (wants_faults)
		process_announce_stat(w->reader, p);
	process_announce(w->reader, p, false);
	walked.has_faults = wants_faults && read_faults(w, p, &walked.faults);
	walk_ns = fetch_cpu_ns(w->reader);
	r = process_read(w->reader, p, now_ns, ret);
	walked.cpu_ns = fetch_cpu_ns(w->reader) - walk_ns;
	page_walks_use(w, walked.cpu_ns + walk_ns - before_ns, f->is_excused);
	if (r < 0)
		return r;
	w->counts.reads[WALK_COST_ROLLUP]++;
	w->counts.predicted_ns += f->prediction.cpu_ns;
	*ret_walked = walked;
	return 0;
}

/* Ends the walk WALK, with SAMPLE. */
static int page_walks_finish(struct page_walks *w, struct page_walk *walk,
	const struct sample *sample, struct page_walk_result *ret)
{
	page_walks_end(w, walk);
	w->counts.reads[WALK_COST_SLICES]++;
	if (sample->outcome != OUTCOME_MEASURED)
		w->counts.discarded++;
	*ret = walk->result;
	ret->largest_rss = walk->slices.largest_rss;
	return 0;
}

/* The walk of smaps begins now. */
static void page_walks_begin_smaps(struct page_walks *w, struct page_walk *walk)
{
	w->counts.predicted_ns += walk->predicted_ns;
	walk->result.cpu_ns = 0;
	walk->result.has_before = statm_poll_read(w->reader, walk->slices.process,
					  &walk->result.before) == 0;
	walk->result.has_faults = read_faults(w, walk->slices.process, &walk->result.faults);
}

int page_walks_begin_slices(struct page_walks *w, struct process *p,
	const struct page_walk_forecast *f, uint64_t now_ns, struct sample *ret,
	struct page_walk_result *ret_walked)
{
	uint64_t before_ns = fetch_cpu_ns(w->reader);
	struct page_walk *walk = &w->walk[page_walks_place_of(w, NULL)];
	int r;

	assert(page_walks_have_room(w));
	w->under_way++;
	walk->ready_ns = 0;
	walk->predicted_ns = f->prediction.cpu_ns;
	walk->result = (struct page_walk_result){
		.way = WALK_COST_SLICES, .is_excused = f->is_excused};
	r = smaps_slices_begin(&walk->slices, w->reader, p, !p->tracked->largest_kib, now_ns, ret);
	if (r == 0 && smaps_slices_are_under_way(&walk->slices) && !walk->slices.is_mapping)
		page_walks_begin_smaps(w, walk);
	walk->result.cpu_ns = fetch_cpu_ns(w->reader) - before_ns;
	page_walks_use(w, walk->result.cpu_ns, walk->result.is_excused);
	if (r < 0) {
		page_walks_end(w, walk);
		return r;
	}
	if (!smaps_slices_are_under_way(&walk->slices))
		return page_walks_finish(w, walk, ret, ret_walked);
	if (ret->is_new_image) /* the size of the new image is not known */
		page_walks_end(w, walk);
	return PAGE_WALKS_LOOKED;
}

/* Returns the index of the walk that has waited longest; PAGE_WALKS_AT_ONCE: none. */
static size_t page_walks_next(const struct page_walks *w, bool excused_alone)
{
	size_t found = PAGE_WALKS_AT_ONCE;

	for (size_t i = 0; w->under_way && i < PAGE_WALKS_AT_ONCE; i++)
		if (smaps_slices_are_under_way(&w->walk[i].slices) &&
			(!excused_alone || w->walk[i].result.is_excused) &&
			(found == PAGE_WALKS_AT_ONCE ||
				w->walk[i].ready_ns < w->walk[found].ready_ns))
			found = i;
	return found;
}

uint64_t page_walks_next_ns(const struct page_walks *w, bool excused_alone)
{
	size_t i = page_walks_next(w, excused_alone);

	return i < PAGE_WALKS_AT_ONCE ? w->walk[i].ready_ns : UINT64_MAX;
}

/*
 * The maps of WALK are known. Continues with smaps, unless a mapping is too large. Returns 0 if the
 * walk is over, with *RET; PAGE_WALKS_MORE; PAGE_WALKS_GIANT; or -ENOMEM.
 */
static int page_walks_go_on(struct page_walks *w, struct page_walk *walk, struct sample *ret)
{
	struct tracked *t = walk->slices.process->tracked;
	uint64_t rss_kib = t->seen.resident * w->page_bytes / 1024;
	uint64_t largest = smaps_slices_largest(&walk->slices);
	struct page_walk_forecast f;
	int r;

	if (largest) {
		t->largest_kib = saturate_u32(saturate_min(largest / 1024 + 1, rss_kib));
		t->mapped_kib = saturate_u32(rss_kib);
	}
	f = page_walks_forecast(w, t);
	if (f.is_giant)
		return PAGE_WALKS_GIANT;
	page_walks_begin_smaps(w, walk);
	r = smaps_slices_walk(&walk->slices, w->reader, ret);
	return r < 0 ? r : smaps_slices_are_under_way(&walk->slices) ? PAGE_WALKS_MORE : 0;
}

/*
 * The worker that read for WALK is gone: begins WALK again. Returns 0 if the walk is over, with
 * *RET; PAGE_WALKS_MORE; or -ENOMEM.
 */
static int begin_again(struct page_walks *w, struct page_walk *walk, struct sample *ret)
{
	bool was_mapping = walk->slices.is_mapping;
	int r;

	if (!was_mapping)
		page_walks_begin_smaps(w, walk);
	r = smaps_slices_again(&walk->slices, w->reader, ret);
	if (r < 0)
		return r;
	if (!smaps_slices_are_under_way(&walk->slices))
		return 0;
	if (was_mapping && !walk->slices.is_mapping) /* the maps can no longer be read */
		page_walks_begin_smaps(w, walk);
	return PAGE_WALKS_MORE;
}

int page_walks_step(struct page_walks *w, bool excused_alone, uint64_t now_ns, struct sample *ret,
	struct process **ret_process, struct page_walk_result *ret_walked)
{
	uint64_t before_ns = fetch_cpu_ns(w->reader), cpu_ns;
	struct page_walk *walk = &w->walk[page_walks_next(w, excused_alone)];
	struct process *p = walk->slices.process;
	bool is_mapping = walk->slices.is_mapping;
	int r;

	assert(w->under_way);
	r = smaps_slices_step(&walk->slices, w->reader, slice_ns(w), now_ns, ret);
	if (r == SMAPS_SLICES_MAPPED)
		r = page_walks_go_on(w, walk, ret);
	else if (r == SMAPS_SLICES_LOST)
		r = begin_again(w, walk, ret);
	else if (r == SMAPS_SLICES_MORE)
		r = PAGE_WALKS_MORE;
	cpu_ns = fetch_cpu_ns(w->reader) - before_ns;
	if (!is_mapping)
		walk->result.cpu_ns += cpu_ns;
	page_walks_use(w, cpu_ns, walk->result.is_excused);
	w->counts.slices++;
	walk->ready_ns = clock_now_ns(CLOCK_MONOTONIC) + PAUSE_NS;
	if (r == PAGE_WALKS_MORE)
		return r;
	if (r != 0) {
		page_walks_end(w, walk);
		return r;
	}
	*ret_process = p;
	return page_walks_finish(w, walk, ret, ret_walked);
}

void page_walks_learn(struct page_walks *w, struct process *p, const struct sample *sample,
	const struct page_walk_result *walked)
{
	struct tracked *t = p->tracked;
	bool by_slices = walked->way == WALK_COST_SLICES;
	struct walk_cost_work work;

	if (sample->outcome != OUTCOME_MEASURED)
		return;
	if (by_slices) {
		t->largest_kib = saturate_u32(walked->largest_rss / 1024 + 1);
		t->mapped_kib = saturate_u32(sample->q[PROCESS_RSS] / 1024);
	}
	work = work_of(w, t);
	if (t->by_slices != by_slices) {
		t->by_slices = by_slices;
		t->habit = (struct walk_cost_habit){{0, 0}};
	}
	/* For a new image its names were read, too, so this CPU time is no habit. */
	walk_cost_learn(&w->model[walked->way], &work, sample->is_renamed ? NULL : &t->habit,
		walked->cpu_ns);
}
