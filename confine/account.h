/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The user that a program started by root becomes. Each program has one of its own: processes of
 * the same uid may read each other's memory and environment, and kill each other.
 */
#ifndef MEMTALLY_CONFINE_ACCOUNT_H
#define MEMTALLY_CONFINE_ACCOUNT_H

#include <stdbool.h>
#include <sys/types.h>

struct account {
	uid_t uid;
	gid_t gid;
	bool is_taken; /* from account_take(): it has no name and no other processes */
};

enum {
	ACCOUNT_ABSENT = 1, /* there is no such user, or no free uid */
};

/*
 * The purpose of a free uid. Each purpose has its own part of the range, so that two programs that
 * take one at the same moment never get the same.
 */
enum account_part {
	ACCOUNT_DAEMON,
	ACCOUNT_RESOLVER,
	ACCOUNT_WEB,
	ACCOUNT_PARTS, /* number of parts */
};

/*
 * The range that systemd uses for services with DynamicUser=, and that distributions give to no
 * user (systemd's "Users, Groups, UIDs and GIDs").
 */
enum {
	ACCOUNT_FIRST = 61184,
	ACCOUNT_LAST = 65519,
};

/*
 * Finds the user NAME in the file at PATH (/etc/passwd) and sets *RET. Asks no name service: its
 * modules must not run with all rights. Returns 0; ACCOUNT_ABSENT if there is no such user or file,
 * or its uid is 0; -ENOMEM; -ERANGE if a line exceeds 16 MiB; or another negative errno if the file
 * cannot be read.
 */
int account_find(const char *path, const char *name, struct account *ret);

/* The file for account_find() and account_take(). */
#define ACCOUNT_PASSWD "/etc/passwd"

/*
 * Sets *RET to the account that this process is to have: if it is root, the user NAME in
 * ACCOUNT_PASSWD, else its own. Returns 0; ACCOUNT_ABSENT if there is no such user, and then *RET is
 * unchanged; or an errno of account_find().
 */
int account_choose(const char *name, struct account *ret);

/*
 * Sets *RET to a random uid of PART that is not in the file at PATH (/etc/passwd) and is no
 * process's real uid in this pid namespace, with the gid of the same number. Asks the kernel for
 * processes (getpriority()), so it also finds those that /proc hides. A missing file counts as
 * empty. Returns 0; ACCOUNT_ABSENT if no uid is free; -ENOMEM; -ERANGE if a line exceeds 16 MiB; or
 * another negative errno if the file cannot be read.
 */
int account_take(const char *path, enum account_part part, struct account *ret);

#endif
