/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lookups of user and group names
 *
 * Asks the resolver (resolver.h) for the names that the pass lacks, and gives the answers to the
 * pass. Replaces a resolver that does not answer or has exited.
 */
#ifndef MEMTALLY_DAEMON_NAME_CLIENT_H
#define MEMTALLY_DAEMON_NAME_CLIENT_H

#include <stdbool.h>
#include <systemd/sd-event.h>

#include "collectors/pass/pass.h"
#include "daemon/children/resolver.h"

struct name_client {
	struct resolver *resolver; /* borrowed; NULL: users and groups are shown by number */
	struct pass *pass;         /* borrowed */
	sd_event *event;           /* borrowed */
	sd_event_source *answers;  /* input from the resolver's child; NULL: there is no child */
	/*
	 * CLOCK_MONOTONIC of the last answer, of the child's exit or start, or of the last call
	 * without lookups in flight
	 */
	uint64_t since_ns;
	/* Time since .since_ns after which the child is replaced: 10 s to 320 s */
	uint64_t patience_ns;
	/* CLOCK_MONOTONIC at which a replacement was logged last; 0: never */
	uint64_t logged_ns;
	bool has_logged_invalid;          /* an invalid answer has been logged */
	bool has_logged_end;              /* it has been logged that there will be no other child */
	int (*on_answers)(void *context); /* of name_client_open() */
	void *context;
};

/*
 * Initialises C and starts to receive answers. All arguments except C stay borrowed. RESOLVER may
 * be NULL: then no name is looked up.
 *
 * ON_ANSWERS is called with CONTEXT each time that answers were taken or the child has exited. If it
 * returns a negative errno, sd-event stops watching this child.
 *
 * Returns 0, or a negative errno of sd_event_add_io().
 */
int name_client_open(struct name_client *c, sd_event *event, struct resolver *resolver,
	struct pass *pass, int (*on_answers)(void *context), void *context);
void name_client_close(struct name_client *c); /* accepts one that is all zero */

/*
 * Asks for the names that the pass lacks, as far as the resolver has room for questions. Call it
 * during and after each pass.
 *
 * Replaces the child first if no answer has come for .patience_ns while lookups are in flight, or
 * if it exited that long ago. A child that sends an invalid answer is killed, and counts as exited.
 * The patience is 10 s; each replacement without an answer doubles it, up to 320 s. Logs
 * replacements at most every 5 minutes, and once if there can be no other child.
 */
void name_client_names(struct name_client *c);

/*
 * Returns whether the pass should wait before it is published: lookups of the pass are in flight,
 * and a child can answer them.
 */
bool name_client_is_awaited(const struct name_client *c);

#endif
