/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who gets the whole image, besides root. That is decided by the host's own files alone, and by nobody who answers for
 * them.
 */
#ifndef MEMTALLY_DAEMON_PRIVILEGED_H
#define MEMTALLY_DAEMON_PRIVILEGED_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/channel.h"

/* (uid_t)-1 and (gid_t)-1: nobody. */
struct privileged {
	uid_t own;         /* as whom memtallyd runs, once it has given up root */
	uid_t web;         /* user memtally-web */
	uid_t ledger;      /* user memtally-ledger */
	gid_t group;       /* memtally */
	bool has_unmapped; /* base/userns.h */
};

/* Nobody. */
void privileged_init(struct privileged *p);

/*
 * Looks up .web, .ledger and .group in the files USERS and GROUPS, /etc/passwd and /etc/group. A negative errno where one of them
 * can't be read: what it was to say stays as it was.
 */
int privileged_read(struct privileged *p, const char *users, const char *groups);

/* Whether PEER, who has connected with FD, is root or one of them. */
bool privileged_has(const struct privileged *p, int fd, const struct channel_peer *peer);

#endif
