/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parser of /proc/PID/mountinfo: the mounts in the mount namespace of a process. mountinfo_next()
 * is pure. It changes the text: its fields become terminated strings.
 */
#ifndef MEMTALLY_COLLECTORS_PROCFS_MOUNTINFO_H
#define MEMTALLY_COLLECTORS_PROCFS_MOUNTINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

enum {
	MOUNTINFO_TEXT_MAX = 4 << 20, /* bytes, of some 25,000 mounts; a longer text is refused */
};

/*
 * A mount. Its strings lie in the parsed text. They are unescaped where the kernel escapes all of a
 * kind: space, tab, newline, backslash and, in .fstype and .source, '#'. The user who mounts may
 * choose any of them. Mounts of one file system have the same .major and .minor, whatever part of
 * it they show.
 */
struct mountinfo {
	uint64_t id, parent_id;
	uint32_t major, minor; /* of the file system; .major is 0 without a block device */
	const char *root;      /* the mounted directory of the file system: "/" is all of it */
	/* below the root directory of the process; may end with "//deleted" */
	const char *mountpoint;
	const char *options; /* of this mount: "rw,nosuid" */
	const char *fstype;  /* "tmpfs"; "fuse.sshfs" with a subtype */
	const char *source;  /* may be empty */
	/* of the file system, as printed: some file systems escape commas, others nothing */
	const char *super_options;
};

enum mountinfo_outcome {
	MOUNTINFO_END = 1,   /* no line is left */
	MOUNTINFO_OTHER = 2, /* a line of another form; it was skipped */
};

/*
 * Parses the line at *AT into RET and moves *AT behind it. END is the end of the text. Changes the
 * text before the new *AT, which has the strings of RET, and reads nothing behind it. Returns 0,
 * MOUNTINFO_END or MOUNTINFO_OTHER; or -EBADMSG if the text ends in the middle of a line: it was
 * cut off.
 */
int mountinfo_next(char **at, char *end, struct mountinfo *ret);

/*
 * Returns whether NAME is one of OPTIONS, a list separated by commas: "memory" is one of
 * "rw,memory", but not of "rw,memory_x".
 */
bool mountinfo_has_option(const char *options, const char *name);

/*
 * Returns whether a name on a file system of type FSTYPE can be looked up without waiting for
 * anything but the kernel and its own disks.
 */
bool mountinfo_is_local(const char *fstype);

/*
 * Reads "self/mountinfo" below PROCFS_FD, the mounts that the caller sees, into RET, which is
 * cleared first. Returns 0; -EFBIG above MOUNTINFO_TEXT_MAX; or a negative errno of open() or
 * read().
 */
int mountinfo_read(int procfs_fd, struct buffer *ret);

#endif
