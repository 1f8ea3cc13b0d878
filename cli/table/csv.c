/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/table/csv.h"

#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"

/*
 * Characters that start a formula in spreadsheets. Some spreadsheets also accept the full-width
 * forms of East Asian text.
 */
static bool is_formula(const char *text)
{
	static const char *const wide[] = {
		"\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"};

	for (size_t i = 0; i < ARRAY_SIZE(wide); i++)
		if (!strncmp(text, wide[i], strlen(wide[i])))
			return true;
	return *text && strchr("=+-@\t\r\n", *text);
}

/* A cell without quotes contains no character that any spreadsheet takes for a separator. */
void csv_add_text(struct buffer *to, const char *text)
{
	const char *before = is_formula(text) || *text == '\'' ? "'" : "";

	if (!text[strcspn(text, ",;\"\t\r\n")]) {
		buffer_add_text(to, before);
		buffer_add_text(to, text);
		return;
	}
	buffer_add_char(to, '"');
	buffer_add_text(to, before);
	for (; *text; text++) {
		if (*text == '"')
			buffer_add_char(to, '"');
		buffer_add_char(to, *text);
	}
	buffer_add_char(to, '"');
}
