/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include "collectors/procfs/cgroup/cgroup.h"

/* A name is one component of the path in the text and has no slash. */
static void check_name(const struct cgroup_name *name, const uint8_t *data, size_t size)
{
	const uint8_t *text = (const uint8_t *)name->text;

	if (!name->len)
		return;
	fuzz_check(text >= data && name->len <= size && text + name->len <= data + size);
	fuzz_check(!memchr(text, '/', name->len) && !memchr(text, '\n', name->len));
}

/* The slice of a unit if the path names no slice. */
static bool is_root_slice(const struct cgroup_name *name)
{
	return name->len == strlen("-.slice") && !memcmp(name->text, "-.slice", name->len);
}

/* Checks that a path is part of the text and has no component "..". */
static void check_path(const struct cgroup_name *path, const uint8_t *data, size_t size)
{
	const uint8_t *text = (const uint8_t *)path->text;

	if (!path->len)
		return;
	fuzz_check(text >= data && path->len <= size && text + path->len <= data + size);
	fuzz_check(path->len <= CGROUP_PATH_MAX && path->text[0] == '/');
	fuzz_check(!memchr(path->text, '\n', path->len));
	fuzz_check(!memmem(path->text, path->len, "/../", 4));
	fuzz_check(path->len < 3 || memcmp(path->text + path->len - 3, "/..", 3) != 0);
}

/* Fuzzes the parser of /proc/PID/cgroup. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cgroup c;

	cgroup_parse((const char *)data, size, &c);
	check_name(&c.unit, data, size);
	check_name(&c.user_unit, data, size);
	if (!is_root_slice(&c.slice))
		check_name(&c.slice, data, size);
	check_name(&c.session, data, size);
	fuzz_check(strnlen(c.machine, sizeof(c.machine)) < sizeof(c.machine));
	fuzz_check(strspn(c.machine,
			   "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.") ==
		   strlen(c.machine));
	fuzz_check(!c.has_uid || !c.container.pod[0]);
	for (unsigned int kind = 0; kind < OWNER_KINDS; kind++)
		check_path(&c.charged[kind], data, size);
	fuzz_check(c.unit.len || !c.charged[OWNER_UNIT].len);
	fuzz_check(c.container.name[0] || !c.charged[OWNER_CONTAINER].len);
	return 0;
}
