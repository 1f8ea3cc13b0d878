/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/memtally.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <string.h>

#include "base/log.h"
#include "cli/common/command.h"
#include "cli/common/reading/supervisor.h"
#include "cli/explain/explain.h"
#include "cli/files/files.h"
#include "cli/lists/listing.h"
#include "cli/map/map.h"
#include "cli/pages/pages.h"
#include "cli/sharing/sharing.h"
#include "cli/table/output.h"
#include "cli/usage/billing.h"
#include "config/help.h"

enum { HELP_WIDTH = 79 };

/* IF_PART(FUNCTION): FUNCTION, or NULL in a build without the part. */
#if ENABLE_LEDGER
#define IF_LEDGER(function) function
#else
#define IF_LEDGER(function) NULL
#endif
#if ENABLE_INSPECT
#define IF_INSPECT(function) function
#else
#define IF_INSPECT(function) NULL
#endif

#define NO_LEDGER  "has no usage history (it was configured with --disable-ledger)"
#define NO_INSPECT "cannot look inside processes (it was configured with --disable-inspect)"

/*
 * Any other first operand is for listing_run(). The rows of each build are also in
 * selection_other_commands().
 */
static const struct command commands[] = {
	{"usage", "", "memory used over time, from memtally-ledger", IF_LEDGER(billing_run), NULL,
		NO_LEDGER},
	{"map", " PID...", "the mappings of processes", IF_INSPECT(map_run),
		IF_INSPECT(supervisor_run), NO_INSPECT},
	{"files", " [PID...]", "the files that processes map", IF_INSPECT(files_run),
		IF_INSPECT(supervisor_run), NO_INSPECT},
	{"pages", " PID...", "how often each page is mapped; memory of ELF sections and symbols",
		IF_INSPECT(pages_run), IF_INSPECT(supervisor_run), NO_INSPECT},
	{"sharing", " [PID...]", "memory that each user has alone or shares with other users",
		IF_INSPECT(sharing_run), IF_INSPECT(supervisor_run), NO_INSPECT},
	{"explain", " PID...", "the memory of a process in plain words", IF_INSPECT(explain_run),
		IF_INSPECT(supervisor_run), NO_INSPECT},
};

const struct command *memtally_commands(size_t *ret_count)
{
	*ret_count = ARRAY_SIZE(commands);
	return commands;
}

/* The context of run_command(). */
struct running {
	const struct command *command;
	const struct settings *settings;
};

static int run_command(void *context)
{
	const struct running *r = context;

	return r->command->run(r->settings, false);
}

static int memtally_run_command(const struct settings *settings, bool is_check)
{
	const char *name = settings->operands.count ? settings->operands.item[0] : "";

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		const struct command *c = &commands[i];
		struct running running = {.command = c, .settings = settings};

		if (strcmp(name, c->name) != 0)
			continue;
		if (!c->run) {
			log_error("%s: this build %s", c->name, c->lack);
			return COMMAND_MISUSED;
		}
		if (is_check || !c->supervise)
			return c->run(settings, is_check);
		return c->supervise(settings->path_procfs, run_command, &running);
	}
	return listing_run(settings, is_check);
}

static int print_line(const char *text)
{
	AUTO_BUFFER struct buffer line = {0};

	buffer_add_text(&line, text);
	buffer_add_char(&line, '\n');
	return command_printed(output_flush(&line));
}

static int memtally_say_good(const struct settings *settings)
{
	AUTO_BUFFER struct buffer line = {0};

	settings_say_good(settings, &line);
	return line.error ? command_printed(line.error) : print_line(line.data);
}

#define HELP_INDENT "                "

/* Adds the operands of memtally, in lines of at most HELP_WIDTH columns; terminated. */
static void add_operands(struct buffer *to)
{
	static const char last_line[] = HELP_INDENT
		"slices|machines|pods|containers|processes|host|status";
	size_t column = sizeof(last_line) - 1;

	buffer_printf(to,
		"memtally [OPTION...] [programs|users|groups|units|user_units|sessions|\n%s",
		last_line);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		const struct command *c = &commands[i];
		size_t len = strlen(c->name) + strlen(c->operands);
		bool is_full = column + len + strlen("||") > HELP_WIDTH;

		if (!c->run)
			continue;
		buffer_printf(to, "|%s%s%s", is_full ? "\n" HELP_INDENT : "", c->name, c->operands);
		column = (is_full ? strlen(HELP_INDENT) : column + 1) + len;
	}
	buffer_add(to, "]", sizeof("]"));
}

/* Adds what memtally prints, one line for each command; terminated. */
static void add_purpose(struct buffer *to)
{
	buffer_add_text(to,
		"Prints how much memory programs (by default), other owners (users, groups,\n"
		"units, containers and so on), processes or the whole host really use.\n"
		"status: the state of memtallyd");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (commands[i].run)
			buffer_printf(to, ";\n%s: %s", commands[i].name, commands[i].purpose);
	buffer_add(to, ".", sizeof("."));
}

static int memtally_print_help(void)
{
	AUTO_BUFFER struct buffer operands = {0};
	AUTO_BUFFER struct buffer purpose = {0};
	AUTO_BUFFER struct buffer text = {0};

	add_operands(&operands);
	add_purpose(&purpose);
	if (operands.error || purpose.error)
		return command_printed(-ENOMEM);
	help_render(PROGRAM_MEMTALLY, operands.data, purpose.data, &text);
	return command_printed(output_flush(&text));
}

int memtally_run(int argc, char *argv[])
{
	AUTO_SETTINGS struct settings *settings = NULL;
	char error[SETTINGS_ERROR_SIZE];
	bool is_check;
	int r;

	log_open("memtally", LOG_LEVEL_INFO);
	signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of write like any other */
	/* for the characters that a terminal can print; the format of numbers stays */
	setlocale(LC_CTYPE, "");
	if (settings_load(PROGRAM_MEMTALLY, argc, argv, &settings, error) < 0) {
		log_lines(LOG_LEVEL_ERROR, "", error);
		return COMMAND_MISUSED;
	}
	switch (settings_action(settings)) {
	case SETTINGS_HELP: return memtally_print_help();
	case SETTINGS_VERSION: return print_line("memtally " PACKAGE_VERSION);
	case SETTINGS_CHECK:
	case SETTINGS_RUN: break;
	}
	log_set_level((enum log_level)settings->log_level);
	if (settings->ignored)
		log_lines(LOG_LEVEL_WARNING, "", settings->ignored);
	is_check = settings_action(settings) == SETTINGS_CHECK;
	r = memtally_run_command(settings, is_check);
	return is_check && r == COMMAND_GOOD ? memtally_say_good(settings) : r;
}
