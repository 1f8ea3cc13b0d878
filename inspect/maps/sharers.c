/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/maps/sharers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "inspect/maps/kind.h"

void sharers_done(struct sharers *s)
{
	for (size_t i = 0; i < s->objects; i++)
		free(s->object[i].name);
	for (size_t i = 0; i < s->programs; i++)
		free(s->program[i].name);
	free(s->object);
	hashmap_done(&s->index);
	free(s->mapped);
	free(s->program);
	*s = (struct sharers){.object = NULL};
}

struct sharers_object sharers_key(const struct mapping *m)
{
	if (!m->inode)
		return (struct sharers_object){.start = m->start};
	return (struct sharers_object){
		.device = (uint64_t)m->major << 32 | m->minor, .inode = m->inode};
}

int sharers_compare(const struct sharers_object *a, const struct sharers_object *b)
{
	if (a->inode != b->inode)
		return a->inode < b->inode ? -1 : 1;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	return (a->start > b->start) - (a->start < b->start);
}

uint64_t sharers_hash(const struct siphash_key *hash_key, const struct sharers_object *key)
{
	struct siphash s;

	siphash_init(&s, hash_key);
	siphash_add(&s, &key->device, sizeof(key->device));
	siphash_add(&s, &key->inode, sizeof(key->inode));
	siphash_add(&s, &key->start, sizeof(key->start));
	return siphash_end(&s);
}

/* Returns the object like KEY with the hash HASH; NULL: there is none. */
static struct sharers_object *sharers_find(
	const struct sharers *s, uint64_t hash, const struct sharers_object *key)
{
	uint32_t i;

	for (size_t at = 0; hashmap_next(&s->index, hash, &at, &i);)
		if (!sharers_compare(&s->object[i], key))
			return &s->object[i];
	return NULL;
}

static int sharers_grow(struct sharers *s)
{
	size_t room = s->room;

	if (ARRAY_RESERVE(s->mapped, room, s->objects + 1) < 0)
		return -ENOMEM;
	return ARRAY_RESERVE(s->object, s->room, s->objects + 1);
}

/* Returns the name of M; NULL: out of memory. */
static char *sharers_name_of(const struct mapping *m)
{
	AUTO_BUFFER struct buffer name = {0};

	kind_add_name(m, &name);
	buffer_add_char(&name, '\0');
	return name.error ? NULL : TAKE_PTR(name.data);
}

/*
 * Returns the bytes of M that no other process has, of memory that is freed with its last user,
 * without private copies.
 */
static uint64_t alone_of(const struct mapping *m, enum breakdown_part part)
{
	uint64_t alone = m->q[MAPPING_PRIVATE_CLEAN] + m->q[MAPPING_PRIVATE_DIRTY];

	if (part == BREAKDOWN_ANON || part == BREAKDOWN_FILE || part == BREAKDOWN_NAMED ||
		alone < m->q[MAPPING_ANONYMOUS])
		return 0;
	return alone - m->q[MAPPING_ANONYMOUS];
}

int sharers_learn(struct sharers *s, const struct mapping *m)
{
	uint64_t bytes = m->q[MAPPING_SHARED_CLEAN] + m->q[MAPPING_SHARED_DIRTY];
	enum breakdown_part part = breakdown_part_of(m);
	uint64_t alone = alone_of(m, part);
	struct sharers_object key = sharers_key(m), *object;
	uint64_t hash;

	/* Every process shares the kernel's own pages, such as [vdso]. */
	if ((!bytes && !alone) || kind_of(m) == KIND_KERNEL)
		return 0;
	if (!s->objects)
		s->hash_key = siphash_new_key();
	hash = sharers_hash(&s->hash_key, &key);
	object = sharers_find(s, hash, &key);
	if (!object) {
		AUTO_FREE char *name = sharers_name_of(m);

		if (!name || sharers_grow(s) < 0 || hashmap_add(&s->index, hash, s->objects) < 0)
			return -ENOMEM;
		key.name = TAKE_PTR(name);
		object = &s->object[s->objects++];
		*object = key;
		object->part = part;
	}
	object->shared_bytes += bytes;
	object->alone_bytes += alone;
	return 0;
}

void sharers_begin(struct sharers *s)
{
	s->current++;
	s->mapped_count = 0;
}

void sharers_see(struct sharers *s, size_t number)
{
	if (s->object[number].seen == s->current)
		return;
	s->object[number].seen = s->current;
	s->mapped[s->mapped_count++] = (uint32_t)number;
}

static struct sharers_program *find_program(struct sharers *s, const char *name)
{
	for (size_t i = 0; i < s->programs; i++)
		if (!strcmp(s->program[i].name, name))
			return &s->program[i];
	return NULL;
}

static struct sharers_program *add_program(struct sharers *s, const char *name)
{
	struct sharers_program *p;

	if (ARRAY_RESERVE(s->program, s->programs_room, s->programs + 1) < 0)
		return NULL;
	p = &s->program[s->programs];
	*p = (struct sharers_program){.name = strdup(name)};
	s->programs += p->name != NULL;
	return p->name ? p : NULL;
}

/* Counts another process that maps OBJECT. */
static void sharers_count(struct sharers *s, struct sharers_object *object)
{
	if (!object->others)
		s->kept_bytes[object->part] += object->alone_bytes;
	object->others++;
}

int sharers_end(struct sharers *s, const char *program)
{
	uint64_t shared_bytes = 0, forked_bytes = 0;
	struct sharers_program *p;

	for (size_t i = 0; i < s->mapped_count; i++) {
		struct sharers_object *object = &s->object[s->mapped[i]];

		sharers_count(s, object);
		shared_bytes += object->shared_bytes;
		forked_bytes += object->inode ? 0 : object->shared_bytes;
	}
	if (!shared_bytes)
		return 0;
	p = find_program(s, program);
	if (!p)
		p = add_program(s, program);
	if (!p)
		return -ENOMEM;
	p->processes++;
	p->forked += forked_bytes > 0;
	if (shared_bytes > p->shared_bytes)
		p->shared_bytes = shared_bytes;
	if (forked_bytes > p->forked_bytes)
		p->forked_bytes = forked_bytes;
	return 0;
}

static int by_bytes(const void *a_, const void *b_)
{
	const struct sharers_object *a = a_, *b = b_;

	if (a->shared_bytes != b->shared_bytes)
		return a->shared_bytes < b->shared_bytes ? 1 : -1;
	return strcmp(a->name, b->name);
}

static int by_program(const void *a_, const void *b_)
{
	const struct sharers_program *a = a_, *b = b_;

	if (a->shared_bytes != b->shared_bytes)
		return a->shared_bytes < b->shared_bytes ? 1 : -1;
	return strcmp(a->name, b->name);
}

void sharers_sort(struct sharers *s)
{
	hashmap_done(&s->index);
	if (s->objects)
		qsort(s->object, s->objects, sizeof(*s->object), by_bytes);
	while (s->objects && !s->object[s->objects - 1].shared_bytes)
		free(s->object[--s->objects].name);
	if (s->programs)
		qsort(s->program, s->programs, sizeof(*s->program), by_program);
}
