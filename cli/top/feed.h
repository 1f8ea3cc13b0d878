/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Feed of snapshots
 *
 * Brings `memtally top` the snapshots as they come: memtallyd's, or those of a child process that
 * measures one after the other if no memtallyd answered. So a read that the kernel blocks delays the
 * child, and never the keys.
 */
#ifndef MEMTALLY_CLI_TOP_FEED_H
#define MEMTALLY_CLI_TOP_FEED_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "config/settings.h"
#include "snapshot/link.h"
#include "snapshot/sight.h"
#include "snapshot/view.h"

struct feed {
	const struct settings *settings; /* borrowed */
	struct link link;                /* unused with --live */
	bool has_link;
	int own_fd;        /* from the child that measures; -1: there is none */
	pid_t own_pid;     /* 0: there is none */
	pid_t ended_pid;   /* a child that was killed and is to be reaped; 0: there is none */
	int own_error;     /* why the child ended: a positive errno; 0: it has not */
	struct view *view; /* owned; the newest snapshot, however old; NULL: none yet */
	bool is_own;       /* .view is by the child */
	char user[64];     /* the name of the user with whose rights the child measures */
};

enum { FEED_POLLS = 2 };

/*
 * Begins F by SETTINGS, which stay as long as F. Looks up the name of the user, which may block. Returns
 * 0 or -ENOMEM.
 */
int feed_open(struct feed *f, const struct settings *settings);

/* Disconnects, ends the child, and gives up the snapshot. */
void feed_close(struct feed *f);

/* Receives what has come. NOW_NS is CLOCK_MONOTONIC. Returns true if .view is a new one. */
bool feed_run(struct feed *f, uint64_t now_ns);

/* Writes the descriptors to wait for to RET. Returns their number. */
size_t feed_poll(const struct feed *f, struct pollfd ret[static FEED_POLLS]);

/* Returns the CLOCK_MONOTONIC time at which to call feed_run() even without input; UINT64_MAX: never. */
uint64_t feed_due_ns(const struct feed *f);

/*
 * Appends why the figures of .view may not be shown as present: there are none, they are stale, or the
 * connection is lost. Appends nothing if they may.
 */
void feed_add_problem(const struct feed *f, struct buffer *to);

/*
 * If the child measures, appends that, its rights, and the reason. Appends nothing if memtallyd does.
 */
void feed_add_origin(const struct feed *f, struct buffer *to);

/* Returns the processes of .view that the user may see. */
struct sight feed_sight(const struct feed *f);

#endif
