/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "snapshot/owner.h"

#include <string.h>

static const struct owner owners[OWNER_KINDS] = {
	[OWNER_USER] = {"user", "users", "USER", "uid"},
	[OWNER_PROGRAM] = {"program", "programs", "PROGRAM", NULL},
	[OWNER_UNIT] = {"unit", "units", "UNIT", NULL},
};

const struct owner *owner_of(enum owner_kind kind)
{
	return &owners[kind];
}

enum owner_kind owner_find(const char *name)
{
	enum owner_kind kind = 0;

	while (kind < OWNER_KINDS && strcmp(owners[kind].name, name) != 0)
		kind++;
	return kind;
}

enum owner_kind owner_find_list(const char *list)
{
	enum owner_kind kind = 0;

	while (kind < OWNER_KINDS && strcmp(owners[kind].list, list) != 0)
		kind++;
	return kind;
}
