/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The user that a program becomes which root has started.
 */
#ifndef MEMTALLY_CONFINE_ACCOUNT_H
#define MEMTALLY_CONFINE_ACCOUNT_H

#include <sys/types.h>

struct account {
	uid_t uid;
	gid_t gid;
};

enum {
	ACCOUNT_ABSENT = 1, /* there is no such user */
	ACCOUNT_NOBODY = 65534,
};

/*
 * The user NAME in the file at PATH, /etc/passwd. No name service is asked: its modules are nothing to run with all
 * rights. 0, or ACCOUNT_ABSENT, also for one with uid 0. Errors of opening and reading.
 */
int account_find(const char *path, const char *name, struct account *ret);

#endif
