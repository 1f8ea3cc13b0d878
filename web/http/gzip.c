/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/http/gzip.h"

#include <errno.h>
#include <zlib.h>

enum {
	RAW_WINDOW = -15,   /* raw deflate, the largest window */
	GZIP_WINDOW = 31,   /* a gzip member, the largest window */
	LEVEL = 2,          /* metrics text is so repetitive that more effort gains little */
	MEM_LEVEL = 8,      /* zlib's default; needs 256 KiB */
	STEP = 64 * 1024,   /* bytes of output at a time */
	STORED_MAX = 65535, /* bytes in one stored block */
};

static const unsigned char gzip_header[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};

static uint32_t crc_of(uint32_t crc, const unsigned char *data, size_t len)
{
	return (uint32_t)crc32_z(crc, data, len);
}

static int deflate_part(struct buffer *to, const unsigned char *data, size_t len)
{
	z_stream z = {0};
	int r = Z_OK;

	if (deflateInit2(&z, LEVEL, Z_DEFLATED, RAW_WINDOW, MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	z.next_in = (unsigned char *)(uintptr_t)data; /* zlib's type lacks the const */
	do {
		uInt in = len < UINT32_MAX / 2 ? (uInt)len : UINT32_MAX / 2;

		z.avail_in = in;
		len -= in;
		do {
			char *room = buffer_reserve(to, STEP);

			if (!room) {
				deflateEnd(&z);
				return -ENOMEM;
			}
			z.next_out = (unsigned char *)room;
			z.avail_out = STEP;
			r = deflate(&z, len ? Z_NO_FLUSH : Z_SYNC_FLUSH);
			to->len += STEP - z.avail_out;
		} while (r == Z_OK && !z.avail_out);
	} while (len);
	deflateEnd(&z);
	return 0;
}

int gzip_add_front(struct buffer *to, const void *data, size_t len, struct gzip_front *ret)
{
	int r;

	buffer_add(to, gzip_header, sizeof(gzip_header));
	r = deflate_part(to, data, len);
	if (r < 0 || to->error)
		return -ENOMEM;
	buffer_trim(to);
	*ret = (struct gzip_front){.crc = crc_of(0, data, len), .len = len};
	return 0;
}

static void add_le(struct buffer *to, uint32_t value, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		buffer_add_char(to, (char)(value >> (8 * i) & 0xff));
}

void gzip_add_end(struct buffer *to, const struct gzip_front *front, const void *data, size_t len)
{
	const unsigned char *at = data;
	size_t left = len;
	uint32_t crc = crc_of(0, data, len);

	do {
		size_t n = left < STORED_MAX ? left : STORED_MAX;

		left -= n;
		buffer_add_char(to, left ? 0 : 1); /* type 0 (stored); 1: the final block */
		add_le(to, (uint32_t)n, 2);
		add_le(to, ~(uint32_t)n & 0xffff, 2);
		if (n) { /* DATA may be NULL if there is none */
			buffer_add(to, at, n);
			at += n;
		}
	} while (left);
	add_le(to, (uint32_t)crc32_combine(front->crc, crc, (z_off_t)len), 4);
	add_le(to, (uint32_t)(front->len + len), 4);
}

int gzip_inflate(struct buffer *to, const void *data, size_t len, size_t full)
{
	z_stream z = {0};
	char *room;
	int r;

	if (len > UINT32_MAX || full >= UINT32_MAX)
		return -EBADMSG;
	room = buffer_reserve(to, full + 1); /* NULL for 0 bytes could be no failure */
	if (!room || inflateInit2(&z, GZIP_WINDOW) != Z_OK)
		return -ENOMEM;
	z.next_in = (unsigned char *)(uintptr_t)data; /* zlib's type lacks the const */
	z.avail_in = (uInt)len;
	z.next_out = (unsigned char *)room;
	z.avail_out = (uInt)full + 1;
	r = inflate(&z, Z_FINISH);
	inflateEnd(&z);
	if (r == Z_MEM_ERROR)
		return -ENOMEM;
	if (r != Z_STREAM_END || z.avail_in || z.total_out != full)
		return -EBADMSG;
	to->len += full;
	return 0;
}
