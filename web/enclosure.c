/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/enclosure.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "confine/limits.h"
#include "service/renounce.h"

/* Far above what the bodies of a host with 100,000 processes take. */
#define DATA_BYTES (UINT64_C(1) << 30)

#define PASSWD "/etc/passwd"

enum { PROCESSES = 16 }; /* with those of other instances under its uid */

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

/* With its directory, for what replaces it; but not with all files that there are. */
static int allow_with_directory(struct landlock *l, const char *path)
{
	char parent[LANDLOCK_PATH_SIZE];
	struct stat st, root;
	int r = landlock_parent(path, parent);

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

/*
 * The directory of a process in /proc is another inode when the kernel has forgotten it and is asked again, and rules are
 * about inodes: so it is kept open for as long as we live.
 */
static int allow_self(struct landlock *l)
{
	int fd = open("/proc/self/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? 0 : landlock_allow_fd(l, fd, LANDLOCK_MAY_READ);
}

struct needs {
	const char *const *files;
	size_t count;
	const struct listen_set *set;
};

static int allow(struct landlock *l, const void *needs_)
{
	const struct needs *needs = needs_;
	int r = allow_self(l);

	for (size_t i = 0; r == 0 && i < needs->count; i++)
		if (needs->files[i])
			r = allow_file(l, needs->files[i]);
	for (size_t i = 0; r == 0 && i < needs->set->count; i++)
		if (needs->set->socket[i].path)
			r = landlock_allow_removal(l, needs->set->socket[i].path);
	return r;
}

static bool has_socket_file(const struct listen_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->socket[i].path)
			return true;
	return false;
}

int enclosure_enter(const char *const *files, size_t count, const struct listen_set *set)
{
	static const struct filter_list *const lists[] = {&filter_base, &filter_unix,
		&filter_server, &filter_threads, &filter_serve, &filter_unlink};
	const struct needs needs = {.files = files, .count = count, .set = set};
	struct account account = {0};
	int r = choose_account(&account);

	if (r < 0) {
		log_error("can't choose a user: %s", strerror(-r));
		return r;
	}
	/* No children, and one thread besides. */
	r = renounce_rights(&account, DATA_BYTES, account.is_taken ? PROCESSES : LIMITS_ANY,
		"uid 0 can't become another user here; run it as another uid, or add the capabilities "
		"SETUID and SETGID");
	if (r < 0)
		return r;
	tzset(); /* reads a file when it is first called */
	r = renounce_files(allow, &needs);
	if (r < 0)
		return r;
	/* The last one only where there is a file to remove, and no other can be. */
	return renounce_calls(lists, ARRAY_SIZE(lists) - (r != 0 || !has_socket_file(set)));
}
