/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a forked process does to become a member of a herd: takes its place, its user and its name,
 * throws the rest of itself away and waits to be ended. It ends with its parent.
 */
#ifndef MEMTALLY_TESTS_HERD_MEMBER_H
#define MEMTALLY_TESTS_HERD_MEMBER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tests/herd/layout.h"
#include "tests/herd/tape.h"

enum { MEMBER_NAME_SIZE = 16 };

struct member_place {
	const struct herd_options *options;
	const struct herd_layout *layout;
	char *argv; /* this process's arguments, overwritten with the name */
	size_t argv_size;
	pid_t parent;
	int file, memfd; /* mapped; -1: none. Their descriptors are closed */
	int ready; /* one byte is written to it when the member is complete, then it is closed */
};

/* The name and the user of member I. */
void member_name(const struct herd_options *options, uint64_t i, char to[static MEMBER_NAME_SIZE]);
uid_t member_uid(const struct herd_options *options, uint64_t i);

/* Does not return. Ends with status 1 and a line on standard error where a step fails. */
void member_become(const struct member_place *place, uint64_t i) __attribute__((noreturn));

#endif
