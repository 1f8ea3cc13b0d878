/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether readings of a process are of one image, and whether that is the image that the process is known to run. Used only
 * by process.c.
 *
 * An image is identified by name, effective uid and the address range in the first line of smaps_rollup. If any of them has
 * moved, the sample is taken again between two readings of stat: start of text and stack in it change with every exec. This
 * costs nothing in the common case of a known image.
 */
#ifndef MEMTALLY_COLLECTORS_IDENTITY_H
#define MEMTALLY_COLLECTORS_IDENTITY_H

#include <stdbool.h>

#include "collectors/reading.h"

/* Whether name and user in G are those of the known image. */
bool identity_is_same(const struct reading *g);

/* Whether the walk in G found the known image. */
bool identity_is_same_walk(const struct reading *g);

/*
 * Whether the RSS of the counters and that of the walk in G differ by at most an eighth and 1 MiB. Otherwise one of them may
 * be of another image with the same name. True if there is no walk.
 */
bool identity_is_same_size(const struct reading *g);

/*
 * Reads counters and walk between two equal readings of stat. Returns 0; OUTCOME_CHANGING; OUTCOME_NO_MM; or an error of
 * reading status. If there is no usable stat, as in a tree of files, *RET_HAS_STAT is false and there is no guard.
 */
int identity_guard(struct reading *g, struct stat_info *ret, bool *ret_has_stat);

/* Records the image in G as the one that the process runs, and sets RET->is_new_image. */
void identity_adopt(
	const struct reading *g, const struct stat_info *stat, bool has_stat, struct sample *ret);

/* Records the address range that the walk in G found; nothing if there was no walk. */
void identity_adopt_range(const struct reading *g);

/*
 * Writes to *RET whether G, a reading without a walk, shows the known image; true if stat is blocked. Returns 0, or an error
 * for which reading_is_shortage() is true.
 */
int identity_is_known_look(struct reading *g, bool *ret);

#endif
