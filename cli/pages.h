/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `memtally pages`: what processes' memory is page by page, and how often each is mapped; together by kind, process or mapping, or by
 * section or symbol of what is mapped.
 */
#ifndef MEMTALLY_CLI_PAGES_H
#define MEMTALLY_CLI_PAGES_H

#include <stdbool.h>

#include "cli/chosen.h"
#include "cli/pagerow.h"
#include "config/settings.h"

struct pages {
	struct chosen chosen;
	struct pagerow_format format;
	bool json, csv;
	bool is_sorted;
	unsigned int sort; /* a field of the rows: enum pagesum_field, or enum partrow_field */
	bool ascending;
	size_t limit;        /* rows to show; 0: all */
	uint64_t start, end; /* which addresses; 0 and UINT64_MAX: all */
};

void pages_done(struct pages *p);
#define AUTO_PAGES CLEANUP(pages_done)

/* Whether rows are sections or symbols. */
bool pages_is_by_parts(const struct pages *p);

/* What SETTINGS ask for. Pure. -EINVAL with a sentence for the user in ERROR; -ENOMEM. */
int pages_parse(
	const struct settings *settings, struct pages *ret, char error[static CHOSEN_ERROR_SIZE]);

/*
 * Looks and prints, and says on the log of which processes it could not, and which rights it lacks for what else there is. 0; 1: of one of
 * them it could not, or there was none; or an error of printing.
 */
int pages_show(const struct settings *settings, struct pages *p);

/* As struct command has it. */
int pages_run(const struct settings *settings, bool is_check);

#endif
