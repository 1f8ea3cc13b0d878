/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inside/atlas.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM_MIN = 64 };

void atlas_done(struct atlas *a)
{
	for (size_t i = 0; i < a->rows; i++)
		free(a->row[i].name);
	free(a->row);
	free(a->index);
	*a = (struct atlas){.by = a->by};
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ (hash >> 29);
}

static uint64_t hash_of(const struct atlas_row *row)
{
	uint64_t hash = mix(mix(row->kind, row->inode), (uint64_t)row->major << 32 | row->minor);

	for (const char *at = row->name; *at; at++)
		hash = mix(hash, (unsigned char)*at);
	return hash;
}

static bool is_same(const struct atlas_row *a, const struct atlas_row *b)
{
	return a->hash == b->hash && a->kind == b->kind && a->inode == b->inode &&
	       a->major == b->major && a->minor == b->minor && !strcmp(a->name, b->name);
}

static void index_add(struct atlas *a, size_t row)
{
	size_t mask = a->index_size - 1, at = a->row[row].hash & mask;

	while (a->index[at])
		at = (at + 1) & mask;
	a->index[at] = (uint32_t)row + 1;
}

/* Where B is; NULL: it is not. */
static struct atlas_row *find(const struct atlas *a, const struct atlas_row *b)
{
	size_t mask = a->index_size - 1;

	if (!a->index_size)
		return NULL;
	for (size_t at = b->hash & mask; a->index[at]; at = (at + 1) & mask)
		if (is_same(&a->row[a->index[at] - 1], b))
			return &a->row[a->index[at] - 1];
	return NULL;
}

static int grow(struct atlas *a)
{
	size_t room = a->room ? 2 * a->room : ROOM_MIN;
	struct atlas_row *row;
	uint32_t *index = NULL;

	if (a->rows < a->room)
		return 0;
	if (room > UINT32_MAX / 2)
		return -ENOMEM;
	row = reallocarray(a->row, room, sizeof(*row));
	if (!row)
		return -ENOMEM;
	a->row = row;
	a->room = room;
	if (a->by == ATLAS_BY_MAPPING)
		return 0;
	index = calloc(2 * room, sizeof(*index));
	if (!index) {
		a->room = a->rows;
		return -ENOMEM;
	}
	free(a->index);
	a->index = index;
	a->index_size = 2 * room;
	for (size_t i = 0; i < a->rows; i++)
		index_add(a, i);
	return 0;
}

/* What of M tells its row from others. */
static int make_row(enum atlas_by by, const struct mapping *m, struct atlas_row *ret)
{
	AUTO_BUFFER struct buffer name = {0};

	*ret = (struct atlas_row){.kind = kind_of(m), .is_deleted = kind_is_deleted(m)};
	if (by == ATLAS_BY_KIND) {
		ret->is_deleted = false;
		buffer_add_text(&name, kind_name(ret->kind));
	} else {
		kind_add_name(m, &name);
		ret->inode = m->inode;
		ret->major = m->major;
		ret->minor = m->minor;
	}
	buffer_add_char(&name, '\0');
	if (name.error)
		return name.error;
	ret->name = strdup(name.data);
	if (!ret->name)
		return -ENOMEM;
	if (by == ATLAS_BY_FILE)
		ret->kind = m->inode ? KIND_FILE : ret->kind; /* of its mappings, which differ */
	ret->hash = hash_of(ret);
	return 0;
}

static int add_fields(struct atlas_row *row, uint64_t present, const uint64_t *q)
{
	for (unsigned int i = 0; i < MAPPING_FIELDS; i++) {
		bool is_sum = mapping_field_is_amount((enum mapping_field)i) &&
		              i != MAPPING_KERNEL_PAGE_SIZE && i != MAPPING_MMU_PAGE_SIZE;

		if (!((present >> i) & 1))
			continue;
		if (!is_sum)
			row->q[i] = q[i] > row->q[i] ? q[i] : row->q[i];
		else if (__builtin_add_overflow(row->q[i], q[i], &row->q[i]))
			return -EOVERFLOW;
	}
	row->present = row->mappings ? row->present & present : present;
	return 0;
}

int atlas_add(struct atlas *a, pid_t pid, const struct mapping *m)
{
	struct atlas_row made, *row;
	int r = make_row(a->by, m, &made);

	if (r == 0)
		r = grow(a);
	if (r != 0) {
		free(made.name);
		return r;
	}
	row = a->by == ATLAS_BY_MAPPING ? NULL : find(a, &made);
	if (row) {
		free(made.name);
		row->is_deleted |= made.is_deleted;
	} else {
		row = &a->row[a->rows++];
		*row = made;
		if (a->by != ATLAS_BY_MAPPING)
			index_add(a, a->rows - 1);
	}
	if (a->by == ATLAS_BY_MAPPING) {
		row->pid = pid;
		row->start = m->start;
		row->end = m->end;
		row->offset = m->offset;
		memcpy(row->perms, m->perms, sizeof(row->perms));
	}
	r = add_fields(row, m->present, m->q);
	row->mappings++;
	return r;
}

int atlas_sum(struct atlas_row *total, const struct atlas_row *row)
{
	int r = add_fields(total, row->present, row->q);

	total->mappings += row->mappings;
	return r;
}

void atlas_total(const struct atlas *a, struct atlas_row *ret)
{
	*ret = (struct atlas_row){0};
	for (size_t i = 0; i < a->rows; i++)
		(void)atlas_sum(ret, &a->row[i]); /* each of which was such a sum */
}

static bool has(const struct atlas_row *row, enum mapping_field field)
{
	return (row->present >> field) & 1;
}

bool atlas_figure(const struct atlas_row *row, enum atlas_figure figure, uint64_t *ret)
{
	enum mapping_field clean = figure == ATLAS_SHARED ? MAPPING_SHARED_CLEAN
	                                                  : MAPPING_PRIVATE_CLEAN;
	enum mapping_field dirty = figure == ATLAS_SHARED ? MAPPING_SHARED_DIRTY
	                                                  : MAPPING_PRIVATE_DIRTY;

	*ret = row->q[clean] + row->q[dirty];
	return has(row, clean) && has(row, dirty);
}

bool atlas_sharers(const struct atlas_row *row, double *ret)
{
	uint64_t shared, private;

	if (!atlas_figure(row, ATLAS_SHARED, &shared) ||
		!atlas_figure(row, ATLAS_PRIVATE, &private) || !has(row, MAPPING_PSS) || !shared ||
		row->q[MAPPING_PSS] <= private)
		return false;
	*ret = (double)shared / (double)(row->q[MAPPING_PSS] - private);
	return true;
}

/* As they were added: processes one after the other, addresses rising. */
static int by_place(const struct atlas_row *a, const struct atlas_row *b)
{
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int compare(const void *a_, const void *b_, void *field_)
{
	const struct atlas_row *a = a_, *b = b_;
	enum mapping_field field = *(enum mapping_field *)field_;

	if (has(a, field) != has(b, field))
		return has(a, field) ? -1 : 1;
	if (has(a, field) && a->q[field] != b->q[field])
		return a->q[field] < b->q[field] ? 1 : -1;
	return by_place(a, b);
}

void atlas_sort(struct atlas *a, enum mapping_field field)
{
	if (a->rows)
		qsort_r(a->row, a->rows, sizeof(*a->row), compare, &field);
	free(a->index);
	a->index = NULL;
	a->index_size = 0;
}
