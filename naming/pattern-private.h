/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Translation of patterns from the syntax of Go's regexp package to that of PCRE2
 *
 * The whole pattern is read by the rules of RE2 and written anew, so nothing in it is left for PCRE2
 * to read in its own way. Groups lose their names. Pure.
 */
#ifndef MEMTALLY_NAMING_PATTERN_PRIVATE_H
#define MEMTALLY_NAMING_PATTERN_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/scan.h"

enum {
	PATTERN_STEP = 16,            /* characters that a step of a search compares at most */
	PATTERN_GROUPS_MAX = 64,      /* a search copies the places of all groups at each step */
	PATTERN_CHAR_MAX = 0x10ffff,  /* Unicode's last character */
	PATTERN_FOLD = 1 << 0,        /* (?i) */
	PATTERN_LINES = 1 << 1,       /* (?m) */
	PATTERN_DOT_NEWLINE = 1 << 2, /* (?s) */
	PATTERN_UNGREEDY = 1 << 3,    /* (?U) */
};

/* A pattern that is being translated. */
struct translation {
	struct scan in;    /* the rest of the pattern; valid UTF-8, terminated */
	struct buffer out; /* in PCRE2's syntax */
	/* Names of the groups in their order, each terminated; "" for a group without a name. */
	struct buffer names;
	size_t groups;
	unsigned int flags; /* PATTERN_FOLD ... that apply now */
	unsigned int depth; /* of groups in groups */
	unsigned int run;   /* characters since the last step */
	unsigned int wide;  /* ranges beyond ASCII in the class */
	bool is_quoted;     /* between \Q and \E */
	/* The first fault: a reason, and its place in the pattern. NULL: none. */
	const char *fault, *fault_at;
};

/*
 * Translates the pattern T->in into T->out. T is zeroed but for .in. Callouts with a number N in
 * T->out stand for N + 1 steps: a search does a bounded amount of work between two of them.
 *
 * Returns 0; or -EINVAL, and T->fault is set. Check .error of both buffers first.
 */
int pattern_translate(struct translation *t);

/* The rest is for the parts of the translation. */

/* Sets the fault of T. Returns -EINVAL. */
int pattern_fault(struct translation *t, const char *at, const char *reason);

/* Reads the next character into *RET. T must not be at its end. */
void pattern_read_char(struct translation *t, uint32_t *ret);

/*
 * Reads an escape sequence for one character, from its backslash on, into *RET. Returns 0, or
 * -EINVAL with the fault set.
 */
int pattern_read_escape(struct translation *t, uint32_t *ret);

/* Writes the character C so that it stands for itself, in a class and outside. */
void pattern_put_char(struct translation *t, uint32_t c);

/* Reads a class in brackets, from its '[' on, and writes it. Returns as pattern_read_escape(). */
int pattern_class(struct translation *t);

/*
 * Reads and writes an escape sequence for a class, such as \w. Returns 1; 0 if none is next;
 * or -EINVAL with the fault set.
 */
int pattern_class_escape(struct translation *t, bool in_brackets);

#endif
