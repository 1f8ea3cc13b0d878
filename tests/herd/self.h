/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes that a forked process makes to itself before it plays a tape
 *
 * If a step fails, the process prints a line on standard error and exits with status 1.
 */
#ifndef MEMTALLY_TESTS_HERD_SELF_H
#define MEMTALLY_TESTS_HERD_SELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 and later */
#endif

/* Unblocks all signals. */
void self_unblock_signals(void);

/* Writes one byte of each page (READ_ONLY: reads it). */
void self_touch(uintptr_t address, uint64_t pages, bool read_only);

/* Maps PAGES pages at ADDRESS, which must be free, without huge pages. */
void self_map(uintptr_t address, uint64_t pages, int prot, int flags, int fd);

/*
 * Replaces every private mapping of a file by an anonymous copy. Program and libraries are then
 * shared with children only, and births and exits of other processes change nothing.
 */
void self_leave_files(void);

/*
 * Shows NAME, and nothing else, as the command line. Writes to ARGV, so its pages become private.
 */
void self_show_name(char *argv, size_t size, const char *name);

/*
 * Takes UID (root only; otherwise the user stays), stays readable for that user's other processes,
 * is the first process that the OOM killer chooses, and is killed when PARENT exits.
 */
void self_settle(uid_t uid, pid_t parent);

/* Keeps READY as descriptor 0 and closes all others. */
void self_close_all_but(int ready);

/* Prints "herd: process PID: WHAT: strerror(errno)" on standard error and exits with status 1. */
void self_fail(const char *what) __attribute__((noreturn));

#endif
