/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/files/usernames.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void usernames_done(struct usernames *u)
{
	for (size_t i = 0; i < u->by_uid.slots; i++)
		if (u->by_uid.slot[i].key)
			free(u->by_uid.slot[i].item);
	keytable_done(&u->by_uid);
}

static char *usernames_look_up(uint32_t uid)
{
	const struct passwd *pw = getpwuid(uid);
	AUTO_BUFFER struct buffer text = {0};

	if (pw && *pw->pw_name)
		text_add_clean(&text, pw->pw_name, strlen(pw->pw_name));
	else
		buffer_add_u64(&text, uid);
	buffer_add_char(&text, '\0');
	return text.error ? NULL : TAKE_PTR(text.data);
}

const char *usernames_find(struct usernames *u, uint32_t uid)
{
	uint64_t key = keytable_key(&u->by_uid, uid, 0);
	char *name = keytable_find(&u->by_uid, key);

	if (name)
		return name;
	name = usernames_look_up(uid);
	if (name && keytable_set(&u->by_uid, key, name) < 0) {
		free(name);
		name = NULL;
	}
	return name;
}
