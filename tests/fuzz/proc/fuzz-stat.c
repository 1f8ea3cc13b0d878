/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "collectors/procfs/stat.h"

/* Fuzzes the parser of /proc/PID/stat. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stat_activity a;
	struct stat_info s;
	int r = stat_parse((const char *)data, size, &s);

	fuzz_check(r == 0 || r == -EBADMSG);
	if (r == 0)
		fuzz_check(stat_is_same_image(&s, &s));
	r = stat_parse_activity((const char *)data, size, &a);
	fuzz_check(r == 0 || r == -EBADMSG);
	return 0;
}
