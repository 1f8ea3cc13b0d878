/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/maps/breakdown.h"

#include "base/saturate.h"

void breakdown_init(struct breakdown *p)
{
	*p = (struct breakdown){
		.kinds.by = MAPPING_TABLE_BY_KIND, .files.by = MAPPING_TABLE_BY_FILE};
}

void breakdown_done(struct breakdown *p)
{
	mapping_table_done(&p->kinds);
	mapping_table_done(&p->files);
}

/* Whether M's file has no name, as far as that could be looked up. */
static bool breakdown_is_nameless(const struct mapping *m)
{
	return kind_looks_deleted(m) && !m->has_name && m->fate != MAPPING_THERE &&
	       m->fate != MAPPING_LITERAL;
}

/*
 * Whether M's file, which is shared memory, has a name. Paths of objects that the kernel made
 * without a name (memfds, SysV segments) end in " (deleted)" or do not begin with a slash.
 */
static bool has_name(const struct mapping *m)
{
	return m->path_len && m->path[0] == '/' &&
	       (!kind_may_be_unlinked(m) || m->has_name || m->fate == MAPPING_THERE ||
		       m->fate == MAPPING_LITERAL);
}

/* The path decides only if the device is not known. */
static bool breakdown_is_shmem(const struct mapping *m, enum kind kind)
{
	return m->store == MAPPING_STORE_UNKNOWN ? kind == KIND_SHMEM
	                                         : m->store == MAPPING_STORE_MEMORY;
}

enum breakdown_part breakdown_part_of(const struct mapping *m)
{
	enum kind kind = kind_of(m);

	switch (kind) {
	case KIND_HEAP:
	case KIND_STACK:
	case KIND_ANON: return BREAKDOWN_ANON;
	case KIND_DEVICE: return BREAKDOWN_DRIVER;
	default: break;
	}
	if (breakdown_is_shmem(m, kind))
		return has_name(m) ? BREAKDOWN_NAMED : BREAKDOWN_SHMEM;
	return breakdown_is_nameless(m) ? BREAKDOWN_UNLINKED : BREAKDOWN_FILE;
}

/* The figures of a mapping from smaps, in bytes. */
struct figures {
	uint64_t anon, alone, shared;
	uint64_t low, high; /* bytes that are anonymous and not shared, at least and at most */
};

/* Returns false if smaps lacks a field. */
static bool read_figures(const struct mapping *m, struct figures *ret)
{
	if (!mapping_has(m, MAPPING_PRIVATE_CLEAN) || !mapping_has(m, MAPPING_PRIVATE_DIRTY) ||
		!mapping_has(m, MAPPING_SHARED_CLEAN) || !mapping_has(m, MAPPING_SHARED_DIRTY))
		return false;
	*ret = (struct figures){
		.anon = m->q[MAPPING_ANONYMOUS],
		.alone = m->q[MAPPING_PRIVATE_CLEAN] + m->q[MAPPING_PRIVATE_DIRTY],
		.shared = m->q[MAPPING_SHARED_CLEAN] + m->q[MAPPING_SHARED_DIRTY],
	};
	ret->high = saturate_min(ret->anon, ret->alone);
	ret->low = saturate_min(saturate_less(ret->anon, ret->shared), ret->high);
	return true;
}

static void breakdown_add_parts(struct breakdown *p, const struct mapping *m)
{
	enum breakdown_part other = breakdown_part_of(m);
	uint64_t shared_anon;
	struct figures f;

	if (!read_figures(m, &f))
		return;
	shared_anon = saturate_min(f.anon - f.high, f.shared);
	p->alone[BREAKDOWN_ANON] += f.high;
	p->alone[other] += f.alone - f.high;
	p->shared[BREAKDOWN_ANON] += shared_anon;
	p->shared[other] += f.shared - shared_anon;
	p->doubt += f.high - f.low;
}

int breakdown_add(struct breakdown *p, pid_t pid, const struct mapping *m)
{
	AUTO_BUFFER struct buffer texts = {0};
	struct mapping_table_row row;
	int r = mapping_table_row_of(m, pid, false, &texts, &row);

	if (r == 0)
		r = mapping_table_add_row(&p->kinds, &row);
	if (r == 0)
		r = mapping_table_add_row(&p->files, &row);
	if (r == 0)
		r = mapping_table_sum(&p->total, &row);
	if (r == 0)
		breakdown_add_parts(p, m);
	return r;
}

uint64_t breakdown_doubt(const struct mapping *m)
{
	struct figures f;

	return read_figures(m, &f) ? f.high - f.low : 0;
}

void breakdown_settle(struct breakdown *p, const struct mapping *m, uint64_t bytes)
{
	enum breakdown_part other = breakdown_part_of(m);
	uint64_t less;
	struct figures f;

	if (!read_figures(m, &f))
		return;
	less = f.high - (bytes < f.low ? f.low : saturate_min(bytes, f.high));
	p->alone[BREAKDOWN_ANON] -= less;
	p->alone[other] += less;
	p->shared[BREAKDOWN_ANON] += less;
	p->shared[other] -= less;
	p->doubt -= f.high - f.low;
}
