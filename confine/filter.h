/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which system calls a process may make from now on, it and its children, for good (seccomp). What is not named fails with
 * EPERM, or, where libc has another way then, with ENOSYS.
 */
#ifndef MEMTALLY_CONFINE_FILTER_H
#define MEMTALLY_CONFINE_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A system call, by its name; ones that the architecture or libseccomp does not know are passed over. */
struct filter_call {
	const char *name;
	bool has_condition;
	unsigned int argument; /* of the condition: its index */
	uint64_t mask, value;  /* allowed if the argument under the mask is this */
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
		.name = (n), .has_condition = true, .argument = (a), .mask = (m), .value = (v)     \
	}
#define FILTER_CALL_IS(n, a, v) FILTER_CALL_IF(n, a, UINT64_C(0xffffffff), v)
#define FILTER_LIST(calls)                                                                         \
	{                                                                                          \
		.call = (calls), .count = sizeof(calls) / sizeof((calls)[0])                       \
	}

/* What every process needs to go on, to read files, and to end: reading, memory, time, signals of its own, threads. */
extern const struct filter_list filter_base;

/* Sockets: those that there are, and new ones of AF_UNIX. */
extern const struct filter_list filter_unix;

/* Children: made by fork(), waited for, and killed; and giving up rights in them. */
extern const struct filter_list filter_children;

enum {
	FILTER_UNSUPPORTED = 1, /* the kernel has none (CONFIG_SECCOMP_FILTER) */
};

/* Whether more is allowed for the sake of tools: in sanitized builds, and under valgrind. Nobody runs those for safety. */
bool filter_is_wide(void);

/*
 * Allows what the COUNT lists name, and nothing else. no_new_privs has to be set. 0, or FILTER_UNSUPPORTED. -ENOMEM, errors
 * of seccomp().
 */
int filter_load(const struct filter_list *const *lists, size_t count);

#endif
