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

void family_mark(struct families *f, struct fork_family *family)
{
	if (family->is_dirty)
		return;
	family->is_dirty = true;
	family->next_dirty = f->dirty_families;
	f->dirty_families = family;
}

static void family_append(struct fork_family *family, struct family_member *m)
{
	m->family = family;
	m->family_flow = counter_flow_less(family->flow, m->sharer.own);
	m->previous = family->last;
	m->next = NULL;
	if (family->last)
		family->last->next = m;
	else
		family->first = m;
	family->last = m;
	family->count++;
}

static void unlink_from(struct families *f, struct fork_family *family, struct family_member *m)
{
	if (f->next_member == m)
		f->next_member = m->next;
	if (m->previous)
		m->previous->next = m->next;
	else
		family->first = m->next;
	if (m->next)
		m->next->previous = m->previous;
	else
		family->last = m->previous;
	if (family->voice == m)
		family->voice = NULL;
	family->count--;
	family->leaving -= m->is_leaving;
	m->is_leaving = false;
	m->family = NULL;
	m->previous = m->next = NULL;
}

int family_found(struct families *f, struct family_member *m)
{
	struct fork_family *family = calloc(1, sizeof(*family));

	if (!family)
		return -ENOMEM;
	family->key = m->key;
	family_append(family, m);
	return keytable_set(&f->families, family->key, family);
}

/*
 * Makes M, which has no key, a member of the family of KEY, or the only process with KEY. Returns
 * 0, or -ENOMEM: then M has no key.
 */
static int family_join(struct families *f, struct family_member *m, uint64_t key)
{
	void *item = keytable_find(&f->families, key);
	struct family_member *lone = item ? item_lone(item) : NULL;
	int r = 0;

	if (!item)
		r = keytable_set(&f->families, key, lone_item(m));
	else if (lone)
		r = family_found(f, lone);
	if (r < 0)
		return r;
	if (item) {
		struct fork_family *family = lone ? lone->family : item;

		family_append(family, m);
		family->found.at_ns = 0;
		family_mark(f, family);
	}
	m->key = key;
	m->serial = m->line = ++f->serial;
	return 0;
}

/*
 * Begins the departures of this pass. Late ones of an earlier pass that are not counted yet are
 * ordinary ones now: they were noticed after that pass had polled all processes, while measurements
 * went on.
 */
static void begin_deaths(const struct families *f, struct fork_family *family)
{
	if (family->deaths_ns == f->listed_ns)
		return;
	family->deaths_ns = f->listed_ns;
	family->deaths.count += family->deaths.late;
	family->deaths.late = family->ended = 0;
}

/*
 * Takes M out of its family, if it has one, and from its parent. HAS_ENDED: M has exited or
 * executed another program; else it goes to another family.
 */
static void family_leave(struct families *f, struct family_member *m, bool has_ended)
{
	struct fork_family *family = m->family;

	if (!m->key) {
		assert(!m->ancestor);
		return;
	}
	family_ancestry_leave(m);
	if (!family) {
		keytable_remove(&f->families, m->key);
		m->key = 0;
		return;
	}
	cow_breaks_suspect(&family->breaks, m->suspected, 0, 0);
	m->suspected = 0;
	cow_breaks_leave(&family->breaks, &m->writer);
	unlink_from(f, family, m);
	begin_deaths(f, family);
	if (f->polled_ns > f->listed_ns) {
		family->deaths.late++;
		family->deaths.late_ns = f->measured_ns;
	} else {
		family->deaths.count++;
	}
	if (has_ended)
		family->ended++;
	else
		family->deaths.moved++;
	family->found.at_ns = 0;
	m->key = 0;
	m->is_forked = false;
	if (family->count) {
		family_mark(f, family);
		return;
	}
	keytable_remove(&f->families, family->key);
	family->key = 0;
	if (!family->is_dirty)
		free(family);
}

/* Counts the next marked family, of which .next_member becomes the first. */
static void count_next(struct families *f)
{
	struct fork_family *family = f->dirty_families;

	f->dirty_families = family->next_dirty;
	family->is_dirty = false;
	if (!family->count) {
		free(family);
		return;
	}
	begin_deaths(f, family);
	family->deaths.after_ns = f->previous_ns;
	family->deaths.until_ns = f->listed_ns;
	family_count_take(&f->count, family);
	f->next_member = family->first;
}

void families_init(struct families *f, uint64_t seed)
{
	*f = (struct families){.families.seed = seed, .objects.seed = seed};
}

void families_done(struct families *f)
{
	while (f->dirty_families) {
		struct fork_family *family = f->dirty_families;

		f->dirty_families = family->next_dirty;
		assert(!family->count);
		free(family);
	}
	keytable_done(&f->families);
	keytable_done(&f->objects);
	free(f->count.number);
	free(f->measured);
	*f = (struct families){0};
}

void families_begin(struct families *f, uint64_t now_ns)
{
	f->previous_ns = f->listed_ns;
	f->listed_ns = now_ns;
}

/*
 * Returns when M was measured, as a part of the time between the polls before and after it: 0 is
 * .polled_ns, MAPPED_OBJECTS_PART is NOW_NS.
 */
static uint32_t part_of_time(
	const struct families *f, const struct family_member *m, uint64_t now_ns)
{
	return (uint32_t)saturate_min(
		saturate_part(saturate_less(m->measured_ns, f->polled_ns), MAPPED_OBJECTS_PART,
			saturate_less(now_ns, f->polled_ns)),
		MAPPED_OBJECTS_PART);
}

void families_polled(struct families *f, uint64_t now_ns)
{
	for (size_t i = 0; i < f->measured_count; i++) {
		struct families_measured *measured = &f->measured[i];

		if (!measured->member)
			continue;
		mapped_objects_settle(&measured->member->sharer,
			part_of_time(f, measured->member, now_ns), &measured->lesson);
		if (measured->member->unseen)
			family_mark(f, measured->member->family);
	}
	f->measured_count = 0;
	/* The first pass measures all processes, later passes measure few. */
	if (f->measured_capacity > MEASURED_KEPT) {
		free(f->measured);
		f->measured = NULL;
		f->measured_capacity = 0;
	}
	f->polled_ns = now_ns;
}

int families_born(
	struct families *f, struct family_member *m, struct family_member *parent, uint64_t born_ns)
{
	struct family_ancestor *ancestor;
	int r;

	*m = (struct family_member){.born_ns = born_ns};
	if (!parent || !parent->key)
		return 0;
	ancestor = family_ancestry_begin(parent);
	if (!ancestor)
		return -ENOMEM;
	r = family_join(f, m, parent->key);
	if (r < 0)
		return r;
	m->is_forked = true;
	m->ancestor = family_ancestry_use(ancestor);
	return 0;
}

void families_executed(struct families *f, struct family_member *m)
{
	if (m->sharer.is_open)
		f->measured[m->measured_at].member = NULL;
	mapped_objects_end(&f->objects, &m->sharer);
	family_leave(f, m, true);
	/* The time of the exec is not known. It may have been noticed in this pass, or after this
	 * pass began (.listed_ns). In the pass before (.previous_ns) the former image was certainly
	 * there, so the new one is younger. */
	*m = (struct family_member){
		.born_ns = m->born_ns, .image_ns = f->previous_ns ? f->previous_ns + 1 : 0};
}

void families_gone(struct families *f, struct family_member *m)
{
	families_executed(f, m);
	m->image_ns = 0;
}

void families_leaves(struct families *f, struct family_member *m)
{
	families_unmeasured(m);
	if (m->is_leaving || !m->family)
		return;
	m->is_leaving = true;
	m->family->leaving++;
	family_mark(f, m->family);
}

struct family_member *families_affected(struct families *f)
{
	while (f->next_member || f->dirty_families) {
		struct family_member *m = f->next_member;

		if (!m) {
			count_next(f);
			continue;
		}
		f->next_member = m->next;
		if (m->measured_ns)
			return m;
	}
	return NULL;
}

/* The sharers of M are known when all processes have been polled again, in the next pass. */
static void open_sharer(
	struct families *f, struct family_member *m, const struct mapped_objects_lesson *lesson)
{
	if (f->measured_count == f->measured_capacity) {
		size_t capacity = 2 * f->measured_capacity + 64;
		struct families_measured *measured = reallocarray(
			f->measured, capacity, sizeof(*measured));

		if (!measured) {
			mapped_objects_settle(&m->sharer, 0, lesson);
			return;
		}
		f->measured = measured;
		f->measured_capacity = capacity;
	}
	m->measured_at = (uint32_t)f->measured_count & (INT32_MAX >> 3);
	f->measured[f->measured_count++] = (struct families_measured){m, *lesson};
}

void families_inherits(struct family_member *m, const struct share_count_outside *outside)
{
	m->outside = *outside;
}

int families_measured(struct families *f, struct family_member *m, uint64_t range_start,
	uint64_t range_end, const struct estimate_base *before, const struct estimate_base *found,
	uint64_t now_ns)
{
	uint64_t key = keytable_key(&f->families, range_start, range_end);
	struct mapped_objects_lesson lesson;
	bool is_stranger, is_open;
	int r = 0;

	if (m->key && m->key != key)
		family_leave(f, m, false);
	is_stranger = !m->key;
	if (before && m->measured_ns)
		family_findings_tell(f, m, before, found, now_ns);
	families_suspect(m, 0, 0);
	m->measured_ns = now_ns;
	m->then = m->kept = 1;
	m->fresh = m->early = m->children = m->strays = m->unsure = 0;
	m->leaving = m->unseen = m->gone = m->lasting = m->departed = 0;
	f->measured_ns = now_ns;
	is_open = m->sharer.is_open;
	lesson = mapped_objects_measured(&m->sharer, before, found);
	if (!is_open)
		open_sharer(f, m, &lesson);
	if (!m->key)
		r = family_join(f, m, key);
	m->seen = f->serial;
	if (!m->family)
		return r < 0 ? r : family_findings_count(f, m, found);
	if (is_stranger && f->previous_ns && m->born_ns > f->previous_ns)
		counter_flow_add(&m->family->flow, &m->sharer.own);
	m->family_flow = counter_flow_less(m->family->flow, m->sharer.own);
	m->then = m->kept = m->family->count;
	if (m->family->leaving)
		family_mark(f, m->family);
	if (m->is_forked)
		m->family->voice = m;
	return family_findings_count(f, m, found);
}

int families_departs(
	struct families *f, const struct family_member *m, struct family_member *parent)
{
	int r = 0;

	if (!parent->key || parent->key == m->key || !parent->measured_ns ||
		parent->measured_ns > m->born_ns)
		return 0;
	if (!parent->family)
		r = family_found(f, parent);
	if (r < 0)
		return r;
	parent->departed++;
	family_mark(f, parent->family);
	return 0;
}

void families_unmeasured(struct family_member *m)
{
	if (m->family && m->family->voice == m)
		m->family->voice = NULL;
	families_suspect(m, 0, 0);
	m->measured_ns = 0;
}

int families_mapped(struct families *f, struct family_member *m, const struct maps_object *list,
	size_t count, const struct estimate_base *base)
{
	bool was_there = !f->previous_ns || saturate_max(m->born_ns, m->image_ns) <= f->previous_ns;

	bool is_open = m->sharer.is_open;
	int r = mapped_objects_map(&f->objects, &m->sharer, list, count, base, was_there);

	if (r == 0 && !is_open)
		open_sharer(f, m, &(struct mapped_objects_lesson){0});
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
	return parent && parent->measured_ns ? parent : voice;
}
