/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hierarchy of cgroups that has the memory controller: where it is mounted, which version of it that is, and what a
 * cgroup in it is charged. Only what we see of it can be read: a mount may show a part, and other mount namespaces may
 * have other mounts. It is open as long as it is read alone, so that it can be unmounted.
 */
#ifndef MEMTALLY_COLLECTORS_CGROUPFS_H
#define MEMTALLY_COLLECTORS_CGROUPFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/charge.h"
#include "snapshot/record.h"

struct cgroupfs {
	char *mountpoint; /* owned; NULL: nobody has mounted it where we see it */
	char *root;       /* owned: of which cgroup it shows what is below; "" for all */
	uint32_t major, minor;
	enum charge_version version;
	int fd; /* O_PATH, owned: what is mounted; -1: it is not open */
};

/* Nothing is found yet. */
void cgroupfs_init(struct cgroupfs *fs);
void cgroupfs_done(struct cgroupfs *fs);

static inline bool cgroupfs_is_found(const struct cgroupfs *fs)
{
	return fs->mountpoint != NULL;
}

/*
 * Finds it among the mounts that TEXT, of /proc/self/mountinfo, has, and changes TEXT. 0, be it there or not; FS is closed
 * then. -ENOMEM: FS is as it was.
 */
int cgroupfs_find(struct cgroupfs *fs, char *text, size_t len);

/* The same of "self/mountinfo" below PROCFS_FD, of a proc file system. Where that can't be read FS is as it was: -errno. */
int cgroupfs_look(struct cgroupfs *fs, int procfs_fd);

/* Opens what was found. -ENODEV: nothing was, or it is not mounted there any more; or the errors of open(). */
int cgroupfs_open(struct cgroupfs *fs);
void cgroupfs_close(struct cgroupfs *fs);

/*
 * Reads, while it is open, what the cgroup at PATH, terminated, and all below it are charged. CHARGE_READ, or what became
 * of a file that should be there; RET has whatever could be read.
 */
enum charge_outcome cgroupfs_read(const struct cgroupfs *fs, const char *path, struct charge *ret);

#endif
