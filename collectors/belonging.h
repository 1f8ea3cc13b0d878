/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whom a process belongs to: its owner of each kind, which the tally sums. A process holds the slot of a membership
 * (struct process); one that is no member must hold none, because empty ones are given to others.
 */
#ifndef MEMTALLY_COLLECTORS_BELONGING_H
#define MEMTALLY_COLLECTORS_BELONGING_H

#include "collectors/charges.h"
#include "collectors/process.h"
#include "collectors/scopes.h"
#include "collectors/tally.h"

/*
 * Gives P its membership by what S, a sample of it as a member, says; names are READER's, where S says that it has them, and
 * so are the paths of the cgroups that its owners are, which C comes to know.
 * -ENOMEM: a name may be lost, so call belonging_drop().
 */
int belonging_set(struct tally *t, struct charges *c, const struct process_reader *reader,
	struct process *p, const struct sample *s);

/* P is no member, or its names have to be read again: it has no membership, and the next sample begins anew. */
void belonging_drop(struct process *p);

#endif
