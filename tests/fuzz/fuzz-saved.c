/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "base/text.h"
#include "cli/map/saved.h"
#include "inspect/maps/compare.h"

/* Whatever the file contains, its rows are clean, and a comparison with themselves works. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (unsigned int by = MAPPING_TABLE_BY_MAPPING; by <= MAPPING_TABLE_BY_KIND; by++) {
		AUTO_MAPPING_TABLE struct mapping_table a = {.by = (enum mapping_table_by)by};
		AUTO_PROCESS_LIST struct process_list processes = {0};
		AUTO_COMPARE struct compare c = {0};
		char error[SAVED_ERROR_SIZE] = "";
		int r = saved_parse("file", (const char *)data, size, &a, &processes, error);

		fuzz_check(r == 0 || (r == -EINVAL && text_is_clean(error, strlen(error))));
		for (size_t i = 0; i < a.rows; i++)
			fuzz_check(text_is_clean(a.row[i].name, strlen(a.row[i].name)) &&
				   a.row[i].mappings);
		if (r == 0)
			fuzz_check(compare_make(&a, &a, MAPPING_PSS, &c) == 0 && !c.rows);
	}
	return 0;
}
