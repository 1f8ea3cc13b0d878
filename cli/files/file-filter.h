/* SPDX-License-Identifier: Apache-2.0 */
/*
 * File filter
 *
 * The files that `memtally files` is asked for: one file, by its name or any path to it, or deleted
 * and replaced files.
 */
#ifndef MEMTALLY_CLI_FILES_FILE_FILTER_H
#define MEMTALLY_CLI_FILES_FILE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "inspect/files/file-table.h"
#include "inspect/files/mounts.h"

struct file_filter {
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
 * Makes a filter in *RET; file_filter_done() frees it. FILE is a path, which is looked up now
 * unless that may block, or a name such as "memfd:a"; NULL: any file. DELETED: only deleted and
 * replaced files. Returns 0 or -ENOMEM.
 */
int file_filter_open(const char *file, bool deleted, struct file_filter *ret);
void file_filter_done(struct file_filter *w);
#define AUTO_FILE_FILTER CLEANUP(file_filter_done)

/* Returns true if W does not accept all files. */
static inline bool file_filter_is_some(const struct file_filter *w)
{
	return w->deleted || w->name.len;
}

/*
 * Returns true if W accepts ROW, as far as is known by now: a file that may have been deleted is
 * accepted until it turns out to be there. Pure.
 */
bool file_filter_is(const struct file_filter *w, const struct file_table_row *row);

#endif
