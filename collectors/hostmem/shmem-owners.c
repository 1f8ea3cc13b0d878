/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/hostmem/shmem-owners.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/saturate.h"

enum {
	CAPACITY_MIN = 16,
	CAPACITY_KEPT = 1024, /* kept however few were in use */
};

void shmem_owners_done(struct shmem_owners *h)
{
	free(h->item);
	free(h->index);
	*h = (struct shmem_owners){0};
}

void shmem_owners_clear(struct shmem_owners *h)
{
	if (h->capacity > CAPACITY_KEPT && h->count < h->capacity / 8) {
		shmem_owners_done(h);
		return;
	}
	if (h->count)
		memset(h->index, 0, 2 * h->capacity * sizeof(*h->index));
	h->count = 0;
	h->other = (struct holder){0};
	h->has_other = false;
}

static uint64_t hash_of(const struct shmem_owners *h, uint32_t uid)
{
	uint64_t hash = (uid ^ h->seed) * UINT64_C(0x9e3779b97f4a7c15);

	return (hash ^ (hash >> 29)) * UINT64_C(0xbf58476d1ce4e5b9) >> 32;
}

/* Returns the place of UID in the index, which must exist: its entry, or the free place for it. */
static uint32_t *place(const struct shmem_owners *h, uint32_t uid)
{
	size_t mask = 2 * h->capacity - 1, at = hash_of(h, uid) & mask;

	while (h->index[at] && h->item[h->index[at] - 1].uid != uid)
		at = (at + 1) & mask;
	return &h->index[at];
}

static bool grow(struct shmem_owners *h)
{
	size_t capacity = h->capacity ? h->capacity * 2 : CAPACITY_MIN;
	struct holder *item = reallocarray(h->item, capacity, sizeof(*item));
	uint32_t *index;

	if (!item)
		return false;
	h->item = item;
	index = calloc(2 * capacity, sizeof(*index));
	if (!index)
		return false;
	if (!h->index && getrandom(&h->seed, sizeof(h->seed), GRND_NONBLOCK) < 0)
		h->seed = (uint64_t)(uintptr_t)index; /* early in boot: better than a constant */
	free(h->index);
	h->index = index;
	h->capacity = capacity;
	for (size_t i = 0; i < h->count; i++)
		*place(h, h->item[i].uid) = (uint32_t)i + 1;
	return true;
}

static struct holder *add_holder(struct shmem_owners *h, uint32_t uid)
{
	if (h->count == SHMEM_OWNERS_MAX || (h->count == h->capacity && !grow(h)))
		return NULL;
	h->item[h->count] = (struct holder){.uid = uid};
	*place(h, uid) = (uint32_t)++h->count;
	return &h->item[h->count - 1];
}

/* Returns the entry of UID, .other if memory has run out. */
static struct holder *get(struct shmem_owners *h, uint32_t uid)
{
	uint32_t found = h->capacity ? *place(h, uid) : 0;
	struct holder *holder = found ? &h->item[found - 1] : add_holder(h, uid);

	if (holder)
		return holder;
	h->has_other = true;
	return &h->other;
}

static void add(struct holder *to, enum shmem_quantity i, uint64_t value)
{
	to->q[i] = saturate_min(saturate_add(to->q[i], value), INT64_MAX);
}

void shmem_owners_add_segment(struct shmem_owners *h, const struct sysvipc_segment *s)
{
	struct holder *to = get(h, s->uid);

	add(to, SHMEM_SYSV, s->rss_bytes);
	if (!s->attached)
		add(to, SHMEM_SYSV_UNATTACHED, s->rss_bytes);
	add(to, SHMEM_SYSV_SWAP, s->swap_bytes);
	add(to, SHMEM_SYSV_SIZE, s->size_bytes);
	add(to, SHMEM_SYSV_SEGMENTS, 1);
}

void shmem_owners_add_file(struct shmem_owners *h, uint32_t uid, uint64_t bytes)
{
	struct holder *to = get(h, uid);

	add(to, SHMEM_TMPFS, bytes);
	add(to, SHMEM_TMPFS_FILES, 1);
}

static void merge(struct holder *to, const struct holder *from)
{
	for (unsigned int i = 0; i < SHMEM_QUANTITIES; i++)
		add(to, (enum shmem_quantity)i, from->q[i]);
}

void shmem_owners_merge(struct shmem_owners *h, const struct shmem_owners *from)
{
	for (size_t i = 0; i < from->count; i++)
		merge(get(h, from->item[i].uid), &from->item[i]);
	if (from->has_other) {
		merge(&h->other, &from->other);
		h->has_other = true;
	}
}

uint64_t shmem_owners_sum(const struct shmem_owners *h, enum shmem_quantity i)
{
	uint64_t sum = h->other.q[i];

	for (size_t k = 0; k < h->count; k++)
		sum = saturate_add(sum, h->item[k].q[i]);
	return saturate_min(sum, INT64_MAX);
}
