/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The connection to memtallyd's snapshot socket: kept up, and taken up again with growing pauses. It
 * never writes. An image that does not hold what its format promises ends the connection: it means a
 * bug or a break-in at the other end, and nothing else from there is looked at.
 */
#ifndef MEMTALLY_WEB_LINK_H
#define MEMTALLY_WEB_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/log.h"
#include "snapshot/view.h"
#include "web/backoff.h"

struct link {
	char *path; /* owned */
	int fd;     /* -1: not connected */
	struct backoff backoff;
	uint64_t retry_ns; /* CLOCK_MONOTONIC at which to connect, where not connected */
	int said;          /* what was last logged of the connection: an errno; 0: that it works */
	struct log_limit bad; /* for lines about refused images */
	uint64_t received;    /* snapshots */
	uint64_t refused;     /* images or messages */
};

/* Connects at the next link_run(). -ENOMEM. */
int link_init(struct link *l, const char *path);
void link_done(struct link *l);

/*
 * Does what is due at NOW (CLOCK_MONOTONIC): connects, receives. True with a newer snapshot in *ret,
 * which the caller then owns.
 */
bool link_run(struct link *l, uint64_t now_ns, struct view **ret);

/* When link_run() is due without input on .fd; UINT64_MAX: never. */
uint64_t link_due_ns(const struct link *l);

static inline bool link_is_connected(const struct link *l)
{
	return l->fd >= 0;
}

#endif
