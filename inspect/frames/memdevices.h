/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinds of Devices
 *
 * Tells where the pages of the files on a device are: only in memory (tmpfs, also as rootfs and
 * devtmpfs, and the kernel's own device for files without a name), on a local disk, or in
 * memfd_secret memory. The source is the mountinfo of the processes that map such files. File
 * systems themselves are not asked, because a network file system may not answer. Pure, except for
 * memdevices_read().
 */
#ifndef MEMTALLY_INSPECT_FRAMES_MEMDEVICES_H
#define MEMTALLY_INSPECT_FRAMES_MEMDEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "inspect/maps/mapping.h"

enum {
	/* Limit; further devices count as MEMDEVICES_NO, which makes figures smaller. */
	MEMDEVICES_MAX = 1 << 14
};

enum memdevices_answer {
	MEMDEVICES_NO,      /* a network file system, FUSE, or any other device */
	MEMDEVICES_YES,     /* files exist only in memory */
	MEMDEVICES_UNKNOWN, /* not added yet, and there is room to add it */
	MEMDEVICES_DISK,    /* a local file system on a disk: only the disk can delay an answer */
	MEMDEVICES_SECRET,  /* the device of memfd_secret(2) */
};

struct memdevice {
	uint64_t number; /* major << 32 | minor */
	enum memdevices_answer answer;
};

struct memdevices {
	struct memdevice *item; /* owned; by rising number */
	size_t count, room;
};

/* Frees D, which is all zeros if it was not used. */
void memdevices_done(struct memdevices *d);
#define AUTO_MEMDEVICES CLEANUP(memdevices_done)

/* Returns the kind of the device MAJOR:MINOR. */
enum memdevices_answer memdevices_ask(const struct memdevices *d, uint32_t major, uint32_t minor);

/*
 * Records ANSWER for the device MAJOR:MINOR; a later one for the same device is ignored. Returns 0
 * or -ENOMEM.
 */
int memdevices_add(
	struct memdevices *d, uint32_t major, uint32_t minor, enum memdevices_answer answer);

/*
 * Adds the device of each mount in TEXT, a mountinfo of LEN bytes, which this changes. A last line
 * that is cut is ignored. Returns 0 or -ENOMEM.
 */
int memdevices_parse(struct memdevices *d, char *text, size_t len);

/*
 * Adds the device of each mount in the open mountinfo FD (borrowed), as far as it can be read.
 * Returns 0 or -ENOMEM.
 */
int memdevices_read(struct memdevices *d, int fd);

/*
 * Returns the place that keeps the pages of M's file; MAPPING_STORE_UNKNOWN if M has no file, or D
 * does not know its device.
 */
enum mapping_store memdevices_store(const struct memdevices *d, const struct mapping *m);

#endif
