/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sockets to serve on: from the configured addresses, or passed by systemd. A listening UNIX socket
 * is never taken from another process, a stale one is replaced.
 */
#ifndef MEMTALLY_WEB_LISTEN_H
#define MEMTALLY_WEB_LISTEN_H

#include <stdbool.h>
#include <stddef.h>

#include "config/option.h"

enum { LISTEN_ERROR_SIZE = 256 };

struct listen_socket {
	int fd;     /* listening, non-blocking */
	char *name; /* owned; the address for people: "127.0.0.1:9636" */
	char *path; /* owned; a socket file to remove at the end; NULL: none */
	char *host; /* owned; the name that it was configured with; NULL: none */
	bool is_unix;
	bool is_local; /* nobody on another machine reaches it: UNIX, or an address of loopback */
};

struct listen_set {
	struct listen_socket *socket; /* owned */
	size_t count;
};

/*
 * Opens every address of LIST into SET, empty before; a name may stand for several. Negative errno with
 * the address and the reason in ERROR; SET then holds what was opened.
 */
int listen_open(
	struct listen_set *set, const struct text_list *list, char error[static LISTEN_ERROR_SIZE]);

/* Takes over what systemd has passed; the count, 0 for none, or as above. */
int listen_take(struct listen_set *set, char error[static LISTEN_ERROR_SIZE]);

/* Closes the sockets and removes socket files that listen_open() has made. */
void listen_done(struct listen_set *set);

#endif
