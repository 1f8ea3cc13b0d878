/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include "collectors/cgroup.h"

/* A name is one component of the text's path: inside of it, and without a slash. */
static void check_name(const struct cgroup_name *name, const uint8_t *data, size_t size)
{
	const uint8_t *text = (const uint8_t *)name->text;

	if (!name->len)
		return;
	fuzz_check(text >= data && name->len <= size && text + name->len <= data + size);
	fuzz_check(!memchr(text, '/', name->len) && !memchr(text, '\n', name->len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cgroup c;

	cgroup_parse((const char *)data, size, &c);
	check_name(&c.unit, data, size);
	check_name(&c.user_unit, data, size);
	check_name(&c.slice, data, size);
	return 0;
}
