/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An owner's key is its name, terminated by a NUL byte. Where two owners of one kind may have the
 * same name, the owner above it and the user follow. The name stands first so that it can be read
 * from the key.
 */
#include "config.h"

#include "collectors/owners/membership.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "snapshot/owner.h"

enum {
	KEY_SIZE = 512, /* a unit's name has up to 255 bytes, a container's or a pod's fewer */
};

/* the slot is not known yet */
static const uint32_t no_slot = PROCESS_NO_SCOPE;

/* Sets the user or group with the number ID as P's owner of KIND. */
static int set_principal(
	struct owner_sums *t, enum owner_kind kind, uint32_t id, uint32_t owner[static OWNER_KINDS])
{
	struct scope *scope;

	if (owner[kind] != no_slot && owner_table_at(&t->table[kind], owner[kind])->id == id)
		return 0;
	scope = owner_table_get(&t->table[kind], &id, sizeof(id));
	if (!scope)
		return -ENOMEM;
	scope->id = id;
	owner[kind] = scope->slot;
	return 0;
}

/* Sets the owner of KIND with the key NAME. */
static int set_named(struct owner_sums *t, enum owner_kind kind, const char *name, size_t len,
	uint32_t owner[static OWNER_KINDS])
{
	struct scope *scope = owner_table_get(&t->table[kind], name, len);

	if (!scope)
		return -ENOMEM;
	owner[kind] = scope->slot;
	return 0;
}

static int set_none(struct owner_sums *t, enum owner_kind kind, uint32_t owner[static OWNER_KINDS])
{
	return set_named(t, kind, OWNER_NONE, strlen(OWNER_NONE), owner);
}

/* The properties of an owner. */
struct traits {
	/* plain ASCII, as all parsers of cgroups return it; len 0: there is no owner */
	struct cgroup_name name;
	const char *above; /* name of the owner that it is a part of; NULL: none */
	bool has_user;
	uint32_t user;
	uint32_t id;
};

static int set_owner(struct owner_sums *t, enum owner_kind kind, const struct traits *traits,
	uint32_t owner[static OWNER_KINDS])
{
	const char *above = traits->above ? traits->above : "";
	char key[KEY_SIZE];
	struct scope *scope;
	size_t len, at;

	if (!traits->name.len)
		return set_none(t, kind, owner);
	if (!traits->has_user && !*above) {
		int r = set_named(t, kind, traits->name.text, traits->name.len, owner);

		if (r == 0)
			owner_table_at(&t->table[kind], owner[kind])->id = traits->id;
		return r;
	}
	len = (size_t)snprintf(key, sizeof(key), "%.*s", (int)traits->name.len, traits->name.text);
	at = len + 1;
	len = at + (size_t)snprintf(key + at, sizeof(key) - at, "%s", above);
	if (traits->has_user)
		len += 1 +
		       (size_t)snprintf(key + len + 1, sizeof(key) - len - 1, "%u", traits->user);
	scope = owner_table_get(&t->table[kind], key, len);
	if (!scope)
		return -ENOMEM;
	scope->id = traits->id;
	scope->has_user = traits->has_user;
	scope->user = traits->user;
	scope->above = *above ? scope->key + at : NULL;
	owner[kind] = scope->slot;
	return 0;
}

static struct cgroup_name membership_name_of(const char *text)
{
	return (struct cgroup_name){text, strlen(text)};
}

static int set_cgroup(struct owner_sums *t, struct memcg_charges *charges, const struct cgroup *c,
	struct membership *to)
{
	const struct {
		enum owner_kind kind;
		struct traits traits;
	} owners[] = {
		{OWNER_UNIT, {.name = c->unit}},
		{OWNER_USER_UNIT, {.name = c->user_unit, .has_user = c->has_uid, .user = c->uid}},
		{OWNER_SESSION, {.name = c->session, .has_user = c->has_uid, .user = c->uid}},
		{OWNER_SLICE, {.name = c->slice}},
		{OWNER_MACHINE, {.name = membership_name_of(c->machine)}},
		{OWNER_POD, {.name = membership_name_of(c->container.pod)}},
		{OWNER_CONTAINER, {.name = membership_name_of(c->container.name),
					  .above = c->container.pod,
					  .has_user = c->has_uid,
					  .user = c->uid,
					  .id = c->container.runtime}},
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(owners); i++) {
		enum owner_kind kind = owners[i].kind;

		r = set_owner(t, kind, &owners[i].traits, to->owner);
		if (r == 0)
			r = memcg_charges_get(charges, c->charged[kind].text, c->charged[kind].len,
				&to->cgroup[kind]);
	}
	return r;
}

/* Copies P's membership, or an empty one if P has none. */
static void get_membership(
	const struct owner_sums *t, const struct process *p, struct membership *to)
{
	if (p->membership != no_slot) {
		*to = *owner_sums_membership(t, p->membership);
		return;
	}
	for (size_t i = 0; i < OWNER_KINDS; i++) {
		to->owner[i] = no_slot;
		to->cgroup[i] = MEMCG_CHARGES_NO_CGROUP;
	}
}

/*
 * Whether P's membership is still right: the IDs are the same, and S brings no new name or cgroup.
 */
static bool membership_is_settled(
	const struct owner_sums *t, const struct process *p, const struct sample *s)
{
	const uint32_t *owner;

	if (p->membership == no_slot || s->is_renamed || s->has_cgroup)
		return false;
	owner = owner_sums_owners(t, p->membership);
	return owner_table_at(&t->table[OWNER_USER], owner[OWNER_USER])->id == s->user &&
	       owner_table_at(&t->table[OWNER_GROUP], owner[OWNER_GROUP])->id == s->group;
}

int membership_set(struct owner_sums *t, struct memcg_charges *c,
	const struct process_reader *reader, struct process *p, const struct sample *s)
{
	static const struct cgroup no_cgroup;
	struct membership m;
	int r;

	if (membership_is_settled(t, p, s))
		return 0;
	get_membership(t, p, &m);
	r = set_principal(t, OWNER_USER, s->user, m.owner);
	if (r == 0)
		r = set_principal(t, OWNER_GROUP, s->group, m.owner);
	if (r == 0 && s->is_renamed)
		r = set_named(t, OWNER_PROGRAM, reader->program.data, reader->program.len, m.owner);
	else if (r == 0 && m.owner[OWNER_PROGRAM] == no_slot)
		/* The name of this member could not be read in this pass. */
		r = set_named(t, OWNER_PROGRAM, "(unnamed)", strlen("(unnamed)"), m.owner);
	if (r == 0 && (s->has_cgroup || m.owner[OWNER_UNIT] == no_slot))
		r = set_cgroup(t, c, s->has_cgroup ? &reader->cgroup : &no_cgroup, &m);
	if (r == 0 && m.owner[OWNER_NAMEGROUP] == no_slot) /* until namegroups.h finds one */
		r = set_none(t, OWNER_NAMEGROUP, m.owner);
	return r == 0 ? owner_sums_join(t, &m, &p->membership) : r;
}

int membership_set_namegroup(struct owner_sums *t, struct process *p, uint32_t slot)
{
	struct membership m = *owner_sums_membership(t, p->membership);

	if (m.owner[OWNER_NAMEGROUP] == slot)
		return 0;
	m.owner[OWNER_NAMEGROUP] = slot;
	return owner_sums_join(t, &m, &p->membership);
}

void membership_drop(struct process *p)
{
	p->membership = no_slot;
	p->known = false;
	p->naming = NAMING_NEW;
	p->inherits_group = false;
}
