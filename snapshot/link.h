/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connection to memtallyd
 *
 * The connection of a service to memtallyd's snapshot socket. It never writes. A connection that
 * has ended is made again after a pause that grows with each failure. An image with an invalid
 * format ends the connection: it means a bug or a break-in at the other end, and nothing else from
 * there is read. The program logs link_news().
 */
#ifndef MEMTALLY_SNAPSHOT_LINK_H
#define MEMTALLY_SNAPSHOT_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/backoff.h"
#include "base/buffer.h"
#include "snapshot/view.h"

enum { LINK_NEWS_SIZE = 256 };

/*
 * The longest pauses: if connecting fails or an image is refused; and if connections end without a
 * snapshot. Then a service manager may hold the socket of a memtallyd that cannot start, and each
 * connection makes it try once more.
 */
#define LINK_PAUSE_MAX_NS          (5 * NS_PER_SEC)
#define LINK_PAUSE_UNSERVED_MAX_NS (60 * NS_PER_SEC)

enum link_weight {
	LINK_INFO,
	LINK_WARNING,
	LINK_ERROR,
};

struct link {
	char *path; /* owned */
	int fd;     /* -1: not connected */
	struct backoff backoff;
	bool is_served;        /* this connection has brought a snapshot */
	uint64_t connected_ns; /* CLOCK_MONOTONIC at which this connection was made */
	bool is_refused;       /* the last connection ended because an image was refused */
	uint64_t retry_ns;     /* if not connected: CLOCK_MONOTONIC at which to connect */
	/*
	 * The errno of the last news about the connection; 0: a snapshot was received; -1: no news
	 * yet
	 */
	int said;
	uint64_t bad_ns;    /* CLOCK_MONOTONIC of the last news about a refused image; 0: none */
	uint64_t held_back; /* refused images since .bad_ns that no news reported */
	uint64_t received;  /* snapshots since link_init() */
	uint64_t refused;   /* images and messages since link_init() */
	enum link_weight weight;
	char news[LINK_NEWS_SIZE]; /* of the last link_run(); empty: none */
};

/* Begins L, which connects to PATH (copied) at the next link_run(). Returns 0 or -ENOMEM. */
int link_init(struct link *l, const char *path);

/* Disconnects, and frees the memory of L. */
void link_done(struct link *l);

/*
 * Connects and receives what is due at NOW_NS (CLOCK_MONOTONIC). Never blocks for longer than
 * connect() to a UNIX socket. Returns true with a newer snapshot in *RET, of which the caller owns
 * a reference.
 */
bool link_run(struct link *l, uint64_t now_ns, struct view **ret);

/*
 * Returns the message of the last link_run() for the log, with its level in *RET; NULL: none. There
 * is one message for each change of the connection's state, and at most one a minute about refused
 * images.
 */
const char *link_news(const struct link *l, enum link_weight *ret);

/*
 * Adds to TO why L brings no snapshot at NOW (CLOCK_MONOTONIC): "no connection to memtallyd at
 * PATH: REASON", or "connected to PATH for N s: memtallyd's first pass is not complete". Adds
 * nothing if the present connection has brought a snapshot.
 */
void link_explain(const struct link *l, uint64_t now_ns, struct buffer *to);

/*
 * Returns the CLOCK_MONOTONIC time at which to call link_run() even without input on .fd;
 * UINT64_MAX: never.
 */
uint64_t link_due_ns(const struct link *l);

static inline bool link_is_connected(const struct link *l)
{
	return l->fd >= 0;
}

#endif
