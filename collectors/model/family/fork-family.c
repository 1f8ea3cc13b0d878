/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/model/family/fork-families-private.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "collectors/model/family/family-ancestry.h"
#include "collectors/model/family/family-count.h"

/*
 * In .families a lone member stands for its family. The lowest bit of the item tells the two apart.
 */
static void *lone_item(struct family_member *m)
{
	return (char *)m + 1;
}

static struct family_member *item_lone(void *item)
{
	return (uintptr_t)item & 1 ? (struct family_member *)(void *)((char *)item - 1) : NULL;
}

void family_free_all(struct families *k)
{
	while (k->dirty_families) {
		struct fork_family *f = k->dirty_families;

		k->dirty_families = f->next_dirty;
		assert(!f->count);
		free(f);
	}
}

void family_mark(struct families *k, struct fork_family *f)
{
	if (f->is_dirty)
		return;
	f->is_dirty = true;
	f->next_dirty = k->dirty_families;
	k->dirty_families = f;
}

static void family_append(struct fork_family *f, struct family_member *m)
{
	m->family = f;
	m->family_flow = counter_flow_less(f->flow, m->sharer.own);
	m->previous = f->last;
	m->next = NULL;
	if (f->last)
		f->last->next = m;
	else
		f->first = m;
	f->last = m;
	f->count++;
}

static void unlink_from(struct families *k, struct fork_family *f, struct family_member *m)
{
	if (k->next_member == m)
		k->next_member = m->next;
	if (m->previous)
		m->previous->next = m->next;
	else
		f->first = m->next;
	if (m->next)
		m->next->previous = m->previous;
	else
		f->last = m->previous;
	if (f->voice == m)
		f->voice = NULL;
	f->count--;
	f->leaving -= m->is_leaving;
	m->is_leaving = false;
	m->family = NULL;
	m->previous = m->next = NULL;
}

int family_found(struct families *k, struct family_member *m)
{
	struct fork_family *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	f->key = m->key;
	family_append(f, m);
	return keytable_set(&k->families, f->key, f);
}

int family_join(struct families *k, struct family_member *m, uint64_t key)
{
	void *item = keytable_find(&k->families, key);
	struct family_member *lone = item ? item_lone(item) : NULL;
	int r = 0;

	if (!item)
		r = keytable_set(&k->families, key, lone_item(m));
	else if (lone)
		r = family_found(k, lone);
	if (r < 0)
		return r;
	if (item) {
		struct fork_family *f = lone ? lone->family : item;

		family_append(f, m);
		f->found.at_ns = 0;
		family_mark(k, f);
	}
	m->key = key;
	m->serial = m->line = ++k->serial;
	return 0;
}

/*
 * Begins the departures of this pass. Late ones of an earlier pass that are not counted yet are
 * ordinary ones now: they were noticed after that pass had polled all processes, while measurements
 * went on.
 */
static void begin_deaths(const struct families *k, struct fork_family *f)
{
	if (f->deaths_ns == k->listed_ns)
		return;
	f->deaths_ns = k->listed_ns;
	f->deaths += f->late_deaths;
	f->late_deaths = f->ended = 0;
}

void family_leave(struct families *k, struct family_member *m, bool has_ended)
{
	struct fork_family *f = m->family;

	if (!m->key) {
		assert(!m->ancestor);
		return;
	}
	family_ancestry_leave(m);
	if (!f) {
		keytable_remove(&k->families, m->key);
		m->key = 0;
		return;
	}
	cow_suspected_move(&f->suspicion, m->suspected, 0, 0);
	m->suspected = 0;
	cow_breaks_leave(&f->breaks, &m->writer);
	unlink_from(k, f, m);
	begin_deaths(k, f);
	if (k->polled_ns > k->listed_ns) {
		f->late_deaths++;
		f->late_ns = k->measured_ns;
	} else {
		f->deaths++;
	}
	if (has_ended)
		f->ended++;
	else
		f->moved++;
	f->found.at_ns = 0;
	m->key = 0;
	m->is_forked = false;
	if (f->count) {
		family_mark(k, f);
		return;
	}
	keytable_remove(&k->families, f->key);
	f->key = 0;
	if (!f->is_dirty)
		free(f);
}

static void family_settle(struct families *k, struct fork_family *f)
{
	struct family_count_deaths deaths = {.after_ns = k->previous_ns, .until_ns = k->listed_ns};

	begin_deaths(k, f);
	/* Departures are counted once, however often the family is visited in a pass. */
	deaths.count = f->deaths;
	deaths.late = f->late_deaths;
	deaths.late_ns = f->late_ns;
	deaths.moved = f->moved;
	if (family_count_take(&k->count, f->first, f->count, &deaths, &f->oldest_ns) == 0)
		f->deaths = f->late_deaths = f->moved = 0;
}

bool family_next(struct families *k, struct family_member **ret_first)
{
	struct fork_family *f = k->dirty_families;

	*ret_first = NULL;
	if (!f)
		return false;
	k->dirty_families = f->next_dirty;
	f->is_dirty = false;
	if (!f->count) {
		free(f);
		return true;
	}
	family_settle(k, f);
	*ret_first = f->first;
	return true;
}
