/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

size_t text_decode(const char *text, size_t len, uint32_t *ret)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char lead = (unsigned char)text[0];
	uint32_t c;
	size_t n;

	if (lead < 0x80) {
		*ret = lead;
		return 1;
	}
	if (lead >= 0xc2 && lead <= 0xdf) {
		n = 2;
		c = lead & 0x1f;
	} else if ((lead & 0xf0) == 0xe0) {
		n = 3;
		c = lead & 0x0f;
	} else if (lead >= 0xf0 && lead <= 0xf4) {
		n = 4;
		c = lead & 0x07;
	} else {
		return 0;
	}
	if (n > len)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if (!is_continuation(text[i]))
			return 0;
		c = c << 6 | ((unsigned char)text[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*ret = c;
	return n;
}

/* Returns true if C could mislead a reader or control a terminal. */
static bool is_unsafe(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c <= 0x9f) ||                 /* C0, DEL, C1 */
	       c == 0x061c || c == 0x200e || c == 0x200f ||            /* directional marks */
	       (c >= 0x2028 && c <= 0x202e) ||                         /* separators, embeddings */
	       (c >= 0x2066 && c <= 0x2069) ||                         /* isolates */
	       c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb) ||          /* BOM, annotations */
	       (c >= 0xfdd0 && c <= 0xfdef) || (c & 0xfffe) == 0xfffe; /* noncharacters */
}

bool text_is_clean(const char *text, size_t len)
{
	size_t at = 0;

	while (at < len) {
		uint32_t c;
		size_t n = text_decode(text + at, len - at, &c);

		if (!n || is_unsafe(c))
			return false;
		at += n;
	}
	return true;
}

enum { ESCAPE_SIZE = sizeof("\\U0010ffff") };

/*
 * Writes to TO what replaces the character C or, if N is 0, a byte that is not UTF-8. Returns its
 * length in bytes.
 */
static size_t text_replace(size_t n, uint32_t c, char to[static ESCAPE_SIZE])
{
	if (!n)
		return (size_t)snprintf(to, ESCAPE_SIZE, "\xef\xbf\xbd"); /* U+FFFD */
	return (size_t)snprintf(to, ESCAPE_SIZE,
		c < 0x80      ? "\\x%02x"
		: c < 0x10000 ? "\\u%04x"
			      : "\\U%08x",
		c);
}

void text_add_clean(struct buffer *to, const char *text, size_t len)
{
	text_add_clean_max(to, text, len, SIZE_MAX);
}

void text_add_clean_max(struct buffer *to, const char *text, size_t len, size_t max)
{
	size_t at = 0, from = 0;

	while (at < len) {
		char instead[ESCAPE_SIZE];
		uint32_t c = 0;
		size_t n = text_decode(text + at, len - at, &c);
		bool is_good = n && !is_unsafe(c);
		size_t size = is_good ? n : text_replace(n, c, instead);

		if (size > max)
			break;
		max -= size;
		if (!is_good) {
			buffer_add(to, text + from, at - from);
			buffer_add(to, instead, size);
			from = at + (n ? n : 1);
		}
		at += n ? n : 1;
	}
	if (at > from)
		buffer_add(to, text + from, at - from);
}

static bool is_label(const char *name, size_t len)
{
	static const char *const labels[] = {
		"(other)", "(none)", "(unnamed)", "(memfd)", "(no symbol)", "(no section)"};

	for (size_t i = 0; i < ARRAY_SIZE(labels); i++)
		if (strlen(labels[i]) == len && !memcmp(name, labels[i], len))
			return true;
	return false;
}

/*
 * Returns the length of the mark at the end of NAME without the blank before it; 0 if there is no
 * mark.
 */
static size_t text_mark_of(const char *name, size_t len)
{
	static const char *const marks[] = {
		" [deleted]", " [replaced]", " [deleted?]", " [unlinked]"};

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		size_t n = strlen(marks[i]);

		if (len >= n && !memcmp(name + len - n, marks[i], n))
			return n - 1;
	}
	return 0;
}

/* Replaces the character at AT, which is below U+0080, by its escape. */
static void escape_at(struct buffer *b, size_t at)
{
	char escape[ESCAPE_SIZE];
	size_t n = text_replace(1, (unsigned char)b->data[at], escape), behind = b->len - at - 1;
	char *room = buffer_reserve(b, n - 1);

	if (!room)
		return;
	memmove(b->data + at + n, b->data + at + 1, behind);
	memcpy(b->data + at, escape, n);
	b->len += n - 1;
}

void text_escape_reserved(struct buffer *b, size_t from)
{
	size_t len = b->len - from, mark;

	if (b->error || !len)
		return;
	mark = text_mark_of(b->data + from, len);
	if (mark)
		escape_at(b, b->len - mark);
	else if (is_label(b->data + from, len))
		escape_at(b, from);
}

void text_add_name(struct buffer *to, const char *text, size_t len, size_t max)
{
	size_t from = to->len;

	text_add_clean_max(to, text, len, max - TEXT_RESERVED_MORE);
	text_escape_reserved(to, from);
}
