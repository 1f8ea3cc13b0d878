/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command lines of test programs
 *
 * A table describes options --NAME=VALUE. --help is generated from it.
 */
#ifndef MEMTALLY_TESTS_HERD_OPTIONS_H
#define MEMTALLY_TESTS_HERD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	OPTIONS_USAGE = 2, /* exit status for a wrong command line */
	OPTIONS_MAX = 32,  /* maximum number of options in a table */
};

/* A number, stored as uint64_t at OFFSET of the target. */
struct options_number {
	const char *name;
	size_t offset;
	uint64_t min, max;
	const char *help;
};

/* A text, stored as const char * at OFFSET of the target. */
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

/*
 * Parses TEXT, all of it, as a number from MIN to MAX. Returns false if it is not; *RET is then
 * unchanged.
 */
bool options_read(const char *text, uint64_t min, uint64_t max, uint64_t *ret);

/*
 * Sets the options in ARGV in *TO and leaves the other fields as they are. Texts stay borrowed from
 * ARGV. --help prints the options and exits with 0. A wrong command line prints an error and exits
 * with OPTIONS_USAGE.
 */
void options_parse(const struct options_table *table, int argc, char **argv, void *to);

#endif
