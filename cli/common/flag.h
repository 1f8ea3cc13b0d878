/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compatibility of options
 *
 * Says which options have a meaning for which view. An option without a meaning there is refused,
 * because the user expects an effect of it. Pure.
 */
#ifndef MEMTALLY_CLI_COMMON_FLAG_H
#define MEMTALLY_CLI_COMMON_FLAG_H

#include <stdbool.h>

#include "config/settings.h"
#include "snapshot/query.h"

enum flag_view {
	FLAG_LIST, /* rows of a snapshot */
	FLAG_HOST,
	FLAG_STATUS,
	FLAG_USAGE,
	FLAG_MAP,
	FLAG_FILES,
	FLAG_PAGES,
	FLAG_SHARING,
	FLAG_EXPLAIN,
	FLAG_HELP,
	FLAG_VIEWS
};

enum { FLAG_ERROR_SIZE = QUERY_ERROR_SIZE };

/* Returns true if the option NAME has a meaning for VIEW. */
bool flag_is_for(const char *name, enum flag_view view);

/*
 * Checks that VIEW accepts each option that C has set, and that --csv and --json are not both set.
 * Options that are also keys of the configuration file are accepted. Returns 0, or -EINVAL with a
 * sentence for the user in ERROR.
 */
int flag_check(const struct settings *c, enum flag_view view, char error[static FLAG_ERROR_SIZE]);

/*
 * Writes "FLAG: expected EXPECTED, got 'GOT'" to ERROR, for example "--by: expected user or
 * program, got 'x'". Returns -EINVAL.
 */
int flag_refuse(const char *flag, const char *got, const char *expected,
	char error[static FLAG_ERROR_SIZE]);

/*
 * Sets *RET_ASCENDING to true if --order is "asc", and to false if it is "desc" or not set. Returns
 * 0, or -EINVAL with a sentence for the user in ERROR if it has another value.
 */
int flag_parse_order(
	const struct settings *settings, bool *ret_ascending, char error[static FLAG_ERROR_SIZE]);

#endif
