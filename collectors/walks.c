/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/walks.h"

#include "base/clock.h"
#include "collectors/amount.h"
#include "collectors/relations.h"

#define SLICE_ABOVE_NS (2 * NS_PER_MSEC) /* longer holds than this are sliced */

void walks_init(
	struct walks *s, struct process_reader *reader, struct budget *budget, uint64_t page_bytes)
{
	*s = (struct walks){.reader = reader, .budget = budget, .page_bytes = page_bytes};
	slices_init(&s->slices);
	for (unsigned int way = 0; way < COST_WAYS; way++)
		cost_init(&s->model[way], (enum cost_way)way);
}

void walks_done(struct walks *s)
{
	slices_done(&s->slices);
}

static void end_slices(struct walks *s)
{
	s->counts.slices += s->slices.count;
	s->slices.count = 0;
	slices_drop(&s->slices);
}

void walks_forget(struct walks *s, const struct process *p)
{
	if (s->slices.process != p)
		return;
	end_slices(s);
	s->counts.discarded++;
}

/* What a walk of W would meet now. */
static struct cost_work work_of(const struct walks *s, const struct watch *w)
{
	uint64_t rss = w->seen.resident * s->page_bytes, huge = (uint64_t)w->huge_kib * 1024;
	struct cost_work work = cost_work_of(rss, amount_min(huge, rss));
	uint64_t largest;

	work.mappings = w->mappings;
	if (w->largest_kib) { /* all that it has grown by may be in it */
		largest = w->largest_kib + amount_less(rss / 1024, w->mapped_kib);
		work.largest_pages = amount_min(largest / 4, work.pages);
	}
	return work;
}

struct forecast walks_forecast(const struct walks *s, const struct watch *w)
{
	struct forecast f = {.work = work_of(s, w)};

	f.prediction = cost_predict(
		&s->model[COST_ROLLUP], &f.work, w->by_slices ? NULL : &w->habit);
	if (f.prediction.hold_ns <= SLICE_ABOVE_NS)
		return f;
	f.way = COST_SLICES;
	f.prediction = cost_predict(
		&s->model[COST_SLICES], &f.work, w->by_slices ? &w->habit : NULL);
	if (!f.work.largest_pages) /* maps will tell before the walk begins */
		f.prediction.hold_ns = amount_min(f.prediction.hold_ns, SLICE_ABOVE_NS);
	if (f.prediction.hold_ns <= s->stall_ns)
		return f;
	/* Slicing is of no use: the one hold that is too long stays, so the cheaper way will do. */
	f.way = COST_ROLLUP;
	f.prediction = cost_predict(
		&s->model[COST_ROLLUP], &f.work, w->by_slices ? NULL : &w->habit);
	f.is_giant = true;
	return f;
}

static uint64_t thread_cpu_ns(void)
{
	return clock_now_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void charge(struct walks *s, uint64_t cpu_ns)
{
	budget_charge(s->budget, clock_now_ns(CLOCK_MONOTONIC), cpu_ns);
}

static void count(struct walks *s, enum cost_way way, uint64_t predicted_ns, uint64_t cpu_ns,
	struct walked *ret)
{
	s->counts.reads[way]++;
	s->counts.predicted_ns += predicted_ns;
	s->counts.used_ns += cpu_ns;
	charge(s, cpu_ns);
	*ret = (struct walked){.way = way, .cpu_ns = cpu_ns};
}

void walks_find_largest(struct walks *s, struct process *p)
{
	uint64_t before_ns = thread_cpu_ns(), largest;
	struct watch *w = p->watch;
	uint64_t rss_kib = w->seen.resident * s->page_bytes / 1024;

	if (relations_largest(s->reader, p, &largest) == 0) {
		w->largest_kib = (uint32_t)amount_min(
			amount_min(largest / 1024 + 1, rss_kib), UINT32_MAX);
		w->mapped_kib = (uint32_t)amount_min(rss_kib, UINT32_MAX);
	}
	charge(s, thread_cpu_ns() - before_ns);
}

int walks_whole(struct walks *s, struct process *p, const struct forecast *f, uint64_t now_ns,
	struct sample *ret, struct walked *ret_walked)
{
	uint64_t before_ns = thread_cpu_ns();
	int r = process_read(s->reader, p, now_ns, ret);

	if (r == 0)
		count(s, COST_ROLLUP, f->prediction.cpu_ns, thread_cpu_ns() - before_ns,
			ret_walked);
	return r;
}

static int finish_slices(struct walks *s, const struct sample *sample, struct walked *ret_walked)
{
	end_slices(s);
	count(s, COST_SLICES, s->slices_predicted_ns, s->slices_ns, ret_walked);
	if (sample->outcome != OUTCOME_MEASURED)
		s->counts.discarded++;
	return 0;
}

int walks_begin_slices(struct walks *s, struct process *p, const struct forecast *f,
	uint64_t now_ns, struct sample *ret, struct walked *ret_walked)
{
	uint64_t before_ns = thread_cpu_ns();
	int r = slices_begin(&s->slices, s->reader, p, now_ns, ret);

	s->slices_ns = thread_cpu_ns() - before_ns;
	s->slices_predicted_ns = f->prediction.cpu_ns;
	if (r < 0)
		return r;
	if (!slices_are_under_way(&s->slices))
		return finish_slices(s, ret, ret_walked);
	if (ret->is_new_image) /* nobody knows how large this one is */
		end_slices(s);
	return WALKS_LOOKED;
}

int walks_step(struct walks *s, uint64_t now_ns, struct sample *ret, struct process **ret_process,
	struct walked *ret_walked)
{
	uint64_t before_ns = thread_cpu_ns();
	struct process *p = s->slices.process;
	int r = slices_step(&s->slices, s->reader, now_ns, ret);

	s->slices_ns += thread_cpu_ns() - before_ns;
	if (r == SLICES_MORE)
		return WALKS_MORE;
	if (r < 0)
		return r;
	*ret_process = p;
	return finish_slices(s, ret, ret_walked);
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
		w->largest_kib = (uint32_t)amount_min(s->slices.largest_rss / 1024 + 1, UINT32_MAX);
		w->mapped_kib = (uint32_t)amount_min(sample->q[PROCESS_RSS] / 1024, UINT32_MAX);
	}
	work = work_of(s, w);
	if (w->by_slices != by_slices) {
		w->by_slices = by_slices;
		w->habit = (struct cost_habit){{0, 0}};
	}
	/* Of a new image names were read besides: no habit of its walks. */
	cost_learn(&s->model[walked->way], &work, sample->is_renamed ? NULL : &w->habit,
		walked->cpu_ns);
}
