/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include "base/text.h"
#include "snapshot/usage.h"

/* Fuzzes memtally's check of answers of memtally-ledger. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t at = USAGE_HEAD_SIZE, said = 0;
	struct usage_head head;
	struct usage_row row;
	uint32_t rows = 0;

	if (usage_size(data, size, &said) == 0 && said)
		fuzz_check(said >= USAGE_HEAD_SIZE && said <= USAGE_SIZE_MAX);
	if (usage_check(data, size, &head) < 0)
		return 0;
	fuzz_check(said == size && head.status < USAGE_STATUS_END && head.since_s <= head.until_s);
	for (; usage_next(data, size, &at, &row); rows++) {
		size_t name = strlen(row.name), user = strlen(row.user);

		fuzz_check(row.name > (const char *)data &&
			   row.user + user < (const char *)data + size);
		fuzz_check(text_is_clean(row.name, name) && text_is_clean(row.user, user));
	}
	fuzz_check(rows == head.rows && at == size);
	return 0;
}
