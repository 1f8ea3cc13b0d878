/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Peer access: which rows a client sees, by the credentials of its connection. Root,
 * memtally-ledger's own user and members of group memtally see all rows; any other user sees its
 * own.
 */
#ifndef MEMTALLY_LEDGER_PEER_ACCESS_H
#define MEMTALLY_LEDGER_PEER_ACCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/os/channel.h"
#include "ledger/store/store.h"

struct peer_access_rules {
	gid_t gid; /* of group memtally; -1: there is none */
	uid_t uid; /* of memtally-ledger; -1: not set */
	/* userns_has_unmapped(): several users may appear as USERNS_UNMAPPED_UID */
	bool has_unmapped;
};

/*
 * Fills in R, with uid -1: the caller sets it after giving up root. GROUPS is the path of
 * /etc/group. Returns 0, or a negative errno if GROUPS cannot be read; R is valid then, without the
 * group.
 */
int peer_access_rules_read(const char *groups, struct peer_access_rules *r);

/*
 * Returns what the client with the credentials PEER sees. IS_MEMBER: it is in group memtally. Pure.
 */
struct store_reader peer_access_judge(
	const struct channel_peer *peer, bool is_member, const struct peer_access_rules *rules);

/*
 * Sets *RET to what the client connected to FD sees, and *RET_UID to its uid. Returns 0, -EPERM if
 * the kernel does not tell the credentials, or an error of getsockopt().
 */
int peer_access_of(
	int fd, const struct peer_access_rules *rules, struct store_reader *ret, uid_t *ret_uid);

#endif
