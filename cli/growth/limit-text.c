/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/growth/limit-text.h"

#include <string.h>

#include "base/scan.h"

bool limit_text_parse_space(const char *text, size_t len, uint64_t *ret)
{
	struct scan s = {text, text + len}, line;

	while (scan_line(&s, &line)) {
		if (!scan_text(&line, "Max address space"))
			continue;
		scan_blanks(&line);
		return scan_decimal(&line, ret);
	}
	return false;
}

/* Returns whether the controllers in LIST, separated by commas, are those of a line for memory. */
static bool limit_text_has_memory(const struct scan *list, bool is_unified)
{
	struct scan s = *list, word;

	if (is_unified)
		return scan_left(list) == 0;
	while (scan_part(&s, ',', &word))
		if (scan_is(&word, "memory"))
			return true;
	return false;
}

bool limit_text_parse_cgroup(const char *text, size_t len, bool is_unified, char *path, size_t size)
{
	struct scan s = {text, text + len}, line, number, list;

	while (scan_line(&s, &line)) {
		if (!scan_part(&line, ':', &number) || !scan_part(&line, ':', &list) ||
			!limit_text_has_memory(&list, is_unified))
			continue;
		if (!scan_sees(&line, "/") || scan_left(&line) >= size ||
			memmem(line.at, scan_left(&line), "/..", 3))
			return false;
		memcpy(path, line.at, scan_left(&line));
		path[scan_left(&line)] = '\0';
		return true;
	}
	return false;
}
