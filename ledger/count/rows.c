/* SPDX-License-Identifier: Apache-2.0 */
/* Users choose names, so rows are hashed with a secret key (base/siphash.h). */
#include "config.h"

#include "ledger/count/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"

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
	hashmap_done(&r->index);
	*r = (struct rows){0};
}

static uint64_t rows_hash_of(const struct rows *r, enum usage_kind kind, uint32_t number,
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

static bool is_it(const struct row *row, enum usage_kind kind, uint32_t number, const char *name,
	const char *user)
{
	if (row->kind != kind)
		return false;
	if (rows_has_number(kind))
		return row->number == number;
	return !strcmp(row->name, name) && !strcmp(row->user, user);
}

struct row *rows_find(const struct rows *r, enum usage_kind kind, uint32_t number, const char *name,
	const char *user)
{
	uint64_t hash = rows_hash_of(r, kind, number, name, user);
	uint32_t i;

	for (size_t at = 0; hashmap_next(&r->index, hash, &at, &i);)
		if (is_it(r->row[i], kind, number, name, user))
			return r->row[i];
	return NULL;
}

struct row *rows_get(
	struct rows *r, enum usage_kind kind, uint32_t number, const char *name, const char *user)
{
	struct row *row;

	if (!r->count)
		r->key = siphash_new_key();
	row = rows_find(r, kind, number, name, user);
	if (row)
		return row;
	if (ARRAY_RESERVE(r->row, r->room, r->count + 1) < 0)
		return NULL;
	row = calloc(1, sizeof(*row));
	if (!row)
		return NULL;
	row->kind = kind;
	row->number = rows_has_number(kind) ? number : 0;
	row->id = OWNER_NO_ID;
	row->name = strdup(name);
	row->user = strdup(user);
	row->hash = rows_hash_of(r, kind, number, name, user);
	if (!row->name || !row->user || hashmap_add(&r->index, row->hash, r->count) < 0) {
		row_free(row);
		return NULL;
	}
	r->row[r->count++] = row;
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

	hashmap_clear(&r->index);
	for (size_t i = 0; i < r->count; i++)
		if (is_left(r->row[i])) {
			r->row[left] = r->row[i];
			(void)hashmap_add(&r->index, r->row[left]->hash, left); /* has room */
			left++;
		} else {
			row_free(r->row[i]);
		}
	r->count = left;
}
