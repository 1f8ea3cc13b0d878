/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Identity: decides whether readings of a process are of one image, and whether the process is
 * known to run that image. Used only by process-sample.c.
 *
 * An image is identified by its name, effective uid, and address range in the first line of
 * smaps_rollup. If one of them has changed, the sample is taken again between two readings of stat,
 * which has the start of text and stack: these change with every exec. A known image, the common
 * case, costs nothing.
 */
#ifndef MEMTALLY_COLLECTORS_PROCESS_PROCESS_IMAGE_H
#define MEMTALLY_COLLECTORS_PROCESS_PROCESS_IMAGE_H

#include <stdbool.h>

#include "collectors/process/process-reading.h"

/* Returns whether name and user in G are those of the known image. */
bool process_image_is_same(const struct process_reading *g);

/* Returns whether the walk in G found the known image. */
bool process_image_is_same_walk(const struct process_reading *g);

/*
 * Returns whether the RSS of the counters and the RSS of the walk in G differ by at most an eighth
 * plus 1 MiB. Otherwise one of them may be of another image with the same name. Returns true if
 * there is no walk.
 */
bool process_image_is_same_size(const struct process_reading *g);

/*
 * Reads counters and walk between two equal readings of stat. Sets *RET and *RET_HAS_STAT. If there
 * is no usable stat, for example in a tree of files, *RET_HAS_STAT is false and nothing is
 * compared. Returns 0; OUTCOME_CHANGING if the readings differ in each attempt; OUTCOME_NO_MM; or a
 * negative errno of reading.
 */
int process_image_guard(struct process_reading *g, struct stat_info *ret, bool *ret_has_stat);

/*
 * Records the image in G as the one that the process runs. STAT is its stat if HAS_STAT is set. If
 * it is another image than before, resets what was known of the old one and sets RET->is_new_image.
 */
void process_image_adopt(const struct process_reading *g, const struct stat_info *stat,
	bool has_stat, struct sample *ret);

/* Records the address range that the walk in G found. Does nothing if there was no walk. */
void process_image_adopt_range(const struct process_reading *g);

/*
 * Sets *RET to whether G, a reading without a walk, shows the known image; to true if stat is
 * blocked. Returns 0, or an error for which process_reading_is_shortage() is true.
 */
int process_image_is_known_look(struct process_reading *g, bool *ret);

#endif
