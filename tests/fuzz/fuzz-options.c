/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "config/settings.h"
#include "config/yaml.h"

enum { ARGS_MAX = 32 };

/* No file is read: an argument may name any file. */
int __wrap_yaml_load(const char *path, enum program program, struct settings *c, char *error);

int __wrap_yaml_load(const char *path, enum program program, struct settings *c, char *error)
{
	(void)program;
	(void)c;
	(void)error;
	fuzz_check(path && *path);
	return 0;
}

/* Fuzzes the parser of command lines. Each line of the input is an argument. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_FREE char *text = fuzz_text(data, size);
	char name[] = "memtally", *argv[ARGS_MAX + 1] = {name}, *rest = NULL;
	int argc = 1;

	for (char *arg = strtok_r(text, "\n", &rest); arg && argc < ARGS_MAX;
		arg = strtok_r(NULL, "\n", &rest))
		argv[argc++] = arg;
	for (unsigned int p = PROGRAM_MEMTALLYD; p <= PROGRAM_MEMTALLY; p <<= 1) {
		AUTO_SETTINGS struct settings *c = NULL;
		char error[SETTINGS_ERROR_SIZE];
		int r = settings_load((enum program)p, argc, argv, &c, error);

		fuzz_check(r == 0 || r == -EINVAL);
		fuzz_check((r == 0) == (c != NULL));
		fuzz_check((r == 0) == !error[0]);
		if (r == 0)
			fuzz_check(p == PROGRAM_MEMTALLY || !c->operands.count || c->help);
	}
	return 0;
}
