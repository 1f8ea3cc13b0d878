/* SPDX-License-Identifier: Apache-2.0 */
/* Characters of patterns, and escape sequences that stand for one character. */
#include "config.h"

#include "naming/pattern-private.h"

#include <errno.h>

#include "base/text.h"

static bool is_alnum(uint32_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool is_octal_digit(const struct scan *s)
{
	return s->at < s->end && *s->at >= '0' && *s->at <= '7';
}

int pattern_fault(struct translation *t, const char *at, const char *reason)
{
	t->fault = reason;
	t->fault_at = at;
	return -EINVAL;
}

void pattern_read_char(struct translation *t, uint32_t *ret)
{
	t->in.at += text_decode(t->in.at, scan_left(&t->in), ret);
}

void pattern_put_char(struct translation *t, uint32_t c)
{
	if (is_alnum(c))
		buffer_add_char(&t->out, (char)c);
	else
		buffer_printf(&t->out, "\\x{%x}", (unsigned int)c);
}

/* Reads up to three octal digits. */
static void read_octal(struct scan *in, uint32_t *ret)
{
	*ret = 0;
	for (unsigned int i = 0; i < 3 && is_octal_digit(in); i++)
		*ret = *ret * 8 + (uint32_t)(*in->at++ - '0');
}

/* Reads the digits of \x7F or \x{10FFFF}, after the x. Returns false if they are no character. */
static bool read_hex(struct scan *in, uint32_t *ret)
{
	bool has_braces = scan_char(in, '{');
	struct scan digits = {in->at, has_braces || scan_left(in) < 2 ? in->end : in->at + 2};
	const char *start = digits.at;
	uint64_t value;

	if (!scan_hex(&digits, &value) || value > PATTERN_CHAR_MAX)
		return false;
	in->at = digits.at;
	*ret = (uint32_t)value;
	return has_braces ? scan_char(in, '}') : digits.at - start == 2;
}

/* Reads an escape sequence after its backslash. Returns false if it stands for no character. */
static bool read_escape(struct translation *t, uint32_t *ret)
{
	static const char letters[] = "afnrtv", values[] = "\a\f\n\r\t\v";
	const char *start = t->in.at, *letter;
	uint32_t c;

	pattern_read_char(t, &c);
	if (c == 'x')
		return read_hex(&t->in, ret);
	if (c == '0' ||
		(is_octal_digit(&(struct scan){start, t->in.end}) && is_octal_digit(&t->in))) {
		t->in.at = start;
		read_octal(&t->in, ret);
		return true;
	}
	letter = is_alnum(c) ? strchr(letters, (int)c) : NULL;
	*ret = letter ? (uint32_t)values[letter - letters] : c;
	return letter || (c < 0x80 && !is_alnum(c));
}

/* Returns true if the escape sequence at AT, after its backslash, is that of a back-reference. */
static bool is_reference(const char *at, const char *end)
{
	if (*at == 'g' || *at == 'k')
		return true;
	return *at >= '1' && *at <= '9' &&
	       (*at >= '8' || !is_octal_digit(&(struct scan){at + 1, end}));
}

int pattern_read_escape(struct translation *t, uint32_t *ret)
{
	const char *start = t->in.at;

	t->in.at++;
	if (!scan_left(&t->in))
		return pattern_fault(t, start, "a backslash at the end escapes nothing");
	if (is_reference(t->in.at, t->in.end))
		return pattern_fault(t, start, "back-references are not supported");
	if (!read_escape(t, ret))
		return pattern_fault(t, start, "unknown escape sequence");
	if (*ret >= 0xd800 && *ret <= 0xdfff)
		return pattern_fault(t, start, "a surrogate is no character");
	return 0;
}
