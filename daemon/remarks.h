/* SPDX-License-Identifier: Apache-2.0 */
/* What memtallyd says on the log while it works, in which words and how often. */
#ifndef MEMTALLY_DAEMON_REMARKS_H
#define MEMTALLY_DAEMON_REMARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/log.h"
#include "collectors/pass.h"

struct remarks {
	struct log_limit pass_errors, budget_warnings; /* one a minute of each */
	uint64_t
		short_ns; /* CLOCK_MONOTONIC at which the budget did not suffice, since that was said; 0: never */
	bool has_said_charges, has_said_ambiguous;
};

void remarks_init(struct remarks *r);

/* WHAT has gone wrong with a pass, with ERROR, a negative errno. */
void remarks_pass_error(struct remarks *r, const char *what, int error);

/* The budget bears passes only INTERVAL_NS apart; as configured they would need NEEDED_PPM of a core. */
void remarks_budget(struct remarks *r, uint64_t interval_ns, uint64_t needed_ppm);

/* It bears them as configured. Said when it has for a minute, if it was said before that it does not. */
void remarks_budget_suffices(struct remarks *r);

/* Once: what the first pass could see, and what would help. */
void remarks_first_pass(const struct pass_summary *s);

/* Once each: that cgroups can't be read, and that owners have several; after each pass. */
void remarks_charges(struct remarks *r, const struct pass_summary *s);

/* Why nothing listens at PATH: ERROR is a negative errno. */
void remarks_listen_error(const char *path, int error);

#endif
