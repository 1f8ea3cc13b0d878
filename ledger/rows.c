/* SPDX-License-Identifier: Apache-2.0 */
/* Users choose names, so rows are hashed with a secret key (base/siphash.h). */
#include "config.h"

#include "ledger/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

enum { FIRST_ROOM = 64 };

static void row_free(struct row *row)
{
	if (!row)
		return;
	free(row->name);
	free(row->user);
	free(row);
}

void rows_done(struct rows *r)
{
	for (size_t i = 0; i < r->count; i++)
		row_free(r->row[i]);
	free((void *)r->row);
	free(r->index);
	*r = (struct rows){0};
}

static uint64_t hash_of(const struct rows *r, enum usage_kind kind, uint32_t number,
	const char *name, const char *user)
{
	struct siphash s;

	siphash_init(&s, &r->key);
	siphash_add(&s, &kind, sizeof(kind));
	if (rows_has_number(kind)) {
		siphash_add(&s, &number, sizeof(number));
	} else {
		siphash_add(&s, name, strlen(name) + 1);
		siphash_add(&s, user, strlen(user) + 1);
	}
	return siphash_end(&s);
}

static bool is_it(const struct row *row, uint64_t hash, enum usage_kind kind, uint32_t number,
	const char *name, const char *user)
{
	if (row->hash != hash || row->kind != kind)
		return false;
	if (rows_has_number(kind))
		return row->number == number;
	return !strcmp(row->name, name) && !strcmp(row->user, user);
}

static void index_add(struct rows *r, size_t i)
{
	size_t mask = r->index_size - 1, at = (size_t)r->row[i]->hash & mask;

	while (r->index[at])
		at = (at + 1) & mask;
	r->index[at] = (uint32_t)i + 1;
}

static void index_fill(struct rows *r)
{
	memset(r->index, 0, r->index_size * sizeof(*r->index));
	for (size_t i = 0; i < r->count; i++)
		index_add(r, i);
}

/* Makes room for one more row; the index stays at most half full. Returns 0 or -ENOMEM. */
static int grow(struct rows *r)
{
	size_t room = r->room ? r->room * 2 : FIRST_ROOM;
	struct row **row;
	uint32_t *index;

	if (r->count < r->room)
		return 0;
	row = reallocarray((void *)r->row, room, sizeof(struct row *));
	if (!row)
		return -ENOMEM;
	r->row = row;
	index = calloc(room * 2, sizeof(*index));
	if (!index)
		return -ENOMEM;
	if (!r->index)
		r->key = siphash_new_key();
	free(r->index);
	r->index = index;
	r->index_size = room * 2;
	r->room = room;
	index_fill(r);
	return 0;
}

struct row *rows_find(const struct rows *r, enum usage_kind kind, uint32_t number, const char *name,
	const char *user)
{
	uint64_t hash = hash_of(r, kind, number, name, user);
	size_t mask = r->index_size - 1;

	for (size_t at = (size_t)hash & mask; r->index && r->index[at]; at = (at + 1) & mask) {
		struct row *row = r->row[r->index[at] - 1];

		if (is_it(row, hash, kind, number, name, user))
			return row;
	}
	return NULL;
}

struct row *rows_get(
	struct rows *r, enum usage_kind kind, uint32_t number, const char *name, const char *user)
{
	struct row *row = rows_find(r, kind, number, name, user);

	if (row)
		return row;
	if (grow(r) < 0)
		return NULL;
	row = calloc(1, sizeof(*row));
	if (!row)
		return NULL;
	row->kind = kind;
	row->number = rows_has_number(kind) ? number : 0;
	row->id = OWNER_NO_ID;
	row->name = strdup(name);
	row->user = strdup(user);
	row->hash = hash_of(r, kind, number, name, user);
	if (!row->name || !row->user) {
		row_free(row);
		return NULL;
	}
	r->row[r->count++] = row;
	index_add(r, r->count - 1);
	return row;
}

int rows_rename(struct row *row, const char *name)
{
	char *copy;

	if (!strcmp(row->name, name))
		return 0;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	free(row->name);
	row->name = copy;
	row->series = ROWS_SERIES_UNKNOWN;
	return 0;
}

bool rows_is_other(const struct row *row)
{
	return row->id == OWNER_NO_ID && !*row->user && !strcmp(row->name, USAGE_OTHER);
}

bool rows_has_content(const struct row *row)
{
	return row->pss_byte_s > 0 || row->swap_byte_s > 0 || row->process_s > 0 ||
	       row->processes_max || (row->has_pss_max && row->pss_max_bytes);
}

void rows_sweep(struct rows *r, bool (*is_left)(const struct row *row))
{
	size_t left = 0;

	for (size_t i = 0; i < r->count; i++)
		if (is_left(r->row[i]))
			r->row[left++] = r->row[i];
		else
			row_free(r->row[i]);
	r->count = left;
	if (r->index)
		index_fill(r);
}
