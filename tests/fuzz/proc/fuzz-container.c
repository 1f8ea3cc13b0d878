/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include "collectors/procfs/cgroup/container-id.h"

/*
 * A name ends within its array and has only characters of container IDs, user IDs and names of LXC.
 */
static void check_name(const char *name, size_t size)
{
	size_t len = strnlen(name, size);

	fuzz_check(len < size);
	fuzz_check(
		strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.") ==
		len);
}

/* Fuzzes the recognition of containers in paths of cgroups. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct container_id c;

	container_id_parse((const char *)data, size, &c);
	check_name(c.name, sizeof(c.name));
	check_name(c.pod, sizeof(c.pod));
	fuzz_check(c.runtime < RUNTIME_COUNT_);
	fuzz_check(c.name[0] || c.runtime == RUNTIME_UNKNOWN);
	fuzz_check(c.name_end <= size && c.pod_end <= size);
	fuzz_check(!!c.name[0] == !!c.name_end && (c.pod[0] || !c.pod_end));
	return 0;
}
