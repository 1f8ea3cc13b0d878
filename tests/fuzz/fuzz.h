/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Common part of fuzz targets
 *
 * A target passes arbitrary bytes to one parser and checks what must always hold. In a normal build
 * replay.c passes the corpus of the target; configured with --enable-fuzzing, libFuzzer generates
 * inputs.
 */
#ifndef MEMTALLY_TESTS_FUZZ_FUZZ_H
#define MEMTALLY_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Works like assert(), but in every build. */
#define fuzz_check(condition)                                                                      \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);    \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/*
 * Returns DATA as a text with a terminator, which the caller frees. A NUL in DATA ends the text
 * earlier.
 */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		exit(99);
	memcpy(text, data, size);
	text[size] = 0;
	return text;
}

#endif
