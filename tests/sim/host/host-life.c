/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/sim/host/host.h"

/*
 * One query of a database: touches random pages, uses some memory, and at times keeps a bit of it.
 */
static void work(struct host *h, size_t slot, const struct host_rates *r, double part)
{
	double touches = r->touches * part;

	while (host_chance(h) < touches) {
		host_touch(h, slot, h->process[slot].segment, host_random(h, UINT32_MAX));
		touches -= 1;
	}
	if (host_chance(h) < r->churn * part) {
		if (h->process[slot].count < 60 && host_chance(h) < 0.55)
			host_grow(h, slot, 4 + host_random(h, 60), 1);
		else
			host_free_last(h, slot);
	}
	if (host_chance(h) < r->leave * part)
		host_exit(h, slot);
}

static void have_workers(struct host *h, size_t slot)
{
	while (h->process[slot].children < h->process[slot].workers) {
		size_t child = host_fork(h, slot);

		if (!h->process[slot].has_backends)
			continue;
		/* It sets up what is its own, and does not write to the rest later. */
		h->process[child].role = HOST_BACKEND;
		host_write(h, child, 6);
	}
}

static void live_one(struct host *h, size_t slot, const struct host_rates *r, double part)
{
	struct host_process *p = &h->process[slot];
	uint64_t some = 16 + host_random(h, 512);

	switch (p->role) {
	case HOST_IDLE: break;
	case HOST_ACTIVE:
		if (host_chance(h) >= r->churn * part)
			break;
		/* Back to about what it began with. */
		if (p->anon < 64 * some * HOST_PAGE && host_chance(h) < 0.55)
			host_grow(h, slot, some, 2);
		else
			host_shrink(h, slot);
		if (p->swap > 0)
			host_swap_in(h, slot, 2);
		break;
	case HOST_LEAK:
		if (host_chance(h) < part)
			host_grow(h, slot, 8, 1);
		/* One day it is restarted. */
		if (p->count > 4096)
			host_exec(h, slot, 1000, 8);
		break;
	case HOST_SERVER: have_workers(h, slot); break;
	case HOST_WORKER:
		if (host_chance(h) < r->write * part)
			host_write(h, slot, 1 + (uint32_t)host_random(h, 3));
		if (host_chance(h) < r->leave * part)
			host_exit(h, slot);
		break;
	case HOST_SHARER:
		if (host_chance(h) < r->churn * part) {
			if (host_chance(h) < 0.6)
				host_map(h, slot, p->segment, 1);
			else
				host_give_back(h, slot, p->segment, 1);
		}
		break;
	case HOST_CACHE:
		if (host_chance(h) >= r->churn * part || h->inodes < 2)
			break;
		if (p->mappings > 0 && host_chance(h) < 0.5)
			host_unmap(h, slot, p->mapping[host_random(h, p->mappings)].inode);
		else
			host_map(h, slot, 1 + (uint32_t)host_random(h, h->inodes - 1), 2);
		break;
	case HOST_SHORT:
		if (host_chance(h) < r->exec * part)
			host_exec(h, slot, 100 + host_random(h, 2000), 4);
		else if (host_chance(h) < part / 2)
			host_exit(h, slot);
		break;
	case HOST_BACKEND: work(h, slot, r, part); break;
	case HOST_ROLES: break;
	}
}

void host_live(struct host *h, const struct host_rates *rates, double part)
{
	double births = rates->births * part, forks = rates->forks * part;
	size_t slots = h->slots;

	for (size_t slot = 0; slot < h->slots; slot++) {
		if (host_is_alive(&h->process[slot]))
			live_one(h, slot, rates, part);
	}
	while (host_chance(h) < births) {
		host_map_libraries(h, host_spawn(h, (uint32_t)host_random(h, 8), HOST_SHORT,
					      100 + host_random(h, 1000), 4));
		births -= 1;
	}
	while (slots > 0 && host_chance(h) < forks) {
		size_t slot = host_random(h, slots);

		forks -= 1;
		if (!host_is_alive(&h->process[slot]))
			continue;
		slot = host_fork(h, slot); /* which may move them all */
		h->process[slot].role = HOST_SHORT;
	}
	if (host_chance(h) < rates->pressure * part)
		host_swap_out(h, rates->pressure_share);
}
