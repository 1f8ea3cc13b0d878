/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/belonging.h"

#include <errno.h>
#include <string.h>

void belonging_done(struct belonging *b)
{
	scopes_done(&b->user_units);
}

void belonging_begin(struct belonging *b)
{
	for (struct scope *s = NULL; (s = scopes_next(&b->user_units, s));)
		s->sums.q[SCOPE_PROCESSES] = 0;
}

static int set_user(struct tally *t, uid_t uid, uint32_t *slot)
{
	struct scope *user;

	if (*slot != PROCESS_NO_SCOPE && scopes_at(&t->table[OWNER_USER], *slot)->uid == uid)
		return 0;
	user = scopes_get(&t->table[OWNER_USER], &uid, sizeof(uid));
	if (!user)
		return -ENOMEM;
	user->uid = uid;
	*slot = user->slot;
	return 0;
}

static int set_named(struct scopes *table, const char *name, size_t len, uint32_t *slot)
{
	struct scope *scope = scopes_get(table, name, len);

	if (!scope)
		return -ENOMEM;
	*slot = scope->slot;
	return 0;
}

static int set_text(struct tally *t, enum owner_kind kind, const char *name, size_t len,
	uint32_t owner[static OWNER_KINDS])
{
	return set_named(&t->table[kind], name, len, &owner[kind]);
}

/* Unit names are checked to be plain ASCII by the parser; "(none)" can't be one. */
static int set_units(struct belonging *b, struct process *p, const struct cgroup *cgroup,
	uint32_t owner[static OWNER_KINDS])
{
	static const char none[] = "(none)";
	int r = cgroup->unit.len
	                ? set_text(b->tally, OWNER_UNIT, cgroup->unit.text, cgroup->unit.len, owner)
	                : set_text(b->tally, OWNER_UNIT, none, sizeof(none) - 1, owner);

	p->user_unit = PROCESS_NO_SCOPE;
	if (r == 0 && cgroup->user_unit.len)
		r = set_named(&b->user_units, cgroup->user_unit.text, cgroup->user_unit.len,
			&p->user_unit);
	return r;
}

/* The owners that P had so far, or none yet. */
static void get_owners(
	const struct tally *t, const struct process *p, uint32_t to[static OWNER_KINDS])
{
	if (p->membership != PROCESS_NO_SCOPE)
		memcpy(to, tally_owners(t, p->membership), OWNER_KINDS * sizeof(*to));
	else
		memset(to, 0xff, OWNER_KINDS * sizeof(*to)); /* PROCESS_NO_SCOPE */
}

/* Whether P's owners are those that it had. */
static bool is_settled(const struct tally *t, const struct process *p, const struct sample *s)
{
	uint32_t user;

	if (p->membership == PROCESS_NO_SCOPE || s->is_renamed || s->has_cgroup)
		return false;
	user = tally_owners(t, p->membership)[OWNER_USER];
	return scopes_at(&t->table[OWNER_USER], user)->uid == s->uid;
}

int belonging_set(struct belonging *b, const struct process_reader *reader, struct process *p,
	const struct sample *s)
{
	static const struct cgroup no_cgroup;
	uint32_t owner[OWNER_KINDS];
	int r;

	if (is_settled(b->tally, p, s))
		return 0;
	get_owners(b->tally, p, owner);
	r = set_user(b->tally, s->uid, &owner[OWNER_USER]);
	if (r == 0 && (s->is_renamed || owner[OWNER_PROGRAM] == PROCESS_NO_SCOPE)) {
		const struct buffer *name = &reader->program;

		/* A member whose name could not be read in this pass has none to go by. */
		r = set_text(b->tally, OWNER_PROGRAM, s->is_renamed ? name->data : "(unnamed)",
			s->is_renamed ? name->len : sizeof("(unnamed)") - 1, owner);
	}
	if (r == 0 && (s->has_cgroup || owner[OWNER_UNIT] == PROCESS_NO_SCOPE))
		r = set_units(b, p, s->has_cgroup ? &reader->cgroup : &no_cgroup, owner);
	return r == 0 ? tally_join(b->tally, owner, &p->membership) : r;
}

void belonging_drop(struct process *p)
{
	p->membership = p->user_unit = PROCESS_NO_SCOPE;
	p->known = false;
}
