/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `memtally pages`. */
#ifndef MEMTALLY_CLI_PAGES_PAGES_OPTIONS_H
#define MEMTALLY_CLI_PAGES_PAGES_OPTIONS_H

#include "cli/common/inspection.h"
#include "cli/pages/pagerow.h"

/*
 * Parses the options (see inspection_parse): .by is an enum pagerow_by, and .sort an enum
 * pagesum_field, or an enum partrow_field for sections and symbols.
 */
int pages_options_parse(struct inspection *i, char error[static CLI_OPTION_ERROR_SIZE]);

/* Returns true if rows are sections or symbols. */
static inline bool pages_options_is_by_parts(const struct inspection *i)
{
	return i->by >= PAGEROW_BY_SECTION;
}

/* The by() of struct command (cli/common/command.h). */
const char *pages_options_by(unsigned int i);

#endif
