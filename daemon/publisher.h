/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hands snapshots to whoever connects: the whole image to root, to memtallyd's own user, to group
 * memtally and to memtally-web's user; the one without processes to anybody else. In a user namespace a
 * client who has no uid there is a stranger, whatever uid the kernel shows. It never reads a byte from a
 * client.
 */
#ifndef MEMTALLY_DAEMON_PUBLISHER_H
#define MEMTALLY_DAEMON_PUBLISHER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

#include "base/cleanup.h"
#include "config/option.h"
#include "daemon/privileged.h"

enum {
	PUBLISHER_CLIENTS_MAX = 16,
	PUBLISHER_CLIENTS_UID = 4,      /* of one user */
	PUBLISHER_CLIENTS_RESERVED = 6, /* of the maximum, for the privileged */
};

struct publisher;

/*
 * Listens at PATH, or on the socket that the service manager passed, and serves from EVENT. Errors of
 * channel_listen() and sd-event.
 */
int publisher_open(sd_event *event, const char *path, struct publisher **ret);

/* Removes the socket file, if it made it. Accepts NULL; returns NULL. */
struct publisher *publisher_close(struct publisher *p);

/* Who is privileged besides root, from now on; at first nobody. */
void publisher_set_privileged(struct publisher *p, const struct privileged *privileged);

/*
 * Sends a new snapshot to all clients and keeps it for those to come. A client that has not read the last
 * one yet is passed over. Consumes both descriptors; PUBLIC_FD is -1 where strangers get nothing: they are let go.
 */
void publisher_publish(struct publisher *p, int fd, int public_fd);

/* Pure: whether strangers get the sums, where /proc is hidden from users or not. */
bool publisher_shows_sums(enum snapshot_public option, bool is_hidden);

/* Pure: whether one more client of a user with OF_UID clients may be served besides ALL. */
bool publisher_admits(bool is_privileged, unsigned int all, unsigned int of_uid);

static inline void cleanup_publisher(struct publisher **p)
{
	publisher_close(*p);
}
#define AUTO_PUBLISHER CLEANUP(cleanup_publisher)

#endif
