/* SPDX-License-Identifier: Apache-2.0 */
/* One process and a process reader that may keep ten descriptors. */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_TREE_SUBJECT_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_TREE_SUBJECT_H

#include "base/cleanup.h"
#include "collectors/process/process.h"
#include "tests/unit/support/tree/tree.h"

struct subject {
	struct tree tree;      /* unset for a live process */
	struct tree_process p; /* the process as tree_add() wrote it */
	struct procfs procfs;
	struct process_reader reader;
	struct process process;
	struct sample sample; /* result of the last read or look */
	pid_t child;          /* the live process, until subject_kill(); otherwise 0 */
};

/*
 * A process P in a tree of its own (new), or a child in the real /proc that only waits (live). All
 * functions fail the test on errors.
 */
struct subject *subject_new(const struct tree_process *p);
struct subject *subject_live(void);
void subject_done(struct subject **s);
#define AUTO_SUBJECT CLEANUP(subject_done)

/* A bash of uid 1000 with pid 42, in a tree with the boot time SUBJECT_BOOT_NS. */
#define SUBJECT_BOOT_NS UINT64_C(1700000000000000000)
struct subject *subject_bash(void);

/* Call process_read() or process_look(), which must succeed. Return &S->sample. */
const struct sample *subject_read(struct subject *s, uint64_t now_ns);
const struct sample *subject_look(struct subject *s);

/* Asserts that S->sample is a complete measurement from smaps_rollup with the values of S->p. */
void subject_assert_measured(const struct subject *s);

/* Asserts that S->sample has OUTCOME and the values of status, but no PSS. */
void subject_assert_without_pss(const struct subject *s, enum process_outcome outcome);

/* Asserts that S->sample has the owner of S->p and no values, since files could not be opened. */
void subject_assert_unread(const struct subject *s);

/* Asserts that B holds exactly EXPECTED. */
void subject_assert_text(const struct buffer *b, const char *expected);

/*
 * Make the live process exec another program (execute), exit and stay a zombie (end), or exit and
 * be reaped (kill). They return when this has happened.
 */
void subject_execute(struct subject *s);
void subject_end(struct subject *s);
void subject_kill(struct subject *s);

#endif
