/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include "snapshot/usage.h"

/* Fuzzes the parser of requests to memtally-ledger. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char text[USAGE_REQUEST_SIZE];
	struct usage_request r;

	if (usage_request_parse(data, size, &r) < 0)
		return 0;
	fuzz_check(size == USAGE_REQUEST_SIZE);
	fuzz_check(r.kind >= USAGE_USER && r.kind < USAGE_KINDS_END);
	fuzz_check(r.since_s >= 0 && r.since_s < r.until_s && r.until_s <= USAGE_TIME_MAX);
	/* Every accepted request has exactly one encoding. */
	usage_request_write(&r, text);
	fuzz_check(!memcmp(text, data, size));
	return 0;
}
