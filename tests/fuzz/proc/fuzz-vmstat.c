/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "collectors/procfs/host/vmstat.h"

/* Fuzzes the parser of /proc/vmstat. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vmstat v;
	int r = vmstat_parse((const char *)data, size, &v);

	fuzz_check(r == 0 || r == -EBADMSG);
	if (r == 0)
		fuzz_check(v.present >> VMSTAT_FIELDS == 0);
	return 0;
}
