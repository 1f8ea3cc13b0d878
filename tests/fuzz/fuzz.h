/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every fuzz target includes. A target takes any bytes, runs one parser over them and checks what
 * must hold whatever they were. In a normal build replay.c feeds it its corpus; configured with
 * --enable-fuzzing, libFuzzer makes up inputs for it.
 */
#ifndef MEMTALLY_TESTS_FUZZ_FUZZ_H
#define MEMTALLY_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Like assert(), but in every build. */
#define fuzz_check(condition)                                                                      \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);    \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* DATA as a text with a terminator, for the caller to free; what is behind a NUL is not seen. */
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
