/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/enclosure.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/rights.h"
#include "confine/account.h"
#include "confine/filter.h"
#include "confine/landlock.h"
#include "confine/limits.h"

/* Far above what the bodies of a host with 100,000 processes take. */
#define DATA_BYTES (UINT64_C(1) << 30)

enum { PATH_SIZE = 4096 };

/* Root's place is taken by a user, or, where there is none who could be let see whole snapshots, by root without rights. */
static int give_up_rights(void)
{
	struct account account = {.uid = geteuid(), .gid = getegid()};
	int kept, r;

	if (account.uid == 0 && account_find("/etc/passwd", "memtally-web", &account) != 0)
		log_warning(
			"there is no user memtally-web to become: it stays root, without capabilities");
	r = rights_keep(NULL, 0, account.uid, account.gid, &kept);
	if (r == RIGHTS_SAME_USER)
		log_warning("uid 0 stays: it can't become another user here");
	/* It may come to hold keys, which are not to be in a core dump. */
	if (r >= 0 && !SANITIZED && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		r = -errno;
	return r < 0 ? r : 0;
}

/* The directory of PATH. Relative paths are of where we were started, and nobody moves. */
static int allow_parent(struct landlock *l, const char *path, enum landlock_right right)
{
	const char *slash = strrchr(path, '/');
	char parent[PATH_SIZE];
	int len = slash ? (int)(slash - path) + 1 : 1;

	if (snprintf(parent, sizeof(parent), "%.*s", len, slash ? path : ".") >=
		(int)sizeof(parent))
		return -ENAMETOOLONG;
	return landlock_allow(l, parent, right);
}

/* As certificates are kept up to date: a link to the newest one, or to a directory with the newest ones, elsewhere. */
static int allow_file(struct landlock *l, const char *path)
{
	AUTO_FREE char *target = realpath(path, NULL);
	int r = allow_parent(l, path, LANDLOCK_MAY_READ);

	return r == 0 && target ? allow_parent(l, target, LANDLOCK_MAY_READ) : r;
}

/*
 * The directory of a process in /proc is another inode when the kernel has forgotten it and is asked again, and rules are
 * about inodes: so it is kept open for as long as we live.
 */
static int allow_self(struct landlock *l)
{
	int fd = open("/proc/self/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? 0 : landlock_allow_fd(l, fd, LANDLOCK_MAY_READ);
}

static int leave_files(const char *const *files, size_t count, const struct listen_set *set)
{
	struct landlock l;
	int r = landlock_open(&l);

	if (r < 0 || r == LANDLOCK_UNSUPPORTED)
		return r;
	r = allow_self(&l);
	for (size_t i = 0; r == 0 && i < count; i++)
		if (files[i])
			r = allow_file(&l, files[i]);
	for (size_t i = 0; r == 0 && i < set->count; i++)
		if (set->socket[i].path)
			r = allow_parent(&l, set->socket[i].path, LANDLOCK_MAY_REMOVE);
	if (r == 0)
		r = landlock_enter(&l);
	landlock_close(&l);
	return r;
}

int enclosure_enter(const char *const *files, size_t count, const struct listen_set *set)
{
	static const struct filter_list *const lists[] = {&filter_base, &filter_unix};
	int r = give_up_rights();

	if (r < 0) {
		log_error("can't give up rights: %s", strerror(-r));
		return r;
	}
	r = limits_set(DATA_BYTES);
	if (r < 0)
		log_warning("can't set limits: %s", strerror(-r));
	tzset(); /* reads a file when it is first called */
	/* A sanitizer writes its reports, and looks names up in the program's file. */
	r = SANITIZED ? 0 : leave_files(files, count, set);
	if (r < 0)
		log_warning("can't give up files: %s", strerror(-r));
	else if (r == LANDLOCK_UNSUPPORTED)
		log_info(
			"files can't be given up: this kernel has no Landlock, or not switched on");
	r = filter_load(lists, ARRAY_SIZE(lists));
	if (r < 0)
		log_warning("can't give up system calls: %s", strerror(-r));
	else if (r == FILTER_UNSUPPORTED)
		log_warning("system calls can't be given up: this kernel has no seccomp filters");
	return 0;
}
