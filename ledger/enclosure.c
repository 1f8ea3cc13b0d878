/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "ledger/enclosure.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/channel.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "base/rights.h"
#include "base/userns.h"
#include "confine/account.h"
#include "confine/filter.h"
#include "confine/landlock.h"
#include "confine/limits.h"

/* Far above what 100,000 owners and a report on them take. */
#define DATA_BYTES (UINT64_C(512) << 20)

#define PASSWD "/etc/passwd"

/*
 * Whom root becomes. No uid that is nobody's, as other daemons take: what is written today is to be there for whoever
 * runs tomorrow.
 */
static int choose_account(const char *directory, struct account *ret)
{
	struct account account = {.uid = geteuid(), .gid = getegid()};
	struct stat st;
	int r = account.uid == 0 ? account_find(PASSWD, "memtally-ledger", &account) : 0;

	if (r < 0)
		return r;
	if (r == ACCOUNT_ABSENT) {
		if (stat(directory, &st) < 0)
			return -errno;
		account = (struct account){.uid = st.st_uid, .gid = st.st_gid};
	}
	*ret = account;
	return 0;
}

/* Root of the host without capabilities still owns what root owns: processes, files, sockets. */
static int check_user(int outcome, uid_t uid)
{
	if (outcome != RIGHTS_SAME_USER && (outcome != 0 || uid != 0))
		return outcome;
	if (userns_is_root_outside())
		return -EPERM;
	log_warning("uid 0 stays: it can't become another user here");
	return 0;
}

static int give_up_rights(const char *directory)
{
	struct account account = {0};
	int kept, r = choose_account(directory, &account);

	if (r < 0)
		return r;
	r = check_user(
		rights_keep(NULL, 0, account.uid, account.gid, account.uid, &kept), account.uid);
	if (r >= 0 && !SANITIZED && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		r = -errno;
	return r < 0 ? r : limits_set(DATA_BYTES, LIMITS_ANY);
}

/* The directory of a socket file that is to be removed. */
static int allow_removal(struct landlock *l, const char *path)
{
	char parent[CHANNEL_PATH_MAX + 1];
	const char *slash = strrchr(path, '/');

	snprintf(parent, sizeof(parent), "%.*s", slash ? (int)(slash - path) + 1 : 1,
		slash ? path : ".");
	return landlock_allow(l, parent, LANDLOCK_MAY_REMOVE);
}

static int leave_files(const char *directory, const char *socket)
{
	const char *notify = getenv("NOTIFY_SOCKET");
	struct landlock l;
	int r = landlock_open(notify && *notify == '@', &l);

	if (r < 0 || r == LANDLOCK_UNSUPPORTED)
		return r;
	r = landlock_allow(&l, directory, LANDLOCK_MAY_KEEP);
	if (r == 0 && socket)
		r = allow_removal(&l, socket);
	if (r == 0)
		r = landlock_enter(&l);
	landlock_close(&l);
	return r;
}

int enclosure_confine(const char *directory, const char *socket)
{
	static const struct filter_list *const lists[] = {
		&filter_base, &filter_unix, &filter_server, &filter_keep};
	unsigned char chance;
	int r = give_up_rights(directory);

	if (r < 0) {
		log_error("can't give up rights: %s",
			r == -EPERM && geteuid() == 0
				? "there is no user memtally-ledger that root could become; make one, or "
				  "give the ledger's directory to another user"
				: strerror(-r));
		return r;
	}
	umask(0077);
	sqlite3_randomness(sizeof(chance), &chance); /* reads a file when it is first called */
	/* A sanitizer writes its reports, and looks names up in the program's file. */
	r = filter_is_wide() ? LANDLOCK_UNSUPPORTED : leave_files(directory, socket);
	if (r < 0) {
		log_error("can't give up files: %s", strerror(-r));
		return r;
	}
	if (r == LANDLOCK_UNSUPPORTED)
		log_info(
			"files can't be given up: this kernel has no Landlock, or not switched on");
	r = filter_load(lists, ARRAY_SIZE(lists));
	if (r < 0) {
		log_error("can't give up system calls: %s", strerror(-r));
		return r;
	}
	if (r == FILTER_UNSUPPORTED)
		log_warning("system calls can't be given up: this kernel has no seccomp filters");
	return 0;
}
