/* SPDX-License-Identifier: Apache-2.0 */
/* One process and a reader of it, which may keep ten descriptors. */
#ifndef MEMTALLY_TESTS_UNIT_SUBJECT_H
#define MEMTALLY_TESTS_UNIT_SUBJECT_H

#include "base/cleanup.h"
#include "collectors/process.h"
#include "tests/unit/tree.h"

struct subject {
	struct tree tree;      /* not of a live one */
	struct tree_process p; /* what the tree says of it, where the test has not changed that */
	struct procfs procfs;
	struct process_reader reader;
	struct process process;
	struct sample sample; /* for the last one */
	pid_t child;          /* of a live one that has not ended; else 0 */
};

/* P in a tree of its own, or a child in /proc that waits. A failure of any of these functions fails the test. */
struct subject *subject_new(const struct tree_process *p);
struct subject *subject_live(void);
void subject_done(struct subject **s);
#define AUTO_SUBJECT CLEANUP(subject_done)

/* A bash of user 1000 as pid 42, in a tree whose kernel was booted at SUBJECT_BOOT_NS. */
#define SUBJECT_BOOT_NS UINT64_C(1700000000000000000)
struct subject *subject_bash(void);

/* process_read() and process_look(), which succeed; .sample. */
const struct sample *subject_read(struct subject *s, uint64_t now_ns);
const struct sample *subject_look(struct subject *s);

/* .sample is whole, from rollup, with the values that the tree has of bash. */
void subject_assert_measured(const struct subject *s);

/* .sample has what status says, and for OUTCOME's reason no PSS. */
void subject_assert_without_pss(const struct subject *s, enum process_outcome outcome);

/* What a buffer of the reader holds. */
void subject_assert_text(const struct buffer *b, const char *expected);

/* A live one executes another program; ends, and is a zombie; ends. Each has happened when it returns. */
void subject_execute(struct subject *s);
void subject_end(struct subject *s);
void subject_kill(struct subject *s);

#endif
