/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a prompt while it is typed. Pure. */
#ifndef MEMTALLY_CLI_TOP_PAGES_TOP_PROMPT_H
#define MEMTALLY_CLI_TOP_PAGES_TOP_PROMPT_H

#include <stdint.h>

#include "cli/top/rows/top-state.h"

/* Returns the text of S that PROMPT, which is not TOP_PROMPT_NONE, changes. */
char *top_prompt_text(struct top_state *s, enum top_prompt prompt);

/* Appends the character C, a code point, to TEXT in UTF-8. Does nothing if there is no room. */
void top_prompt_add(char text[static TOP_TEXT_SIZE], uint32_t c);

/* Removes the last character of TEXT, which is UTF-8. Does nothing if TEXT is empty. */
void top_prompt_remove(char text[static TOP_TEXT_SIZE]);

#endif
