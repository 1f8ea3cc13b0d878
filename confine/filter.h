/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which system calls a process may make from now on, it and its children, for good (seccomp). What is not named fails
 * with EPERM, or, where libc has another way then, with ENOSYS.
 */
#ifndef MEMTALLY_CONFINE_FILTER_H
#define MEMTALLY_CONFINE_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	FILTER_CONDITIONS_MAX = 2,
	FILTER_CLONE_FLAGS =
		6, /* instead of an argument's index: which it is depends on the architecture */
};
#define FILTER_INT UINT64_C(0xffffffff) /* all bits of an argument of type int */

/* Holds if the argument under the mask is the value. */
struct filter_condition {
	unsigned int argument; /* its index */
	uint64_t mask, value;
};

/* A system call, by its name; ones that the architecture or libseccomp does not know are passed over. */
struct filter_call {
	const char *name;
	unsigned int conditions; /* all of which have to hold; of different arguments */
	struct filter_condition condition[FILTER_CONDITIONS_MAX];
};

struct filter_list {
	const struct filter_call *call;
	size_t count;
};

/* For tables of either; of a condition's argument all 32 bits that int has, where no mask is given. */
#define FILTER_CALL(n)                                                                             \
	{                                                                                          \
		.name = (n)                                                                        \
	}
#define FILTER_CALL_IF(n, a, m, v)                                                                 \
	{                                                                                          \
		.name = (n), .conditions = 1, .condition = { {(a), (m), (v)} }                     \
	}
#define FILTER_CALL_BOTH(n, a, m, v, a2, m2, v2)                                                   \
	{                                                                                          \
		.name = (n), .conditions = 2, .condition = { {(a), (m), (v)}, {(a2), (m2), (v2)} } \
	}
#define FILTER_CALL_IS(n, a, v) FILTER_CALL_IF(n, a, FILTER_INT, v)
#define FILTER_LIST(calls)                                                                         \
	{                                                                                          \
		.call = (calls), .count = sizeof(calls) / sizeof((calls)[0])                       \
	}

/* What every process needs to go on, to read files, to wait, and to end. Nothing becomes code. */
extern const struct filter_list filter_base;

/* Sockets: those that there are, and new ones of AF_UNIX. */
extern const struct filter_list filter_unix;

/* Serving: who connects is let in, and signals are read. */
extern const struct filter_list filter_server;

/* Removing files: which, is not for a filter to see. */
extern const struct filter_list filter_unlink;

/*
 * Keeping a database: files are made, locked, written, cut, synchronized, renamed and removed. Where, is for others
 * to say.
 */
extern const struct filter_list filter_keep;

/* Threads of one's own. */
extern const struct filter_list filter_threads;

/* Children: made by fork(), called by names of their own, waited for, and killed. */
extern const struct filter_list filter_children;

enum {
	FILTER_UNSUPPORTED = 1, /* the kernel has none (CONFIG_SECCOMP_FILTER) */
};

/*
 * Whether more is allowed for the sake of tools: in builds with sanitizers or for valgrind. Nobody runs those for
 * safety.
 */
bool filter_is_wide(void);

/*
 * Allows what the COUNT lists name, and nothing else. no_new_privs has to be set. 0, or FILTER_UNSUPPORTED. -ENOMEM,
 * errors of libseccomp and of seccomp(): there is no filter then, or not the one that was asked for.
 */
int filter_load(const struct filter_list *const *lists, size_t count);

/*
 * Writes to FD, in words, the filter that filter_load() would make on ARCH (libseccomp's SCMP_ARCH_*). Errors as
 * above.
 */
int filter_export(uint32_t arch, const struct filter_list *const *lists, size_t count, int fd);

#endif
