/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clean Text
 *
 * Makes names that users choose fit to print. Every text of the kernel, a client or a library passes through it on its way to
 * metrics, JSON, terminals and the log. Clean text is valid UTF-8 without control characters, bidirectional controls, line or
 * paragraph separators, and noncharacters. Snapshots have clean text only, and readers refuse any other; so a renderer only
 * escapes what its format demands.
 *
 * A backslash stays as it is, because systemd's names of units have them: a name that spells an escape out is the same as a
 * name with the character. Objects that are identified by names are identified by clean names.
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

/* Does the same with as many whole characters and escapes as fit into MAX bytes. */
void text_add_clean_max(struct buffer *to, const char *text, size_t len, size_t max);

/*
 * Reserved names. memtally itself uses the labels "(other)", "(none)", "(unnamed)", "(memfd)", "(no symbol)" and "(no section)" in
 * place of a name, and the marks " [deleted]", " [replaced]", " [deleted?]" and " [unlinked]" behind a name. A name that users
 * choose must not look like them: if it is a label or ends with a mark, the bracket is written as an escape (\x28 or \x5b). That
 * takes TEXT_RESERVED_MORE bytes more.
 */
enum { TEXT_RESERVED_MORE = 3 };

/* Escapes the clean name from byte FROM of B to its end, if it is reserved. */
void text_escape_reserved(struct buffer *b, size_t from);

/* Appends TEXT, a name that users choose, clean and with a reserved name escaped; at most MAX bytes. */
void text_add_name(struct buffer *to, const char *text, size_t len, size_t max);

/*
 * Decodes the character at TEXT (LEN > 0) into *RET. Returns its length in bytes, or 0 if it is invalid (overlong forms, surrogates
 * and values above U+10FFFF are).
 */
size_t text_decode(const char *text, size_t len, uint32_t *ret);

#endif
