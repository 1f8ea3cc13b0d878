/* SPDX-License-Identifier: Apache-2.0 */
/* Which right is missing where processes can't be looked into, said once after the first of them. */
#ifndef MEMTALLY_CLI_HINT_H
#define MEMTALLY_CLI_HINT_H

#include <stdbool.h>

#include "collectors/procfs.h"

struct hint {
	const char *denied; /* of those that the kernel refuses; NULL: that mappings take a right */
	bool has_said_denied, has_said_hidden;
};

/* R: the target_outcome, or the error, of one who was asked for by his pid. */
void hint_say(struct hint *h, const struct procfs *procfs, int r);

#endif
