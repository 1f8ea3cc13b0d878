/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "ledger/bucket.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ledger/slots.h"
#include "snapshot/owner.h"

/*
 * Snapshots further apart tell nothing of swap and processes between them; but for a memtallyd that is to be so slow.
 */
#define SAMPLES_APART_NS (600 * NS_PER_SEC)

/*
 * What the wall clock may move away from others without having been set, or without one span being no sequel to
 * another.
 */
#define CLOCK_NOISE_NS NS_PER_SEC

/* For how long the snapshot may be waited for in which a slot ends: it then is written once. */
#define DUE_NS (30 * NS_PER_SEC)

#define SLOT_NS ((uint64_t)slots_seconds(SLOT_BUCKET) * NS_PER_SEC)

/* Time that can't be written down any more: then all of it is taken to be the last slot's. */
#define HULL_MAX_NS (UINT64_C(400) * 86400 * NS_PER_SEC)

void bucket_done(struct bucket *b)
{
	rows_done(&b->rows);
	*b = (struct bucket){0};
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static bool is_former(const struct bucket *b, const uint8_t *instance)
{
	for (size_t i = 0; i < b->formers; i++)
		if (!memcmp(b->former[i], instance, IMAGE_INSTANCE_SIZE))
			return true;
	return false;
}

static void add_former(struct bucket *b, const uint8_t *instance)
{
	if (b->formers < BUCKET_FORMER_MAX)
		b->formers++;
	memmove(b->former[1], b->former[0], (b->formers - 1) * sizeof(b->former[0]));
	memcpy(b->former[0], instance, IMAGE_INSTANCE_SIZE);
}

/* How the snapshot goes with what is known. */
enum relation {
	RELATION_OLD,
	RELATION_FIRST,  /* counters are where they are */
	RELATION_SEQUEL, /* counters have gone up */
	RELATION_NEW,    /* counters began at 0 */
};

static enum relation relation_of(const struct bucket *b, const struct image_header *h)
{
	if (b->mark.is_set && !memcmp(b->mark.instance, h->instance, sizeof(h->instance)))
		return h->sequence > b->mark.sequence ? RELATION_SEQUEL : RELATION_OLD;
	return !b->mark.is_set || is_former(b, h->instance) ? RELATION_FIRST : RELATION_NEW;
}

/*
 * For how long a memtallyd that nobody has seen yet has counted: since its host row was made, by the wall clock,
 * unless that was set since; at any rate not since before the last snapshot of the one before it, if the machine has
 * not been started since.
 */
static uint64_t counted_for_ns(const struct bucket *b, const struct view *view)
{
	const struct image_header *h = view->header;
	uint64_t created_ns = view_host(view)->created_ns, ns = h->boottime_ns;

	if (h->realtime_ns >= created_ns && h->realtime_ns - created_ns <= h->boottime_ns)
		ns = h->realtime_ns - created_ns;
	else if (h->sequence - 1 < ns / most(h->interval_ns, 1))
		ns = (h->sequence - 1) * h->interval_ns;
	if (h->boottime_ns > b->mark.boottime_ns)
		ns = least(ns, h->boottime_ns - b->mark.boottime_ns);
	return h->sequence > 1 ? ns : 0;
}

static uint64_t elapsed_ns(const struct bucket *b, const struct bucket_mark *next)
{
	uint64_t boot_ns = next->boottime_ns > b->mark.boottime_ns
	                           ? next->boottime_ns - b->mark.boottime_ns
	                           : 0;

	return next->monotonic_ns > b->mark.monotonic_ns
	               ? least(next->monotonic_ns - b->mark.monotonic_ns, boot_ns)
	               : 0;
}

/* Suspended or not, the wall clock goes with CLOCK_BOOTTIME, unless it is set. */
static bool was_clock_set(const struct bucket *b, const struct bucket_mark *next)
{
	uint64_t boot_ns = next->boottime_ns - b->mark.boottime_ns;

	return next->realtime_ns < b->mark.realtime_ns ||
	       apart(next->realtime_ns - b->mark.realtime_ns, boot_ns) > CLOCK_NOISE_NS;
}

static const struct snapshot_scope *row_at(
	const struct view *view, enum usage_kind kind, uint32_t i)
{
	return view_scope(view, owner_scope(usage_owner(kind)), i);
}

static uint32_t rows_of(const struct view *view, enum usage_kind kind)
{
	return view_count(view, owner_scope(usage_owner(kind)));
}

/* In the image it is the sum of rows that are there, too. */
static bool is_sum(const struct snapshot_scope *s)
{
	return s->flags & SCOPE_OTHER;
}

static const char *user_of(
	const struct view *view, enum usage_kind kind, const struct snapshot_scope *s)
{
	return owner_of(usage_owner(kind))->has_user ? view_text(view, s->user) : "";
}

/* The uid of whose own ROW is, or the gid of the group that it is. */
static uint32_t id_of(const struct bucket *b, const struct row *row)
{
	if (rows_has_number(row->kind))
		return row->number;
	for (size_t i = 0; *row->user && i < b->rows.count; i++)
		if (b->rows.row[i]->kind == USAGE_USER && !strcmp(b->rows.row[i]->name, row->user))
			return b->rows.row[i]->id;
	return OWNER_NO_ID;
}

/* Rows for all that VIEW has: afterwards nothing more can fail. */
static int make_rows(struct bucket *b, const struct view *view, bool own_userns)
{
	for (unsigned int k = USAGE_USER; k < USAGE_KINDS_END; k++)
		for (uint32_t i = 0; i < rows_of(view, (enum usage_kind)k); i++) {
			enum usage_kind kind = (enum usage_kind)k;
			const struct snapshot_scope *s = row_at(view, kind, i);
			const char *name = view_text(view, s->name);
			struct row *row;

			if (is_sum(s))
				continue;
			row = rows_get(&b->rows, kind, s->id, name, user_of(view, kind, s));
			if (!row || rows_rename(row, name) < 0)
				return -ENOMEM;
			if (row->id == OWNER_NO_ID && own_userns)
				row->id = id_of(b, row);
			row->seen = b->taken;
		}
	return 0;
}

static bool get(const struct snapshot_scope *s, enum scope_quantity i, uint64_t *ret)
{
	*ret = ROW_HAS(s, i) ? s->q[i] : 0;
	return ROW_HAS(s, i);
}

/* Whether what has been counted of ROW is of the same counter as S. */
static bool has_counter_of(const struct row *row, const struct snapshot_scope *s)
{
	return row->is_known && row->created_ns == s->created_ns;
}

/* What the counter of ROW has gone up; and what that has to be added to so that it is what S says. */
static void gain(enum relation relation, struct row *row, const struct snapshot_scope *s)
{
	bool has_counter = ROW_HAS(s, SCOPE_PSS_BYTE_SECONDS);
	double value = has_counter ? metric_real(s->q[SCOPE_PSS_BYTE_SECONDS]) : 0;
	bool goes_on = relation == RELATION_SEQUEL && has_counter_of(row, s);

	if (relation == RELATION_FIRST) {
		row->counted = value;
	} else if (!goes_on) {
		row->counted = 0;
		row->gain = value;
	} else if (value > row->counted) {
		row->gain = value - row->counted;
	}
	/* Now, and not when all of it was added: what is written in between begins at this, too. */
	row->created_ns = s->created_ns;
	row->counts = has_counter;
}

/* As memtallyd does: the trapezoid; who comes rises from 0. */
static void sample(const struct bucket *b, struct row *row, bool is_there_before)
{
	double seconds = (double)b->brings_ns / (double)NS_PER_SEC / 2;
	double swap = is_there_before ? (double)row->swap_bytes : 0;
	double processes = is_there_before ? (double)row->processes : 0;

	row->samples_swap = (!is_there_before || row->has_swap) &&
	                    (row->will_have_swap || !row->will_be_known);
	if (row->samples_swap)
		row->swap_gain = (swap + (double)row->will_swap_bytes) * seconds;
	row->process_gain = (processes + (double)row->will_processes) * seconds;
}

static void take_row(
	struct bucket *b, enum relation relation, struct row *row, const struct snapshot_scope *s)
{
	row->will_be_known = true;
	row->will_have_pss = get(s, SCOPE_PSS, &row->will_pss_bytes);
	row->will_have_swap = get(s, SCOPE_SWAP_PSS, &row->will_swap_bytes);
	get(s, SCOPE_PROCESSES, &row->will_processes);
	gain(relation, row, s);
	if (b->is_sampled)
		sample(b, row, row->is_known);
}

/*
 * Who is not in the snapshot has ended, and memtallyd has no row for it any more: that counter's last step, down to 0,
 * went to no row that can be seen. Where several passes lie between, half of the time is the best guess; of a long time
 * nothing is guessed, but that step.
 */
static void take_ended(
	struct bucket *b, enum relation relation, struct row *row, uint64_t interval_ns)
{
	uint64_t ns = b->is_sampled ? b->brings_ns : least(b->brings_ns, interval_ns);

	if (relation != RELATION_SEQUEL)
		row->is_known = false; /* its memtallyd has ended, and so has its counter */
	if (!row->is_known)
		return;
	row->gain = (double)row->pss_bytes * ((double)ns / (double)NS_PER_SEC) / 2;
	if (b->is_sampled)
		sample(b, row, true);
}

static void prepare(struct row *row)
{
	row->counts = row->samples_swap = false;
	row->gain = row->swap_gain = row->process_gain = 0;
	row->will_be_known = row->will_have_pss = row->will_have_swap = false;
	row->will_pss_bytes = row->will_swap_bytes = row->will_processes = 0;
}

static double part_of(double part, double whole)
{
	return part < whole ? part / whole : 1;
}

/* The row of B that S is of; NULL: S is a sum. */
static struct row *find_row(const struct bucket *b, const struct view *view, enum usage_kind kind,
	const struct snapshot_scope *s)
{
	return is_sum(s) ? NULL
	                 : rows_find(&b->rows, kind, s->id, view_text(view, s->name),
				   user_of(view, kind, s));
}

/* The same, if nothing is known of what has been counted of it. */
static struct row *find_unknown(const struct bucket *b, const struct view *view,
	enum usage_kind kind, const struct snapshot_scope *s)
{
	struct row *row = find_row(b, view, kind, s);

	return row && !row->is_known ? row : NULL;
}

/* Which of two rows may sooner be the one that S, of ID's own, is of: by the uid, where it is known, and the counter. */
static bool is_nearer(
	const struct row *a, const struct row *b, uint32_t id, const struct snapshot_scope *s)
{
	bool has_counter = ROW_HAS(s, SCOPE_PSS_BYTE_SECONDS);
	double value = has_counter ? metric_real(s->q[SCOPE_PSS_BYTE_SECONDS]) : 0;

	if ((a->id == id) != (b->id == id))
		return a->id == id;
	return fabs(value - a->counted) < fabs(value - b->counted);
}

/* The row that ROW, which is S's, was while its user had another name; NULL: it is new. */
static struct row *find_former(
	const struct bucket *b, const struct row *row, const struct snapshot_scope *s)
{
	struct row *found = NULL;

	for (size_t i = 0; i < b->rows.count; i++) {
		struct row *former = b->rows.row[i];

		if (former->kind == row->kind && former->seen != b->taken &&
			has_counter_of(former, s) && !strcmp(former->name, row->name) &&
			(!found || is_nearer(former, found, row->id, s)))
			found = former;
	}
	return found;
}

/* From where FORMER's counter is ROW goes on; what FORMER has used is still its own. */
static void go_on_from(struct row *row, struct row *former)
{
	row->is_known = true;
	row->created_ns = former->created_ns;
	row->counted = former->counted;
	row->has_pss = former->has_pss;
	row->has_swap = former->has_swap;
	row->pss_bytes = former->pss_bytes;
	row->swap_bytes = former->swap_bytes;
	row->processes = former->processes;
	if (row->id == OWNER_NO_ID)
		row->id = former->id;
	former->is_known = false;
}

/*
 * memtallyd knows whose a container is by the uid, and says it by the name that this has just then: where that is
 * another one, the counter goes on all the same.
 */
static void follow_users(struct bucket *b, const struct view *view)
{
	for (unsigned int k = USAGE_USER; k < USAGE_KINDS_END; k++) {
		enum usage_kind kind = (enum usage_kind)k;

		if (!owner_of(usage_owner(kind))->has_user)
			continue;
		for (uint32_t i = 0; i < rows_of(view, kind); i++) {
			const struct snapshot_scope *s = row_at(view, kind, i);
			struct row *row = find_row(b, view, kind, s), *former;

			if (!row || has_counter_of(row, s))
				continue;
			former = find_former(b, row, s);
			if (former)
				go_on_from(row, former);
		}
	}
}

/*
 * Of those without a counter of their own in the file there is the sum of all: of each of them the same part is taken
 * to have been counted. So together they gain what they have gained, and, where some have ended meanwhile, not more.
 */
static void recall(struct bucket *b, const struct view *view, enum usage_kind kind)
{
	const struct bucket_pool *pool = &b->pool[kind];
	double counted = 0, swap_bytes = 0, processes = 0;

	for (uint32_t i = 0; i < rows_of(view, kind); i++) {
		const struct snapshot_scope *s = row_at(view, kind, i);

		if (!find_unknown(b, view, kind, s))
			continue;
		if (ROW_HAS(s, SCOPE_PSS_BYTE_SECONDS))
			counted += metric_real(s->q[SCOPE_PSS_BYTE_SECONDS]);
		swap_bytes += ROW_HAS(s, SCOPE_SWAP_PSS) ? (double)s->q[SCOPE_SWAP_PSS] : 0;
		processes += ROW_HAS(s, SCOPE_PROCESSES) ? (double)s->q[SCOPE_PROCESSES] : 0;
	}
	for (uint32_t i = 0; i < rows_of(view, kind); i++) {
		const struct snapshot_scope *s = row_at(view, kind, i);
		struct row *row = find_unknown(b, view, kind, s);

		if (!row)
			continue;
		row->is_known = true;
		row->created_ns = s->created_ns;
		if (ROW_HAS(s, SCOPE_PSS_BYTE_SECONDS))
			row->counted = metric_real(s->q[SCOPE_PSS_BYTE_SECONDS]) *
			               part_of(pool->counted, counted);
		row->has_swap = pool->has_swap && get(s, SCOPE_SWAP_PSS, &row->swap_bytes);
		row->swap_bytes = (uint64_t)((double)row->swap_bytes *
					     part_of((double)pool->swap_bytes, swap_bytes));
		get(s, SCOPE_PROCESSES, &row->processes);
		row->processes = (uint64_t)((double)row->processes *
						    part_of((double)pool->processes, processes) +
					    0.5);
	}
}

static void take_rows(struct bucket *b, const struct view *view, enum relation relation)
{
	if (relation == RELATION_SEQUEL)
		follow_users(b, view);
	for (unsigned int k = USAGE_USER; k < USAGE_KINDS_END; k++) {
		if (b->pool[k].is_set && relation == RELATION_SEQUEL)
			recall(b, view, (enum usage_kind)k);
		b->pool[k] = (struct bucket_pool){.is_set = false};
	}
	for (size_t i = 0; i < b->rows.count; i++)
		prepare(b->rows.row[i]);
	for (unsigned int k = USAGE_USER; k < USAGE_KINDS_END; k++)
		for (uint32_t i = 0; i < rows_of(view, (enum usage_kind)k); i++) {
			enum usage_kind kind = (enum usage_kind)k;
			const struct snapshot_scope *s = row_at(view, kind, i);
			struct row *row = find_row(b, view, kind, s);

			if (row)
				take_row(b, relation, row, s);
		}
	for (size_t i = 0; i < b->rows.count; i++)
		if (b->rows.row[i]->seen != b->taken)
			take_ended(b, relation, b->rows.row[i], view->header->interval_ns);
}

int bucket_take(struct bucket *b, const struct view *view, uint64_t suspended_ns, bool own_userns)
{
	const struct image_header *h = view->header;
	enum relation relation = relation_of(b, h);
	struct bucket_mark next = {
		.is_set = true,
		.sequence = h->sequence,
		.boottime_ns = h->boottime_ns,
		.monotonic_ns = h->boottime_ns > suspended_ns ? h->boottime_ns - suspended_ns : 0,
		.realtime_ns = h->realtime_ns,
	};
	int r;

	if (relation == RELATION_OLD)
		return BUCKET_OLD;
	memcpy(next.instance, h->instance, sizeof(next.instance));
	/*
	 * What has been suspended is known of when the snapshot is received. Of one that was made before, and was
	 * waiting, it is too much: then the time is none, and what was before comes with the next one.
	 */
	if (relation == RELATION_SEQUEL)
		next.monotonic_ns = most(next.monotonic_ns, b->mark.monotonic_ns);
	b->taken++;
	r = make_rows(b, view, own_userns);
	if (r < 0)
		return r;
	b->brings_ns = relation == RELATION_SEQUEL ? elapsed_ns(b, &next)
	               : relation == RELATION_NEW  ? counted_for_ns(b, view)
	                                           : 0;
	b->brings_ns = least(b->brings_ns, h->realtime_ns);
	b->is_sampled = relation == RELATION_SEQUEL &&
	                b->brings_ns <= most(SAMPLES_APART_NS, 2 * h->interval_ns);
	b->wall_from_ns = h->realtime_ns - b->brings_ns;
	b->added_ns = 0;
	if (relation == RELATION_SEQUEL && was_clock_set(b, &next))
		b->clock_sets++;
	take_rows(b, view, relation);
	if (relation != RELATION_SEQUEL) {
		if (b->mark.is_set) {
			add_former(b, b->mark.instance);
			b->restarts++;
		}
		/* Of the one that is counted now nothing is. */
		b->mark = next;
		b->mark.monotonic_ns -= least(b->brings_ns, b->mark.monotonic_ns);
		b->mark.boottime_ns -= least(b->brings_ns, b->mark.boottime_ns);
	}
	b->next = next;
	b->is_taking = true;
	return relation == RELATION_FIRST ? BUCKET_BASELINE : 0;
}

/* What ROW has gained in PART of the time that the snapshot brings. */
static void add_part(const struct bucket *b, struct row *row, double part)
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

/* From now on it is as the snapshot says. */
static void settle_row(struct row *row)
{
	row->is_known = row->will_be_known;
	row->has_pss = row->will_have_pss;
	row->has_swap = row->will_have_swap;
	row->pss_bytes = row->will_pss_bytes;
	row->swap_bytes = row->will_swap_bytes;
	row->processes = row->will_processes;
	if (row->has_pss && (!row->has_pss_max || row->pss_bytes > row->pss_max_bytes)) {
		row->pss_max_bytes = row->pss_bytes;
		row->has_pss_max = true;
	}
	row->processes_max = most(row->processes_max, row->processes);
}

static void open_span(struct bucket *b, uint64_t from_ns, uint64_t to_ns)
{
	if (!b->is_open) {
		b->is_open = true;
		b->from_ns = from_ns;
		b->to_ns = to_ns;
		return;
	}
	b->from_ns = least(b->from_ns, from_ns);
	b->to_ns = most(b->to_ns, to_ns);
	if (b->to_ns - b->from_ns > HULL_MAX_NS)
		b->from_ns = b->to_ns - b->to_ns % SLOT_NS;
}

static void add_until(struct bucket *b, uint64_t until_ns)
{
	uint64_t ns = until_ns - (b->wall_from_ns + b->added_ns);
	double part = b->brings_ns ? (double)ns / (double)b->brings_ns : 1;

	open_span(b, b->wall_from_ns + b->added_ns, until_ns);
	for (size_t i = 0; i < b->rows.count; i++)
		add_part(b, b->rows.row[i], part);
	b->covered_ns += ns;
	if (b->is_sampled)
		b->sampled_ns += ns;
	b->added_ns += ns;
	b->mark.monotonic_ns += ns;
	b->mark.boottime_ns += ns;
	b->mark.realtime_ns = until_ns;
}

static void settle(struct bucket *b)
{
	b->is_taking = false;
	b->mark = b->next;
	for (size_t i = 0; i < b->rows.count; i++) {
		struct row *row = b->rows.row[i];

		if (row->counts && row->gain > 0 && !b->brings_ns) {
			/* A counter that has gone up in no time: it is not lost. */
			row->pss_byte_s += row->gain;
			row->counted += row->gain;
		}
		settle_row(row);
	}
	folding_forget_ended(&b->folding, &b->rows);
}

/*
 * Until when what is left of the snapshot belongs together: to the end of a slot, or for as many whole ones as there
 * are.
 */
static uint64_t end_of_part(uint64_t from_ns, uint64_t end_ns)
{
	uint64_t slot_end_ns = from_ns - from_ns % SLOT_NS + SLOT_NS;

	if (end_ns <= slot_end_ns)
		return end_ns;
	return from_ns % SLOT_NS ? slot_end_ns : end_ns - end_ns % SLOT_NS;
}

/* Whether what begins at FROM_NS goes on where the open span ended, in the same slot. */
static bool goes_on(const struct bucket *b, uint64_t from_ns)
{
	return apart(b->to_ns, from_ns) <= CLOCK_NOISE_NS &&
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
		settle(b);
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
	settle(b);
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

/* While a snapshot is taken, whoever it has, or has not any more, still has something coming. */
static bool is_left(const struct row *row)
{
	return row->is_known || row->will_be_known || row->gain > 0 || row->process_gain > 0;
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
