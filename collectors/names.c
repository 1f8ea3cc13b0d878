/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/text.h"

/* With ":4294967295" behind it, which tells users of one name apart, it is a name still. */
enum { NAME_MAX_BYTES = SNAPSHOT_NAME_MAX - 11 };

bool names_next(const struct scopes *users, uint32_t *cursor, uid_t *ret)
{
	while (*cursor < users->slots) {
		struct scope *user = users->slot[(*cursor)++];

		if (user && user->name_state == SCOPE_NAME_WANTED) {
			user->name_state = SCOPE_NAME_ASKED;
			*ret = user->id;
			return true;
		}
	}
	*cursor = 0;
	return false;
}

void names_set(const struct scopes *users, uid_t uid, const char *name, uint64_t now_ns)
{
	AUTO_BUFFER struct buffer text = {0};
	struct scope *user = scopes_find(users, &uid, sizeof(uid));

	if (!user)
		return; /* it has left meanwhile */
	user->name_state = SCOPE_NAME_ANSWERED;
	user->named_ns = now_ns;
	if (name && *name) {
		text_add_clean_max(&text, name, strlen(name), NAME_MAX_BYTES);
		buffer_add_char(&text, '\0');
		if (text.error)
			return; /* it stays as it was, and is asked for again when that has grown old */
	}
	free(user->name);
	user->name = TAKE_PTR(text.data);
}

void names_fail(const struct scopes *users, uid_t uid, uint64_t now_ns)
{
	struct scope *user = scopes_find(users, &uid, sizeof(uid));

	if (!user)
		return;
	user->name_state = SCOPE_NAME_WANTED;
	user->named_ns = now_ns;
}

void names_give_up(const struct scopes *users, uint64_t now_ns)
{
	for (struct scope *user = NULL; (user = scopes_next(users, user));)
		if (user->name_state == SCOPE_NAME_ASKED && !user->named_ns)
			user->named_ns = now_ns;
}

bool names_are_awaited(const struct scopes *users)
{
	for (struct scope *user = NULL; (user = scopes_next(users, user));)
		if (user->name_state == SCOPE_NAME_ASKED && !user->named_ns)
			return true;
	return false;
}

void names_renew(const struct scopes *users, uint64_t now_ns)
{
	for (struct scope *user = NULL; (user = scopes_next(users, user));)
		if (user->name_state == SCOPE_NAME_ANSWERED &&
			now_ns - user->named_ns >= NAMES_MAX_AGE_NS)
			user->name_state = SCOPE_NAME_WANTED;
}
