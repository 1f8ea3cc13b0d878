/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who forked is known to its children by a record of its own, which outlives it: they find who is
 * left above it when the family is counted. So the exit of one that had thousands of them costs no
 * more than theirs.
 */
#include "config.h"

#include "collectors/ancestry.h"

#include <stdlib.h>

#include "collectors/amount.h"

/* One that has forked. */
struct kin_ancestor {
	struct kin_member *member;   /* NULL: gone */
	struct kin_ancestor *parent; /* NULL: not known */
	uint64_t root_ns;            /* when the first of its line that is known was born */
	uint64_t
		line; /* of one that is gone: as its .line was, and of those between it and .parent */
	uint32_t uses; /* as .parent and .ancestor */
};

uint64_t ancestry_root_ns(const struct kin_member *m)
{
	return m->ancestor ? m->ancestor->root_ns : m->born_ns;
}

struct kin_ancestor *ancestry_begin(struct kin_member *m)
{
	struct kin_ancestor *a = m->has_forked ? m->ancestor : malloc(sizeof(*a));

	if (!a || m->has_forked)
		return a;
	*a = (struct kin_ancestor){
		.member = m, .parent = m->ancestor, .root_ns = ancestry_root_ns(m), .uses = 1};
	m->ancestor = a;
	m->has_forked = true;
	return a;
}

struct kin_ancestor *ancestry_use(struct kin_ancestor *a)
{
	if (a)
		a->uses++;
	return a;
}

static void drop(struct kin_ancestor *a)
{
	while (a && !--a->uses) {
		struct kin_ancestor *parent = a->parent;

		free(a);
		a = parent;
	}
}

/* Whether A is gone, and passed over. The first of a line stays: when it was born still counts. */
static bool is_passed(const struct kin_ancestor *a)
{
	return a && !a->member && a->parent;
}

/* Who is gone above A, which is gone, need not be passed again. */
static void shorten(struct kin_ancestor *a)
{
	struct kin_ancestor *above = a->parent;

	if (!is_passed(above))
		return;
	a->line = amount_min(a->line, above->line);
	a->parent = ancestry_use(above->parent);
	drop(above);
}

uint64_t ancestry_settle(struct kin_member *m)
{
	struct kin_ancestor **parent = m->has_forked ? &m->ancestor->parent : &m->ancestor;
	uint64_t steps = 0;

	while (is_passed(*parent)) {
		struct kin_ancestor *a = *parent;

		shorten(a);
		m->line = amount_min(m->line, a->line);
		*parent = ancestry_use(a->parent);
		drop(a);
		steps++;
	}
	return steps;
}

struct kin_member *ancestry_parent(const struct kin_member *m)
{
	const struct kin_ancestor *a = m->has_forked ? m->ancestor->parent : m->ancestor;

	for (unsigned int i = 0; is_passed(a) && i < ANCESTRY_GENERATIONS; i++)
		a = a->parent;
	return a ? a->member : NULL;
}

void ancestry_leave(struct kin_member *m)
{
	if (m->has_forked) {
		m->ancestor->member = NULL;
		m->ancestor->line = m->line;
	}
	drop(m->ancestor);
	m->ancestor = NULL;
	m->has_forked = false;
}
