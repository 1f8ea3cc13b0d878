/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinds of devices by where the pages of their files are: in memory alone (tmpfs, also as rootfs and devtmpfs, and the
 * kernel's own device for files without a name), on a local disk, or of memfd_secret. mountinfo of the processes that map
 * such files tells; file systems themselves are not asked, because one of them may be a network's. Pure, except for
 * memdevices_read().
 */
#ifndef MEMTALLY_INSIDE_MEMDEVICES_H
#define MEMTALLY_INSIDE_MEMDEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "inside/mapping.h"

enum {
	MEMDEVICES_MAX = 1 << 14
}; /* devices beyond that count as MEMDEVICES_NO, which makes figures smaller */

enum memdevices_answer {
	MEMDEVICES_NO,      /* of a network or of FUSE, or any other device */
	MEMDEVICES_YES,     /* files in memory alone */
	MEMDEVICES_UNKNOWN, /* not added yet, and there is room for it */
	MEMDEVICES_DISK, /* a local file system that is no memory: asking it waits for its disk alone */
	MEMDEVICES_SECRET, /* of memfd_secret(2) */
};

struct memdevice {
	uint64_t number; /* major << 32 | minor */
	enum memdevices_answer answer;
};

struct memdevices {
	struct memdevice *item; /* owned; rising */
	size_t count, room;
};

/* Frees D, which is all zeros if it was not used. */
void memdevices_done(struct memdevices *d);
#define AUTO_MEMDEVICES CLEANUP(memdevices_done)

/* The kind of the device MAJOR:MINOR. */
enum memdevices_answer memdevices_ask(const struct memdevices *d, uint32_t major, uint32_t minor);

/* Records ANSWER for the device MAJOR:MINOR; a later one for the same device is ignored. Returns 0 or -ENOMEM. */
int memdevices_add(
	struct memdevices *d, uint32_t major, uint32_t minor, enum memdevices_answer answer);

/*
 * Adds the device of each mount in TEXT, a mountinfo of LEN bytes, which this changes; a cut last line is ignored. Returns 0
 * or -ENOMEM.
 */
int memdevices_parse(struct memdevices *d, char *text, size_t len);

/* Adds the device of each mount in the open mountinfo FD (borrowed), as far as it can be read. Returns 0 or -ENOMEM. */
int memdevices_read(struct memdevices *d, int fd);

/* The place that keeps the pages of the file of M; MAPPING_STORE_UNKNOWN if M has no file, or D does not know its device. */
enum mapping_store memdevices_store(const struct memdevices *d, const struct mapping *m);

#endif
