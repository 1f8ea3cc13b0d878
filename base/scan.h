/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text Scanner
 *
 * Reads a text from its beginning: each function takes the bytes that it expects. The functions are
 * inline because maps of large processes have a million lines. Pure.
 */
#ifndef MEMTALLY_BASE_SCAN_H
#define MEMTALLY_BASE_SCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/number.h"

/* The bytes of a text that are not taken yet: from .at up to, and without, .end. */
struct scan {
	const char *at, *end;
};

/* Returns how many bytes are left. */
static inline size_t scan_left(const struct scan *s)
{
	return (size_t)(s->end - s->at);
}

/* Takes WANTED. Returns false, and takes nothing, if the next byte is another one or the text ends. */
static inline bool scan_char(struct scan *s, char wanted)
{
	if (s->at == s->end || *s->at != wanted)
		return false;
	s->at++;
	return true;
}

/* Returns whether the text continues with the terminated text WANTED. */
static inline bool scan_sees(const struct scan *s, const char *wanted)
{
	size_t len = strlen(wanted);

	return scan_left(s) >= len && !memcmp(s->at, wanted, len);
}

/* Takes the terminated text WANTED. Returns false, and takes nothing, if the text has another one. */
static inline bool scan_text(struct scan *s, const char *wanted)
{
	bool sees = scan_sees(s, wanted);

	s->at += sees ? strlen(wanted) : 0;
	return sees;
}

/* Takes all blanks (not tabs) that come next. */
static inline void scan_blanks(struct scan *s)
{
	while (s->at < s->end && *s->at == ' ')
		s->at++;
}

/*
 * Takes the decimal digits that come next, and writes their number to *RET. Returns false, takes
 * nothing and leaves *RET as it is, if there are none or the number is above UINT64_MAX.
 */
static inline bool scan_decimal(struct scan *s, uint64_t *ret)
{
	int n = number_scan_u64(s->at, scan_left(s), ret);

	s->at += n > 0 ? n : 0;
	return n > 0;
}

/* Does the same as scan_decimal() with hexadecimal digits, in upper or lower case. */
static inline bool scan_hex(struct scan *s, uint64_t *ret)
{
	int n = number_scan_hex(s->at, scan_left(s), ret);

	s->at += n > 0 ? n : 0;
	return n > 0;
}

/* Returns whether WANTED, a terminated text, is all that is left. */
static inline bool scan_is(const struct scan *s, const char *wanted)
{
	return scan_left(s) == strlen(wanted) && scan_sees(s, wanted);
}

/*
 * Takes the blanks and then the other bytes that come next, and writes the latter to *RET. Returns
 * false if there are no others: the blanks are taken then, and *RET is empty.
 */
static inline bool scan_word(struct scan *s, struct scan *ret)
{
	scan_blanks(s);
	ret->at = s->at;
	while (s->at < s->end && *s->at != ' ')
		s->at++;
	ret->end = s->at;
	return ret->at < ret->end;
}

/*
 * Takes the slashes and then the other bytes that come next, up to a slash, and writes the latter to
 * *RET. Returns false if there are no others: the slashes are taken then, and *RET is empty.
 */
static inline bool scan_component(struct scan *s, struct scan *ret)
{
	while (scan_char(s, '/'))
		;
	ret->at = s->at;
	while (s->at < s->end && *s->at != '/')
		s->at++;
	ret->end = s->at;
	return ret->at < ret->end;
}

/*
 * Takes the bytes up to the next SEPARATOR, and the SEPARATOR, or all bytes if there is none, and
 * writes the former to *RET, which may be empty. Returns false, with *RET unchanged, if nothing is
 * left.
 */
static inline bool scan_part(struct scan *s, char separator, struct scan *ret)
{
	const char *end;

	if (s->at == s->end)
		return false;
	end = memchr(s->at, separator, scan_left(s));
	*ret = (struct scan){s->at, end ? end : s->end};
	s->at = end ? end + 1 : s->end;
	return true;
}

/*
 * Takes the next line, and writes it to *RET without its newline. Returns false, and takes nothing,
 * if there is no newline.
 */
static inline bool scan_line(struct scan *s, struct scan *ret)
{
	const char *newline = s->at < s->end ? memchr(s->at, '\n', scan_left(s)) : NULL;

	if (!newline)
		return false;
	*ret = (struct scan){s->at, newline};
	s->at = newline + 1;
	return true;
}

#endif
