/* SPDX-License-Identifier: Apache-2.0 */
/* String literals of Go. They can be decoded in place: no escape is shorter than its meaning. */
#include "config.h"

#include "base/text.h"
#include "naming/template-private.h"

/* Takes exactly DIGITS hexadecimal digits. */
static bool take_hex(struct scan *s, size_t digits, uint64_t *ret)
{
	if (scan_left(s) < digits || number_scan_hex(s->at, digits, ret) != (int)digits)
		return false;
	s->at += digits;
	return true;
}

/* Takes exactly three octal digits of a byte. */
static bool take_octal(struct scan *s, char *ret)
{
	unsigned int value = 0;

	for (int i = 0; i < 3; i++) {
		if (s->at == s->end || *s->at < '0' || *s->at > '7')
			return false;
		value = value * 8 + (unsigned int)(*s->at++ - '0');
	}
	*ret = (char)value;
	return value <= 0xff;
}

/* Decodes the escape behind a backslash to *TO, and moves *TO behind it. */
static bool take_escape(struct scan *s, char **to)
{
	static const char letters[] = "abfnrtv\\\"", meanings[] = "\a\b\f\n\r\t\v\\\"";
	const char *known;
	uint64_t c;
	char letter;

	if (s->at == s->end)
		return false;
	letter = *s->at;
	known = strchr(letters, letter);
	if (letter >= '0' && letter <= '7')
		return take_octal(s, (*to)++);
	s->at++;
	if (known) {
		*(*to)++ = meanings[known - letters];
		return true;
	}
	if (letter == 'x' && take_hex(s, 2, &c)) {
		*(*to)++ = (char)c;
		return true;
	}
	if ((letter != 'u' && letter != 'U') || !take_hex(s, letter == 'u' ? 4 : 8, &c) ||
		c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return false;
	*to += text_encode((uint32_t)c, *to);
	return true;
}

static const char *decode_raw(struct scan *s, char *to, struct template_text *ret)
{
	char *begin = to;

	while (s->at < s->end && *s->at != '`') {
		if (*s->at != '\r')
			*to++ = *s->at;
		s->at++;
	}
	*ret = (struct template_text){begin, (size_t)(to - begin)};
	return scan_char(s, '`') ? NULL : "a string without its end";
}

static const char *decode_quoted(struct scan *s, char *to, struct template_text *ret)
{
	char *begin = to;

	while (s->at < s->end && *s->at != '"' && *s->at != '\n') {
		if (!scan_char(s, '\\'))
			*to++ = *s->at++;
		else if (!take_escape(s, &to))
			return "not an escape";
	}
	*ret = (struct template_text){begin, (size_t)(to - begin)};
	return scan_char(s, '"') ? NULL : "a string without its end";
}

const char *template_literal(struct scan *s, char *to, struct template_text *ret)
{
	return *s->at++ == '`' ? decode_raw(s, to, ret) : decode_quoted(s, to, ret);
}
