/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "naming/pattern.h"

enum { GROUPS = 65 }; /* with the whole match */

static void check_search(struct pattern *p, const char *subject, size_t len)
{
	struct capture found[GROUPS];
	size_t groups = pattern_captures(p);
	int r;

	fuzz_check(groups <= GROUPS);
	r = pattern_search(p, subject, len, PATTERN_STEPS_MAX, found);
	fuzz_check(r == 0 || r == 1 || r == -EOVERFLOW);
	for (size_t i = 0; r == 1 && i < groups; i++) {
		fuzz_check(strlen(found[i].name) < 4096);
		fuzz_check(!found[i].len || (found[i].text >= subject &&
						    found[i].text + found[i].len <= subject + len));
	}
}

/* The first line is a pattern, the rest a subject. What it finds is in the subject. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *newline = size ? memchr(data, '\n', size) : NULL;
	size_t len = newline ? (size_t)(newline - data) : size;
	AUTO_FREE char *text = fuzz_text(data, len);
	AUTO_BUFFER struct buffer subject = {0};
	char error[NAMING_ERROR_SIZE] = "";
	struct pattern *p = NULL;
	int r = pattern_new(text, &p, error);

	fuzz_check(r == 0 || r == -EINVAL);
	fuzz_check(!r == !error[0] && !r == !!p);
	fuzz_check(text_is_clean(error, strlen(error)));
	if (r < 0)
		return 0;
	if (newline)
		text_add_clean(&subject, (const char *)newline + 1, size - len - 1);
	fuzz_check(!subject.error);
	check_search(p, subject.data, subject.len);
	pattern_free(p);
	return 0;
}
