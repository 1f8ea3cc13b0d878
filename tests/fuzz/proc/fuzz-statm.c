/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "collectors/procfs/statm.h"

/* Fuzzes the parser of /proc/PID/statm. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct statm s;
	int r = statm_parse((const char *)data, size, &s);

	fuzz_check(r == 0 || r == -EBADMSG);
	if (r == 0) {
		fuzz_check(s.shared <= s.resident);
		fuzz_check(s.resident <= INT64_MAX >> 16 && s.size <= INT64_MAX >> 16);
		fuzz_check(statm_is_same(&s, &s));
	}
	return 0;
}
