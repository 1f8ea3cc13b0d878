/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include "base/text.h"

/* Fuzzes the escaping of texts. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { LONGEST = 10 }; /* of one escaped character */
	const char *text = (const char *)data;
	AUTO_BUFFER struct buffer once = {0}, twice = {0}, cut = {0};
	size_t max = size ? data[0] : 0;

	text_add_clean(&once, text, size);
	fuzz_check(text_is_clean(once.data, once.len));
	text_add_clean(&twice, once.data, once.len);
	fuzz_check(once.len == twice.len);
	fuzz_check(!once.len || !memcmp(once.data, twice.data, once.len));
	fuzz_check(text_is_clean(text, size) ==
		   (once.len == size && (!size || !memcmp(once.data, text, size))));
	text_add_clean_max(&cut, text, size, max);
	fuzz_check(cut.len <= max && cut.len <= once.len);
	fuzz_check(cut.len == once.len || cut.len + LONGEST > max);
	fuzz_check(!cut.len || !memcmp(cut.data, once.data, cut.len));
	fuzz_check(text_is_clean(cut.data, cut.len));
	return 0;
}
