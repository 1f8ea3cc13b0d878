/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hands snapshots to whoever connects: the whole image to root, to memtallyd's own user, to group
 * memtally and to memtally-web's user; the one without processes to anybody else. In a user namespace a
 * client who has no uid there is a stranger, whatever uid the kernel shows. It never reads a byte from a
 * client. Strangers can't keep each other out: whoever of them has been served longest has to go for one who comes, and may
 * come again. What anybody keeps is memtallyd's memory: who has not given back enough of what he got gets nothing new
 * (daemon/lent.h), and stays connected. Root gets everything.
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
#include "daemon/resolver.h"

enum {
	PUBLISHER_CLIENTS_MAX = 16,
	PUBLISHER_STRANGERS_MAX = 10, /* of them; the others are the privileged's */
	PUBLISHER_STRANGERS_UID = 4,  /* of one user */
};

struct publisher;

/*
 * Listens at PATH, or on the socket that the service manager passed, and serves from EVENT. Errors of
 * channel_listen() and sd-event.
 */
int publisher_open(sd_event *event, const char *path, struct publisher **ret);

/* Removes the socket file, if it made it. Accepts NULL; returns NULL. */
struct publisher *publisher_close(struct publisher *p);

/*
 * Whose connections are refused where they are of our own uid, which is privileged: R, borrowed, parses what name services
 * answer. NULL: nobody's.
 */
void publisher_set_resolver(struct publisher *p, const struct resolver *r);

/* Who is privileged besides root, from now on; at first nobody. */
void publisher_set_privileged(struct publisher *p, const struct privileged *privileged);

/*
 * Sends a new snapshot to all clients and keeps it for those to come. A client that has not read the last
 * one yet is passed over. Consumes both descriptors; PUBLIC_FD is -1 where strangers get nothing: they are let go.
 */
void publisher_publish(struct publisher *p, int fd, int public_fd);

/* Lets strangers go at once: they are to get nothing any more, and not the last sums either. */
void publisher_withdraw(struct publisher *p);

/* Pure: whether strangers get the sums, where /proc is hidden from users or not. */
bool publisher_shows_sums(enum snapshot_public option, bool is_hidden);

/* Who is being served. */
struct publisher_crowd {
	unsigned int all, strangers;
	unsigned int of_user; /* strangers with the uid of the one who comes */
};

enum publisher_place {
	PUBLISHER_PLACE_FREE,
	PUBLISHER_PLACE_OWN,      /* that of one of his own other connections */
	PUBLISHER_PLACE_STRANGERS /* that of any stranger */
};

/* Pure: whose place one gets who comes. */
enum publisher_place publisher_place(bool is_stranger, const struct publisher_crowd *crowd);

static inline void cleanup_publisher(struct publisher **p)
{
	publisher_close(*p);
}
#define AUTO_PUBLISHER CLEANUP(cleanup_publisher)

#endif
