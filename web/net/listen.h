/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Listening Sockets
 *
 * Opens the sockets that memtally-web serves: at the configured addresses, or those that systemd
 * passes. A UNIX socket at which another process listens is left alone; a stale one is replaced.
 */
#ifndef MEMTALLY_WEB_NET_LISTEN_H
#define MEMTALLY_WEB_NET_LISTEN_H

#include <stdbool.h>
#include <stddef.h>

#include "config/option.h"

enum { LISTEN_ERROR_SIZE = 256 };

struct listen_socket {
	int fd;     /* listening, non-blocking */
	char *name; /* owned; the address for logs: "127.0.0.1:9636" */
	char *path; /* owned; socket file that listen_done() removes; NULL: none */
	char *host; /* owned; the configured host name; NULL: none */
	bool is_unix;
	bool is_local; /* no other machine reaches it: UNIX, or a loopback address */
};

struct listen_set {
	struct listen_socket *socket; /* owned */
	size_t count, room;
};

/*
 * Opens every address of LIST and adds the sockets to SET, which is a zeroed struct at first. A
 * host name may stand for several addresses. Returns 0, or a negative errno with a message for
 * people in ERROR. SET has the sockets that were opened before the failure; call listen_done() in
 * any case.
 */
int listen_open(
	struct listen_set *set, const struct text_list *list, char error[static LISTEN_ERROR_SIZE]);

/*
 * Adds the sockets that systemd has passed to SET. Returns how many there are, 0 for none; or a
 * negative errno as listen_open() does.
 */
int listen_take(struct listen_set *set, char error[static LISTEN_ERROR_SIZE]);

/* Closes the sockets, and removes the socket files that listen_open() has created. */
void listen_done(struct listen_set *set);

#endif
