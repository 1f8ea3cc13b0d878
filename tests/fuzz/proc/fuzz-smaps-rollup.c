/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "collectors/procfs/smaps.h"

/* Fuzzes the parser of /proc/PID/smaps_rollup. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct smaps s;
	struct snapshot_process row = {0};
	int r = smaps_parse_rollup((const char *)data, size, &s);

	fuzz_check(r == 0 || r == -EBADMSG);
	if (r < 0)
		return 0;
	fuzz_check(s.range_start <= s.range_end && s.q[SMAPS_PSS] <= s.q[SMAPS_RSS]);
	smaps_store(&s, &row.present, row.q);
	fuzz_check(ROW_HAS(&row, PROCESS_PSS) && ROW_HAS(&row, PROCESS_RSS));
	fuzz_check(row.q[PROCESS_PSS_LOW] <= row.q[PROCESS_PSS] &&
		   row.q[PROCESS_PSS] <= row.q[PROCESS_PSS_HIGH]);
	for (unsigned int i = 0; i < PROCESS_QUANTITIES; i++)
		fuzz_check(!ROW_HAS(&row, i) || row.q[i] <= INT64_MAX);
	return 0;
}
