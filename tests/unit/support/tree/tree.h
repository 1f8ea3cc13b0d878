/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A directory that looks like /proc. The test makes it and changes it while it is being read, for
 * cases that files on disk cannot show: a process that exits or calls exec between two reads. With
 * $(WRAP_TREE) linked, an open below it can fail or call a function first.
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_TREE_TREE_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_TREE_TREE_H

#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"

struct tree {
	char path[32];
	int fd; /* of the directory, owned */
};

/* Makes a new, empty tree in the current directory. All functions fail the test on errors. */
void tree_open(struct tree *t);
void tree_done(struct tree *t); /* Removes the tree and everything in it. */
#define AUTO_TREE CLEANUP(tree_done)

/* Writes TEXT to the file PATH below T. Makes missing directories. */
void tree_write(const struct tree *t, const char *path, const char *text);

/* Removes the file or directory PATH below T, if it exists. */
void tree_remove(const struct tree *t, const char *path);

/* A process to write. Fields other than the pid and the name may be zero. */
struct tree_process {
	pid_t pid;
	pid_t parent;     /* 0: none */
	const char *name; /* as the kernel prints it */
	char state;       /* 0: 'S' */
	uid_t uid;
	unsigned int threads;       /* 0: 1 */
	uint64_t start_ticks;       /* 0: the pid */
	uint64_t image;             /* a different value makes another image of the process */
	uint64_t end_pages;         /* moves the end of the address range up by this many pages */
	uint64_t rss_kib;           /* 0: no memory, as a kernel thread or a zombie */
	uint64_t pss_kib, uss_kib;  /* printed in smaps_rollup */
	uint64_t hwm_kib, swap_kib; /* .hwm_kib 0: .rss_kib */
	uint64_t shmem_kib;         /* 0: the line is missing */
	const char *exe;            /* target of the exe link; NULL: no link */
	const char *cgroup;         /* path in the unified hierarchy; NULL: no file */
	/* arguments with a space between them; NULL: no file; "": an empty one */
	const char *cmdline;
};

void tree_add(const struct tree *t, const struct tree_process *p);

/* Writes the files of P below PATH, for example the directory of a thread. */
void tree_add_at(const struct tree *t, const char *path, const struct tree_process *p);

/* Writes the smaps file of P: two mappings with the sums of P. */
void tree_add_smaps(const struct tree *t, const struct tree_process *p);

/* Writes the stat file of PID with FAULTS minor faults. All other fields are constant. */
void tree_set_faults(const struct tree *t, pid_t pid, unsigned int faults);

/*
 * What to do at the NTH open of a path that ends with SUFFIX, counted from tree_expect(); .nth 0:
 * at every open.
 */
struct tree_event {
	const char *suffix;
	unsigned int nth;
	int error;              /* errno of the failed open; 0: the open goes on */
	void (*call)(void *to); /* called before the open; NULL: none */
	void *to;
	unsigned int count; /* number of such opens so far */
};

/* Sets the events. Borrows EVENTS until the next call. NULL and 0 remove them. */
void tree_expect(struct tree_event *events, unsigned int count);

#endif
