/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of the recording
 *
 * Answers questions to memtally-recorder (snapshot/past.h) from its files, for a user who may read
 * them: while memtally-recorder does not run, or if the files are a copy.
 */
#ifndef MEMTALLY_CLI_COMMON_PAST_FILES_H
#define MEMTALLY_CLI_COMMON_PAST_FILES_H

#include "base/buffer.h"
#include "base/cleanup.h"
#include "snapshot/past-client.h"

struct past_files;

/*
 * Opens the recording in DIRECTORY, which stays borrowed. *RET is the caller's. Warnings about damaged
 * files are logged. Returns 0; -ENODATA if there are no snapshots; -ENOTSUP in a build without
 * memtally-recorder; -ENOMEM; or a negative errno of openat(). After an error a sentence for the user
 * is in REASON.
 */
int past_files_open(const char *directory, struct past_files **ret, struct buffer *reason);

/* Closes F. Accepts NULL. Returns NULL. */
struct past_files *past_files_close(struct past_files *f);

static inline void cleanup_past_files(struct past_files **f)
{
	past_files_close(*f);
}
#define AUTO_PAST_FILES CLEANUP(cleanup_past_files)

/*
 * Answers Q in *RET as past_ask() does: all rows are visible. Returns 0, also
 * if .head.status is not PAST_GOOD; -ENOMEM; or a negative errno if the directory cannot be read.
 * After an error *RET_WHY (static) says why.
 */
int past_files_ask(struct past_files *f, const struct past_request *q, struct past_answer *ret,
	const char **ret_why);

#endif
