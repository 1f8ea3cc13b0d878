/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/common/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/log.h"
#include "snapshot/owner.h"

bool command_is_list(const struct command *c)
{
	return c->view == CLI_VIEW_LIST;
}

const char *command_scope(const struct command *c)
{
	return command_is_list(c) ? "lists" : c->name;
}

bool command_takes(const struct command *c, const struct option_spec *spec)
{
	return spec->programs & PROGRAM_MEMTALLY && cli_option_is_for(spec->name, c->view);
}

void command_add_sorts(const struct command *c, const char *separator, struct buffer *to)
{
	AUTO_SORT_NAMES struct sort_names names;
	size_t count;

	sort_names_init(&names, "");
	for (size_t i = 0; i < COMMAND_TABLES && c->columns[i]; i++) {
		const struct column *column = c->columns[i](&count);

		sort_names_add_columns(&names, column, count, NULL);
	}
	if (c->add_sorts)
		c->add_sorts(c->name, &names);
	if (names.heads.error)
		to->error = names.heads.error;
	for (size_t i = 0; i < names.heads.len; i++) {
		char at = names.heads.data[i];

		if (at == ',') {
			buffer_add_text(to, separator);
			i++; /* the blank */
		} else {
			buffer_add_char(to, (char)(at >= 'A' && at <= 'Z' ? at - 'A' + 'a' : at));
		}
	}
}

int command_printed(int r)
{
	if (r == -ENOMEM)
		log_error("out of memory");
	else if (r < 0 && r != -EPIPE)
		log_error("cannot print: %s", strerror(-r));
	return r < 0 ? COMMAND_FAILED : COMMAND_GOOD;
}

int command_shown(int r)
{
	return r > 0 ? COMMAND_FAILED : command_printed(r);
}

int command_refuse(const char *error)
{
	size_t len = strlen(error);
	bool is_question = len && error[len - 1] == '?'; /* has a suggestion already */

	log_error("%s%s", len ? error : "out of memory", is_question ? "" : "; try --help");
	return COMMAND_MISUSED;
}

void command_say_unreadable(const struct settings *settings, int r)
{
	if (r == -EMEDIUMTYPE)
		log_error("%s is not a proc file system (check --path.procfs)",
			settings->path_procfs);
	else
		log_error("cannot read %s: %s", settings->path_procfs, strerror(-r));
}

size_t command_width(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
		return 0;
	return size.ws_col;
}

bool command_has_styles(void)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no_color && *no_color) && term && *term &&
	       strcmp(term, "dumb") != 0;
}

void command_add_filters(const struct settings *settings, struct buffer *to)
{
	const struct {
		const char *option;
		const struct text_list *values;
	} filters[] = {
		{"user", &settings->user},
		{"program", &settings->program},
		{"unit", &settings->unit},
		{"group", &settings->group},
		{"user_unit", &settings->user_unit},
		{"session", &settings->session},
		{"slice", &settings->slice},
		{"machine", &settings->machine},
		{"pod", &settings->pod},
		{"container", &settings->container},
		{"namegroup", &settings->namegroup},
		{"pid", &settings->pid},
	};

	for (size_t i = 0; i < ARRAY_SIZE(filters); i++)
		for (size_t j = 0; j < filters[i].values->count; j++)
			buffer_printf(
				to, " --%s=%s", filters[i].option, filters[i].values->item[j]);
	if (to->error)
		buffer_clear(to);
}
