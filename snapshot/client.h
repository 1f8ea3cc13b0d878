/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reading end of memtallyd's socket: connects, receives descriptors, validates images. It never
 * writes. When to reconnect is the caller's to decide.
 */
#ifndef MEMTALLY_SNAPSHOT_CLIENT_H
#define MEMTALLY_SNAPSHOT_CLIENT_H

#include "snapshot/view.h"

enum client_outcome {
	CLIENT_NOTHING = 1, /* connected, no newer snapshot */
	CLIENT_CLOSED = 2,  /* memtallyd closed the connection */
};

/* Connects to the socket at PATH; the caller owns *ret_fd and polls it for input. Errors of connect. */
int client_connect(const char *path, int *ret_fd);

/*
 * Receives what waits on FD down to the last message, and opens that as *ret, which the caller then
 * owns. 0, a client_outcome, or an error after which the connection is of no more use: -EPROTO (not a
 * message with one descriptor, or another major version), view_open()'s; *ret_reason then says why.
 */
int client_receive(int fd, struct view **ret, const char **ret_reason);

/* Connects and waits at most TIMEOUT_MS for a first snapshot. -ETIMEDOUT, -ECONNRESET, or as above. */
int client_fetch(const char *path, int timeout_ms, struct view **ret, const char **ret_reason);

#endif
