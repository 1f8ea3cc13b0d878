/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Families, their members, and the events that change them.
 *
 * A member remembers how many members its family had at its measurement (.then), and their highest
 * serial (.seen). Of these, the ones with a serial up to .seen are left. A member that became known
 * later either was there as well, if it was born before the measurement (from then on it counts
 * so), or is fresh. So an event only puts a family on a list; one walk over each listed family,
 * once a pass, does the counting.
 */
#include "config.h"

#include "collectors/model/family/fork-families.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/saturate.h"
#include "collectors/model/family/fork-families-private.h"
#include "collectors/model/object-share.h"
#include "collectors/model/share-count.h"

enum {
	/* Room that is kept in .measured from one pass to the next. */
	MEASURED_KEPT = 1024,
};

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

/*
 * Makes M, which has no key, a member of the family of KEY, or the only process with KEY. Returns
 * 0, or -ENOMEM: then M has no key.
 */
static int family_join(struct families *k, struct family_member *m, uint64_t key)
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
	f->deaths.count += f->deaths.late;
	f->deaths.late = f->ended = 0;
}

/*
 * Takes M out of its family, if it has one, and from its parent. HAS_ENDED: M has exited or
 * executed another program; else it goes to another family.
 */
static void family_leave(struct families *k, struct family_member *m, bool has_ended)
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
	cow_breaks_suspect(&f->breaks, m->suspected, 0, 0);
	m->suspected = 0;
	cow_breaks_leave(&f->breaks, &m->writer);
	unlink_from(k, f, m);
	begin_deaths(k, f);
	if (k->polled_ns > k->listed_ns) {
		f->deaths.late++;
		f->deaths.late_ns = k->measured_ns;
	} else {
		f->deaths.count++;
	}
	if (has_ended)
		f->ended++;
	else
		f->deaths.moved++;
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

/* Counts the next marked family, of which .next_member becomes the first. */
static void count_next(struct families *k)
{
	struct fork_family *f = k->dirty_families;

	k->dirty_families = f->next_dirty;
	f->is_dirty = false;
	if (!f->count) {
		free(f);
		return;
	}
	begin_deaths(k, f);
	f->deaths.after_ns = k->previous_ns;
	f->deaths.until_ns = k->listed_ns;
	family_count_take(&k->count, f);
	k->next_member = f->first;
}

void families_init(struct families *k, uint64_t seed)
{
	*k = (struct families){.families.seed = seed, .objects.seed = seed};
}

void families_done(struct families *k)
{
	while (k->dirty_families) {
		struct fork_family *f = k->dirty_families;

		k->dirty_families = f->next_dirty;
		assert(!f->count);
		free(f);
	}
	keytable_done(&k->families);
	keytable_done(&k->objects);
	free(k->count.number);
	free(k->measured);
	*k = (struct families){0};
}

void families_begin(struct families *k, uint64_t now_ns)
{
	k->previous_ns = k->listed_ns;
	k->listed_ns = now_ns;
}

/*
 * Returns when M was measured, as a part of the time between the polls before and after it: 0 is
 * .polled_ns, MAPPED_OBJECTS_PART is NOW_NS.
 */
static uint32_t part_of_time(
	const struct families *k, const struct family_member *m, uint64_t now_ns)
{
	return (uint32_t)saturate_min(
		saturate_part(saturate_less(m->measured_ns, k->polled_ns), MAPPED_OBJECTS_PART,
			saturate_less(now_ns, k->polled_ns)),
		MAPPED_OBJECTS_PART);
}

void families_polled(struct families *k, uint64_t now_ns)
{
	for (size_t i = 0; i < k->measured_count; i++) {
		struct families_measured *d = &k->measured[i];

		if (!d->member)
			continue;
		mapped_objects_settle(
			&d->member->sharer, part_of_time(k, d->member, now_ns), &d->lesson);
		if (d->member->unseen)
			family_mark(k, d->member->family);
	}
	k->measured_count = 0;
	/* The first pass measures all processes, later passes measure few. */
	if (k->measured_capacity > MEASURED_KEPT) {
		free(k->measured);
		k->measured = NULL;
		k->measured_capacity = 0;
	}
	k->polled_ns = now_ns;
}

int families_born(
	struct families *k, struct family_member *m, struct family_member *parent, uint64_t born_ns)
{
	struct family_ancestor *ancestor;
	int r;

	*m = (struct family_member){.born_ns = born_ns};
	if (!parent || !parent->key)
		return 0;
	ancestor = family_ancestry_begin(parent);
	if (!ancestor)
		return -ENOMEM;
	r = family_join(k, m, parent->key);
	if (r < 0)
		return r;
	m->is_forked = true;
	m->ancestor = family_ancestry_use(ancestor);
	return 0;
}

void families_executed(struct families *k, struct family_member *m)
{
	if (m->sharer.is_open)
		k->measured[m->measured_at].member = NULL;
	mapped_objects_end(&k->objects, &m->sharer);
	family_leave(k, m, true);
	/* The time of the exec is not known. It may have been noticed in this pass, or after this
	 * pass began (.listed_ns). In the pass before (.previous_ns) the former image was certainly
	 * there, so the new one is younger. */
	*m = (struct family_member){
		.born_ns = m->born_ns, .image_ns = k->previous_ns ? k->previous_ns + 1 : 0};
}

void families_gone(struct families *k, struct family_member *m)
{
	families_executed(k, m);
	m->image_ns = 0;
}

void families_leaves(struct families *k, struct family_member *m)
{
	families_unmeasured(m);
	if (m->is_leaving || !m->family)
		return;
	m->is_leaving = true;
	m->family->leaving++;
	family_mark(k, m->family);
}

struct family_member *families_affected(struct families *k)
{
	while (k->next_member || k->dirty_families) {
		struct family_member *m = k->next_member;

		if (!m) {
			count_next(k);
			continue;
		}
		k->next_member = m->next;
		if (m->measured_ns)
			return m;
	}
	return NULL;
}

/* The sharers of M are known when all processes have been polled again, in the next pass. */
static void open_sharer(
	struct families *k, struct family_member *m, const struct mapped_objects_lesson *lesson)
{
	if (k->measured_count == k->measured_capacity) {
		size_t capacity = 2 * k->measured_capacity + 64;
		struct families_measured *measured = reallocarray(
			k->measured, capacity, sizeof(*measured));

		if (!measured) {
			mapped_objects_settle(&m->sharer, 0, lesson);
			return;
		}
		k->measured = measured;
		k->measured_capacity = capacity;
	}
	m->measured_at = (uint32_t)k->measured_count & (INT32_MAX >> 3);
	k->measured[k->measured_count++] = (struct families_measured){m, *lesson};
}

void families_inherits(struct family_member *m, const struct share_count_outside *outside)
{
	m->outside = *outside;
}

int families_measured(struct families *k, struct family_member *m, uint64_t range_start,
	uint64_t range_end, const struct estimate_base *before, const struct estimate_base *found,
	uint64_t now_ns)
{
	uint64_t key = keytable_key(&k->families, range_start, range_end);
	struct mapped_objects_lesson lesson = {0};
	bool is_stranger, is_open;
	int r = 0;

	if (m->key && m->key != key)
		family_leave(k, m, false);
	is_stranger = !m->key;
	if (before && m->measured_ns)
		family_findings_tell(k, m, before, found, now_ns);
	families_suspect(m, 0, 0);
	m->is_again = families_is_newborn(m) && m->measured_ns >= k->previous_ns;
	m->measured_ns = now_ns;
	m->then = m->kept = 1;
	m->fresh = m->early = m->children = m->strays = m->unsure = 0;
	m->leaving = m->unseen = m->gone = m->lasting = m->departed = 0;
	k->measured_ns = now_ns;
	is_open = m->sharer.is_open;
	if (before)
		lesson = mapped_objects_lesson(&m->sharer, before, found);
	mapped_objects_measured(&m->sharer, found);
	if (!is_open)
		open_sharer(k, m, &lesson);
	if (!m->key)
		r = family_join(k, m, key);
	m->seen = k->serial;
	if (!m->family)
		return r < 0 ? r : family_findings_count(k, m, found);
	if (is_stranger && k->previous_ns && m->born_ns > k->previous_ns)
		counter_flow_add(&m->family->flow, &m->sharer.own);
	m->family_flow = counter_flow_less(m->family->flow, m->sharer.own);
	m->then = m->kept = m->family->count;
	if (m->family->leaving)
		family_mark(k, m->family);
	if (m->is_forked)
		m->family->voice = m;
	return family_findings_count(k, m, found);
}

int families_departs(
	struct families *k, const struct family_member *m, struct family_member *parent)
{
	int r = 0;

	if (!parent->key || parent->key == m->key || !parent->measured_ns ||
		parent->measured_ns > m->born_ns)
		return 0;
	if (!parent->family)
		r = family_found(k, parent);
	if (r < 0)
		return r;
	parent->departed++;
	family_mark(k, parent->family);
	return 0;
}

void families_unmeasured(struct family_member *m)
{
	if (m->family && m->family->voice == m)
		m->family->voice = NULL;
	families_suspect(m, 0, 0);
	m->measured_ns = 0;
}

int families_mapped(struct families *k, struct family_member *m, const struct maps_object *list,
	size_t count, const struct estimate_base *base)
{
	bool was_there = !k->previous_ns || saturate_max(m->born_ns, m->image_ns) <= k->previous_ns;

	bool is_open = m->sharer.is_open;
	int r = mapped_objects_map(&k->objects, &m->sharer, list, count, base, was_there);

	if (r == 0 && !is_open)
		open_sharer(k, m, &(struct mapped_objects_lesson){0});
	return r;
}

void families_moved(struct family_member *m, uint64_t before, uint64_t now)
{
	const struct counter_flow f = counter_flow_between(before, now);
	const struct family_member *parent = family_ancestry_parent(m);

	if (before == now)
		return;
	mapped_objects_moved(&m->sharer, parent ? &parent->sharer : NULL, before, now);
	if (m->family)
		counter_flow_add(&m->family->flow, &f);
}

bool families_stirred(const struct family_member *m, const struct estimate_base *base,
	const struct estimate_now *now, struct estimate_doubt *ret)
{
	struct counter_flow rest = {0, 0};

	if (m->family)
		rest = counter_flow_less(
			counter_flow_less(m->family->flow, m->sharer.own), m->family_flow);
	return object_share_doubt(&m->sharer, base, now, &rest, ret);
}

struct family_member *families_speaker(const struct family_member *m)
{
	struct family_member *voice = m->family ? m->family->voice : NULL;
	struct family_member *parent = family_ancestry_parent(m);

	if (voice && voice->measured_ns >= m->born_ns)
		return voice;
	if (parent && parent->measured_ns)
		return parent;
	for (unsigned int i = 0; !voice && i < FAMILY_ANCESTRY_GENERATIONS && m->previous; i++) {
		m = m->previous;
		voice = m->measured_ns ? (struct family_member *)m : NULL;
	}
	return voice;
}
