/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one-way channel over which memtallyd sends descriptors: a SOCK_SEQPACKET socket at a UNIX path. The server
 * never reads; the client never writes.
 */
#ifndef MEMTALLY_BASE_CHANNEL_H
#define MEMTALLY_BASE_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/un.h>

/* The longest path that the kernel accepts, in bytes without the terminator. */
enum { CHANNEL_PATH_MAX = sizeof(((struct sockaddr_un *)0)->sun_path) - 1 };

/*
 * Listens at PATH with a non-blocking socket of TYPE, SOCK_SEQPACKET or SOCK_STREAM. MODE is the mode of the socket file. Replaces a
 * stale socket file, at which no process listens. The caller owns *RET_FD.
 *
 * Returns 0; -EADDRINUSE if a process listens at PATH; -ENAMETOOLONG; -ENOTSOCK if PATH is no socket; else a negative errno of
 * socket(), bind() or listen(). No socket file is left after a failure. If several processes call this at the same time, one of
 * them gets the path, if they may read its directory; this may block for 2 s.
 */
int channel_listen(const char *path, int type, mode_t mode, int backlog, int *ret_fd);

/*
 * Connects to a SOCK_SEQPACKET listener at PATH. connect() may block; the descriptor *RET_FD, which the caller owns, does not.
 * Returns 0, or a negative errno of socket() or connect().
 */
int channel_connect(const char *path, int *ret_fd);

struct channel_peer {
	pid_t pid;
	uid_t uid;
	gid_t gid;
};

/*
 * The process that connected to FD, by SO_PEERCRED. Returns 0; -EPERM if FD is no AF_UNIX socket, or the uid is (uid_t)-1: on TCP
 * the kernel "succeeds" with uid -1 and pid 0.
 */
int channel_peer(int fd, struct channel_peer *ret);

/* Whether the peer has GID as primary or supplementary group (SO_PEERGROUPS, Linux 4.13). */
bool channel_peer_in_group(int fd, const struct channel_peer *peer, gid_t gid);

/* Whether the peer has read all that was sent (SIOCOUTQ). */
bool channel_is_drained(int fd);

/* Sends one byte that carries FD (borrowed). Returns 0; -EAGAIN if the peer's queue is full; -EPIPE if the peer is gone. */
int channel_send_fd(int socket, int fd);

enum channel_outcome {
	CHANNEL_NOTHING = 1, /* no message is waiting */
	CHANNEL_CLOSED = 2,  /* the peer closed its end */
};

/*
 * Receives one message with exactly one descriptor, which the caller then owns; it is O_CLOEXEC. Returns 0; an enum
 * channel_outcome; -EPROTO for any other message, with its descriptors closed; or a negative errno of recvmsg().
 */
int channel_receive_fd(int socket, int *ret_fd);

#endif
