/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "base/text.h"
#include "naming/template.h"

enum { SIZE = 64, LONG_SIZE = 1023 };

#define TEXT(literal)                                                                              \
	{                                                                                          \
		literal, sizeof(literal) - 1                                                       \
	}

static const struct template_text cgroups[] = {TEXT("/a"), TEXT("/\xc3\xa4.slice"), TEXT("")};
static const struct capture matches[] = {
	{"b", "2", 1}, {"", "\xc3\xa4", 2}, {"a", "", 0}, {"b", "1", 1}};
static const struct template_process process = {
	.comm = TEXT("java"),
	.exe_base = TEXT("-b\xc3\xa4h"),
	.exe_full = TEXT("/bin/\xf0\x9f\x90\xa7"),
	.username = TEXT("root"),
	.matches = matches,
	.matches_count = ARRAY_SIZE(matches),
	.cgroups = cgroups,
	.cgroups_count = ARRAY_SIZE(cgroups),
	.start_s = 1700000010,
	.pid = 105,
};

static bool has_same(const struct buffer *a, const struct buffer *b, size_t len)
{
	return !len || (a->len >= len && b->len >= len && !memcmp(a->data, b->data, len));
}

/* Returns the process without the fields that T does not use. */
static struct template_process without_unused(const struct template *t)
{
	struct template_process p = process;
	unsigned int uses = template_uses(t);

	if (!(uses & TEMPLATE_USERNAME))
		p.username.len = 0;
	if (!(uses & TEMPLATE_CGROUPS))
		p.cgroups_count = 0;
	return p;
}

/*
 * Fuzzes template_new() and template_run(). A shorter name is the beginning of a longer one, and
 * fields that the template does not use have no effect.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_BUFFER struct buffer name = {0}, whole = {0}, other = {0};
	AUTO_FREE char *text = fuzz_text(data, size);
	char error[NAMING_ERROR_SIZE] = "";
	struct template_process p;
	struct template *t;
	int r = template_new(text, &t, error);

	if (r < 0) {
		fuzz_check(r == -EINVAL && *error && text_is_clean(error, strlen(error)));
		return 0;
	}
	r = template_run(t, &process, LONG_SIZE, &whole);
	fuzz_check((r == 0 || r == -EINVAL) && whole.len <= LONG_SIZE);
	fuzz_check(template_run(t, &process, SIZE, &name) >= r && name.len <= SIZE);
	fuzz_check(has_same(&name, &whole, name.len));
	p = without_unused(t);
	fuzz_check(template_run(t, &p, LONG_SIZE, &other) == r && other.len == whole.len);
	fuzz_check(has_same(&other, &whole, whole.len));
	template_free(t);
	return 0;
}
