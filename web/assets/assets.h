/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Assets
 *
 * The page's style sheet and script, compressed and built into memtally-web. The path of each has a
 * hash of its content, so that clients may keep it for ever. A build without esbuild and the
 * libraries of the script has no script.
 */
#ifndef MEMTALLY_WEB_ASSETS_ASSETS_H
#define MEMTALLY_WEB_ASSETS_ASSETS_H

#include <stddef.h>

enum assets_kind { ASSETS_STYLE, ASSETS_SCRIPT, ASSETS_KINDS };

/* The folder of all assets. */
#define ASSETS_FOLDER "/assets/"

struct asset {
	const char *path; /* as in a request; NULL: this build does not have it */
	const char *content_type;
	const unsigned char *gzip; /* a member of RFC 1952 */
	size_t gzip_len;
	size_t len; /* bytes after decompression */
};

/* The assets of this build: web/assets/embed makes them. */
extern const struct asset assets_embedded[ASSETS_KINDS];

/* Returns the asset of KIND; NULL: this build does not have it. */
const struct asset *assets_of(enum assets_kind kind);

/* Returns the asset at PATH, LEN bytes; NULL: there is none. */
const struct asset *assets_find(const char *path, size_t len);

#endif
