/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns: regular expressions in the syntax of Go's regexp package (RE2), with which
 * process-exporter reads its patterns. PCRE2 searches them; they are translated, so that a pattern
 * that is accepted finds what process-exporter finds.
 *
 * Patterns that RE2 refuses are refused with a reason, and also:
 * - an endless repetition of a part that may match no character, such as (a*)*: Go and PCRE2 end it
 *   differently; and a repetition of an assertion, such as ^*
 * - \p and \P: PCRE2 has other categories and scripts
 * - surrogates (\x{D800}), which are in no text
 * - more than 4096 bytes, 64 groups with parentheses of their own, 100 groups in groups, or 32
 *   ranges beyond ASCII in a class; and patterns that are too large with their repetitions
 * The name of a group is written (?P<name>...) or (?<name>...), as since Go 1.22.
 */
#ifndef MEMTALLY_NAMING_PATTERN_H
#define MEMTALLY_NAMING_PATTERN_H

#include <stddef.h>
#include <stdint.h>

enum {
	NAMING_ERROR_SIZE = 512,    /* bytes of a message about a rule, with its NUL */
	PATTERN_STEPS_MAX = 100000, /* of a search */
};

struct pattern;

/* The whole match or a group of it, for templates: {{.Matches.NAME}}. */
struct capture {
	/* borrowed from the pattern; "" for the whole match and for a group without a name */
	const char *name;
	const char *text; /* borrowed from the subject, not terminated; "" if empty or unused */
	size_t len;
};

/*
 * Compiles TEXT, terminated UTF-8. Returns 0 and sets *RET, which the caller frees with
 * pattern_free(); -EINVAL with a message in ERROR, one line with the pattern, the reason, and the
 * number of the character unless the whole pattern is at fault; or -ENOMEM.
 */
int pattern_new(const char *text, struct pattern **ret, char error[static NAMING_ERROR_SIZE]);
void pattern_free(struct pattern *p); /* accepts NULL */

/* Returns how much memory P keeps while it is not searched, in bytes. */
size_t pattern_bytes(const struct pattern *p);

/* Returns 1 more than P has groups, with and without a name: the whole match counts, too. */
size_t pattern_captures(const struct pattern *p);

/*
 * Searches P anywhere in SUBJECT, LEN bytes of valid UTF-8; it can be NULL if LEN is 0. If P is
 * found, fills RET with pattern_captures() texts: the whole match, and the groups in their order.
 *
 * Returns 1 if it was found; 0 if not; -EOVERFLOW if the search took more than STEPS or
 * PATTERN_STEPS_MAX steps, or more than a fixed amount of memory, and was given up: the time of a
 * call is bounded for each pattern and subject; or -ENOMEM.
 */
int pattern_search(
	struct pattern *p, const char *subject, size_t len, uint64_t steps, struct capture *ret);

/*
 * Returns how many steps the last search of P took, those for its memory included: they may be more
 * than it had. One takes about 20 ns, or 60 with many groups.
 */
uint64_t pattern_steps(const struct pattern *p);

#endif
