/* SPDX-License-Identifier: Apache-2.0 */
/* memtally, asked in a child about a tree that looks like /proc (tree.h), and what it answers in JSON. */
#ifndef MEMTALLY_TESTS_UNIT_ASKED_H
#define MEMTALLY_TESTS_UNIT_ASKED_H

#include <jansson.h>

#include "base/buffer.h"
#include "tests/unit/running.h"
#include "tests/unit/tree.h"

struct asked {
	int status;
	json_t *json;      /* owned; NULL: it has printed nothing */
	struct buffer err; /* terminated */
};

void asked_done(struct asked *a);
#define AUTO_ASKED CLEANUP(asked_done)

/* Runs memtally with ARGS, NULL behind the last, and --json over T, of which EVENT happens; NULL: none. Whatever else it prints than JSON fails the test. */
void asked_run(
	const struct tree *t, struct tree_event *event, const char *const *args, struct asked *ret);
#define ASKED(t, event, ret, ...) asked_run(t, event, (const char *const[]){__VA_ARGS__, NULL}, ret)

/* The same without --json. */
void asked_text(const struct tree *t, struct tree_event *event, const char *const *args,
	struct running *ret);

/* What is at PATH in it, "processes.0.pid"; NULL: nothing is. */
const json_t *asked_at(const struct asked *a, const char *path);

#endif
