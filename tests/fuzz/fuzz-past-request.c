/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include "base/text.h"
#include "snapshot/past.h"

/* Fuzzes the parser of requests to memtally-recorder. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char text[PAST_REQUEST_SIZE];
	struct past_request r;

	if (past_request_parse(data, size, &r) < 0)
		return 0;
	fuzz_check(size == PAST_REQUEST_SIZE);
	fuzz_check(r.pick >= PAST_AT && r.pick < PAST_PICKS_END);
	fuzz_check(r.scope <= METRIC_PROCESS && text_is_clean(r.name, strlen(r.name)));
	/* Every accepted request has exactly one encoding. */
	past_request_write(&r, text);
	fuzz_check(!memcmp(text, data, size));
	return 0;
}
