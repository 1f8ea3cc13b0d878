/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/top/rows/history.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/saturate.h"

#define HISTORY_ABSENT UINT32_MAX

enum {
	KIB = 1024,
	SPAN_SLOTS = HISTORY_SPAN_NS / HISTORY_SLOT_NS,
	CELL_SLOTS = SPAN_SLOTS / HISTORY_TREND,
	FLAT_PART = 8, /* changes below this part of the PSS do not fill the height of a trend */
};

static_assert((int)SPAN_SLOTS < (int)HISTORY_SLOTS, "a sample of ten minutes ago is remembered");

void history_done(struct history *h)
{
	hashmap_done(&h->map);
	free(h->entry);
	*h = (struct history){0};
}

/* Forgets entry I. The last one takes its place. */
static void history_remove(struct history *h, size_t i)
{
	struct history_entry *e = &h->entry[i], *last = &h->entry[h->count - 1];

	hashmap_remove(&h->map, e->id.key, i);
	if (e != last) {
		hashmap_remove(&h->map, last->id.key, h->count - 1);
		*e = *last;
		/* It has just given up two slots. */
		hashmap_add(&h->map, e->id.key, i);
	}
	h->count--;
}

void history_take_from(struct history *h, enum history_source source)
{
	if (h->source == source)
		return;
	h->source = source;
	for (size_t i = h->count; i-- > 0;)
		if (h->entry[i].id.is_lasting)
			history_remove(h, i);
}

bool history_begin(struct history *h, uint64_t boottime_ns, uint64_t interval_ns)
{
	uint64_t slot = boottime_ns / HISTORY_SLOT_NS;

	h->interval_ns = interval_ns;
	h->next = 0;
	if (slot < h->slot || (slot == h->slot && h->count))
		return false;
	h->slot = slot;
	h->begin_ns = boottime_ns;
	h->has_sums = false;
	for (size_t i = 0; i < h->count; i++)
		h->entry[i].is_seen = false;
	return true;
}

bool history_begin_sums(struct history *h, uint64_t boottime_ns, uint64_t salt)
{
	if (h->has_sums || boottime_ns != h->begin_ns)
		return false;
	h->has_sums = true;
	for (size_t i = h->count; i-- > 0;)
		if (h->entry[i].id.salt && h->entry[i].id.salt != salt)
			history_remove(h, i);
	return true;
}

/* Returns the number of the entry with KEY; SIZE_MAX if there is none. */
static size_t history_find(const struct history *h, uint64_t key)
{
	uint32_t row;

	for (size_t at = 0; hashmap_next(&h->map, key, &at, &row);)
		if (h->entry[row].id.key == key)
			return row;
	return SIZE_MAX;
}

/* Finds the entry of ID. Returns NULL if there is none, or it is of an image before an exec. */
static const struct history_entry *history_get(const struct history *h, const struct history_id *id)
{
	size_t i = history_find(h, id->key);
	const struct history_entry *e = i == SIZE_MAX ? NULL : &h->entry[i];

	return e && e->id.since_ns == id->since_ns ? e : NULL;
}

static struct history_entry *history_new(struct history *h, const struct history_id *id)
{
	size_t most = id->salt ? HISTORY_SUMS_MAX : HISTORY_ROWS_MAX;

	if (h->count >= most || ARRAY_RESERVE(h->entry, h->room, h->count + 1) < 0 ||
		hashmap_add(&h->map, id->key, h->count) < 0)
		return NULL;
	return &h->entry[h->count++];
}

static void history_clear(struct history_entry *e, const struct history_id *id)
{
	*e = (struct history_entry){.id = *id, .last_slot = UINT64_MAX};
	memset(e->kib, 0xff, sizeof(e->kib));
}

static uint32_t history_kib(uint64_t bytes)
{
	uint64_t kib = (bytes + KIB / 2) / KIB;

	return kib < HISTORY_ABSENT ? (uint32_t)kib : HISTORY_ABSENT - 1;
}

/* Marks the slots between the last sample of E and SLOT as absent. */
static void history_skip(struct history_entry *e, uint64_t slot)
{
	for (uint64_t s = e->last_slot + 1; s < slot && s <= e->last_slot + HISTORY_SLOTS; s++)
		e->kib[s % HISTORY_SLOTS] = HISTORY_ABSENT;
}

void history_add(struct history *h, const struct history_id *id, uint64_t pss_bytes)
{
	size_t i = h->next < h->count && h->entry[h->next].id.key == id->key
	                   ? h->next
	                   : history_find(h, id->key);
	struct history_entry *e = i == SIZE_MAX ? history_new(h, id) : &h->entry[i];

	if (!e)
		return;
	h->next = (size_t)(e - h->entry) + 1;
	if (i == SIZE_MAX || e->id.since_ns != id->since_ns)
		history_clear(e, id);
	e->id = *id;
	e->is_seen = true;
	if (e->last_slot == h->slot)
		return;
	history_skip(e, h->slot);
	e->kib[h->slot % HISTORY_SLOTS] = history_kib(pss_bytes);
	e->last_slot = h->slot;
}

void history_end(struct history *h)
{
	for (size_t i = h->count; i-- > 0;) {
		const struct history_entry *e = &h->entry[i];

		if (!e->is_seen && !(e->id.is_lasting && e->last_slot + SPAN_SLOTS >= h->slot))
			history_remove(h, i);
	}
}

/* Returns the sample of E in SLOT; HISTORY_ABSENT if there is none. */
static uint32_t history_sample(const struct history_entry *e, uint64_t slot)
{
	if (slot > e->last_slot || slot + HISTORY_SLOTS <= e->last_slot)
		return HISTORY_ABSENT;
	return e->kib[slot % HISTORY_SLOTS];
}

bool history_growth(const struct history *h, const struct history_id *id, uint64_t boottime_ns,
	uint64_t span_ns, uint64_t pss_bytes, int64_t *ret)
{
	const struct history_entry *e = history_get(h, id);
	uint64_t slot, back = h->interval_ns / HISTORY_SLOT_NS;

	if (!e || boottime_ns < span_ns)
		return false;
	slot = (boottime_ns - span_ns) / HISTORY_SLOT_NS;
	/* If snapshots are rarer than slots, the sample is in an earlier one. */
	for (uint64_t i = 0; i <= back && i <= slot; i++) {
		uint32_t kib = history_sample(e, slot - i);

		if (kib != HISTORY_ABSENT) {
			*ret = (int64_t)history_kib(pss_bytes) * KIB - (int64_t)kib * KIB;
			return true;
		}
	}
	return false;
}

/* Returns the mean of the samples of E in the slots of cell I of a trend that ends with SLOT. */
static uint32_t history_cell(const struct history_entry *e, uint64_t slot, unsigned int i)
{
	uint64_t back = (uint64_t)(HISTORY_TREND - 1 - i) * CELL_SLOTS, sum = 0, count = 0;

	for (uint64_t k = 0; k < CELL_SLOTS && back + k <= slot; k++) {
		uint32_t kib = history_sample(e, slot - back - k);

		if (kib != HISTORY_ABSENT) {
			sum += kib;
			count++;
		}
	}
	return count ? (uint32_t)(sum / count) : HISTORY_ABSENT;
}

void history_trend(const struct history *h, const struct history_id *id, uint64_t boottime_ns,
	uint64_t pss_bytes, uint8_t ret[static HISTORY_TREND])
{
	const struct history_entry *e = history_get(h, id);
	uint32_t cell[HISTORY_TREND], now = history_kib(pss_bytes), low = now, high = now;
	uint64_t range;

	for (unsigned int i = 0; i < HISTORY_TREND; i++)
		cell[i] = e ? history_cell(e, boottime_ns / HISTORY_SLOT_NS, i) : HISTORY_ABSENT;
	cell[HISTORY_TREND - 1] = now;
	for (unsigned int i = 0; i < HISTORY_TREND; i++)
		if (cell[i] != HISTORY_ABSENT) {
			low = cell[i] < low ? cell[i] : low;
			high = cell[i] > high ? cell[i] : high;
		}
	range = saturate_max(high - low, high / FLAT_PART);
	for (unsigned int i = 0; i < HISTORY_TREND; i++)
		ret[i] = cell[i] == HISTORY_ABSENT ? 0
		         : !range                  ? 1
		                  : (uint8_t)(1 + (uint64_t)(cell[i] - low) * (HISTORY_LEVELS - 1) /
							  range);
}
