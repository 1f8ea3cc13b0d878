/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory of the simulated host: which processes map which extents, writes, files and swap
 *
 * An extent is shared as a whole: a write to a part of memory writes to whole extents. That is
 * coarser than pages, and precise enough if a process has some dozens of extents.
 */
#include "config.h"

#include "tests/sim/host/host-private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FOLIO_EXTENTS = 4 }; /* at most, in a large folio */

void *host_grown(void *array, size_t *capacity, size_t needed, size_t size)
{
	size_t more = *capacity ? *capacity : 16;

	if (needed <= *capacity)
		return array;
	while (more < needed)
		more *= 2;
	array = realloc(array, more * size);
	if (!array)
		abort();
	*capacity = more;
	return array;
}

static uint32_t last_extent(struct host *h)
{
	size_t capacity = h->extent_capacity;

	h->extent = host_grown(h->extent, &h->extent_capacity, h->extents + 1, sizeof(*h->extent));
	if (h->extent_capacity != capacity || !h->free_extent) {
		h->free_extent = realloc(
			h->free_extent, h->extent_capacity * sizeof(*h->free_extent));
		if (!h->free_extent)
			abort();
	}
	return (uint32_t)h->extents++;
}

static uint32_t new_anon(struct host *h, uint64_t pages)
{
	uint32_t index = h->free_extents > 0 ? h->free_extent[--h->free_extents] : last_extent(h);

	h->extent[index] = (struct host_extent){.pages = (uint32_t)pages};
	return index;
}

static void count_extent(struct host_process *p, const struct host_extent *e, int sign)
{
	uint64_t *counter = e->kind != HOST_ANON ? &p->file : e->is_swapped ? &p->swap : &p->anon;

	*counter += (uint64_t)sign * host_extent_bytes(e);
	if (e->kind == HOST_SHMEM)
		p->shmem += (uint64_t)sign * host_extent_bytes(e);
}

static void count_host(struct host *h, const struct host_extent *e, int sign)
{
	if (e->kind != HOST_ANON)
		h->mapped += (uint64_t)sign * host_extent_bytes(e);
	else if (!e->is_swapped)
		h->anon_pages += (uint64_t)sign * host_extent_bytes(e);
}

static void count_folio(struct host *h, const struct host_folio *f, int sign)
{
	*(f->is_anon ? &h->anon_pages : &h->mapped) += (uint64_t)sign * f->pages * HOST_PAGE;
}

/* Adds extent INDEX, which no process maps yet, to the last folio, or to a new one. */
static void join_folio(struct host *h, uint32_t index, bool is_new)
{
	struct host_extent *e = &h->extent[index];
	struct host_folio *f;

	if (is_new) {
		h->folios += h->folios == 0; /* 0 is none */
		h->folio = host_grown(
			h->folio, &h->folio_capacity, h->folios + 1, sizeof(*h->folio));
		h->folio[h->folios++] = (struct host_folio){.is_anon = e->kind == HOST_ANON};
	}
	e->folio = (uint32_t)h->folios - 1;
	f = &h->folio[e->folio];
	if (f->maps > 0)
		count_folio(h, f, -1);
	f->pages += e->pages;
	if (f->maps > 0)
		count_folio(h, f, 1);
}

/* Returns whether memory that is created now in PARTS extents lies in large folios. */
static bool makes_folios(struct host *h, uint32_t parts)
{
	return h->averages && parts > 1 && host_random(h, 2);
}

static void hold_folio(struct host *h, size_t slot, const struct host_extent *e)
{
	const struct host_process *p = &h->process[slot];
	struct host_folio *f = &h->folio[e->folio];
	uint64_t mapper = (uint64_t)p->image << 32 | p->pid;

	if (f->maps == 0)
		count_folio(h, f, 1);
	f->maps += e->pages;
	if (f->mapper != mapper)
		f->mapper = f->mapper ? HOST_SEVERAL : mapper;
}

static void let_go_of_folio(struct host *h, const struct host_extent *e)
{
	struct host_folio *f = &h->folio[e->folio];

	f->maps -= e->pages;
	if (f->maps > 0)
		return;
	count_folio(h, f, -1);
	f->mapper = 0;
}

static void hold(struct host *h, size_t slot, uint32_t index)
{
	struct host_extent *e = &h->extent[index];

	h->changes++;
	if (e->maps++ == 0 && !e->folio)
		count_host(h, e, 1);
	if (e->folio)
		hold_folio(h, slot, e);
}

void host_let_go(struct host *h, uint32_t index)
{
	struct host_extent *e = &h->extent[index];

	assert(e->maps > 0);
	h->changes++;
	if (e->folio)
		let_go_of_folio(h, e);
	if (--e->maps > 0)
		return;
	if (!e->folio)
		count_host(h, e, -1);
	if (e->kind == HOST_ANON) {
		h->extent[e->twin].twin = 0;
		h->free_extent[h->free_extents++] = index;
	}
}

void host_touch_extent(struct host *h, size_t slot, uint32_t index)
{
	struct host_process *p = &h->process[slot];

	p->touched = host_grown(
		p->touched, &p->touch_capacity, p->touches + 1, sizeof(*p->touched));
	p->touched[p->touches++] = index;
	count_extent(p, &h->extent[index], 1);
	hold(h, slot, index);
	/* A read fault maps 16 pages around the address; shared memory is written to. */
	p->faults += h->extent[index].pages / (h->extent[index].kind == HOST_SHMEM ? 1 : 16) + 1;
}

static void give_back_at(struct host *h, size_t slot, size_t at)
{
	struct host_process *p = &h->process[slot];
	uint32_t index = p->touched[at];

	count_extent(p, &h->extent[index], -1);
	p->touched[at] = p->touched[--p->touches];
	host_let_go(h, index);
}

void host_add_part(struct host *h, size_t slot, uint32_t index, uint64_t place)
{
	struct host_process *p = &h->process[slot];
	const struct host_extent *e = &h->extent[index];

	p->part = host_grown(p->part, &p->capacity, p->count + 1, sizeof(*p->part));
	if (!place) {
		place = p->last_place;
		p->last_place += e->pages + 1;
	}
	p->part[p->count++] = (struct host_part){index, place};
	count_extent(p, e, 1);
	p->size += host_extent_bytes(e);
	hold(h, slot, index);
}

static void remove_part(struct host *h, size_t slot, size_t at)
{
	struct host_process *p = &h->process[slot];
	uint32_t index = p->part[at].extent;

	count_extent(p, &h->extent[index], -1);
	p->size -= host_extent_bytes(&h->extent[index]);
	p->count--;
	memmove(&p->part[at], &p->part[at + 1], (p->count - at) * sizeof(*p->part));
	host_let_go(h, index);
}

/* Maps extent INDEX, of the same size, in place of part AT. */
static void replace_part(struct host *h, size_t slot, size_t at, uint32_t index)
{
	struct host_process *p = &h->process[slot];
	uint32_t old = p->part[at].extent;

	count_extent(p, &h->extent[old], -1);
	count_extent(p, &h->extent[index], 1);
	p->part[at].extent = index;
	p->faults += h->extent[index].pages;
	hold(h, slot, index);
	host_let_go(h, old);
}

void host_grow(struct host *h, size_t slot, uint64_t pages, uint32_t parts)
{
	bool is_large = makes_folios(h, parts);

	for (uint32_t i = 0; i < parts && pages >= parts; i++) {
		uint32_t index = new_anon(h, pages / parts);

		if (is_large)
			join_folio(h, index, i % FOLIO_EXTENTS == 0);
		host_add_part(h, slot, index, 0);
		h->process[slot].faults += pages / parts;
	}
}

void host_add_mapping(struct host *h, size_t slot, uint32_t inode, uint64_t place)
{
	struct host_process *p = &h->process[slot];

	p->mapping = host_grown(
		p->mapping, &p->mapping_capacity, p->mappings + 1, sizeof(*p->mapping));
	p->mapping[p->mappings++] = (struct host_mapping){inode, place};
	p->size += h->inode[inode].pages * HOST_PAGE;
}

uint32_t host_create(struct host *h, enum host_kind kind, uint64_t pages, uint32_t parts)
{
	uint32_t inode = h->inodes++;
	bool is_large = makes_folios(h, parts);

	h->inode = host_grown(h->inode, &h->inode_capacity, h->inodes, sizeof(*h->inode));
	h->inode[inode] = (struct host_inode){(uint32_t)h->extents, parts, pages / parts * parts};
	assert(kind != HOST_ANON && pages >= parts);
	/*
	 * All extents of a file are at the end, side by side, so that .first and .count describe
	 * them.
	 */
	for (uint32_t i = 0; i < parts; i++) {
		uint32_t index = last_extent(h);

		h->extent[index] = (struct host_extent){
			.pages = (uint32_t)(pages / parts), .kind = (uint8_t)kind, .inode = inode};
		if (is_large)
			join_folio(h, index, i % FOLIO_EXTENTS == 0);
	}
	return inode;
}

static bool has_touched(const struct host_process *p, uint32_t index)
{
	for (size_t i = 0; i < p->touches; i++)
		if (p->touched[i] == index)
			return true;
	return false;
}

void host_map_below(struct host *h, size_t slot, uint64_t pages)
{
	h->process[slot].below += pages;
	h->process[slot].size += pages * HOST_PAGE;
}

bool host_is_mapped(const struct host_process *p, uint32_t inode)
{
	for (size_t i = 0; i < p->mappings; i++)
		if (p->mapping[i].inode == inode)
			return true;
	return false;
}

void host_map(struct host *h, size_t slot, uint32_t inode, uint32_t parts)
{
	struct host_process *p = &h->process[slot];
	uint32_t first = h->inode[inode].first;

	if (!host_is_mapped(p, inode)) {
		host_add_mapping(h, slot, inode, p->last_place);
		p->last_place += h->inode[inode].pages + 1;
	}
	for (uint32_t i = first; i < first + h->inode[inode].count && parts > 0; i++) {
		if (has_touched(p, i))
			continue;
		host_touch_extent(h, slot, i);
		parts--;
	}
}

void host_touch(struct host *h, size_t slot, uint32_t inode, uint64_t at)
{
	uint32_t index = h->inode[inode].first + (uint32_t)(at % h->inode[inode].count);

	if (!has_touched(&h->process[slot], index))
		host_touch_extent(h, slot, index);
}

void host_give_back(struct host *h, size_t slot, uint32_t inode, uint32_t parts)
{
	for (size_t i = h->process[slot].touches; i-- > 0 && parts > 0;) {
		if (h->extent[h->process[slot].touched[i]].inode == inode) {
			give_back_at(h, slot, i);
			parts--;
		}
	}
}

void host_unmap(struct host *h, size_t slot, uint32_t inode)
{
	struct host_process *p = &h->process[slot];

	host_give_back(h, slot, inode, UINT32_MAX);
	for (size_t i = 0; i < p->mappings; i++) {
		if (p->mapping[i].inode != inode)
			continue;
		p->mappings--;
		memmove(&p->mapping[i], &p->mapping[i + 1],
			(p->mappings - i) * sizeof(*p->mapping));
		p->size -= h->inode[inode].pages * HOST_PAGE;
		return;
	}
}

void host_map_libraries(struct host *h, size_t slot)
{
	for (uint32_t i = 0; i < 4 && h->libraries > 0; i++)
		host_map(h, slot, 1 + (uint32_t)host_random(h, h->libraries),
			1 + (uint32_t)host_random(h, 4));
}

/* Returns a random anonymous extent of SLOT; p->count if none was found in 12 tries. */
static size_t some_anon(struct host *h, size_t slot, bool is_swapped, bool is_shared)
{
	const struct host_process *p = &h->process[slot];

	for (int tries = 0; tries < 12 && p->count > 0; tries++) {
		size_t at = host_random(h, p->count);
		const struct host_extent *e = &h->extent[p->part[at].extent];

		if (e->is_swapped == is_swapped && (!is_shared || e->maps > 1))
			return at;
	}
	return p->count;
}

void host_shrink(struct host *h, size_t slot)
{
	size_t at = some_anon(h, slot, false, false);

	if (at < h->process[slot].count)
		remove_part(h, slot, at);
}

void host_free_last(struct host *h, size_t slot)
{
	size_t count = h->process[slot].count;

	if (count > 0 && h->extent[h->process[slot].part[count - 1].extent].maps == 1)
		remove_part(h, slot, count - 1);
}

uint32_t host_write(struct host *h, size_t slot, uint32_t parts)
{
	uint32_t done = 0;

	for (; parts > 0; parts--) {
		size_t at = some_anon(h, slot, false, true);

		if (at == h->process[slot].count)
			break;
		replace_part(h, slot, at,
			new_anon(h, h->extent[h->process[slot].part[at].extent].pages));
		done++;
	}
	return done;
}

void host_write_at(struct host *h, size_t slot, size_t at, size_t parts)
{
	for (; parts > 0 && at < h->process[slot].count; parts--, at++) {
		const struct host_extent *e = &h->extent[h->process[slot].part[at].extent];

		if (e->maps > 1 && !e->is_swapped)
			replace_part(h, slot, at, new_anon(h, e->pages));
	}
}

void host_swap_out(struct host *h, double share)
{
	bool *out = calloc(h->extents, sizeof(*out));

	assert(!h->averages);
	if (!out)
		abort();
	for (size_t i = 1; i < h->extents; i++) {
		struct host_extent *e = &h->extent[i];

		/* The copy of a swapped extent stays in memory: it is in use. */
		out[i] = e->kind == HOST_ANON && e->maps > 0 && !e->is_swapped && !e->twin &&
		         host_chance(h) < share;
	}
	for (size_t slot = 0; slot < h->slots; slot++) {
		struct host_process *p = &h->process[slot];

		for (size_t i = 0; i < p->count; i++) {
			if (out[p->part[i].extent]) {
				p->anon -= host_extent_bytes(&h->extent[p->part[i].extent]);
				p->swap += host_extent_bytes(&h->extent[p->part[i].extent]);
			}
		}
	}
	for (size_t i = 1; i < h->extents; i++) {
		if (out[i]) {
			count_host(h, &h->extent[i], -1);
			h->extent[i].is_swapped = true;
			h->swapped_out += h->extent[i].pages;
		}
	}
	free(out);
	h->events++;
	h->changes++;
}

void host_swap_in(struct host *h, size_t slot, uint32_t parts)
{
	for (; parts > 0; parts--) {
		size_t at = some_anon(h, slot, true, false);
		uint32_t index, twin;

		if (at == h->process[slot].count)
			return;
		index = h->process[slot].part[at].extent;
		twin = h->extent[index].twin;
		if (!twin) {
			twin = new_anon(h, h->extent[index].pages);
			h->extent[index].twin = twin;
			h->extent[twin].twin = index;
		}
		h->swapped_in += h->extent[twin].pages;
		replace_part(h, slot, at, twin);
	}
}
