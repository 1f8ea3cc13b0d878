/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Access list of the snapshot socket
 *
 * The users and the group that get the whole image, in addition to root. The list comes from the
 * host's own files alone: a name service cannot change it.
 */
#ifndef MEMTALLY_DAEMON_ACCESS_LIST_H
#define MEMTALLY_DAEMON_ACCESS_LIST_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/os/channel.h"

/* (uid_t)-1 and (gid_t)-1: none. */
struct access_list {
	uid_t own;         /* memtallyd's own, once it has given up root */
	uid_t web;         /* user memtally-web */
	uid_t ledger;      /* user memtally-ledger */
	uid_t recorder;    /* user memtally-recorder */
	gid_t group;       /* memtally */
	bool has_unmapped; /* uid USERNS_UNMAPPED_UID may be any user: userns_has_unmapped() */
};

/* Initialises P without users or group; reads /proc/self/uid_map for .has_unmapped. */
void access_list_init(struct access_list *p);

/*
 * Looks up .web, .ledger, .recorder and .group in the files at USERS and GROUPS (paths: /etc/passwd and
 * /etc/group). A user or group that the file lacks becomes -1. Returns 0, or a negative errno if a
 * file cannot be read: its members of P stay as they were.
 */
int access_list_read(struct access_list *p, const char *users, const char *groups);

/*
 * Returns whether PEER, the client at the other end of FD (a connected socket, borrowed), is root,
 * one of the users, or a member of the group. A uid that stands for unmapped users of a user
 * namespace never is.
 */
bool access_list_has(const struct access_list *p, int fd, const struct channel_peer *peer);

#endif
