/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/page/bar.h"

#include "web/page/html.h"

void bar_add(struct buffer *to, uint64_t low_bytes, uint64_t bytes, uint64_t high_bytes,
	uint64_t most_bytes)
{
	buffer_add_text(
		to, "<svg class=\"bar\" aria-hidden=\"true\"><rect class=\"sure\" width=\"");
	html_add_share(to, low_bytes, most_bytes);
	buffer_add_text(to, "\" height=\"100%\"/>");
	if (high_bytes > low_bytes) {
		buffer_add_text(to, "<rect fill=\"url(#doubt)\" x=\"");
		html_add_share(to, low_bytes, most_bytes);
		buffer_add_text(to, "\" width=\"");
		html_add_share(to, high_bytes - low_bytes, most_bytes);
		buffer_add_text(to, "\" height=\"100%\"/><rect class=\"mark\" x=\"");
		html_add_share(to, bytes, most_bytes);
		buffer_add_text(to, "\" width=\"2\" height=\"100%\"/>");
	}
	buffer_add_text(to, "</svg>");
}
