/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Labels of programs, by the rule of ps_mem.
 */
#ifndef MEMTALLY_COLLECTORS_PROCESS_PROGRAM_NAME_H
#define MEMTALLY_COLLECTORS_PROCESS_PROGRAM_NAME_H

#include <stddef.h>

#include "base/buffer.h"

/*
 * The label of every program that was executed from a memfd, whatever the names of the memfd and
 * the process.
 */
#define PROGRAM_NAME_MEMFD "(memfd)"

/*
 * Appends the label of a process's program to TO, clean and of at most SNAPSHOT_NAME_MAX bytes.
 * COMM is its name in status, EXE the target of /proc/PID/exe; NULL if it cannot be read. The first
 * rule that applies decides:
 *
 *       1. EXE is a memfd: PROGRAM_NAME_MEMFD.
 *       2. COMM, which holds 15 bytes, is the beginning of EXE's base name: the base name. If the
 *          file was deleted or replaced while the program runs, " [deleted]" follows.
 *       3. COMM; "(unnamed)" if it is empty.
 *
 * A name that is one of memtally's labels, or ends as its marks do, is escaped (text_add_name() in
 * base/text.h).
 *
 * Does no I/O: the user chooses the path, which may lie on a file system that hangs. If memory runs
 * out, TO has an error set.
 */
void program_name_make(
	const char *comm, size_t comm_len, const char *exe, size_t exe_len, struct buffer *to);

#endif
