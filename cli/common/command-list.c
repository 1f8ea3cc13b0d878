/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/common/command-list.h"

#include <stdio.h>
#include <string.h>

#include "config/nearest.h"

const struct command *command_list_find(
	const struct command *command, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(command[i].name, name))
			return &command[i];
	return NULL;
}

/* Appends the names of the commands that the build has: "; expected users, groups or help". */
static void command_list_add_names(const struct command *command, size_t count, struct buffer *to)
{
	const struct command *last = NULL;
	const char *separator = "; expected ";

	for (size_t i = 0; i < count; i++)
		last = command[i].run ? &command[i] : last;
	for (size_t i = 0; i < count; i++) {
		if (!command[i].run)
			continue;
		buffer_add_text(to, &command[i] == last && to->len ? " or " : separator);
		buffer_add_text(to, command[i].name);
		separator = ", ";
	}
}

void command_list_refuse(const struct command *command, size_t count, const char *word,
	char error[static QUERY_ERROR_SIZE])
{
	AUTO_BUFFER struct buffer names = {0};
	char suggestion[NEAREST_TEXT_SIZE];
	struct nearest nearest;

	nearest_init(&nearest, word);
	for (size_t i = 0; i < count; i++)
		if (command[i].run)
			nearest_consider(&nearest, command[i].name, strlen(command[i].name));
	nearest_text(&nearest, suggestion);
	if (!suggestion[0])
		command_list_add_names(command, count, &names);
	snprintf(error, QUERY_ERROR_SIZE, "unexpected argument '%.100s'%s%.*s", word, suggestion,
		(int)names.len, names.data ? names.data : "");
}
