/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinds of Devices
 *
 * Tells where the pages of the files on a device are: only in memory (tmpfs, also as rootfs and
 * devtmpfs, and the kernel's own device for files without a name), on a local disk, or in
 * memfd_secret memory. The source is the mountinfo of the processes that map such files. File
 * systems themselves are not asked, because a network file system may not answer. Pure, except for
 * shmem_devices_read().
 */
#ifndef MEMTALLY_INSPECT_FRAMES_SHMEM_DEVICES_H
#define MEMTALLY_INSPECT_FRAMES_SHMEM_DEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "inspect/maps/mapping.h"

enum {
	/* Limit; further devices count as SHMEM_DEVICES_NO, which makes figures smaller. */
	SHMEM_DEVICES_MAX = 1 << 14
};

enum shmem_devices_answer {
	SHMEM_DEVICES_NO,      /* a network file system, FUSE, or any other device */
	SHMEM_DEVICES_YES,     /* files exist only in memory */
	SHMEM_DEVICES_UNKNOWN, /* not added yet, and there is room to add it */
	SHMEM_DEVICES_DISK,   /* a local file system on a disk: only the disk can delay an answer */
	SHMEM_DEVICES_SECRET, /* the device of memfd_secret(2) */
};

struct shmem_device {
	uint64_t number; /* major << 32 | minor */
	enum shmem_devices_answer answer;
};

struct shmem_devices {
	struct shmem_device *item; /* owned; by rising number */
	size_t count, room;
};

/* Frees D, which is all zeros if it was not used. */
void shmem_devices_done(struct shmem_devices *d);
#define AUTO_SHMEM_DEVICES CLEANUP(shmem_devices_done)

/* Returns the kind of the device MAJOR:MINOR. */
enum shmem_devices_answer shmem_devices_ask(
	const struct shmem_devices *d, uint32_t major, uint32_t minor);

/*
 * Records ANSWER for the device MAJOR:MINOR; a later one for the same device is ignored. Returns 0
 * or -ENOMEM.
 */
int shmem_devices_add(
	struct shmem_devices *d, uint32_t major, uint32_t minor, enum shmem_devices_answer answer);

/*
 * Adds the device of each mount in TEXT, a mountinfo of LEN bytes, which this changes. A last line
 * that is cut is ignored. Returns 0 or -ENOMEM.
 */
int shmem_devices_parse(struct shmem_devices *d, char *text, size_t len);

/*
 * Adds the device of each mount in the open mountinfo FD (borrowed), as far as it can be read.
 * Returns 0 or -ENOMEM.
 */
int shmem_devices_read(struct shmem_devices *d, int fd);

/*
 * Returns the place that keeps the pages of M's file; MAPPING_STORE_UNKNOWN if M has no file, or D
 * does not know its device.
 */
enum mapping_store shmem_devices_store(const struct shmem_devices *d, const struct mapping *m);

#endif
