/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/adaptive/walks.h"

#include <assert.h>

#include "base/amount.h"
#include "base/clock.h"
#include "collectors/process/fetch.h"
#include "collectors/process/sense.h"

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

void walks_init(
	struct walks *s, struct process_reader *reader, struct budget *budget, uint64_t page_bytes)
{
	*s = (struct walks){
		.reader = reader,
		.budget = budget,
		.page_bytes = page_bytes,
		.slice_ns = SLICE_NS,
	};
	for (unsigned int i = 0; i < WALKS_AT_ONCE; i++)
		slices_init(&s->walk[i].slices);
	for (unsigned int way = 0; way < COST_WAYS; way++)
		cost_init(&s->model[way], (enum cost_way)way);
}

void walks_done(struct walks *s)
{
	for (unsigned int i = 0; i < WALKS_AT_ONCE; i++)
		slices_done(&s->walk[i].slices);
	s->under_way = 0;
}

/*
 * Returns the index of P's walk, or of an unused place if P is NULL; WALKS_AT_ONCE: there is none.
 */
static size_t place_of(const struct walks *s, const struct process *p)
{
	size_t i = 0;

	while (i < WALKS_AT_ONCE && s->walk[i].slices.process != p)
		i++;
	return i;
}

bool walks_has(const struct walks *s, const struct process *p)
{
	return s->under_way && place_of(s, p) < WALKS_AT_ONCE;
}

/* The slices may have ended by themselves. */
static void end(struct walks *s, struct walk *w)
{
	slices_drop(&w->slices);
	s->under_way--;
}

void walks_forget(struct walks *s, const struct process *p)
{
	if (!walks_has(s, p))
		return;
	end(s, &s->walk[place_of(s, p)]);
	s->counts.discarded++;
}

/* Returns what a walk of W would meet now. */
static struct cost_work work_of(const struct walks *s, const struct watch *w)
{
	uint64_t rss = w->seen.resident * s->page_bytes, huge = (uint64_t)w->huge_kib * 1024;
	struct cost_work work = cost_work_of(rss, amount_min(huge, rss));
	uint64_t largest;

	work.mappings = w->mappings;
	if (w->largest_kib) { /* the largest mapping may have all of the growth */
		largest = w->largest_kib + amount_less(rss / 1024, w->mapped_kib);
		work.largest_pages = amount_min(largest / 4, work.pages);
	}
	return work;
}

static uint64_t slice_ns(const struct walks *s)
{
	return amount_min(s->slice_ns, s->stall_ns / 2);
}

struct forecast walks_forecast(const struct walks *s, const struct watch *w)
{
	uint64_t above_ns = s->stall_ns / WHOLE_PART;
	struct forecast f = {.work = work_of(s, w), .is_excused = s->excuses && w->was_there};

	f.prediction = cost_predict(
		&s->model[COST_ROLLUP], &f.work, w->by_slices ? NULL : &w->habit);
	if (s->is_undisturbing)
		f.prediction.hold_ns = 0;
	if (f.prediction.hold_ns <= above_ns)
		return f;
	f.way = COST_SLICES;
	f.prediction = cost_predict(
		&s->model[COST_SLICES], &f.work, w->by_slices ? &w->habit : NULL);
	if (f.work.largest_pages) /* the largest mapping may come at the end of a slice */
		f.prediction.hold_ns += slice_ns(s);
	else /* maps will show the largest mapping before the walk begins */
		f.prediction.hold_ns = amount_min(f.prediction.hold_ns, above_ns);
	if (f.prediction.hold_ns <= s->stall_ns)
		return f;
	/* Slicing does not help: the one hold that is too long remains, so use the cheaper way. */
	f.way = COST_ROLLUP;
	f.prediction = cost_predict(
		&s->model[COST_ROLLUP], &f.work, w->by_slices ? NULL : &w->habit);
	f.is_giant = true;
	return f;
}

static uint64_t cpu_now_ns(const struct walks *s)
{
	return fetch_cpu_ns(s->reader);
}

/*
 * Whether it may matter what W writes to while it is walked in one piece. It does not if W shared
 * too little at its measurement and nothing has happened since. A walk by slices may take seconds,
 * in which W forks and writes.
 */
static bool may_write(const struct walks *s, const struct watch *w)
{
	if ((w->seen.resident - w->seen.shared) * s->page_bytes < FAULTS_MIN)
		return false;
	return !w->has_base || w->has_faults || w->doubt || !watch_is_quiet(w, s->page_bytes);
}

/* Returns false if the fault counter cannot be read. */
static bool read_faults(struct walks *s, struct process *p, uint32_t *ret)
{
	uint64_t faults;

	if (process_faults(s->reader, p, &faults) != 0)
		return false;
	*ret = (uint32_t)faults;
	return true;
}

static void use(struct walks *s, uint64_t cpu_ns, bool is_excused)
{
	s->counts.used_ns += cpu_ns;
	if (is_excused)
		budget_excuse(s->budget, cpu_ns);
	else
		budget_charge(s->budget, clock_now_ns(CLOCK_MONOTONIC), cpu_ns);
}

int walks_whole(struct walks *s, struct process *p, const struct forecast *f, uint64_t now_ns,
	struct sample *ret, struct walked *ret_walked)
{
	struct walked walked = {.way = COST_ROLLUP, .is_excused = f->is_excused};
	uint64_t before_ns = cpu_now_ns(s), walk_ns;
	bool wants_faults = may_write(s, p->watch);
	int r;

	/* Announced together, so that the worker is woken once. */
	if (wants_faults)
		process_announce_faults(s->reader, p);
	process_announce(s->reader, p, false);
	walked.has_faults = wants_faults && read_faults(s, p, &walked.faults);
	walk_ns = cpu_now_ns(s);
	r = process_read(s->reader, p, now_ns, ret);
	walked.cpu_ns = cpu_now_ns(s) - walk_ns;
	use(s, walked.cpu_ns + walk_ns - before_ns, f->is_excused);
	if (r < 0)
		return r;
	s->counts.reads[COST_ROLLUP]++;
	s->counts.predicted_ns += f->prediction.cpu_ns;
	*ret_walked = walked;
	return 0;
}

/* Ends the walk W, with SAMPLE. */
static int finish(struct walks *s, struct walk *w, const struct sample *sample, struct walked *ret)
{
	end(s, w);
	s->counts.reads[COST_SLICES]++;
	if (sample->outcome != OUTCOME_MEASURED)
		s->counts.discarded++;
	*ret = (struct walked){
		.way = COST_SLICES,
		.cpu_ns = w->cpu_ns,
		.largest_rss = w->slices.largest_rss,
		.before = w->before,
		.faults = w->faults,
		.has_before = w->has_before,
		.has_faults = w->has_faults,
		.is_excused = w->is_excused,
	};
	return 0;
}

/* The walk of smaps begins now. */
static void begin_smaps(struct walks *s, struct walk *w, uint64_t predicted_ns)
{
	s->counts.predicted_ns += predicted_ns;
	w->cpu_ns = 0;
	w->has_before = sense_read(s->reader, w->slices.process, &w->before) == 0;
	w->has_faults = read_faults(s, w->slices.process, &w->faults);
}

int walks_begin_slices(struct walks *s, struct process *p, const struct forecast *f,
	uint64_t now_ns, struct sample *ret, struct walked *ret_walked)
{
	uint64_t before_ns = cpu_now_ns(s);
	struct walk *w = &s->walk[place_of(s, NULL)];
	int r;

	assert(walks_have_room(s));
	s->under_way++;
	w->ready_ns = 0;
	w->predicted_ns = f->prediction.cpu_ns;
	w->is_excused = f->is_excused;
	r = slices_begin(&w->slices, s->reader, p, !p->watch->largest_kib, now_ns, ret);
	if (r == 0 && slices_are_under_way(&w->slices) && !w->slices.is_mapping)
		begin_smaps(s, w, w->predicted_ns);
	w->cpu_ns = cpu_now_ns(s) - before_ns;
	use(s, w->cpu_ns, w->is_excused);
	if (r < 0) {
		end(s, w);
		return r;
	}
	if (!slices_are_under_way(&w->slices))
		return finish(s, w, ret, ret_walked);
	if (ret->is_new_image) /* the size of the new image is not known */
		end(s, w);
	return WALKS_LOOKED;
}

/* Returns the index of the walk that has waited longest; WALKS_AT_ONCE: none. */
static size_t next(const struct walks *s, bool excused_alone)
{
	size_t found = WALKS_AT_ONCE;

	for (size_t i = 0; s->under_way && i < WALKS_AT_ONCE; i++)
		if (slices_are_under_way(&s->walk[i].slices) &&
			(!excused_alone || s->walk[i].is_excused) &&
			(found == WALKS_AT_ONCE || s->walk[i].ready_ns < s->walk[found].ready_ns))
			found = i;
	return found;
}

uint64_t walks_next_ns(const struct walks *s, bool excused_alone)
{
	size_t i = next(s, excused_alone);

	return i < WALKS_AT_ONCE ? s->walk[i].ready_ns : UINT64_MAX;
}

/*
 * The maps of W are known. Continues with smaps, unless a mapping is too large. Returns 0 if the
 * walk is over, with *RET; WALKS_MORE; WALKS_GIANT; or -ENOMEM.
 */
static int go_on(struct walks *s, struct walk *w, struct sample *ret)
{
	struct watch *watch = w->slices.process->watch;
	uint64_t rss_kib = watch->seen.resident * s->page_bytes / 1024;
	uint64_t largest = slices_largest(&w->slices);
	struct forecast f;
	int r;

	if (largest) {
		watch->largest_kib = (uint32_t)amount_min(
			amount_min(largest / 1024 + 1, rss_kib), UINT32_MAX);
		watch->mapped_kib = (uint32_t)amount_min(rss_kib, UINT32_MAX);
	}
	f = walks_forecast(s, watch);
	if (f.is_giant)
		return WALKS_GIANT;
	begin_smaps(s, w, w->predicted_ns);
	r = slices_walk(&w->slices, s->reader, ret);
	return r < 0 ? r : slices_are_under_way(&w->slices) ? WALKS_MORE : 0;
}

/*
 * The worker that read for W is gone: begins W again. Returns 0 if the walk is over, with *RET;
 * WALKS_MORE; or -ENOMEM.
 */
static int begin_again(struct walks *s, struct walk *w, struct sample *ret)
{
	bool was_mapping = w->slices.is_mapping;
	int r;

	if (!was_mapping)
		begin_smaps(s, w, w->predicted_ns);
	r = slices_again(&w->slices, s->reader, ret);
	if (r < 0)
		return r;
	if (!slices_are_under_way(&w->slices))
		return 0;
	if (was_mapping && !w->slices.is_mapping) /* the maps can no longer be read */
		begin_smaps(s, w, w->predicted_ns);
	return WALKS_MORE;
}

int walks_step(struct walks *s, bool excused_alone, uint64_t now_ns, struct sample *ret,
	struct process **ret_process, struct walked *ret_walked)
{
	uint64_t before_ns = cpu_now_ns(s), cpu_ns;
	struct walk *w = &s->walk[next(s, excused_alone)];
	struct process *p = w->slices.process;
	bool is_mapping = w->slices.is_mapping;
	int r;

	assert(s->under_way);
	r = slices_step(&w->slices, s->reader, slice_ns(s), now_ns, ret);
	if (r == SLICES_MAPPED)
		r = go_on(s, w, ret);
	else if (r == SLICES_LOST)
		r = begin_again(s, w, ret);
	else if (r == SLICES_MORE)
		r = WALKS_MORE;
	cpu_ns = cpu_now_ns(s) - before_ns;
	if (!is_mapping)
		w->cpu_ns += cpu_ns;
	use(s, cpu_ns, w->is_excused);
	s->counts.slices++;
	w->ready_ns = clock_now_ns(CLOCK_MONOTONIC) + PAUSE_NS;
	if (r == WALKS_MORE)
		return r;
	if (r != 0) {
		end(s, w);
		return r;
	}
	*ret_process = p;
	return finish(s, w, ret, ret_walked);
}

void walks_learn(struct walks *s, struct process *p, const struct sample *sample,
	const struct walked *walked)
{
	struct watch *w = p->watch;
	bool by_slices = walked->way == COST_SLICES;
	struct cost_work work;

	if (sample->outcome != OUTCOME_MEASURED)
		return;
	if (by_slices) {
		w->largest_kib = (uint32_t)amount_min(walked->largest_rss / 1024 + 1, UINT32_MAX);
		w->mapped_kib = (uint32_t)amount_min(sample->q[PROCESS_RSS] / 1024, UINT32_MAX);
	}
	work = work_of(s, w);
	if (w->by_slices != by_slices) {
		w->by_slices = by_slices;
		w->habit = (struct cost_habit){{0, 0}};
	}
	/* For a new image its names were read, too, so this CPU time is no habit. */
	cost_learn(&s->model[walked->way], &work, sample->is_renamed ? NULL : &w->habit,
		walked->cpu_ns);
}
