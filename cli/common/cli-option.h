/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compatibility of options
 *
 * Says which options have a meaning for which view. An option without a meaning there is refused,
 * because the user expects an effect of it. Pure.
 */
#ifndef MEMTALLY_CLI_COMMON_CLI_OPTION_H
#define MEMTALLY_CLI_COMMON_CLI_OPTION_H

#include <stdbool.h>

#include "config/settings.h"
#include "snapshot/query.h"

enum cli_view {
	CLI_VIEW_LIST, /* rows of a snapshot */
	CLI_VIEW_HOST,
	CLI_VIEW_STATUS,
	CLI_VIEW_USAGE,
	CLI_VIEW_MAP,
	CLI_VIEW_FILES,
	CLI_VIEW_PAGES,
	CLI_VIEW_SHARING,
	CLI_VIEW_EXPLAIN,
	CLI_VIEW_COMPARE,
	CLI_VIEW_TOP,
	CLI_VIEW_GROWTH,
	CLI_VIEW_DIFF,
	CLI_VIEW_HISTORY,
	CLI_VIEW_WHY,
	CLI_VIEW_HELP,
	CLI_VIEWS
};

enum { CLI_OPTION_ERROR_SIZE = QUERY_ERROR_SIZE };

/* Returns true if the option NAME has a meaning for VIEW. */
bool cli_option_is_for(const char *name, enum cli_view view);

/*
 * Checks that VIEW accepts each option that C has set, and that no two of them contradict each other.
 * Options that are also keys of the configuration file are accepted. Returns 0, or -EINVAL with a
 * sentence for the user in ERROR.
 */
int cli_option_check(
	const struct settings *c, enum cli_view view, char error[static CLI_OPTION_ERROR_SIZE]);

/*
 * Writes "OPTION: expected EXPECTED, got 'GOT'" to ERROR, for example "--by: expected user or
 * program, got 'x'". Returns -EINVAL.
 */
int cli_option_refuse(const char *option, const char *got, const char *expected,
	char error[static CLI_OPTION_ERROR_SIZE]);

/*
 * Sets *RET to the number of the value of --by among those that BY returns up to a NULL, which
 * EXPECTED describes; leaves it without --by. The plural of a value is taken, too. Returns 0, or -EINVAL with a sentence for the user in
 * ERROR.
 */
int cli_option_parse_by(const struct settings *settings, const char *(*by)(unsigned int i),
	const char *expected, unsigned int *ret, char error[static CLI_OPTION_ERROR_SIZE]);

/*
 * Sets *RET_ASCENDING to true if --order is "asc", and to false if it is "desc" or not set. Returns
 * 0, or -EINVAL with a sentence for the user in ERROR if it has another value.
 */
int cli_option_parse_order(const struct settings *settings, bool *ret_ascending,
	char error[static CLI_OPTION_ERROR_SIZE]);

#endif
