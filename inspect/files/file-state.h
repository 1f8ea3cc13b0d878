/* SPDX-License-Identifier: Apache-2.0 */
/*
 * File State
 *
 * Tells whether a mapped file with " (deleted)" behind its name is still at its path. " (deleted)"
 * may be a part of the name, and another file may be at the path by now.
 */
#ifndef MEMTALLY_INSPECT_FILES_FILE_STATE_H
#define MEMTALLY_INSPECT_FILES_FILE_STATE_H

#include <stdbool.h>

#include "inspect/files/file-table.h"
#include "inspect/files/mounts.h"
#include "inspect/maps/target.h"

/* The root directory in which paths of a process are looked up. */
struct file_state {
	struct target *target; /* borrowed: the process; NULL: none */
	int root;              /* owned descriptor of a directory; -1: none */
	struct mounts mounts;
};

/*
 * Opens the root for paths of T, which stays borrowed: our own root if T has the same mounts, else
 * the root of T. Returns 0; an enum target_outcome; -ENOLINK: the root of T is on a file system
 * that may not answer; or another negative errno, such as of open().
 */
int file_state_open(struct target *t, struct file_state *ret);
/* Closes W. A .root of -1 is allowed. */
void file_state_close(struct file_state *w);
#define AUTO_FILE_STATE CLEANUP(file_state_close)

/*
 * Returns the state of ROW's file, which the kernel calls deleted (.path is set). Asks no file
 * system that may not answer.
 *
 * FILE_TABLE_UNCERTAIN: the path cannot be looked up from here, or is on a file system that may not
 * answer.
 *
 * FILE_TABLE_UNLINKED: the process made and unlinked the file itself. One of these is known: the
 * name is one that only temporary files have; the file was made after the process had started and
 * has no name any more (and if it is not a library in a folder of temporary files: it is code, and
 * was unlinked within a minute); or, if its times cannot be read, it is a library in a folder of
 * temporary files and nothing is at its path.
 *
 * *RET_IS_LITERAL: the file is there, and " (deleted)" is a part of its name.
 */
enum file_table_fate file_state_find(
	struct file_state *w, const struct file_table_row *row, bool *ret_is_literal);

/*
 * Calls TAKE for each mapping of the smaps of T, as target_mappings() does, and returns what it
 * returns. Sets .fate and .has_name of mappings of files that the kernel calls deleted. .has_name
 * is false if map_files may not be followed. In a tree of files that only looks like /proc both
 * stay unset. Other files cost nothing.
 */
int file_state_mappings(struct target *t, mapping_taker take, void *context);

#endif
