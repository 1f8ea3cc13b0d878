/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `memtally explain`: what single processes cost, in plain words.
 */
#ifndef MEMTALLY_CLI_EXPLAIN_H
#define MEMTALLY_CLI_EXPLAIN_H

#include <stdbool.h>

#include "cli/chosen.h"
#include "config/settings.h"

struct explain {
	struct chosen chosen;
	bool json, bytes;
	size_t limit; /* rows of each list */
};

void explain_done(struct explain *e);
#define AUTO_EXPLAIN CLEANUP(explain_done)

/* What SETTINGS ask for. Pure. -EINVAL with a sentence for the user in ERROR; -ENOMEM. */
int explain_parse(
	const struct settings *settings, struct explain *ret, char error[static CHOSEN_ERROR_SIZE]);

/*
 * Looks and prints, and says on the log of which processes it could not. 0; 1: of one of them it could not, or there was
 * none; or an error of printing.
 */
int explain_show(const struct settings *settings, struct explain *e);

/* As struct command has it. */
int explain_run(const struct settings *settings, bool is_check);

#endif
