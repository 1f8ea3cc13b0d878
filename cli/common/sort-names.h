/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names for --sort
 *
 * Parses --sort, and refuses a name that it does not take, with the names that it takes and the
 * nearest of them. Pure.
 */
#ifndef MEMTALLY_CLI_COMMON_SORT_NAMES_H
#define MEMTALLY_CLI_COMMON_SORT_NAMES_H

#include "cli/common/cli-option.h"
#include "cli/table/column.h"
#include "config/nearest.h"

/* The names that --sort takes. Each list adds its own. */
struct sort_names {
	const char *got; /* borrowed */
	char lower[NEAREST_WORD_MAX + 2];
	struct nearest nearest;
	struct buffer heads; /* each once, terminated */
};

/* Copies at most SIZE - 1 bytes of TEXT, in small letters. Returns the length of the copy. */
size_t sort_names_lower(const char *text, char *to, size_t size);

/* Begins the refusal of GOT. sort_names_refuse() or sort_names_done() frees it. */
void sort_names_init(struct sort_names *s, const char *got);

/*
 * Adds a column that --sort takes by HEAD, its name in tables, and by FIELD, its name in JSON. NULL:
 * it has no such name.
 */
void sort_names_add(struct sort_names *s, const char *head, const char *field);

/* Adds each of the COLUMNS with COLUMN_SORT that IS_TAKEN accepts by its .index; NULL: all. */
void sort_names_add_columns(
	struct sort_names *s, const struct columns *columns, bool (*is_taken)(unsigned int index));

/* Appends the heads with SEPARATOR between them, in small letters if IS_LOWER. */
void sort_names_list(
	const struct sort_names *s, const char *separator, bool is_lower, struct buffer *to);

void sort_names_done(struct sort_names *s);
#define AUTO_SORT_NAMES CLEANUP(sort_names_done)

/*
 * Writes "--sort: expected PSS, RSS or a name of an amount in JSON, got 'pps'; did you mean
 * 'pss'?" to ERROR. Returns -EINVAL.
 */
int sort_names_refuse(struct sort_names *s, char error[static CLI_OPTION_ERROR_SIZE]);

/*
 * Parses --sort and --order for a list that is sorted by those of its COLUMNS that
 * sort_names_add_columns() adds. Writes the .index of the column to *RET_INDEX, which stays as it is
 * without --sort. Returns 0, or -EINVAL with a sentence for the user in ERROR.
 */
int sort_names_parse(const struct settings *settings, const struct columns *columns,
	bool (*is_taken)(unsigned int index), unsigned int *ret_index, bool *ret_ascending,
	char error[static CLI_OPTION_ERROR_SIZE]);

#endif
