/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who asks, by what the kernel says of the connection: root, our own user and the members of group memtally see all
 * rows, any other user his own.
 */
#ifndef MEMTALLY_LEDGER_READER_H
#define MEMTALLY_LEDGER_READER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/channel.h"
#include "ledger/store.h"

struct reader_rules {
	gid_t gid;         /* the group's; -1: there is none */
	uid_t uid;         /* our own; -1: that is nobody's */
	bool has_unmapped; /* base/userns.h */
};

/*
 * Fills in R but .uid, which is nobody's: it is not ours before root is given up. The group is "memtally" in the file
 * GROUPS, /etc/group; a negative errno where that can't be read: then nobody is in it.
 */
int reader_rules_read(const char *groups, struct reader_rules *r);

/* Pure: of whom the kernel says PEER; IS_MEMBER: of the group. */
struct store_reader reader_judge(
	const struct channel_peer *peer, bool is_member, const struct reader_rules *rules);

/* Who has connected with FD, and by which uid. -EPERM where the kernel does not tell, and getsockopt's errors. */
int reader_of(int fd, const struct reader_rules *rules, struct store_reader *ret, uid_t *ret_uid);

#endif
