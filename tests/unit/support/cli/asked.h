/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs memtally in a child process over a simulated /proc (tree.h), and parses the JSON that it
 * prints.
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_CLI_ASKED_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_CLI_ASKED_H

#include <jansson.h>

#include "base/buffer.h"
#include "tests/unit/support/process/running.h"
#include "tests/unit/support/tree/tree.h"

struct asked {
	int status;
	json_t *json;      /* owned; NULL: memtally printed nothing */
	struct buffer err; /* standard error, terminated by NUL */
};

void asked_done(struct asked *a);
#define AUTO_ASKED CLEANUP(asked_done)

/*
 * Runs `memtally --json ARGS...` over T, and stores the result in *RET; asked_done() frees it. ARGS
 * ends with NULL. EVENT happens to T while memtally runs; NULL: none. Fails the test if standard
 * output is not JSON.
 */
void asked_run(
	const struct tree *t, struct tree_event *event, const char *const *args, struct asked *ret);
#define ASKED(t, event, ret, ...) asked_run(t, event, (const char *const[]){__VA_ARGS__, NULL}, ret)

/* Runs `memtally ARGS...` without --json; *RET is its output and exit status. */
void asked_text(const struct tree *t, struct tree_event *event, const char *const *args,
	struct running *ret);

/*
 * Returns the value at PATH in the JSON, for example "processes.0.pid", or NULL if there is none.
 */
const json_t *asked_at(const struct asked *a, const char *path);

#endif
