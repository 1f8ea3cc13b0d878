/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/files/file-table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/mix.h"
#include "base/siphash.h"

enum {
	/* Numbers above those of rows, for the set of users. */
	EVERYTHING = 1 << 30,
	THE_REST,
};

static const char *const fates[FILE_TABLE_FATES] = {
	[FILE_TABLE_THERE] = "there",
	[FILE_TABLE_DELETED] = "deleted",
	[FILE_TABLE_REPLACED] = "replaced",
	[FILE_TABLE_UNCERTAIN] = "uncertain",
	[FILE_TABLE_UNLINKED] = "unlinked",
};

const char *file_table_fate_name(enum file_table_fate fate)
{
	return fates[fate];
}

static void free_row(struct file_table_row *row)
{
	free(row->name);
	free(row->path);
}

void file_table_done(struct file_table *s)
{
	for (size_t i = 0; i < s->rows; i++)
		free_row(&s->row[i]);
	free(s->row);
	free(s->part);
	hashmap_done(&s->index);
	free(s->user);
	hashmap_done(&s->user_index);
	buffer_done(&s->name);
	buffer_done(&s->last_path);
	*s = (struct file_table){.max = s->max, .seed = s->seed};
}

static uint64_t device_of(const struct mapping *m)
{
	return (uint64_t)m->major << 32 | m->minor;
}

static uint64_t file_table_hash_of(const struct file_table *s, const struct mapping *m)
{
	const struct siphash_key key = {{s->seed, ~s->seed}};
	struct siphash h;

	siphash_init(&h, &key);
	siphash_add(&h, &m->inode, sizeof(m->inode));
	siphash_add(&h, &m->major, sizeof(m->major));
	siphash_add(&h, &m->minor, sizeof(m->minor));
	siphash_add(&h, s->name.data, s->name.len);
	return siphash_end(&h);
}

static bool file_table_is_of(
	const struct file_table *s, const struct file_table_row *row, const struct mapping *m)
{
	return row->inode == m->inode && row->major == m->major && row->minor == m->minor &&
	       row->name_len == s->name.len && !memcmp(row->name, s->name.data, s->name.len);
}

/* Returns the row of M; its name is in S->name. FILE_TABLE_REST: there is none. */
static uint32_t file_table_find(const struct file_table *s, const struct mapping *m, uint64_t hash)
{
	uint32_t row;

	for (size_t at = 0; hashmap_next(&s->index, hash, &at, &row);)
		if (file_table_is_of(s, &s->row[row], m))
			return row;
	return FILE_TABLE_REST;
}

static enum kind kind_of_file(const struct mapping *m)
{
	enum kind kind = kind_of(m);

	return kind == KIND_CODE || kind == KIND_DATA ? KIND_FILE : kind;
}

static char *file_table_copy(const char *text, size_t len)
{
	char *ret = malloc(len + 1);

	if (ret) {
		memcpy(ret, text, len);
		ret[len] = '\0';
	}
	return ret;
}

/* Returns the state of M's file before it is looked up. */
static enum file_table_fate first_fate(const struct mapping *m)
{
	if (!kind_looks_deleted(m))
		return FILE_TABLE_THERE;
	return kind_fate(m) == MAPPING_UNLINKED ? FILE_TABLE_UNLINKED : FILE_TABLE_UNCERTAIN;
}

/* Adds a row for M. Returns 0, FILE_TABLE_FULL or -ENOMEM. */
static int file_table_add_row(
	struct file_table *s, const struct mapping *m, uint64_t hash, uint32_t *ret)
{
	bool is_deleted = kind_looks_deleted(m);
	size_t text = s->name.len + 1 + (is_deleted ? m->path_len + 1 : 0);
	AUTO_FREE char *name = NULL, *path = NULL;

	if (s->rows >= s->max.rows || s->rows >= EVERYTHING || text > s->max.text - s->text)
		return FILE_TABLE_FULL;
	if (ARRAY_RESERVE(s->row, s->room, s->rows + 1) < 0)
		return -ENOMEM;
	name = file_table_copy(s->name.data, s->name.len);
	path = is_deleted ? file_table_copy(m->path, m->path_len) : NULL;
	if (!name || (is_deleted && !path) || hashmap_add(&s->index, hash, s->rows) < 0)
		return -ENOMEM;
	s->row[s->rows] = (struct file_table_row){
		.name = TAKE_PTR(name),
		.path = TAKE_PTR(path),
		.inode = m->inode,
		.major = m->major,
		.minor = m->minor,
		.kind = kind_of_file(m),
		.start = m->start,
		.end = m->end,
		.fate = first_fate(m),
		.hash = hash,
		.name_len = (uint32_t)s->name.len,
	};
	s->text += text;
	*ret = (uint32_t)s->rows++;
	return 0;
}

static bool file_table_is_last(const struct file_table *s, const struct mapping *m)
{
	return s->last_row != FILE_TABLE_REST && s->last_inode == m->inode &&
	       s->last_device == device_of(m) && s->last_path.len == m->path_len &&
	       !memcmp(s->last_path.data, m->path, m->path_len);
}

/* Remembers the last mapping: mappings of a library are neighbours. */
static void file_table_remember(struct file_table *s, const struct mapping *m, uint32_t row)
{
	buffer_clear(&s->last_path);
	buffer_add(&s->last_path, m->path, m->path_len);
	s->last_inode = m->inode;
	s->last_device = device_of(m);
	s->last_row = m->path_len && !s->last_path.error ? row : FILE_TABLE_REST;
}

static int find_or_add(struct file_table *s, const struct mapping *m, uint32_t *ret)
{
	uint64_t hash;
	int r = 0;

	if (file_table_is_last(s, m)) {
		*ret = s->last_row;
		return 0;
	}
	buffer_clear(&s->name);
	kind_add_name(m, &s->name);
	if (s->name.error)
		return s->name.error;
	hash = file_table_hash_of(s, m);
	*ret = file_table_find(s, m, hash);
	if (*ret == FILE_TABLE_REST)
		r = file_table_add_row(s, m, hash, ret);
	if (r == 0)
		file_table_remember(s, m, *ret);
	return r;
}

/* Returns the part of ROW in the current process, which may be new; NULL: out of memory. */
static struct file_table_part *file_table_part_of(struct file_table *s, uint32_t row)
{
	uint32_t *part = row == FILE_TABLE_REST ? &s->rest.part : &s->row[row].part;

	if (*part)
		return &s->part[*part - 1];
	if (ARRAY_RESERVE(s->part, s->parts_room, s->parts + 1) < 0)
		return NULL;
	s->part[s->parts] = (struct file_table_part){
		.row = row,
		.present = UINT64_MAX >> (64 - FILE_TABLE_FIELDS),
		.q = {[FILE_TABLE_PROCESSES] = 1, [FILE_TABLE_USERS] = 1},
	};
	*part = (uint32_t)++s->parts;
	return &s->part[*part - 1];
}

static void file_table_set(
	struct file_table_part *p, enum file_table_field field, bool is_known, uint64_t value)
{
	if (!is_known)
		return;
	p->q[field] = value;
	p->present |= UINT64_C(1) << field;
}

/*
 * For shared memory, Swap counts what the kernel has swapped out of the mapped part of the object,
 * whichever process maps it (smap_gather_stats() in fs/proc/task_mmu.c), and SwapPss only private
 * copies. A file on tmpfs is shared memory, too, which its path does not show; but only such a file
 * has any Swap in a shared mapping.
 */
static void set_swap(struct file_table_part *p, const struct mapping *m, enum kind kind)
{
	bool has_pss = mapping_has(m, MAPPING_SWAP_PSS);
	uint64_t swap = m->q[MAPPING_SWAP], own = has_pss ? m->q[MAPPING_SWAP_PSS] : swap;

	if (kind == KIND_SHMEM || m->perms[3] == 's') {
		own = !has_pss ? 0 : own < swap ? own : swap;
		p->shared_swap = swap - own;
	}
	file_table_set(p, FILE_TABLE_SWAP, mapping_has(m, MAPPING_SWAP), own);
}

/*
 * Returns the share of this process in pages of the file itself. Copies are subtracted, because
 * each may be a whole page.
 */
static uint64_t own_part(const struct mapping *m)
{
	uint64_t pss = m->q[MAPPING_PSS], copies = m->q[MAPPING_ANONYMOUS];

	return pss > copies ? pss - copies : 0;
}

static struct file_table_part part_from(const struct mapping *m)
{
	static const struct {
		enum mapping_field from;
		enum file_table_field to;
	} same[] = {
		{MAPPING_SIZE, FILE_TABLE_SIZE},
		{MAPPING_RSS, FILE_TABLE_RSS},
		{MAPPING_PSS, FILE_TABLE_PSS},
		{MAPPING_PRIVATE_CLEAN, FILE_TABLE_PRIVATE_CLEAN},
		{MAPPING_PRIVATE_DIRTY, FILE_TABLE_PRIVATE_DIRTY},
		{MAPPING_PRIVATE_DIRTY, FILE_TABLE_PRIVATE_DIRTY_MOST},
		{MAPPING_ANONYMOUS, FILE_TABLE_ANONYMOUS},
	};
	struct file_table_part p = {.is_executable = m->perms[2] == 'x'};

	file_table_set(&p, FILE_TABLE_PROCESSES, true, 0);
	file_table_set(&p, FILE_TABLE_USERS, true, 0);
	file_table_set(&p, FILE_TABLE_MAPPINGS, true, 1);
	for (size_t i = 0; i < ARRAY_SIZE(same); i++)
		file_table_set(&p, same[i].to, mapping_has(m, same[i].from), m->q[same[i].from]);
	file_table_set(&p, FILE_TABLE_RESIDENT,
		mapping_has(m, MAPPING_PSS) && mapping_has(m, MAPPING_ANONYMOUS), own_part(m));
	file_table_set(&p, FILE_TABLE_HUGETLB,
		mapping_has(m, MAPPING_SHARED_HUGETLB) && mapping_has(m, MAPPING_PRIVATE_HUGETLB),
		m->q[MAPPING_SHARED_HUGETLB] + m->q[MAPPING_PRIVATE_HUGETLB]);
	set_swap(&p, m, kind_of(m));
	return p;
}

static int file_table_add_part(struct file_table_part *to, const struct file_table_part *p)
{
	bool is_too_much = __builtin_add_overflow(
		to->shared_swap, p->shared_swap, &to->shared_swap);

	for (unsigned int i = 0; i < FILE_TABLE_FIELDS; i++)
		is_too_much |= __builtin_add_overflow(to->q[i], p->q[i], &to->q[i]);
	to->present &= p->present;
	to->is_executable |= p->is_executable;
	return is_too_much ? -EOVERFLOW : 0;
}

static void forget_parts(struct file_table *s)
{
	for (size_t i = 0; i < s->parts; i++)
		if (s->part[i].row != FILE_TABLE_REST)
			s->row[s->part[i].row].part = 0;
	s->rest.part = 0;
	s->parts = 0;
	s->last_row = FILE_TABLE_REST;
}

void file_table_begin(struct file_table *s)
{
	forget_parts(s);
	while (s->rows > s->rows_before) {
		struct file_table_row *row = &s->row[--s->rows];

		hashmap_remove(&s->index, row->hash, s->rows);
		s->text -= row->name_len + 1 + (row->path ? strlen(row->path) + 1 : 0);
		free_row(row);
	}
}

int file_table_add(struct file_table *s, const struct mapping *m, uint32_t *ret_row)
{
	uint32_t row = FILE_TABLE_REST;
	struct file_table_part *to, p;
	int r, full;

	if (!kind_has_file(m))
		return FILE_TABLE_NO_FILE;
	full = find_or_add(s, m, &row);
	if (full < 0)
		return full;
	to = file_table_part_of(s, full ? FILE_TABLE_REST : row);
	if (!to)
		return -ENOMEM;
	p = part_from(m);
	r = file_table_add_part(to, &p);
	if (r == 0 && !full)
		*ret_row = row;
	return r < 0 ? r : full;
}

/*
 * Counts user UID in *COUNT, the number of users of ROW, unless it is counted there already. Returns
 * 0 or -ENOMEM.
 */
static int add_user(struct file_table *s, uint32_t row, uint32_t uid, uint64_t *count)
{
	uint64_t key = (uint64_t)row << 32 | uid, hash = mix_bits(key ^ s->seed);
	uint32_t i;

	for (size_t at = 0; hashmap_next(&s->user_index, hash, &at, &i);)
		if (s->user[i] == key)
			return 0;
	if (s->user_count >= s->max.users) {
		s->users_are_low = true;
		return 0;
	}
	if (ARRAY_RESERVE(s->user, s->user_room, s->user_count + 1) < 0 ||
		hashmap_add(&s->user_index, hash, s->user_count) < 0)
		return -ENOMEM;
	s->user[s->user_count++] = key;
	++*count;
	return 0;
}

static int file_table_fold(struct file_table_row *row, const struct file_table_part *p)
{
	uint64_t most = row->q[FILE_TABLE_PRIVATE_DIRTY_MOST];
	bool is_too_much = false;

	row->present = row->q[FILE_TABLE_PROCESSES] ? row->present & p->present : p->present;
	row->is_executable |= p->is_executable;
	for (unsigned int i = 0; i < FILE_TABLE_FIELDS; i++)
		if (i != FILE_TABLE_USERS && i != FILE_TABLE_PRIVATE_DIRTY_MOST)
			is_too_much |= __builtin_add_overflow(row->q[i], p->q[i], &row->q[i]);
	if (p->q[FILE_TABLE_PRIVATE_DIRTY_MOST] > most)
		row->q[FILE_TABLE_PRIVATE_DIRTY_MOST] = p->q[FILE_TABLE_PRIVATE_DIRTY_MOST];
	if (p->shared_swap > row->swap_most) {
		is_too_much |= __builtin_add_overflow(row->q[FILE_TABLE_SWAP],
			p->shared_swap - row->swap_most, &row->q[FILE_TABLE_SWAP]);
		row->swap_most = p->shared_swap;
	}
	return is_too_much ? -EOVERFLOW : 0;
}

int file_table_commit(struct file_table *s, uint32_t uid)
{
	int r = add_user(s, EVERYTHING, uid, &s->users);

	for (size_t i = 0; r == 0 && i < s->parts; i++) {
		const struct file_table_part *p = &s->part[i];
		bool is_rest = p->row == FILE_TABLE_REST;
		struct file_table_row *row = is_rest ? &s->rest : &s->row[p->row];

		r = file_table_fold(row, p);
		if (r == 0)
			r = add_user(
				s, is_rest ? THE_REST : p->row, uid, &row->q[FILE_TABLE_USERS]);
	}
	s->processes++;
	s->rows_before = s->rows;
	return r;
}

int file_table_settle(
	struct file_table *s, uint32_t row, enum file_table_fate fate, bool is_literal)
{
	static const char suffix[] = " (deleted)";
	struct file_table_row *of = &s->row[row];
	char *name;

	if (is_literal && !of->name[of->name_len]) {
		name = realloc(of->name, of->name_len + sizeof(suffix));
		if (!name)
			return -ENOMEM;
		memcpy(name + of->name_len, suffix, sizeof(suffix));
		of->name = name;
	}
	of->fate = fate;
	return 0;
}

void file_table_set_resident(struct file_table *s, uint32_t row, uint64_t bytes, bool exact)
{
	struct file_table_row *of = &s->row[row];

	/*
	 * Several files may have the same device, inode and name: then pages at the same offset
	 * count once for all of them.
	 */
	if (file_table_has(of, FILE_TABLE_RESIDENT) && bytes < of->q[FILE_TABLE_RESIDENT])
		return;
	of->q[FILE_TABLE_RESIDENT] = bytes;
	of->present |= UINT64_C(1) << FILE_TABLE_RESIDENT;
	of->is_exact = exact;
}

struct order {
	const struct file_table *table;
	enum file_table_field field;
};

static int file_table_compare(const void *a_, const void *b_, void *order_)
{
	const struct order *order = order_;
	const struct file_table_row *a = &order->table->row[*(const uint32_t *)a_],
				    *b = &order->table->row[*(const uint32_t *)b_];
	enum file_table_field field = order->field;
	int by_name;

	if (file_table_has(a, field) != file_table_has(b, field))
		return file_table_has(a, field) ? -1 : 1;
	if (file_table_has(a, field) && a->q[field] != b->q[field])
		return a->q[field] < b->q[field] ? 1 : -1;
	by_name = strcmp(a->name, b->name);
	if (by_name)
		return by_name;
	return (*(const uint32_t *)a_ > *(const uint32_t *)b_) -
	       (*(const uint32_t *)a_ < *(const uint32_t *)b_);
}

int file_table_order(const struct file_table *s, enum file_table_field field, uint32_t **ret)
{
	struct order order = {.table = s, .field = field};
	uint32_t *row = calloc(s->rows + 1, sizeof(*row));

	if (!row)
		return -ENOMEM;
	for (size_t i = 0; i < s->rows; i++)
		row[i] = (uint32_t)i;
	qsort_r(row, s->rows, sizeof(*row), file_table_compare, &order);
	*ret = row;
	return 0;
}

/* A row without mappings has no figures. */
static void file_table_add_total(struct file_table_row *total, const struct file_table_row *row)
{
	if (!row->q[FILE_TABLE_MAPPINGS])
		return;
	total->present &= row->present;
	total->is_exact &= row->is_exact;
	for (unsigned int i = 0; i < FILE_TABLE_FIELDS; i++)
		if (i == FILE_TABLE_PRIVATE_DIRTY_MOST)
			total->q[i] = row->q[i] > total->q[i] ? row->q[i] : total->q[i];
		else if (__builtin_add_overflow(total->q[i], row->q[i], &total->q[i]))
			total->q[i] = UINT64_MAX;
}

void file_table_total(const struct file_table *s, struct file_table_row *ret)
{
	*ret = (struct file_table_row){
		.present = UINT64_MAX >> (64 - FILE_TABLE_FIELDS), .is_exact = true};
	for (size_t i = 0; i < s->rows; i++)
		file_table_add_total(ret, &s->row[i]);
	file_table_add_total(ret, &s->rest);
	ret->q[FILE_TABLE_PROCESSES] = s->processes;
	ret->q[FILE_TABLE_USERS] = s->users;
}
