/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making one odd process
 *
 * A forked process lays out its memory, puts its later system calls on a tape (tape.h), and plays
 * the tape. If a step fails, the process exits as in self.h.
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
	ODD_KIB = 256, /* size of the private memory if the argument is not a size */
};

/* Addresses above the sanitizers' memory and below programs and the stack. */
#define ODD_TAPE_AT    UINT64_C(0x200000000000)
#define ODD_CELLS_AT   (ODD_TAPE_AT + (UINT64_C(1) << 21))
#define ODD_PAYLOAD_AT (ODD_TAPE_AT + (UINT64_C(1) << 22))
#define ODD_SPECIAL_AT (ODD_TAPE_AT + (UINT64_C(1) << 30)) /* memory of an odd kind */
#define ODD_PARTS_END  (ODD_TAPE_AT + (UINT64_C(1) << 40))

/* The state of a process that becomes an oddity. */
struct odd {
	/* text behind "KIND=", borrowed; NULL: none */
	const char *argument;
	uint64_t number; /* the argument as a number, or 0 */
	uid_t uid;
	pid_t parent;
	/* descriptor of a pipe to which the pids are written */
	int ready;
	char *argv;
	size_t argv_size;
	struct tape tape;
};

/* A page of its own holds two pids that the tape reports. */
static pid_t *const odd_own_cell = (pid_t *)ODD_CELLS_AT;
static pid_t *const odd_child_cell = (pid_t *)ODD_CELLS_AT + 1;

/* Returns the number of whole pages in KIB. */
uint64_t odd_pages_of_kib(uint64_t kib);

/*
 * Parses names of at most 15 bytes from hexadecimal digits, such as "6162,ff". Returns their
 * number; 0: TEXT is not such a list.
 */
size_t odd_parse_names(const char *text, char names[static ODD_NAMES_MAX][ODD_NAME_SIZE]);

/*
 * Makes a name that readers must not print as it is. Names differ for all I, also after escaping.
 */
void odd_hostile_name(uint64_t i, char to[static ODD_NAME_SIZE]);

/*
 * Makes the common part of oddities: a process called NAME with KIB of private memory, and a tape
 * that first unmaps everything else.
 */
void odd_begin(struct odd *odd, const char *name, uint64_t kib);

/* Adds to the tape: write the pid in CELL to odd->ready. */
void odd_report(struct odd *odd, enum tape_when when, const pid_t *cell);

/*
 * Adds to the tape: clone with FLAGS. The child continues on the same tape and is killed with its
 * parent.
 */
void odd_add_clone(struct odd *odd, uint64_t flags);

/*
 * Adds to the tape: wait for SIGUSR1. The signal stays blocked, so that no handler must be mapped.
 */
void odd_add_wait(struct odd *odd);

/* Plays the tape. Does not return. */
void odd_play(struct odd *odd);

/*
 * Each function turns this process into an oddity and does not return. The table in oddities.c
 * describes them.
 */

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

/* odd-crowd.c: many processes */
void odd_crowd(struct odd *odd);

/* odd-life.c: births, exec and exits */
void odd_zombie(struct odd *odd);
void odd_forking(struct odd *odd);
void odd_executing(struct odd *odd);
void odd_reusing(struct odd *odd);

/*
 * Executes this program with the arguments ODD_AGAIN and PAUSE_US. Exits with status 1 on failure.
 */
#define ODD_AGAIN "--again"
void odd_execute_again(const char *pause_us);

#endif
