/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What memtallyd asks its resolver, and where the answers go: names of users, into the pass.
 */
#ifndef MEMTALLY_DAEMON_ASKING_H
#define MEMTALLY_DAEMON_ASKING_H

#include <stdbool.h>
#include <systemd/sd-event.h>

#include "collectors/pass.h"
#include "daemon/resolver.h"

struct asking {
	struct resolver *resolver; /* borrowed; NULL: users are numbers */
	struct pass *pass;         /* borrowed */
	sd_event *event;           /* borrowed */
	sd_event_source *answers;  /* NULL: the resolver's child is gone */
	uint64_t since_ns;         /* CLOCK_MONOTONIC; nothing has come since */
	uint64_t patience_ns;      /* how long that may last before the child is replaced */
	uint64_t said_ns;          /* when that was on the log; 0: never */
	bool said_liar;            /* that one has answered what it was not asked */
	bool said_over;            /* that there will be no child any more */
	int (*heard)(void *to);
	void *to;
};

/*
 * Takes answers from now on; all arguments stay borrowed but A. Calls HEARD after some were taken; a negative value of its ends the event loop, as of any handler. RESOLVER may be NULL. Errors of sd-event.
 */
int asking_open(struct asking *a, sd_event *event, struct resolver *resolver, struct pass *pass,
	int (*heard)(void *to), void *to);
void asking_close(struct asking *a); /* also one that is all zero */

/*
 * Asks for the names that the pass has not, as far as there is room. If nothing has come for long, though it was asked for,
 * or the child is gone, by itself or because it answered what nobody had asked, it is replaced, the more seldom the more often that is in vain. Where it can't be any more, that is on the log once.
 */
void asking_names(struct asking *a);

/* Whether names may yet come for which the pass is to wait. */
bool asking_is_awaited(const struct asking *a);

#endif
