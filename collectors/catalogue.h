/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the last survey of mapped files has found, as it goes into images: its sums, and the files that are shown. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_CATALOGUE_H
#define MEMTALLY_COLLECTORS_CATALOGUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "snapshot/builder.h"
#include "snapshot/record.h"

/* Starts zeroed: there was none. */
struct catalogue {
	bool is_there;
	uint64_t begun_ns, ended_ns; /* CLOCK_BOOTTIME */
	uint64_t present;            /* by survey_quantity, all but its times */
	uint64_t q[SURVEY_QUANTITIES];
	struct buffer rows; /* of struct snapshot_file, whose .path is where it begins in .texts */
	struct buffer texts;
};

void catalogue_done(struct catalogue *c);
#define AUTO_CATALOGUE CLEANUP(catalogue_done)

/* Empties it. */
void catalogue_clear(struct catalogue *c);

/*
 * Adds ROW with the path PATH, any bytes. A path that is not clean or too long is made clean, cut, and escaped as a name of users
 * (text_add_name()). Quantities that no image may have are cut. The catalogue's buffers remember failures.
 */
void catalogue_add(struct catalogue *c, const struct snapshot_file *row, const char *path);

/* Sets I of the sums, likewise. */
void catalogue_set(struct catalogue *c, enum survey_quantity i, uint64_t value);

/* Adds the sums to an image that is published at NOW_NS (CLOCK_BOOTTIME); nothing where there was no survey. -ENOMEM. */
int catalogue_add_survey(const struct catalogue *c, uint64_t now_ns, struct builder *b);

/* Adds the rows. -ENOMEM. */
int catalogue_add_files(const struct catalogue *c, struct builder *b);

#endif
