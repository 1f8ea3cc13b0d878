/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/memtally.h"

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

/* Any other first operand is for listing_run(). */
static const struct command commands[] = {
	{.name = "usage", .run = billing_run},
	{.name = "map", .run = map_run, .reads_processes = true},
	{.name = "files", .run = files_run, .reads_processes = true},
	{.name = "pages", .run = pages_run, .reads_processes = true},
	{.name = "sharing", .run = sharing_run, .reads_processes = true},
	{.name = "explain", .run = explain_run, .reads_processes = true},
};

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

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(name, commands[i].name)) {
			struct running running = {.command = &commands[i], .settings = settings};

			if (is_check || !commands[i].reads_processes)
				return commands[i].run(settings, is_check);
			return supervisor_run(settings->path_procfs, run_command, &running);
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

static int memtally_print_help(void)
{
	AUTO_BUFFER struct buffer text = {0};

	help_render(PROGRAM_MEMTALLY,
		"memtally [FLAG...] [programs|users|groups|units|user_units|sessions|\n"
		"                slices|machines|pods|containers|processes|host|status|usage|\n"
		"                map PID...|files [PID...]|pages PID...|sharing [PID...]|\n"
		"                explain PID...]",
		"Prints how much memory programs (by default), other owners (users, groups,\n"
		"units, containers and so on), processes or the whole host really use.\n"
		"status: the state of memtallyd;\n"
		"usage: memory used over time, from memtally-ledger;\n"
		"map: the mappings of processes; files: the files that processes map;\n"
		"pages: how often each page is mapped; memory of ELF sections and symbols;\n"
		"sharing: memory that each user has alone or shares with other users;\n"
		"explain: the memory of a process in plain words.",
		&text);
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
	return is_check && r == COMMAND_GOOD ? print_line("the configuration is good") : r;
}
