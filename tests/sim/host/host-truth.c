/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/sim/host/host.h"

/* The number of processes that map an extent, and whether there is only one. */
struct mappers {
	uint32_t count;
	bool is_private;
};

static struct mappers mappers_of(const struct host_extent *e)
{
	return (struct mappers){e->maps, e->maps == 1};
}

/*
 * The same as the kernel has it: the mean over the pages of a large folio, rounded to the nearest
 * integer and at least 1.
 */
static struct mappers mappers_as_read(const struct host *h, const struct host_extent *e)
{
	const struct host_folio *f = &h->folio[e->folio];
	uint64_t mean;

	if (!e->folio)
		return mappers_of(e);
	mean = (f->maps + f->pages / 2) / f->pages;
	return (struct mappers){(uint32_t)(mean ? mean : 1), f->mapper != HOST_SEVERAL};
}

static void add_piece(const struct host_extent *e, struct mappers m, struct host_piece *p)
{
	double share = (double)host_extent_bytes(e) / m.count;

	if (e->is_swapped) {
		p->swap += host_extent_bytes(e);
		p->swap_pss += share;
		return;
	}
	p->rss += host_extent_bytes(e);
	p->pss += share;
	if (m.is_private)
		p->private += host_extent_bytes(e);
}

void host_look_at_part(const struct host *h, size_t slot, size_t part, struct host_piece *ret)
{
	const struct host_extent *e = &h->extent[h->process[slot].part[part].extent];

	*ret = (struct host_piece){0};
	add_piece(e, mappers_as_read(h, e), ret);
}

void host_look_at_mapping(const struct host *h, size_t slot, size_t mapping, struct host_piece *ret)
{
	const struct host_process *p = &h->process[slot];

	*ret = (struct host_piece){0};
	for (size_t i = 0; i < p->touches; i++) {
		const struct host_extent *e = &h->extent[p->touched[i]];

		if (e->inode == p->mapping[mapping].inode)
			add_piece(e, mappers_as_read(h, e), ret);
	}
}

static void note_largest(struct host_truth *t, uint64_t pages)
{
	if (pages > t->largest_pages)
		t->largest_pages = pages;
}

static void add_up(const struct host *h, size_t slot, bool as_read, struct host_truth *ret)
{
	const struct host_process *p = &h->process[slot];
	struct host_piece anon = {0}, file = {0}, shmem = {0};

	/* The text and the stack count as mappings; none of their pages is resident. */
	*ret = (struct host_truth){.mappings = 2 + p->count + p->mappings};
	for (size_t i = 0; i < p->count; i++) {
		const struct host_extent *e = &h->extent[p->part[i].extent];

		add_piece(e, as_read ? mappers_as_read(h, e) : mappers_of(e), &anon);
		if (!e->is_swapped)
			note_largest(ret, e->pages);
	}
	for (size_t i = 0; i < p->touches; i++) {
		const struct host_extent *e = &h->extent[p->touched[i]];

		add_piece(e, as_read ? mappers_as_read(h, e) : mappers_of(e),
			e->kind == HOST_FILE ? &file : &shmem);
		note_largest(ret, h->inode[e->inode].pages);
	}
	ret->pss_anon = anon.pss;
	ret->pss_file = file.pss;
	ret->pss_shmem = shmem.pss;
	ret->pss = anon.pss + file.pss + shmem.pss;
	ret->swap_pss = anon.swap_pss;
	ret->uss = anon.private + file.private + shmem.private;
	ret->pages = (anon.rss + file.rss + shmem.rss) / HOST_PAGE;
}

void host_truth(const struct host *h, size_t slot, struct host_truth *ret)
{
	add_up(h, slot, false, ret);
}

void host_walk(const struct host *h, size_t slot, struct host_truth *ret)
{
	add_up(h, slot, true, ret);
}

uint64_t host_large_anon(const struct host *h)
{
	uint64_t sum = 0;

	for (size_t i = 1; i < h->folios; i++)
		if (h->folio[i].is_anon && h->folio[i].maps > 0)
			sum += h->folio[i].pages * HOST_PAGE;
	return sum;
}

/* Returns whether a recount confirms the counters of SLOT. */
static bool is_counted(const struct host *h, size_t slot)
{
	const struct host_process *p = &h->process[slot];
	uint64_t anon = 0, file = 0, shmem = 0, swap = 0, size = p->below * HOST_PAGE, place = 0;

	for (size_t i = 0; i < p->count; i++) {
		const struct host_extent *e = &h->extent[p->part[i].extent];

		*(e->is_swapped ? &swap : &anon) += host_extent_bytes(e);
		size += host_extent_bytes(e);
		if (e->maps == 0 || p->part[i].place <= place)
			return false;
		place = p->part[i].place;
	}
	for (size_t i = 0; i < p->touches; i++) {
		const struct host_extent *e = &h->extent[p->touched[i]];

		file += host_extent_bytes(e);
		shmem += e->kind == HOST_SHMEM ? host_extent_bytes(e) : 0;
		if (e->maps == 0 || !host_is_mapped(p, e->inode))
			return false;
	}
	for (size_t i = 0; i < p->mappings; i++)
		size += h->inode[p->mapping[i].inode].pages * HOST_PAGE;
	if (!host_is_alive(p) && p->count + p->touches + p->mappings > 0)
		return false;
	return p->anon == anon && p->file == file && p->shmem == shmem && p->swap == swap &&
	       p->size == size;
}

static void add_extent(const struct host *h, uint32_t index, struct host_piece *p)
{
	add_piece(&h->extent[index], mappers_of(&h->extent[index]), p);
}

/* Returns the PSS of memory that is being freed. */
static double pss_of_remains(const struct host *h)
{
	struct host_piece p = {0};

	for (size_t i = 0; i < h->remaining; i++) {
		const struct host_remains *r = &h->remains[i];

		for (size_t n = 0; n < r->count; n++)
			add_extent(h, r->part[n].extent, &p);
		for (size_t n = 0; n < r->touches; n++)
			add_extent(h, r->touched[n], &p);
	}
	return p.pss;
}

bool host_is_sound(const struct host *h)
{
	uint64_t anon = 0, mapped = 0, all = 0;
	double pss = pss_of_remains(h);
	size_t living = 0;

	for (size_t slot = 0; slot < h->slots; slot++) {
		struct host_truth t;

		if (!is_counted(h, slot))
			return false;
		living += host_is_alive(&h->process[slot]);
		host_truth(h, slot, &t);
		pss += t.pss;
	}
	for (size_t i = 1; i < h->extents; i++) {
		const struct host_extent *e = &h->extent[i];

		if (!e->maps || e->is_swapped)
			continue;
		all += host_extent_bytes(e);
		if (!e->folio)
			*(e->kind == HOST_ANON ? &anon : &mapped) += host_extent_bytes(e);
	}
	for (size_t i = 1; i < h->folios; i++)
		if (h->folio[i].maps > 0)
			*(h->folio[i].is_anon ? &anon : &mapped) += h->folio[i].pages * HOST_PAGE;
	/* Every page counts once. */
	return living == h->living && anon == h->anon_pages && mapped == h->mapped &&
	       pss - (double)all < 1 && (double)all - pss < 1;
}
