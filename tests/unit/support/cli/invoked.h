/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memtally run in a child process with command-line arguments, in a folder of the test, with a
 * stand-in for memtallyd or without. Link with WRAP_INVOKED.
 *
 * CLOCK_BOOTTIME stands still at the start of the test plus one day, so that ages are exact and the
 * host has run for a day.
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_CLI_INVOKED_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_CLI_INVOKED_H

#include <jansson.h>
#include <sys/types.h>

#include "tests/unit/support/process/running.h"
#include "tests/unit/support/process/stand-in.h"
#include "tests/unit/support/snapshot/sample.h"

enum { INVOKED_ARGS = 8 };

/* The snapshot socket in memtally's configuration, for stand_in_start(). */
#define INVOKED_SOCKET "socket"

/*
 * Set-up and tear-down of a group of tests, which work in an empty folder of their own: see
 * folder_leave().
 */
int invoked_enter(void **state);
int invoked_leave(void **state);

/* Returns options for a sample that is three seconds old. */
struct sample_options invoked_sample(void);

/*
 * Runs memtally with ARGS, which end with NULL unless there are INVOKED_ARGS. With _into(),
 * standard output goes to OUTPUT. With _as(), memtally runs as user UID.
 */
void invoked_run(const char *const args[static INVOKED_ARGS], struct running *ret);
void invoked_run_into(int output, const char *const args[static INVOKED_ARGS], struct running *ret);
void invoked_run_as(uid_t uid, const char *const args[static INVOKED_ARGS], struct running *ret);

/* Sends the sample with OPTIONS, struct sample_options, to CLIENT: for stand_in_start(). */
void invoked_serve(int client, const void *options);

/*
 * As invoked_run(), while a stand-in for memtallyd sends the sample with OPTIONS to each client.
 * With _as(), memtally runs as user UID.
 */
void invoked_run_served(const struct sample_options *options,
	const char *const args[static INVOKED_ARGS], struct running *ret);
void invoked_run_served_as(uid_t uid, const struct sample_options *options,
	const char *const args[static INVOKED_ARGS], struct running *ret);

/*
 * Returns R's standard output as JSON. The test fails unless R succeeded and the output has
 * "snapshot" and LIST. The caller releases the result.
 */
json_t *invoked_load(const struct running *r, const char *list);

/* Whether JSON, the result of invoked_load(), has an interval: memtallyd made the snapshot. */
bool invoked_has_interval(const json_t *json);

#endif
