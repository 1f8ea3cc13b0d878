/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The user that a program becomes which root has started: one of its own. Who shares a uid with others may read their memory
 * and environment, and end them.
 */
#ifndef MEMTALLY_CONFINE_ACCOUNT_H
#define MEMTALLY_CONFINE_ACCOUNT_H

#include <stdbool.h>
#include <sys/types.h>

struct account {
	uid_t uid;
	gid_t gid;
	bool is_taken; /* by account_take(): no name, and no other process */
};

enum {
	ACCOUNT_ABSENT = 1, /* there is no such user, or nobody's uid is left */
};

/* Whose uid is taken: each from a part of the range, so that two who do so at one moment never meet. */
enum account_part {
	ACCOUNT_DAEMON,
	ACCOUNT_RESOLVER,
	ACCOUNT_WEB,
	ACCOUNT_PARTS, /* how many there are */
};

/* systemd gives these to services with DynamicUser=, and distributions to nobody (systemd's "Users, Groups, UIDs and GIDs"). */
enum {
	ACCOUNT_FIRST = 61184,
	ACCOUNT_LAST = 65519,
};

/*
 * The user NAME in the file at PATH, /etc/passwd. No name service is asked: its modules are nothing to run with all
 * rights. 0, or ACCOUNT_ABSENT, also for one with uid 0 and where there is no file. Errors of opening and reading.
 */
int account_find(const char *path, const char *name, struct account *ret);

/*
 * A uid of PART, by chance, which is not in the file at PATH and of no process that we may see, with the gid of the same number.
 * 0, or ACCOUNT_ABSENT. Errors of opening and reading; where there is no file nobody is in it.
 */
int account_take(const char *path, enum account_part part, struct account *ret);

#endif
