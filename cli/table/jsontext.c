/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/table/jsontext.h"

#include <string.h>

/*
 * Written by hand because output may have a string for each of 60,000 mappings: a library takes
 * five times as long.
 */
void jsontext_add_value(struct buffer *to, const char *text)
{
	buffer_add_char(to, '"');
	while (*text) {
		size_t plain = strcspn(text, "\"\\");

		buffer_add(to, text, plain);
		text += plain;
		if (*text) {
			buffer_add_char(to, '\\');
			buffer_add_char(to, *text++);
		}
	}
	buffer_add_char(to, '"');
}

void jsontext_add(struct buffer *to, const char *name, const char *text)
{
	buffer_add_text(to, ",\"");
	buffer_add_text(to, name);
	buffer_add_text(to, "\":");
	jsontext_add_value(to, text);
}
