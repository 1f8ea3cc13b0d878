/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/page/html.h"

#include <string.h>

/* Returns what stands for C in HTML; NULL: C itself. */
static const char *html_escape(char c)
{
	switch (c) {
	case '&': return "&amp;";
	case '<': return "&lt;";
	case '>': return "&gt;";
	case '"': return "&quot;";
	case '\'': return "&#39;";
	}
	return NULL;
}

void html_add_text(struct buffer *to, const char *text)
{
	const char *from = text;

	for (; *text; text++) {
		const char *escape = html_escape(*text);

		if (!escape)
			continue;
		buffer_add(to, from, (size_t)(text - from));
		buffer_add_text(to, escape);
		from = text + 1;
	}
	buffer_add(to, from, (size_t)(text - from));
}

void html_add_name(struct buffer *to, const char *name)
{
	buffer_add_text(to, "<bdi>");
	html_add_text(to, name);
	buffer_add_text(to, "</bdi>");
}

void html_add_share(struct buffer *to, uint64_t part, uint64_t whole)
{
	double share = whole ? 100.0 * (double)part / (double)whole : 0;

	buffer_printf(to, "%.2f%%", share < 100 ? share : 100);
}
