/* SPDX-License-Identifier: Apache-2.0 */
/*
 * THE table of owners: what each kind of them is called, once. Renderers, queries, routes, the terminal's views and the
 * tests all loop over it. A new kind is an enumerator in snapshot/record.h and in snapshot/metric.h, a row here, and
 * who belongs to which in collectors/belonging.c.
 */
#ifndef MEMTALLY_SNAPSHOT_OWNER_H
#define MEMTALLY_SNAPSHOT_OWNER_H

#include <stdbool.h>
#include <stdint.h>

#include "snapshot/metric.h"
#include "snapshot/record.h"

struct owner {
	const char *name;  /* "user": a field, a filter, and in metrics a scope */
	const char *label; /* in metrics */
	const char *help;  /* whom its rows are, for a person who has not read the documentation */
	const char *list;  /* "users": a list in JSON, the end of its path */
	const char *title; /* "USER": the head of a column */
	const char *id;    /* what .id of its rows is: "uid"; NULL: it is nothing */
	/* The words that .id stands for, below .ids; it then is a label, too. NULL: it is a number. */
	const char *const *words;
	unsigned int ids;
	const char *above; /* what .above of its rows is: "pod"; NULL: it is nothing */
	bool has_user;     /* its rows have the name of a user whose own they are */
	bool is_optional;  /* a host may have none: then nothing is said of them */
	bool is_cgroup;    /* its rows are cgroups, which the kernel charges for memory */
};

/* What stands for the owner of those who have none of its kind. */
#define OWNER_NONE "(none)"

/* The row of KIND. */
const struct owner *owner_of(enum owner_kind kind);

/* The word that ID stands for, of an OWNER that has words; empty for one that is none. */
const char *owner_word(const struct owner *owner, uint32_t id);

/* The kind whose name, or list, is NAME; OWNER_KINDS: none is. */
enum owner_kind owner_find(const char *name);
enum owner_kind owner_find_list(const char *list);

/* Whether the rows of SCOPE are owners, and of which kind. */
static inline bool owner_is_scope(enum metric_scope scope)
{
	return scope >= METRIC_USER && scope < METRIC_OWNERS_END;
}

static inline enum owner_kind owner_kind_of(enum metric_scope scope)
{
	return (enum owner_kind)(scope - METRIC_USER);
}

static inline enum metric_scope owner_scope(enum owner_kind kind)
{
	return (enum metric_scope)(METRIC_USER + (int)kind);
}

#endif
