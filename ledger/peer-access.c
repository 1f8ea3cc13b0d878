/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "ledger/peer-access.h"

#include "base/os/group.h"
#include "base/os/userns.h"

int peer_access_rules_read(const char *groups, struct peer_access_rules *r)
{
	int found;

	*r = (struct peer_access_rules){
		.gid = (gid_t)-1, .uid = (uid_t)-1, .has_unmapped = userns_has_unmapped()};
	found = group_find(groups, "memtally", &r->gid);
	return found < 0 ? found : 0;
}

struct store_reader peer_access_judge(
	const struct channel_peer *peer, bool is_member, const struct peer_access_rules *rules)
{
	if (rules->has_unmapped && peer->uid == USERNS_UNMAPPED_UID)
		return (struct store_reader){
			.uid = OWNER_NO_ID}; /* no known user, even if it is our own uid */
	return (struct store_reader){
		.sees_all = peer->uid == 0 || peer->uid == rules->uid || is_member,
		.uid = peer->uid,
	};
}

int peer_access_of(
	int fd, const struct peer_access_rules *rules, struct store_reader *ret, uid_t *ret_uid)
{
	struct channel_peer peer;
	int r = channel_peer(fd, &peer);

	if (r < 0)
		return r;
	*ret = peer_access_judge(&peer,
		rules->gid != (gid_t)-1 && channel_peer_in_group(fd, &peer, rules->gid), rules);
	*ret_uid = peer.uid;
	return 0;
}
