/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulated host: births, exits, writes, files and swap
 *
 * An extent is shared as a whole: a write to a part of memory writes to whole extents. That is
 * coarser than pages, and precise enough if a process has some dozens of extents.
 */
#include "config.h"

#include "tests/sim/host/host.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/*
 * Duration of exit and exec for each MiB, measured on a loaded machine with Linux 6.18: 0.65 to 1.3
 * ms if the pages are freed (other kernels and swap take longer), 0.07 to 0.3 ms if other processes
 * map them, too.
 */
enum { FREE_NS_PER_MIB = 2000000, UNMAP_NS_PER_MIB = 250000 };

enum { FOLIO_EXTENTS = 4 }; /* at most, in a large folio */

static void *grown(void *array, size_t *capacity, size_t needed, size_t size)
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

uint64_t random_next(uint64_t *seed)
{
	uint64_t z = (*seed += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

double random_part(uint64_t *seed)
{
	return (double)(random_next(seed) >> 11) / 9007199254740992.0;
}

uint64_t host_random(struct host *h, uint64_t n)
{
	return random_next(&h->seed) % n;
}

double host_chance(struct host *h)
{
	return random_part(&h->seed);
}

void host_init(struct host *h, uint64_t seed)
{
	*h = (struct host){.seed = seed, .exit_slowness = 1, .next_free_ns = UINT64_MAX};
	/* Index 0 stays unused, so that 0 can mean none. */
	h->extent = grown(NULL, &h->extent_capacity, 1, sizeof(*h->extent));
	h->extent[0] = (struct host_extent){0};
	h->extents = 1;
	h->inodes = 1;
}

void host_done(struct host *h)
{
	for (size_t i = 0; i < h->slots; i++) {
		free(h->process[i].part);
		free(h->process[i].touched);
		free(h->process[i].mapping);
	}
	for (size_t i = 0; i < h->remaining; i++) {
		free(h->remains[i].part);
		free(h->remains[i].touched);
	}
	free(h->remains);
	free(h->process);
	free(h->extent);
	free(h->free_extent);
	free(h->folio);
	free(h->inode);
}

static uint32_t last_extent(struct host *h)
{
	size_t capacity = h->extent_capacity;

	h->extent = grown(h->extent, &h->extent_capacity, h->extents + 1, sizeof(*h->extent));
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
		h->folio = grown(h->folio, &h->folio_capacity, h->folios + 1, sizeof(*h->folio));
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

static void let_go(struct host *h, uint32_t index)
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

static void touch(struct host *h, size_t slot, uint32_t index)
{
	struct host_process *p = &h->process[slot];

	p->touched = grown(p->touched, &p->touch_capacity, p->touches + 1, sizeof(*p->touched));
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
	let_go(h, index);
}

/* Maps an anonymous extent at PLACE; 0: above all other mappings. */
static void add_part(struct host *h, size_t slot, uint32_t index, uint64_t place)
{
	struct host_process *p = &h->process[slot];
	const struct host_extent *e = &h->extent[index];

	p->part = grown(p->part, &p->capacity, p->count + 1, sizeof(*p->part));
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
	let_go(h, index);
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
	let_go(h, old);
}

static size_t new_slot(struct host *h)
{
	size_t slot = h->slots;
	struct host_process *p;

	/* Slots are reused in random order, as pids are. */
	for (size_t tries = 0; tries < 8 && h->slots > h->living + h->remaining; tries++) {
		size_t any = host_random(h, h->slots);

		if (h->process[any].pid == 0) {
			slot = any;
			break;
		}
	}
	if (slot == h->slots) {
		if ((h->slots & (h->slots - 1)) == 0) {
			size_t capacity = h->slots ? 2 * h->slots : 16;

			h->process = realloc(h->process, capacity * sizeof(*h->process));
			if (!h->process)
				abort();
			memset(h->process + h->slots, 0,
				(capacity - h->slots) * sizeof(*h->process));
		}
		h->slots++;
	}
	p = &h->process[slot];
	assert(p->pid == 0 && p->count == 0 && p->touches == 0 && p->mappings == 0);
	*p = (struct host_process){
		.pid = ++h->last_pid,
		.born_ns = h->now_ns,
		.image_ns = h->now_ns,
		.last_place = 1,
		.part = p->part,
		.capacity = p->capacity,
		.touched = p->touched,
		.touch_capacity = p->touch_capacity,
		.mapping = p->mapping,
		.mapping_capacity = p->mapping_capacity,
	};
	h->living++;
	h->events++;
	return slot;
}

void host_grow(struct host *h, size_t slot, uint64_t pages, uint32_t parts)
{
	bool is_large = makes_folios(h, parts);

	for (uint32_t i = 0; i < parts && pages >= parts; i++) {
		uint32_t index = new_anon(h, pages / parts);

		if (is_large)
			join_folio(h, index, i % FOLIO_EXTENTS == 0);
		add_part(h, slot, index, 0);
		h->process[slot].faults += pages / parts;
	}
}

size_t host_spawn(
	struct host *h, uint32_t user, enum host_role role, uint64_t anon_pages, uint32_t parts)
{
	size_t slot = new_slot(h);

	h->process[slot].user = user;
	h->process[slot].role = role;
	h->process[slot].program = role;
	h->process[slot].image = ++h->last_image;
	host_grow(h, slot, anon_pages, parts);
	return slot;
}

static void add_mapping(struct host *h, size_t slot, uint32_t inode, uint64_t place)
{
	struct host_process *p = &h->process[slot];

	p->mapping = grown(p->mapping, &p->mapping_capacity, p->mappings + 1, sizeof(*p->mapping));
	p->mapping[p->mappings++] = (struct host_mapping){inode, place};
	p->size += h->inode[inode].pages * HOST_PAGE;
}

size_t host_fork(struct host *h, size_t parent)
{
	size_t slot = new_slot(h);
	const struct host_process *from = &h->process[parent];
	struct host_process *p = &h->process[slot];

	p->parent = from->pid;
	p->parent_slot = parent;
	h->process[parent].children++;
	p->user = from->user;
	p->role = HOST_WORKER;
	p->program = from->program;
	p->image = from->image;
	p->segment = from->segment;
	for (size_t i = 0; i < from->count; i++)
		add_part(h, slot, from->part[i].extent, from->part[i].place);
	for (size_t i = 0; i < from->mappings; i++)
		add_mapping(h, slot, from->mapping[i].inode, from->mapping[i].place);
	/* Of files and shared memory the child soon touches about half. */
	for (size_t i = 0; i < from->touches; i++)
		if (host_chance(h) < 0.5)
			touch(h, slot, from->touched[i]);
	p->last_place = from->last_place;
	host_map_below(h, slot, from->below);
	/* A stack, and memory that the C library writes to. */
	host_grow(h, slot, 30, 2);
	return slot;
}

/* Frees the last extent of R. */
static void free_one(struct host *h, struct host_remains *r)
{
	uint32_t index = r->touches > 0 ? r->touched[r->touches - 1] : r->part[r->count - 1].extent;
	const struct host_extent *e = &h->extent[index];
	bool is_freed = e->kind == HOST_ANON && e->maps == 1;

	if (r->touches > 0)
		r->touches--;
	else
		r->count--;
	r->due_ns += host_extent_bytes(e) * h->exit_slowness *
	             (is_freed ? FREE_NS_PER_MIB : UNMAP_NS_PER_MIB) / (1 << 20);
	let_go(h, index);
}

/* Frees the slot of R's process and lets its parent know. */
static void end_process(struct host *h, const struct host_remains *r)
{
	struct host_process *p = &h->process[r->slot];

	if (!r->pid)
		return;
	if (p->parent && h->process[p->parent_slot].pid == p->parent)
		h->process[p->parent_slot].children--;
	p->pid = 0;
	p->is_exiting = false;
}

void host_flutter(struct host *h, size_t slot, uint64_t pages, uint64_t period_ns)
{
	h->flutter = (struct host_flutter){
		.slot = slot, .pid = h->process[slot].pid, .pages = pages, .period_ns = period_ns};
}

void host_look(struct host *h, size_t slot)
{
	struct host_flutter *f = &h->flutter;

	f->was_seen |= f->period_ns && f->slot == slot && f->is_there;
}

/*
 * Sets the memory to that of NOW_NS, which depends on that time alone and not on the number of
 * calls.
 */
static void flutter(struct host *h, uint64_t now_ns)
{
	struct host_flutter *f = &h->flutter;
	uint64_t period;
	bool is_there;

	if (!f->period_ns || h->process[f->slot].pid != f->pid || h->process[f->slot].is_exiting)
		return;
	period = now_ns / f->period_ns;
	is_there = random_next(&period) % 4 == 0;
	if (is_there == f->is_there)
		return;
	f->is_there = is_there;
	if (is_there)
		host_grow(h, f->slot, f->pages, 1);
	else
		host_free_last(h, f->slot);
}

void host_begin_walk(struct host *h, size_t slot)
{
	if (h->flutter.period_ns && h->flutter.slot == slot)
		flutter(h, h->now_ns + h->flutter.period_ns);
}

void host_advance(struct host *h, uint64_t now_ns)
{
	size_t kept = 0;

	h->now_ns = now_ns;
	flutter(h, now_ns);
	if (now_ns < h->next_free_ns)
		return;
	h->next_free_ns = UINT64_MAX;
	for (size_t i = 0; i < h->remaining; i++) {
		struct host_remains *r = &h->remains[i];

		while (r->count + r->touches > 0 && r->due_ns <= now_ns)
			free_one(h, r);
		if (r->due_ns > now_ns) {
			h->next_free_ns = r->due_ns < h->next_free_ns ? r->due_ns : h->next_free_ns;
			h->remains[kept++] = *r;
			continue;
		}
		end_process(h, r);
		free(r->part);
		free(r->touched);
	}
	h->remaining = kept;
}

/* Moves all memory of SLOT, which exits or calls exec, to the memory that is being freed. */
static void unmap_all(struct host *h, size_t slot, bool exits)
{
	struct host_process *p = &h->process[slot];

	h->remains = grown(h->remains, &h->remains_capacity, h->remaining + 1, sizeof(*h->remains));
	h->remains[h->remaining++] = (struct host_remains){
		.part = p->part,
		.touched = p->touched,
		.count = p->count,
		.touches = p->touches,
		.pid = exits ? p->pid : 0,
		.slot = slot,
		.due_ns = h->now_ns,
	};
	p->part = NULL;
	p->touched = NULL;
	p->count = p->capacity = p->touches = p->touch_capacity = p->mappings = 0;
	p->anon = p->file = p->shmem = p->swap = p->size = p->below = 0;
	h->next_free_ns = h->now_ns;
	host_advance(h, h->now_ns);
}

void host_exec(struct host *h, size_t slot, uint64_t anon_pages, uint32_t parts)
{
	struct host_process *p = &h->process[slot];

	unmap_all(h, slot, false);
	p->image = ++h->last_image;
	p->program = p->role;
	p->image_ns = h->now_ns;
	p->walked_ns = p->held_ns = 0;
	p->last_place = 1;
	p->segment = 0;
	host_map_libraries(h, slot);
	host_grow(h, slot, anon_pages, parts);
	h->events++;
}

void host_exit(struct host *h, size_t slot)
{
	if (!host_is_alive(&h->process[slot]))
		return;
	h->process[slot].is_exiting = true;
	h->living--;
	h->events++;
	unmap_all(h, slot, true);
}

uint32_t host_create(struct host *h, enum host_kind kind, uint64_t pages, uint32_t parts)
{
	uint32_t inode = h->inodes++;
	bool is_large = makes_folios(h, parts);

	h->inode = grown(h->inode, &h->inode_capacity, h->inodes, sizeof(*h->inode));
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
		add_mapping(h, slot, inode, p->last_place);
		p->last_place += h->inode[inode].pages + 1;
	}
	for (uint32_t i = first; i < first + h->inode[inode].count && parts > 0; i++) {
		if (has_touched(p, i))
			continue;
		touch(h, slot, i);
		parts--;
	}
}

void host_touch(struct host *h, size_t slot, uint32_t inode, uint64_t at)
{
	uint32_t index = h->inode[inode].first + (uint32_t)(at % h->inode[inode].count);

	if (!has_touched(&h->process[slot], index))
		touch(h, slot, index);
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
