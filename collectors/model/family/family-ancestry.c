/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that forks has a record, which outlives it and which its children refer to. Children
 * find their nearest ancestor that is left when the family is counted. So the exit of a process
 * with thousands of children costs no more than other exits.
 */
#include "config.h"

#include "collectors/model/family/family-ancestry.h"

#include <stdlib.h>

#include "base/saturate.h"

/* A process that has forked. */
struct family_ancestor {
	struct family_member *member;   /* NULL: exited */
	struct family_ancestor *parent; /* NULL: not known */
	uint64_t root_ns;               /* birth of the first known process of its lineage */
	/* if exited: the lowest .line of itself and of exited ancestors between it and .parent */
	uint64_t line;
	uint32_t uses; /* references, from .parent and .ancestor */
};

uint64_t family_ancestry_root_ns(const struct family_member *m)
{
	return m->ancestor ? m->ancestor->root_ns : m->born_ns;
}

struct family_ancestor *family_ancestry_begin(struct family_member *m)
{
	struct family_ancestor *a = m->has_forked ? m->ancestor : malloc(sizeof(*a));

	if (!a || m->has_forked)
		return a;
	*a = (struct family_ancestor){.member = m,
		.parent = m->ancestor,
		.root_ns = family_ancestry_root_ns(m),
		.uses = 1};
	m->ancestor = a;
	m->has_forked = true;
	return a;
}

struct family_ancestor *family_ancestry_use(struct family_ancestor *a)
{
	if (a)
		a->uses++;
	return a;
}

static void family_ancestry_drop(struct family_ancestor *a)
{
	while (a && !--a->uses) {
		struct family_ancestor *parent = a->parent;

		free(a);
		a = parent;
	}
}

/*
 * Whether A has exited and is skipped. The first of a lineage is not skipped: its birth time still
 * counts.
 */
static bool is_passed(const struct family_ancestor *a)
{
	return a && !a->member && a->parent;
}

/* Unlinks the exited ancestor above A, which has exited itself, so that it is skipped only once. */
static void family_ancestry_shorten(struct family_ancestor *a)
{
	struct family_ancestor *above = a->parent;

	if (!is_passed(above))
		return;
	a->line = saturate_min(a->line, above->line);
	a->parent = family_ancestry_use(above->parent);
	family_ancestry_drop(above);
}

uint64_t family_ancestry_settle(struct family_member *m)
{
	struct family_ancestor **parent = m->has_forked ? &m->ancestor->parent : &m->ancestor;
	uint64_t steps = 0;

	while (is_passed(*parent)) {
		struct family_ancestor *a = *parent;

		family_ancestry_shorten(a);
		m->line = saturate_min(m->line, a->line);
		*parent = family_ancestry_use(a->parent);
		family_ancestry_drop(a);
		steps++;
	}
	return steps;
}

struct family_member *family_ancestry_parent(const struct family_member *m)
{
	const struct family_ancestor *a = m->has_forked ? m->ancestor->parent : m->ancestor;

	for (unsigned int i = 0; is_passed(a) && i < FAMILY_ANCESTRY_GENERATIONS; i++)
		a = a->parent;
	return a ? a->member : NULL;
}

void family_ancestry_leave(struct family_member *m)
{
	if (m->has_forked) {
		m->ancestor->member = NULL;
		m->ancestor->line = m->line;
	}
	family_ancestry_drop(m->ancestor);
	m->ancestor = NULL;
	m->has_forked = false;
}
