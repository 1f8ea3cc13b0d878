/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Client of memtallyd's snapshot socket
 *
 * Receives descriptors over a connection of channel_connect() (base/os/channel.h), and validates
 * images. It never writes. The caller decides when to connect again (link.h does so for services).
 */
#ifndef MEMTALLY_SNAPSHOT_CLIENT_H
#define MEMTALLY_SNAPSHOT_CLIENT_H

#include "snapshot/view.h"

enum client_outcome {
	CLIENT_NOTHING = 1, /* connected, no newer snapshot has arrived */
	CLIENT_CLOSED = 2,  /* memtallyd closed the connection */
};

/*
 * Receives all messages that wait on FD without blocking, and opens the last one as *RET; the
 * caller owns a reference. Returns 0; an enum client_outcome; -ENOMSG if a message has not exactly
 * one descriptor and one byte; or an error of recvmsg() or view_open(). After an error *RET_REASON
 * (static) says why, and the connection is of no more use.
 */
int client_receive(int fd, struct view **ret, const char **ret_reason);

/*
 * Connects to the socket at PATH, waits at most TIMEOUT_MS for a snapshot, and disconnects. Returns
 * 0 with a reference to *RET that the caller owns; -ETIMEDOUT; -ECONNRESET if memtallyd closed the
 * connection; or an error of channel_connect() or client_receive(). After an error *RET_REASON
 * (static) says why.
 */
int client_fetch(const char *path, int timeout_ms, struct view **ret, const char **ret_reason);

#endif
