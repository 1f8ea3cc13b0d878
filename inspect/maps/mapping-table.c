/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/maps/mapping-table.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static const char *const bys[MAPPING_TABLE_BYS] = {
	[MAPPING_TABLE_BY_MAPPING] = "mapping",
	[MAPPING_TABLE_BY_FILE] = "file",
	[MAPPING_TABLE_BY_KIND] = "kind",
};

const char *mapping_table_by_name(enum mapping_table_by by)
{
	return bys[by];
}

enum mapping_table_by mapping_table_find_by(const char *name)
{
	unsigned int i = 0;

	while (i < MAPPING_TABLE_BYS && strcmp(bys[i], name) != 0)
		i++;
	return (enum mapping_table_by)i;
}

void mapping_table_done(struct mapping_table *a)
{
	for (size_t i = 0; i < a->rows; i++)
		free(a->row[i].name);
	free(a->row);
	hashmap_done(&a->index);
	*a = (struct mapping_table){.by = a->by};
}

/* Keyed, since users choose the names of files. */
static uint64_t mapping_table_hash_of(
	const struct mapping_table *a, const struct mapping_table_row *row)
{
	struct siphash s;

	siphash_init(&s, &a->hash_key);
	siphash_add(&s, &row->kind, sizeof(row->kind));
	siphash_add(&s, &row->inode, sizeof(row->inode));
	siphash_add(&s, &row->major, sizeof(row->major));
	siphash_add(&s, &row->minor, sizeof(row->minor));
	siphash_add(&s, row->name, strlen(row->name));
	return siphash_end(&s);
}

static bool mapping_table_is_same(
	const struct mapping_table_row *a, const struct mapping_table_row *b)
{
	return a->kind == b->kind && a->inode == b->inode && a->major == b->major &&
	       a->minor == b->minor && !strcmp(a->name, b->name);
}

/* Returns the row like B with the hash HASH; NULL: there is none. */
static struct mapping_table_row *mapping_table_find(
	const struct mapping_table *a, uint64_t hash, const struct mapping_table_row *b)
{
	uint32_t row;

	for (size_t at = 0; hashmap_next(&a->index, hash, &at, &row);)
		if (mapping_table_is_same(&a->row[row], b))
			return &a->row[row];
	return NULL;
}

/* FLAGS may be NULL. */
static int copy_texts(const char *name, const char *flags, struct mapping_table_row *ret)
{
	size_t len = strlen(name) + 1, more = flags ? strlen(flags) + 1 : 0;

	ret->name = malloc(len + more);
	if (!ret->name)
		return -ENOMEM;
	memcpy(ret->name, name, len);
	ret->flags = flags ? memcpy(ret->name + len, flags, more) : NULL;
	return 0;
}

/* Makes *RET the key of the row that ROW is summed in; .name is a copy. */
static int make_row(enum mapping_table_by by, const struct mapping_table_row *row,
	struct mapping_table_row *ret)
{
	*ret = (struct mapping_table_row){
		.kind = row->kind, .is_deleted = row->is_deleted, .fate = row->fate};
	if (by == MAPPING_TABLE_BY_KIND) { /* files of a kind have no state in common */
		ret->is_deleted = false;
		ret->fate = MAPPING_NOT_ASKED;
	} else {
		ret->inode = row->inode;
		ret->major = row->major;
		ret->minor = row->minor;
	}
	/* Its mappings may be of several kinds. */
	if (by == MAPPING_TABLE_BY_FILE && row->inode)
		ret->kind = KIND_FILE;
	return copy_texts(by == MAPPING_TABLE_BY_KIND ? kind_name(row->kind) : row->name,
		by == MAPPING_TABLE_BY_MAPPING ? row->flags : NULL, ret);
}

#define BIT(field) (UINT64_C(1) << (field))

/* Fields that are not summed: page sizes, and fields that are not bytes. */
#define NO_SUMS                                                                                    \
	(BIT(MAPPING_KERNEL_PAGE_SIZE) | BIT(MAPPING_MMU_PAGE_SIZE) | BIT(MAPPING_THP_ELIGIBLE) |  \
		BIT(MAPPING_PROTECTION_KEY))

bool mapping_table_is_sum(enum mapping_field field)
{
	return !(NO_SUMS & BIT(field));
}

/* Adds the fields Q to ROW. Fields that are not present are 0. */
static int add_fields(struct mapping_table_row *row, uint64_t present, const uint64_t *q)
{
	bool is_too_much = false;

	for (unsigned int i = 0; i < MAPPING_FIELDS; i++)
		if (NO_SUMS & BIT(i))
			row->q[i] = q[i] > row->q[i] ? q[i] : row->q[i];
		else
			is_too_much |= __builtin_add_overflow(row->q[i], q[i], &row->q[i]);
	row->present = row->mappings ? row->present & present : present;
	return is_too_much ? -EOVERFLOW : 0;
}

/* Appends VmFlags, which are words of two letters or digits. Other text is skipped. */
static void mapping_table_add_flags(const struct mapping *m, struct buffer *to)
{
	bool any = false;

	for (size_t i = 0; i + 2 <= m->flags_len; i += 3) {
		if (!isalnum((unsigned char)m->flags[i]) ||
			!isalnum((unsigned char)m->flags[i + 1]))
			continue;
		if (any)
			buffer_add_char(to, ' ');
		buffer_add(to, m->flags + i, 2);
		any = true;
	}
}

int mapping_table_row_of(const struct mapping *m, pid_t pid, bool with_flags, struct buffer *texts,
	struct mapping_table_row *ret)
{
	size_t flags_at;

	*ret = (struct mapping_table_row){
		.kind = kind_of(m),
		.is_deleted = kind_is_deleted(m),
		.fate = kind_fate(m),
		.pid = pid,
		.start = m->start,
		.end = m->end,
		.offset = m->offset,
		.inode = m->inode,
		.major = m->major,
		.minor = m->minor,
		.mappings = 1,
		.present = m->present,
	};
	memcpy(ret->perms, m->perms, sizeof(ret->perms));
	memcpy(ret->q, m->q, sizeof(ret->q));
	buffer_clear(texts);
	kind_add_name(m, texts);
	buffer_add_char(texts, '\0');
	flags_at = texts->len;
	if (with_flags) {
		mapping_table_add_flags(m, texts);
		buffer_add_char(texts, '\0');
	}
	ret->name = texts->data;
	ret->flags = with_flags && !texts->error ? texts->data + flags_at : NULL;
	return texts->error;
}

/* Writes to *RET the row that ONE is summed in, which may be new. Returns 0 or -ENOMEM. */
static int mapping_table_get(struct mapping_table *a, const struct mapping_table_row *one,
	struct mapping_table_row **ret)
{
	bool is_single = a->by == MAPPING_TABLE_BY_MAPPING;
	struct mapping_table_row made, *row;
	uint64_t hash;

	if (make_row(a->by, one, &made) < 0)
		return -ENOMEM;
	if (!a->rows)
		a->hash_key = siphash_new_key();
	hash = is_single ? 0 : mapping_table_hash_of(a, &made);
	row = mapping_table_find(a, hash, &made);
	if (row) {
		free(made.name);
		if (!row->is_deleted)
			row->fate = made.fate;
		row->is_deleted |= made.is_deleted;
	} else {
		if (ARRAY_RESERVE(a->row, a->room, a->rows + 1) < 0 ||
			(!is_single && hashmap_add(&a->index, hash, a->rows) < 0)) {
			free(made.name);
			return -ENOMEM;
		}
		row = &a->row[a->rows++];
		*row = made;
	}
	*ret = row;
	return 0;
}

int mapping_table_add_row(struct mapping_table *a, const struct mapping_table_row *one)
{
	struct mapping_table_row *row;
	int r = mapping_table_get(a, one, &row);

	if (r < 0)
		return r;
	if (a->by == MAPPING_TABLE_BY_MAPPING) {
		row->pid = one->pid;
		row->start = one->start;
		row->end = one->end;
		row->offset = one->offset;
		memcpy(row->perms, one->perms, sizeof(row->perms));
	}
	r = add_fields(row, one->present, one->q);
	row->mappings += one->mappings;
	return r;
}

int mapping_table_add(struct mapping_table *a, pid_t pid, const struct mapping *m)
{
	AUTO_BUFFER struct buffer name = {0};
	struct mapping_table_row row;
	int r = mapping_table_row_of(m, pid, a->by == MAPPING_TABLE_BY_MAPPING, &name, &row);

	return r == 0 ? mapping_table_add_row(a, &row) : r;
}

int mapping_table_sum(struct mapping_table_row *total, const struct mapping_table_row *row)
{
	int r = add_fields(total, row->present, row->q);

	total->mappings += row->mappings;
	return r;
}

void mapping_table_total(const struct mapping_table *a, struct mapping_table_row *ret)
{
	*ret = (struct mapping_table_row){0};
	/* No overflow on a real machine. */
	for (size_t i = 0; i < a->rows; i++)
		(void)mapping_table_sum(ret, &a->row[i]);
}

static bool mapping_table_has(const struct mapping_table_row *row, enum mapping_field field)
{
	return (row->present >> field) & 1;
}

bool mapping_table_figure(
	const struct mapping_table_row *row, enum mapping_table_figure figure, uint64_t *ret)
{
	enum mapping_field clean = figure == MAPPING_TABLE_SHARED ? MAPPING_SHARED_CLEAN
	                                                          : MAPPING_PRIVATE_CLEAN;
	enum mapping_field dirty = figure == MAPPING_TABLE_SHARED ? MAPPING_SHARED_DIRTY
	                                                          : MAPPING_PRIVATE_DIRTY;

	*ret = row->q[clean] + row->q[dirty];
	return mapping_table_has(row, clean) && mapping_table_has(row, dirty);
}

bool mapping_table_sharers(const struct mapping_table_row *row, double *ret)
{
	uint64_t shared, private;

	if (!mapping_table_figure(row, MAPPING_TABLE_SHARED, &shared) ||
		!mapping_table_figure(row, MAPPING_TABLE_PRIVATE, &private) ||
		!mapping_table_has(row, MAPPING_PSS) || !shared || row->q[MAPPING_PSS] <= private)
		return false;
	*ret = (double)shared / (double)(row->q[MAPPING_PSS] - private);
	return true;
}

/* The order in which rows were added: by process, then by address. */
static int by_place(const struct mapping_table_row *a, const struct mapping_table_row *b)
{
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int mapping_table_compare(const void *a_, const void *b_, void *field_)
{
	const struct mapping_table_row *a = a_, *b = b_;
	enum mapping_field field = *(enum mapping_field *)field_;

	if (mapping_table_has(a, field) != mapping_table_has(b, field))
		return mapping_table_has(a, field) ? -1 : 1;
	if (mapping_table_has(a, field) && a->q[field] != b->q[field])
		return a->q[field] < b->q[field] ? 1 : -1;
	return by_place(a, b);
}

void mapping_table_sort(struct mapping_table *a, enum mapping_field field)
{
	if (a->rows)
		qsort_r(a->row, a->rows, sizeof(*a->row), mapping_table_compare, &field);
	hashmap_done(&a->index);
}
