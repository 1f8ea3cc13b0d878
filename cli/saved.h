/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `memtally map --json` has printed before, from a file.
 */
#ifndef MEMTALLY_CLI_SAVED_H
#define MEMTALLY_CLI_SAVED_H

#include "inside/atlas.h"

enum {
	SAVED_VERSION = 1, /* of the form of that JSON */
	SAVED_ERROR_SIZE = 512,
};

/*
 * Adds the rows of the file at PATH to RET, which says by what. 0; -EINVAL: it is no such file, of another version, or too
 * coarse, with a sentence for the user in ERROR; -ENOMEM.
 */
int saved_load(const char *path, struct atlas *ret, char error[static SAVED_ERROR_SIZE]);

/* The same of TEXT, which PATH has. Pure. */
int saved_parse(const char *path, const char *text, size_t len, struct atlas *ret,
	char error[static SAVED_ERROR_SIZE]);

#endif
