/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults of a configuration file: a text of limited size with a line for each fault, "FILE:LINE:
 * reason".
 */
#ifndef MEMTALLY_BASE_FAULTS_H
#define MEMTALLY_BASE_FAULTS_H

#include <stdarg.h>
#include <stddef.h>

enum { FAULTS_LINE_SIZE = 1024 }; /* bytes of one fault, with the NUL */

struct faults {
	const char *path; /* of the file, borrowed */
	char *error;      /* borrowed, of .size bytes */
	size_t size;
	size_t len;    /* bytes in .error */
	size_t count;  /* all faults */
	size_t unsaid; /* those of .count that did not fit into .error */
};

/*
 * Begins a list without faults. PATH and ERROR, of SIZE bytes (at least 2 * FAULTS_LINE_SIZE), stay
 * borrowed. ERROR becomes empty.
 */
void faults_init(struct faults *f, const char *path, char *error, size_t size);

/*
 * Writes the text of a fault at LINE, which counts from 1, into TEXT. It is cut if it is longer
 * than FAULTS_LINE_SIZE, and control characters in it become blanks. Does not change F.
 */
void faults_format(const struct faults *f, char text[static FAULTS_LINE_SIZE], size_t line,
	const char *format, va_list args) __attribute__((format(printf, 4, 0)));

/*
 * Adds TEXT of faults_format(). If .error is full, its last line says how many faults did not fit.
 */
void faults_add_text(struct faults *f, const char *text);

/* Adds a fault at LINE, with faults_format() and faults_add_text(). Returns -EINVAL. */
int faults_add(struct faults *f, size_t line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
