/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names for --sort
 *
 * Refuses a name that --sort does not take, with the names that it takes and the nearest of them.
 * Each list adds its names. Pure.
 */
#ifndef MEMTALLY_CLI_COMMON_SORT_NAMES_H
#define MEMTALLY_CLI_COMMON_SORT_NAMES_H

#include "cli/common/cli-option.h"
#include "cli/table/column.h"
#include "config/nearest.h"

struct sort_names {
	const char *got; /* borrowed */
	char lower[NEAREST_WORD_MAX + 2];
	struct nearest nearest;
	struct buffer heads; /* each once: "PSS, RSS" */
};

/* Begins the refusal of GOT. sort_names_refuse() or sort_names_done() frees it. */
void sort_names_init(struct sort_names *s, const char *got);

/*
 * Adds a column that --sort takes by HEAD, its name in tables, and by FIELD, its name in JSON. NULL:
 * it has no such name.
 */
void sort_names_add(struct sort_names *s, const char *head, const char *field);

/* Adds each of the COLUMNS with COLUMN_SORT that IS_TAKEN accepts by its .index; NULL: all. */
void sort_names_add_columns(struct sort_names *s, const struct column *column, size_t columns,
	bool (*is_taken)(unsigned int index));

void sort_names_done(struct sort_names *s);
#define AUTO_SORT_NAMES CLEANUP(sort_names_done)

/*
 * Writes "--sort: expected PSS, RSS or a name of an amount in JSON, got 'pps'; did you mean
 * 'pss'?" to ERROR. Returns -EINVAL.
 */
int sort_names_refuse(struct sort_names *s, char error[static CLI_OPTION_ERROR_SIZE]);

/*
 * Refuses GOT for a list that --sort sorts by its COLUMNS alone: by those that
 * sort_names_add_columns() adds. Writes the same sentence to ERROR as sort_names_refuse(). Returns
 * -EINVAL.
 */
int sort_names_refuse_columns(const char *got, const struct column *column, size_t columns,
	bool (*is_taken)(unsigned int index), char error[static CLI_OPTION_ERROR_SIZE]);

#endif
