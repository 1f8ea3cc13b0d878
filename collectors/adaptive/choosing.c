/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/adaptive/choosing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/amount.h"
#include "base/clock.h"
#include "collectors/adaptive/relations.h"

#define REFUSED_COST_NS (5 * NS_PER_USEC) /* of an open that is denied */

/* The doubt of births and exits counts at most this multiple of their likely change. */
enum { EVENTS_TIMES = 16 };

void choosing_init(struct choosing *c, struct buffer *scratch)
{
	*c = (struct choosing){.scratch = scratch};
}

void choosing_done(struct choosing *c)
{
	free(c->choice);
	*c = (struct choosing){.scratch = c->scratch};
}

void choosing_drop(struct choosing *c)
{
	c->chosen = 0;
	for (unsigned int kind = 0; kind < CHOICE_KINDS; kind++)
		c->first[kind] = c->left[kind] = c->excused[kind] = 0;
}

int choosing_begin(struct choosing *c, size_t count)
{
	c->count = 0;
	buffer_clear(c->scratch);
	c->items = (struct plan_item *)(void *)buffer_reserve(
		c->scratch, (count + 1) * sizeof(struct plan_item));
	return c->items ? 0 : -ENOMEM;
}

enum choice_kind choosing_kind(const struct forecast *f)
{
	return f->is_giant ? CHOICE_GIANT : f->way == COST_SLICES ? CHOICE_SLICES : CHOICE_WHOLE;
}

struct plan_item *choosing_add(struct choosing *c, const struct watch *w, size_t place,
	const struct forecast *f, uint64_t doubt_bytes, uint64_t pss_bytes)
{
	struct plan_item *item = &c->items[c->count++];
	bool is_refused = w->outcome == OUTCOME_DENIED && w->measured_ns;
	/* For a giant, the measurement of its speaker has to do: a fork of a giant costs as much as
	 * the giant. */
	const struct watch *measured = w->has_base || is_refused ? w
	                               : f->is_giant             ? relations_speaker(w)
	                                                         : NULL;

	*item = (struct plan_item){
		.id = (uint32_t)place * CHOICE_KINDS + choosing_kind(f),
		.is_new = !measured,
		.is_giant = f->is_giant,
		.is_excused = f->is_excused && !measured,
		.is_in_pass = choosing_kind(f) == CHOICE_WHOLE,
		.cost_ns = is_refused ? REFUSED_COST_NS : f->prediction.cpu_ns,
		.hold_ns = is_refused ? 0 : f->prediction.hold_ns,
		.doubt_bytes = is_refused ? 0 : doubt_bytes,
		.worth_bytes = is_refused ? 0 : doubt_bytes,
		.pss_bytes = pss_bytes,
		.age_ns = amount_less(clock_now_ns(CLOCK_BOOTTIME),
			measured ? measured->measured_ns : w->first_ns),
	};
	return item;
}

/* Adds BY, 1 or -1, choices like CHOICE to the counters. */
static void count(struct choosing *c, const struct choice *choice, int by)
{
	c->left[choice->kind] += (size_t)by;
	c->excused[choice->kind] += (size_t)(choice->is_excused ? by : 0);
}

int choosing_end(struct choosing *c, const struct plan_limits *limits)
{
	struct plan_limits with = *limits;
	struct plan_counts found;
	size_t n;

	with.round = ++c->round;
	n = plan_choose(c->items, c->count, &with, &found);
	choosing_drop(c);
	if (n > c->capacity) {
		struct choice *choice = reallocarray(c->choice, n, sizeof(*choice));

		if (!choice)
			return -ENOMEM;
		c->choice = choice;
		c->capacity = n;
	}
	for (size_t i = 0; i < n; i++)
		c->choice[i] = (struct choice){
			.place = c->items[i].id / CHOICE_KINDS,
			.kind = c->items[i].id % CHOICE_KINDS,
			.is_excused = c->items[i].is_excused,
			.cost_us = (uint32_t)amount_min(c->items[i].cost_ns / 1000, UINT32_MAX),
		};
	for (size_t i = 0; i < n; i++)
		count(c, &c->choice[i], 1);
	c->chosen = n;
	c->left_ns = found.chosen_ns;
	for (unsigned int i = 0; i < PLAN_REASONS; i++)
		c->deferred[i] += found.deferred[i];
	return 0;
}

static bool is_in(unsigned int kinds, enum choice_kind kind)
{
	return kinds >> kind & 1;
}

bool choosing_has(const struct choosing *c, unsigned int kinds, bool excused_alone)
{
	const size_t *left = excused_alone ? c->excused : c->left;
	size_t sum = 0;

	for (unsigned int kind = 0; kind < CHOICE_KINDS; kind++)
		sum += is_in(kinds, (enum choice_kind)kind) ? left[kind] : 0;
	return sum > 0;
}

size_t choosing_left(const struct choosing *c)
{
	size_t sum = 0;

	for (unsigned int kind = 0; kind < CHOICE_KINDS; kind++)
		sum += c->left[kind];
	return sum;
}

struct choice *choosing_next(struct choosing *c, unsigned int kinds, bool excused_alone)
{
	struct choice *found;
	size_t i = c->chosen;

	if (!choosing_has(c, kinds, excused_alone))
		return NULL;
	for (unsigned int kind = 0; kind < CHOICE_KINDS; kind++)
		if (is_in(kinds, (enum choice_kind)kind) && c->left[kind])
			i = c->first[kind] < i ? c->first[kind] : i;
	while (c->choice[i].is_taken || !is_in(kinds, c->choice[i].kind) ||
		(excused_alone && !c->choice[i].is_excused))
		i++;
	found = &c->choice[i];
	found->is_taken = true;
	if (!excused_alone)
		c->first[found->kind] = i + 1;
	count(c, found, -1);
	c->left_ns = amount_less(c->left_ns, found->cost_us * NS_PER_USEC);
	return found;
}

void choosing_give_back(struct choosing *c, struct choice *choice, enum choice_kind kind)
{
	size_t i = (size_t)(choice - c->choice);

	choice->kind = kind;
	choice->is_taken = false;
	if (i < c->first[kind])
		c->first[kind] = i;
	count(c, choice, 1);
	c->left_ns = amount_add(c->left_ns, choice->cost_us * NS_PER_USEC);
}

/*
 * The bounds for births and exits hold the worst case: that all exited processes had shared with
 * this one alone. That is true of few processes, but all for which it is possible would be measured
 * for it. So this part of the doubt is limited to a multiple of the likely change.
 */
uint64_t choosing_doubt(const struct watch *w, uint64_t low, uint64_t pss, uint64_t high)
{
	uint64_t up = amount_less(high - pss, relations_unlooked(w));
	uint64_t doubt = amount_less(amount_max(up, pss - low), relations_stirred(w));
	uint64_t events;
	const struct estimate_doubt *d = w->has_base ? w->doubt : NULL;

	if (!d)
		return doubt;
	events = amount_max(
		amount_add(d->anon_up, d->file_up), amount_add(d->anon_down, d->file_down));
	return amount_add(amount_less(doubt, events),
		amount_min(events, amount_part(relations_likely(w), EVENTS_TIMES, 1)));
}

uint64_t choosing_row_doubt(const struct watch *w, const struct snapshot_process *row)
{
	uint64_t pss = row->q[PROCESS_PSS];
	uint64_t doubt = choosing_doubt(w, amount_min(row->q[PROCESS_PSS_LOW], pss), pss,
		amount_max(row->q[PROCESS_PSS_HIGH], pss));

	return amount_max(doubt, relations_broken(w));
}
