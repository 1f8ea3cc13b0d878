/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gzip in Two Parts
 *
 * A gzip member (RFC 1952) from a front, which is compressed once and sent many times, and an end,
 * which is made for each answer. The front stops at a byte border without ending the deflate
 * stream. The end is stored, not compressed: it costs only a CRC, and its length depends only on
 * the length of its data.
 *
 * A whole member of a known length can be decompressed.
 */
#ifndef MEMTALLY_WEB_HTTP_GZIP_H
#define MEMTALLY_WEB_HTTP_GZIP_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* Facts about the front that the end of the member needs. */
struct gzip_front {
	uint32_t crc;
	uint64_t len; /* bytes before compression */
};

/*
 * Appends the gzip header and LEN bytes at DATA, compressed, to TO, and trims TO's memory. Facts
 * for gzip_add_end() are in *RET. Returns 0 or -ENOMEM.
 */
int gzip_add_front(struct buffer *to, const void *data, size_t len, struct gzip_front *ret);

/*
 * Appends the end of the member to TO: LEN bytes at DATA, stored, and the trailer. FRONT is from
 * gzip_add_front(). Errors are in TO.error.
 */
void gzip_add_end(struct buffer *to, const struct gzip_front *front, const void *data, size_t len);

/*
 * Decompresses the gzip member of LEN bytes at DATA, which has FULL bytes, and appends it to TO.
 * Returns 0; -ENOMEM; or -EBADMSG if DATA is no gzip member of FULL bytes, and then TO is unchanged.
 */
int gzip_inflate(struct buffer *to, const void *data, size_t len, size_t full);

#endif
