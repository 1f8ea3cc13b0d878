/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Synchronizes files with the disk in a thread of its own
 *
 * fdatasync() takes seconds on a slow disk. Meanwhile the caller records further snapshots, also to
 * the same files. All functions are for the one thread that has made the syncer.
 */
#ifndef MEMTALLY_RECORDER_ARCHIVE_SYNCER_H
#define MEMTALLY_RECORDER_ARCHIVE_SYNCER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recorder/archive/archive-types.h"

enum {
	SYNCER_WAITING = 16,           /* files that can wait */
	SYNCER_FOLDER = ARCHIVE_TIERS, /* the owner of the directory; a tier owns its segments */
	SYNCER_OWNERS
};

struct syncer_file {
	int fd; /* owned if .is_released */
	unsigned int owner;
	uint64_t number;
	bool is_released;
};

struct syncer {
	pthread_t thread;
	pthread_mutex_t lock; /* of all below */
	pthread_cond_t changed;
	struct syncer_file file[SYNCER_WAITING]; /* that wait, the longest one first */
	size_t files;
	bool is_begun;   /* the thread synchronizes .file[0] */
	bool is_closing; /* the thread closes a file that has waited */
	bool ends;
	struct {
		int error; /* negative errno of the last file that failed; 0: none */
		uint64_t number;
		bool is_new; /* for syncer_failure() */
	} failure[SYNCER_OWNERS];
};

/*
 * Initializes S and starts its thread, which has the rights of the caller. Returns 0 or a negative
 * errno of pthread_create(): then there is nothing for syncer_done().
 */
int syncer_init(struct syncer *s);

/* Waits until all files are synchronized, and ends the thread. */
void syncer_done(struct syncer *s);

/*
 * Has what is written in FD synchronized. FD is segment NUMBER of tier OWNER, or a directory
 * (SYNCER_FOLDER); it stays open until syncer_release() or syncer_done(). If SYNCER_WAITING files wait,
 * waits for the first one of them.
 */
void syncer_add(struct syncer *s, int fd, unsigned int owner, uint64_t number);

/* Consumes FD (-1: none): closes it when it is synchronized, or at once. Returns -1. */
int syncer_release(struct syncer *s, int fd);

/* Returns whether files are being synchronized, or closed after that. */
bool syncer_is_busy(struct syncer *s);

/* Waits until all files are synchronized, and those released meanwhile closed. */
void syncer_wait(struct syncer *s);

/*
 * Returns 0 if all files of OWNER could be synchronized that were added since the last call. Otherwise
 * returns the negative errno of the last one that failed, with its number in *RET_NUMBER.
 */
int syncer_failure(struct syncer *s, unsigned int owner, uint64_t *ret_number);

/* Returns whether the last file of OWNER that could not be synchronized is NUMBER. */
bool syncer_has_failed(struct syncer *s, unsigned int owner, uint64_t number);

#endif
