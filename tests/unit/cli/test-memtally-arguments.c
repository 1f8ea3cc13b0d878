/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments of memtally, its help, and output that cannot be written.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <unistd.h>

#include "cli/common/selection.h"
#include "cli/memtally.h"
#include "config/help.h"
#include "snapshot/owner.h"
#include "tests/unit/support/cli/invoked.h"

/* The result of memtally with .args. */
struct argument_case {
	const char *args[INVOKED_ARGS];
	int status;
	const char *out, *err;
};

static const struct argument_case list_cases[] = {
	{{"threads"}, 2, "", "memtally: error: unexpected argument 'threads'; expected "},
	{{""}, 2, "", "unexpected argument ''; expected "},
	{{"process"}, 2, "", "unexpected argument 'process'; did you mean 'processes'?\n"},
	{{"stauts"}, 2, "", "unexpected argument 'stauts'; did you mean 'status'?\n"},
	{{"users", "programs", "units"}, 2, "",
		"unexpected argument 'programs' after users: only one list can be printed at a time"},
	{{"host", "help"}, 2, "", "unexpected argument 'help' after host: only one list can be"},
	{{"--path.procfs=/dev"}, 1, "",
		"memtally: error: /dev is not a proc file system (check --path.procfs)\n"},
	{{"--threads"}, 2, "", "memtally: error: unknown option '--threads'; try --help\n"},
	{{"--limit=0"}, 2, "", "--limit: expected a whole number from 1 to 1000000, got '0'"},
	{{"status", "--live"}, 2, "", "--live does not go with status"},
	{{"status", "--all"}, 2, "", "--all does not go with status"},
	{{"users", "--all"}, 2, "", "--all is for host"},
	{{"host", "--all", "--check-config"}, 0, "the configuration is good: /dev/null\n", ""},
	{{"status", "--user=root"}, 2, "", "--user does not go with status; try --help"},
	{{"--sort=No thing"}, 2, "", "PROGRAM or a name of an amount in JSON, got 'No thing'"},
	{{"users", "--check-config", "--sort=VM_HWM_Max_bytes"}, 0,
		"the configuration is good: /dev/null\n", ""},
	{{"--config.file=nowhere"}, 2, "", "nowhere: No such file or directory"},
	{{"--check-config", "threads"}, 2, "", "unexpected argument 'threads'"},
	{{"--csv", "--json"}, 2, "", "--csv does not go with --json"},
	{{"users", "--sort=pid"}, 2, "",
		"PROCESSES, USER or a name of an amount in JSON, got 'pid'"},
	{{"processes", "--sort=pass"}, 2, "",
		"--sort: expected PSS, %MEM, USS, RSS, SWAP, PID, USER, PROGRAM or a name of an amount in "
		"JSON, got 'pass'; did you mean 'pss'?\n"},
	{{"status", "--csv"}, 2, "", "--csv does not go with status"},
	{{"threads", "--help"}, 2, "", "memtally: error: unexpected argument 'threads'; expected "},
	{{"help", "userz"}, 2, "",
		"memtally: error: unexpected argument 'userz'; did you mean 'users'?\n"},
	{{"helq"}, 2, "", "unexpected argument 'helq'; did you mean 'help'?"},
	{{"help", "users", "groups"}, 2, "", "unexpected argument 'groups' after help users"},
	{{"help", "users", "-j"}, 2, "", "--json does not go with help"},
	{{"help", "users", "--check-config"}, 0, "the configuration is good: /dev/null\n", ""},
	{{"help", "userz", "--check-config"}, 2, "", "did you mean 'users'?"},
	{{"users", "--check-config", "--csv", "--sort=PSS"}, 0,
		"the configuration is good: /dev/null\n", ""},
	{{"--check-config"}, 0, "the configuration is good: /dev/null\n", ""},
	{{"users", "--check-config", "-rn5", "-s", "rss"}, 0,
		"the configuration is good: /dev/null\n", ""},
	{{"-x"}, 2, "", "memtally: error: unknown option '-x'; try --help\n"},
	{{"-jx"}, 2, "", "memtally: error: unknown option '-x' in '-jx'; try --help\n"},
	{{"processes", "-p", "x"}, 2, "", "--pid must be a whole number"},
	{{"--version"}, 0, "memtally " PACKAGE_VERSION "\n", ""},
	{{"--path.procfs=nowhere", "--live"}, 1, "",
		"memtally: error: cannot read nowhere: No such file or directory\n"},
	{{"--live", "--log.level=error", "users", "--user=none-such"}, 1, "",
		"memtally: error: no process with memory matches --user=none-such\n"},
	{{"--live", "--log.level=error", "--pid=1", "--unit=none", "--unit=%s"}, 1, "",
		"memtally: error: no process with memory matches "
		"--unit=none --unit=%s --pid=1\n"},
	{{"--live", "--log.level=error", "pods", "--pod=a", "--machine=b", "--slice=c",
		 "--session=d", "--user_unit=e"},
		1, "",
		"memtally: error: no process with memory matches "
		"--user_unit=e --session=d --slice=c --machine=b --pod=a\n"},
	{{"--live", "--log.level=error", "namegroups", "--namegroup=f"}, 1, "",
		"memtally: error: no process with memory matches --namegroup=f\n"},
	{{"--live", "--log.level=error", "host", "--program=nothing"}, 1, "",
		"memtally: error: no process with memory matches --"},
	{{"--live", "--log.level=error", "--json", "--user=none-such"}, 1, "\"programs\":[]}\n",
		"memtally: error: no process with memory matches --"},
};

static const struct argument_case ledger_cases[] = {
	{{"usage", "--by=session"}, 2, "",
		"--by: expected user, group, program, unit or container"},
	{{"usage", "--since=soon"}, 2, "", "--since: expected a time of day"},
	{{"usage", "--since=now"}, 2, "", "--since is not before --until"},
	{{"usage", "--since=1970-01-02", "--per=hour"}, 2, "", "more than 10000"},
	{{"usage", "--live"}, 2, "", "--live does not go with usage"},
	{{"usage", "--since=2h", "--until=3h"}, 2, "", "--since is not before --until"},
	{{"usage", "--since=9000-01-01"}, 2, "", "--since is in the future"},
	{{"usage", "--unit=a", "--by=user"}, 2, "", "--unit goes with usage --by=unit only"},
	{{"usage", "--user=a", "--by=program"}, 2, "",
		"--user goes with usage --by=user and --by=container only"},
	{{"usage", "--pid=1"}, 2, "", "--pid does not go with usage"},
	{{"usage", "--sort=rss_bytes"}, 2, "",
		"--sort: expected USER, GIB-HOURS, MEAN, MAX, SWAP-GIB-HOURS, PROCESSES, MAX-PROCESSES "
		"or a name of an amount in JSON, got 'rss_bytes'; try --help"},
	{{"usage", "--sort=mac"}, 2, "", "got 'mac'; did you mean 'max'?\n"},
	{{"usage", "--order=up"}, 2, "", "--order: expected asc or desc, got 'up'"},
	{{"usage", "--check-config", "--user=a", "--sort=user", "--order=desc",
		 "--until=9000-01-01"},
		0, "the configuration is good: /dev/null\n", ""},
	{{"usage", "--check-config", "--by=container", "--user=a", "--container=b",
		 "--sort=processes_max"},
		0, "the configuration is good: /dev/null\n", ""},
	{{"usage", "--csv", "--json"}, 2, "", "--csv does not go with --json"},
	{{"usage", "users"}, 2, "", "unexpected argument 'users' after usage"},
	{{"usage", "--per=week"}, 2, "", "--per: expected all, hour, day or month"},
	{{"usage", "--ledger.socket=nowhere"}, 1, "",
		"memtally: error: no usage from memtally-ledger: nowhere: No such file or directory "
		"(start memtally-ledger, or set --ledger.socket)\n"},
};

static const struct argument_case inspect_cases[] = {
	{{"map"}, 2, "",
		"map needs the pid of a process, or a filter such as --user or --program; try "
		"--help"},
	{{"map", "1", "--path.procfs=/dev"}, 1, "",
		"memtally: error: /dev is not a proc file system (check --path.procfs)\n"},
	{{"files", "--path.procfs=/dev"}, 1, "",
		"memtally: error: /dev is not a proc file system (check --path.procfs)\n"},
	{{"map", "1", "--all"}, 2, "", "--all does not go with map"},
	{{"map", "1x"}, 2, "", "expected the pid of a process, got '1x'"},
	{{"map", "--live", "--log.level=error", "--user=none-such"}, 1, "",
		"memtally: error: no process with memory matches --user=none-such\n"},
	{{"files", "--live", "--log.level=error", "--user=none-such"}, 1, "",
		"memtally: error: no process with memory matches --user=none-such\n"},
	{{"explain", "--live", "--log.level=error", "--user=none-such"}, 1, "",
		"memtally: error: no process with memory matches --user=none-such\n"},
	{{"map", "--pid=0"}, 2, "", "expected the pid of a process, got '0'"},
	{{"map", "1", "--by=user"}, 2, "", "--by: expected mapping, file or kind, got 'user'"},
	{{"map", "1", "--sort=name"}, 2, "",
		"--sort: expected MAPPINGS, SIZE, RSS, PSS, SWAP, SHARED, PRIVATE, DIRTY, HUGE, SHARERS "
		"or a name of an amount in JSON, got 'name'; try --help"},
	{{"map", "1", "--sort=Privat-Bytes"}, 2, "", "did you mean 'private_bytes'?\n"},
	{{"map", "1", "--diff=2", "--sort=sharers"}, 2, "",
		"--sort: expected SIZE, RSS, PSS, SWAP, SHARED, PRIVATE, DIRTY, HUGE or a name"},
	{{"map", "1", "--order=up"}, 2, "", "--order: expected asc or desc, got 'up'"},
	{{"map", "1", "--diff=x"}, 2, "", "--diff: expected the pid of a process, got 'x'"},
	{{"map", "1", "--diff=2", "--since=x"}, 2, "", "--diff does not go with --since"},
	{{"map", "1", "--since=nowhere"}, 1, "",
		"memtally: error: nowhere: No such file or directory\n"},
	{{"files", "1x"}, 2, "", "expected the pid of a process, got '1x'"},
	{{"files", "--sort=pid"}, 2, "",
		"--sort: expected PROCESSES, USERS, RESIDENT, RSS, PSS, DIRTY, MAX-DIRTY, SWAP or a name "
		"of an amount in JSON, got 'pid'"},
	{{"files", "--order=up"}, 2, "", "--order: expected asc or desc, got 'up'"},
	{{"files", "--by=file"}, 2, "", "--by does not go with files"},
	{{"files", "--csv", "--json"}, 2, "", "--csv does not go with --json"},
	{{"files", "--file=a"}, 2, "",
		"--file: expected a name as files has it, such as /a/path or memfd:name, got 'a'"},
	{{"files", "2147483647"}, 1, "", "memtally: error: pid 2147483647 was not found\n"},
	{{"files", "--path.procfs=nowhere"}, 1, "",
		"memtally: error: cannot read nowhere: No such file or directory\n"},
	{{"map", "1", "--deleted"}, 2, "", "--deleted does not go with map"},
	{{"map", "1", "--file=/a"}, 2, "", "--file does not go with map"},
	{{"map", "1", "--csv", "--json"}, 2, "", "--csv does not go with --json"},
	{{"explain"}, 2, "",
		"explain needs the pid of a process, or a filter such as --user or --program; try "
		"--help"},
	{{"explain", "1", "--by=file"}, 2, "", "--by does not go with explain; try --help"},
	{{"explain", "-1"}, 2, "", "unknown option '-1'; try --help"},
	{{"explain", "2147483647", "--json"}, 1,
		"{\"version\":1,\"processes\":[{\"pid\":2147483647,\"complete\":false,",
		"memtally: error: pid 2147483647 was not found\n"},
	{{"map", "1", "--matrix"}, 2, "", "--matrix does not go with map"},
	{{"sharing", "--by=kind"}, 2, "",
		"--by: expected user, program, unit, another kind of owner or selection, got "
		"'kind'"},
	{{"sharing", "x"}, 2, "", "expected the pid of a process, got 'x'"},
	{{"sharing", "--pid=0"}, 2, "", "expected the pid of a process, got '0'"},
	{{"sharing", "--sort=name"}, 2, "",
		"--sort: expected FREED-ON-EXIT, CACHED, USS, SWAP, PER-GROUP-PSS, RESIDENT, PSS, RSS, "
		"PROCESSES or a name"},
	{{"sharing", "--order=up"}, 2, "", "--order: expected asc or desc, got 'up'"},
	{{"sharing", "--since=now"}, 2, "", "--since does not go with sharing"},
	{{"sharing", "--diff=1"}, 2, "", "--diff does not go with sharing"},
	{{"sharing", "--csv", "--json"}, 2, "", "--csv does not go with --json"},
	{{"sharing", "1", "--matrix"}, 2, "", "--matrix needs groups to compare: give --by, too"},
	{{"sharing", "1", "--matrix", "--by=container", "--user=a", "--check-config"}, 0,
		"the configuration is good: /dev/null\n", ""},
	{{"map", "2147483647"}, 1, "", "memtally: error: pid 2147483647 was not found\n"},
	{{"map", "2147483647", "--json"}, 1,
		"\"rows\":[],\"count\":0,\"total\":{},\"processes\":[{",
		"memtally: error: pid 2147483647 was not found\n"},
	{{"map", "1", "--sections"}, 2, "", "--sections does not go with map"},
	{{"pages"}, 2, "",
		"pages needs the pid of a process, or a filter such as --user or --program"},
	{{"pages", "1", "--by=file"}, 2, "",
		"--by: expected kind, process, mapping, page, section or symbol, got 'file'"},
	{{"pages", "1", "--sections", "--symbols"}, 2, "", "--sections does not go with --symbols"},
	{{"pages", "1", "--symbols", "--by=kind"}, 2, "", "--symbols does not go with --by"},
	{{"pages", "1", "--since=x"}, 2, "", "--since does not go with pages"},
	{{"pages", "1", "--csv", "--json"}, 2, "", "--csv does not go with --json"},
	{{"pages", "1", "--sort=pss_bytes"}, 2, "",
		"--sort: expected SIZE, RSS, ANON, FILE, PRIVATE, SHARED, HUGE, KSM, ZERO, SWAPPED, "
		"HUGETLB or a name of an amount in JSON, got 'pss_bytes'; did you mean 'rss_bytes'?\n"},
	{{"pages", "1", "--sections", "--sort=rss_bytes"}, 2, "",
		"--sort: expected SIZE, RESIDENT, PRIVATE, SHARED, WRITTEN, DIRTY, SWAPPED or a name of"},
	{{"pages", "1", "--range=1-2", "--order=asc"}, 2, "",
		"--order does not go with single pages"},
	{{"pages", "1", "--order=up"}, 2, "", "--order: expected asc or desc, got 'up'"},
	{{"pages", "1", "--range=2-1"}, 2, "",
		"--range: expected two addresses in hexadecimal digits, START-END"},
	{{"pages", "2147483647"}, 1, "", "memtally: error: pid 2147483647 was not found\n"},
	{{"pages", "2147483647", "--range=0-1000"}, 1, "",
		"memtally: error: pid 2147483647 was not found\n"},
	{{"pages", "2147483647", "--json"}, 1, "\"rows\":[],\"total\":{},\"frames_shown\":",
		"memtally: error: pid 2147483647 was not found\n"},
	{{"pages", "2147483647", "--range=0-1000", "--json"}, 1,
		"\"rows\":[],\"frames_shown\":", "memtally: error: pid 2147483647 was not found\n"},
	{{"pages", "2147483647", "--symbols", "--json"}, 1,
		"\"rows\":[],\"total\":{},\"files\":[],\"frames_shown\":",
		"memtally: error: pid 2147483647 was not found\n"},
	{{"pages", "2147483647", "--sections"}, 1, "",
		"memtally: error: pid 2147483647 was not found\n"},
};

/* They name views and options of both parts. */
static const struct argument_case both_cases[] = {
	{{"users", "--since=today"}, 2, "", "--since is for usage"},
	{{"--matrix"}, 2, "", "--matrix is for sharing"},
	{{"users", "--deleted"}, 2, "", "--deleted is for files"},
	{{"usage", "--file=/a"}, 2, "", "--file does not go with usage"},
	{{"users", "--diff=1"}, 2, "", "--diff is for map"},
	{{"usage", "--diff=1"}, 2, "", "--diff does not go with usage"},
	{{"usage", "--matrix"}, 2, "", "--matrix does not go with usage"},
	{{"users", "--range=1-2"}, 2, "", "--range is for pages"},
	{{"users", "--symbols"}, 2, "", "--symbols is for pages"},
	{{"usage", "--range=1-2"}, 2, "", "--range does not go with usage"},
	{{"map", "1", "--until=now"}, 2, "", "--until does not go with map"},
};

static const struct argument_case without_ledger_cases[] = {
	{{"usage"}, 2, "",
		"memtally: error: usage: this build has no usage history (it was configured with --disable-ledger)\n"},
	{{"usage", "--check-config"}, 2, "", "usage: this build has no usage history"},
	{{"usage", "--help"}, 2, "", "usage: this build has no usage history"},
	{{"help", "usage"}, 2, "", "usage: this build has no usage history"},
	{{"usage", "--until=now"}, 2, "", "memtally: error: unknown option '--until=now'"},
	{{"--ledger.socket=/a"}, 2, "", "memtally: error: unknown option '--ledger.socket=/a'"},
};

static const struct argument_case without_inspect_cases[] = {
	{{"map", "1"}, 2, "",
		"memtally: error: map: this build cannot look inside processes (it was configured with --disable-inspect)\n"},
	{{"files", "--check-config"}, 2, "", "files: this build cannot look inside processes"},
	{{"pages", "1"}, 2, "", "pages: this build cannot look inside processes"},
	{{"sharing"}, 2, "", "sharing: this build cannot look inside processes"},
	{{"explain", "1"}, 2, "", "explain: this build cannot look inside processes"},
	{{"--deleted"}, 2, "", "memtally: error: unknown option '--deleted'"},
};

static void check_cases(const struct argument_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		AUTO_RUNNING struct running r = {0};

		invoked_run(cases[i].args, &r);
		if (r.status != cases[i].status)
			fail_msg("%s: %d, '%s'", cases[i].args[0], r.status, r.err.data);
		running_check_prints(&r, cases[i].out);
		running_check_says(&r, cases[i].err);
		assert_int_equal(*cases[i].out != 0, *r.out.data != 0);
		assert_int_equal(*cases[i].err != 0, *r.err.data != 0);
	}
}

static void checks_arguments_and_exit_status(void **state)
{
	(void)state;
	check_cases(list_cases, ARRAY_SIZE(list_cases));
	if (ENABLE_LEDGER)
		check_cases(ledger_cases, ARRAY_SIZE(ledger_cases));
	else
		check_cases(without_ledger_cases, ARRAY_SIZE(without_ledger_cases));
	if (ENABLE_INSPECT)
		check_cases(inspect_cases, ARRAY_SIZE(inspect_cases));
	else
		check_cases(without_inspect_cases, ARRAY_SIZE(without_inspect_cases));
	if (ENABLE_LEDGER && ENABLE_INSPECT)
		check_cases(both_cases, ARRAY_SIZE(both_cases));
}

/* Returns whether a line of TEXT is LINE. */
static bool has_line(const char *text, const char *line)
{
	size_t len = strlen(line);

	for (const char *at = text; (at = strstr(at, line)); at += len)
		if ((at == text || at[-1] == '\n') && (!at[len] || at[len] == '\n'))
			return true;
	return false;
}

static size_t count_lines(const char *text)
{
	size_t lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

/* Help lists the commands of this build with their purposes, and the common options. */
static void help_lists_what_is_built(void **state)
{
	const struct command *command = memtally_commands();
	AUTO_RUNNING struct running r = {0}, same = {0};

	(void)state;
	invoked_run((const char *[INVOKED_ARGS]){"--help"}, &r);
	assert_int_equal(r.status, 0);
	assert_int_equal(strncmp(r.out.data, "Usage: memtally [COMMAND] [OPTION...]\n\n", 39), 0);
	assert_true(count_lines(r.out.data) <= 47);
	for (size_t i = 0; command[i].name; i++) {
		char line[128];

		snprintf(line, sizeof(line), "  %s%s%*s%s", command[i].name, command[i].operands,
			18 - (int)(strlen(command[i].name) + strlen(command[i].operands)), "",
			command[i].purpose);
		assert_int_equal(has_line(r.out.data, line), command[i].run != NULL);
	}
	assert_true(has_line(r.out.data, "  -n, --limit=N     Print only the first N rows"));
	invoked_run((const char *[INVOKED_ARGS]){"help"}, &same);
	assert_int_equal(same.status, 0);
	assert_string_equal(same.out.data, r.out.data);
}

/* All options of this build, and no others, are in the help of options. */
static void help_of_options_has_them_all(void **state)
{
	AUTO_RUNNING struct running r = {0}, same = {0};

	(void)state;
	invoked_run((const char *[INVOKED_ARGS]){"help", "options"}, &r);
	assert_int_equal(r.status, 0);
	assert_true(has_line(r.out.data, "  -n, --limit=N"));
	assert_true(has_line(r.out.data, "  --accounting.user=ID"));
	assert_int_equal(has_line(r.out.data, "  --until=TIME"), ENABLE_LEDGER);
	assert_int_equal(has_line(r.out.data, "  --diff=PID"), ENABLE_INSPECT);
	assert_int_equal(strstr(r.out.data, "usage:") != NULL, ENABLE_LEDGER);
	assert_int_equal(strstr(r.out.data, "sharing:") != NULL, ENABLE_INSPECT);
	invoked_run((const char *[INVOKED_ARGS]){"options", "--help"}, &same);
	assert_string_equal(same.out.data, r.out.data);
}

/* Each name that --sort takes is in the help: %MEM is no metric. */
static void help_of_a_list_has_the_share(void **state)
{
	AUTO_RUNNING struct running r = {0};

	(void)state;
	invoked_run((const char *[INVOKED_ARGS]){"users", "--help"}, &r);
	running_check_prints(&r, "Columns: pss, %mem, uss, rss,");
}

/*
 * Returns whether the help of a command, TEXT, has the option SPEC as a paragraph, with one of its
 * values, or by its name.
 */
static bool describes(const char *text, const struct option_spec *spec)
{
	size_t len = strlen(spec->name);
	char name[80];

	snprintf(name, sizeof(name), "--%s", spec->name);
	for (const char *at = text; (at = strstr(at, name)); at++) {
		const char *value = at + 2 + len;
		size_t value_len = *value == '=' ? strcspn(value + 1, " \n") : 0;

		snprintf(name, sizeof(name), "%.*s", (int)value_len, value + 1);
		if (spec->metavar ? value_len && strstr(spec->metavar, name)
				  : *value == '\n' || !strncmp(value, "  ", 2))
			return true;
		if (*value && strchr(",;", *value))
			return true;
		snprintf(name, sizeof(name), "--%s", spec->name);
	}
	return false;
}

/* The help of each command has its purpose, the options that it takes and no others. */
static void each_command_has_help(void **state)
{
	size_t options;
	const struct command *command = memtally_commands();
	const struct option_spec *spec = option_table(&options);

	(void)state;
	for (size_t i = 0; command[i].name; i++) {
		AUTO_RUNNING struct running r = {0}, same = {0};

		if (!command[i].run)
			continue;
		invoked_run((const char *[INVOKED_ARGS]){command[i].name, "--help"}, &r);
		assert_int_equal(r.status, 0);
		assert_string_equal(r.err.data, "");
		running_check_prints(&r, command[i].purpose);
		invoked_run((const char *[INVOKED_ARGS]){"help", command[i].name}, &same);
		assert_string_equal(same.out.data, r.out.data);
		for (size_t k = 0; k < options; k++)
			if (describes(r.out.data, &spec[k]) != command_takes(&command[i], &spec[k]))
				fail_msg("%s and --%s", command[i].name, spec[k].name);
		for (size_t k = 0; k < COMMAND_EXAMPLES; k++)
			running_check_prints(&r, command[i].example[k].arguments);
	}
}

/* An option that is given for one call, and no key of the configuration file. */
static bool is_of_a_call(const struct option_spec *spec)
{
	return spec->programs & PROGRAM_MEMTALLY && !spec->in_file && !strchr(spec->name, '.');
}

/* Runs the command CONTEXT with each option alone. */
static int try_each_option(void *context)
{
	const struct command *c = context;
	size_t count;
	const struct option_spec *spec = option_table(&count);

	for (size_t i = 0; i < count; i++) {
		const char *value = !strcmp(spec[i].name, "per")     ? "day"
		                    : !strcmp(spec[i].name, "order") ? "asc"
		                                                     : "1";
		char option[80];
		const char *args[] = {
			"memtally", "--config.file=/dev/null", c->name, "--check-config", option};

		if (!is_of_a_call(&spec[i]))
			continue;
		snprintf(option, sizeof(option), "--%s%s%s", spec[i].name,
			spec[i].metavar ? "=" : "", spec[i].metavar ? value : "");
		memtally_run(ARRAY_SIZE(args), (char **)(uintptr_t)args);
	}
	return 0;
}

/* An option without a meaning for a command is refused, and no other. */
static void commands_refuse_other_options(void **state)
{
	size_t options;
	const struct command *command = memtally_commands();
	const struct option_spec *spec = option_table(&options);

	(void)state;
	for (size_t i = 0; command[i].name; i++) {
		AUTO_RUNNING struct running r = {0};

		if (!command[i].run)
			continue;
		running_do(try_each_option, (void *)(uintptr_t)&command[i], -1, &r);
		for (size_t k = 0; k < options; k++) {
			char without[80], of_others[80];

			if (!is_of_a_call(&spec[k]))
				continue;
			/* it is accepted, since --path.procfs implies it, and changes nothing */
			if (!strcmp(command[i].name, "sharing") && !strcmp(spec[k].name, "live"))
				continue;
			snprintf(without, sizeof(without), "error: --%s does not go with ",
				spec[k].name);
			snprintf(of_others, sizeof(of_others), "error: --%s is for ", spec[k].name);
			if ((strstr(r.err.data, without) || strstr(r.err.data, of_others)) ==
				command_takes(&command[i], &spec[k]))
				fail_msg("%s and --%s: %s", command[i].name, spec[k].name,
					r.err.data);
		}
	}
}

/* The help of options has something to say of each option to each command that takes it. */
static void each_option_has_a_text_for_its_commands(void **state)
{
	size_t options;
	const struct command *command = memtally_commands();
	const struct option_spec *spec = option_table(&options);

	(void)state;
	for (size_t i = 0; command[i].name; i++)
		for (size_t k = 0; k < options; k++) {
			AUTO_BUFFER struct buffer text = {0};

			if (!command[i].run || !command_takes(&command[i], &spec[k]))
				continue;
			help_add_text(&spec[k], command_scope(&command[i]), &text);
			if (text.len < 10)
				fail_msg("%s and --%s", command[i].name, spec[k].name);
		}
}

/* Runs `memtally ARGUMENTS --check-config`; ARGUMENTS are words with a blank between them. */
static void check_accepted(const char *arguments)
{
	AUTO_FREE char *copy = strdup(arguments);
	const char *args[INVOKED_ARGS] = {"--check-config"};
	AUTO_RUNNING struct running r = {0};
	size_t count = 1;
	char *rest = NULL;

	assert_non_null(copy);
	copy[strcspn(copy, ">")] = 0; /* what follows is for a shell */
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		assert_true(count < INVOKED_ARGS);
		args[count++] = word;
	}
	invoked_run(args, &r);
	if (r.status)
		fail_msg("memtally %s: %s", arguments, r.err.data);
}

/* Returns an operand that C needs, as help names it; "": it needs none. */
static const char *operand_of(const struct command *c)
{
	return strstr(c->operands, "PID") ? "1" : strstr(c->operands, "TIME") ? "1h" : "";
}

static void commands_accept_what_their_help_shows(void **state)
{
	const struct command *command = memtally_commands();

	(void)state;
	for (size_t i = 0; command[i].name; i++) {
		const struct command *c = &command[i];
		AUTO_BUFFER struct buffer sorts = {0};
		char *rest = NULL;

		if (!c->run)
			continue;
		for (size_t k = 0; k < COMMAND_EXAMPLES; k++)
			check_accepted(c->example[k].arguments);
		for (unsigned int k = 0; c->by && c->by(k); k++) {
			char line[128];

			snprintf(line, sizeof(line), "%s %s --by=%s", c->name, operand_of(c),
				c->by(k));
			check_accepted(line);
		}
		command_add_sorts(c, " ", &sorts);
		buffer_add_char(&sorts, '\0');
		assert_int_equal(sorts.error, 0);
		for (char *sort = strtok_r(sorts.data, " ", &rest); sort;
			sort = strtok_r(NULL, " ", &rest)) {
			char line[128];
			bool is_of_parts = c->view == CLI_VIEW_PAGES &&
			                   (!strcmp(sort, "resident") || !strcmp(sort, "written") ||
						   !strcmp(sort, "dirty"));

			snprintf(line, sizeof(line), "%s %s --sort=%s %s", c->name, operand_of(c),
				sort, is_of_parts ? "--sections" : "");
			check_accepted(line);
		}
		assert_int_equal(*sorts.data != 0, cli_option_is_for("sort", c->view));
	}
}

/* A wrong word is refused with the commands of this build, in the order of the help. */
static void names_the_commands_that_are_built(void **state)
{
	const struct command *command = memtally_commands();
	AUTO_RUNNING struct running r = {0};
	AUTO_BUFFER struct buffer expected = {0};

	(void)state;
	for (size_t i = 0; command[i].name; i++)
		if (command[i].run)
			buffer_printf(&expected, "%s%s",
				!command[i + 1].name ? " or "
				: expected.len       ? ", "
						     : "expected ",
				command[i].name);
	buffer_add_char(&expected, '\0');
	invoked_run((const char *[INVOKED_ARGS]){"threads"}, &r);
	running_check_says(&r, expected.data);
}

/* Each list of a snapshot is a command. */
static void lists_are_commands(void **state)
{
	const struct command *command = memtally_commands();
	size_t lists = 0;

	(void)state;
	for (size_t i = 0; command[i].name; i++) {
		enum metric_scope scope;

		lists += selection_find_view(command[i].name, &scope) == 0;
	}
	assert_int_equal(lists, OWNER_KINDS + 3);
}

static void check_width(const char *text)
{
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
		if (strcspn(line, "\n") > 79)
			fail_msg("wider than 79 columns: %.200s", line);
}

static void help_fits_a_terminal(void **state)
{
	const struct command *command = memtally_commands();
	AUTO_RUNNING struct running all = {0}, options = {0};

	(void)state;
	invoked_run((const char *[INVOKED_ARGS]){"--help"}, &all);
	check_width(all.out.data);
	invoked_run((const char *[INVOKED_ARGS]){"help", "options"}, &options);
	check_width(options.out.data);
	for (size_t i = 0; command[i].name; i++) {
		AUTO_RUNNING struct running r = {0};

		invoked_run((const char *[INVOKED_ARGS]){"help", command[i].name}, &r);
		check_width(r.out.data);
	}
}

/* Output that cannot be written is a failure, for every kind of output. */
static void reports_a_full_disk(void **state)
{
	static const char *const args[][INVOKED_ARGS] = {{"--live"}, {"--live", "--json"},
		{"--help"}, {"help", "users"}, {"--version"}, {"--check-config"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(args); i++) {
		AUTO_CLOSE int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
		AUTO_RUNNING struct running r = {0};

		invoked_run_into(full, args[i], &r);
		assert_int_equal(r.status, 1);
		running_check_says(&r, "No space left on device");
	}
}

static void fails_if_the_pipe_is_closed(void **state)
{
	static const char *const args[INVOKED_ARGS] = {"--live", "--log.level=error"};
	AUTO_RUNNING struct running r = {0};
	AUTO_CLOSE int nowhere = -1;
	int end[2];

	(void)state;
	assert_int_equal(pipe2(end, O_CLOEXEC), 0);
	assert_int_equal(close(end[0]), 0);
	nowhere = end[1];
	invoked_run_into(nowhere, args, &r);
	assert_int_equal(r.status, 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(checks_arguments_and_exit_status),
		cmocka_unit_test(help_lists_what_is_built),
		cmocka_unit_test(help_of_options_has_them_all),
		cmocka_unit_test(help_of_a_list_has_the_share),
		cmocka_unit_test(each_command_has_help),
		cmocka_unit_test(commands_refuse_other_options),
		cmocka_unit_test(each_option_has_a_text_for_its_commands),
		cmocka_unit_test(commands_accept_what_their_help_shows),
		cmocka_unit_test(names_the_commands_that_are_built),
		cmocka_unit_test(lists_are_commands),
		cmocka_unit_test(help_fits_a_terminal),
		cmocka_unit_test(reports_a_full_disk),
		cmocka_unit_test(fails_if_the_pipe_is_closed),
	};

	return cmocka_run_group_tests(tests, invoked_enter, invoked_leave);
}
