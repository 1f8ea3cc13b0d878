/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "confine/account.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

enum { ENTRY_SIZE = 4096 };

static void cleanup_fclose(FILE **file)
{
	if (*file)
		fclose(*file);
}

int account_find(const char *path, const char *name, struct account *ret)
{
	CLEANUP(cleanup_fclose) FILE *file = fopen(path, "re");
	struct passwd entry, *found;
	char text[ENTRY_SIZE];
	int r;

	if (!file)
		return errno == ENOENT ? ACCOUNT_ABSENT : -errno;
	while ((r = fgetpwent_r(file, &entry, text, sizeof(text), &found)) == 0)
		if (strcmp(entry.pw_name, name) == 0) {
			if (entry.pw_uid == 0)
				return ACCOUNT_ABSENT;
			*ret = (struct account){.uid = entry.pw_uid, .gid = entry.pw_gid};
			return 0;
		}
	return r == ENOENT ? ACCOUNT_ABSENT : -r;
}
