/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which files a process may use from now on (Landlock, Linux 5.13), whoever owns them. What is open already stays so.
 */
#ifndef MEMTALLY_CONFINE_LANDLOCK_H
#define MEMTALLY_CONFINE_LANDLOCK_H

#include <stdbool.h>

struct landlock {
	int fd; /* of the set of rules */
	int abi;
};

enum landlock_right {
	LANDLOCK_MAY_READ,      /* files and directories, below a directory */
	LANDLOCK_MAY_READ_FILE, /* one file, and not what may replace it */
	LANDLOCK_MAY_REMOVE,    /* files of a directory */
	LANDLOCK_MAY_KEEP, /* files in a directory: made, read, written, renamed within it and removed */
};

enum { LANDLOCK_PATH_SIZE = 4096 };

enum {
	LANDLOCK_UNSUPPORTED =
		1, /* the kernel has none, it is switched off, or a sandbox refuses it */
};

/*
 * Begins a set of rules that allows nothing: no file, where the kernel knows how (6.7) no TCP connection and no new TCP
 * listener, (6.12) no signal to others and no connection to an abstract socket of others, unless
 * KEEPS_ABSTRACT_SOCKETS. 0, or LANDLOCK_UNSUPPORTED; errors of the kernel's.
 */
int landlock_open(bool keeps_abstract_sockets, struct landlock *ret);
void landlock_close(struct landlock *l);

/* Allows it for PATH and what lies below it. Where PATH can't be reached there is nothing to allow. Errors of
 * the kernel's, when it has no room. */
int landlock_allow(struct landlock *l, const char *path, enum landlock_right right);

/*
 * The directory of PATH, which need not exist, into TO. Relative paths are of where the process was started, and nobody
 * moves. -ENAMETOOLONG.
 */
int landlock_parent(const char *path, char to[static LANDLOCK_PATH_SIZE]);

/* Allows removing PATH, and what else is in its directory: it may be another file by then. As landlock_allow(), -ENAMETOOLONG. */
int landlock_allow_removal(struct landlock *l, const char *path);

/* The same below FD, which has to stay open where the directory is one of /proc. */
int landlock_allow_fd(struct landlock *l, int fd, enum landlock_right right);

/* Puts them into force for the calling thread and those that it makes. no_new_privs has to be set. */
int landlock_enter(const struct landlock *l);

#endif
