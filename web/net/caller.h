/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Callers
 *
 * Tells which user is at the other end of a connection. For a UNIX socket the kernel says so
 * (SO_PEERCRED, SO_PEERGROUPS); for other sockets it says nothing. The kernel keeps the identity
 * from connect(): a process that passes its connection on, or a proxy that forwards requests
 * through it, lends its identity to its own clients.
 */
#ifndef MEMTALLY_WEB_NET_CALLER_H
#define MEMTALLY_WEB_NET_CALLER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/os/peer.h"
#include "config/option.h"
#include "snapshot/sight.h"
#include "snapshot/view.h"

enum caller_kind {
	CALLER_ANYBODY,  /* not a UNIX socket: any user of any machine that reaches it */
	CALLER_TRUSTED,  /* root, memtally-web's own user, group memtally */
	CALLER_USER,     /* another user with a known uid */
	CALLER_STRANGER, /* a user without a uid here, or the kernel does not tell */
};

/* For limits that a caller shares with some others, and not with all. */
enum { CALLER_PLACES = 16 };

struct caller {
	enum caller_kind kind;
	/*
	 * Below CALLER_PLACES: 0 for trusted callers, else the same for each connection of an address
	 * or uid.
	 */
	unsigned int place;
	uid_t uid;       /* of CALLER_USER only */
	uint64_t userns; /* of CALLER_USER: user namespace of .uid (userns_id()) */
};

/* Facts that tell trusted callers from others. */
struct caller_rules {
	struct peer_rules peer;
	uint64_t userns; /* memtally-web's user namespace (userns_id()) */
};

/* Fills in R. Parameters and errors are those of peer_rules_read(). */
int caller_rules_read(const char *groups, struct caller_rules *r);

/*
 * Returns which caller has connected with FD, a connected socket. On errors it is CALLER_STRANGER.
 */
struct caller caller_of(int fd, const struct caller_rules *rules);

/*
 * Returns which processes of VIEW the caller C may see; VIEW may be NULL. SCOPE is what TCP
 * listeners show (web.tcp_scope). A CALLER_USER sees the processes of its uid, but none if VIEW has
 * uids of another user namespace. Pure.
 */
struct sight caller_sight(const struct caller *c, enum tcp_scope scope, const struct view *view);

#endif
