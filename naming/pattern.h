/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns: regular expressions in the syntax that Go's regexp package and PCRE2 have in common.
 * process-exporter reads its patterns with Go's package (RE2). What RE2 refuses, or reads with
 * another meaning than PCRE2, is refused here, so a pattern that is accepted finds what
 * process-exporter finds.
 */
#ifndef MEMTALLY_NAMING_PATTERN_H
#define MEMTALLY_NAMING_PATTERN_H

#include <stddef.h>

enum {
	NAMING_ERROR_SIZE = 512, /* bytes of a message about a rule, with its NUL */
};

struct pattern;

/* A group of a match, for templates: {{.Matches.NAME}}. */
struct capture {
	const char *name; /* borrowed from the pattern; "" for a group without a name */
	const char *text; /* borrowed from the subject, not terminated; "" for an unused group */
	size_t len;
};

/*
 * Compiles TEXT, terminated UTF-8. Returns 0 and sets *RET, which the caller frees with
 * pattern_free(); -EINVAL with a message in ERROR, one line that quotes the pattern and says what
 * is wrong and at which character; or -ENOMEM.
 */
int pattern_new(const char *text, struct pattern **ret, char error[static NAMING_ERROR_SIZE]);
void pattern_free(struct pattern *p); /* accepts NULL */

/* Returns the number of groups of P, with and without a name, without the whole match. */
size_t pattern_captures(const struct pattern *p);

/*
 * Searches P anywhere in SUBJECT, LEN bytes of valid UTF-8. If it is found, fills RET with
 * pattern_captures() groups, in their order.
 *
 * Returns 1 if it was found; 0 if not; -EOVERFLOW if the search took more than a fixed number of
 * steps or more than a fixed amount of memory, and was given up: the time of a call is bounded for
 * each pattern and subject; or -ENOMEM.
 */
int pattern_search(struct pattern *p, const char *subject, size_t len, struct capture *ret);

#endif
