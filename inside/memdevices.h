/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which devices are memory: those of tmpfs, also as rootfs and devtmpfs, by what is mounted where the processes are that have files
 * of them, and the one that the kernel keeps for what has no name, which is mounted nowhere. File systems themselves are not asked:
 * one may be a network's. Pure.
 */
#ifndef MEMTALLY_INSIDE_MEMDEVICES_H
#define MEMTALLY_INSIDE_MEMDEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

enum {
	MEMDEVICES_MAX = 1 << 14
}; /* those beyond are taken for none, which makes figures smaller */

struct memdevice {
	uint64_t number; /* major << 32 | minor */
	bool is_memory;
};

struct memdevices {
	struct memdevice *item; /* owned; rising */
	size_t count, room;
};

/* Zeroed, it knows none. */
void memdevices_done(struct memdevices *d);
#define AUTO_MEMDEVICES CLEANUP(memdevices_done)

enum memdevices_answer {
	MEMDEVICES_NO,
	MEMDEVICES_YES,
	MEMDEVICES_UNKNOWN, /* and there is room for it */
};

enum memdevices_answer memdevices_ask(const struct memdevices *d, uint32_t major, uint32_t minor);

/* It is, or not, unless that is known. -ENOMEM. */
int memdevices_add(struct memdevices *d, uint32_t major, uint32_t minor, bool is_memory);

/*
 * Adds those in TEXT, of mountinfo, which is changed: which are tmpfs, whatever it is called, and which are not; where it was cut,
 * up to there. -ENOMEM.
 */
int memdevices_parse(struct memdevices *d, char *text, size_t len);

#endif
