/* SPDX-License-Identifier: Apache-2.0 */
/*
 * File access rules (Landlock, Linux 5.13): which files a process may use from now on, whatever
 * their owner and mode. Open descriptors keep their rights.
 *
 * Protocol: landlock_open(), landlock_allow() and its variants for each path, landlock_enter(),
 * landlock_close().
 */
#ifndef MEMTALLY_CONFINE_LANDLOCK_H
#define MEMTALLY_CONFINE_LANDLOCK_H

#include <stdbool.h>

/* A set of rules that is being built. */
struct landlock {
	int fd;  /* descriptor of the ruleset */
	int abi; /* Landlock's ABI version of this kernel */
};

enum landlock_right {
	LANDLOCK_MAY_READ,      /* read files and directories below a directory */
	LANDLOCK_MAY_READ_FILE, /* read one file, but not a file that replaces it */
	LANDLOCK_MAY_REMOVE,    /* remove files below a directory */
	/*
	 * Create, read, write, rename and remove files below a directory; no renames to another
	 * directory.
	 */
	LANDLOCK_MAY_KEEP,
};

enum { LANDLOCK_PATH_SIZE = 4096 };

enum {
	/* The kernel has no Landlock, it is disabled, or a sandbox refuses it. */
	LANDLOCK_UNSUPPORTED = 1,
};

/*
 * Begins in *RET a set of rules that allows nothing: no file; from Linux 6.7 on no TCP connection
 * and no TCP listener; from 6.12 on no signal to processes outside, and, unless
 * KEEPS_ABSTRACT_SOCKETS, no connection to their abstract sockets. Returns 0, LANDLOCK_UNSUPPORTED,
 * or a negative errno.
 */
int landlock_open(bool keeps_abstract_sockets, struct landlock *ret);

/* Frees L. */
void landlock_close(struct landlock *l);

/*
 * Allows RIGHT for PATH and everything below it. Skips a PATH that cannot be reached. Returns 0, or
 * a negative errno if there are no descriptors or memory left, or the kernel refuses the rule.
 */
int landlock_allow(struct landlock *l, const char *path, enum landlock_right right);

/*
 * Writes the directory part of PATH to TO; "." if there is none. PATH need not exist. A relative
 * path is relative to the directory in which the process started: it never changes directory.
 * Returns 0 or -ENAMETOOLONG.
 */
int landlock_parent(const char *path, char to[static LANDLOCK_PATH_SIZE]);

/*
 * Allows removing PATH and all other files of its directory: by then PATH may be another file.
 * Returns as landlock_allow(), or -ENAMETOOLONG.
 */
int landlock_allow_removal(struct landlock *l, const char *path);

/*
 * landlock_allow() for the open file or directory FD, which must stay open if it is in /proc.
 * Returns 0 or a negative errno.
 */
int landlock_allow_fd(struct landlock *l, int fd, enum landlock_right right);

/*
 * Puts the rules into force for the calling thread and its children. no_new_privs must be set.
 * Returns 0 or a negative errno.
 */
int landlock_enter(const struct landlock *l);

#endif
