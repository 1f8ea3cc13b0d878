/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/net/caller.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "base/mix.h"
#include "base/os/userns.h"

int caller_rules_read(const char *groups, struct caller_rules *r)
{
	r->userns = userns_id();
	return peer_rules_read(groups, &r->peer);
}

/* A listener that the service manager has passed may be of any family. */
static bool is_unix(int fd)
{
	int domain;
	socklen_t len = sizeof(domain);

	return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) < 0 || domain == AF_UNIX;
}

static unsigned int caller_place(uint64_t number)
{
	return 1 + (unsigned int)(mix_bits(number) % (CALLER_PLACES - 1));
}

/* Returns the peer's address; of an IPv6 address its first half, which all hosts of a network share. */
static uint64_t caller_network(int fd)
{
	struct sockaddr_storage address = {.ss_family = AF_UNSPEC};
	const struct sockaddr_in *v4 = (const void *)&address;
	const struct sockaddr_in6 *v6 = (const void *)&address;
	socklen_t len = sizeof(address);
	uint64_t network = 0;

	if (getpeername(fd, (void *)&address, &len) < 0)
		return 0;
	if (address.ss_family == AF_INET)
		network = v4->sin_addr.s_addr;
	else if (address.ss_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr))
		memcpy(&network, v6->sin6_addr.s6_addr + 12, 4);
	else if (address.ss_family == AF_INET6)
		memcpy(&network, v6->sin6_addr.s6_addr, sizeof(network));
	return network;
}

struct caller caller_of(int fd, const struct caller_rules *rules)
{
	enum peer_kind kind;
	uid_t uid;

	if (!is_unix(fd))
		return (struct caller){
			.kind = CALLER_ANYBODY, .place = caller_place(caller_network(fd))};
	if (peer_of(fd, &rules->peer, &kind, &uid) < 0 || kind == PEER_STRANGER)
		return (struct caller){.kind = CALLER_STRANGER, .place = caller_place(0)};
	if (kind == PEER_TRUSTED)
		return (struct caller){.kind = CALLER_TRUSTED};
	return (struct caller){.kind = CALLER_USER,
		.place = caller_place(uid),
		.uid = uid,
		.userns = rules->userns};
}

/*
 * If /proc is restricted, clients of TCP listeners see no processes, unless web.tcp_scope says
 * otherwise: else memtally-web would show them what /proc hides.
 */
static enum sight_kind tcp_sight(enum tcp_scope scope, const struct view *view)
{
	switch (scope) {
	case TCP_SCOPE_PROCESSES: return SIGHT_EXPORTED;
	case TCP_SCOPE_AGGREGATES: return SIGHT_NONE;
	case TCP_SCOPE_AUTO: break;
	}
	return view && !(view_self(view)->flags & SELF_PROC_RESTRICTED) ? SIGHT_EXPORTED
	                                                                : SIGHT_NONE;
}

static struct sight own_sight(const struct caller *c, const struct view *view)
{
	if (!c->userns || !view || view->header->userns != c->userns)
		return (struct sight){.kind = SIGHT_NONE};
	return (struct sight){.kind = SIGHT_OWN, .uid = c->uid};
}

struct sight caller_sight(const struct caller *c, enum tcp_scope scope, const struct view *view)
{
	switch (c->kind) {
	case CALLER_ANYBODY: return (struct sight){.kind = tcp_sight(scope, view)};
	case CALLER_TRUSTED: return (struct sight){.kind = SIGHT_ALL};
	case CALLER_USER: return own_sight(c, view);
	case CALLER_STRANGER: break;
	}
	return (struct sight){.kind = SIGHT_NONE};
}
