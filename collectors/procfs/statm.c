/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/procfs/statm.h"

#include <errno.h>

#include "base/number.h"

enum { PAGE_SHIFT_MAX = 16 }; /* the largest pages of any Linux are 64 KiB */

/* "31414 1250 870 250 0 980 0\n"; the last four numbers say nothing about resident memory. */
int statm_parse(const char *text, size_t len, struct statm *ret)
{
	struct statm s = {0};
	uint64_t *const to[] = {&s.size, &s.resident, &s.shared};
	size_t at = 0;

	for (size_t i = 0; i < sizeof(to) / sizeof(to[0]); i++) {
		int n = number_scan_u64(text + at, len - at, to[i]);

		if (n <= 0 || *to[i] > (uint64_t)INT64_MAX >> PAGE_SHIFT_MAX)
			return -EBADMSG;
		at += (size_t)n;
		if (at == len || text[at] != ' ')
			return -EBADMSG;
		at++;
	}
	/* On kernels that count per thread or CPU the two may be out of step. */
	if (s.shared > s.resident)
		s.shared = s.resident;
	if (text[len - 1] != '\n')
		return -EBADMSG;
	*ret = s;
	return 0;
}
