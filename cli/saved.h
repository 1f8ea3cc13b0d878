/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `memtally map --json` has printed before, from a file. Only what is whole can be compared with: what --limit has left
 * out, or a process that could not be read, would be taken for what has come since. Whoever had been found by a filter and ended
 * while it was read is none of those that were asked for, and what was printed of it is passed over.
 */
#ifndef MEMTALLY_CLI_SAVED_H
#define MEMTALLY_CLI_SAVED_H

#include "inside/atlas.h"

enum {
	SAVED_VERSION = 1, /* of the form of that JSON */
	SAVED_ERROR_SIZE = 512,
};

/*
 * Adds the rows of the file at PATH to RET, which says by what. 0; -EINVAL: it is no such file, of another version, too
 * coarse, or not whole, with a sentence for the user in ERROR; -ENOMEM.
 */
int saved_load(const char *path, struct atlas *ret, char error[static SAVED_ERROR_SIZE]);

/* The same of TEXT, which PATH has. Pure. */
int saved_parse(const char *path, const char *text, size_t len, struct atlas *ret,
	char error[static SAVED_ERROR_SIZE]);

#endif
