/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "base/text.h"
#include "cli/compare/scrape.h"
#include "snapshot/record.h"

/* Whatever process-exporter answers, names are clean and sorted, and amounts are in range. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_SCRAPE struct scrape s = {0};
	char error[SCRAPE_ERROR_SIZE] = "";
	int r = scrape_parse((const char *)data, size, &s, error);

	fuzz_check(r == 0 || (r == -EINVAL && *error && text_is_clean(error, strlen(error))));
	fuzz_check(r == 0 || !s.count);
	for (size_t i = 0; i < s.count; i++) {
		const struct scrape_group *g = &s.group[i];
		size_t len = strlen(g->name);

		fuzz_check(len && len <= SNAPSHOT_NAME_MAX && text_is_clean(g->name, len));
		fuzz_check(!i || strcmp(s.group[i - 1].name, g->name) < 0);
		fuzz_check(g->present);
		for (unsigned int k = 0; k < SCRAPE_QUANTITIES; k++)
			fuzz_check(g->q[k] <= INT64_MAX);
	}
	return 0;
}
