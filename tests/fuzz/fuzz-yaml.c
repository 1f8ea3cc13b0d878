/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "config/yaml.h"

/*
 * All programs read the same file and report the same faults; memtally does so if it is asked to
 * check the file.
 */
static void check_all(const char *text, size_t len)
{
	char first[SETTINGS_ERROR_SIZE] = "";

	for (unsigned int p = PROGRAM_MEMTALLYD; p <= PROGRAM_MEMTALLY; p <<= 1) {
		AUTO_SETTINGS struct settings *c = calloc(1, sizeof(*c));
		char error[SETTINGS_ERROR_SIZE] = "";
		int r;

		if (!c)
			exit(99);
		c->check_config = true;
		r = yaml_parse("f", text, len, (enum program)p, c, error);
		fuzz_check(r == 0 || r == -EINVAL || r == -EBADMSG);
		fuzz_check((r == 0) == !error[0]);
		if (r < 0)
			fuzz_check(!strncmp(error, "f:", 2) && strlen(error) > 10);
		fuzz_check(!c->ignored);
		if (p == PROGRAM_MEMTALLYD)
			memcpy(first, error, sizeof(first));
		fuzz_check(!strcmp(first, error));
	}
}

/*
 * memtally warns of each setting that it ignores. It refuses no file that it would accept without
 * ignoring settings.
 */
static void check_lenient(const char *text, size_t len)
{
	AUTO_SETTINGS struct settings *strict = calloc(1, sizeof(*strict));
	AUTO_SETTINGS struct settings *c = calloc(1, sizeof(*c));
	char error[SETTINGS_ERROR_SIZE] = "", all[SETTINGS_ERROR_SIZE] = "";
	int r, strict_r;

	if (!c || !strict)
		exit(99);
	strict->check_config = true;
	strict_r = yaml_parse("f", text, len, PROGRAM_MEMTALLY, strict, all);
	r = yaml_parse("f", text, len, PROGRAM_MEMTALLY, c, error);
	fuzz_check((r == 0) == !error[0]);
	if (r < 0)
		fuzz_check(r == strict_r);
	else
		fuzz_check((strict_r < 0) == (c->ignored != NULL));
}

/* Fuzzes the reader of configuration files. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_all((const char *)data, size);
	check_lenient((const char *)data, size);
	return 0;
}
