/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot socket that a test serves itself, as memtallyd does: a client gets the last snapshot
 * when it connects, and each later one if it has read the former. For a stand-in in a process of
 * its own see tests/unit/support/process/stand-in.h.
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_SNAPSHOT_SNAPSHOT_SOCKET_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_SNAPSHOT_SNAPSHOT_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

enum { SNAPSHOT_SOCKET_CLIENTS = 64 };

struct snapshot_socket {
	int listener;
	int image; /* the last snapshot; -1: none */
	/* sends IMAGE to CLIENT; a client is disconnected after an error (negative errno) */
	int (*send)(int client, int image);
	struct {
		int fd;
		bool has_image; /* the last snapshot was sent to it */
	} client[SNAPSHOT_SOCKET_CLIENTS];
	size_t clients;
	size_t accepted; /* all clients so far */
};

/*
 * Listens at PATH with a socket that every user may connect to. .send is channel_send_fd(), until
 * the caller sets it. The caller gives S to snapshot_socket_close(), also after a failure. Returns
 * 0, or an error of channel_listen().
 */
int snapshot_socket_open(struct snapshot_socket *s, const char *path);

/* Closes the connections, the socket and the last snapshot. The socket file stays. */
void snapshot_socket_close(struct snapshot_socket *s);

/* Makes IMAGE, which S owns from now on, the last snapshot, and serves the clients. */
void snapshot_socket_publish(struct snapshot_socket *s, int image);

/*
 * Serves the clients: closes connections that clients have ended, accepts waiting ones up to
 * SNAPSHOT_SOCKET_CLIENTS, closes further ones, and sends the last snapshot to each client that
 * lacks it and has read all before. Does not block.
 */
void snapshot_socket_serve(struct snapshot_socket *s);

#endif
