/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of processes that no rule matches: each has that of an ancestor. */
#include "config.h"

#include "collectors/owners/namegroups-private.h"

#include <errno.h>
#include <string.h>

#include "collectors/owners/membership.h"
#include "snapshot/owner.h"

enum { ANCESTORS_MAX = 256 }; /* that one step looks at, or gives a group */

static bool is_member(const struct process *p)
{
	return p->membership != PROCESS_NO_SCOPE;
}

/*
 * Returns the parent of P if it is a member; else NULL. A process that began after P has got the
 * pid of a parent that has exited.
 */
static struct process *parent_of(const struct namegroups *n, const struct process *p)
{
	struct process *parent = p->has_stat && p->stat.parent
	                                 ? process_table_find(n->table, p->stat.parent)
	                                 : NULL;

	if (!parent || !is_member(parent))
		return NULL;
	return parent->has_stat && parent->stat.start_ticks > p->stat.start_ticks ? NULL : parent;
}

/*
 * Whether the parent of P, or its absence, is known. It is unknown without a stat, and if the parent
 * is no member of the pass: it was born while processes were listed, or it could not be read. A kernel
 * thread never is one, so its child is looked at in each pass.
 */
static bool is_parent_known(const struct namegroups *n, const struct process *p)
{
	const struct process *parent;

	if (!p->has_stat || !p->stat.parent)
		return p->has_stat;
	parent = process_table_find(n->table, p->stat.parent);
	return parent && is_member(parent);
}

static struct namegroups_inherited inherited_from(
	const struct namegroups *n, const struct process *ancestor)
{
	const struct owner_table *groups = &n->sums->table[OWNER_NAMEGROUP];
	uint32_t slot = owner_sums_owners(n->sums, ancestor->membership)[OWNER_NAMEGROUP];

	return (struct namegroups_inherited){
		.slot = slot,
		.is_none = !strcmp(owner_table_at(groups, slot)->key, OWNER_NONE),
		.is_final = ancestor->naming == NAMING_SETTLED,
	};
}

/* Ends the search at P. PARENT, its parent, is not unmatched; NULL: none. Returns 0 or -ENOMEM. */
static int set_found(struct namegroups *n, const struct process *p, const struct process *parent)
{
	struct namegroups_search *s = &n->search;
	const struct scope *none;

	s->is_found = true;
	s->at = s->first;
	if (parent && parent->naming != NAMING_VISITED) {
		s->found = inherited_from(n, parent);
		return 0;
	}
	/* The parents of processes that were read at different times may form a circle. */
	none = owner_table_get(&n->sums->table[OWNER_NAMEGROUP], OWNER_NONE, strlen(OWNER_NONE));
	if (!none)
		return -ENOMEM;
	s->found = (struct namegroups_inherited){
		.slot = none->slot, .is_none = true, .is_final = is_parent_known(n, p)};
	return 0;
}

/*
 * Goes on with a search, up to the first ancestor that is not unmatched, which has the group for all
 * that are below it. Each process is visited once in a pass, since it is not unmatched afterwards.
 */
static int search_ancestors(struct namegroups *n)
{
	struct namegroups_search *s = &n->search;

	for (int i = 0; i < ANCESTORS_MAX; i++) {
		struct process *p = s->at;

		p->naming = NAMING_VISITED;
		s->at = parent_of(n, p);
		if (!s->at || s->at->naming != NAMING_UNMATCHED)
			return set_found(n, p, s->at);
	}
	return 0;
}

/* Gives the process and its unmatched ancestors the group that was found. Ends the search. */
static int give_found(struct namegroups *n)
{
	struct namegroups_search *s = &n->search;

	for (int i = 0; i < ANCESTORS_MAX; i++) {
		struct process *p = s->at;
		int r = membership_set_namegroup(n->sums, p, s->found.slot);

		if (r < 0)
			return r;
		p->naming = s->found.is_final ? NAMING_SETTLED : NAMING_UNSURE;
		p->inherits_group = s->found.is_final && !s->found.is_none;
		s->at = parent_of(n, p);
		if (s->at && s->at->naming == NAMING_VISITED)
			continue;
		s->first = NULL;
		return 0;
	}
	return 0;
}

int namegroups_inherit_next(struct namegroups *n)
{
	struct namegroups_search *s = &n->search;
	struct process *p;
	int r;

	if (!s->first) {
		p = n->member[n->at++];
		if (p->naming != NAMING_UNMATCHED)
			return 0;
		*s = (struct namegroups_search){.first = p, .at = p};
	}
	r = s->is_found ? 0 : search_ancestors(n);
	return r == 0 && s->is_found ? give_found(n) : r;
}
