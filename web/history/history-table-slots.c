/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "web/history/history-table-private.h"

static int history_table_add_slot(struct history_filling *f, const struct history_slot *slot)
{
	struct history_table *t = f->table;

	if (ARRAY_RESERVE(t->slot, f->slot_room, t->slots + 1) < 0)
		return -ENOMEM;
	t->slot[t->slots++] = *slot;
	return 0;
}

/* Makes a slot for each point of the ledger. */
static int add_ledger_slots(struct history_filling *f)
{
	struct history_part *part = &f->part[HISTORY_PART_LEDGER];
	int r = 0;

	for (size_t i = 0; r == 0 && i < part->ring->points; i++) {
		const struct ring_point *p = part->ring->point[i];

		part->slot_of[i] = (int64_t)f->table->slots;
		r = history_table_add_slot(f, &(struct history_slot){.time_ns = p->realtime_ns,
						      .length_ns = p->length_ns,
						      .source = HISTORY_LEDGER});
	}
	return r;
}

/* Makes a slot for each point of memtally-recorder that is before the ring's part. */
static int add_recorder_slots(struct history_filling *f)
{
	struct history_part *part = &f->part[HISTORY_PART_RECORDER];
	bool has_web = f->plan->web_from_ns < f->plan->web_to_ns;
	int r = 0;

	for (size_t i = 0; r == 0 && i < part->ring->points; i++) {
		const struct ring_point *p = part->ring->point[i];

		if (has_web && p->realtime_ns >= f->plan->web_from_ns)
			break;
		part->slot_of[i] = (int64_t)f->table->slots;
		r = history_table_add_slot(f, &(struct history_slot){.time_ns = p->realtime_ns,
						      .length_ns = p->length_ns,
						      .source = HISTORY_RECORDER});
	}
	return r;
}

/* Makes a slot for each point of the ring, and one more in each gap. */
static int add_point_slots(struct history_filling *f)
{
	struct history_part *part = &f->part[HISTORY_PART_WEB];
	const struct ring_point *last = NULL;
	int r = 0;

	for (size_t i = 0; r == 0 && i < part->ring->points; i++) {
		const struct ring_point *p = part->ring->point[i];
		struct history_slot slot = {.time_ns = p->realtime_ns,
			.length_ns = p->length_ns,
			.source = HISTORY_WEB};

		if (p->realtime_ns < f->plan->web_from_ns || p->realtime_ns >= f->plan->web_to_ns)
			continue;
		if (last && history_plan_has_gap(last, p))
			r = history_table_add_slot(
				f, &(struct history_slot){
					   .time_ns = last->realtime_ns + last->length_ns,
					   .length_ns = last->length_ns,
					   .source = HISTORY_WEB}); /* marks the gap */
		part->slot_of[i] = (int64_t)f->table->slots;
		if (r == 0)
			r = history_table_add_slot(f, &slot);
		last = p;
	}
	return r;
}

/* Makes a slot for each step of the ring's part. */
static int add_step_slots(struct history_filling *f)
{
	const struct history_plan *plan = f->plan;
	uint64_t step_ns = plan->web_step_s * NS_PER_SEC;
	struct history_part *part = &f->part[HISTORY_PART_WEB];
	size_t first = f->table->slots;
	int r = 0;

	for (uint64_t at_ns = plan->web_from_ns; r == 0 && at_ns + NS_PER_SEC < plan->web_to_ns;
		at_ns += step_ns)
		r = history_table_add_slot(
			f, &(struct history_slot){
				   .time_ns = at_ns, .length_ns = step_ns, .source = HISTORY_WEB});
	for (size_t i = 0; r == 0 && i < part->ring->points; i++) {
		uint64_t at_ns = part->ring->point[i]->realtime_ns;
		size_t slot;

		if (at_ns < plan->web_from_ns || at_ns >= plan->web_to_ns)
			continue;
		slot = first + (size_t)((at_ns - plan->web_from_ns) / step_ns);
		if (slot < f->table->slots)
			part->slot_of[i] = (int64_t)slot;
	}
	return r;
}

int history_table_make_slots(struct history_filling *f)
{
	int r = 0;

	for (size_t k = 0; k < HISTORY_PARTS; k++) {
		struct history_part *part = &f->part[k];

		part->slot_of = calloc(part->ring->points + 1, sizeof(*part->slot_of));
		part->candidate_of = calloc(part->ring->rows + 1, sizeof(*part->candidate_of));
		if (!part->slot_of || !part->candidate_of)
			return -ENOMEM;
		for (size_t i = 0; i < part->ring->points; i++)
			part->slot_of[i] = HISTORY_NO_SLOT;
	}
	r = add_ledger_slots(f);
	if (r == 0)
		r = add_recorder_slots(f);
	if (r == 0)
		r = f->plan->web_step_s ? add_step_slots(f) : add_point_slots(f);
	return r;
}
