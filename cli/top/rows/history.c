/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/top/rows/history.h"

#include <assert.h>
#include <math.h>
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
	history_done(h);
	h->source = source;
}

/* Returns the CLOCK_BOOTTIME of the snapshot that SLOT has samples of; 0: it has none. */
static uint64_t history_slot_ns(const struct history *h, uint64_t slot)
{
	uint64_t at_ns = h->at_ns[slot % HISTORY_SLOTS];

	return at_ns / HISTORY_SLOT_NS == slot ? at_ns : 0;
}

static void history_open_slot(struct history *h, uint64_t boottime_ns, uint64_t salt)
{
	uint64_t slot = boottime_ns / HISTORY_SLOT_NS;

	h->at_ns[slot % HISTORY_SLOTS] = boottime_ns;
	h->salt[slot % HISTORY_SLOTS] = salt;
}

bool history_begin(struct history *h, uint64_t boottime_ns, uint64_t interval_ns)
{
	uint64_t slot = boottime_ns / HISTORY_SLOT_NS;

	h->interval_ns = interval_ns;
	h->next = 0;
	if (slot < h->slot || (slot == h->slot && h->count))
		return false;
	h->slot = slot;
	history_open_slot(h, boottime_ns, 0);
	for (size_t i = 0; i < h->count; i++)
		h->entry[i].is_seen = false;
	return true;
}

bool history_begin_sums(struct history *h, uint64_t boottime_ns, uint64_t salt)
{
	uint64_t *present = &h->salt[h->slot % HISTORY_SLOTS];

	if (*present || boottime_ns != history_slot_ns(h, h->slot))
		return false;
	*present = salt;
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

/* Does the same, and looks first where the row behind the last one probably is. */
static size_t history_find_next(const struct history *h, uint64_t key)
{
	return h->next < h->count && h->entry[h->next].id.key == key ? h->next
	                                                             : history_find(h, key);
}

const struct history_entry *history_get(const struct history *h, const struct history_id *id)
{
	size_t i = history_find(h, id->key);
	const struct history_entry *e = i == SIZE_MAX ? NULL : &h->entry[i];

	return e && e->id.since_ns == id->since_ns ? e : NULL;
}

/* Returns the number of entries up to which a row with ID gets one. */
static size_t history_most(const struct history_id *id)
{
	return id->salt ? HISTORY_SUMS_MAX : HISTORY_ROWS_MAX;
}

static struct history_entry *history_new(struct history *h, const struct history_id *id)
{
	if (h->count >= history_most(id) || ARRAY_RESERVE(h->entry, h->room, h->count + 1) < 0 ||
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

/* Sets the sample of E in SLOT, which is newer than its other ones or not too old for them. */
static void history_set(struct history_entry *e, uint64_t slot, uint64_t pss_bytes)
{
	if (e->last_slot == UINT64_MAX || slot > e->last_slot) {
		history_skip(e, slot);
		e->last_slot = slot;
	}
	if (slot + HISTORY_SLOTS > e->last_slot)
		e->kib[slot % HISTORY_SLOTS] = history_kib(pss_bytes);
}

void history_add(struct history *h, const struct history_id *id, uint64_t pss_bytes)
{
	size_t i = history_find_next(h, id->key);
	struct history_entry *e = i == SIZE_MAX ? history_new(h, id) : &h->entry[i];

	if (!e)
		return;
	h->next = (size_t)(e - h->entry) + 1;
	if (i == SIZE_MAX || e->id.since_ns != id->since_ns)
		history_clear(e, id);
	e->id = *id;
	e->is_seen = true;
	if (e->last_slot != h->slot)
		history_set(e, h->slot, pss_bytes);
}

void history_end(struct history *h)
{
	for (size_t i = h->count; i-- > 0;) {
		const struct history_entry *e = &h->entry[i];

		if (!e->is_seen && !(e->id.is_lasting && e->last_slot + SPAN_SLOTS >= h->slot))
			history_remove(h, i);
	}
}

bool history_fill(struct history *h, uint64_t boottime_ns, uint64_t salt)
{
	uint64_t slot = boottime_ns / HISTORY_SLOT_NS;

	if (slot >= h->slot || slot + HISTORY_SLOTS <= h->slot || history_slot_ns(h, slot))
		return false;
	h->next = 0;
	h->fill_slot = slot;
	history_open_slot(h, boottime_ns, salt);
	return true;
}

void history_fill_add(struct history *h, const struct history_id *id, uint64_t pss_bytes)
{
	size_t i = history_find_next(h, id->key);
	struct history_entry *e = i == SIZE_MAX ? NULL : &h->entry[i];

	if (!e && id->is_lasting && !id->salt) {
		e = history_new(h, id);
		if (e)
			history_clear(e, id);
	}
	if (!e || e->id.since_ns != id->since_ns)
		return;
	h->next = (size_t)(e - h->entry) + 1;
	history_set(e, h->fill_slot, pss_bytes);
}

/* Returns true if SLOT has samples of the sums of choice SALT; 0: of processes and owners. */
static bool history_covers(const struct history *h, uint64_t slot, uint64_t salt)
{
	return history_slot_ns(h, slot) && (!salt || h->salt[slot % HISTORY_SLOTS] == salt);
}

uint64_t history_oldest(const struct history *h, uint64_t boottime_ns, uint64_t salt)
{
	uint64_t now = boottime_ns / HISTORY_SLOT_NS;

	for (uint64_t back = HISTORY_SLOTS; back-- > 0;)
		if (now >= back && history_covers(h, now - back, salt))
			return saturate_min(history_slot_ns(h, now - back), boottime_ns);
	return boottime_ns;
}

/* Returns the sample of E in SLOT; HISTORY_ABSENT if there is none. */
static uint32_t history_sample(const struct history_entry *e, uint64_t slot)
{
	if (!e || e->last_slot == UINT64_MAX || slot > e->last_slot ||
		slot + HISTORY_SLOTS <= e->last_slot)
		return HISTORY_ABSENT;
	return e->kib[slot % HISTORY_SLOTS];
}

/* A sample of a row. */
struct history_point {
	uint64_t at_ns;
	uint32_t kib; /* HISTORY_ABSENT: the row had none */
};

/*
 * Finds the newest snapshot at or before AT_NS, at most FAR_NS before it, that has samples of rows with
 * SALT, and the sample of E in it. Returns false if there is none.
 */
static bool history_before(const struct history *h, const struct history_entry *e, uint64_t salt,
	uint64_t at_ns, uint64_t far_ns, struct history_point *ret)
{
	uint64_t last_ns = saturate_less(at_ns, far_ns);

	for (uint64_t slot = at_ns / HISTORY_SLOT_NS + 1; slot-- > last_ns / HISTORY_SLOT_NS;) {
		uint64_t found_ns = history_slot_ns(h, slot);

		if (history_covers(h, slot, salt) && found_ns <= at_ns && found_ns >= last_ns) {
			*ret = (struct history_point){found_ns, history_sample(e, slot)};
			return true;
		}
	}
	return false;
}

/* Returns the first sample of E after AT_NS and at or before NOW; NOW: there is none. */
static struct history_point history_after(const struct history *h, const struct history_entry *e,
	uint64_t at_ns, struct history_point now)
{
	for (uint64_t slot = at_ns / HISTORY_SLOT_NS; slot <= now.at_ns / HISTORY_SLOT_NS; slot++) {
		struct history_point p = {history_slot_ns(h, slot), history_sample(e, slot)};

		if (p.at_ns > at_ns && p.at_ns <= now.at_ns && p.kib != HISTORY_ABSENT)
			return p;
	}
	return now;
}

int history_growth(const struct history *h, const struct history_id *id,
	const struct history_entry *e, uint64_t boottime_ns, uint64_t span_ns, uint64_t pss_bytes,
	int64_t *ret)
{
	uint64_t at_ns = boottime_ns - span_ns;
	uint64_t far_ns = span_ns / HISTORY_TREND + HISTORY_SLOT_NS +
	                  saturate_min(h->interval_ns, span_ns);
	struct history_point now = {boottime_ns, history_kib(pss_bytes)}, a, b;
	double part, then;

	if (boottime_ns < span_ns || !history_before(h, e, id->salt, at_ns, far_ns, &a))
		return HISTORY_NOT_KNOWN;
	if (a.kib == HISTORY_ABSENT)
		return h->count < history_most(id) ? HISTORY_NEW : HISTORY_NOT_KNOWN;
	b = h->is_exact || a.at_ns == at_ns ? a : history_after(h, e, a.at_ns, now);
	if (b.at_ns - a.at_ns > far_ns)
		return HISTORY_NOT_KNOWN;
	part = b.at_ns == a.at_ns ? 0 : (double)(at_ns - a.at_ns) / (double)(b.at_ns - a.at_ns);
	then = (double)a.kib + ((double)b.kib - (double)a.kib) * part;
	*ret = (int64_t)now.kib * KIB - (int64_t)llround(then) * KIB;
	return 0;
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

void history_trend(const struct history_entry *e, uint64_t boottime_ns, uint64_t pss_bytes,
	uint8_t ret[static HISTORY_TREND])
{
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
