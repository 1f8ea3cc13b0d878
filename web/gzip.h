/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A gzip member (RFC 1952) in two parts: a front that is compressed once and sent many times, and an
 * end that is made anew for each answer. The front stops at a byte border without ending the deflate
 * stream; the end is stored, not compressed, so that it costs a CRC and its length depends only on the
 * length of what it carries.
 */
#ifndef MEMTALLY_WEB_GZIP_H
#define MEMTALLY_WEB_GZIP_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* What of the front goes into the member's end. */
struct gzip_front {
	uint32_t crc;
	uint64_t len; /* before compression */
};

/* Appends the gzip header and the compressed DATA to TO, whose memory is trimmed. -ENOMEM. */
int gzip_add_front(struct buffer *to, const void *data, size_t len, struct gzip_front *ret);

/* Appends what follows a front: DATA, and the end of the member. */
void gzip_add_end(struct buffer *to, const struct gzip_front *front, const void *data, size_t len);

#endif
