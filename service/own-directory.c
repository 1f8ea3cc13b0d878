/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "service/own-directory.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "confine/limits.h"
#include "service/renounce.h"

/*
 * Far above what a report on 100,000 owners takes, or an archive of 10,000 processes with the images
 * that readers decode. Bytes.
 */
#define DATA_BYTES (UINT64_C(512) << 20)

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

static int own_directory_rights(const struct own_directory *o, const char *directory)
{
	struct account account = {0};
	int r = own_directory_account(o->user, directory, &account);
	char advice[160];

	if (r < 0) {
		log_error("cannot choose a user: %s", strerror(-r));
		return r;
	}
	snprintf(advice, sizeof(advice),
		"there is no user %s for root to become: create it, or give the "
		"service's directory to another user",
		o->user);
	r = renounce_rights(&account, DATA_BYTES, LIMITS_ANY, advice);
	if (r == 0)
		umask((mode_t)o->mask);
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

int own_directory_confine(const struct own_directory *o, const char *directory, const char *socket)
{
	const struct own_directory_paths paths = {.directory = directory, .socket = socket};
	const struct filter_list *const lists[] = {
		&filter_base, &filter_unix, &filter_server, &filter_keep, o->calls[0], o->calls[1]};
	int r = own_directory_rights(o, directory);

	if (r == 0)
		r = renounce_files(own_directory_allow, &paths);
	return r < 0 ? r : renounce_calls(lists, ARRAY_SIZE(lists) - !o->calls[0] - !o->calls[1]);
}
