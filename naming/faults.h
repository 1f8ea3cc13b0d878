/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults of a file of naming rules: a text with a line for each fault, "FILE:LINE: reason".
 */
#ifndef MEMTALLY_NAMING_FAULTS_H
#define MEMTALLY_NAMING_FAULTS_H

#include <stddef.h>

enum {
	NAMING_ERRORS_SIZE = 8192, /* bytes of the faults of a file, with the NUL */
	NAMING_FAULT_SIZE = 1024,  /* bytes of one fault, with the NUL */
};

struct faults {
	const char *path; /* of the file, borrowed */
	char *error;      /* borrowed, of NAMING_ERRORS_SIZE bytes */
	size_t len;       /* bytes in .error */
	size_t count;     /* all faults */
	size_t unsaid;    /* those of .count that did not fit into .error */
};

/* Begins a list without faults. PATH and ERROR stay borrowed. ERROR becomes empty. */
void faults_init(struct faults *f, const char *path, char error[static NAMING_ERRORS_SIZE]);

/*
 * Adds a fault at LINE, which counts from 1. Its text is cut if it is longer than NAMING_FAULT_SIZE, and
 * control characters in it become blanks. If .error is full, its last line says how many faults did
 * not fit. Returns -EINVAL.
 */
int faults_add(struct faults *f, size_t line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
