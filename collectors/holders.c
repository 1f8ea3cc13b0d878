/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/holders.h"

#include <stdlib.h>
#include <string.h>

#include "collectors/amount.h"

void holders_done(struct holders *h)
{
	free(h->item);
	*h = (struct holders){0};
}

void holders_clear(struct holders *h)
{
	h->count = 0;
	h->other = (struct holder){0};
	h->has_other = false;
}

/* Where UID stands, or would. */
static size_t find(const struct holders *h, uint32_t uid)
{
	size_t low = 0, high = h->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (h->item[middle].uid < uid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool grow(struct holders *h)
{
	size_t capacity = h->capacity ? h->capacity * 2 : 16;
	struct holder *item;

	if (h->count < h->capacity)
		return true;
	item = reallocarray(h->item, capacity, sizeof(*item));
	if (!item)
		return false;
	h->item = item;
	h->capacity = capacity;
	return true;
}

/* Without memory he is one of the others. */
static struct holder *get(struct holders *h, uint32_t uid)
{
	size_t at = find(h, uid);

	if (at < h->count && h->item[at].uid == uid)
		return &h->item[at];
	if (h->count == HOLDERS_MAX || !grow(h)) {
		h->has_other = true;
		return &h->other;
	}
	memmove(&h->item[at + 1], &h->item[at], (h->count - at) * sizeof(*h->item));
	h->item[at] = (struct holder){.uid = uid};
	h->count++;
	return &h->item[at];
}

static void add(struct holder *to, enum shmem_quantity i, uint64_t value)
{
	to->q[i] = amount_min(amount_add(to->q[i], value), INT64_MAX);
}

void holders_add_segment(struct holders *h, const struct sysvipc_segment *s)
{
	struct holder *to = get(h, s->uid);

	add(to, SHMEM_SYSV, s->rss_bytes);
	if (!s->attached)
		add(to, SHMEM_SYSV_UNATTACHED, s->rss_bytes);
	add(to, SHMEM_SYSV_SWAP, s->swap_bytes);
	add(to, SHMEM_SYSV_SIZE, s->size_bytes);
	add(to, SHMEM_SYSV_SEGMENTS, 1);
}

void holders_add_file(struct holders *h, uint32_t uid, uint64_t bytes)
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

void holders_merge(struct holders *h, const struct holders *from)
{
	for (size_t i = 0; i < from->count; i++)
		merge(get(h, from->item[i].uid), &from->item[i]);
	if (from->has_other) {
		merge(&h->other, &from->other);
		h->has_other = true;
	}
}

uint64_t holders_sum(const struct holders *h, enum shmem_quantity i)
{
	uint64_t sum = h->other.q[i];

	for (size_t k = 0; k < h->count; k++)
		sum = amount_add(sum, h->item[k].q[i]);
	return amount_min(sum, INT64_MAX);
}
