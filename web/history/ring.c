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
	return sizeof(*p) + p->words * sizeof(p->word[0]);
}

/* Returns a free place for a row, at the end if there is none; -ENOMEM. */
static int64_t ring_find_place(struct ring *r)
{
	if (r->rows_free) {
		while (r->row[r->first_free].name)
			r->first_free++;
		r->rows_free--;
		return (int64_t)r->first_free++;
	}
	if (r->rows > RING_WORDS_ROW_MAX || ARRAY_RESERVE(r->row, r->row_room, r->rows + 1) < 0)
		return -ENOMEM;
	r->row[r->rows] = (struct ring_row){.name = NULL};
	return (int64_t)r->rows++;
}

/* Counts place I as free. */
static void ring_add_free(struct ring *r, size_t i)
{
	r->rows_free++;
	if (i < r->first_free)
		r->first_free = i;
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
		ring_add_free(r, (size_t)i);
		return -ENOMEM;
	}
	memcpy(texts, name, len);
	memcpy(texts + len, user, strlen(user) + 1);
	r->row[i] = (struct ring_row){.scope = scope, .hash = hash, .user = texts + len};
	r->row[i].name = TAKE_PTR(texts);
	for (size_t k = 0; k < RING_QUANTITIES; k++)
		r->row[i].before[k] = r->row[i].last[k] = NAN;
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
	ring_add_free(r, i);
}

/* Frees P, which is the first or the last point. IS_FIRST: its amounts are those before the rest. */
static void ring_free_point(struct ring *r, struct ring_point *p, bool is_first)
{
	for (size_t at = 0; at < p->words;) {
		unsigned int mask;
		size_t from;
		uint32_t i = ring_words_read(p->word, &at, &mask, &from);

		if (is_first)
			ring_words_apply(p->word + from, mask, r->row[i].before);
		r->row[i].points--;
		ring_release(r, i);
	}
	r->bytes -= ring_point_bytes(p);
	if (is_first)
		ring_blocks_drop_first(&r->blocks);
	else
		ring_blocks_drop_last(&r->blocks);
}

/* Drops the oldest COUNT points. */
static void ring_drop_first(struct ring *r, size_t count)
{
	if (!count)
		return;
	for (size_t i = 0; i < count; i++)
		ring_free_point(r, r->point[i], true);
	r->points -= count;
	for (size_t i = 0; i < r->points; i++)
		r->point[i] = r->point[i + count];
}

/* Drops the points that are not before REALTIME_NS. */
static void ring_drop_last(struct ring *r, uint64_t realtime_ns)
{
	size_t points = r->points;

	while (r->points && r->point[r->points - 1]->realtime_ns >= realtime_ns)
		ring_free_point(r, r->point[--r->points], false);
	if (r->points == points)
		return;
	for (size_t i = 0; i < r->rows; i++)
		memcpy(r->row[i].last, r->row[i].before, sizeof(r->row[i].last));
	for (size_t i = 0; i < r->points; i++)
		for (size_t at = 0; at < r->point[i]->words;) {
			unsigned int mask;
			size_t from;
			uint32_t row = ring_words_read(r->point[i]->word, &at, &mask, &from);

			ring_words_apply(r->point[i]->word + from, mask, r->row[row].last);
		}
}

void ring_done(struct ring *r)
{
	size_t bytes_max = r->bytes_max;

	ring_blocks_done(&r->blocks);
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
	ring_drop_last(r, realtime_ns);
	r->realtime_ns = realtime_ns;
	r->boottime_ns = boottime_ns;
	r->length_ns = length_ns;
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
	r->scope = scope;
	r->row[i].number = r->number;
	r->row[i].at = r->samples;
	r->row[i].id = id;
	sample = &r->sample[r->samples++];
	sample->row = (uint32_t)i;
	memcpy(sample->q, q, sizeof(sample->q));
}

/* Writes the samples to P, which has room for them. */
static void ring_write_point(struct ring *r, struct ring_point *p)
{
	for (size_t i = 0; i < r->samples; i++) {
		const struct ring_sample *s = &r->sample[i];
		struct ring_row *row = &r->row[s->row];
		unsigned int mask = ring_words_changes(row->last, s->q);

		p->words += ring_words_write(p->word + p->words, s->row, mask, s->q);
		memcpy(row->last, s->q, sizeof(row->last));
		row->points++;
	}
}

/* Returns the new point, which counts; NULL if there is no memory. */
static struct ring_point *ring_make_point(struct ring *r)
{
	size_t words = r->samples;
	struct ring_point *p;

	if (r->error || ARRAY_RESERVE(r->point, r->point_room, r->points + 1) < 0)
		return NULL;
	for (size_t i = 0; i < r->samples; i++)
		words += (size_t)__builtin_popcount(
			ring_words_changes(r->row[r->sample[i].row].last, r->sample[i].q));
	p = ring_blocks_add(&r->blocks, sizeof(*p) + words * sizeof(p->word[0]));
	if (!p)
		return NULL;
	*p = (struct ring_point){.realtime_ns = r->realtime_ns,
		.boottime_ns = r->boottime_ns,
		.length_ns = r->length_ns};
	ring_write_point(r, p);
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
	r->point[r->points++] = p;
	while (r->point[old]->boottime_ns + RING_AGE_NS < p->boottime_ns)
		old++;
	ring_drop_first(r, old);
	for (; r->points && r->bytes > r->bytes_max; r->dropped++)
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

static int ring_take_scopes(struct ring *r, const struct view *view)
{
	for (unsigned int scope = METRIC_HOST; scope < METRIC_OWNERS_END; scope++)
		ring_take_scope(r, view, (enum metric_scope)scope);
	return ring_end(r);
}

int ring_take_at(struct ring *r, const struct view *view, uint64_t length_ns)
{
	ring_begin(r, view->header->realtime_ns, 0, length_ns);
	return ring_take_scopes(r, view);
}

enum scope_quantity ring_scope_quantity(enum ring_quantity q)
{
	return (enum scope_quantity)quantities[q];
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
	return ring_take_scopes(r, view);
}

int ring_cursor_open(struct ring_cursor *c, const struct ring *r)
{
	*c = (struct ring_cursor){.ring = r};
	c->last = calloc(r->rows + 1, sizeof(*c->last));
	c->sample = calloc(r->rows + 1, sizeof(*c->sample));
	if (!c->last || !c->sample)
		return -ENOMEM;
	for (size_t i = 0; i < r->rows; i++)
		memcpy(c->last[i], r->row[i].before, sizeof(c->last[i]));
	return 0;
}

void ring_cursor_close(struct ring_cursor *c)
{
	free(c->last);
	free(c->sample);
}

bool ring_cursor_next(struct ring_cursor *c)
{
	enum metric_scope scope = METRIC_HOST;
	const struct ring_point *p;
	size_t samples = 0;

	if (c->next == c->ring->points)
		return false;
	p = c->ring->point[c->next++];
	for (size_t at = 0; at < p->words;) {
		unsigned int mask;
		size_t from;
		uint32_t row = ring_words_read(p->word, &at, &mask, &from);

		while (scope < c->ring->row[row].scope)
			c->begin[++scope] = samples;
		ring_words_apply(p->word + from, mask, c->last[row]);
		c->sample[samples].row = row;
		memcpy(c->sample[samples++].q, c->last[row], sizeof(c->last[row]));
	}
	while (scope < METRIC_OWNERS_END)
		c->begin[++scope] = samples;
	return true;
}
