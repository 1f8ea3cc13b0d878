/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `memtally pages`. */
#ifndef MEMTALLY_CLI_PAGES_PAGESASKED_H
#define MEMTALLY_CLI_PAGES_PAGESASKED_H

#include <stdbool.h>

#include "cli/common/chosen.h"
#include "cli/pages/pagerow.h"
#include "config/settings.h"

struct pages_asked {
	struct chosen chosen;
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
void pages_asked_done(struct pages_asked *a);
#define AUTO_PAGES_ASKED CLEANUP(pages_asked_done)

/*
 * Reads the options from SETTINGS into *RET, which pages_asked_done() frees. Returns 0; -EINVAL
 * with a sentence for the user in ERROR; -ENOMEM. Pure.
 */
int pages_asked_parse(const struct settings *settings, struct pages_asked *ret,
	char error[static CHOSEN_ERROR_SIZE]);

/* Returns true if rows are sections or symbols. */
static inline bool pages_asked_is_by_parts(const struct pages_asked *a)
{
	return a->by >= PAGEROW_BY_SECTION;
}

#endif
