/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "collectors/procfs/host/sysvipc.h"

/* Fuzzes the parser of /proc/sysvipc/shm. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sysvipc_segment one;
	struct sysvipc s;
	int r = sysvipc_begin(&s, (const char *)data, size);

	while (r == 0) {
		r = sysvipc_next(&s, &one);
		if (r == 0)
			fuzz_check(one.rss_bytes <= INT64_MAX && one.swap_bytes <= INT64_MAX &&
				   one.size_bytes <= INT64_MAX);
	}
	fuzz_check(r == SYSVIPC_END || r == -EBADMSG);
	return 0;
}
