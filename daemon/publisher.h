/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Publishing
 *
 * Sends snapshots to the clients of the snapshot socket, and never reads a byte from them.
 * Privileged clients (root, the users of memtallyd, memtally-web, memtally-ledger and
 * memtally-recorder, group memtally) get the whole image. All others are strangers and get the image
 * without processes. In a user namespace, a client without a uid there is a stranger.
 *
 * If there is no room for a new client, the stranger that has been served longest is disconnected;
 * it may connect again. Snapshots that clients keep are memtallyd's memory: a client that holds too
 * many gets no new one, and stays connected (service/leases.h). Root gets every snapshot.
 */
#ifndef MEMTALLY_DAEMON_PUBLISHER_H
#define MEMTALLY_DAEMON_PUBLISHER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

#include "base/cleanup.h"
#include "config/option.h"
#include "daemon/access-list.h"
#include "daemon/children/resolver.h"

enum {
	PUBLISHER_CLIENTS_MAX = 16,
	PUBLISHER_STRANGERS_MAX = 10, /* of these; the other places are for privileged clients */
	PUBLISHER_STRANGERS_UID = 4,  /* of one uid */
};

struct publisher;

/*
 * Listens at PATH, or on the socket that the service manager passed, and serves clients from EVENT
 * (borrowed). The caller gives *RET to publisher_close(). Returns 0; -EINVAL if the service manager
 * passed anything but one listening SOCK_SEQPACKET socket; -ENOMEM; or an error of channel_listen()
 * or sd_event_add_io().
 */
int publisher_open(sd_event *event, const char *path, struct publisher **ret);

/*
 * Disconnects all clients, and removes the socket file unless it is the service manager's. Accepts
 * NULL; returns NULL.
 */
struct publisher *publisher_close(struct publisher *p);

/*
 * Refuses connections from the resolver's processes with memtallyd's own uid, which would be
 * privileged: the resolver parses answers of name services. R is borrowed; NULL: there is no
 * resolver.
 */
void publisher_set_resolver(struct publisher *p, const struct resolver *r);

/*
 * Sets the privileged users and group (copied), in addition to root. Before the first call there
 * are none.
 */
void publisher_set_privileged(struct publisher *p, const struct access_list *privileged);

/*
 * Sends a new snapshot to all clients, and keeps it for clients that connect later. Skips clients
 * that have not read the last one, and those that hold too many. FD is the whole image, PUBLIC_FD
 * the one without processes; takes both over. If PUBLIC_FD is -1, strangers get nothing and are
 * disconnected.
 */
void publisher_publish(struct publisher *p, int fd, int public_fd);

/*
 * Disconnects all strangers, and closes the image without processes: strangers get nothing until
 * the next publisher_publish().
 */
void publisher_withdraw(struct publisher *p);

/*
 * Returns whether strangers get the image without processes: always or never, as OPTION says, or
 * with SNAPSHOT_PUBLIC_AUTO unless IS_HIDDEN (/proc hides processes from ordinary users). Pure.
 */
bool publisher_shows_sums(enum snapshot_public option, bool is_hidden);

/* Numbers of connected clients. */
struct publisher_groups {
	unsigned int all, strangers;
	unsigned int of_user; /* strangers with the uid of the new client */
};

enum publisher_place {
	PUBLISHER_PLACE_FREE,
	PUBLISHER_PLACE_OWN,      /* the place of a stranger with the same uid */
	PUBLISHER_PLACE_STRANGERS /* the place of any stranger */
};

/*
 * Chooses the place for a new client, privileged or a stranger, given the clients that are
 * connected. Pure.
 */
enum publisher_place publisher_place(bool is_stranger, const struct publisher_groups *groups);

static inline void cleanup_publisher(struct publisher **p)
{
	publisher_close(*p);
}
#define AUTO_PUBLISHER CLEANUP(cleanup_publisher)

#endif
