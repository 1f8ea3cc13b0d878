/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/memtally.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "cli/common/command.h"
#include "cli/common/help-page.h"
#include "cli/common/interrupt.h"
#include "cli/compare/compare.h"
#include "cli/explain/explain.h"
#include "cli/files/filerow.h"
#include "cli/files/files.h"
#include "cli/growth/growth.h"
#include "cli/lists/listing.h"
#include "cli/map/map.h"
#include "cli/map/maprow.h"
#include "cli/pages/pagerow.h"
#include "cli/pages/pages-options.h"
#include "cli/pages/pages.h"
#include "cli/pages/partrow.h"
#include "cli/past/change-table.h"
#include "cli/past/span.h"
#include "cli/past/past-history.h"
#include "cli/sharing/sharing-options.h"
#include "cli/sharing/sharing-row.h"
#include "cli/sharing/sharing.h"
#include "cli/table/output.h"
#include "cli/top/top-options.h"
#include "cli/top/top.h"
#include "cli/usage/billing.h"
#include "cli/usage/usage-table.h"
#include "cli/usage/usage.h"
#include "cli/why/why.h"
#include "config/help.h"

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

/* Operands of the commands that look inside processes. */
#define PIDS      "The operands are pids. Filters such as --user choose processes, too. "
#define SOME_PIDS PIDS "One pid or filter at least is needed."
#define ALL_PIDS  PIDS "Without pids and filters all processes are meant."

/* A command that lists owners or processes. */
#define LIST                                                                                       \
	.operands = "",                                                                            \
	.about = "Takes no operands. With a filter such as --user only the processes that match "  \
		 "count.",                                                                         \
	.view = CLI_VIEW_LIST, .run = list_run, .add_sorts = listing_add_sorts

#define INSPECT(function) .run = IF_INSPECT(function), .lack = NO_INSPECT

static int help_run(const struct settings *settings, bool is_check);

/* Lists the rows of a snapshot or, with --from, their growth over time. */
static int list_run(const struct settings *settings, bool is_check)
{
	return settings->from || settings->to ? span_run(settings, is_check)
	                                      : listing_run(settings, is_check);
}

/* Without operands memtally lists programs. */
static const struct command commands[] = {
	{LIST, .name = "programs", .purpose = "the memory of each program (the default)",
		.example = {{"programs -u alice", "The memory of alice's programs."},
			{"programs -s swap -n 5",
				"The five programs with the most memory in swap."}}},
	{LIST, .name = "users", .purpose = "the memory of each user",
		.example = {{"users -n 3", "The three users with the most memory."},
			{"users --program=python3 -j",
				"The Python programs of each user, as JSON."}}},
	{LIST, .name = "groups", .purpose = "the memory of each group",
		.example = {{"groups -n 3", "The three groups with the most memory."},
			{"groups -s rss -r", "All groups, the smallest RSS first."}}},
	{LIST, .name = "units", .purpose = "the memory of each systemd unit",
		.example = {{"units -s cgroup -n 10",
				    "The ten units that the kernel charges with the most memory."},
			{"units --csv", "All units, for a spreadsheet."}}},
	{LIST, .name = "user_units", .purpose = "the memory of each unit of a user's own systemd",
		.example = {{"user_units -u alice", "The units of alice's own systemd."},
			{"user_units -n 10", "The ten with the most memory."}}},
	{LIST, .name = "sessions", .purpose = "the memory of each login session",
		.example = {{"sessions -u alice", "The sessions of alice."},
			{"sessions -n 5", "The five with the most memory."}}},
	{LIST, .name = "slices", .purpose = "the memory of each systemd slice",
		.example = {{"slices", "All slices; the rows add up to all processes."},
			{"slices --slice=system.slice -b", "One slice, in exact bytes."}}},
	{LIST, .name = "machines", .purpose = "the memory of each machine of systemd-machined",
		.example = {{"machines", "All machines and virtual machines."},
			{"machines -s cgroup",
				"Those that the kernel charges with the most memory first."}}},
	{LIST, .name = "pods", .purpose = "the memory of each Kubernetes pod",
		.example = {{"pods -n 10", "The ten pods with the most memory."},
			{"pods -j", "All pods, as JSON."}}},
	{LIST, .name = "containers", .purpose = "the memory of each container",
		.example = {{"containers -n 10", "The ten containers with the most memory."},
			{"containers -u alice", "The containers with processes of alice."}}},
	{LIST, .name = "namegroups",
		.purpose = "the memory of each group of naming.process_exporter",
		.example = {{"namegroups -n 10", "The ten namegroups with the most memory."},
			{"namegroups --namegroup=web -b", "One of them, in exact bytes."}}},
	{LIST, .name = "processes", .purpose = "the memory of each process",
		.example = {{"processes -u alice -n 10", "The ten largest processes of alice."},
			{"processes -s anon_growth_bytes -n 5",
				"The five processes that have grown most since memtallyd first saw them."}}},
	{.name = "host",
		.operands = "",
		.purpose = "where all of the host's memory is",
		.about =
			"Takes no operands. With a filter such as --user it prints the sums of the processes that match.",
		.example = {{"host", "A table that adds up to MemTotal."},
			{"host -u alice", "The sums of alice's processes."}},
		.view = CLI_VIEW_HOST,
		.run = listing_run},
	{.name = "status",
		.operands = "",
		.purpose = "the state of memtallyd, and how exact its figures are",
		.about = "Takes no operands. Needs memtallyd.",
		.example = {{"status", "The measurements, estimates and costs of memtallyd."},
			{"status >/dev/null && echo works",
				"Whether memtallyd works, for a script."}},
		.view = CLI_VIEW_STATUS,
		.run = listing_run},
	{.name = "diff",
		.operands = " TIME [TIME]",
		.purpose = "the rows that grew between two times, or are new or gone",
		.about =
			"The operands are times, such as 03:12, \"2026-11-01 08:00\", 15m (ago) or oom; "
			"the second one is by default now. Needs memtally-recorder.",
		.example = {{"diff 15m", "The growth of each program in the last 15 minutes."},
			{"diff 03:00 oom --by=process -n 10",
				"The ten processes that grew most from three o'clock to the last OOM kill."}},
		.view = CLI_VIEW_DIFF,
		.by = span_by,
		.columns = {&change_table_columns},
		.run = span_run_diff},
	{.name = "history",
		.operands = " SCOPE...",
		.purpose = "the PSS of the host, an owner or a process over time",
		.about =
			"The operands are: host; or process and a pid; or a kind of owner, such as user, "
			"and a name. On a terminal it draws a chart. Needs memtally-recorder or "
			"memtally-ledger.",
		.example = {{"history user alice", "The PSS of alice's processes in the last day."},
			{"history process 4711 --from=-2h --csv",
				"The PSS of a process in the last two hours, for a spreadsheet."}},
		.view = CLI_VIEW_HISTORY,
		.run = past_history_run},
	{.name = "usage",
		.operands = "",
		.purpose = "memory used over time, from memtally-ledger",
		.about = "Takes no operands. Needs memtally-ledger.",
		.example = {{"usage --since=yesterday --until=today",
				    "The usage of each user yesterday."},
			{"usage --per=month --by=unit -n 5",
				"The five units with the most usage of each of the last twelve months."}},
		.view = CLI_VIEW_USAGE,
		.by = IF_LEDGER(usage_by),
		.columns = {IF_LEDGER(&usage_table_columns)},
		.run = IF_LEDGER(billing_run),
		.lack = NO_LEDGER},
	{.name = "map",
		.operands = " PID...",
		.purpose = "the mappings of processes",
		.about = SOME_PIDS " With --diff or --since it compares.",
		.example =
			{{"map 4711 --by=file -s dirty -n 10",
				 "The ten files and areas with the most memory that process 4711 has written."},
				{"map 4711 --since=before.json",
					"The changes since \"memtally map 4711 -j >before.json\"."}},
		.view = CLI_VIEW_MAP,
		.by = IF_INSPECT(map_by),
		.columns = {IF_INSPECT(&maprow_columns)},
		INSPECT(map_run)},
	{.name = "files",
		.operands = " [PID...]",
		.purpose = "the files that processes map",
		.about = ALL_PIDS " With --file or --deleted it prints processes.",
		.example = {{"files -n 10", "The ten files with the most memory."},
			{"files --deleted",
				"The processes that must be restarted after an upgrade."}},
		.view = CLI_VIEW_FILES,
		.columns = {IF_INSPECT(&filerow_columns)},
		INSPECT(files_run)},
	{.name = "pages",
		.operands = " PID...",
		.purpose = "how often pages are mapped, by kind, section or symbol",
		.about = SOME_PIDS,
		.example = {{"pages 4711",
				    "How often the pages of process 4711 are mapped, by kind."},
			{"pages 4711 --symbols -n 10",
				"The ten symbols of programs and libraries with the most memory."}},
		.view = CLI_VIEW_PAGES,
		.by = IF_INSPECT(pages_options_by),
		.columns = {IF_INSPECT(&pagerow_columns), IF_INSPECT(&partrow_columns)},
		INSPECT(pages_run)},
	{.name = "sharing",
		.operands = " [PID...]",
		.purpose = "memory that each user has alone or shares with other users",
		.about = ALL_PIDS " Has to run as root.",
		.example =
			{{"sharing -u alice",
				 "How much memory the kernel frees if all processes of alice exit."},
				{"sharing --by=unit -n 10",
					"The ten systemd units that would free most."}},
		.view = CLI_VIEW_SHARING,
		.by = IF_INSPECT(sharing_options_by),
		.columns = {IF_INSPECT(&sharing_columns)},
		INSPECT(sharing_run)},
	{.name = "explain",
		.operands = " PID...",
		.purpose = "the memory of a process in plain words",
		.about = SOME_PIDS,
		.example =
			{{"explain 4711",
				 "The cost of process 4711, its sharers, and the memory freed on its exit."},
				{"explain --unit=ssh.service -n 1",
					"All processes of a systemd unit, each list with one row."}},
		.view = CLI_VIEW_EXPLAIN,
		INSPECT(explain_run)},
	{.name = "compare",
		.operands = "",
		.purpose = "differences from process-exporter, each with its reason",
		.about = "Takes no operands. Exits with 1 if a difference has no reason.",
		.example = {{"compare --live",
				    "Compares with the process-exporter of this host, both now."},
			{"compare --process-exporter=scrape.txt --csv",
				"Compares with a saved scrape, for a spreadsheet."}},
		.view = CLI_VIEW_COMPARE,
		.run = compare_run},
	{.name = "top",
		.operands = "",
		.purpose = "a live view of the largest programs, users or processes",
		.about = "Takes no operands. Needs a terminal. F1 shows the keys.",
		.example = {{"top", "The programs, the largest first; 1 to 7 show other views."},
			{"top --by=process -u alice -s growth10",
				"alice's processes that have grown most in the last ten minutes."}},
		.view = CLI_VIEW_TOP,
		.by = top_options_by,
		.add_sorts = top_options_add_sorts,
		.run = top_run},
	{.name = "growth",
		.operands = " [LIST]",
		.purpose = "which owners and processes grow, and whether as a leak does",
		.about =
			"The operand is a list: users, programs, units, processes and so on. Without it "
			"these four are judged. Needs memtally-recorder.",
		.example = {{"growth", "All that grows, what is consistent with a leak first."},
			{"growth processes -u alice --since=3d",
				"The verdicts on alice's processes by the last three days."}},
		.view = CLI_VIEW_GROWTH,
		.run = growth_run},
	{.name = "why",
		.operands = "",
		.purpose = "what happened at a moment of the past, in plain words",
		.about =
			"Takes no operands. Without --at and --oom it explains the last OOM kill or "
			"memory pressure. Needs memtally-recorder.",
		.example = {{"why --oom last",
				    "Which cgroup the last OOM kill was in, and what grew "
				    "before it."},
			{"why --at 03:12", "The OOM kill or memory pressure nearest to 03:12."}},
		.view = CLI_VIEW_WHY,
		.run = why_run},
	{.name = "help",
		.operands = " [COMMAND]",
		.purpose = "the help of memtally, of a command, or of all options",
		.about = "The operand is a command, or the word options.",
		.example = {{"help users", "The same as memtally users --help."},
			{"help options", "Every option of every command."}},
		.view = CLI_VIEW_HELP,
		.run = help_run},
	{.name = NULL},
};

const struct command *memtally_commands(void)
{
	return commands;
}

static int refuse_absent(const struct command *c)
{
	log_error("%s: this build %s", c->name, c->lack);
	return COMMAND_MISUSED;
}

/* Returns true if C prints a list, the host or the status. */
static bool is_of_snapshot(const struct command *c)
{
	return c->run == list_run || c->run == listing_run;
}

/*
 * Refuses a first operand that is no command, and a second command after a list. Returns 0, or
 * -EINVAL with a sentence for the user in ERROR.
 */
static int memtally_check_operands(
	const struct text_list *operands, char error[static QUERY_ERROR_SIZE])
{
	const struct command *first = NULL, *second = NULL;

	if (operands->count)
		first = command_find(commands, operands->item[0]);
	if (operands->count > 1)
		second = command_find(commands, operands->item[1]);
	if (operands->count && !first) {
		command_refuse_word(commands, operands->item[0], error);
		return -EINVAL;
	}
	if (!second || !second->run || !is_of_snapshot(first))
		return 0;
	snprintf(error, QUERY_ERROR_SIZE,
		"unexpected argument '%s' after %s: only one list can be printed at a time",
		second->name, first->name);
	return -EINVAL;
}

static int memtally_run_command(const struct settings *settings, bool is_check)
{
	const struct text_list *operands = &settings->operands;
	const struct command *c = operands->count ? command_find(commands, operands->item[0])
	                                          : NULL;
	char error[QUERY_ERROR_SIZE];

	if (memtally_check_operands(operands, error) < 0)
		return command_refuse(error);
	if (!c)
		return list_run(settings, is_check);
	return c->run ? c->run(settings, is_check) : refuse_absent(c);
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

/* The operand of `help` for all options. */
static const char all_options[] = "options";

/* Prints the help of the command NAME; "": of memtally. If IS_CHECK, only checks the name. */
static int memtally_print_help(const char *name, bool is_check)
{
	const struct command *c = command_find(commands, name);
	bool is_all = !strcmp(name, all_options);
	AUTO_BUFFER struct buffer text = {0};
	char error[QUERY_ERROR_SIZE];

	if (*name && !is_all && !c) {
		command_refuse_word(commands, name, error);
		return command_refuse(error);
	}
	if (c && !c->run)
		return refuse_absent(c);
	if (is_check)
		return COMMAND_GOOD;
	if (c)
		help_page_command(c, &text);
	else if (is_all)
		help_render(PROGRAM_MEMTALLY, "memtally [COMMAND] [OPTION...]",
			"These are the options of all commands. \"memtally COMMAND --help\" prints those\n"
			"that have a meaning for a command.",
			&text);
	else
		help_page_overview(commands, &text);
	return command_printed(output_flush(&text));
}

static int help_run(const struct settings *settings, bool is_check)
{
	const struct text_list *operands = &settings->operands;
	char error[QUERY_ERROR_SIZE];
	int r = cli_option_check(settings, CLI_VIEW_HELP, error);

	if (r == 0 && operands->count > 2) {
		snprintf(error, sizeof(error), "unexpected argument '%.100s' after help %.100s",
			operands->item[2], operands->item[1]);
		r = -EINVAL;
	}
	if (r < 0)
		return command_refuse(error);
	return memtally_print_help(operands->count > 1 ? operands->item[1] : "", is_check);
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
	case SETTINGS_HELP:
		return memtally_print_help(
			settings->operands.count ? settings->operands.item[0] : "", false);
	case SETTINGS_VERSION: return print_line("memtally " PACKAGE_VERSION);
	case SETTINGS_CHECK:
	case SETTINGS_RUN: break;
	}
	log_set_level((enum log_level)settings->log_level);
	log_hold(); /* warnings come after the figures */
	interrupt_hear(0);
	if (settings->ignored)
		log_lines(LOG_LEVEL_WARNING, "", settings->ignored);
	is_check = settings_action(settings) == SETTINGS_CHECK;
	r = memtally_run_command(settings, is_check);
	log_release();
	return is_check && r == COMMAND_GOOD ? memtally_say_good(settings) : r;
}
