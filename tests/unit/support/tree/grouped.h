/* SPDX-License-Identifier: Apache-2.0 */
/* Passes over a simulated /proc that count processes in groups of rules. */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_TREE_GROUPED_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_TREE_GROUPED_H

#include "base/cleanup.h"
#include "collectors/pass/pass.h"
#include "naming/rules.h"
#include "snapshot/view.h"
#include "tests/unit/support/tree/tree.h"

/* Rules for the processes below. */
#define GROUPED_RULES                                                                              \
	"process_names:\n"                                                                         \
	"- comm: [nginx]\n"                                                                        \
	"  name: web\n"                                                                            \
	"- exe: [/usr/bin/postgres]\n"                                                             \
	"  name: database\n"

/* systemd, pid 1; its child nginx, pid 20; and the child of that, helper, pid 30. */
extern const struct tree_process grouped_init, grouped_nginx, grouped_helper;

/* Exact and adaptive passes. */
enum { GROUPED_MODES = 2 };
extern const struct pass_options *const grouped_modes[GROUPED_MODES];

struct grouped {
	struct tree tree;
	struct pass *pass;
	struct tree_event opened; /* cmdline files, since the last pass began */
};

/* Returns the rules of TEXT, in the form of a file. */
struct naming_rules *grouped_rules(const char *text);

/*
 * Opens a tree without processes, and an exact pass, or one with OPTIONS, over it. RULES is the text
 * of a file; NULL: there are none.
 */
void grouped_open(struct grouped *s, const char *rules);
void grouped_open_with(struct grouped *s, const struct pass_options *options, const char *rules);
void grouped_done(struct grouped *s);
#define AUTO_GROUPED CLEANUP(grouped_done)

/* Adds P with a statm, which adaptive passes poll: it moves with each exec. */
void grouped_add(const struct grouped *s, const struct tree_process *p);

/* Makes a pass. Returns its view. */
struct view *grouped_run(struct grouped *s);

/* Returns the group of PID in VIEW. */
const char *grouped_name(const struct view *view, pid_t pid);

/* Makes a pass, and asserts that PID is in GROUP. */
void grouped_expect(struct grouped *s, pid_t pid, const char *group);

/* Returns the number of failures of rules that VIEW has. */
uint64_t grouped_failures(const struct view *view);

/* Returns a command line of LEN bytes that begins with FIRST. The caller frees it. */
char *grouped_cmdline(const char *first, size_t len);

#endif
