/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parser of /proc/PID/stat: when a process started, which image it runs, and what it has done.
 */
#ifndef MEMTALLY_COLLECTORS_PROCFS_STAT_H
#define MEMTALLY_COLLECTORS_PROCFS_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct stat_info {
	pid_t parent;          /* field 4; 0: none in this pid namespace, or not a valid pid */
	bool is_kernel_thread; /* field 9: PF_KTHREAD */
	uint64_t faults;       /* field 10: minor faults of all its threads */
	uint64_t start_ticks;  /* field 22: clock ticks since boot */
	/*
	 * Fields 26 and 28: start of the program's text and of its stack. Both change with every
	 * exec. They are 1 and 0 for readers that may not inspect the process.
	 */
	uint64_t start_code, start_stack;
};

/*
 * What a process has done since its start: all its threads together, those that have exited
 * included. Every reader sees it.
 */
struct stat_activity {
	char state;                          /* field 3, of the leader: 'R', 'S', 'D', 'Z' ... */
	uint64_t minor_faults, major_faults; /* fields 10 and 12 */
	uint64_t user_ticks, system_ticks;   /* fields 14 and 15: CPU time in clock ticks */
	uint64_t start_ticks;                /* field 22: clock ticks since boot */
};

/*
 * Parses TEXT into RET, beginning behind the last ')', since the name before it may have any bytes.
 * Returns 0; or -EBADMSG, with RET unchanged, if there are fewer than 28 fields or they are no
 * numbers.
 */
int stat_parse(const char *text, size_t len, struct stat_info *ret);

/*
 * Parses TEXT into RET as stat_parse() does. Returns 0; or -EBADMSG, with RET unchanged, if there are
 * fewer than 28 fields or these five are no numbers.
 */
int stat_parse_activity(const char *text, size_t len, struct stat_activity *ret);

/*
 * Returns whether TEXT ends with a newline that is not part of the name: more bytes follow the last
 * ')' than a name of 15 bytes can hold. It is a rule for file_read_until() (base/os/file.h); CONTEXT
 * is not used. Pure.
 */
bool stat_is_whole(const char *text, size_t len, const void *context);

/*
 * Returns whether A and B are of one image: the same start time, start of text and start of stack.
 * Pure.
 */
bool stat_is_same_image(const struct stat_info *a, const struct stat_info *b);

#endif
