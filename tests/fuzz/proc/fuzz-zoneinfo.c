/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "collectors/procfs/host/zoneinfo.h"

/* Fuzzes the parser of /proc/zoneinfo. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t pages = 777;
	int r = zoneinfo_parse((const char *)data, size, &pages);

	fuzz_check(r == 0 || r == -EBADMSG || r == -ENOENT);
	fuzz_check(r == 0 || pages == 777);
	return 0;
}
