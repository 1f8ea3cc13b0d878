/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tape: a list of system calls that a process runs after it has unmapped everything else
 *
 * The process unmaps its program, C library, heap, stack and vdso. It keeps one page with the
 * player and the tape, and the ranges that the caller chose. So its memory use follows by
 * arithmetic.
 *
 * The player uses no stack and keeps its position in registers. A child or thread that a clone on
 * the tape creates (with stack 0) continues with the next call of the same tape. x86-64 only.
 */
#ifndef MEMTALLY_TESTS_HERD_TAPE_H
#define MEMTALLY_TESTS_HERD_TAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TAPE_PAGE_SIZE 4096UL

/* Which processes run a call. It depends on the last clone that each has run on the tape. */
enum tape_when {
	TAPE_ALWAYS,
	TAPE_CHILD,  /* the process or thread that this clone created */
	TAPE_PARENT, /* the one that called clone, and each before its first clone */
};

/* One system call. The player reads it, so the order of the fields is fixed. */
struct tape_call {
	int64_t number;
	uint64_t argument[6];
	uint64_t when; /* enum tape_when */
};

/* Ranges that stay mapped: page-aligned addresses in ascending order. */
struct tape_keep {
	uintptr_t begin[2], end[2];
};

/* A tape that is being written. */
struct tape {
	struct tape_page *page; /* page that is played */
	size_t calls;
	/* offset of the lowest byte of data, which grows down from the end of the page */
	size_t data;
	size_t loop; /* first call of the part that repeats; TAPE_NO_LOOP: not yet known */
};

#define TAPE_NO_LOOP SIZE_MAX

/* Returns whether this machine has the right processor, page size and C library. */
bool tape_is_supported(void);

/*
 * Maps a new private page at ADDRESS (page-aligned) with the player and an empty tape. Returns 0,
 * or -errno of mmap(), among them -EEXIST if memory is mapped there.
 */
int tape_init(struct tape *tape, uintptr_t address);

/*
 * Adds system call NUMBER with arguments A0 to A4; the sixth is 0. WHEN: which processes run it.
 * Aborts if the page is full.
 */
void tape_add(struct tape *tape, enum tape_when when, long number, uint64_t a0, uint64_t a1,
	uint64_t a2, uint64_t a3, uint64_t a4);

/*
 * Copies LEN bytes to the page and returns their address, a multiple of 8, for calls that take
 * pointers. Aborts if the page is full.
 */
uintptr_t tape_put(struct tape *tape, const void *data, size_t len);

/* Adds calls that unmap everything except KEEP, which must include the tape's page. */
void tape_add_unmap(struct tape *tape, const struct tape_keep *keep);

/* The calls that are added from now on repeat for ever. */
void tape_mark_loop(struct tape *tape);

/*
 * Unregisters rseq (otherwise the kernel would write to unmapped memory) and plays the tape. A tape
 * without a loop waits for ever at its end.
 */
void tape_play(struct tape *tape) __attribute__((noreturn));

#endif
