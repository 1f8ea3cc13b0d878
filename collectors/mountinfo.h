/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /proc/PID/mountinfo: what is mounted in the mount namespace of a process, and where. mountinfo_next() is pure: it
 * walks over the text and turns it, in place, into terminated strings.
 */
#ifndef MEMTALLY_COLLECTORS_MOUNTINFO_H
#define MEMTALLY_COLLECTORS_MOUNTINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

enum {
	MOUNTINFO_TEXT_MAX = 4 << 20, /* bytes, of some 25,000 mounts: more are not read */
};

/*
 * A mount. Its strings lie in the text that was given, unescaped where the kernel escapes all of a kind (space, tab,
 * newline, backslash and, in .fstype and .source, '#'); what they hold is whoever has mounted it free to choose. Mounts
 * of one file system have .major and .minor in common, wherever they are and whatever part of it they show.
 */
struct mountinfo {
	uint64_t id, parent_id;
	uint32_t major, minor;  /* of the file system; without a block device, major is 0 */
	const char *root;       /* what of the file system is mounted: "/" is all of it */
	const char *mountpoint; /* below the root directory of the process; may hold "//deleted" */
	const char *options;    /* of this mount: "rw,nosuid" */
	const char *fstype;     /* "tmpfs"; "fuse.sshfs" with a subtype */
	const char *source;     /* may be empty */
	const char *
		super_options; /* of the file system, as printed: some escape commas and others nothing */
};

enum mountinfo_outcome {
	MOUNTINFO_END = 1,   /* no line is left */
	MOUNTINFO_OTHER = 2, /* a line of another form; it is passed over */
};

/*
 * Takes the next line from *AT, which moves on. What lies before *AT is changed and holds what was told of mounts
 * before; END is not looked at. 0, a mountinfo_outcome, or -EBADMSG: the text ends in the middle of a line, so it was
 * cut.
 */
int mountinfo_next(char **at, char *end, struct mountinfo *ret);

/* Whether NAME, whole, is one of OPTIONS, which commas part: "memory" of "rw,memory", but not of "rw,memory_x". */
bool mountinfo_has_option(const char *options, const char *name);

/* Whether looking up a name on a file system of type FSTYPE waits for nobody but the kernel and its own disks. */
bool mountinfo_is_local(const char *fstype);

/*
 * Reads "self/mountinfo" below PROCFS_FD, the mounts that the caller sees, into BUFFER, which is cleared first.
 * -EFBIG above MOUNTINFO_TEXT_MAX, else the errors of open() and read().
 */
int mountinfo_read(int procfs_fd, struct buffer *ret);

#endif
