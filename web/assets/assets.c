/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/assets/assets.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <zlib.h>

enum { GZIP_WINDOW = 15 + 16 }; /* the largest window, in a gzip member */

const struct asset *assets_of(enum assets_kind kind)
{
	return assets_embedded[kind].path ? &assets_embedded[kind] : NULL;
}

const struct asset *assets_find(const char *path, size_t len)
{
	for (enum assets_kind kind = 0; kind < ASSETS_KINDS; kind++) {
		const struct asset *a = assets_of(kind);

		if (a && strlen(a->path) == len && !memcmp(a->path, path, len))
			return a;
	}
	return NULL;
}

int assets_inflate(const struct asset *asset, struct buffer *to)
{
	char *room = buffer_reserve(to, asset->len);
	z_stream z = {
		.next_in =
			(unsigned char *)(uintptr_t)asset->gzip, /* zlib's type lacks the const */
		.avail_in = (uInt)asset->gzip_len,
		.next_out = (unsigned char *)room,
		.avail_out = (uInt)asset->len,
	};
	int r;

	if (!room || inflateInit2(&z, GZIP_WINDOW) != Z_OK)
		return -ENOMEM;
	r = inflate(&z, Z_FINISH);
	inflateEnd(&z);
	assert(r == Z_STREAM_END || r == Z_MEM_ERROR); /* the content is ours */
	if (r != Z_STREAM_END)
		return -ENOMEM;
	to->len += asset->len;
	return 0;
}
