/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Naming rules: which process is in which group, by the configuration of process-exporter
 * (process_names). The first rule that matches a process names its group: all lists that the rule
 * has must match.
 *
 * comm     one of the texts is the process's name, at most 15 bytes
 * exe      one of the texts with a slash is argv[0], or one without a slash is argv[0]'s base name;
 *          a process without a command line never matches
 * cmdline  all of the patterns are found in the arguments joined by blanks; NUL bytes at the end of
 *          the command line are no arguments; an empty list matches every process
 *
 * This is what process-exporter 0.7.10 does, with two exceptions. Of several paths in exe with one
 * base name, process-exporter matches only the last: here each matches. And a group without a name
 * is "(unnamed)" here.
 */
#ifndef MEMTALLY_NAMING_RULES_H
#define MEMTALLY_NAMING_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

enum {
	/*
	 * Rules see the first bytes of a longer command line: a user chooses it, and time grows with
	 * it.
	 */
	NAMING_CMDLINE_MAX = 32 << 10,
	NAMING_ERRORS_SIZE = 4096, /* bytes of the faults of a file, with the NUL */
};

struct naming_rules;

/* A process as the rules see it. All is borrowed. */
struct naming_process {
	const char *comm; /* raw bytes, as status has them, unescaped */
	size_t comm_len;
	const char *cmdline; /* of /proc/PID/cmdline, with its NUL bytes; length 0: it has none */
	size_t cmdline_len;
	const char *username; /* terminated; NULL: .uid has no name, or it is not known yet */
	const char *cgroup;   /* text of /proc/PID/cgroup; NULL if the rules do not use it */
	size_t cgroup_len;
	int64_t start_s; /* seconds since the epoch */
	uint32_t pid;
	uint32_t uid; /* the effective one */
};

/* Which data of a process the rules need, beside comm and cmdline. */
struct naming_needs {
	bool username;
	bool cgroup;
};

/*
 * Reads the rules from the file at PATH, or from TEXT, the LEN bytes of a file that errors call
 * PATH. Returns 0 and sets *RET, which the caller frees with naming_rules_free(); -EINVAL if there
 * are faults; -EBADMSG if the file is not YAML; -EFBIG if it has more than 1 MiB; -ENOMEM; or a
 * negative errno of open() or read(). ERROR has a line for each fault: file, line and reason; or one
 * line, file and reason, if the rules could not be read.
 */
int naming_rules_load(
	const char *path, struct naming_rules **ret, char error[static NAMING_ERRORS_SIZE]);
int naming_rules_parse(const char *path, const char *text, size_t len, struct naming_rules **ret,
	char error[static NAMING_ERRORS_SIZE]);
void naming_rules_free(struct naming_rules *r); /* accepts NULL */

/* Returns whether A and B are of the same text. NULL, no rules, is the same as NULL alone. */
bool naming_rules_are_same(const struct naming_rules *a, const struct naming_rules *b);

struct naming_needs naming_rules_needs(const struct naming_rules *r);

/* How many steps the searches of a process may take. */
enum naming_effort {
	NAMING_LEAST, /* 2000 + 40 for each pattern of the rules */
	NAMING_USUAL, /* ten times as many: enough for ordinary command lines */
	NAMING_MOST,  /* a million + twice the usual ones */
};

/*
 * Appends the name of P's group to NAME, at most SNAPSHOT_NAME_MAX bytes of clean text: the caller
 * need not escape it. Returns 1 if a rule matched; 0 if none did; -EAGAIN if EFFORT is not NAMING_MOST,
 * and a search needs more steps than are left of it or reaches the limit of its memory: the caller may
 * try later; or -ENOMEM.
 *
 * A pattern that takes too many steps, or too much memory, counts as no match. So do all further ones
 * if the process has taken all steps of NAMING_MOST. A template that fails gives the text before the
 * failure. *RET_FAILED is set to true then, and else to false; after -EAGAIN and -ENOMEM it is
 * unchanged.
 */
int naming_rules_match(struct naming_rules *r, const struct naming_process *p,
	enum naming_effort effort, struct buffer *name, bool *ret_failed);

/* Returns how many steps more than those of NAMING_LEAST the last match took, -EAGAIN included. */
uint64_t naming_rules_extra_steps(const struct naming_rules *r);

#endif
