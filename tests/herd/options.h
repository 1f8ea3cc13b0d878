/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of a program that makes processes, as a table: --NAME=VALUE, and --help that is made from it. */
#ifndef MEMTALLY_TESTS_HERD_OPTIONS_H
#define MEMTALLY_TESTS_HERD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	OPTIONS_USAGE = 2, /* exit status */
	OPTIONS_MAX = 32,  /* of a table */
};

/* A uint64_t at OFFSET of what is parsed into. */
struct options_number {
	const char *name;
	size_t offset;
	uint64_t min, max;
	const char *help;
};

/* A const char * at OFFSET. */
struct options_text {
	const char *name;
	size_t offset;
	const char *help;
};

struct options_table {
	const char *program;
	const struct options_number *numbers;
	size_t number_count;
	const struct options_text *texts;
	size_t text_count;
};

/* The whole of TEXT is a number from MIN to MAX. */
bool options_read(const char *text, uint64_t min, uint64_t max, uint64_t *ret);

/*
 * Sets in TO what ARGV says and leaves the rest as it is; texts stay borrowed from ARGV. --help prints and ends the
 * program with 0; what is wrong is said on standard error and ends it with OPTIONS_USAGE.
 */
void options_parse(const struct options_table *table, int argc, char **argv, void *to);

#endif
