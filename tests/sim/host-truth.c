/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/sim/host.h"

static void add_piece(const struct host_extent *e, struct host_piece *p)
{
	double share = (double)host_extent_bytes(e) / e->maps;

	if (e->is_swapped) {
		p->swap += host_extent_bytes(e);
		p->swap_pss += share;
		return;
	}
	p->rss += host_extent_bytes(e);
	p->pss += share;
	if (e->maps == 1)
		p->private += host_extent_bytes(e);
}

void host_look_at_part(const struct host *h, size_t slot, size_t part, struct host_piece *ret)
{
	*ret = (struct host_piece){0};
	add_piece(&h->extent[h->process[slot].part[part].extent], ret);
}

void host_look_at_mapping(const struct host *h, size_t slot, size_t mapping, struct host_piece *ret)
{
	const struct host_process *p = &h->process[slot];

	*ret = (struct host_piece){0};
	for (size_t i = 0; i < p->touches; i++)
		if (h->extent[p->touched[i]].inode == p->mapping[mapping].inode)
			add_piece(&h->extent[p->touched[i]], ret);
}

static void note_largest(struct host_truth *t, uint64_t pages)
{
	if (pages > t->largest_pages)
		t->largest_pages = pages;
}

void host_truth(const struct host *h, size_t slot, struct host_truth *ret)
{
	const struct host_process *p = &h->process[slot];
	struct host_piece anon = {0}, file = {0}, shmem = {0};

	/* Text and stack, of which nothing is resident, besides. */
	*ret = (struct host_truth){.mappings = 2 + p->count + p->mappings};
	for (size_t i = 0; i < p->count; i++) {
		const struct host_extent *e = &h->extent[p->part[i].extent];

		add_piece(e, &anon);
		if (!e->is_swapped)
			note_largest(ret, e->pages);
	}
	for (size_t i = 0; i < p->touches; i++) {
		const struct host_extent *e = &h->extent[p->touched[i]];

		add_piece(e, e->kind == HOST_FILE ? &file : &shmem);
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

/* Whether SLOT's counters are what a recount gives. */
static bool is_counted(const struct host *h, size_t slot)
{
	const struct host_process *p = &h->process[slot];
	uint64_t anon = 0, file = 0, shmem = 0, swap = 0, size = 0, place = 0;

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
	if (p->pid == 0 && p->count + p->touches + p->mappings > 0)
		return false;
	return p->anon == anon && p->file == file && p->shmem == shmem && p->swap == swap &&
	       p->size == size;
}

bool host_is_sound(const struct host *h)
{
	uint64_t anon = 0, mapped = 0;
	double pss = 0;
	size_t living = 0;

	for (size_t slot = 0; slot < h->slots; slot++) {
		struct host_truth t;

		if (!is_counted(h, slot))
			return false;
		living += h->process[slot].pid != 0;
		host_truth(h, slot, &t);
		pss += t.pss;
	}
	for (size_t i = 1; i < h->extents; i++) {
		const struct host_extent *e = &h->extent[i];

		if (e->maps > 0 && e->kind != HOST_ANON)
			mapped += host_extent_bytes(e);
		else if (e->maps > 0 && !e->is_swapped)
			anon += host_extent_bytes(e);
	}
	/* Every page counts once. */
	return living == h->living && anon == h->anon_pages && mapped == h->mapped &&
	       pss - (double)(anon + mapped) < 1 && (double)(anon + mapped) - pss < 1;
}
