/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Name lookups in a child process
 *
 * The child asks NSS, which loads the modules of name services, and sends the answers. resolver.h
 * is memtallyd's side.
 */
#ifndef MEMTALLY_DAEMON_CHILDREN_LOOKUP_H
#define MEMTALLY_DAEMON_CHILDREN_LOOKUP_H

#include "collectors/owners/owner-names.h"

enum { LOOKUP_NAME_SIZE = 256 };

enum lookup_result {
	LOOKUP_FOUND,
	LOOKUP_ABSENT, /* there is no such user or group, or its name is too long */
	LOOKUP_FAILED, /* the name service failed: ask again later */
};

/* A question, with .principal alone, or the answer to it. */
struct lookup_message {
	struct principal principal;
	enum lookup_result result;
	char name[LOOKUP_NAME_SIZE]; /* LOOKUP_FOUND: terminated, any bytes */
};

/*
 * Answers each struct lookup_message received at FD (a SOCK_SEQPACKET socket) with one of the
 * same form, in order. Exits with 0 when the other end is closed; with 1 if a message has another
 * size, or on an error of recv() or send().
 */
_Noreturn void lookup_serve(int fd);

#endif
