/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tree that looks like /proc, made and changed by a test while it is being read: for what fixtures on
 * disk can't be, a process that ends or executes a program between two reads. Linked with
 * $(WRAP_TREE), opens below it can be made to fail or to call back first.
 */
#ifndef MEMTALLY_TESTS_UNIT_TREE_H
#define MEMTALLY_TESTS_UNIT_TREE_H

#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"

struct tree {
	char path[32];
	int fd; /* of the folder, owned */
};

/* A new, empty folder in the current one. A failure of any of these functions fails the test. */
void tree_open(struct tree *t);
void tree_done(struct tree *t); /* and all that is in it */
#define AUTO_TREE CLEANUP(tree_done)

/* The file at PATH below T, and the folders it needs. */
void tree_write(const struct tree *t, const char *path, const char *text);

/* Whatever is at PATH, which may be nothing. */
void tree_remove(const struct tree *t, const char *path);

/* What a process is written from. All zero but the pid and the name is good, too. */
struct tree_process {
	pid_t pid;
	const char *name; /* as the kernel prints it */
	char state;       /* 0: 'S' */
	uid_t uid;
	unsigned int threads;       /* 0: 1 */
	uint64_t start_ticks;       /* 0: the pid */
	uint64_t image;             /* differs from image to image of one process */
	uint64_t end_pages;         /* likewise: its addresses end so much later */
	uint64_t rss_kib;           /* 0: no memory, a kernel thread or a zombie */
	uint64_t pss_kib, uss_kib;  /* in smaps_rollup */
	uint64_t hwm_kib, swap_kib; /* hwm 0: as rss */
	uint64_t shmem_kib;         /* 0: it is not printed */
	const char *exe;            /* NULL: no link */
	const char *cgroup;         /* the path in the unified hierarchy; NULL: no file */
};

void tree_add(const struct tree *t, const struct tree_process *p);

/* Only the files of P below PATH, a thread's folder say. */
void tree_add_at(const struct tree *t, const char *path, const struct tree_process *p);

/* The text of smaps for P: two mappings that sum up to it. */
void tree_add_smaps(const struct tree *t, const struct tree_process *p);

/* The stat of a worker that has had FAULTS minor faults: all else in it is always the same. */
void tree_set_faults(const struct tree *t, pid_t pid, unsigned int faults);

/* What happens when a path that ends with SUFFIX is opened for the NTH time from now on, 0: every time. */
struct tree_event {
	const char *suffix;
	unsigned int nth;
	int error;              /* the open fails with it; 0: it goes on */
	void (*call)(void *to); /* called before; NULL: nothing is */
	void *to;
	unsigned int count; /* how often it was opened */
};

/* Borrows COUNT events until the next call; NULL and 0: none. */
void tree_expect(struct tree_event *events, unsigned int count);

#endif
