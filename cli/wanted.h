/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which files are asked for: one, by what it is called or another path to it, or those that were deleted or replaced.
 */
#ifndef MEMTALLY_CLI_WANTED_H
#define MEMTALLY_CLI_WANTED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "inside/mounts.h"
#include "inside/shelf.h"

struct wanted {
	bool deleted;
	struct buffer
		name; /* clean and terminated: as mappings' names are; empty: no single file is asked for */
	bool may_wait; /* its path was not looked up: who would have to be asked may not answer */
	bool is_there; /* its path leads to something, which is: */
	uint64_t inode;
	uint32_t major, minor; /* as stat has them */
	struct mounts_one on;
};

/* FILE, which may be NULL: a path, looked up now unless that may wait, or a name such as "memfd:a"; DELETED: only what was. -ENOMEM. */
int wanted_open(const char *file, bool deleted, struct wanted *ret);
void wanted_done(struct wanted *w);
#define AUTO_WANTED CLEANUP(wanted_done)

/* Whether anything is asked for in particular. */
static inline bool wanted_is_some(const struct wanted *w)
{
	return w->deleted || w->name.len;
}

/*
 * Whether ROW is, as far as it is known by now: what may have been deleted is, until it turns out that it was not. Where
 * nothing is asked for in particular, all are. Pure.
 */
bool wanted_is(const struct wanted *w, const struct shelf_row *row);

#endif
