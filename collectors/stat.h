/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /proc/PID/stat: when a process started, which image it runs, and how often it has faulted.
 */
#ifndef MEMTALLY_COLLECTORS_STAT_H
#define MEMTALLY_COLLECTORS_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct stat_info {
	pid_t parent; /* field 4; 0: none in our pid namespace, or nothing that could be one */
	bool is_kernel_thread; /* by field 9: PF_KTHREAD */
	uint64_t faults;       /* field 10, minor ones, of all its threads */
	uint64_t start_ticks;  /* field 22, clock ticks since boot */
	/* Fields 26 and 28: where the program's text and stack begin, which change with every exec. 1 and 0
	 * for readers that may not look into the process. */
	uint64_t start_code, start_stack;
};

/*
 * Parses TEXT from the last ')' on, because the name before it may hold anything. -EBADMSG: there are
 * fewer than 28 fields, or they are no numbers.
 */
int stat_parse(const char *text, size_t len, struct stat_info *ret);

/*
 * A rule for file_read_until() (base/file.h): TEXT ends with a newline that is not part of the name, because more follows the
 * last ')' than a name of 15 bytes can hold. CONTEXT is not used. Pure.
 */
bool stat_is_whole(const char *text, size_t len, const void *context);

/* Whether A and B are of one image: the same start time, start of text and stack. Pure. */
bool stat_is_same_image(const struct stat_info *a, const struct stat_info *b);

#endif
