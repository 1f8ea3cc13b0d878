/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/top/pages/top-prompt.h"

#include <stdio.h>
#include <string.h>

char *top_prompt_text(struct top_state *s, enum top_prompt prompt)
{
	return prompt == TOP_PROMPT_SEARCH ? s->search
	       : prompt == TOP_PROMPT_TIME ? s->time
	                                   : s->asks.filter;
}

void top_prompt_add(char text[static TOP_TEXT_SIZE], uint32_t c)
{
	size_t len = strlen(text);
	char bytes[5] = "";

	if (c < 0x80)
		snprintf(bytes, sizeof(bytes), "%c", (char)c);
	else if (c < 0x800)
		snprintf(bytes, sizeof(bytes), "%c%c", (char)(0xc0 | c >> 6),
			(char)(0x80 | (c & 0x3f)));
	else if (c < 0x10000)
		snprintf(bytes, sizeof(bytes), "%c%c%c", (char)(0xe0 | c >> 12),
			(char)(0x80 | (c >> 6 & 0x3f)), (char)(0x80 | (c & 0x3f)));
	else
		snprintf(bytes, sizeof(bytes), "%c%c%c%c", (char)(0xf0 | c >> 18),
			(char)(0x80 | (c >> 12 & 0x3f)), (char)(0x80 | (c >> 6 & 0x3f)),
			(char)(0x80 | (c & 0x3f)));
	if (len + strlen(bytes) < TOP_TEXT_SIZE)
		memcpy(text + len, bytes, strlen(bytes) + 1);
}

void top_prompt_remove(char text[static TOP_TEXT_SIZE])
{
	size_t len = strlen(text);

	while (len && ((unsigned char)text[len - 1] & 0xc0) == 0x80)
		text[--len] = '\0';
	if (len)
		text[len - 1] = '\0';
}
