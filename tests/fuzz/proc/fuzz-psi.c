/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "collectors/procfs/host/psi.h"

/* Fuzzes the parser of pressure files. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct psi psi;
	int r = psi_parse((const char *)data, size, &psi);

	fuzz_check(r == 0 || r == -EBADMSG);
	if (r < 0)
		return 0;
	fuzz_check(psi.some_avg10 <= PSI_WHOLE);
	fuzz_check(psi.waited_ns <= INT64_MAX && psi.stalled_ns <= INT64_MAX);
	fuzz_check(psi_level(&psi, PSI_STRAINED) <= PSI_SEVERE);
	return 0;
}
