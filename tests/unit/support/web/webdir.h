/* SPDX-License-Identifier: Apache-2.0 */
/* A directory with a web configuration, web.yml, and the files that it names. */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_WEB_WEBDIR_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_WEB_WEBDIR_H

#include "web/auth/access.h"

struct webdir {
	char path[32];   /* absolute path of the directory */
	char config[40]; /* absolute path of web.yml */
};

/* Makes a new, empty directory below /tmp. All functions fail the test on errors. */
void webdir_open(struct webdir *d);

/* Removes the directory and its files. */
void webdir_done(struct webdir *d);

/* Writes TEXT to the file NAME, which it replaces. */
void webdir_write(const struct webdir *d, const char *name, const char *text);

/* Loads web.yml, which must be valid. Returns access rules that the caller frees. */
struct access *webdir_load(const struct webdir *d);

#endif
