/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trusted Peers
 *
 * Which clients at a daemon's UNIX socket see everything: root, the daemon's own user, and members
 * of group memtally. The kernel tells the uid and the groups of a client.
 */
#ifndef MEMTALLY_BASE_OS_PEER_H
#define MEMTALLY_BASE_OS_PEER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/os/channel.h"

struct peer_rules {
	gid_t gid; /* of group memtally; -1: there is none */
	uid_t uid; /* of the daemon; -1: not known yet */
	/* userns_has_unmapped(): several users may appear as USERNS_UNMAPPED_UID */
	bool has_unmapped;
};

/*
 * Fills in R. Sets .uid to -1, because the uid may change until root is given up: the caller sets
 * it after that. GROUPS is the path of the group file, /etc/group, in which "memtally" is looked
 * up. Returns 0, also if there is no such group; or a negative errno if the file cannot be read,
 * and then no peer is a member of the group.
 */
int peer_rules_read(const char *groups, struct peer_rules *r);

enum peer_kind {
	PEER_TRUSTED,
	PEER_USER,     /* another user with a known uid */
	PEER_STRANGER, /* a user without a uid here */
};

/* Returns the kind of PEER. IS_MEMBER: it is a member of group memtally. Pure. */
enum peer_kind peer_judge(
	const struct channel_peer *peer, bool is_member, const struct peer_rules *rules);

/*
 * Writes the kind of the peer of FD to *RET_KIND, and its uid to *RET_UID. Returns 0, or an error
 * of channel_peer().
 */
int peer_of(int fd, const struct peer_rules *rules, enum peer_kind *ret_kind, uid_t *ret_uid);

#endif
