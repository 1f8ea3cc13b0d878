/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tape: a list of system calls that a process goes on running after it has thrown away everything
 * else it had mapped: program, C library, heap, stack, vdso. What is left is one page with the player
 * and its tape, and what the caller chose to keep, so the memory of the process is arithmetic.
 *
 * The player uses no stack and keeps its place in registers: a child or thread that a clone on the
 * tape makes (with stack 0) goes on with the next call of the same tape. x86-64 only.
 */
#ifndef MEMTALLY_TESTS_HERD_TAPE_H
#define MEMTALLY_TESTS_HERD_TAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TAPE_PAGE_SIZE 4096UL

/* Which processes run a call, by what the last clone on the tape returned. */
enum tape_when {
	TAPE_ALWAYS,
	TAPE_CHILD,  /* those that a clone made */
	TAPE_PARENT, /* the one that made it */
};

/* One system call; the player reads it, so the order of the fields is fixed. */
struct tape_call {
	int64_t number;
	uint64_t argument[6];
	uint64_t when; /* enum tape_when */
};

/* What stays mapped: two ranges of page-aligned addresses, in rising order. */
struct tape_keep {
	uintptr_t begin[2], end[2];
};

/* A tape under construction. */
struct tape {
	struct tape_page *page; /* what is played */
	size_t calls;
	size_t data; /* offset of the lowest byte of data: it grows down from the page's end */
	size_t loop; /* the first call of those that repeat, TAPE_NO_LOOP before it is known */
};

#define TAPE_NO_LOOP SIZE_MAX

/* Whether this machine can play: the right processor and the right page size. */
bool tape_is_supported(void);

/* Maps a fresh, private page at ADDRESS, with the player and an empty tape. -errno of mmap. */
int tape_init(struct tape *tape, uintptr_t address);

/* Adds a call. A page that is full is the caller's mistake and aborts. */
void tape_add(struct tape *tape, enum tape_when when, long number, uint64_t a0, uint64_t a1,
	uint64_t a2, uint64_t a3, uint64_t a4);

/* Puts LEN bytes onto the page and returns their address, for calls that point at data. */
uintptr_t tape_put(struct tape *tape, const void *data, size_t len);

/* Unmaps all but KEEP. It must hold the tape's page. */
void tape_add_unmap(struct tape *tape, const struct tape_keep *keep);

/* From here on the tape repeats for ever. */
void tape_mark_loop(struct tape *tape);

/*
 * Takes the thread out of rseq (the kernel would write to memory that is gone) and plays. A tape
 * without a loop waits for ever at its end.
 */
void tape_play(struct tape *tape) __attribute__((noreturn));

#endif
