/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/sandbox.h"

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

/* bytes; far above the bodies of a host with 100,000 processes */
#define DATA_BYTES (UINT64_C(1) << 30)

enum { PROCESSES = 16 }; /* limit for the uid, other instances included */

/* GnuTLS calls it when it makes random numbers. */
static const struct filter_call serve_calls[] = {
	FILTER_CALL("getrusage"),
};
static const struct filter_list filter_serve = FILTER_LIST(serve_calls);

/*
 * Writes to *RET the account to become: the process's own; for root, the user memtally-web or else
 * a uid that no user has. Returns 0; -ESRCH if there is none; or a negative errno.
 */
static int web_sandbox_choose_account(struct account *ret)
{
	int r = account_choose("memtally-web", ret);

	if (r != ACCOUNT_ABSENT)
		return r;
	r = account_take(ACCOUNT_PASSWD, ACCOUNT_WEB, ret);
	if (r == 0)
		log_warning("there is no user memtally-web: root becomes uid %u, which no user "
			    "has and to which memtallyd shows no more than to other users",
			ret->uid);
	return r == ACCOUNT_ABSENT ? -ESRCH : r;
}

/*
 * Allows to read all of PATH's directory, so that a file that replaces PATH can be read. If the
 * directory is "/", allows PATH alone.
 */
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

/*
 * Allows PATH and, if it is a symbolic link, its target: tools that renew certificates let a link
 * point to the newest file, or to another directory with the newest files.
 */
static int allow_file(struct landlock *l, const char *path)
{
	AUTO_FREE char *target = realpath(path, NULL);
	int r = allow_with_directory(l, path);

	return r == 0 && target ? allow_with_directory(l, target) : r;
}

/*
 * Allows /proc/self. A rule is bound to an inode, and /proc/PID gets a new inode when the kernel
 * has dropped the old one. So the descriptor stays open, which keeps the inode, until the process
 * exits.
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

static int web_sandbox_allow(struct landlock *l, const void *needs_)
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

int sandbox_enter(const char *const *files, size_t count, const struct listen_set *set)
{
	static const struct filter_list *const lists[] = {&filter_base, &filter_unix,
		&filter_server, &filter_threads, &filter_serve, &filter_unlink};
	const struct needs needs = {.files = files, .count = count, .set = set};
	struct account account = {0};
	int r = web_sandbox_choose_account(&account);

	if (r < 0) {
		log_error("cannot choose a user: %s", strerror(-r));
		return r;
	}
	/* memtally-web has no children and one more thread. */
	r = renounce_rights(
		&account, DATA_BYTES, account.is_taken ? PROCESSES : LIMITS_ANY, RENOUNCE_ADVICE);
	if (r < 0)
		return r;
	tzset(); /* the first call reads a file */
	r = renounce_files(web_sandbox_allow, &needs);
	if (r < 0)
		return r;
	/*
	 * unlink() stays allowed only if there is a socket file to remove and Landlock protects all
	 * other files.
	 */
	return renounce_calls(lists, ARRAY_SIZE(lists) - (r != 0 || !has_socket_file(set)));
}
