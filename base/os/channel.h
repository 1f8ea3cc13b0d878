/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptor Channel
 *
 * A SOCK_SEQPACKET socket at a UNIX path, over which memtallyd sends descriptors of snapshots to
 * its clients. It is one-way: the server never reads, and the client never writes. channel_listen()
 * also opens stream sockets.
 */
#ifndef MEMTALLY_BASE_OS_CHANNEL_H
#define MEMTALLY_BASE_OS_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/un.h>

/* The longest path that the kernel accepts, in bytes without the terminator. */
enum { CHANNEL_PATH_MAX = sizeof(((struct sockaddr_un *)0)->sun_path) - 1 };

/*
 * Listens at PATH with a non-blocking socket of TYPE, SOCK_SEQPACKET or SOCK_STREAM. MODE is the
 * mode of the socket file. Replaces a stale socket file, at which no process listens. The caller
 * owns *RET_FD.
 *
 * Returns 0; -EADDRINUSE if a process listens at PATH; -EINVAL if PATH is empty; -ENAMETOOLONG;
 * -ENOTSOCK if PATH exists and is no socket; else a negative errno of lstat(), unlink(), socket(),
 * bind() or listen(). After a failure there is no new socket file. If several processes call this
 * at the same time, one of them gets the path, provided that they may read its directory. The call
 * may then block for 2 s.
 */
int channel_listen(const char *path, int type, mode_t mode, int backlog, int *ret_fd);

/*
 * Connects to a SOCK_SEQPACKET listener at PATH. Does not block. The descriptor *RET_FD does not
 * block either; the caller owns it. Returns 0; -EINVAL if PATH is empty; -ENAMETOOLONG; -EAGAIN if
 * the listener's backlog is full; else a negative errno of socket() or connect().
 */
int channel_connect(const char *path, int *ret_fd);

/*
 * The process at the other end when it called connect() (SO_PEERCRED), in the pid and user
 * namespaces of the reader.
 */
struct channel_peer {
	pid_t pid;
	uid_t uid;
	gid_t gid;
};

/*
 * Writes to *RET which process connected to FD (SO_PEERCRED). Returns 0; -EPERM if FD is no AF_UNIX
 * socket, or if the kernel says uid -1, as it does for TCP; else a negative errno of getsockopt().
 */
int channel_peer(int fd, struct channel_peer *ret);

/*
 * Returns true if GID is the primary or a supplementary group of PEER, the peer of FD
 * (SO_PEERGROUPS, Linux 4.13). Before Linux 4.13, and if there is no memory, only the primary group
 * counts.
 */
bool channel_peer_in_group(int fd, const struct channel_peer *peer, gid_t gid);

/*
 * Returns true if the peer has read all that was sent to it over FD (SIOCOUTQ). Returns false if
 * the kernel does not tell.
 */
bool channel_is_drained(int fd);

/* In place of a descriptor: the message has none. */
enum { CHANNEL_NO_FD = -1 };

/*
 * Sends the LEN bytes at DATA as one message, which carries the descriptor FD unless it is
 * CHANNEL_NO_FD. FD stays the caller's. Never blocks. Returns as channel_send_fd().
 */
int channel_send(int socket, const void *data, size_t len, int fd);

/*
 * Sends one byte that carries the descriptor FD, which stays the caller's. Never blocks. Returns 0;
 * -EAGAIN if the peer's queue is full; -EPIPE if the peer is gone; else a negative errno of
 * sendmsg().
 */
int channel_send_fd(int socket, int fd);

enum channel_outcome {
	CHANNEL_NOTHING = 1, /* no message is waiting */
	CHANNEL_CLOSED = 2,  /* the peer closed its end */
};

/*
 * Receives one message of at most SIZE bytes into DATA, without blocking. *RET_LEN is its length, and
 * *RET_FD its descriptor, which the caller owns and which is O_CLOEXEC, or CHANNEL_NO_FD. Returns as
 * channel_receive_fd(), with -EPROTO for a longer message and for several descriptors.
 */
int channel_receive(int socket, void *data, size_t size, size_t *ret_len, int *ret_fd);

/*
 * Receives one message with exactly one descriptor, without blocking. The caller owns *RET_FD,
 * which is O_CLOEXEC. Returns 0; a value of enum channel_outcome; -EPROTO if the message has no or
 * several descriptors or more than one byte (its descriptors are closed then); or a negative errno
 * of recvmsg().
 */
int channel_receive_fd(int socket, int *ret_fd);

#endif
