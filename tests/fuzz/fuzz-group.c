/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include "base/os/group.h"

/*
 * Fuzzes group_parse(), which reads /etc/group. A gid that is found is in the text, as is the name.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char gid[16];
	gid_t found;

	if (group_parse((const char *)data, size, "memtally", &found) != 0)
		return 0;
	fuzz_check(found != (gid_t)-1);
	fuzz_check(memmem(data, size, "memtally:", 9));
	fuzz_check(snprintf(gid, sizeof(gid), "%u:", found) > 0);
	fuzz_check(memmem(data, size, gid, strlen(gid)));
	return 0;
}
