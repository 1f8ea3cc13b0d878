/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of `memtally top`. Pure except for the clock and the time zone, of --replay. */
#ifndef MEMTALLY_CLI_TOP_TOP_OPTIONS_H
#define MEMTALLY_CLI_TOP_TOP_OPTIONS_H

#include <stdbool.h>

#include "cli/common/cli-option.h"
#include "cli/common/selection.h"
#include "cli/common/sort-names.h"
#include "cli/top/rows/top-state.h"
#include "config/settings.h"

/* The processes that the command line chose. */
struct top_options {
	struct selection filters;
	bool has_filters;
};

/*
 * Reads SETTINGS into *O and *S, the state at the start. Returns 0, or -EINVAL with a sentence for the
 * user in ERROR.
 */
int top_options_parse(struct top_options *o, struct top_state *s, const struct settings *settings,
	char error[static CLI_OPTION_ERROR_SIZE]);

/* The .by of struct command. */
const char *top_options_by(unsigned int i);

/* The .add_sorts of struct command. */
void top_options_add_sorts(const char *name, struct sort_names *to);

#endif
