/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes names that users choose safe to print. Every text of the kernel, a client or a library
 * passes through it on its way to metrics, JSON, terminals and the log. Clean text is valid UTF-8
 * without control characters, bidirectional controls, line or paragraph separators, and
 * noncharacters. Snapshots have clean text only, and readers refuse any other; so a renderer only
 * escapes what its format demands.
 *
 * A backslash stays as it is, because systemd's unit names contain backslashes. So the name with an
 * escape in it and the name with the character itself become the same clean name. Objects that are
 * identified by names are identified by clean names.
 */
#ifndef MEMTALLY_BASE_TEXT_H
#define MEMTALLY_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* Returns true if TEXT, LEN bytes, is clean. */
bool text_is_clean(const char *text, size_t len);

/*
 * Appends TEXT to TO, cleaned. Each byte that is not UTF-8 becomes U+FFFD. Each character that is
 * not clean becomes \xHH below U+0080, \uHHHH below U+10000, else \UHHHHHHHH. Clean text is
 * unchanged. Errors are in TO.error.
 */
void text_add_clean(struct buffer *to, const char *text, size_t len);

/*
 * Does the same as text_add_clean(), but stops before the first character or escape that does not
 * fit into MAX bytes.
 */
void text_add_clean_max(struct buffer *to, const char *text, size_t len, size_t max);

/*
 * Reserved names. memtally itself uses the labels "(other)", "(none)", "(unnamed)", "(memfd)", "(no
 * symbol)" and "(no section)" in place of a name, and the marks " [deleted]", " [replaced]", "
 * [deleted?]" and " [unlinked]" behind a name. A name that users choose must not look like them: if
 * it is a label or ends with a mark, the bracket is written as an escape (\x28 or \x5b). This takes
 * TEXT_RESERVED_MORE bytes more.
 */
enum { TEXT_RESERVED_MORE = 3 };

/*
 * If the clean name from byte FROM of B to its end is reserved, escapes its bracket. Does nothing
 * if B.error is set.
 */
void text_escape_reserved(struct buffer *b, size_t from);

/*
 * Appends TEXT, a name that users choose, cleaned and with a reserved name escaped: at most MAX
 * bytes, which is TEXT_RESERVED_MORE or more. The name alone takes at most MAX - TEXT_RESERVED_MORE
 * bytes.
 */
void text_add_name(struct buffer *to, const char *text, size_t len, size_t max);

/*
 * Decodes the UTF-8 character at TEXT (LEN > 0) into *RET. Returns its length in bytes, or 0 if it
 * is invalid. Overlong forms, surrogates and values above U+10FFFF are invalid.
 */
size_t text_decode(const char *text, size_t len, uint32_t *ret);

#endif
