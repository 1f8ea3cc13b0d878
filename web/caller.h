/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is at the other end of a connection, as far as the kernel tells: of a UNIX socket by SO_PEERCRED and
 * SO_PEERGROUPS, of any other not at all. The kernel keeps what was true at connect(): whoever passes a connection on, or
 * serves others through it as a proxy does, has answered for them.
 */
#ifndef MEMTALLY_WEB_CALLER_H
#define MEMTALLY_WEB_CALLER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/channel.h"
#include "config/option.h"
#include "snapshot/sight.h"
#include "snapshot/view.h"

enum caller_kind {
	CALLER_ANYBODY, /* the socket does not tell: it may be any user, of any machine that reaches it */
	CALLER_TRUSTED, /* root, our own user, or a member of the group */
	CALLER_USER,    /* one who has a uid of his own */
	CALLER_STRANGER, /* one who has none: in our user namespace, or because the kernel won't say */
};

struct caller {
	enum caller_kind kind;
	uid_t uid;       /* of CALLER_USER */
	uint64_t userns; /* to whom that is his uid, by userns_id() */
};

/* Whom to trust. */
struct caller_rules {
	gid_t gid;         /* the group's; -1: there is none */
	uid_t uid;         /* our own; -1: that is nobody's */
	uint64_t userns;   /* ours, by userns_id() */
	bool has_unmapped; /* base/userns.h */
};

/*
 * Fills in R but .uid, which is nobody's: it is not ours before root is given up. The group is "memtally" in the file GROUPS, /etc/group; a negative errno where that can't be read: then nobody
 * is in it.
 */
int caller_rules_read(const char *groups, struct caller_rules *r);

/* Who has connected with FD. */
struct caller caller_of(int fd, const struct caller_rules *rules);

/* Pure: of whom the kernel says PEER; IS_MEMBER: of the group. */
struct caller caller_judge(
	const struct channel_peer *peer, bool is_member, const struct caller_rules *rules);

/*
 * Pure: which processes of VIEW (NULL: there is none) C sees; SCOPE is what TCP listeners are to show. A user of another user
 * namespace than that whose uids VIEW has sees none: there his uid is somebody else's.
 */
struct sight caller_sight(const struct caller *c, enum tcp_scope scope, const struct view *view);

#endif
