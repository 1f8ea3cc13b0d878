/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include "cli/growth/limit-text.h"

/* Paths of cgroups have names that users choose. None leads out of the hierarchy. */
static void check_cgroup(const uint8_t *data, size_t size, bool is_unified)
{
	char path[64];

	if (!limit_text_parse_cgroup((const char *)data, size, is_unified, path, sizeof(path)))
		return;
	fuzz_check(strnlen(path, sizeof(path)) < sizeof(path));
	fuzz_check(path[0] == '/' && !strstr(path, "/..") && !strchr(path, '\n'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t value;

	limit_text_parse_space((const char *)data, size, &value);
	check_cgroup(data, size, true);
	check_cgroup(data, size, false);
	return 0;
}
