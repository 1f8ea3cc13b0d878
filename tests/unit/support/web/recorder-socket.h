/* SPDX-License-Identifier: Apache-2.0 */
/* A socket at which the test answers as memtally-recorder does. */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_WEB_RECORDER_SOCKET_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_WEB_RECORDER_SOCKET_H

#include "snapshot/past.h"
#include "tests/unit/support/snapshot/sample.h"

struct recorder_socket {
	char dir[40], path[64];
	int listener, server; /* -1: none */
};

/* Makes a directory for the socket; nothing listens yet. */
void recorder_socket_init(struct recorder_socket *s);
void recorder_socket_listen(struct recorder_socket *s);
void recorder_socket_done(struct recorder_socket *s);

/* Accepts the connection of a question if there is a new one, and receives the question. */
struct past_request recorder_socket_receive(struct recorder_socket *s);

/* Returns whether a client has connected and its question was not received. */
bool recorder_socket_is_asked(const struct recorder_socket *s);

/* Answers with HEAD and its POINTS; with SAMPLE, if .at_ns of HEAD is not 0. */
void recorder_socket_answer(struct recorder_socket *s, const struct past_head *head,
	const struct past_point *points, const struct sample_options *sample);

#endif
