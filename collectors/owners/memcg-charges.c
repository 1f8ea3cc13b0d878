/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A read of memory.stat makes the kernel add up what all CPUs have counted since the last read.
 * That costs more than the rest of the read. So on hosts with many cgroups a pass reads only some
 * of them.
 */
#include "config.h"

#include "collectors/owners/memcg-charges.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/saturate.h"
#include "snapshot/owner.h"

#define MAX_AGE_NS (60 * NS_PER_SEC)

void memcg_charges_init(struct memcg_charges *c)
{
	*c = (struct memcg_charges){0};
	memcg_mount_init(&c->fs);
}

void memcg_charges_done(struct memcg_charges *c)
{
	memcg_mount_done(&c->fs);
	owner_table_done(&c->cgroups);
	free(c->reading);
	buffer_done(&c->order);
}

void memcg_charges_look(struct memcg_charges *c, int procfs_fd)
{
	(void)memcg_mount_look(&c->fs, procfs_fd);
}

static struct scope *add_cgroup(struct memcg_charges *c, const char *path, size_t len)
{
	struct scope *cgroup = owner_table_get(&c->cgroups, path, len);

	if (cgroup && ARRAY_RESERVE(c->reading, c->readings, c->cgroups.slots) < 0) {
		owner_table_remove(&c->cgroups, cgroup);
		return NULL;
	}
	if (cgroup)
		c->reading[cgroup->slot] = (struct memcg_charges_reading){0};
	return cgroup;
}

int memcg_charges_get(struct memcg_charges *c, const char *path, size_t len, uint32_t *ret_slot)
{
	struct scope *cgroup;

	if (!len || !memcg_charges_are_there(c)) {
		*ret_slot = MEMCG_CHARGES_NO_CGROUP;
		return 0;
	}
	cgroup = owner_table_find(&c->cgroups, path, len);
	if (!cgroup)
		cgroup = add_cgroup(c, path, len);
	if (!cgroup)
		return -ENOMEM;
	*ret_slot = cgroup->slot;
	return 0;
}

/*
 * An owner with members in different cgroups is no cgroup. The same holds if one member is in
 * no charged cgroup: the charge of the others' cgroup would not cover all of the owner.
 */
static void settle_owner(struct memcg_charges *c, struct scope *owner, uint32_t cgroup)
{
	if (cgroup != MEMCG_CHARGES_NO_CGROUP)
		c->reading[cgroup].is_wanted = true;
	if (owner->cgroup == MEMCG_CHARGES_UNSETTLED)
		owner->cgroup = cgroup;
	else if (owner->cgroup != cgroup)
		owner->cgroup = MEMCG_CHARGES_AMBIGUOUS;
}

/* Sets which cgroup each owner is, from all members of this pass. */
static void memcg_charges_settle(struct memcg_charges *c, struct owner_sums *t)
{
	for (unsigned int kind = 0; kind < OWNER_KINDS; kind++)
		for (struct scope *s = NULL; (s = owner_table_next(&t->table[kind], s));)
			s->cgroup = MEMCG_CHARGES_UNSETTLED;
	for (uint32_t i = 0; i < c->readings; i++)
		c->reading[i].is_wanted = false;
	for (struct scope *s = NULL; (s = owner_table_next(&t->memberships, s));) {
		const struct membership *m = owner_sums_membership(t, s->slot);

		if (!s->sums.q[SCOPE_PROCESSES])
			continue;
		for (unsigned int kind = 0; kind < OWNER_KINDS; kind++)
			settle_owner(c, owner_table_at(&t->table[kind], m->owner[kind]),
				m->cgroup[kind]);
	}
}

/*
 * Removes unused cgroups. Only memberships without members still have their slots, and
 * owner_sums_tidy() removes those.
 */
static void memcg_charges_sweep(struct memcg_charges *c)
{
	for (struct scope *s = owner_table_next(&c->cgroups, NULL), *next; s; s = next) {
		next = owner_table_next(&c->cgroups, s);
		if (!c->reading[s->slot].is_wanted)
			owner_table_remove(&c->cgroups, s);
	}
}

struct item {
	uint64_t at_ns;
	uint32_t slot;
};

static int memcg_charges_compare_items(const void *a_, const void *b_)
{
	const struct item *a = a_, *b = b_;

	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	return (a->slot > b->slot) - (a->slot < b->slot);
}

static const struct item *item_at(const struct memcg_charges *c, uint32_t i)
{
	return (const struct item *)(const void *)c->order.data + i;
}

static uint32_t memcg_charges_count_of(const struct memcg_charges *c)
{
	return (uint32_t)(c->order.len / sizeof(struct item));
}

/* Orders the cgroups: those never read first, then by age. */
static int memcg_charges_set_order(struct memcg_charges *c, uint64_t period_ns)
{
	uint64_t even = saturate_part(c->cgroups.count, period_ns, MAX_AGE_NS) + 1;
	uint32_t never = 0;

	for (struct scope *s = NULL; (s = owner_table_next(&c->cgroups, s));) {
		struct item item = {c->reading[s->slot].at_ns, s->slot};

		never += !item.at_ns;
		buffer_add(&c->order, &item, sizeof(item));
	}
	if (c->order.error)
		return -ENOMEM;
	if (c->order.len)
		qsort(c->order.data, memcg_charges_count_of(c), sizeof(struct item),
			memcg_charges_compare_items);
	c->least = (uint32_t)saturate_min(memcg_charges_count_of(c), saturate_max(even, never));
	return 0;
}

/* The controller is gone: forgets all readings. */
static void forget_readings(struct memcg_charges *c)
{
	for (uint32_t i = 0; i < c->readings; i++)
		c->reading[i].at_ns = 0;
}

int memcg_charges_begin(
	struct memcg_charges *c, struct owner_sums *t, uint64_t period_ns, uint64_t spare_ns)
{
	memcg_charges_settle(c, t);
	memcg_charges_sweep(c);
	buffer_clear(&c->order);
	memset(c->counts, 0, sizeof(c->counts));
	c->at = c->least = 0;
	c->spare_ns = spare_ns;
	c->spent_ns = 0;
	c->are_counted = memcg_charges_are_there(c) && memcg_mount_open(&c->fs) == 0;
	if (c->are_counted)
		return memcg_charges_set_order(c, period_ns);
	forget_readings(c);
	return 0;
}

bool memcg_charges_step(struct memcg_charges *c)
{
	uint64_t before_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID);
	struct memcg_charges_reading *reading;
	const struct scope *cgroup;

	if (c->at >= memcg_charges_count_of(c) ||
		(c->at >= c->least && c->spent_ns >= c->spare_ns)) {
		memcg_mount_close(&c->fs);
		return false;
	}
	cgroup = owner_table_at(&c->cgroups, item_at(c, c->at++)->slot);
	reading = &c->reading[cgroup->slot];
	reading->outcome = memcg_mount_read(&c->fs, cgroup->key, &reading->charge);
	reading->at_ns = clock_now_ns(CLOCK_BOOTTIME);
	c->spent_ns += clock_now_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns;
	return true;
}

static const enum scope_quantity quantities[MEMCG_STAT_FIELDS] = {
	[MEMCG_STAT_TOTAL] = SCOPE_CGROUP,
	[MEMCG_STAT_ANON] = SCOPE_CGROUP_ANON,
	[MEMCG_STAT_FILE] = SCOPE_CGROUP_FILE,
	[MEMCG_STAT_SHMEM] = SCOPE_CGROUP_SHMEM,
	[MEMCG_STAT_KERNEL] = SCOPE_CGROUP_KERNEL,
	[MEMCG_STAT_SWAP] = SCOPE_CGROUP_SWAP,
	[MEMCG_STAT_PEAK] = SCOPE_CGROUP_PEAK,
	[MEMCG_STAT_OOM_KILLS] = SCOPE_OOM_KILLS,
	[MEMCG_STAT_HIGH_EVENTS] = SCOPE_CGROUP_HIGH_EVENTS,
	[MEMCG_STAT_MAX_EVENTS] = SCOPE_CGROUP_MAX_EVENTS,
	[MEMCG_STAT_WAITED] = SCOPE_MEMORY_WAITING,
	[MEMCG_STAT_STALLED] = SCOPE_MEMORY_STALLED,
};

static void memcg_charges_show(
	const struct memcg_charges_reading *reading, struct scope *owner, uint64_t now_ns)
{
	const struct memcg_stat *charge = &reading->charge;

	for (unsigned int i = 0; i < MEMCG_STAT_FIELDS; i++)
		if (ROW_HAS(charge, i))
			ROW_SET(&owner->sums, quantities[i], charge->q[i]);
	if (charge->present)
		ROW_SET(&owner->sums, SCOPE_CGROUP_AGE, saturate_less(now_ns, reading->at_ns));
}

/* Returns the outcome of reading OWNER's cgroup, CHARGE_OUTCOMES if it was not read yet. */
static enum charge_outcome end_owner(struct memcg_charges *c, struct scope *owner, uint64_t now_ns)
{
	const struct memcg_charges_reading *reading;

	if (owner->cgroup == MEMCG_CHARGES_NO_CGROUP)
		return CHARGE_NONE;
	if (owner->cgroup == MEMCG_CHARGES_AMBIGUOUS)
		return CHARGE_AMBIGUOUS;
	assert(owner->cgroup != MEMCG_CHARGES_UNSETTLED); /* it has members */
	reading = &c->reading[owner->cgroup];
	if (!reading->at_ns)
		return CHARGE_OUTCOMES;
	memcg_charges_show(reading, owner, now_ns);
	return reading->outcome;
}

static bool is_none(const struct scope *owner)
{
	return owner->key_len == strlen(OWNER_NONE) &&
	       !memcmp(owner->key, OWNER_NONE, owner->key_len);
}

void memcg_charges_end(struct memcg_charges *c, struct owner_sums *t, uint64_t now_ns)
{
	for (unsigned int kind = 0; kind < OWNER_KINDS && c->are_counted; kind++) {
		if (!owner_of((enum owner_kind)kind)->is_cgroup)
			continue;
		for (struct scope *s = NULL; (s = owner_table_next(&t->table[kind], s));) {
			enum charge_outcome outcome = CHARGE_OUTCOMES;

			if (s->sums.q[SCOPE_PROCESSES] && !is_none(s))
				outcome = end_owner(c, s, now_ns);
			if (outcome < CHARGE_OUTCOMES)
				c->counts[outcome]++;
		}
	}
}
