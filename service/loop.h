/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event loop of services that receive snapshots: signals, memtallyd's connection, the watchdog,
 * and the service's own events. All run in one thread, so a watchdog message means that everything
 * else has been served, too.
 */
#ifndef MEMTALLY_SERVICE_LOOP_H
#define MEMTALLY_SERVICE_LOOP_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/link.h"

/* The first entries of the poll array; the service's own follow. */
enum { LOOP_SIGNALS, LOOP_LINK, LOOP_POLLS };

struct loop {
	int signals;              /* signalfd */
	struct link link;         /* to memtallyd */
	uint64_t watchdog_ns;     /* interval of watchdog messages; 0: none */
	uint64_t watchdog_due_ns; /* CLOCK_MONOTONIC of the next one */
};

#define LOOP_CLOSED                                                                                \
	{                                                                                          \
		.signals = -1, .link.fd = -1                                                       \
	}

/*
 * Opens L: from now on SIGTERM, SIGINT and SIGHUP are queued for loop_signal(), SIGPIPE is ignored,
 * and snapshots come from the socket at PATH. Returns 0, or a negative errno, which is logged.
 */
int loop_open(struct loop *l, const char *path);

/* Closes L. Accepts LOOP_CLOSED. */
void loop_close(struct loop *l);

/*
 * Waits at NOW_NS for one of the COUNT events at P, until DUE_NS at most (both CLOCK_MONOTONIC;
 * UINT64_MAX: no limit), or until the loop itself has something to do. Fills in the first
 * LOOP_POLLS entries of P; the caller fills in the others.
 *
 * Returns true, also without any event: after an interruption, or a short sleep if the kernel has
 * no memory. Then revents of the caller's entries are unchanged. Returns false if waiting is
 * impossible, which is logged.
 */
bool loop_wait(struct loop *l, struct pollfd *p, size_t count, uint64_t now_ns, uint64_t due_ns);

/* Returns the next signal that has come; 0 if there is none. */
int loop_signal(const struct loop *l);

/*
 * Connects to memtallyd and receives from it, as is due at NOW_NS (CLOCK_MONOTONIC), and logs
 * changes of the connection. Returns true with a newer snapshot in *RET, of which the caller owns a
 * reference.
 */
bool loop_receive(struct loop *l, uint64_t now_ns, struct view **ret);

/*
 * Call when everything due at NOW_NS (CLOCK_MONOTONIC) is done: sends the watchdog message, if it
 * is due.
 */
void loop_beat(struct loop *l, uint64_t now_ns);

#endif
