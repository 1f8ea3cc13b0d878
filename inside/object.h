/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file that a process has mapped, opened: that very one, and not what has its name by now; and the file with its debugging
 * information, where that is installed.
 */
#ifndef MEMTALLY_INSIDE_OBJECT_H
#define MEMTALLY_INSIDE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "inside/elffile.h"
#include "inside/mounts.h"

/* A mapping of a file, as smaps has it. */
struct object_mapping {
	pid_t pid;
	uint64_t start, end;
	uint64_t inode;
	uint32_t major, minor;
	const char *path; /* terminated, unescaped, without " (deleted)" */
};

#define OBJECT_BUDGET (UINT64_C(1) << 30) /* bytes */

enum object_outcome {
	OBJECT_MAY_WAIT =
		1, /* it is on none of MOUNTS, so that who opens or reads it may wait for ever */
};

/*
 * Opens the file of M below PROCFS_FD for reading: by map_files, which takes CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE, or else by its path
 * below the process's root. Only regular files, on MOUNTS. 0; an object_outcome; -ESTALE: what has its path is another file; or open's
 * errors.
 */
int object_open(int procfs_fd, struct mounts *mounts, const struct object_mapping *m, int *ret_fd);

/*
 * Opens what has the debugging information of F, which is at PATH: below FOLDER (/usr/lib/debug) by its build id, or by the name that it
 * gives, there and beside it; on MOUNTS. It is what F says that it is, by build id or checksum, and in RET, which needs *RET_FD to
 * stay open. Each byte of which a checksum is taken takes one from *BUDGET, and a file of more is none: OBJECT_BUDGET is a fraction of a
 * second, or what the disk takes. 0; -ENOENT: there is none; -ENOMEM.
 */
int object_open_debug(const struct elffile *f, struct mounts *mounts, const char *path,
	const char *folder, uint64_t *budget, struct elffile *ret, int *ret_fd);

#endif
