/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memtally-web's server without a snapshot, run in the test's thread with a clock that the test
 * sets, and its clients.
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_WEB_SERVING_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_WEB_SERVING_H

#include <stdint.h>

#include "base/clock.h"
#include "web/server.h"

#define SERVING_TIMEOUT_NS (20 * NS_PER_SEC) /* timeout of clients */

struct serving {
	struct listen_set set;
	struct link link;
	struct settings settings;
	struct site site;
	struct access *access; /* owned */
	struct server server;
	uint64_t now_ns; /* starts as CLOCK_MONOTONIC; the test may move it forward */
};

/*
 * Starts a server on ADDRESS (NULL: any port on 127.0.0.1) that admits clients by ACCESS. Takes
 * ownership of ACCESS. All functions fail the test on errors.
 */
void serving_begin(struct serving *s, const char *address, const struct caller_rules *rules,
	struct access *access, unsigned int max_clients);
void serving_finish(struct serving *s);

/*
 * Replaces the access rules, as memtally-web does after the web configuration changed. Takes
 * ownership of ACCESS.
 */
void serving_admit(struct serving *s, struct access *access);

/* Connects by TCP. Returns a non-blocking descriptor, owned by the caller. */
int serving_connect(const struct serving *s);

/* Sends REQUEST on the client descriptor FD. */
void serving_ask(int fd, const char *request);

/*
 * Handles events that are pending or arrive within 1 ms: one round, or enough rounds for any
 * request (20).
 */
void serving_run_once(struct serving *s);
void serving_run(struct serving *s);

#endif
