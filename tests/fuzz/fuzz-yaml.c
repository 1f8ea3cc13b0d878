/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "config/yaml.h"

/* One file serves all programs: what one of them refuses, the others refuse in the same words. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char first[SETTINGS_ERROR_SIZE] = "";

	for (unsigned int p = PROGRAM_MEMTALLYD; p <= PROGRAM_MEMTALLY; p <<= 1) {
		AUTO_SETTINGS struct settings *c = calloc(1, sizeof(*c));
		char error[SETTINGS_ERROR_SIZE] = "";
		int r;

		if (!c)
			exit(99);
		r = yaml_parse("f", (const char *)data, size, (enum program)p, c, error);
		fuzz_check(r == 0 || r == -EINVAL);
		fuzz_check((r == 0) == !error[0]);
		if (r < 0)
			fuzz_check(!strncmp(error, "f:", 2) && strlen(error) > 10);
		if (p == PROGRAM_MEMTALLYD)
			memcpy(first, error, sizeof(first));
		fuzz_check(!strcmp(first, error));
	}
	return 0;
}
