/* SPDX-License-Identifier: Apache-2.0 */
/* The processes of the simulated host: births, exec and exits, and the memory that these free. */
#include "config.h"

#include "tests/sim/host/host-private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/*
 * Duration of exit and exec for each MiB, measured on a loaded machine with Linux 6.18: 0.65 to 1.3
 * ms if the pages are freed (other kernels and swap take longer), 0.07 to 0.3 ms if other processes
 * map them, too.
 */
enum { FREE_NS_PER_MIB = 2000000, UNMAP_NS_PER_MIB = 250000 };

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
	h->extent = host_grown(NULL, &h->extent_capacity, 1, sizeof(*h->extent));
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
		host_add_part(h, slot, from->part[i].extent, from->part[i].place);
	for (size_t i = 0; i < from->mappings; i++)
		host_add_mapping(h, slot, from->mapping[i].inode, from->mapping[i].place);
	/* Of files and shared memory the child soon touches about half. */
	for (size_t i = 0; i < from->touches; i++)
		if (host_chance(h) < 0.5)
			host_touch_extent(h, slot, from->touched[i]);
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
	host_let_go(h, index);
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

	h->remains = host_grown(
		h->remains, &h->remains_capacity, h->remaining + 1, sizeof(*h->remains));
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
