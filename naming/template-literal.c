/* SPDX-License-Identifier: Apache-2.0 */
/* String literals of Go, decoded in place: an escape is longer than its meaning. */
#include "config.h"

#include "naming/template-private.h"

/* Takes the escape behind a backslash. Returns its meaning, or 0 if it is not supported. */
static char take_escape(struct scan *s)
{
	static const char letters[] = "abfnrtv\\\"", meanings[] = "\a\b\f\n\r\t\v\\\"";
	const char *known = scan_left(s) ? strchr(letters, *s->at) : NULL;

	if (!known)
		return '\0';
	s->at++;
	return meanings[known - letters];
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
		*to = scan_char(s, '\\') ? take_escape(s) : *s->at++;
		if (!*to++)
			return "an escape that is not supported";
	}
	*ret = (struct template_text){begin, (size_t)(to - begin)};
	return scan_char(s, '"') ? NULL : "a string without its end";
}

const char *template_literal(struct scan *s, char *to, struct template_text *ret)
{
	return *s->at++ == '`' ? decode_raw(s, to, ret) : decode_quoted(s, to, ret);
}
