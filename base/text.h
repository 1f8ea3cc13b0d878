/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names that strangers chose, made fit to print: the one way from a text of the kernel's, a client's or a
 * library's to metrics, JSON, terminals and the log. Clean text is valid UTF-8 without control characters,
 * bidirectional controls, line or paragraph separators, and noncharacters. Snapshots hold clean text only,
 * and readers refuse any other, so a renderer escapes what its format demands and nothing else.
 *
 * A backslash stays as it is, or systemd's names of units would change: a name that spells an escape out is
 * the same as one that has the character. Whatever is told apart by names is told apart by clean ones.
 */
#ifndef MEMTALLY_BASE_TEXT_H
#define MEMTALLY_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

bool text_is_clean(const char *text, size_t len);

/*
 * Appends TEXT to TO with U+FFFD for every byte that is no UTF-8, and every character that is not clean as
 * \xHH below U+0080, \uHHHH, or \UHHHHHHHH above U+FFFF. Clean text is unchanged.
 */
void text_add_clean(struct buffer *to, const char *text, size_t len);

/* The same, as many whole characters and escapes as fit into MAX bytes. */
void text_add_clean_max(struct buffer *to, const char *text, size_t len, size_t max);

/*
 * Decodes the character at TEXT (LEN > 0): its length in bytes, and the character in *ret; 0 where
 * there is no valid one (overlong forms, surrogates and values above U+10FFFF are invalid).
 */
size_t text_decode(const char *text, size_t len, uint32_t *ret);

#endif
