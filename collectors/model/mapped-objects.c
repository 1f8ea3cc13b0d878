/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of an object a process has resident is guessed: its shared memory, and its files, in
 * proportion to what it maps of each. Movements of its counter count for its largest shared memory,
 * or if it has none, for its largest file. Each measurement starts anew, and only changes of the
 * sums count, so that constant errors cancel.
 */
#include "config.h"

#include "collectors/model/mapped-objects.h"

#include <errno.h>
#include <stdlib.h>

#include "base/saturate.h"

enum {
	/* A process with shared memory of no known object may have it in many small ones. So its
	 * maps are read again only after its counter has moved by this part. */
	STRAYED_PART = 16,
	/* Shared memory, in bytes and as a part of RSS, from which reading maps costs little beside
	 * the walk. */
	RENEWED_MIN = 8 << 20,
	RENEWED_PART = 8,
};

/*
 * Returns how many of SHMEM bytes of shared memory do not fit in the objects that S is known to
 * map. If the maps had more objects than are kept, none of the others is larger than the smallest
 * that is kept, and as many again are allowed for.
 */
static uint64_t stray_of(const struct sharer *s, uint64_t shmem)
{
	uint64_t mapped = 0;

	for (unsigned int i = 0; i < s->count; i++)
		mapped += s->link[i].is_shmem ? s->link[i].mapped : 0;
	if (s->count == MAPS_OBJECTS)
		mapped += (uint64_t)MAPS_OBJECTS * s->link[MAPS_OBJECTS - 1].mapped;
	return saturate_less(shmem, mapped * COUNTER_FLOW_UNIT);
}

uint64_t mapped_objects_stray(
	const struct sharer *s, const struct estimate_base *base, const struct estimate_now *now)
{
	uint64_t grown = saturate_less(now->shmem, (uint64_t)base->shmem_kib * 1024);

	return saturate_min(grown, stray_of(s, now->shmem));
}

/*
 * Whether S, measured as BASE, may have other shared memory now than its maps said: new objects of
 * the same size move no counter. That may be so if S has its shared memory alone, or if no known
 * process shares it. For a small amount another reading is not worth it.
 */
static bool may_have_renewed(const struct sharer *s, const struct estimate_base *base)
{
	uint64_t shmem = (uint64_t)base->shmem_kib * 1024;
	bool is_shared = false;

	if (!s->is_mapped || !base->has_parts || shmem < RENEWED_MIN ||
		shmem < saturate_add(base->anon, base->file) / RENEWED_PART)
		return false;
	for (unsigned int i = 0; i < s->count; i++)
		is_shared |= s->link[i].is_shmem && s->link[i].object->count > 1;
	return base->pss_shmem > shmem - shmem / 4 || !is_shared;
}

bool mapped_objects_wants_maps(const struct sharer *s, const struct estimate_base *base)
{
	uint64_t pss = saturate_add(base->pss_file, base->pss_shmem), rss = base->file;
	uint64_t then = (uint64_t)s->mapped_file * COUNTER_FLOW_UNIT;
	uint64_t moved = saturate_distance(base->file, then);

	if (!base->has_parts)
		rss = saturate_add(rss, base->anon);
	if (may_have_renewed(s, base))
		return true;
	if (stray_of(s, (uint64_t)base->shmem_kib * 1024) >= MAPPED_OBJECTS_SHARED_MIN &&
		(!s->is_mapped || moved > then / STRAYED_PART))
		return true;
	return saturate_less(rss, pss) >= MAPPED_OBJECTS_SHARED_MIN &&
	       (!s->is_mapped || moved > then / 4);
}

/* Returns the object of M in OBJECTS, a new one if there is none; NULL: out of memory. */
static struct mapped_object *mapped_objects_get(
	struct keytable *objects, const struct maps_object *m)
{
	uint64_t key = keytable_key(objects, m->device, m->inode);
	struct mapped_object *object = keytable_find(objects, key);

	if (object)
		return object;
	object = calloc(1, sizeof(*object));
	if (!object)
		return NULL;
	object->key = key;
	if (keytable_set(objects, key, object) < 0) {
		free(object);
		return NULL;
	}
	return object;
}

static void set_resident(struct mapped_object_link *l, uint64_t resident)
{
	l->object->resident -= l->resident;
	l->resident = (uint32_t)saturate_min(resident, l->mapped);
	l->object->resident += l->resident;
}

static void mapped_objects_drop(struct keytable *objects, struct mapped_object_link *l)
{
	struct mapped_object *o = l->object;

	set_resident(l, 0);
	if (--o->count)
		return;
	keytable_remove(objects, o->key);
	free(o);
}

static void drop_all(struct keytable *objects, struct mapped_object_link *links, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		mapped_objects_drop(objects, &links[i]);
	free(links);
}

/* Divides what BASE has resident among the objects, in proportion to what is mapped of each. */
static void mapped_objects_spread(struct sharer *s, const struct estimate_base *base)
{
	uint64_t mapped[2] = {0, 0}, file = counter_flow_units(base->file);
	uint64_t shmem = saturate_min(counter_flow_units((uint64_t)base->shmem_kib * 1024), file);

	for (unsigned int i = 0; i < s->count; i++)
		mapped[s->link[i].is_shmem] += s->link[i].mapped;
	for (unsigned int i = 0; i < s->count; i++) {
		struct mapped_object_link *l = &s->link[i];

		set_resident(l, saturate_part(l->is_shmem ? shmem : file - shmem, l->mapped,
					mapped[l->is_shmem]));
	}
}

/*
 * Returns what the others have of L's object, less its .late and .joined: a process that becomes
 * known between two polls was most likely there when L was measured. Modulo 2^64, as .sum is.
 */
static uint64_t others_of(const struct mapped_object_link *l)
{
	const struct mapped_object *o = l->object;

	return o->resident - l->resident - o->late - o->joined;
}

static struct counter_flow joined_flow(const struct mapped_object *o)
{
	return (struct counter_flow){.gained = o->joined_most};
}

static void open_links(struct sharer *s)
{
	for (unsigned int i = 0; i < s->count; i++) {
		struct mapped_object_link *l = &s->link[i];

		l->sum = others_of(l);
		l->flow = counter_flow_less(
			counter_flow_less(l->object->flow, s->own), joined_flow(l->object));
	}
	s->is_open = true;
}

const struct mapped_object_link *mapped_objects_main_shmem(const struct sharer *s)
{
	const struct mapped_object_link *found = NULL;
	uint64_t all = 0;

	for (unsigned int i = 0; i < s->count; i++) {
		const struct mapped_object_link *l = &s->link[i];

		if (!l->is_shmem)
			continue;
		all += l->measured;
		if (!found || l->measured > found->measured)
			found = l;
	}
	return found && found->measured > all - all / 8 ? found : NULL;
}

/*
 * Returns the lesson of the measurement FOUND of S; all zeros if none. S's parts of its objects are
 * still those of the base BEFORE.
 */
static struct mapped_objects_lesson lesson_of(const struct sharer *s,
	const struct estimate_base *before, const struct estimate_base *found)
{
	const struct mapped_object_link *l = s->is_open ? NULL : mapped_objects_main_shmem(s);

	if (!l || !before->has_parts || !found->has_parts)
		return (struct mapped_objects_lesson){0};
	return (struct mapped_objects_lesson){
		.key = l->object->key,
		.sum = l->sum - l->measured,
		.flow = l->flow,
		.then = (uint64_t)before->shmem_kib * 1024,
		.then_pss = before->pss_shmem,
		.now = (uint64_t)found->shmem_kib * 1024,
		.now_pss = found->pss_shmem,
	};
}

struct mapped_objects_lesson mapped_objects_measured(
	struct sharer *s, const struct estimate_base *before, const struct estimate_base *found)
{
	struct mapped_objects_lesson lesson = {0};

	if (before)
		lesson = lesson_of(s, before, found);
	mapped_objects_spread(s, found);
	for (unsigned int i = 0; i < s->count; i++)
		s->link[i].measured = s->link[i].resident;
	open_links(s);
	return lesson;
}

static struct mapped_object_link *mapped_objects_find(const struct sharer *s, uint64_t key)
{
	for (unsigned int i = 0; i < s->count; i++)
		if (s->link[i].object->key == key)
			return &s->link[i];
	return NULL;
}

/*
 * Returns an upper bound, in COUNTER_FLOW_UNIT, for what L has of FILE: that each object has the
 * same part resident is only a guess.
 */
static uint32_t most_resident(const struct mapped_object_link *l, uint32_t file)
{
	return (uint32_t)saturate_max(l->resident, saturate_min(l->mapped, file));
}

static void note_joined(const struct mapped_object_link *l, const struct estimate_base *base)
{
	uint32_t most = most_resident(l, counter_flow_units(base->file));

	l->object->joined += l->resident;
	l->object->joined_most += most;
	l->object->flow.gained += most;
}

int mapped_objects_map(struct keytable *objects, struct sharer *s, const struct maps_object *list,
	size_t count, const struct estimate_base *base, bool was_there)
{
	struct mapped_object_link *links = NULL, *former = s->link;
	unsigned int formers = s->count;
	bool is_new[MAPS_OBJECTS];

	count = saturate_min(count, MAPS_OBJECTS);
	if (count) {
		links = calloc(count, sizeof(*links));
		if (!links)
			return -ENOMEM;
	}
	for (unsigned int i = 0; i < count; i++) {
		struct mapped_object *object = mapped_objects_get(objects, &list[i]);

		if (!object) {
			drop_all(objects, links, i);
			return -ENOMEM;
		}
		is_new[i] = !mapped_objects_find(s, object->key);
		object->count++;
		links[i] = (struct mapped_object_link){.object = object,
			.mapped = counter_flow_units(list[i].bytes),
			.is_shmem = list[i].is_shmem};
	}
	s->link = links;
	s->count = (uint8_t)count;
	(void)mapped_objects_measured(s, NULL, base);
	for (unsigned int i = 0; i < count; i++) {
		struct mapped_object *object = links[i].object;

		if (is_new[i] && was_there && !s->is_mapped)
			object->late += links[i].resident;
		if (is_new[i] && (!was_there || s->is_mapped))
			note_joined(&links[i], base);
	}
	drop_all(objects, former, formers);
	open_links(s);
	s->is_mapped = true;
	s->mapped_file = counter_flow_units(base->file);
	return 0;
}

static void mapped_objects_learn(struct sharer *s, const struct mapped_object_link *l,
	const struct mapped_objects_lesson *lesson)
{
	struct mapped_object *o = l->object;
	struct counter_flow others = counter_flow_less(l->flow, lesson->flow);
	struct object_error_change c = {
		.rss = lesson->then,
		.pss = lesson->then_pss,
		.now_rss = lesson->now,
		.then = lesson->sum + lesson->then / COUNTER_FLOW_UNIT + o->late,
		.now = l->sum + o->late,
		.stirred = (uint64_t)others.lost + others.gained,
	};

	if (c.now >= c.then)
		s->odd = object_error_learn(&o->error, &c, lesson->now_pss, s->odd);
}

/*
 * Returns the object for which movements of S's counter count: its largest shared memory, else its
 * largest file; NULL: it maps none.
 */
static struct mapped_object_link *mapped_objects_growing(const struct sharer *s)
{
	for (unsigned int i = 0; i < s->count; i++)
		if (s->link[i].is_shmem)
			return &s->link[i];
	return s->link;
}

/* Interpolates what the others did between two polls. */
static void mapped_objects_settle_link(struct mapped_object_link *l, uint32_t part)
{
	int64_t moved = (int64_t)(others_of(l) - l->sum);
	uint64_t before = saturate_part(saturate_size(moved), part, MAPPED_OBJECTS_PART);
	struct counter_flow joined = joined_flow(l->object);

	l->sum += (moved < 0 ? -before : before) + l->object->joined;
	l->sum += l->measured;
	counter_flow_add(&l->flow, &joined);
}

void mapped_objects_settle(
	struct sharer *s, uint32_t part, const struct mapped_objects_lesson *lesson)
{
	if (!s->is_open)
		return;
	s->is_open = false;
	for (unsigned int i = 0; i < s->count; i++) {
		mapped_objects_settle_link(&s->link[i], part);
		if (lesson->key && s->link[i].object->key == lesson->key)
			mapped_objects_learn(s, &s->link[i], lesson);
	}
}

static void add_flow(const struct sharer *s, const struct counter_flow *f)
{
	for (unsigned int i = 0; i < s->count; i++)
		counter_flow_add(&s->link[i].object->flow, f);
}

static void mapped_objects_move(struct sharer *s, const struct counter_flow *f)
{
	struct mapped_object_link *l = mapped_objects_growing(s);

	if (l)
		set_resident(l, saturate_less((uint64_t)l->resident + f->gained, f->lost));
}

void mapped_objects_since(struct sharer *s, uint64_t before, uint64_t now)
{
	const struct counter_flow f = counter_flow_between(before, now);

	mapped_objects_move(s, &f);
}

void mapped_objects_moved(
	struct sharer *s, const struct sharer *parent, uint64_t before, uint64_t now)
{
	const struct counter_flow f = counter_flow_between(before, now);

	counter_flow_add(&s->own, &f);
	/* Which object moved is not known: for the bounds it may have been all of any. */
	add_flow(s, &f);
	if (!s->is_mapped && parent)
		add_flow(parent, &f);
	mapped_objects_move(s, &f);
}

void mapped_objects_end(struct keytable *objects, struct sharer *s)
{
	/* its counter now: the sum of its movements since its birth, when it was 0 */
	uint32_t file = s->own.gained - s->own.lost;

	for (unsigned int i = 0; i < s->count; i++)
		s->link[i].object->flow.lost += most_resident(&s->link[i], file);
	drop_all(objects, s->link, s->count);
	*s = (struct sharer){0};
}
