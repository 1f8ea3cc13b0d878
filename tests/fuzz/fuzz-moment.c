/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include "base/cleanup.h"
#include "web/sources/moment.h"

/* The input is the query of a request. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int64_t now_s = 1795413600;
	AUTO_FREE char *query = fuzz_text(data, size);
	char error[QUERY_ERROR_SIZE] = "", text[MOMENT_TEXT_SIZE];
	struct moment m;
	int r = moment_find(query, strlen(query), now_s, &m, error);

	if (r < 0)
		fuzz_check(*error);
	if (r != 0)
		return 0;
	fuzz_check(m.pick == PAST_AT || m.pick == PAST_OOM);
	fuzz_check(m.at_ns <= PAST_TIME_MAX_NS);
	moment_format(m.at_ns, text);
	return 0;
}
