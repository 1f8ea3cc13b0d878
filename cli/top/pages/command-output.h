/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Output of a command
 *
 * Runs another command of this memtally, and takes what it prints; or reads a file of /proc in the same
 * way. Either may block in the kernel: it is another process, which is never waited for.
 */
#ifndef MEMTALLY_CLI_TOP_PAGES_COMMAND_OUTPUT_H
#define MEMTALLY_CLI_TOP_PAGES_COMMAND_OUTPUT_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buffer.h"

enum { COMMAND_OUTPUT_MAX = 1 << 20 }; /* bytes that are kept; the rest is not read */

struct command_output {
	pid_t pid;          /* 0: no command runs */
	pid_t ended;        /* a command that has ended and is to be reaped; 0: none */
	int fd;             /* what it prints; -1: it has ended, or none was started */
	bool is_cut;        /* it has printed more than .text has */
	struct buffer text; /* owned: its output and its messages */
};

#define COMMAND_OUTPUT_NONE                                                                        \
	{                                                                                          \
		.fd = -1                                                                           \
	}

/*
 * Starts ARGV, ended by NULL, of this program, and empties the text. ARGV[0] is any name. An earlier
 * command is stopped. Returns 0, or a negative errno of pipe2() or posix_spawn().
 */
int command_output_start(struct command_output *o, char *const argv[]);

/*
 * Starts a process that reads the file PATH, of which it takes at most MOST bytes and one, in place of a
 * command. Returns 0, or a negative errno of pipe2() or fork().
 */
int command_output_start_file(struct command_output *o, const char *path, size_t most);

/* Reads what the command has printed. Does not block. Returns true if .text or .fd has changed. */
bool command_output_read(struct command_output *o);

/* Kills the command if it still runs, and frees the text. */
void command_output_stop(struct command_output *o);

#endif
