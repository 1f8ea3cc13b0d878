/* SPDX-License-Identifier: Apache-2.0 */
/* A server without a snapshot, in the test's thread and at the test's time, and clients of it. */
#ifndef MEMTALLY_TESTS_UNIT_SERVING_H
#define MEMTALLY_TESTS_UNIT_SERVING_H

#include <stdint.h>

#include "base/clock.h"
#include "web/server.h"

#define SERVING_TIMEOUT_NS (20 * NS_PER_SEC) /* that clients have */

struct serving {
	struct listen_set set;
	struct link link;
	struct settings settings;
	struct site site;
	struct access *access; /* owned */
	struct server server;
	uint64_t now_ns; /* CLOCK_MONOTONIC at the beginning; the test may put it forward */
};

/*
 * Serves at ADDRESS (NULL: a port of loopback) those who get in by ACCESS, which is consumed. A failure of any of these
 * functions fails the test.
 */
void serving_begin(struct serving *s, const char *address, const struct caller_rules *rules,
	struct access *access, unsigned int max_clients);
void serving_finish(struct serving *s);

/* As memtally-web does when the web configuration has changed. ACCESS is consumed. */
void serving_admit(struct serving *s, struct access *access);

/* A client on TCP, which does not block, for the caller to close. */
int serving_connect(const struct serving *s);

/* Sends REQUEST by FD, a client. */
void serving_ask(int fd, const char *request);

/* What there is to do by now, or within a millisecond: once, and as often as any request takes. */
void serving_run_once(struct serving *s);
void serving_run(struct serving *s);

#endif
