/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers that change from answer to answer, without changing the answer's length: what a number falls
 * short of its widest form is counted, and made up for by blanks where the format has room for them.
 * So HEAD tells the length that GET then has.
 */
#ifndef MEMTALLY_WEB_STEADY_H
#define MEMTALLY_WEB_STEADY_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

struct steady {
	struct buffer *to; /* borrowed */
	size_t slack;      /* blanks owed */
};

/* VALUE in decimal. */
void steady_add_u64(struct steady *s, uint64_t value);

/* NS as decimal seconds. */
void steady_add_seconds(struct steady *s, uint64_t ns);

/* NS as human_add_age() writes it. */
void steady_add_age(struct steady *s, uint64_t ns);

/* The blanks. */
void steady_settle(struct steady *s);

#endif
