/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/table/output.h"

#include <errno.h>
#include <unistd.h>

enum { PIECE_SIZE = 1 << 16 };

int output_flush(struct buffer *to)
{
	size_t at = 0;

	if (to->error)
		return to->error;
	while (at < to->len) {
		ssize_t n = write(STDOUT_FILENO, to->data + at, to->len - at);

		if (n < 0 && errno != EINTR) {
			int r = -errno;

			buffer_clear(to); /* or the next call would write the first part again */
			return r;
		}
		at += n > 0 ? (size_t)n : 0;
	}
	buffer_clear(to);
	return 0;
}

int output_flush_some(struct buffer *to)
{
	return to->len >= PIECE_SIZE ? output_flush(to) : to->error;
}
