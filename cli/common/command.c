/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/common/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/log.h"
#include "config/nearest.h"

const struct command *command_find(const struct command *commands, const char *name)
{
	for (const struct command *c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

/* Appends the names of the commands that the build has: "; expected users, groups or help". */
static void command_add_names(const struct command *commands, struct buffer *to)
{
	const struct command *last = NULL;
	const char *separator = "; expected ";

	for (const struct command *c = commands; c->name; c++)
		last = c->run ? c : last;
	for (const struct command *c = commands; c->name; c++) {
		if (!c->run)
			continue;
		buffer_printf(to, "%s%s", c == last && to->len ? " or " : separator, c->name);
		separator = ", ";
	}
}

void command_refuse_word(
	const struct command *commands, const char *word, char error[static CLI_OPTION_ERROR_SIZE])
{
	AUTO_BUFFER struct buffer names = {0};
	char suggestion[NEAREST_TEXT_SIZE];
	struct nearest nearest;

	nearest_init(&nearest, word);
	for (const struct command *c = commands; c->name; c++)
		if (c->run)
			nearest_consider(&nearest, c->name, strlen(c->name));
	nearest_text(&nearest, suggestion);
	if (!suggestion[0])
		command_add_names(commands, &names);
	snprintf(error, CLI_OPTION_ERROR_SIZE, "unexpected argument '%.100s'%s%.*s", word,
		suggestion, (int)names.len, names.data ? names.data : "");
}

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

	sort_names_init(&names, "");
	for (size_t i = 0; i < COMMAND_TABLES && c->columns[i]; i++)
		sort_names_add_columns(&names, c->columns[i], NULL);
	if (c->add_sorts)
		c->add_sorts(c->name, &names);
	sort_names_list(&names, separator, true, to);
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
	/* It says already what to do. */
	bool has_advice = (len && error[len - 1] == '?') || strstr(error, "; choose ") ||
	                  strstr(error, "; use ");

	log_error("%s%s", len ? error : "out of memory", has_advice ? "" : "; try --help");
	return COMMAND_MISUSED;
}

void command_warn(struct buffer *lines)
{
	if (lines->error || !lines->len)
		return;
	lines->data[lines->len - 1] = '\0'; /* the last newline */
	log_lines(LOG_LEVEL_WARNING, "", lines->data);
}

void command_say_unreadable(const struct settings *settings, int r)
{
	if (r == -EMEDIUMTYPE)
		log_error("%s is not a proc file system (check --path.procfs)",
			settings->path_procfs);
	else
		log_error("cannot read %s: %s", settings->path_procfs, strerror(-r));
}

void command_add_advice(
	struct buffer *to, int r, enum program program, const struct settings *settings)
{
	bool is_open = program != PROGRAM_MEMTALLYD; /* it answers every user */
	const char *daemon = option_program_name(program);
	const char *name = program == PROGRAM_LEDGER     ? "ledger.socket"
	                   : program == PROGRAM_RECORDER ? "recorder.socket"
	                                                 : "snapshot.socket";

	switch (r) {
	case -ENOENT:
	case -ECONNREFUSED: buffer_printf(to, " (start %s, or set --%s)", daemon, name); break;
	case -EACCES:
		buffer_printf(to, " (check the permissions of %s)",
			program == PROGRAM_LEDGER     ? settings->ledger_socket
			: program == PROGRAM_RECORDER ? settings->recorder_socket
						      : settings->snapshot_socket);
		break;
	case -ECONNRESET:
		if (!is_open)
			buffer_printf(to, " (start %s, or join group memtally)", daemon);
		break;
	case -ENOMSG: buffer_printf(to, " (check --%s)", name); break;
	case -EPROTOTYPE:
		buffer_printf(to, " (another program listens there: check --%s)", name);
		break;
	case -ETIMEDOUT: buffer_printf(to, " (try again, or restart %s)", daemon); break;
	case -EPROTO: buffer_printf(to, " (restart %s after the upgrade)", daemon); break;
	default: break;
	}
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

struct list_look command_look(const struct settings *settings, enum list_form other)
{
	return (struct list_look){
		.form = list_form_of(settings->json, settings->csv, other),
		.bytes = settings->bytes,
		.has_styles = command_has_styles(),
		.limit = settings->limit,
		.width = command_width(),
	};
}
