/* SPDX-License-Identifier: Apache-2.0 */
/* The names of users and groups, which the caller of a pass looks up. */
#include "config.h"

#include "base/clock.h"
#include "collectors/owners/owner-names.h"
#include "collectors/pass/pass-private.h"

bool pass_next_unnamed(struct pass *pass, struct principal *ret)
{
	for (unsigned int kind = 0; kind < OWNER_KINDS; kind++) {
		ret->kind = (enum owner_kind)kind;
		if (owner_names_are_of(ret->kind) && owner_names_next(&pass->sums.table[kind],
							     &pass->name_cursor[kind], &ret->id))
			return true;
	}
	ret->kind = OWNER_USER;
	return namegroups_next_unnamed(&pass->namegroups, &ret->id);
}

void pass_name(struct pass *pass, const struct principal *who, const char *name)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);

	owner_names_set(&pass->sums.table[who->kind], who->id, name, now_ns);
	if (who->kind == OWNER_USER)
		owner_names_set(&pass->namegroups.users, who->id, name, now_ns);
}

void pass_name_failed(struct pass *pass, const struct principal *who)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);

	owner_names_fail(&pass->sums.table[who->kind], who->id, now_ns);
	if (who->kind == OWNER_USER)
		owner_names_fail(&pass->namegroups.users, who->id, now_ns);
}

void pass_give_up_names(struct pass *pass)
{
	for (unsigned int kind = 0; kind < OWNER_KINDS; kind++)
		if (owner_names_are_of((enum owner_kind)kind))
			owner_names_give_up(&pass->sums.table[kind], clock_now_ns(CLOCK_MONOTONIC));
	owner_names_give_up(&pass->namegroups.users, clock_now_ns(CLOCK_MONOTONIC));
}

bool pass_awaits_names(const struct pass *pass)
{
	for (unsigned int kind = 0; kind < OWNER_KINDS; kind++)
		if (owner_names_are_of((enum owner_kind)kind) &&
			owner_names_are_awaited(&pass->sums.table[kind]))
			return true;
	return owner_names_are_awaited(&pass->namegroups.users);
}
