/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What services that receive snapshots wait for alike: signals, memtallyd, and when the service manager wants to hear of them;
 * beside what is a service's own. All in one thread, so that whoever tells the watchdog has got round to everything else.
 */
#ifndef MEMTALLY_SERVICE_LOOP_H
#define MEMTALLY_SERVICE_LOOP_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/link.h"

/* The first places of what is waited for; those behind them are the service's own. */
enum { LOOP_SIGNALS, LOOP_LINK, LOOP_POLLS };

struct loop {
	int signals; /* signalfd */
	struct link link;
	uint64_t watchdog_ns; /* how often to tell the service manager; 0: never */
	uint64_t watchdog_due_ns;
};

#define LOOP_CLOSED                                                                                \
	{                                                                                          \
		.signals = -1, .link.fd = -1                                                       \
	}

/*
 * From now on SIGTERM, SIGINT and SIGHUP wait for loop_signal(), SIGPIPE is ignored, and snapshots come from the socket at PATH.
 * Negative errno: it can't be done, and is on the log.
 */
int loop_open(struct loop *l, const char *path);

/* Of LOOP_CLOSED, too. */
void loop_close(struct loop *l);

/*
 * Waits, at NOW (CLOCK_MONOTONIC), for one of the COUNT events at P, of which it fills in the first LOOP_POLLS, until DUE_NS
 * at most, UINT64_MAX: for ever. False: it can't be done, which is on the log. Where nothing has come, as without memory for
 * a while, nothing is said of what is the loop's own, and nothing new of the rest.
 */
bool loop_wait(struct loop *l, struct pollfd *p, size_t count, uint64_t now_ns, uint64_t due_ns);

/* The next signal that has come; 0: none more. */
int loop_signal(const struct loop *l);

/*
 * Does what memtallyd's connection needs at NOW, and says what is new of it. True: with a newer snapshot in *RET, the
 * caller's.
 */
bool loop_receive(struct loop *l, uint64_t now_ns, struct view **ret);

/* All that was to be done at NOW is: tells the service manager, if that is due. */
void loop_beat(struct loop *l, uint64_t now_ns);

#endif
