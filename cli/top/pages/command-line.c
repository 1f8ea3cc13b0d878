/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/top/pages/command-line.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "cli/table/cell.h"

/* Appends LEN bytes of TEXT, which is clean, in lines of at most WIDTH columns. */
static void add_broken(struct buffer *to, const char *text, size_t len, size_t width)
{
	size_t used = 0;

	for (size_t at = 0, n; at < len; at += n) {
		uint32_t c;
		size_t columns;

		n = text_decode(text + at, len - at, &c);
		n = n ? n : 1;
		columns = cell_width(text + at, n);
		if (used + columns > width && used) {
			buffer_add_char(to, '\n');
			used = 0;
		}
		used += columns;
		buffer_add(to, text + at, n);
	}
}

void command_line_add(struct buffer *to, const char *text, size_t len, size_t width)
{
	AUTO_BUFFER struct buffer line = {0};
	bool is_cut = len > COMMAND_LINE_MAX;

	len = is_cut ? COMMAND_LINE_MAX : len;
	while (len && !text[len - 1])
		len--;
	if (!len)
		return;
	for (size_t at = 0, n; at < len; at += n + 1) {
		n = strnlen(text + at, len - at);
		if (at)
			buffer_add_char(&line, ' ');
		text_add_clean(&line, text + at, n);
	}
	if (line.error)
		return;
	buffer_add_text(to, "\nCommand line, now:\n");
	add_broken(to, line.data, line.len, width);
	buffer_add_text(to, is_cut ? "\nIt is longer: this is the beginning.\n" : "\n");
}
