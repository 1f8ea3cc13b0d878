/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "collectors/procfs/status.h"

/* Fuzzes the parser of /proc/PID/status. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct status s;
	int r = status_parse((const char *)data, size, &s);

	fuzz_check(r == 0 || r == -EBADMSG);
	if (r < 0)
		return 0;
	fuzz_check(s.name_len < STATUS_NAME_SIZE);
	fuzz_check(s.present < UINT64_C(1) << PROCESS_QUANTITIES);
	for (unsigned int i = 0; i < PROCESS_QUANTITIES; i++)
		if (ROW_HAS(&s, i))
			fuzz_check(s.q[i] <= INT64_MAX &&
				   (i == PROCESS_THREADS || s.q[i] % 1024 == 0));
	return 0;
}
