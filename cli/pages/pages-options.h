/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `memtally pages`. */
#ifndef MEMTALLY_CLI_PAGES_PAGES_OPTIONS_H
#define MEMTALLY_CLI_PAGES_PAGES_OPTIONS_H

#include <stdbool.h>

#include "cli/common/pid-selection.h"
#include "cli/pages/pagerow.h"
#include "config/settings.h"

struct pages_options {
	struct pid_selection chosen;
	enum pagerow_by by;
	bool bytes, json, csv;
	bool is_sorted;
	/* field of the rows: enum pagesum_field, or enum partrow_field for sections and symbols */
	unsigned int sort;
	bool ascending;
	size_t limit;        /* rows to show; 0: all */
	uint64_t start, end; /* addresses to read, in whole pages; 0 and UINT64_MAX: all */
};

/* Frees what A owns. */
void pages_options_done(struct pages_options *a);
#define AUTO_PAGES_OPTIONS CLEANUP(pages_options_done)

/*
 * Reads the options from SETTINGS into *RET, which pages_options_done() frees. Returns 0; -EINVAL
 * with a sentence for the user in ERROR; -ENOMEM. Pure.
 */
int pages_options_parse(const struct settings *settings, struct pages_options *ret,
	char error[static PID_SELECTION_ERROR_SIZE]);

/* Returns true if rows are sections or symbols. */
static inline bool pages_options_is_by_parts(const struct pages_options *a)
{
	return a->by >= PAGEROW_BY_SECTION;
}

/* The by() of struct command (cli/common/command.h). */
const char *pages_options_by(unsigned int i);

#endif
