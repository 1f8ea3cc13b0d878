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

void measure_queue_init(struct measure_queue *c, struct buffer *scratch)
{
	*c = (struct measure_queue){.scratch = scratch};
}

void measure_queue_done(struct measure_queue *c)
{
	free(c->choice);
	*c = (struct measure_queue){.scratch = c->scratch};
}

void measure_queue_drop(struct measure_queue *c)
{
	c->chosen = 0;
	for (unsigned int kind = 0; kind < CHOICE_KINDS; kind++)
		c->first[kind] = c->left[kind] = c->excused[kind] = 0;
}

int measure_queue_begin(struct measure_queue *c, size_t count)
{
	c->count = 0;
	buffer_clear(c->scratch);
	c->items = (struct measure_plan_item *)(void *)buffer_reserve(
		c->scratch, (count + 1) * sizeof(struct measure_plan_item));
	return c->items ? 0 : -ENOMEM;
}

enum measure_choice_kind measure_queue_kind(const struct page_walk_forecast *f)
{
	return f->is_giant                  ? CHOICE_GIANT
	       : f->way == WALK_COST_SLICES ? CHOICE_SLICES
	                                    : CHOICE_WHOLE;
}

struct measure_plan_item *measure_queue_add(struct measure_queue *c, const struct tracked *w,
	size_t place, const struct page_walk_forecast *f, uint64_t doubt_bytes, uint64_t pss_bytes)
{
	struct measure_plan_item *item = &c->items[c->count++];
	bool is_refused = w->outcome == OUTCOME_DENIED && w->measured_ns;
	/* For a giant, the measurement of its speaker has to do: a fork of a giant costs as much as
	 * the giant. */
	const struct tracked *measured = w->has_base || is_refused ? w
	                                 : f->is_giant             ? sharing_state_speaker(w)
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
			measured ? measured->measured_ns : w->first_ns),
	};
	return item;
}

/* Adds BY, 1 or -1, choices like CHOICE to the counters. */
static void measure_queue_count(
	struct measure_queue *c, const struct measure_choice *choice, int by)
{
	c->left[choice->kind] += (size_t)by;
	c->excused[choice->kind] += (size_t)(choice->is_excused ? by : 0);
}

int measure_queue_end(struct measure_queue *c, const struct measure_plan_limits *limits)
{
	struct measure_plan_limits with = *limits;
	struct measure_plan_counts found;
	size_t n;

	with.round = ++c->round;
	n = measure_plan_choose(c->items, c->count, &with, &found);
	measure_queue_drop(c);
	if (n > c->capacity) {
		struct measure_choice *choice = reallocarray(c->choice, n, sizeof(*choice));

		if (!choice)
			return -ENOMEM;
		c->choice = choice;
		c->capacity = n;
	}
	for (size_t i = 0; i < n; i++)
		c->choice[i] = (struct measure_choice){
			.place = c->items[i].id / CHOICE_KINDS,
			.kind = c->items[i].id % CHOICE_KINDS,
			.is_excused = c->items[i].is_excused,
			.cost_us = saturate_u32(c->items[i].cost_ns / 1000),
		};
	for (size_t i = 0; i < n; i++)
		measure_queue_count(c, &c->choice[i], 1);
	c->chosen = n;
	c->left_ns = found.chosen_ns;
	for (unsigned int i = 0; i < MEASURE_PLAN_REASONS; i++)
		c->deferred[i] += found.deferred[i];
	return 0;
}

static bool is_in(unsigned int kinds, enum measure_choice_kind kind)
{
	return kinds >> kind & 1;
}

bool measure_queue_has(const struct measure_queue *c, unsigned int kinds, bool excused_alone)
{
	const size_t *left = excused_alone ? c->excused : c->left;
	size_t sum = 0;

	for (unsigned int kind = 0; kind < CHOICE_KINDS; kind++)
		sum += is_in(kinds, (enum measure_choice_kind)kind) ? left[kind] : 0;
	return sum > 0;
}

size_t measure_queue_left(const struct measure_queue *c)
{
	size_t sum = 0;

	for (unsigned int kind = 0; kind < CHOICE_KINDS; kind++)
		sum += c->left[kind];
	return sum;
}

struct measure_choice *measure_queue_next(
	struct measure_queue *c, unsigned int kinds, bool excused_alone)
{
	struct measure_choice *found;
	size_t i = c->chosen;

	if (!measure_queue_has(c, kinds, excused_alone))
		return NULL;
	for (unsigned int kind = 0; kind < CHOICE_KINDS; kind++)
		if (is_in(kinds, (enum measure_choice_kind)kind) && c->left[kind])
			i = c->first[kind] < i ? c->first[kind] : i;
	while (c->choice[i].is_taken || !is_in(kinds, c->choice[i].kind) ||
		(excused_alone && !c->choice[i].is_excused))
		i++;
	assert(i < c->chosen);
	found = &c->choice[i];
	found->is_taken = true;
	if (!excused_alone)
		c->first[found->kind] = i + 1;
	measure_queue_count(c, found, -1);
	c->left_ns = saturate_less(c->left_ns, found->cost_us * NS_PER_USEC);
	return found;
}

void measure_queue_give_back(
	struct measure_queue *c, struct measure_choice *choice, enum measure_choice_kind kind)
{
	size_t i = (size_t)(choice - c->choice);

	choice->kind = kind;
	choice->is_taken = false;
	if (i < c->first[kind])
		c->first[kind] = i;
	measure_queue_count(c, choice, 1);
	c->left_ns = saturate_add(c->left_ns, choice->cost_us * NS_PER_USEC);
}

/*
 * The bounds for births and exits hold the worst case: that all exited processes had shared with
 * this one alone. That is true of few processes, but all for which it is possible would be measured
 * for it. So this part of the doubt is limited to a multiple of the likely change.
 */
uint64_t measure_queue_doubt(const struct tracked *w, uint64_t low, uint64_t pss, uint64_t high)
{
	uint64_t up = saturate_less(high - pss, cow_faults_unread(w));
	uint64_t doubt = saturate_less(saturate_max(up, pss - low), sharing_state_stirred(w));
	uint64_t events;
	const struct estimate_doubt *d = w->has_base ? w->doubt : NULL;

	if (!d)
		return doubt;
	events = saturate_max(
		saturate_add(d->anon_up, d->file_up), saturate_add(d->anon_down, d->file_down));
	return saturate_add(saturate_less(doubt, events),
		saturate_min(events, saturate_part(sharing_state_likely(w), EVENTS_TIMES, 1)));
}

uint64_t measure_queue_row_doubt(const struct tracked *w, const struct snapshot_process *row)
{
	uint64_t pss = row->q[PROCESS_PSS];
	uint64_t doubt = measure_queue_doubt(w, saturate_min(row->q[PROCESS_PSS_LOW], pss), pss,
		saturate_max(row->q[PROCESS_PSS_HIGH], pss));

	return saturate_max(doubt, cow_faults_broken(w));
}
