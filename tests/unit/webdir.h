/* SPDX-License-Identifier: Apache-2.0 */
/* A directory with a web configuration, web.yml, and the files that it names. */
#ifndef MEMTALLY_TESTS_UNIT_WEBDIR_H
#define MEMTALLY_TESTS_UNIT_WEBDIR_H

#include "web/access.h"

struct webdir {
	char path[32];   /* from the root; the directory's */
	char config[40]; /* of web.yml */
};

/* A new one below /tmp, empty. A failure of any of these functions fails the test. */
void webdir_open(struct webdir *d);

/* With all files in it. */
void webdir_done(struct webdir *d);

/* The file NAME with TEXT and nothing else. */
void webdir_write(const struct webdir *d, const char *name, const char *text);

/* What web.yml says, which is good, for the caller to free. */
struct access *webdir_load(const struct webdir *d);

#endif
