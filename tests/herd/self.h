/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a forked process does to itself before it plays a tape. A step that fails ends the process with
 * status 1 and a line on standard error.
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

/* Signals come through. */
void self_unblock_signals(void);

/* Writes (or, with READ_ONLY, reads) a byte of each page. */
void self_touch(uintptr_t address, uint64_t pages, bool read_only);

/* Maps PAGES at ADDRESS, fails the process where they can't be had. No huge pages. */
void self_map(uintptr_t address, uint64_t pages, int prot, int flags, int fd);

/*
 * Puts a private copy in the place of every mapping of a file: program and libraries are then shared with
 * children alone, and other processes that begin and end change nothing here.
 */
void self_leave_files(void);

/* Shows NAME, and nothing else, as the command line. Makes the pages the process's own. */
void self_show_name(char *argv, size_t size, const char *name);

/*
 * Becomes UID (root only; others stay who they are), stays readable for others of that user, is the
 * first to go where memory runs out, and ends when PARENT does.
 */
void self_settle(uid_t uid, pid_t parent);

/* Keeps READY as descriptor 0 and closes all others. */
void self_close_all_but(int ready);

/* Says on standard error what failed and why, and ends the process. */
void self_fail(const char *what) __attribute__((noreturn));

#endif
