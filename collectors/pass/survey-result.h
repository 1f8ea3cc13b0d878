/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Survey result: the sums of the last survey of mapped files, and the files that are shown, ready
 * to be put into images. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_PASS_SURVEY_RESULT_H
#define MEMTALLY_COLLECTORS_PASS_SURVEY_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "snapshot/builder.h"
#include "snapshot/record.h"

/* Zeroed: there was no survey. */
struct survey_result {
	bool is_there;
	uint64_t begun_ns, ended_ns; /* start and end of the survey, CLOCK_BOOTTIME */
	/* by enum survey_quantity, all but SURVEY_AGE and SURVEY_DURATION */
	uint64_t present;
	uint64_t q[SURVEY_QUANTITIES];
	struct buffer rows; /* of struct snapshot_file; .path is an offset in .texts */
	struct buffer texts;
};

void survey_result_done(struct survey_result *c);
#define AUTO_SURVEY_RESULT CLEANUP(survey_result_done)

/* Removes all sums and files. */
void survey_result_clear(struct survey_result *c);

/*
 * Adds ROW with PATH, which may have any bytes. An unclean or too long path is made clean, cut, and
 * escaped as a name that users choose (text_add_name()). Quantities above INT64_MAX are cut to it.
 * If memory runs out, .rows or .texts has an error set.
 */
void survey_result_add(struct survey_result *c, const struct snapshot_file *row, const char *path);

/* Sets sum I to VALUE, cut to INT64_MAX. */
void survey_result_set(struct survey_result *c, enum survey_quantity i, uint64_t value);

/*
 * Adds the sums to the image in B. NOW_NS (CLOCK_BOOTTIME) is when the image is published: the age
 * of the survey follows from it. Adds nothing if there was no survey. Returns 0 or -ENOMEM.
 */
int survey_result_add_survey(const struct survey_result *c, uint64_t now_ns, struct builder *b);

/* Adds the files to the image in B. Adds nothing if there was no survey. Returns 0 or -ENOMEM. */
int survey_result_add_files(const struct survey_result *c, struct builder *b);

#endif
