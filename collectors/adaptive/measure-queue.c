/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/adaptive/measure-queue.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/saturate.h"
#include "collectors/adaptive/sharing-state.h"

#define REFUSED_COST_NS (5 * NS_PER_USEC) /* of an open that is denied */

/* The doubt of births and exits counts at most this multiple of their likely change. */
enum { EVENTS_TIMES = 16 };

void measure_queue_init(struct measure_queue *q, struct buffer *scratch)
{
	*q = (struct measure_queue){.scratch = scratch};
}

void measure_queue_done(struct measure_queue *q)
{
	free(q->choice);
	*q = (struct measure_queue){.scratch = q->scratch};
}

void measure_queue_drop(struct measure_queue *q)
{
	q->chosen = 0;
	for (unsigned int kind = 0; kind < CHOICE_KINDS; kind++)
		q->first[kind] = q->left[kind] = q->excused[kind] = 0;
}

int measure_queue_begin(struct measure_queue *q, size_t count)
{
	q->count = 0;
	buffer_clear(q->scratch);
	q->items = (struct measure_plan_item *)(void *)buffer_reserve(
		q->scratch, (count + 1) * sizeof(struct measure_plan_item));
	return q->items ? 0 : -ENOMEM;
}

enum measure_choice_kind measure_queue_kind(const struct page_walk_forecast *f)
{
	return f->is_giant                  ? CHOICE_GIANT
	       : f->way == WALK_COST_SLICES ? CHOICE_SLICES
	                                    : CHOICE_WHOLE;
}

struct measure_plan_item *measure_queue_add(struct measure_queue *q, const struct tracked *t,
	size_t place, const struct page_walk_forecast *f, uint64_t doubt_bytes, uint64_t pss_bytes)
{
	struct measure_plan_item *item = &q->items[q->count++];
	bool is_refused = t->outcome == OUTCOME_DENIED && t->measured_ns;
	/* For a giant, the measurement of its speaker has to do: a fork of a giant costs as much as
	 * the giant. */
	const struct tracked *measured = t->has_base || is_refused ? t
	                                 : f->is_giant             ? sharing_state_speaker(t)
	                                                           : NULL;

	*item = (struct measure_plan_item){
		.id = (uint32_t)place * CHOICE_KINDS + measure_queue_kind(f),
		.is_new = !measured,
		.is_giant = f->is_giant,
		.is_excused = f->is_excused && !measured,
		.is_in_pass = measure_queue_kind(f) == CHOICE_WHOLE,
		.cost_ns = is_refused ? REFUSED_COST_NS : f->prediction.cpu_ns,
		.hold_ns = is_refused ? 0 : f->prediction.hold_ns,
		.doubt_bytes = is_refused ? 0 : doubt_bytes,
		.worth_bytes = is_refused ? 0 : doubt_bytes,
		.pss_bytes = pss_bytes,
		.age_ns = saturate_less(clock_now_ns(CLOCK_BOOTTIME),
			measured ? measured->measured_ns : t->first_ns),
	};
	return item;
}

/* Adds BY, 1 or -1, choices like CHOICE to the counters. */
static void measure_queue_count(
	struct measure_queue *q, const struct measure_choice *choice, int by)
{
	q->left[choice->kind] += (size_t)by;
	q->excused[choice->kind] += (size_t)(choice->is_excused ? by : 0);
}

int measure_queue_end(struct measure_queue *q, const struct measure_plan_limits *limits)
{
	struct measure_plan_limits with = *limits;
	struct measure_plan_counts found;
	size_t n;

	with.round = ++q->round;
	n = measure_plan_choose(q->items, q->count, &with, &found);
	measure_queue_drop(q);
	if (n > q->capacity) {
		struct measure_choice *choice = reallocarray(q->choice, n, sizeof(*choice));

		if (!choice)
			return -ENOMEM;
		q->choice = choice;
		q->capacity = n;
	}
	for (size_t i = 0; i < n; i++)
		q->choice[i] = (struct measure_choice){
			.place = q->items[i].id / CHOICE_KINDS,
			.kind = q->items[i].id % CHOICE_KINDS,
			.is_excused = q->items[i].is_excused,
			.cost_us = saturate_u32(q->items[i].cost_ns / 1000),
		};
	for (size_t i = 0; i < n; i++)
		measure_queue_count(q, &q->choice[i], 1);
	q->chosen = n;
	q->left_ns = found.chosen_ns;
	for (unsigned int i = 0; i < MEASURE_PLAN_REASONS; i++)
		q->deferred[i] += found.deferred[i];
	return 0;
}

static bool is_in(unsigned int kinds, enum measure_choice_kind kind)
{
	return kinds >> kind & 1;
}

bool measure_queue_has(const struct measure_queue *q, unsigned int kinds, bool excused_alone)
{
	const size_t *left = excused_alone ? q->excused : q->left;
	size_t sum = 0;

	for (unsigned int kind = 0; kind < CHOICE_KINDS; kind++)
		sum += is_in(kinds, (enum measure_choice_kind)kind) ? left[kind] : 0;
	return sum > 0;
}

size_t measure_queue_left(const struct measure_queue *q)
{
	size_t sum = 0;

	for (unsigned int kind = 0; kind < CHOICE_KINDS; kind++)
		sum += q->left[kind];
	return sum;
}

struct measure_choice *measure_queue_next(
	struct measure_queue *q, unsigned int kinds, bool excused_alone)
{
	struct measure_choice *found;
	size_t i = q->chosen;

	if (!measure_queue_has(q, kinds, excused_alone))
		return NULL;
	for (unsigned int kind = 0; kind < CHOICE_KINDS; kind++)
		if (is_in(kinds, (enum measure_choice_kind)kind) && q->left[kind])
			i = q->first[kind] < i ? q->first[kind] : i;
	while (q->choice[i].is_taken || !is_in(kinds, q->choice[i].kind) ||
		(excused_alone && !q->choice[i].is_excused))
		i++;
	assert(i < q->chosen);
	found = &q->choice[i];
	found->is_taken = true;
	if (!excused_alone)
		q->first[found->kind] = i + 1;
	measure_queue_count(q, found, -1);
	q->left_ns = saturate_less(q->left_ns, found->cost_us * NS_PER_USEC);
	return found;
}

/*
 * The bounds for births and exits hold the worst case: that all exited processes had shared with
 * this one alone. That is true of few processes, but all for which it is possible would be measured
 * for it. So this part of the doubt is limited to a multiple of the likely change.
 */
uint64_t measure_queue_doubt(const struct tracked *t, uint64_t low, uint64_t pss, uint64_t high)
{
	uint64_t up = saturate_less(high - pss, cow_faults_unread(t));
	uint64_t doubt = saturate_less(saturate_max(up, pss - low), sharing_state_stirred(t));
	uint64_t events;
	const struct estimate_doubt *d = t->has_base ? t->doubt : NULL;

	if (!d)
		return doubt;
	events = saturate_max(
		saturate_add(d->anon_up, d->file_up), saturate_add(d->anon_down, d->file_down));
	return saturate_add(saturate_less(doubt, events),
		saturate_min(events, saturate_part(sharing_state_likely(t), EVENTS_TIMES, 1)));
}

uint64_t measure_queue_row_doubt(const struct tracked *t, const struct snapshot_process *row)
{
	uint64_t pss = row->q[PROCESS_PSS];
	uint64_t doubt = measure_queue_doubt(t, saturate_min(row->q[PROCESS_PSS_LOW], pss), pss,
		saturate_max(row->q[PROCESS_PSS_HIGH], pss));

	return saturate_max(doubt, cow_faults_broken(t));
}
