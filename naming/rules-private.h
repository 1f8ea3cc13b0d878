/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled rules: naming/rules.c makes them, naming/rules-match.c matches processes. */
#ifndef MEMTALLY_NAMING_RULES_PRIVATE_H
#define MEMTALLY_NAMING_RULES_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "naming/pattern.h"
#include "naming/rules.h"
#include "naming/template.h"

/* A list of comm or exe. */
struct words {
	struct buffer text; /* terminated texts, one behind the other */
	bool is_set;        /* the rule has the list, which may be empty */
};

struct rule {
	struct words comm, exe;
	struct pattern **pattern; /* owned, as each pattern is */
	size_t patterns;
	size_t captures; /* of all patterns */
	struct template *name;
};

struct naming_rules {
	struct buffer text; /* of the file */
	struct rule *rule;
	size_t count, room;
	size_t patterns; /* of all rules */
	size_t bytes;    /* that all patterns take */
	uint64_t steps;  /* of the last match */
	struct naming_needs needs;
};

#endif
