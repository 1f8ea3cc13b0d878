/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/page/time-part.h"

#include <time.h>

#include "base/clock.h"
#include "base/when.h"

enum { TIME_TEXT_SIZE = 32 };

/* Writes the time of Q, local time of the host, in FORMAT. */
static void time_part_format(
	const struct page_query *q, const char *format, char to[static TIME_TEXT_SIZE])
{
	struct tm tm = when_local((int64_t)(q->at_ns / NS_PER_SEC));

	to[strftime(to, TIME_TEXT_SIZE, format, &tm)] = 0;
}

static void time_part_add_state(const struct page_query *q, struct buffer *to)
{
	char text[TIME_TEXT_SIZE];

	buffer_add_text(to, "<p id=\"past\" class=\"banner\">");
	if (q->at_ns) {
		time_part_format(q, "%Y-%m-%d %H:%M:%S", text);
		buffer_printf(
			to, "This is the past: the figures of %s, the host's local time. ", text);
	}
	buffer_add_text(to, "<a href=\"/\" id=\"to-live\">Show the present</a></p>\n");
}

void time_part_render(const struct page_query *q, bool is_past, struct buffer *to)
{
	char text[TIME_TEXT_SIZE];

	if (is_past)
		time_part_add_state(q, to);
	buffer_add_text(to,
		"<form id=\"moment\" class=\"tools\" action=\"/\">\n"
		"<label for=\"moment-at\">Figures of an earlier time, the host's local time:</label>\n"
		"<input type=\"datetime-local\" id=\"moment-at\" name=\"at\" step=\"1\" required");
	if (q->at_ns) {
		time_part_format(q, "%Y-%m-%dT%H:%M:%S", text);
		buffer_printf(to, " value=\"%s\"", text);
	}
	buffer_add_text(to, ">\n");
	for (enum page_table i = 0; i < PAGE_TABLES; i++)
		if (q->order[i] != PAGE_ORDER_PSS)
			buffer_printf(to, "<input type=\"hidden\" name=\"%s\" value=\"%s\">\n",
				page_query_name(i), page_query_word(q->order[i]));
	buffer_add_text(to, "<button>Show</button>\n</form>\n");
}
