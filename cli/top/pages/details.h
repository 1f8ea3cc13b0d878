/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Details of a row
 *
 * The page that Enter opens: the figures of a row with their bounds, source and age; for a process its
 * command line, and what `memtally explain` and `memtally map --by=kind` print; for an owner its largest
 * processes. All that reads /proc is in a process of its own.
 */
#ifndef MEMTALLY_CLI_TOP_PAGES_DETAILS_H
#define MEMTALLY_CLI_TOP_PAGES_DETAILS_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "cli/top/pages/command-output.h"
#include "cli/top/rows/top-rows.h"
#include "config/settings.h"

struct details {
	uint64_t key; /* of the row; 0: the page is closed */
	struct command_output explain, map;
	struct command_output command; /* the process's command line: its arguments, terminated */
	uint64_t start_ns;             /* CLOCK_BOOTTIME at which they were started */
	int error;                     /* the negative errno of starting them */
	bool is_past;                  /* the row is one of the past: they were not started */
};

#define DETAILS_CLOSED                                                                             \
	{                                                                                          \
		.explain = COMMAND_OUTPUT_NONE, .map = COMMAND_OUTPUT_NONE,                        \
		.command = COMMAND_OUTPUT_NONE                                                     \
	}

enum { DETAILS_POLLS = 3 };

/*
 * Opens the page of ROW at NOW_NS, of CLOCK_BOOTTIME. If ROW is a process, starts the commands, and
 * reads the command line, with the paths of SETTINGS; NULL: the row is one of the past.
 */
void details_open(struct details *d, const struct top_row *row, const struct settings *settings,
	uint64_t now_ns);

/* Stops the commands, and closes the page. */
void details_close(struct details *d);

/* Writes the descriptors to wait for to RET. Returns their number. */
size_t details_poll(const struct details *d, struct pollfd ret[static DETAILS_POLLS]);

/* Reads what the commands have printed. Returns true if there is more of it. */
bool details_read(struct details *d);

/*
 * Appends the lines of the page of D, at most WIDTH columns wide if they consist of words. ROW is the
 * row of ROWS, those of the shown snapshot, and gets its growth and trend; NULL: it is gone. NOW_NS is
 * CLOCK_BOOTTIME: the output of the commands is as old as their start.
 */
void details_render(const struct details *d, const struct top_rows *rows, struct top_row *row,
	uint64_t now_ns, size_t width, struct buffer *to);

#endif
