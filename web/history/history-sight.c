/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/history/history-sight.h"

#include <stdio.h>
#include <string.h>

#include "snapshot/owner.h"

static const char *find_name(const struct view *view, uint32_t uid)
{
	for (uint32_t i = 0; i < view_count(view, METRIC_USER); i++) {
		const struct snapshot_scope *s = view_scope(view, METRIC_USER, i);

		if (s->id == uid && !(s->flags & SCOPE_OTHER))
			return view_text(view, s->name);
	}
	return NULL;
}

void history_sight_of(const struct caller *c, enum tcp_scope scope, const struct view *view,
	struct history_sight *ret)
{
	struct sight sight = caller_sight(c, scope, view);

	*ret = (struct history_sight){.recent = sight.kind, .older = sight.kind};
	if (c->kind == CALLER_ANYBODY) {
		/*
		 * Every client may collect the sums that it is shown, and see them in the ring. No
		 * client could have collected what the ledger keeps, so only an explicit choice
		 * shows it.
		 */
		ret->recent = SIGHT_ALL;
		ret->older = scope == TCP_SCOPE_PROCESSES ? SIGHT_ALL : SIGHT_NONE;
	}
	if (sight.kind != SIGHT_OWN)
		return;
	ret->uid = sight.uid;
	ret->name = find_name(view, sight.uid);
	snprintf(ret->number, sizeof(ret->number), "%u", sight.uid);
}

/* Returns whether rows of SCOPE belong to a user. */
static bool history_sight_has_own(enum metric_scope scope)
{
	return scope == METRIC_USER || owner_of(metric_owner_kind(scope))->has_user;
}

const char *history_sight_refuse(const struct history_sight *s, enum metric_scope scope)
{
	if (s->recent == SIGHT_ALL || scope == METRIC_HOST)
		return NULL;
	if (s->recent == SIGHT_NONE)
		return "the history of owners is not shown to callers that cannot be identified";
	if (history_sight_has_own(scope))
		return NULL;
	return "the history of owners that belong to no user is shown to root and group memtally";
}

bool history_sight_has(const struct history_sight *s, const struct ring_row *row)
{
	if (s->recent == SIGHT_ALL || row->scope == METRIC_HOST)
		return true;
	if (s->recent != SIGHT_OWN)
		return false;
	if (row->scope == METRIC_USER)
		return row->id == s->uid;
	return *row->user &&
	       (!strcmp(row->user, s->number) || (s->name && !strcmp(row->user, s->name)));
}
