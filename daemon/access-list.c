/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "daemon/access-list.h"

#include "base/cleanup.h"
#include "base/os/group.h"
#include "base/os/userns.h"
#include "confine/account.h"

void access_list_init(struct access_list *p)
{
	*p = (struct access_list){
		.own = (uid_t)-1,
		.web = (uid_t)-1,
		.ledger = (uid_t)-1,
		.recorder = (uid_t)-1,
		.group = (gid_t)-1,
		.has_unmapped = userns_has_unmapped(),
	};
}

int access_list_read(struct access_list *p, const char *users, const char *groups)
{
	const struct {
		const char *name;
		uid_t *uid;
	} services[] = {
		{"memtally-web", &p->web},
		{"memtally-ledger", &p->ledger},
		{"memtally-recorder", &p->recorder},
	};
	gid_t group = (gid_t)-1;
	int r = 0, of_group = group_find(groups, "memtally", &group);

	for (size_t i = 0; i < ARRAY_SIZE(services); i++) {
		struct account found = {.uid = (uid_t)-1};
		int of_user = account_find(users, services[i].name, &found);

		if (of_user >= 0)
			*services[i].uid = found.uid;
		else if (r == 0)
			r = of_user;
	}
	if (of_group >= 0)
		p->group = group;
	return r == 0 && of_group < 0 ? of_group : r;
}

bool access_list_has(const struct access_list *p, int fd, const struct channel_peer *peer)
{
	/* It may be any user, even if it is memtallyd's own uid */
	if (p->has_unmapped && peer->uid == USERNS_UNMAPPED_UID)
		return false;
	if (peer->uid == 0)
		return true;
	if (peer->uid != (uid_t)-1 && (peer->uid == p->own || peer->uid == p->web ||
					      peer->uid == p->ledger || peer->uid == p->recorder))
		return true;
	return p->group != (gid_t)-1 && channel_peer_in_group(fd, peer, p->group);
}
