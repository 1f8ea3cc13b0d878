/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one-way channel over which a descriptor travels: SOCK_SEQPACKET on a UNIX path. The server side
 * never reads; the client side never writes.
 */
#ifndef MEMTALLY_BASE_CHANNEL_H
#define MEMTALLY_BASE_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/un.h>

/* Bytes of a path that the kernel takes, besides the terminator. */
enum { CHANNEL_PATH_MAX = sizeof(((struct sockaddr_un *)0)->sun_path) - 1 };

/*
 * Listens at PATH with MODE (mode of the socket file), non-blocking. A stale socket file (nobody
 * answers there) is replaced; a live one never: -EADDRINUSE. -ENAMETOOLONG; -ENOTSOCK: something else
 * stands at PATH; else the errors of socket, bind, listen. TYPE is SOCK_SEQPACKET or SOCK_STREAM. Of those
 * who call this at one moment one gets the path, as long as the directory may be read; it may wait 2 s.
 */
int channel_listen(const char *path, int type, mode_t mode, int backlog, int *ret_fd);

/* Connects to a SOCK_SEQPACKET listener at PATH; blocking connect, non-blocking descriptor. */
int channel_connect(const char *path, int *ret_fd);

struct channel_peer {
	pid_t pid;
	uid_t uid;
	gid_t gid;
};

/*
 * Who connected, by SO_PEERCRED. Only asked of AF_UNIX sockets: on TCP the kernel "succeeds" with uid
 * -1 and pid 0. -EPERM for any other family and for uid (uid_t)-1.
 */
int channel_peer(int fd, struct channel_peer *ret);

/* Whether the peer has GID as primary or supplementary group (SO_PEERGROUPS, Linux 4.13). */
bool channel_peer_in_group(int fd, const struct channel_peer *peer, gid_t gid);

/* Whether nothing that was sent is still unread by the peer (SIOCOUTQ). */
bool channel_is_drained(int fd);

/* Sends one byte that carries FD (borrowed). -EAGAIN: the peer's queue is full; -EPIPE: gone. */
int channel_send_fd(int socket, int fd);

enum channel_outcome {
	CHANNEL_NOTHING = 1, /* no message is waiting */
	CHANNEL_CLOSED = 2,  /* the peer closed its end */
};

/*
 * Receives one message with exactly one descriptor, O_CLOEXEC, which the caller then owns. 0, a
 * channel_outcome, -EPROTO for any other kind of message (its descriptors are closed), or recvmsg's
 * error.
 */
int channel_receive_fd(int socket, int *ret_fd);

#endif
