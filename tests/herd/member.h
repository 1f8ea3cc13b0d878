/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Members of a herd
 *
 * A forked process becomes a member: it maps its parts, takes its user and its name, unmaps
 * everything else, and waits on a tape (tape.h). It exits with its parent.
 */
#ifndef MEMTALLY_TESTS_HERD_MEMBER_H
#define MEMTALLY_TESTS_HERD_MEMBER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tests/herd/layout.h"
#include "tests/herd/tape.h"

enum { MEMBER_NAME_SIZE = 16 };

/* The common state of the members of one group; borrowed. */
struct member_place {
	const struct herd_options *options;
	const struct herd_layout *layout;
	char *argv; /* the arguments of this process; the member overwrites them with its name */
	size_t argv_size;
	pid_t parent;
	int file, memfd; /* to be mapped, -1: none; the member closes the descriptors */
	int ready;       /* the member writes one byte when it is complete, and closes it */
};

/* Return the name and the user of member I. */
void member_name(const struct herd_options *options, uint64_t i, char to[static MEMBER_NAME_SIZE]);
uid_t member_uid(const struct herd_options *options, uint64_t i);

/*
 * Turns this process into member I. Does not return. If a step fails, it prints a line on standard
 * error and exits with status 1.
 */
void member_become(const struct member_place *place, uint64_t i) __attribute__((noreturn));

#endif
