/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/model/family/cow-breaks.h"

#include <stddef.h>
#include <string.h>

#include "base/saturate.h"

enum {
	/* Earlier findings fade by an eighth with each new one. */
	FADES = 8,
	/* The believed part of suspicions is twice the part that was true lately, plus 1/64. */
	DOUBLED = 2,
	UNBELIEVED_PART = 64,
};

static void cow_breaks_add_sum(struct cow_breaks_sum *to, const struct cow_breaks_sum *s)
{
	to->gained = saturate_add(to->gained, s->gained);
	to->parted = saturate_u32((uint64_t)to->parted + s->parted);
	to->writers = saturate_u32((uint64_t)to->writers + s->writers);
}

/* Merges the oldest two times: it begins as the earlier and ends as the later one. */
static void cow_breaks_make_room(struct cow_breaks *b)
{
	if (b->count < COW_BREAKS_KEPT)
		return;
	cow_breaks_add_sum(&b->time[1].sum, &b->time[0].sum);
	b->time[1].from_ns = saturate_min(b->time[0].from_ns, b->time[1].from_ns);
	b->count--;
	memmove(&b->time[0], &b->time[1], b->count * sizeof(b->time[0]));
}

/* Returns the index of AT_NS, or the index at which it is to be inserted. */
static uint32_t cow_breaks_place_of(const struct cow_breaks *b, uint64_t at_ns)
{
	uint32_t i = b->count;

	while (i > 0 && b->time[i - 1].at_ns >= at_ns)
		i--;
	return i;
}

void cow_breaks_add(struct cow_breaks *b, struct cow_breaks_writer *w, uint64_t gained,
	uint64_t room, uint64_t from_ns, uint64_t at_ns)
{
	const struct cow_breaks_sum s = {
		.gained = gained,
		.parted = (uint32_t)saturate_part(
			COW_BREAKS_ONE - w->parted, saturate_min(gained, room), room),
		.writers = 1,
	};
	uint32_t i = cow_breaks_place_of(b, at_ns);
	struct cow_breaks_time *t;

	if (i == b->count || b->time[i].at_ns != at_ns) {
		cow_breaks_make_room(b);
		i = cow_breaks_place_of(b, at_ns);
		memmove(&b->time[i + 1], &b->time[i], (b->count - i) * sizeof(b->time[0]));
		b->time[i] = (struct cow_breaks_time){.from_ns = from_ns, .at_ns = at_ns};
		b->count++;
	}
	t = &b->time[i];
	t->from_ns += ((int64_t)(from_ns - t->from_ns)) / ((int64_t)t->sum.writers + 1);
	cow_breaks_add_sum(&t->sum, &s);
	w->parted += s.parted;
	w->last = s.parted;
	w->at_ns = at_ns;
}

/* Takes PARTED off time I, and what exceeds that off earlier times. */
static void cow_breaks_take_back(struct cow_breaks *b, uint32_t i, uint32_t parted)
{
	while (parted) {
		uint32_t *told = &b->time[i].sum.parted;
		uint32_t part = *told < parted ? *told : parted;

		*told -= part;
		parted -= part;
		if (!i)
			return;
		i--;
	}
}

void cow_breaks_leave(struct cow_breaks *b, struct cow_breaks_writer *w)
{
	uint32_t i = cow_breaks_place_of(b, w->at_ns);

	if (w->parted && i < b->count) {
		cow_breaks_take_back(b, i, w->last);
		cow_breaks_take_back(b, i ? i - 1 : 0, w->parted - w->last);
	}
	*w = (struct cow_breaks_writer){0};
}

void cow_breaks_since(const struct cow_breaks *b, uint64_t since_ns, struct cow_breaks_sum *ret)
{
	*ret = (struct cow_breaks_sum){0};
	for (uint32_t i = b->count; i > 0 && b->time[i - 1].at_ns > since_ns; i--) {
		const struct cow_breaks_time *t = &b->time[i - 1];
		struct cow_breaks_sum s = t->sum;

		if (since_ns > t->from_ns)
			s.parted = (uint32_t)saturate_part(
				s.parted, t->at_ns - since_ns, t->at_ns - t->from_ns);
		cow_breaks_add_sum(ret, &s);
	}
}

void cow_breaks_suspect(struct cow_breaks *b, uint64_t old, uint64_t now, uint64_t at_ns)
{
	if (now > old)
		b->suspected_ns = saturate_max(b->suspected_ns, at_ns);
	b->suspected += now - old;
}

void cow_breaks_answer(struct cow_breaks *b, uint64_t suspected, uint64_t found)
{
	if (!suspected)
		return;
	b->asked += suspected - b->asked / FADES;
	b->admitted += saturate_min(found, suspected) - b->admitted / FADES;
}

/*
 * Returns how much of BYTES is believed: all of them while nothing was found. If other members'
 * faults had other causes so far, a member with real copies shows by its own measurement.
 */
static uint64_t cow_breaks_believed(const struct cow_breaks *b, uint64_t bytes)
{
	uint64_t share = saturate_add(DOUBLED * b->admitted, b->asked / UNBELIEVED_PART);

	return b->asked ? saturate_part(bytes, saturate_min(share, b->asked), b->asked) : bytes;
}

uint64_t cow_breaks_suspected(const struct cow_breaks *b, uint64_t own, uint64_t since_ns)
{
	return since_ns >= b->suspected_ns ? 0 : cow_breaks_believed(b, b->suspected - own);
}
