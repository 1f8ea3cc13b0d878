/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "base/os/peer.h"

#include "base/os/group.h"
#include "base/os/userns.h"

int peer_rules_read(const char *groups, struct peer_rules *r)
{
	int found;

	*r = (struct peer_rules){
		.gid = (gid_t)-1, .uid = (uid_t)-1, .has_unmapped = userns_has_unmapped()};
	found = group_find(groups, "memtally", &r->gid);
	return found < 0 ? found : 0;
}

enum peer_kind peer_judge(
	const struct channel_peer *peer, bool is_member, const struct peer_rules *rules)
{
	if (rules->has_unmapped && peer->uid == USERNS_UNMAPPED_UID)
		return PEER_STRANGER; /* even if it is our own uid */
	return peer->uid == 0 || peer->uid == rules->uid || is_member ? PEER_TRUSTED : PEER_USER;
}

int peer_of(int fd, const struct peer_rules *rules, enum peer_kind *ret_kind, uid_t *ret_uid)
{
	struct channel_peer peer;
	int r = channel_peer(fd, &peer);

	if (r < 0)
		return r;
	*ret_kind = peer_judge(&peer,
		rules->gid != (gid_t)-1 && channel_peer_in_group(fd, &peer, rules->gid), rules);
	*ret_uid = peer.uid;
	return 0;
}
