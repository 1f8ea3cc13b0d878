/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table-dump: prints the project's tables as lines of tab-separated fields, for tests and
 * documentation
 *
 *     table-dump metrics   scope, metric, type, label, value, where ("prometheus", "json", "both"), JSON field, help
 *     table-dump owners    name, list, labels, help
 *     table-dump balance   kind, description, source
 *     table-dump routes    path, "-" or the first path with this answer, parameters or "-", answer
 *     table-dump options   program, name, kind, in the file ("file" or "-"), default or "-", expected, help,
 *                          environment variable or "-"
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "config/option.h"
#include "snapshot/balance.h"
#include "snapshot/metric.h"
#include "snapshot/owner.h"
#include "snapshot/query.h"
#include "snapshot/record.h"
#include "web/site/route-list.h"
#include "web/site/routes.h"

static const char *or_dash(const char *text)
{
	return text ? text : "-";
}

static const char *where(const struct metric *metric, enum metric_scope scope)
{
	if (!(metric->flags & METRIC_IN_JSON))
		return "prometheus";
	return metric_is_exposed(metric, scope) ? "both" : "json";
}

/* Fields of the survey have the same names as fields of the host, with another meaning. */
static const char *scope_name(enum metric_scope scope)
{
	switch (scope) {
	case METRIC_SELF: return "self";
	case METRIC_SURVEY: return "survey";
	default: return metric_scope_name(scope);
	}
}

static void dump_scope(enum metric_scope scope)
{
	const struct metric *table;
	size_t count;

	table = metric_table(scope, &count);
	for (size_t i = 0; i < count; i++) {
		char name[METRIC_NAME_SIZE], field[METRIC_NAME_SIZE];

		if (!metric_applies(&table[i], scope))
			continue;
		metric_name(&table[i], scope, false, name);
		metric_field(&table[i], field);
		printf("%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", scope_name(scope), name,
			table[i].type == METRIC_COUNTER ? "counter" : "gauge",
			or_dash(table[i].label), or_dash(table[i].value), where(&table[i], scope),
			field, table[i].help);
	}
}

static void dump_metrics(void)
{
	for (unsigned int scope = METRIC_HOST; scope < METRIC_SCOPES; scope++)
		dump_scope((enum metric_scope)scope);
	for (unsigned int id = 0; id < HISTOGRAM_COUNT_; id++) {
		const struct metric_histogram *histogram = metric_histogram(id);

		printf("self\t%s\thistogram\t-\t-\tprometheus\t%s\t%s\n", histogram->name,
			histogram->field, histogram->help);
	}
}

static void dump_owners(void)
{
	for (unsigned int kind = 0; kind < OWNER_KINDS; kind++) {
		const struct owner *o = owner_of((enum owner_kind)kind);

		printf("%s\t%s\t%s%s%s%s%s%s\t%s\n", o->name, o->list, o->label,
			o->has_user ? " user" : "", o->above ? " " : "", o->above ? o->above : "",
			o->words ? " " : "", o->words ? o->id : "", o->help);
	}
}

static void dump_balance(void)
{
	for (unsigned int i = 0; i < BALANCE_KINDS; i++) {
		const struct balance_kind *k = balance_kind(i);

		printf("%s\t%s\t%s\n", k->name, k->help, k->source);
	}
}

/* Prints the first path of ROUTE. */
static void print_first_path(enum route route)
{
	struct route_row row = {.route = ROUTE_NONE};

	for (size_t i = 0; row.route != route; i++)
		routes_row(i, "/metrics", &row);
	printf("%s%s", row.folder, row.name);
}

static void dump_routes(void)
{
	struct route_row row;

	for (size_t i = 0; routes_row(i, "/metrics", &row); i++) {
		const char *names[ROUTE_LIST_PARAMETERS_MAX];
		size_t count = route_list_parameters(row.route, names);

		printf("%s%s\t", row.folder, row.name);
		if (row.is_alias)
			print_first_path(row.route);
		else
			putchar('-');
		putchar('\t');
		if (!count)
			putchar('-');
		for (size_t j = 0; j < count; j++)
			printf("%s%s", j ? " " : "", names[j]);
		printf("\t%s\n", row.what);
	}
}

static const char *kind(const struct option_spec *spec)
{
	switch (spec->type) {
	case OPTION_BOOL: return "bool";
	case OPTION_COUNT: return "count";
	case OPTION_DURATION: return "duration";
	case OPTION_PERCENT: return "percent";
	case OPTION_CHOICE: return "choice";
	case OPTION_TEXT: return "text";
	case OPTION_PATH: return "path";
	case OPTION_LIST: return "list";
	case OPTION_URL_PATH: return "URL path";
	case OPTION_ADDRESSES: return "addresses";
	case OPTION_HOSTS: return "hosts";
	}
	return "-";
}

static void dump_options(void)
{
	const struct option_spec *table;
	size_t count;

	table = option_table(&count);
	for (unsigned int p = PROGRAM_MEMTALLYD; p <= PROGRAM_MEMTALLY; p <<= 1)
		for (size_t i = 0; i < count; i++) {
			char expected[OPTION_EXPECTED_SIZE];

			if (!(table[i].programs & p))
				continue;
			option_expected(&table[i], expected);
			printf("%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
				option_program_name((enum program)p), table[i].name,
				kind(&table[i]), table[i].in_file ? "file" : "-",
				or_dash(table[i].fallback), expected, table[i].help,
				or_dash(table[i].variable));
		}
}

int main(int argc, char *argv[])
{
	if (argc == 2 && !strcmp(argv[1], "metrics")) {
		dump_metrics();
	} else if (argc == 2 && !strcmp(argv[1], "owners")) {
		dump_owners();
	} else if (argc == 2 && !strcmp(argv[1], "balance")) {
		dump_balance();
	} else if (argc == 2 && !strcmp(argv[1], "routes")) {
		dump_routes();
	} else if (argc == 2 && !strcmp(argv[1], "options")) {
		dump_options();
	} else {
		fprintf(stderr, "Usage: table-dump metrics|owners|balance|routes|options\n");
		return 2;
	}
	return fflush(stdout) || ferror(stdout);
}
