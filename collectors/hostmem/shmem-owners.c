/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/hostmem/shmem-owners.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/mix.h"
#include "base/saturate.h"
#include "base/siphash.h"

enum { CAPACITY_KEPT = 1024 }; /* kept however few were in use */

void shmem_owners_done(struct shmem_owners *h)
{
	free(h->item);
	hashmap_done(&h->index);
	*h = (struct shmem_owners){0};
}

void shmem_owners_clear(struct shmem_owners *h)
{
	if (h->capacity > CAPACITY_KEPT && h->count < h->capacity / 8) {
		shmem_owners_done(h);
		return;
	}
	hashmap_clear(&h->index);
	h->count = 0;
	h->other = (struct shmem_owner){0};
	h->has_other = false;
}

static struct shmem_owner *shmem_owners_find(
	const struct shmem_owners *h, uint64_t hash, uint32_t uid)
{
	uint32_t i;

	for (size_t at = 0; hashmap_next(&h->index, hash, &at, &i);)
		if (h->item[i].uid == uid)
			return &h->item[i];
	return NULL;
}

static struct shmem_owner *shmem_owners_add_holder(
	struct shmem_owners *h, uint64_t hash, uint32_t uid)
{
	if (ARRAY_RESERVE(h->item, h->capacity, h->count + 1) < 0 ||
		hashmap_add(&h->index, hash, h->count) < 0)
		return NULL;
	h->item[h->count] = (struct shmem_owner){.uid = uid};
	return &h->item[h->count++];
}

/* Returns the entry of UID, .other if memory has run out. */
static struct shmem_owner *shmem_owners_get(struct shmem_owners *h, uint32_t uid)
{
	struct shmem_owner *holder;
	uint64_t hash;

	if (!h->capacity)
		h->seed = siphash_new_key().half[0];
	hash = mix_bits(uid ^ h->seed);
	holder = shmem_owners_find(h, hash, uid);
	if (!holder)
		holder = shmem_owners_add_holder(h, hash, uid);
	if (holder)
		return holder;
	h->has_other = true;
	return &h->other;
}

static void shmem_owners_add(struct shmem_owner *to, enum shmem_quantity i, uint64_t value)
{
	to->q[i] = saturate_min(saturate_add(to->q[i], value), INT64_MAX);
}

void shmem_owners_add_segment(struct shmem_owners *h, const struct sysvipc_segment *s)
{
	struct shmem_owner *to = shmem_owners_get(h, s->uid);

	shmem_owners_add(to, SHMEM_SYSV, s->rss_bytes);
	if (!s->attached)
		shmem_owners_add(to, SHMEM_SYSV_UNATTACHED, s->rss_bytes);
	shmem_owners_add(to, SHMEM_SYSV_SWAP, s->swap_bytes);
	shmem_owners_add(to, SHMEM_SYSV_SIZE, s->size_bytes);
	shmem_owners_add(to, SHMEM_SYSV_SEGMENTS, 1);
}

void shmem_owners_add_file(struct shmem_owners *h, uint32_t uid, uint64_t bytes)
{
	struct shmem_owner *to = shmem_owners_get(h, uid);

	shmem_owners_add(to, SHMEM_TMPFS, bytes);
	shmem_owners_add(to, SHMEM_TMPFS_FILES, 1);
}

void shmem_owners_merge_one(struct shmem_owner *to, const struct shmem_owner *from)
{
	for (unsigned int i = 0; i < SHMEM_QUANTITIES; i++)
		shmem_owners_add(to, (enum shmem_quantity)i, from->q[i]);
}

void shmem_owners_merge(struct shmem_owners *h, const struct shmem_owners *from)
{
	for (size_t i = 0; i < from->count; i++)
		shmem_owners_merge_one(shmem_owners_get(h, from->item[i].uid), &from->item[i]);
	if (from->has_other) {
		shmem_owners_merge_one(&h->other, &from->other);
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
