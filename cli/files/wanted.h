/* SPDX-License-Identifier: Apache-2.0 */
/*
 * File filter
 *
 * The files that `memtally files` is asked for: one file, by its name or any path to it, or deleted
 * and replaced files.
 */
#ifndef MEMTALLY_CLI_FILES_WANTED_H
#define MEMTALLY_CLI_FILES_WANTED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "inspect/files/mounts.h"
#include "inspect/files/shelf.h"

struct wanted {
	bool deleted;
	/*
	 * the file's name as mappings have it, clean and terminated; empty: no single file is asked
	 * for
	 */
	struct buffer name;
	bool may_wait; /* its path was not looked up, because a file system on it may not answer */
	bool is_there; /* its path leads to a file, which has: */
	uint64_t inode;
	uint32_t major, minor; /* device numbers as in stat */
	struct mounts_one on;
};

/*
 * Makes a filter in *RET; wanted_done() frees it. FILE is a path, which is looked up now unless
 * that may block, or a name such as "memfd:a"; NULL: any file. DELETED: only deleted and replaced
 * files. Returns 0 or -ENOMEM.
 */
int wanted_open(const char *file, bool deleted, struct wanted *ret);
void wanted_done(struct wanted *w);
#define AUTO_WANTED CLEANUP(wanted_done)

/* Returns true if W does not accept all files. */
static inline bool wanted_is_some(const struct wanted *w)
{
	return w->deleted || w->name.len;
}

/*
 * Returns true if W accepts ROW, as far as is known by now: a file that may have been deleted is
 * accepted until it turns out to be there. Pure.
 */
bool wanted_is(const struct wanted *w, const struct shelf_row *row);

#endif
