/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether readings of a process speak of one image, and whether that is the one it is known to run. For process.c
 * alone.
 *
 * An image is told by name, effective uid and the address range in rollup's first line. If any of them moved, the
 * sample is taken again between two readings of stat, whose start of text and stack change with every exec. In the
 * common case, an image that was seen before, that costs nothing.
 */
#ifndef MEMTALLY_COLLECTORS_IDENTITY_H
#define MEMTALLY_COLLECTORS_IDENTITY_H

#include <stdbool.h>

#include "collectors/reading.h"

/* Whether the name and the user in G are those that its process is known by. */
bool identity_is_same(const struct reading *g);

/* Whether the walk in G found the image that its process is known to run. */
bool identity_is_same_walk(const struct reading *g);

/*
 * Takes counters and walk between two equal readings of stat. 0: had; OUTCOME_CHANGING, OUTCOME_NO_MM; or an error of
 * reading status. A tree without a usable stat has to do without the guard: *RET_HAS_STAT is false.
 */
int identity_guard(struct reading *g, struct stat_info *ret, bool *ret_has_stat);

/* Remembers the image in G as its process's own, and says in RET whether it is a new one. */
void identity_adopt(
	const struct reading *g, const struct stat_info *stat, bool has_stat, struct sample *ret);

/* Remembers what range the walk in G found; of a look, nothing. */
void identity_adopt_range(const struct reading *g);

/* Whether G, a look, shows the image that its process is known to run: images do not come back. 0 or a shortage. */
int identity_is_known_look(struct reading *g, bool *ret);

#endif
