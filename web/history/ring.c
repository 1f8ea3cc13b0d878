/* SPDX-License-Identifier: Apache-2.0 */
/* Users choose names, so rows are hashed with a secret key (base/siphash.h). */
#include "config.h"

#include "web/history/ring.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/saturate.h"
#include "snapshot/owner.h"

/* The quantities of a snapshot's row, by enum ring_quantity. */
static const unsigned int quantities[RING_QUANTITIES] = {
	[RING_PSS] = SCOPE_PSS,
	[RING_PSS_LOW] = SCOPE_PSS_LOW,
	[RING_PSS_HIGH] = SCOPE_PSS_HIGH,
	[RING_USS] = SCOPE_USS,
	[RING_RSS] = SCOPE_RSS,
	[RING_SWAP_PSS] = SCOPE_SWAP_PSS,
	[RING_VM_SWAP] = SCOPE_VM_SWAP,
	[RING_PROCESSES] = SCOPE_PROCESSES,
};

static uint64_t ring_hash(
	const struct ring *r, enum metric_scope scope, const char *name, const char *user)
{
	struct siphash s;

	siphash_init(&s, &r->key);
	siphash_add(&s, &scope, sizeof(scope));
	siphash_add(&s, name, strlen(name) + 1);
	siphash_add(&s, user, strlen(user));
	return siphash_end(&s);
}

static int64_t ring_find_hash(const struct ring *r, uint64_t hash, enum metric_scope scope,
	const char *name, const char *user)
{
	uint32_t i;

	for (size_t at = 0; hashmap_next(&r->index, hash, &at, &i);) {
		const struct ring_row *row = &r->row[i];

		if (row->scope == scope && !strcmp(row->name, name) && !strcmp(row->user, user))
			return i;
	}
	return -1;
}

int64_t ring_find(const struct ring *r, enum metric_scope scope, const char *name, const char *user)
{
	if (!r->rows)
		return -1;
	return ring_find_hash(r, ring_hash(r, scope, name, user), scope, name, user);
}

static size_t ring_row_bytes(const struct ring_row *row)
{
	return sizeof(*row) + strlen(row->name) + 1 + strlen(row->user) + 1;
}

static size_t ring_point_bytes(const struct ring_point *p)
{
	return sizeof(*p) + p->begin[METRIC_OWNERS_END] * sizeof(*p->sample);
}

/* Returns a free place for a row, at the end if there is none; -ENOMEM. */
static int64_t ring_find_place(struct ring *r)
{
	if (r->rows_free)
		for (size_t i = 0; i < r->rows; i++)
			if (!r->row[i].name) {
				r->rows_free--;
				return (int64_t)i;
			}
	if (r->rows >= HASHMAP_ROW_MAX || ARRAY_RESERVE(r->row, r->row_room, r->rows + 1) < 0)
		return -ENOMEM;
	r->row[r->rows] = (struct ring_row){.name = NULL};
	return (int64_t)r->rows++;
}

static int64_t ring_make_row(
	struct ring *r, uint64_t hash, enum metric_scope scope, const char *name, const char *user)
{
	size_t len = strlen(name) + 1;
	AUTO_FREE char *texts = malloc(len + strlen(user) + 1);
	int64_t i = texts ? ring_find_place(r) : -ENOMEM;

	if (i < 0)
		return i;
	if (hashmap_add(&r->index, hash, (size_t)i) < 0) {
		r->rows_free++;
		return -ENOMEM;
	}
	memcpy(texts, name, len);
	memcpy(texts + len, user, strlen(user) + 1);
	r->row[i] = (struct ring_row){.scope = scope, .hash = hash, .user = texts + len};
	r->row[i].name = TAKE_PTR(texts);
	r->bytes += ring_row_bytes(&r->row[i]);
	return i;
}

/* Frees row I if no point has it. */
static void ring_release(struct ring *r, size_t i)
{
	struct ring_row *row = &r->row[i];

	if (row->points || !row->name)
		return;
	hashmap_remove(&r->index, row->hash, i);
	r->bytes -= ring_row_bytes(row);
	free(TAKE_PTR(row->name));
	r->rows_free++;
}

static void ring_free_point(struct ring *r, struct ring_point *p)
{
	for (size_t i = 0; i < p->begin[METRIC_OWNERS_END]; i++) {
		r->row[p->sample[i].row].points--;
		ring_release(r, p->sample[i].row);
	}
	r->bytes -= ring_point_bytes(p);
	free(p);
}

/* Drops the oldest COUNT points. */
static void ring_drop_first(struct ring *r, size_t count)
{
	if (!count)
		return;
	for (size_t i = 0; i < count; i++)
		ring_free_point(r, r->point[i]);
	r->points -= count;
	memmove((void *)r->point, (void *)(r->point + count), r->points * sizeof(*r->point));
}

void ring_done(struct ring *r)
{
	size_t bytes_max = r->bytes_max;

	for (size_t i = 0; i < r->points; i++)
		free(r->point[i]);
	for (size_t i = 0; i < r->rows; i++)
		free(r->row[i].name);
	free((void *)r->point);
	free(r->row);
	free(r->sample);
	hashmap_done(&r->index);
	*r = (struct ring){.bytes_max = bytes_max};
}

void ring_begin(struct ring *r, uint64_t realtime_ns, uint64_t boottime_ns, uint64_t length_ns)
{
	r->head = (struct ring_point){
		.realtime_ns = realtime_ns, .boottime_ns = boottime_ns, .length_ns = length_ns};
	r->samples = 0;
	r->scope = METRIC_HOST;
	r->error = 0;
	r->number++;
}

void ring_add(struct ring *r, enum metric_scope scope, uint32_t id, const char *name,
	const char *user, const float q[static RING_QUANTITIES])
{
	struct ring_sample *sample;
	uint64_t hash;
	int64_t i;

	assert(scope >= r->scope && scope < METRIC_OWNERS_END);
	if (r->error)
		return;
	if (!r->rows)
		r->key = siphash_new_key();
	r->error = ARRAY_RESERVE(r->sample, r->sample_room, r->samples + 1);
	if (r->error)
		return;
	hash = ring_hash(r, scope, name, user);
	i = ring_find_hash(r, hash, scope, name, user);
	if (i < 0)
		i = ring_make_row(r, hash, scope, name, user);
	if (i < 0) {
		r->error = (int)i;
		return;
	}
	if (r->row[i].number == r->number) {
		sample = &r->sample[r->row[i].at];
		for (size_t k = 0; k < RING_QUANTITIES; k++)
			sample->q[k] += q[k];
		return;
	}
	while (r->scope < scope)
		r->head.begin[++r->scope] = (uint32_t)r->samples;
	r->row[i].number = r->number;
	r->row[i].at = r->samples;
	r->row[i].id = id;
	sample = &r->sample[r->samples++];
	sample->row = (uint32_t)i;
	memcpy(sample->q, q, sizeof(sample->q));
}

/* Returns the new point, which counts; NULL if there is no memory. */
static struct ring_point *ring_make_point(struct ring *r)
{
	size_t samples_size = r->samples * sizeof(*r->sample);
	struct ring_point *p;

	while (r->scope < METRIC_OWNERS_END)
		r->head.begin[++r->scope] = (uint32_t)r->samples;
	if (r->error || ARRAY_RESERVE(r->point, r->point_room, r->points + 1) < 0)
		return NULL;
	p = malloc(sizeof(*p) + samples_size);
	if (!p)
		return NULL;
	*p = r->head;
	if (samples_size)
		memcpy(p->sample, r->sample, samples_size);
	for (size_t i = 0; i < r->samples; i++)
		r->row[p->sample[i].row].points++;
	r->bytes += ring_point_bytes(p);
	return p;
}

int ring_end(struct ring *r)
{
	struct ring_point *p = ring_make_point(r);
	size_t old = 0;

	if (!p) {
		for (size_t i = 0; i < r->samples; i++)
			ring_release(r, r->sample[i].row);
		r->samples = 0;
		return -ENOMEM;
	}
	r->samples = 0;
	while (r->points && r->point[r->points - 1]->realtime_ns >= p->realtime_ns)
		ring_free_point(r, r->point[--r->points]);
	r->point[r->points++] = p;
	while (r->point[old]->boottime_ns + RING_AGE_NS < p->boottime_ns)
		old++;
	ring_drop_first(r, old);
	while (r->points && r->bytes > r->bytes_max)
		ring_drop_first(r, 1);
	return 0;
}

static void ring_take_scope(struct ring *r, const struct view *view, enum metric_scope scope)
{
	bool is_owner = metric_is_owner(scope);
	const struct owner *owner = is_owner ? owner_of(metric_owner_kind(scope)) : NULL;

	for (uint32_t i = 0; i < view_count(view, scope); i++) {
		const struct snapshot_scope *s = view_scope(view, scope, i);
		float q[RING_QUANTITIES];

		if (is_owner && !(s->flags & SCOPE_EXPORTED))
			continue;
		for (size_t k = 0; k < RING_QUANTITIES; k++)
			q[k] = (s->present >> quantities[k]) & 1 ? (float)s->q[quantities[k]] : NAN;
		ring_add(r, scope, s->id, is_owner ? view_text(view, s->name) : "",
			owner && owner->has_user ? view_text(view, s->user) : "", q);
	}
}

/* Returns whether the snapshot with H is too close to the last point. */
static bool is_too_soon(const struct ring *r, const struct image_header *h)
{
	uint64_t last_ns = r->points ? r->point[r->points - 1]->boottime_ns : 0;

	return r->points && h->boottime_ns >= last_ns && h->boottime_ns - last_ns < RING_SPACING_NS;
}

int ring_take(struct ring *r, const struct view *view)
{
	const struct image_header *h = view->header;
	uint64_t length_ns = saturate_max(h->interval_ns, RING_SPACING_NS);

	if (h->userns != r->userns) {
		ring_drop_first(r, r->points);
		r->userns = h->userns;
	}
	if (is_too_soon(r, h))
		return 0;
	ring_begin(r, h->realtime_ns, h->boottime_ns, length_ns);
	for (unsigned int scope = METRIC_HOST; scope < METRIC_OWNERS_END; scope++)
		ring_take_scope(r, view, (enum metric_scope)scope);
	return ring_end(r);
}
