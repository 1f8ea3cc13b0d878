/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System call filters (seccomp): lists of the system calls that a process and its children may
 * make, for good. All others fail with EPERM, or with ENOSYS if libc then uses another call.
 */
#ifndef MEMTALLY_CONFINE_FILTER_H
#define MEMTALLY_CONFINE_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	FILTER_CONDITIONS_MAX = 2,
	/* Instead of an index: the flags of clone(). Their index depends on the architecture. */
	FILTER_CLONE_FLAGS = 6,
};
#define FILTER_INT UINT64_C(0xffffffff) /* mask: all bits of an argument of type int */

/* Holds if the argument, masked with mask, equals value. */
struct filter_condition {
	unsigned int argument; /* index of the argument */
	uint64_t mask, value;
};

/* A system call by name. Names that the architecture or libseccomp does not know are skipped. */
struct filter_call {
	const char *name;
	/* Number of conditions, which all have to hold; for different arguments. */
	unsigned int conditions;
	struct filter_condition condition[FILTER_CONDITIONS_MAX];
};

struct filter_list {
	const struct filter_call *call;
	size_t count;
};

/*
 * For tables of calls: any arguments; one condition (argument, mask, value); two conditions;
 * argument A, of type int, equals V. FILTER_LIST makes a list of such a table.
 */
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

/*
 * Calls of every process: to continue, read files, wait and exit. No memory becomes executable.
 */
extern const struct filter_list filter_base;

/* Sockets: use of existing ones, and new ones of AF_UNIX. */
extern const struct filter_list filter_unix;

/* Serving: accept connections, and read signals. */
extern const struct filter_list filter_server;

/* Removing files. A filter cannot see which ones. */
extern const struct filter_list filter_unlink;

/*
 * Keeping a database: create, lock, write, truncate, synchronize, rename and remove files. A filter
 * cannot see where; Landlock limits that (confine/landlock.h).
 */
extern const struct filter_list filter_keep;

/* Creating threads. */
extern const struct filter_list filter_threads;

/* Children: fork, name, wait for and kill them. */
extern const struct filter_list filter_children;

enum {
	FILTER_UNSUPPORTED = 1, /* the kernel has no filters (CONFIG_SECCOMP_FILTER) */
};

/*
 * Returns whether this build allows more for tools: builds with sanitizers or for valgrind. Such
 * builds are not used for protection.
 */
bool filter_is_wide(void);

/*
 * From now on allows the calls of the COUNT lists, and nothing else. no_new_privs must be set.
 * Returns 0; FILTER_UNSUPPORTED; -ENOMEM, or an error of libseccomp or seccomp(): then there is no
 * filter, or not the requested one.
 */
int filter_load(const struct filter_list *const *lists, size_t count);

/*
 * Writes to FD, as text, the filter that filter_load() would make on ARCH (libseccomp's
 * SCMP_ARCH_*). Returns 0, -ENOMEM or an error of libseccomp.
 */
int filter_export(uint32_t arch, const struct filter_list *const *lists, size_t count, int fd);

#endif
