/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/enclosure.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/rights.h"
#include "base/userns.h"
#include "confine/account.h"
#include "confine/filter.h"
#include "confine/landlock.h"
#include "confine/limits.h"

/* Far above what the bodies of a host with 100,000 processes take. */
#define DATA_BYTES (UINT64_C(1) << 30)

#define PASSWD "/etc/passwd"

enum {
	PATH_SIZE = 4096,
	PROCESSES = 16, /* with those of other instances under its uid */
};

/* GnuTLS counts it in when it makes randomness. */
static const struct filter_call serve_calls[] = {
	FILTER_CALL("getrusage"),
};
static const struct filter_list filter_serve = FILTER_LIST(serve_calls);

/* Whom root becomes: the user, or somebody who is nobody else. */
static int choose_account(struct account *ret)
{
	struct account account = {.uid = geteuid(), .gid = getegid()};
	int r = 0;

	if (account.uid == 0)
		r = account_find(PASSWD, "memtally-web", &account);
	if (r == ACCOUNT_ABSENT) {
		r = account_take(PASSWD, ACCOUNT_WEB, &account);
		if (r == 0)
			log_warning("there is no user memtally-web to become: root becomes uid %u, "
				    "which is nobody's and is shown what strangers are shown",
				account.uid);
	}
	if (r == ACCOUNT_ABSENT)
		r = -ESRCH;
	if (r == 0)
		*ret = account;
	return r;
}

/* Root of the host without capabilities still owns what root owns: processes, files, sockets. */
static int check_user(int outcome)
{
	if (outcome != RIGHTS_SAME_USER)
		return outcome;
	if (userns_is_root_outside())
		return -EPERM;
	log_warning("uid 0 stays: it can't become another user here");
	return 0;
}

static int give_up_rights(void)
{
	struct account account = {0};
	int kept, r = choose_account(&account);

	if (r < 0)
		return r;
	r = check_user(rights_keep(NULL, 0, account.uid, account.gid, account.uid, &kept));
	/* It may come to hold keys, which are not to be in a core dump. */
	if (r >= 0 && !SANITIZED && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		r = -errno;
	/* No children, and one thread besides. */
	if (r >= 0)
		r = limits_set(DATA_BYTES, account.is_taken ? PROCESSES : LIMITS_ANY);
	return r;
}

/* The directory of PATH into PARENT. Relative paths are of where we were started, and nobody moves. */
static int find_parent(const char *path, char parent[static PATH_SIZE])
{
	const char *slash = strrchr(path, '/');
	int len = slash ? (int)(slash - path) + 1 : 1;

	return snprintf(parent, PATH_SIZE, "%.*s", len, slash ? path : ".") >= PATH_SIZE
	               ? -ENAMETOOLONG
	               : 0;
}

/* With its directory, for what replaces it; but not with all files that there are. */
static int allow_with_directory(struct landlock *l, const char *path)
{
	char parent[PATH_SIZE];
	struct stat st, root;
	int r = find_parent(path, parent);

	if (r < 0)
		return r;
	if (stat(parent, &st) < 0 || stat("/", &root) < 0)
		return 0;
	if (st.st_dev == root.st_dev && st.st_ino == root.st_ino)
		return landlock_allow(l, path, LANDLOCK_MAY_READ_FILE);
	return landlock_allow(l, parent, LANDLOCK_MAY_READ);
}

/* As certificates are kept up to date: a link to the newest one, or to a directory with the newest ones, elsewhere. */
static int allow_file(struct landlock *l, const char *path)
{
	AUTO_FREE char *target = realpath(path, NULL);
	int r = allow_with_directory(l, path);

	return r == 0 && target ? allow_with_directory(l, target) : r;
}

/* In its directory: a file that is to be removed may be another one by then. */
static int allow_removal(struct landlock *l, const char *path)
{
	char parent[PATH_SIZE];
	int r = find_parent(path, parent);

	return r < 0 ? r : landlock_allow(l, parent, LANDLOCK_MAY_REMOVE);
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
	const char *notify = getenv("NOTIFY_SOCKET");
	struct landlock l;
	int r = landlock_open(notify && *notify == '@', &l);

	if (r < 0 || r == LANDLOCK_UNSUPPORTED)
		return r;
	r = allow_self(&l);
	for (size_t i = 0; r == 0 && i < count; i++)
		if (files[i])
			r = allow_file(&l, files[i]);
	for (size_t i = 0; r == 0 && i < set->count; i++)
		if (set->socket[i].path)
			r = allow_removal(&l, set->socket[i].path);
	if (r == 0)
		r = landlock_enter(&l);
	landlock_close(&l);
	return r;
}

static bool has_socket_file(const struct listen_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->socket[i].path)
			return true;
	return false;
}

static int give_up_calls(bool may_unlink)
{
	/* The last one only where there is a file to remove, and no other can be. */
	static const struct filter_list *const lists[] = {&filter_base, &filter_unix,
		&filter_server, &filter_threads, &filter_serve, &filter_unlink};

	return filter_load(lists, ARRAY_SIZE(lists) - !may_unlink);
}

int enclosure_enter(const char *const *files, size_t count, const struct listen_set *set)
{
	bool is_limited;
	int r = give_up_rights();

	if (r < 0) {
		log_error("can't give up rights: %s",
			r == -EPERM && geteuid() == 0
				? "uid 0 can't become another user here; run it as another uid, or "
				  "add the capabilities SETUID and SETGID"
				: strerror(-r));
		return r;
	}
	tzset(); /* reads a file when it is first called */
	/* A sanitizer writes its reports, and looks names up in the program's file. */
	r = filter_is_wide() ? LANDLOCK_UNSUPPORTED : leave_files(files, count, set);
	is_limited = r == 0;
	if (r < 0) {
		log_error("can't give up files: %s", strerror(-r));
		return r;
	}
	if (r == LANDLOCK_UNSUPPORTED)
		log_info(
			"files can't be given up: this kernel has no Landlock, or not switched on");
	r = give_up_calls(is_limited && has_socket_file(set));
	if (r < 0) {
		log_error("can't give up system calls: %s", strerror(-r));
		return r;
	}
	if (r == FILTER_UNSUPPORTED)
		log_warning("system calls can't be given up: this kernel has no seccomp filters");
	return 0;
}
