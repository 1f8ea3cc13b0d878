/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inside/portrait.h"

const char *portrait_part_name(enum portrait_part part)
{
	static const char *const names[PORTRAIT_PARTS] = {
		[PORTRAIT_ANON] = "anon",
		[PORTRAIT_SHMEM] = "shmem",
		[PORTRAIT_FILE] = "file",
	};

	return names[part];
}

void portrait_init(struct portrait *p)
{
	*p = (struct portrait){.kinds.by = ATLAS_BY_KIND, .files.by = ATLAS_BY_FILE};
}

void portrait_done(struct portrait *p)
{
	atlas_done(&p->kinds);
	atlas_done(&p->files);
}

/* What of a mapping of KIND is not anonymous. */
static enum portrait_part part_of(enum kind kind)
{
	switch (kind) {
	case KIND_HEAP:
	case KIND_STACK:
	case KIND_ANON: return PORTRAIT_ANON;
	case KIND_SHMEM: return PORTRAIT_SHMEM;
	default: return PORTRAIT_FILE;
	}
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void add_parts(struct portrait *p, const struct atlas_row *row)
{
	enum portrait_part other = part_of(row->kind);
	uint64_t alone, shared, anon, alone_anon, shared_anon;

	if (!atlas_figure(row, ATLAS_PRIVATE, &alone) || !atlas_figure(row, ATLAS_SHARED, &shared))
		return;
	anon = row->q[MAPPING_ANONYMOUS];
	alone_anon = least(anon, alone);
	shared_anon = least(anon - alone_anon, shared);
	p->alone[PORTRAIT_ANON] += alone_anon;
	p->alone[other] += alone - alone_anon;
	p->shared[PORTRAIT_ANON] += shared_anon;
	p->shared[other] += shared - shared_anon;
}

int portrait_add(struct portrait *p, pid_t pid, const struct mapping *m)
{
	AUTO_BUFFER struct buffer texts = {0};
	struct atlas_row row;
	int r = atlas_row_of(m, pid, false, &texts, &row);

	if (r == 0)
		r = atlas_add_row(&p->kinds, &row);
	if (r == 0)
		r = atlas_add_row(&p->files, &row);
	if (r == 0)
		r = atlas_sum(&p->total, &row);
	if (r == 0)
		add_parts(p, &row);
	return r;
}
