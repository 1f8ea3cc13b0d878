/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of owners
 *
 * The names of each kind of owners, once. Renderers, queries, routes, the terminal's views and the
 * tests loop over it. A new kind is an enumerator in snapshot/record.h and in snapshot/metric.h, a
 * row here, and the rule that assigns processes to owners in collectors/owners/membership.c.
 */
#ifndef MEMTALLY_SNAPSHOT_OWNER_H
#define MEMTALLY_SNAPSHOT_OWNER_H

#include <stdbool.h>
#include <stdint.h>

#include "snapshot/record.h"

/* A kind of owners. */
struct owner {
	const char *name;  /* "user": a field, a filter, and a scope in metrics */
	const char *label; /* the label in metrics */
	/* What a row stands for; understandable without the documentation */
	const char *help;
	const char *list;  /* "users": a list in JSON, and the end of its path */
	const char *title; /* "USER": the head of a column in the terminal */
	const char *id;    /* the name of .id of its rows: "uid"; NULL: they have no id */
	/* Words by .id of a row, which is below .ids and is a label, too. NULL: .id is a number. */
	const char *const *words;
	unsigned int ids;
	const char *above; /* the name of .above of its rows: "pod"; NULL: they have none */
	bool has_user;     /* its rows belong to a user: .user of a row is the user's name */
	bool is_optional;  /* a host may have none: then output leaves out the kind */
	bool is_cgroup;    /* its rows are cgroups, and the kernel charges them for memory */
};

/* The name of the owner that has the processes without an owner of a kind. */
#define OWNER_NONE "(none)"

/* Returns the row of KIND. */
const struct owner *owner_of(enum owner_kind kind);

/* Returns the word for ID in OWNER->words; "" if there is none. */
const char *owner_word(const struct owner *owner, uint32_t id);

/* These return the kind with .name NAME, or .list LIST; OWNER_KINDS: there is none. */
enum owner_kind owner_find(const char *name);
enum owner_kind owner_find_list(const char *list);

#endif
