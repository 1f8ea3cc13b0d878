/* SPDX-License-Identifier: Apache-2.0 */
/* The listening socket of a service that answers questions: systemd's, or one of its own. */
#ifndef MEMTALLY_SERVICE_LISTENER_H
#define MEMTALLY_SERVICE_LISTENER_H

/*
 * Writes a non-blocking listening socket of sequential packets to *RET_FD, which the caller owns:
 * the one that systemd has passed, or else a new one at PATH, to which any user may connect: the
 * peer's credentials decide what it sees. *RET_MADE is PATH if the socket is new, which the caller
 * removes at the end; otherwise NULL. Returns 0 or a negative errno, which is logged.
 */
int listener_open(const char *path, int *ret_fd, const char **ret_made);

#endif
