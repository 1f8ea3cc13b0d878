/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names that strangers chose, made fit to print. Clean text is valid UTF-8 without control characters
 * (newline excepted), bidirectional controls, line or paragraph separators, and noncharacters.
 * Snapshots hold clean text only, so a renderer escapes what its format demands and nothing else.
 */
#ifndef MEMTALLY_BASE_TEXT_H
#define MEMTALLY_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

bool text_is_clean(const char *text, size_t len);

/*
 * Appends TEXT to TO with U+FFFD for every byte that is no UTF-8 and every character that is not
 * clean. Clean text is unchanged.
 */
void text_add_clean(struct buffer *to, const char *text, size_t len);

/* The same, as many whole characters as fit into MAX bytes. */
void text_add_clean_max(struct buffer *to, const char *text, size_t len, size_t max);

/*
 * Decodes the character at TEXT (LEN > 0): its length in bytes, and the character in *ret; 0 where
 * there is no valid one (overlong forms, surrogates and values above U+10FFFF are invalid).
 */
size_t text_decode(const char *text, size_t len, uint32_t *ret);

#endif
