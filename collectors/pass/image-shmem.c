/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/pass/image-shmem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"
#include "base/text.h"
#include "collectors/pass/image-build.h"

static const char other_name[] = "(other)";

static uint64_t weight_of_holder(const struct shmem_owner *h)
{
	return saturate_add(
		saturate_add(h->q[SHMEM_SYSV], h->q[SHMEM_SYSV_SWAP]), h->q[SHMEM_TMPFS]);
}

/* The largest first; equal ones by uid. */
static int compare_holders(const void *a_, const void *b_)
{
	const struct shmem_owner *a = a_, *b = b_;
	uint64_t a_weight = weight_of_holder(a), b_weight = weight_of_holder(b);

	if (a_weight != b_weight)
		return a_weight < b_weight ? 1 : -1;
	return (a->uid > b->uid) - (a->uid < b->uid);
}

static int image_shmem_compare_mounts(const void *a_, const void *b_)
{
	const struct tmpfs_mount *a = a_, *b = b_;

	if (a->used_bytes != b->used_bytes)
		return a->used_bytes < b->used_bytes ? 1 : -1;
	return strcmp(a->path, b->path);
}

static struct snapshot_holding *image_shmem_add_row(
	struct builder *b, enum holding_kind kind, uint32_t name, uint32_t id)
{
	struct snapshot_holding *row = builder_add_holding(b);

	if (!row)
		return NULL;
	row->kind = kind;
	row->name = name;
	row->id = id;
	return row;
}

static uint32_t add_other_name(struct builder *b)
{
	return builder_add_text(b, other_name, sizeof(other_name) - 1);
}

static int image_shmem_add_holder(const struct shmem *s, const struct shmem_owner *h, uint32_t name,
	uint32_t id, struct builder *b)
{
	struct snapshot_holding *row = image_shmem_add_row(b, HOLDING_SHMEM, name, id);

	if (!row)
		return -ENOMEM;
	for (unsigned int i = 0; i < SHMEM_QUANTITIES; i++) {
		bool is_known = i >= SHMEM_TMPFS ? shmem_has_tmpfs(s) : s->has_sysv;

		if (is_known)
			ROW_SET(row, i, h->q[i]);
	}
	return 0;
}

static int add_holders(struct shmem *s, const struct owner_table *users, struct builder *b)
{
	struct shmem_owners *h = &s->owners;
	struct shmem_owner other = h->other;
	size_t shown = h->count < IMAGE_SHMEM_SHOWN ? h->count : IMAGE_SHMEM_SHOWN;
	int r = 0;

	if (h->count)
		qsort(h->item, h->count, sizeof(*h->item), compare_holders);
	for (size_t i = 0; r == 0 && i < shown; i++)
		r = image_shmem_add_holder(s, &h->item[i],
			image_build_user_name(users, h->item[i].uid, b), h->item[i].uid, b);
	if (r < 0 || (shown == h->count && !h->has_other))
		return r;
	for (size_t i = shown; i < h->count; i++)
		shmem_owners_merge_one(&other, &h->item[i]);
	return image_shmem_add_holder(s, &other, add_other_name(b), OWNER_NO_ID, b);
}

/* A user who may mount chooses the path: it may have any bytes. */
static uint32_t image_shmem_add_path(struct builder *b, const char *path)
{
	AUTO_BUFFER struct buffer text = {0};

	text_add_clean_max(&text, path, strlen(path), SNAPSHOT_NAME_MAX);
	return text.error ? 0 : builder_add_text(b, text.data, text.len);
}

/* The owners of files are older than the used amount: files may have been deleted since. */
static uint64_t owned_of(const struct tmpfs_mount *m)
{
	return m->is_read ? saturate_min(m->owned_bytes, m->used_bytes) : m->owned_bytes;
}

static void add_amount(struct snapshot_holding *row, unsigned int i, uint64_t bytes)
{
	ROW_SET(row, i, saturate_min(saturate_add(row->q[i], bytes), INT64_MAX));
}

static void image_shmem_add_amounts(struct snapshot_holding *row, const struct tmpfs_mount *m)
{
	if (m->is_read)
		add_amount(row, TMPFS_USED, m->used_bytes);
	if (m->is_read && m->size_bytes)
		add_amount(row, TMPFS_SIZE, m->size_bytes);
	add_amount(row, TMPFS_OWNED, owned_of(m));
}

static int add_mounts(struct tmpfs *t, struct builder *b)
{
	struct snapshot_holding *row = NULL;

	if (t->count)
		qsort(t->mount, t->count, sizeof(*t->mount), image_shmem_compare_mounts);
	for (size_t i = 0; i < t->count; i++) {
		const struct tmpfs_mount *m = &t->mount[i];

		/* The row behind those shown has the sums of all others. */
		if (i <= IMAGE_SHMEM_SHOWN)
			row = image_shmem_add_row(b, HOLDING_TMPFS,
				i < IMAGE_SHMEM_SHOWN ? image_shmem_add_path(b, m->path)
						      : add_other_name(b),
				0);
		if (!row)
			return -ENOMEM;
		image_shmem_add_amounts(row, m);
	}
	return 0;
}

int image_shmem_add(struct shmem *s, const struct owner_table *users, struct builder *b)
{
	int r = add_holders(s, users, b);

	return r == 0 ? add_mounts(&s->tmpfs, b) : r;
}
