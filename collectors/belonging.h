/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whom a process belongs to: its user, program and unit, which the tally sums, and its unit of a user's own
 * systemd, which is a name in its row alone. A process holds slots of these (struct process); one that is no member
 * must hold none, because empty ones are given to others.
 */
#ifndef MEMTALLY_COLLECTORS_BELONGING_H
#define MEMTALLY_COLLECTORS_BELONGING_H

#include "collectors/process.h"
#include "collectors/scopes.h"
#include "collectors/tally.h"

struct belonging {
	struct tally *tally;      /* borrowed */
	struct scopes user_units; /* names, with a count of members in SCOPE_PROCESSES */
};

void belonging_done(struct belonging *b);

/* A pass begins: nobody is counted yet. */
void belonging_begin(struct belonging *b);

/*
 * Gives P the slots of what S, a sample of it as a member, says; names are READER's, where S says that it has them.
 * -ENOMEM: a name may be lost, so call belonging_drop().
 */
int belonging_set(struct belonging *b, const struct process_reader *reader, struct process *p,
	const struct sample *s);

/* P is no member, or its names have to be read again: it holds no slot, and the next sample begins anew. */
void belonging_drop(struct process *p);

#endif
