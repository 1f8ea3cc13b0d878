/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/herd/options.h"

#include <assert.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

bool options_read(const char *text, uint64_t min, uint64_t max, uint64_t *ret)
{
	uint64_t value;

	if (number_parse_u64(text, strlen(text), &value) < 0 || value < min || value > max)
		return false;
	*ret = value;
	return true;
}

static void usage(const struct options_table *t, FILE *to)
{
	fprintf(to, "usage: %s [OPTION]...\n", t->program);
	for (size_t i = 0; i < t->number_count; i++)
		fprintf(to, "  --%-12s N     %s\n", t->numbers[i].name, t->numbers[i].help);
	for (size_t i = 0; i < t->text_count; i++)
		fprintf(to, "  --%-12s TEXT  %s\n", t->texts[i].name, t->texts[i].help);
}

static void set_number(
	const struct options_table *t, const struct options_number *n, const char *text, void *to)
{
	if (options_read(text, n->min, n->max, (uint64_t *)((char *)to + n->offset)))
		return;
	fprintf(stderr, "%s: --%s: expected a number from %" PRIu64 " to %" PRIu64 "\n", t->program,
		n->name, n->min, n->max);
	exit(OPTIONS_USAGE);
}

static void set_option(const struct options_table *t, size_t i, const char *text, void *to)
{
	if (i < t->number_count)
		set_number(t, &t->numbers[i], text, to);
	else
		*(const char **)((char *)to + t->texts[i - t->number_count].offset) = text;
}

void options_parse(const struct options_table *t, int argc, char **argv, void *to)
{
	struct option known[OPTIONS_MAX + 2] = {{NULL, 0, NULL, 0}};
	size_t count = 0;
	int c, i;

	assert(t->number_count + t->text_count <= OPTIONS_MAX);
	for (size_t n = 0; n < t->number_count; n++)
		known[count++] = (struct option){t->numbers[n].name, required_argument, NULL, 1};
	for (size_t n = 0; n < t->text_count; n++)
		known[count++] = (struct option){t->texts[n].name, required_argument, NULL, 1};
	known[count] = (struct option){"help", no_argument, NULL, 'h'};
	while ((c = getopt_long(argc, argv, "h", known, &i)) != -1) {
		if (c == 'h') {
			usage(t, stdout);
			exit(EXIT_SUCCESS);
		}
		if (c != 1) {
			usage(t, stderr);
			exit(OPTIONS_USAGE);
		}
		set_option(t, (size_t)i, optarg, to);
	}
	if (optind < argc) {
		usage(t, stderr);
		exit(OPTIONS_USAGE);
	}
}
