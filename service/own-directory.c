/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "service/own-directory.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "confine/limits.h"
#include "service/renounce.h"

/* Sets *RET to the user that root becomes. It is not a free uid, as for other daemons. */
static int own_directory_account(const char *user, const char *directory, struct account *ret)
{
	struct stat st;
	int r = account_choose(user, ret);

	if (r != ACCOUNT_ABSENT)
		return r;
	if (stat(directory, &st) < 0)
		return -errno;
	*ret = (struct account){.uid = st.st_uid, .gid = st.st_gid};
	return 0;
}

int own_directory_rights(const char *user, const char *directory, uint64_t data_bytes,
	unsigned int mask, const char *advice)
{
	struct account account = {0};
	int r = own_directory_account(user, directory, &account);

	if (r < 0) {
		log_error("cannot choose a user: %s", strerror(-r));
		return r;
	}
	r = renounce_rights(&account, data_bytes, LIMITS_ANY, advice);
	if (r == 0)
		umask((mode_t)mask);
	return r;
}

struct own_directory_paths {
	const char *directory, *socket; /* socket may be NULL */
};

static int own_directory_allow(struct landlock *l, const void *paths_)
{
	const struct own_directory_paths *paths = paths_;
	int r = landlock_allow(l, paths->directory, LANDLOCK_MAY_KEEP);

	return r == 0 && paths->socket ? landlock_allow_removal(l, paths->socket) : r;
}

int own_directory_files(const char *directory, const char *socket)
{
	const struct own_directory_paths paths = {.directory = directory, .socket = socket};

	return renounce_files(own_directory_allow, &paths);
}
