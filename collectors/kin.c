/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process remembers how many its family had when it was measured, and up to which serial. Those
 * with a serial up to that who are still there are what is left of them; who became known later was
 * there as well if it was born before (and counts as such from then on), or is fresh. So an event need
 * do no more than put a family on a list; the counting is one walk over those on it, once a pass.
 *
 * A lone process has no family: most have none, and one costs as much as a process does.
 */
#include "config.h"

#include "collectors/kin.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "collectors/aftermath.h"
#include "collectors/amount.h"
#include "collectors/degree.h"

enum {
	/* Ancestors that are told of a birth; more are not in one family between two passes. */
	GENERATIONS = 8,
	/* Start times are in these, rounded down. */
	TICK_NS = 10000000,
};

/* What the measurement of one found against what was guessed; valid until the next event. */
struct kin_found {
	uint64_t at_ns; /* 0: nothing; corrects those who were measured earlier */
	uint32_t anon, file;
};

struct kin_family {
	uint64_t key; /* 0: it is out of the table, and freed when it leaves the list */
	struct kin_member *first, *last;
	struct kin_family *next_dirty;
	struct kin_member *voice; /* the last of those born in it to be measured */
	struct kin_found found;
	struct kin_flow flow; /* of all that were ever in it */
	uint64_t broken;      /* bytes, by all that were ever found */
	uint64_t broken_ns;   /* those measured later know */
	uint64_t deaths_ns;   /* the pass in which .deaths were noticed */
	uint32_t deaths;
	uint32_t count;
	bool is_dirty;
};

struct kin_link {
	struct kin_segment *segment;
	struct kin_member *member;
	struct kin_link *previous, *next; /* of the segment */
	uint32_t pages;                   /* of KIN_FLOW_UNIT, that the member maps of it */
	uint32_t exits;                   /* the segment's when the member was measured */
	struct kin_flow flow;             /* the others' of the segment then */
};

struct kin_segment {
	uint64_t key;
	struct kin_link *first;
	struct kin_segment *next_dirty;
	struct kin_found found;
	struct kin_flow flow; /* of all who ever mapped it, and who came to or ended unheard */
	uint64_t bytes;       /* the most that one maps of it */
	uint32_t count;
	uint32_t exits;   /* ever; wraps */
	uint32_t unheard; /* of those, since its members were visited last */
	bool is_dirty;
};

static uint64_t link_bytes(const struct kin_link *l)
{
	return (uint64_t)l->pages * KIN_FLOW_UNIT;
}

/* What of ALL is not OWN; differences of these are what counts. */
static struct kin_flow flow_of_others(const struct kin_flow *all, const struct kin_flow *own)
{
	return (struct kin_flow){all->lost - own->lost, all->gained - own->gained};
}

/* What others did of ALL since it was THEN. */
static struct kin_flow flow_since(
	const struct kin_flow *all, const struct kin_flow *own, const struct kin_flow *then)
{
	struct kin_flow others = flow_of_others(all, own);

	return (struct kin_flow){others.lost - then->lost, others.gained - then->gained};
}

static uint32_t flow_units(uint64_t bytes)
{
	return (uint32_t)amount_min(bytes / KIN_FLOW_UNIT, UINT32_MAX);
}

static void flow_add(struct kin_flow *to, const struct kin_flow *f)
{
	to->lost += f->lost;
	to->gained += f->gained;
}

/* In .families a lone member stands for its family, told by the lowest bit. */
static void *lone_item(struct kin_member *m)
{
	return (char *)m + 1;
}

static struct kin_member *item_lone(void *item)
{
	return (uintptr_t)item & 1 ? (struct kin_member *)(void *)((char *)item - 1) : NULL;
}

void kin_init(struct kin *k, uint64_t seed)
{
	*k = (struct kin){.families.seed = seed, .segments.seed = seed};
}

void kin_done(struct kin *k)
{
	while (k->dirty_families) {
		struct kin_family *f = k->dirty_families;

		k->dirty_families = f->next_dirty;
		assert(!f->count);
		free(f);
	}
	while (k->dirty_segments) {
		struct kin_segment *s = k->dirty_segments;

		k->dirty_segments = s->next_dirty;
		assert(!s->count);
		free(s);
	}
	keytable_done(&k->families);
	keytable_done(&k->segments);
	free(k->scratch);
	*k = (struct kin){0};
}

void kin_begin(struct kin *k, uint64_t now_ns)
{
	k->previous_ns = k->listed_ns;
	k->listed_ns = now_ns;
}

static void family_mark(struct kin *k, struct kin_family *f)
{
	if (f->is_dirty)
		return;
	f->is_dirty = true;
	f->next_dirty = k->dirty_families;
	k->dirty_families = f;
}

static void segment_mark(struct kin *k, struct kin_segment *s)
{
	if (s->is_dirty)
		return;
	s->is_dirty = true;
	s->next_dirty = k->dirty_segments;
	k->dirty_segments = s;
}

static void family_append(struct kin_family *f, struct kin_member *m)
{
	m->family = f;
	m->family_flow = flow_of_others(&f->flow, &m->own);
	m->previous = f->last;
	m->next = NULL;
	if (f->last)
		f->last->next = m;
	else
		f->first = m;
	f->last = m;
	f->count++;
}

/* Makes M one of KEY's family. */
static int join(struct kin *k, struct kin_member *m, uint64_t key)
{
	void *item = keytable_find(&k->families, key);
	struct kin_member *lone = item ? item_lone(item) : NULL;
	struct kin_family *f = item;

	if (!item) {
		int r = keytable_set(&k->families, key, lone_item(m));

		if (r < 0)
			return r;
	} else {
		if (lone) {
			f = calloc(1, sizeof(*f));
			if (!f)
				return -ENOMEM;
			f->key = key;
			family_append(f, lone);
			keytable_set(&k->families, key, f);
		}
		family_append(f, m);
		f->found.at_ns = 0;
		family_mark(k, f);
	}
	m->key = key;
	m->serial = m->line = ++k->serial;
	return 0;
}

/* M's children go to its parent. */
static void leave_children(struct kin_member *m)
{
	struct kin_member *parent = m->parent;

	for (struct kin_member *c = m->dependants ? m->family->first : NULL; c; c = c->next) {
		if (c->parent != m)
			continue;
		c->parent = parent;
		c->line = amount_min(c->line, m->line);
		m->dependants--;
		if (parent)
			parent->dependants++;
	}
	assert(!m->dependants);
	m->parent = NULL;
	if (parent)
		parent->dependants--;
}

static void leave(struct kin *k, struct kin_member *m)
{
	struct kin_family *f = m->family;

	if (!m->key)
		return;
	if (k->next_member == m)
		k->next_member = m->next;
	if (!f) {
		keytable_remove(&k->families, m->key);
		m->key = 0;
		return;
	}
	leave_children(m);
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
	f->found.at_ns = 0;
	if (f->deaths_ns != k->listed_ns) {
		f->deaths_ns = k->listed_ns;
		f->deaths = 0;
	}
	f->deaths++;
	m->family = NULL;
	m->previous = m->next = NULL;
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

int kin_born(struct kin *k, struct kin_member *m, struct kin_member *parent, uint64_t born_ns)
{
	int r;

	*m = (struct kin_member){.born_ns = born_ns};
	if (!parent || !parent->key)
		return 0;
	r = join(k, m, parent->key);
	if (r < 0)
		return r;
	m->is_forked = true;
	m->parent = parent;
	parent->dependants++;
	return 0;
}

static void link_remove(struct kin *k, struct kin_link *l)
{
	struct kin_segment *s = l->segment;

	if (k->next_link == l)
		k->next_link = l->next;
	if (l->previous)
		l->previous->next = l->next;
	else
		s->first = l->next;
	if (l->next)
		l->next->previous = l->previous;
	s->count--;
	if (s->count)
		return;
	keytable_remove(&k->segments, s->key);
	if (!s->is_dirty)
		free(s);
}

/* L's sharer is going, which had FILE. Its others are visited once that is something to one of them. */
static void segment_exit(struct kin *k, const struct kin_link *l, uint64_t file)
{
	struct kin_segment *s = l->segment;
	uint64_t left = s->count - 1;

	s->exits++;
	s->unheard++;
	s->found.at_ns = 0;
	/* 1 / left - 1 / (left + unheard) of it. */
	if (left && amount_part(s->bytes, s->unheard, left * (left + s->unheard)) >= KIN_UNHEARD)
		segment_mark(k, s);
	if (!s->is_dirty)
		s->flow.lost += flow_units(amount_min(file, link_bytes(l)));
}

void kin_executed(struct kin *k, struct kin_member *m)
{
	for (unsigned int i = 0; i < m->link_count; i++) {
		segment_exit(k, &m->links[i], m->mapped_file);
		link_remove(k, &m->links[i]);
	}
	free(m->links);
	leave(k, m);
	*m = (struct kin_member){.born_ns = m->born_ns};
}

void kin_gone(struct kin *k, struct kin_member *m)
{
	kin_executed(k, m);
}

/* How many of COUNT numbers that do not fall are at most LIMIT. */
static uint32_t count_up_to(const uint64_t *number, uint32_t count, uint64_t limit)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (number[middle] <= limit)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool scratch_reserve(struct kin *k, size_t count)
{
	uint64_t *scratch;

	if (count <= k->scratch_count)
		return true;
	count += count / 4;
	scratch = reallocarray(k->scratch, count, sizeof(*scratch));
	if (!scratch)
		return false;
	k->scratch = scratch;
	k->scratch_count = count;
	return true;
}

/*
 * Counts for each member who was there, and who came. Births are noticed roughly in their order: who
 * became known after one that was born too late is taken to be fresh as well.
 */
static void count_members(struct kin *k, struct kin_family *f)
{
	uint64_t *serial = k->scratch, *born = k->scratch + f->count, latest = 0;
	uint32_t i = 0;

	for (struct kin_member *m = f->first; m; m = m->next, i++) {
		latest = amount_max(latest, m->born_ns);
		serial[i] = m->serial;
		born[i] = latest;
		m->children = 0;
	}
	for (struct kin_member *m = f->first; m; m = m->next) {
		uint32_t known, there, early;

		if (!m->measured_ns)
			continue;
		known = count_up_to(serial, f->count, m->seen);
		there = count_up_to(born, f->count, amount_less(m->measured_ns, TICK_NS));
		if (there > known) {
			m->then += there - known;
			m->seen = serial[there - 1];
			known = there;
		}
		m->kept = known;
		m->fresh = f->count - known;
		early = count_up_to(born, f->count, m->measured_ns);
		early = early > known ? early - known : 0;
		/* Those gone again its measurement may have seen; the mean tells. */
		if (early < m->early)
			m->then += m->early - early;
		m->early = early;
		if (m->measured_ns > k->previous_ns && f->deaths_ns == k->listed_ns)
			m->unsure += f->deaths;
	}
}

/* Whose own memory a newborn has: that of every ancestor who had been measured before this line began. */
static void count_children(const struct kin_family *f)
{
	for (struct kin_member *m = f->first; m; m = m->next) {
		const struct kin_member *child = m;
		struct kin_member *a = m->parent;

		for (unsigned int i = 0; a && i < GENERATIONS; i++) {
			if (child->line > a->seen)
				a->children++;
			child = a;
			a = a->parent;
		}
	}
}

/* Without memory for the counting: nobody died but those who are missing, and who is new was born. */
static void count_roughly(const struct kin_family *f)
{
	for (struct kin_member *m = f->first; m; m = m->next) {
		m->kept = m->then < f->count ? m->then : f->count;
		m->fresh = f->count - m->kept;
		m->early = m->children = 0;
	}
}

static void family_settle(struct kin *k, struct kin_family *f)
{
	if (!scratch_reserve(k, 2 * (size_t)f->count)) {
		count_roughly(f);
		return;
	}
	count_members(k, f);
	count_children(f);
}

static bool next_family(struct kin *k)
{
	struct kin_family *f = k->dirty_families;

	if (!f)
		return false;
	k->dirty_families = f->next_dirty;
	f->is_dirty = false;
	if (!f->count) {
		free(f);
		return true;
	}
	family_settle(k, f);
	k->next_member = f->first;
	return true;
}

static bool next_segment(struct kin *k)
{
	struct kin_segment *s = k->dirty_segments;

	if (!s)
		return false;
	k->dirty_segments = s->next_dirty;
	s->is_dirty = false;
	s->unheard = 0;
	if (!s->count) {
		free(s);
		return true;
	}
	k->next_link = s->first;
	return true;
}

struct kin_member *kin_affected(struct kin *k)
{
	do {
		while (k->next_member) {
			struct kin_member *m = k->next_member;

			k->next_member = m->next;
			if (m->measured_ns)
				return m;
		}
		while (k->next_link) {
			struct kin_link *l = k->next_link;

			k->next_link = l->next;
			if (l->member->measured_ns && l->exits != l->segment->exits)
				return l->member;
		}
	} while (next_family(k) || next_segment(k));
	return NULL;
}

static struct degree_change change_of(const struct kin_member *m)
{
	uint32_t members = m->then ? m->then : 1, kept = m->kept ? m->kept : 1;
	struct degree_change c = {.members = members, .born = m->fresh, .early = m->early};

	c.dead = members - (kept < members ? kept : members);
	c.unsure = m->unsure < c.dead ? m->unsure : c.dead;
	c.own = m->children < c.born ? m->children : c.born;
	return c;
}

/* What all of FOUND corrects is older than it. */
static bool is_heard(const struct kin_found *f, const struct kin_member *m)
{
	return f->at_ns > m->measured_ns;
}

static struct aftermath aftermath_of(const struct kin_member *m)
{
	bool heard = m->family && is_heard(&m->family->found, m);
	struct aftermath a;

	/* Not all of it: segments are many and seldom. */
	a.family = change_of(m);
	a.anon = heard ? m->family->found.anon : DEGREE_AS_GUESSED;
	a.file = heard ? m->family->found.file : DEGREE_AS_GUESSED;
	a.segments = 0;
	for (unsigned int i = 0; i < m->link_count; i++) {
		const struct kin_segment *s = m->links[i].segment;
		uint32_t exits = s->exits - m->links[i].exits;

		if (exits)
			a.segment[a.segments++] = (struct aftermath_segment){
				.bytes = link_bytes(&m->links[i]),
				.gone = {.members = s->count + exits, .dead = exits},
				.correction = is_heard(&s->found, m) ? s->found.file
			                                             : DEGREE_AS_GUESSED,
			};
	}
	return a;
}

bool kin_doubt(const struct kin_member *m, const struct estimate_base *base,
	const struct estimate_now *now, struct estimate_doubt *ret)
{
	struct aftermath a = aftermath_of(m);

	*ret = (struct estimate_doubt){0};
	if (!aftermath_has_family(&a) && !a.segments)
		return false;
	aftermath_doubt(&a, base, now, ret);
	return true;
}

/* Lets what was found of M, measured just now, correct those with whom it shared the doubt. */
static void tell(struct kin *k, struct kin_member *m, const struct estimate_base *before,
	const struct estimate_base *found, uint64_t now_ns)
{
	struct aftermath a = aftermath_of(m);
	struct kin_found f = {.at_ns = now_ns};

	if (!aftermath_compare(&a, before, found, &f.anon, &f.file))
		return;
	if (m->family && aftermath_has_family(&a)) {
		m->family->found = f;
		family_mark(k, m->family);
	}
	for (unsigned int i = 0; i < m->link_count; i++) {
		struct kin_segment *s = m->links[i].segment;

		if (m->links[i].exits != s->exits) {
			s->found = f;
			segment_mark(k, s);
		}
	}
}

int kin_measured(struct kin *k, struct kin_member *m, uint64_t range_start, uint64_t range_end,
	const struct estimate_base *before, const struct estimate_base *found, uint64_t now_ns)
{
	uint64_t key = keytable_key(&k->families, range_start, range_end);
	bool is_stranger;
	int r = 0;

	if (m->key && m->key != key)
		leave(k, m);
	is_stranger = !m->key;
	if (before && m->measured_ns)
		tell(k, m, before, found, now_ns);
	m->measured_ns = now_ns;
	m->then = m->kept = 1;
	m->fresh = m->early = m->children = m->unsure = 0;
	for (unsigned int i = 0; i < m->link_count; i++) {
		struct kin_link *l = &m->links[i];

		l->exits = l->segment->exits;
		l->flow = flow_of_others(&l->segment->flow, &m->own);
	}
	if (!m->key)
		r = join(k, m, key);
	m->seen = k->serial;
	if (!m->family)
		return r;
	if (is_stranger && k->previous_ns && m->born_ns > k->previous_ns)
		flow_add(&m->family->flow, &m->own);
	m->family_flow = flow_of_others(&m->family->flow, &m->own);
	m->then = m->kept = m->family->count;
	m->broken = m->family->broken;
	if (m->is_forked)
		m->family->voice = m;
	return 0;
}

bool kin_wants_maps(const struct kin_member *m, const struct estimate_base *base)
{
	uint64_t pss = amount_add(base->pss_file, base->pss_shmem), rss = base->file;
	uint64_t moved = amount_max(base->file, m->mapped_file) -
	                 amount_min(base->file, m->mapped_file);

	if (!base->has_parts)
		rss = amount_add(rss, base->anon);
	return amount_less(rss, pss) >= KIN_SHARED_MIN &&
	       (!m->is_mapped || moved > m->mapped_file / 4);
}

/* The segment that S is of, made if there is none. */
static struct kin_segment *segment_get(struct kin *k, const struct maps_segment *s)
{
	uint64_t key = keytable_key(&k->segments, s->device, s->inode);
	struct kin_segment *segment = keytable_find(&k->segments, key);

	if (segment)
		return segment;
	segment = calloc(1, sizeof(*segment));
	if (!segment)
		return NULL;
	segment->key = key;
	if (keytable_set(&k->segments, key, segment) < 0) {
		free(segment);
		return NULL;
	}
	return segment;
}

/* M's link to the segment of KEY, or NULL. */
static const struct kin_link *link_find(const struct kin_member *m, uint64_t key)
{
	for (unsigned int i = 0; i < m->link_count; i++)
		if (m->links[i].segment->key == key)
			return &m->links[i];
	return NULL;
}

/* For the others, M comes to map what it has of it, FILE at most, unless it did. */
static void link_add(struct kin_link *l, struct kin_member *m, struct kin_segment *s,
	uint64_t bytes, uint64_t file)
{
	const struct kin_link *former = link_find(m, s->key);

	if (!former)
		s->flow.gained += flow_units(amount_min(file, bytes));
	*l = (struct kin_link){.segment = s,
		.member = m,
		.next = s->first,
		.pages = flow_units(bytes),
		.exits = former ? former->exits : s->exits,
		.flow = former ? former->flow : flow_of_others(&s->flow, &m->own)};
	if (s->first)
		s->first->previous = l;
	s->first = l;
	s->bytes = amount_max(s->bytes, bytes);
	s->count++;
}

static void links_remove(struct kin *k, struct kin_link *links, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		link_remove(k, &links[i]);
	free(links);
}

int kin_mapped(struct kin *k, struct kin_member *m, const struct maps_segment *list, size_t count,
	const struct estimate_base *base)
{
	struct kin_link *links = NULL;

	if (count > MAPS_SEGMENTS)
		count = MAPS_SEGMENTS;
	if (count) {
		links = calloc(count, sizeof(*links));
		if (!links)
			return -ENOMEM;
	}
	for (unsigned int i = 0; i < count; i++) {
		struct kin_segment *s = segment_get(k, &list[i]);

		if (!s) {
			links_remove(k, links, i);
			return -ENOMEM;
		}
		link_add(&links[i], m, s, list[i].bytes, base->file);
	}
	links_remove(k, m->links, m->link_count);
	m->links = links;
	m->link_count = (uint8_t)count;
	m->is_mapped = true;
	m->mapped_file = base->file;
	return 0;
}

static void links_moved(const struct kin_member *m, const struct kin_flow *f)
{
	for (unsigned int i = 0; i < m->link_count; i++)
		flow_add(&m->links[i].segment->flow, f);
}

void kin_moved(struct kin_member *m, uint64_t before, uint64_t now)
{
	const struct kin_flow f = {
		flow_units(amount_less(before, now)), flow_units(amount_less(now, before))};

	if (before == now)
		return;
	/* Which of them it was nobody says: it may have been all of any. */
	flow_add(&m->own, &f);
	links_moved(m, &f);
	if (m->family)
		flow_add(&m->family->flow, &f);
	/* Of a newborn only its parent's are known. */
	if (!m->is_mapped && m->parent)
		links_moved(m->parent, &f);
}

static struct aftermath_stir stir_of(const struct kin_flow *f, uint64_t bytes, uint32_t sharers)
{
	return (struct aftermath_stir){
		.bytes = bytes,
		.lost = (uint64_t)f->lost * KIN_FLOW_UNIT,
		.gained = (uint64_t)f->gained * KIN_FLOW_UNIT,
		.sharers = sharers,
	};
}

void kin_stirred(const struct kin_member *m, const struct estimate_base *base, uint64_t *ret_down,
	uint64_t *ret_up)
{
	struct aftermath_stir list[MAPS_SEGMENTS + 1];
	struct kin_flow f;
	size_t count = 0;

	for (unsigned int i = 0; i < m->link_count; i++) {
		const struct kin_link *l = &m->links[i];

		f = flow_since(&l->segment->flow, &m->own, &l->flow);
		if (f.lost | f.gained)
			list[count++] = stir_of(&f, link_bytes(l), l->segment->count);
	}
	if (m->family) {
		f = flow_since(&m->family->flow, &m->own, &m->family_flow);
		if (f.lost | f.gained)
			list[count++] = stir_of(&f, UINT64_MAX, UINT32_MAX);
	}
	*ret_down = *ret_up = 0;
	if (count)
		aftermath_stirred(list, count, base, ret_down, ret_up);
}

void kin_broke(struct kin_member *m, uint64_t bytes, uint64_t at_ns)
{
	if (!m->family)
		return;
	m->family->broken += bytes;
	m->family->broken_ns = amount_max(m->family->broken_ns, at_ns);
	m->broken = m->family->broken;
}

uint64_t kin_broken(const struct kin_member *m)
{
	if (!m->family || m->measured_ns >= m->family->broken_ns)
		return 0;
	return m->family->broken - m->broken;
}

struct kin_member *kin_speaker(const struct kin_member *m)
{
	struct kin_member *voice = m->family ? m->family->voice : NULL;

	if (voice && voice->measured_ns >= m->born_ns)
		return voice;
	if (m->parent && m->parent->measured_ns)
		return m->parent;
	for (unsigned int i = 0; !voice && i < GENERATIONS && m->previous; i++) {
		m = m->previous;
		voice = m->measured_ns ? (struct kin_member *)m : NULL;
	}
	return voice;
}

void kin_borrow(const struct kin_member *m, const struct kin_member *speaker,
	const struct estimate_base *base, const struct estimate_now *theirs,
	const struct estimate_now *now, struct estimate_doubt *ret)
{
	struct estimate e;

	kin_doubt(speaker, base, theirs, ret);
	estimate_carry(base, now, ret, &e);
	ret->anon_up = amount_add(ret->anon_up, amount_less(now->anon, e.pss_anon));
	ret->file_up = amount_add(ret->file_up, amount_less(now->file, e.pss_file + e.pss_shmem));
	ret->file_down = amount_add(ret->file_down, e.pss_file + e.pss_shmem);
	if (speaker == m->parent && m->line == m->serial && m->born_ns > speaker->measured_ns) {
		/* As at its birth; what it has grown by since, its own children may have as well. */
		ret->anon_down = amount_add(
			ret->anon_down, amount_part(amount_less(now->anon, base->anon), m->children,
						m->children + UINT64_C(1)));
		return;
	}
	/* What those two share with whom is not the same: only that it is with no more than all. */
	ret->anon_down = amount_add(ret->anon_down,
		amount_less(e.pss_anon, now->anon / (m->family->count + UINT64_C(1))));
}
