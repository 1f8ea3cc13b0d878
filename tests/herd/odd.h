/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One oddity in the making: the forked process lays out the memory that it is to have, puts what it is to do on a tape,
 * and plays that. A step that fails ends the process, as in self.h.
 */
#ifndef MEMTALLY_TESTS_HERD_ODD_H
#define MEMTALLY_TESTS_HERD_ODD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tests/herd/tape.h"

enum {
	ODD_NAME_SIZE = 16,
	ODD_NAMES_MAX = 8,
	ODD_KIB = 256, /* of those whose argument is not their size */
};

/* Above what the sanitizers use for themselves, below programs and stack. */
#define ODD_TAPE_AT    UINT64_C(0x200000000000)
#define ODD_CELLS_AT   (ODD_TAPE_AT + (UINT64_C(1) << 21))
#define ODD_PAYLOAD_AT (ODD_TAPE_AT + (UINT64_C(1) << 22))
#define ODD_SPECIAL_AT (ODD_TAPE_AT + (UINT64_C(1) << 30)) /* memory of an odd kind */
#define ODD_PARTS_END  (ODD_TAPE_AT + (UINT64_C(1) << 40))

/* What an oddity is made from, in the process that becomes it. */
struct odd {
	const char *argument;
	uint64_t number; /* the argument as one, or 0 */
	uid_t uid;
	pid_t parent;
	int ready;
	char *argv;
	size_t argv_size;
	struct tape tape;
};

/* Two cells on a page of their own hold the pids that the tape reports. */
static pid_t *const odd_own_cell = (pid_t *)ODD_CELLS_AT;
static pid_t *const odd_child_cell = (pid_t *)ODD_CELLS_AT + 1;

uint64_t odd_pages_of_kib(uint64_t kib);

/* "6162,ff" as names of at most 15 bytes. Returns how many there are; 0: the text is no such list. */
size_t odd_parse_names(const char *text, char names[static ODD_NAMES_MAX][ODD_NAME_SIZE]);

/* The I-th of as many names that no reader should take as they are; all of them differ, also when they have been cleaned. */
void odd_hostile_name(uint64_t i, char to[static ODD_NAME_SIZE]);

/* Everything up to the point where the oddities differ: a process called NAME, with KIB of private memory. */
void odd_begin(struct odd *odd, const char *name, uint64_t kib);

/* Adds to the tape: the pid in CELL is reported. */
void odd_report(struct odd *odd, enum tape_when when, const pid_t *cell);

/* A clone that goes on with the tape, and dies with its parent as every oddity does. */
void odd_add_clone(struct odd *odd, uint64_t flags);

/* Waits for SIGUSR1, which stays blocked, so that no handler need be mapped. */
void odd_add_wait(struct odd *odd);

/* Does not return. */
void odd_play(struct odd *odd);

/* What a process may become; the table in oddities.c says what each is. None returns. */

/* odd-task.c: names, threads, address spaces */
void odd_named(struct odd *odd);
void odd_renaming(struct odd *odd);
void odd_growing(struct odd *odd);
void odd_becoming(struct odd *odd);
void odd_dead_leader(struct odd *odd);
void odd_sharing(struct odd *odd);
void odd_vforking(struct odd *odd);
void odd_sibling(struct odd *odd);

/* odd-memory.c: kinds of memory */
void odd_mapping(struct odd *odd);
void odd_repeating(struct odd *odd);
void odd_swapped(struct odd *odd);
void odd_huge(struct odd *odd);
void odd_sharing_huge(struct odd *odd);
void odd_transparent(struct odd *odd);
void odd_splitting(struct odd *odd);
void odd_mergeable(struct odd *odd);

/* odd-crowd.c: many */
void odd_crowd(struct odd *odd);

/* odd-life.c: who begins, executes and ends */
void odd_zombie(struct odd *odd);
void odd_forking(struct odd *odd);
void odd_executing(struct odd *odd);
void odd_reusing(struct odd *odd);

/* The program executes itself with these arguments: ODD_AGAIN and PAUSE_US. Ends the process where it can't. */
#define ODD_AGAIN "--again"
void odd_execute_again(const char *pause_us);

#endif
