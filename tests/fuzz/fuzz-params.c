/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "base/text.h"
#include "web/http/params.h"

/* Parses the part of a request behind "?" and passes it to the query, as the server does. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct params p;
	struct query q;

	query_init(&q, METRIC_PROCESS);
	params_init(&p, (const char *)data, size);
	for (size_t n = 0;; n++) {
		char key[PARAMS_KEY_SIZE], value[QUERY_VALUE_MAX], error[QUERY_ERROR_SIZE] = "";
		int r = params_next(&p, key, value, error);

		fuzz_check(n <= size && (r == 0 || r == PARAMS_END || r == -EINVAL));
		if (r < 0)
			fuzz_check(*error);
		if (r != 0)
			return 0;
		fuzz_check(text_is_clean(key, strlen(key)) && text_is_clean(value, strlen(value)));
		if (query_set(&q, key, value, error) < 0)
			fuzz_check(*error);
	}
}
