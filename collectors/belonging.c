/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/belonging.h"

#include <errno.h>

void belonging_done(struct belonging *b)
{
	scopes_done(&b->user_units);
}

void belonging_begin(struct belonging *b)
{
	for (struct scope *s = NULL; (s = scopes_next(&b->user_units, s));)
		s->sums.q[SCOPE_PROCESSES] = 0;
}

static int set_user(struct belonging *b, struct process *p, uid_t uid)
{
	struct scopes *users = &b->tally->table[OWNER_USER];
	struct scope *user;

	if (p->owner[OWNER_USER] != PROCESS_NO_SCOPE &&
		scopes_at(users, p->owner[OWNER_USER])->uid == uid)
		return 0;
	user = scopes_get(users, &uid, sizeof(uid));
	if (!user)
		return -ENOMEM;
	user->uid = uid;
	p->owner[OWNER_USER] = user->slot;
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

/* Unit names are checked to be plain ASCII by the parser; "(none)" can't be one. */
static int set_units(struct belonging *b, struct process *p, const struct cgroup *cgroup)
{
	static const char none[] = "(none)";
	struct scopes *units = &b->tally->table[OWNER_UNIT];
	int r = cgroup->unit.len ? set_named(units, cgroup->unit.text, cgroup->unit.len,
					   &p->owner[OWNER_UNIT])
	                         : set_named(units, none, sizeof(none) - 1, &p->owner[OWNER_UNIT]);

	p->user_unit = PROCESS_NO_SCOPE;
	if (r == 0 && cgroup->user_unit.len)
		r = set_named(&b->user_units, cgroup->user_unit.text, cgroup->user_unit.len,
			&p->user_unit);
	return r;
}

int belonging_set(struct belonging *b, const struct process_reader *reader, struct process *p,
	const struct sample *s)
{
	static const struct cgroup no_cgroup;
	int r = set_user(b, p, s->uid);

	if (r == 0 && (s->is_renamed || p->owner[OWNER_PROGRAM] == PROCESS_NO_SCOPE)) {
		const struct buffer *name = &reader->program;

		/* A member whose name could not be read in this pass has none to go by. */
		r = set_named(&b->tally->table[OWNER_PROGRAM],
			s->is_renamed ? name->data : "(unnamed)",
			s->is_renamed ? name->len : sizeof("(unnamed)") - 1,
			&p->owner[OWNER_PROGRAM]);
	}
	if (r == 0 && (s->has_cgroup || p->owner[OWNER_UNIT] == PROCESS_NO_SCOPE))
		r = set_units(b, p, s->has_cgroup ? &reader->cgroup : &no_cgroup);
	return r;
}

void belonging_drop(struct process *p)
{
	for (size_t i = 0; i < OWNER_KINDS; i++)
		p->owner[i] = PROCESS_NO_SCOPE;
	p->user_unit = PROCESS_NO_SCOPE;
	p->known = false;
}
