/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "config/address.h"

/* Fuzzes the parser of addresses to listen on. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_FREE char *text = fuzz_text(data, size);
	struct address a;
	uint64_t port;
	int r = address_parse(text, &a);

	fuzz_check(r == 0 || r == -EINVAL || r == -ERANGE);
	if (r < 0)
		return 0;
	if (a.path)
		fuzz_check(a.path >= text && a.path <= text + size && *a.path);
	else
		fuzz_check(number_parse_u64(a.port, strlen(a.port), &port) == 0 && port <= 65535 &&
			   strlen(a.host) < size);
	return 0;
}
