/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "ledger/count/bucket.h"

#include <string.h>

#include "base/clock.h"
#include "base/saturate.h"
#include "ledger/count/slots.h"

/*
 * Swap and processes are not integrated between snapshots further apart than this, or than two of
 * memtallyd's intervals, whichever is longer.
 */
#define SAMPLES_APART_NS (600 * NS_PER_SEC)

/*
 * Differences up to this between the wall clock and other clocks do not mean that it was set, or
 * that two spans do not adjoin.
 */
#define CLOCK_NOISE_NS NS_PER_SEC

/* How long to wait for the snapshot in which a slot ends, so that the slot is written once. */
#define DUE_NS (30 * NS_PER_SEC)

#define SLOT_NS ((uint64_t)slots_seconds(SLOT_BUCKET) * NS_PER_SEC)

/* A longer span is not written as such: all usage goes into its last slot. */
#define HULL_MAX_NS (UINT64_C(400) * 86400 * NS_PER_SEC)

void bucket_done(struct bucket *b)
{
	rows_done(&b->rows);
	*b = (struct bucket){0};
}

static bool bucket_is_replaced(const struct bucket *b, const uint8_t *instance)
{
	for (size_t i = 0; i < b->replaced_count; i++)
		if (!memcmp(b->replaced[i], instance, IMAGE_INSTANCE_SIZE))
			return true;
	return false;
}

static void add_replaced(struct bucket *b, const uint8_t *instance)
{
	if (b->replaced_count < BUCKET_REPLACED_MAX)
		b->replaced_count++;
	memmove(b->replaced[1], b->replaced[0], (b->replaced_count - 1) * sizeof(b->replaced[0]));
	memcpy(b->replaced[0], instance, IMAGE_INSTANCE_SIZE);
}

static bool bucket_is_same(const struct bucket *b, const struct image_header *h)
{
	return b->mark.is_set && !memcmp(b->mark.instance, h->instance, sizeof(h->instance));
}

static enum intake_relation relation_of(const struct bucket *b, const struct image_header *h)
{
	if (bucket_is_same(b, h))
		return INTAKE_SEQUEL;
	return !b->mark.is_set || bucket_is_replaced(b, h->instance) ? INTAKE_FIRST : INTAKE_NEW;
}

/*
 * Returns for how long a memtallyd without an earlier snapshot has counted: since its host row was
 * created, by the wall clock, or, if that clock was set since, by the number of its passes. Not
 * longer than since the last snapshot of its predecessor, unless the machine was rebooted.
 */
static uint64_t counted_for_ns(const struct bucket *b, const struct view *view)
{
	const struct image_header *h = view->header;
	uint64_t created_ns = view_host(view)->created_ns, ns = h->boottime_ns;

	if (h->realtime_ns >= created_ns && h->realtime_ns - created_ns <= h->boottime_ns)
		ns = h->realtime_ns - created_ns;
	else if (h->sequence - 1 < ns / saturate_max(h->interval_ns, 1))
		ns = (h->sequence - 1) * h->interval_ns;
	if (h->boottime_ns > b->mark.boottime_ns)
		ns = saturate_min(ns, h->boottime_ns - b->mark.boottime_ns);
	return h->sequence > 1 ? ns : 0;
}

static uint64_t elapsed_ns(const struct bucket *b, const struct bucket_mark *next)
{
	uint64_t boot_ns = next->boottime_ns > b->mark.boottime_ns
	                           ? next->boottime_ns - b->mark.boottime_ns
	                           : 0;

	return next->monotonic_ns > b->mark.monotonic_ns
	               ? saturate_min(next->monotonic_ns - b->mark.monotonic_ns, boot_ns)
	               : 0;
}

/*
 * Returns whether the clock was set: otherwise the wall clock runs as fast as CLOCK_BOOTTIME, even
 * while the machine is suspended.
 */
static bool was_clock_set(const struct bucket *b, const struct bucket_mark *next)
{
	uint64_t boot_ns = next->boottime_ns - b->mark.boottime_ns;

	return next->realtime_ns < b->mark.realtime_ns ||
	       saturate_distance(next->realtime_ns - b->mark.realtime_ns, boot_ns) > CLOCK_NOISE_NS;
}

/* Returns the mark for the time after the snapshot of H is counted. */
static struct bucket_mark bucket_mark_of(
	const struct bucket *b, const struct image_header *h, uint64_t suspended_ns)
{
	struct bucket_mark mark = {
		.is_set = true,
		.sequence = h->sequence,
		.boottime_ns = h->boottime_ns,
		.monotonic_ns = h->boottime_ns > suspended_ns ? h->boottime_ns - suspended_ns : 0,
		.realtime_ns = h->realtime_ns,
	};

	memcpy(mark.instance, h->instance, sizeof(mark.instance));
	/*
	 * SUSPENDED_NS is measured now. If the snapshot was made before a suspend and was waiting,
	 * it is too much: then this snapshot covers no time, and the next one covers its time, too.
	 */
	if (bucket_is_same(b, h))
		mark.monotonic_ns = saturate_max(mark.monotonic_ns, b->mark.monotonic_ns);
	return mark;
}

static uint64_t brings_ns(const struct bucket *b, const struct view *view,
	const struct bucket_mark *next, enum intake_relation relation)
{
	uint64_t ns = relation == INTAKE_SEQUEL ? elapsed_ns(b, next)
	              : relation == INTAKE_NEW  ? counted_for_ns(b, view)
	                                        : 0;

	return saturate_min(ns, view->header->realtime_ns);
}

/*
 * Another memtallyd has replaced the counted one. The mark starts at the beginning of the time that
 * its snapshot covers.
 */
static void change_memtallyd(struct bucket *b, const struct bucket_mark *next)
{
	if (b->mark.is_set)
		add_replaced(b, b->mark.instance);
	b->mark = *next;
	b->mark.monotonic_ns -= saturate_min(b->brings_ns, b->mark.monotonic_ns);
	b->mark.boottime_ns -= saturate_min(b->brings_ns, b->mark.boottime_ns);
}

int bucket_take(struct bucket *b, const struct view *view, uint64_t suspended_ns, bool own_userns)
{
	const struct image_header *h = view->header;
	struct bucket_mark next = bucket_mark_of(b, h, suspended_ns);
	struct intake in = {.view = view, .relation = relation_of(b, h), .own_userns = own_userns};
	int r;

	if (bucket_is_same(b, h) && h->sequence <= b->mark.sequence)
		return BUCKET_OLD;
	in.number = ++b->taken;
	in.brings_ns = brings_ns(b, view, &next, in.relation);
	in.is_sampled = in.relation == INTAKE_SEQUEL &&
	                in.brings_ns <= saturate_max(SAMPLES_APART_NS, 2 * h->interval_ns);
	r = intake_take(&in, &b->rows, b->other);
	if (r < 0)
		return r;
	b->brings_ns = in.brings_ns;
	b->is_sampled = in.is_sampled;
	b->wall_from_ns = h->realtime_ns - b->brings_ns;
	b->added_ns = 0;
	if (in.relation != INTAKE_SEQUEL)
		change_memtallyd(b, &next);
	else if (was_clock_set(b, &next))
		b->clock_sets++;
	b->next = next;
	b->is_taking = true;
	return in.relation == INTAKE_FIRST ? BUCKET_BASELINE : 0;
}

/* Adds to ROW its gain in PART (0 to 1) of the time that the snapshot covers. */
static void bucket_add_part(const struct bucket *b, struct row *row, double part)
{
	row->pss_byte_s += row->gain * part;
	if (row->counts)
		row->counted += row->gain * part;
	if (!b->is_sampled)
		return;
	row->process_s += row->process_gain * part;
	if (row->samples_swap) {
		row->swap_byte_s += row->swap_gain * part;
		row->has_swap_s = true;
	}
}

/* Sets the state of ROW to that of the snapshot. */
static void settle_row(struct row *row)
{
	row->now = row->next;
	if (row->now.has_pss && (!row->has_pss_max || row->now.pss_bytes > row->pss_max_bytes)) {
		row->pss_max_bytes = row->now.pss_bytes;
		row->has_pss_max = true;
	}
	row->processes_max = saturate_max(row->processes_max, row->now.processes);
}

static void open_span(struct bucket *b, uint64_t from_ns, uint64_t to_ns)
{
	if (!b->is_open) {
		b->is_open = true;
		b->from_ns = from_ns;
		b->to_ns = to_ns;
		return;
	}
	b->from_ns = saturate_min(b->from_ns, from_ns);
	b->to_ns = saturate_max(b->to_ns, to_ns);
	if (b->to_ns - b->from_ns > HULL_MAX_NS)
		b->from_ns = b->to_ns - b->to_ns % SLOT_NS;
}

/* Adds the part of the snapshot until UNTIL_NS (CLOCK_REALTIME) to the span. */
static void add_until(struct bucket *b, uint64_t until_ns)
{
	uint64_t ns = until_ns - (b->wall_from_ns + b->added_ns);
	double part = b->brings_ns ? (double)ns / (double)b->brings_ns : 1;

	open_span(b, b->wall_from_ns + b->added_ns, until_ns);
	for (size_t i = 0; i < b->rows.count; i++)
		bucket_add_part(b, b->rows.row[i], part);
	b->covered_ns += ns;
	if (b->is_sampled)
		b->sampled_ns += ns;
	b->added_ns += ns;
	b->mark.monotonic_ns += ns;
	b->mark.boottime_ns += ns;
	b->mark.realtime_ns = until_ns;
}

/* Ends the taken snapshot: all of it is added. */
static void bucket_settle(struct bucket *b)
{
	b->is_taking = false;
	b->mark = b->next;
	for (size_t i = 0; i < b->rows.count; i++) {
		struct row *row = b->rows.row[i];

		if (row->counts && row->gain > 0 && !b->brings_ns) {
			/* The snapshot covers no time, but a counter went up: keep the increase. */
			row->pss_byte_s += row->gain;
			row->counted += row->gain;
		}
		settle_row(row);
	}
	folding_forget_ended(&b->folding, &b->rows);
}

/*
 * Returns the end of the part from FROM_NS that goes into one span: the end of the slot, or of as
 * many whole slots as follow.
 */
static uint64_t end_of_part(uint64_t from_ns, uint64_t end_ns)
{
	uint64_t slot_end_ns = from_ns - from_ns % SLOT_NS + SLOT_NS;

	if (end_ns <= slot_end_ns)
		return end_ns;
	return from_ns % SLOT_NS ? slot_end_ns : end_ns - end_ns % SLOT_NS;
}

/* Returns whether FROM_NS is where the open span ended, and in the same slot. */
static bool goes_on(const struct bucket *b, uint64_t from_ns)
{
	return saturate_distance(b->to_ns, from_ns) <= CLOCK_NOISE_NS &&
	       b->from_ns / SLOT_NS == from_ns / SLOT_NS;
}

bool bucket_advance(struct bucket *b)
{
	uint64_t end_ns = b->wall_from_ns + b->brings_ns;
	uint64_t from_ns = b->wall_from_ns + b->added_ns, until_ns;

	if (!b->is_taking)
		return false;
	if (!b->brings_ns) {
		if (!b->is_open)
			open_span(b, end_ns, end_ns);
		bucket_settle(b);
		return false;
	}
	if (b->is_open && !b->is_stretched && bucket_has_content(b) && !goes_on(b, from_ns))
		return true;
	if (b->is_open && !bucket_has_content(b))
		b->is_open = false;
	until_ns = b->is_stretched ? end_ns : end_of_part(from_ns, end_ns);
	if (until_ns > from_ns)
		add_until(b, until_ns);
	if (b->added_ns < b->brings_ns)
		return true;
	bucket_settle(b);
	return false;
}

void bucket_stretch(struct bucket *b)
{
	b->is_stretched = true;
}

bool bucket_has_content(const struct bucket *b)
{
	return b->is_open && b->covered_ns;
}

bool bucket_is_due(const struct bucket *b, uint64_t realtime_ns)
{
	uint64_t end_ns = b->from_ns - b->from_ns % SLOT_NS + SLOT_NS;

	return bucket_has_content(b) &&
	       (realtime_ns >= end_ns + DUE_NS || realtime_ns + DUE_NS < b->from_ns);
}

void bucket_forget_series(struct bucket *b)
{
	for (size_t i = 0; i < b->rows.count; i++)
		b->rows.row[i]->series = ROWS_SERIES_UNKNOWN;
}

/*
 * Keeps owners with a counter, and, while a snapshot is taken, those with a gain that is not added
 * yet.
 */
static bool is_left(const struct row *row)
{
	return row->now.is_known || row->next.is_known || row->gain > 0 || row->process_gain > 0;
}

void bucket_clear(struct bucket *b)
{
	for (size_t i = 0; i < b->rows.count; i++) {
		struct row *row = b->rows.row[i];

		row->pss_byte_s = row->swap_byte_s = row->process_s = 0;
		row->has_pss_max = row->has_swap_s = row->is_folded = false;
		row->pss_max_bytes = row->processes_max = 0;
		if (!b->is_taking)
			row->gain = row->process_gain = 0;
	}
	rows_sweep(&b->rows, is_left);
	folding_clear(&b->folding);
	b->is_open = b->is_stretched = false;
	b->covered_ns = b->sampled_ns = 0;
}
