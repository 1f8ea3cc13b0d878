/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which flags go with what the program is asked for. One that has no meaning there is refused: whoever gave it expects
 * something of it. Pure.
 */
#ifndef MEMTALLY_CLI_FLAG_H
#define MEMTALLY_CLI_FLAG_H

#include <stdbool.h>

#include "config/settings.h"
#include "snapshot/query.h"

enum flag_view {
	FLAG_LIST, /* of a snapshot's rows, the host and the status among these */
	FLAG_USAGE,
	FLAG_MAP,
	FLAG_FILES,
	FLAG_PAGES,
	FLAG_SHARING,
	FLAG_EXPLAIN,
	FLAG_VIEWS
};

enum { FLAG_ERROR_SIZE = QUERY_ERROR_SIZE };

/* 0, or -EINVAL with a sentence for the user in ERROR: one of C does not go with VIEW, or --csv with --json. */
int flag_check(const struct settings *c, enum flag_view view, char error[static FLAG_ERROR_SIZE]);

/* "--by: expected user or program, got 'x'". -EINVAL. */
int flag_refuse(const char *flag, const char *got, const char *expected,
	char error[static FLAG_ERROR_SIZE]);

/* Whether --order says that what is least comes first. 0, or -EINVAL with a sentence in ERROR. */
int flag_parse_order(
	const struct settings *settings, bool *ret_ascending, char error[static FLAG_ERROR_SIZE]);

#endif
