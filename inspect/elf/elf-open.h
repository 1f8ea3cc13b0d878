/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mapped Files
 *
 * Opens the file that a process has mapped, not another one that has its name by now, and the
 * separate file with its debugging information, if installed.
 */
#ifndef MEMTALLY_INSPECT_ELF_ELF_OPEN_H
#define MEMTALLY_INSPECT_ELF_ELF_OPEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "inspect/elf/elffile.h"
#include "inspect/files/mounts.h"

/* A mapping of a file, from smaps. */
struct elf_open_mapping {
	pid_t pid;
	uint64_t start, end;
	uint64_t inode;
	uint32_t major, minor;
	const char *path; /* terminated, unescaped, without " (deleted)" */
};

/* Bytes to read for checksums: a fraction of a second if they are cached. */
#define ELF_OPEN_BUDGET (UINT64_C(1) << 30)

enum elf_open_outcome {
	ELF_OPEN_MAY_WAIT = 1, /* the file is on a mount that may block */
};

/*
 * Opens the file of M for reading: by /proc/PID/map_files below PROCFS_FD, which takes
 * CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE, or by its path below the root of the process. Only
 * regular files on mounts that do not block are opened. Returns 0, and the descriptor in *RET_FD,
 * which the caller owns; an enum elf_open_outcome; -ESTALE: the path leads to another file;
 * -ENOENT: the file has no path, or is not regular; or a negative errno of open().
 */
int elf_open_file(
	int procfs_fd, struct mounts *mounts, const struct elf_open_mapping *m, int *ret_fd);

/*
 * Opens the file with the debugging information of F, a file at PATH. It is searched by build id
 * below FOLDER (/usr/lib/debug), then by its debuglink name beside PATH, in .debug beside PATH, and
 * below FOLDER. It must match F by build id or, if one of the files has none, by checksum. A
 * checksum takes the size of the file from *BUDGET, in bytes (see ELF_OPEN_BUDGET); a larger file
 * does not match. Returns 0, the file in *RET, and the descriptor that *RET needs in *RET_FD, both
 * owned by the caller; -ENOENT: none was found; or -ENOMEM.
 */
int elf_open_debug(const struct elffile *f, struct mounts *mounts, const char *path,
	const char *folder, uint64_t *budget, struct elffile *ret, int *ret_fd);

#endif
