/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of config/settings.h: settings from defaults, the file and options. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>

#include "base/clock.h"
#include "base/log.h"
#include "config/settings.h"
#include "config/yaml.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/folder.h"

enum { ARGS_MAX = 12 };

#define X50 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

static int leave_folder(void **state)
{
	unlink("file");
	return folder_leave(state);
}

/*
 * Replaces the default file, so that tests do not depend on the host's. Other files are read as
 * they are.
 */
static int default_result;

int __real_yaml_load(const char *path, enum program program, struct settings *c, char *error);
int __wrap_yaml_load(const char *path, enum program program, struct settings *c, char *error);

int __wrap_yaml_load(const char *path, enum program program, struct settings *c, char *error)
{
	if (strcmp(path, "/etc/memtally/memtally.yaml") != 0)
		return __real_yaml_load(path, program, c, error);
	if (default_result < 0)
		snprintf(error, SETTINGS_ERROR_SIZE, "the default file's error");
	return default_result;
}

static int reset(void **state)
{
	(void)state;
	default_result = -ENOENT;
	unsetenv("RUNTIME_DIRECTORY");
	unsetenv("MEMTALLY_SNAPSHOT_SOCKET");
	unsetenv("MEMTALLY_LEDGER_SOCKET");
	unsetenv("MEMTALLY_RECORDER_SOCKET");
	return 0;
}

static void write_file(const char *text)
{
	AUTO_CLOSE int fd = open("file", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

/* ARGS end with NULL and lack the program's name. */
static int load(enum program program, const char *const *args, struct settings **ret, char *error)
{
	char *argv[ARGS_MAX + 2] = {(char *)(uintptr_t) "program"};
	int argc = 1;

	while (argc <= ARGS_MAX && args[argc - 1]) {
		argv[argc] = (char *)(uintptr_t)args[argc - 1];
		argc++;
	}
	memset(error, '#', SETTINGS_ERROR_SIZE);
	return settings_load(program, argc, argv, ret, error);
}

#define ARGS(...) ((const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

static struct settings *load_good(enum program program, const char *const *args)
{
	char error[SETTINGS_ERROR_SIZE];
	struct settings *c = NULL;

	if (load(program, args, &c, error) != 0)
		fail_msg("%s", error);
	assert_string_equal(error, "");
	return c;
}

static void defaults_are_those_of_the_table(void **state)
{
	AUTO_SETTINGS struct settings *daemon = load_good(PROGRAM_MEMTALLYD, ARGS());
	AUTO_SETTINGS struct settings *web = load_good(PROGRAM_WEB, ARGS());
	AUTO_SETTINGS struct settings *memtally = load_good(PROGRAM_MEMTALLY, ARGS());

	(void)state;
	assert_string_equal(daemon->config_file, "/etc/memtally/memtally.yaml");
	assert_string_equal(daemon->snapshot_socket, "/run/memtally/snapshot.sock");
	assert_string_equal(daemon->path_procfs, "/proc");
	assert_int_equal(daemon->interval_ns, 10 * NS_PER_SEC);
	assert_int_equal(daemon->pss_mode, PSS_MODE_ADAPTIVE);
	assert_int_equal(daemon->export_users, 1000);
	assert_int_equal(daemon->export_programs, 200);
	assert_int_equal(daemon->export_units, 500);
	assert_int_equal(daemon->export_processes, 50);
	assert_int_equal(daemon->log_level, LOG_LEVEL_INFO);
	assert_int_equal(web->web_listen_address.count, 1);
	assert_string_equal(web->web_listen_address.item[0], "127.0.0.1:9636");
	assert_string_equal(web->web_telemetry_path, "/metrics");
	assert_int_equal(memtally->limit, 0);
	assert_null(memtally->sort);
	assert_false(memtally->live || memtally->json || memtally->bytes);
	assert_int_equal(memtally->operands.count, 0);
	assert_int_equal(settings_action(memtally), SETTINGS_RUN);
}

static void runtime_directory_moves_the_socket(void **state)
{
	static const struct {
		const char *directory, *socket;
	} cases[] = {
		{"/run/other", "/run/other/snapshot.sock"},
		{"", "/run/memtally/snapshot.sock"},
		/* with two directories it is unknown which one is meant */
		{"/run/a:/run/b", "/run/memtally/snapshot.sock"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_SETTINGS struct settings *c = NULL, *flagged = NULL;

		setenv("RUNTIME_DIRECTORY", cases[i].directory, 1);
		c = load_good(PROGRAM_WEB, ARGS());
		assert_string_equal(c->snapshot_socket, cases[i].socket);
		flagged = load_good(PROGRAM_WEB, ARGS("--snapshot.socket=/s"));
		assert_string_equal(flagged->snapshot_socket, "/s");
	}
}

/*
 * The default below systemd's directory may be too long for a socket path. It is refused when
 * used.
 */
static void refuses_too_long_default_sockets(void **state)
{
	AUTO_SETTINGS struct settings *longest = NULL, *option = NULL, *file = NULL, *help = NULL;
	struct settings *none = NULL;
	char error[SETTINGS_ERROR_SIZE];

	(void)state;
	setenv("RUNTIME_DIRECTORY", "/" X50 "123456789012345678901234567890123456789012", 1);
	longest = load_good(PROGRAM_MEMTALLYD, ARGS("--check-config"));
	assert_int_equal(strlen(longest->snapshot_socket), 107);

	setenv("RUNTIME_DIRECTORY", "/" X50 "1234567890123456789012345678901234567890123", 1);
	assert_int_equal(load(PROGRAM_MEMTALLYD, ARGS("--check-config"), &none, error), -EINVAL);
	assert_string_equal(error,
		"RUNTIME_DIRECTORY: expected at most 93 bytes before '/snapshot.sock', got '/" X50
		"1234567890123456789012345678901234567890123/snaps'");
	assert_null(none);
	option = load_good(PROGRAM_WEB, ARGS("--snapshot.socket=/s"));
	write_file("snapshot.socket: /s\n");
	file = load_good(PROGRAM_WEB, ARGS("--config.file=file"));
	assert_string_equal(file->snapshot_socket, "/s");
	help = load_good(PROGRAM_WEB, ARGS("--help"));
	assert_string_equal(option->snapshot_socket, "/s");
}

static void assert_socket(enum program program, const char *const *args, const char *socket)
{
	AUTO_SETTINGS struct settings *c = load_good(program, args);

	assert_string_equal(c->snapshot_socket, socket);
}

/* The option comes before the variable, that before the file, and that before the default. */
static void memtally_takes_sockets_from_variables(void **state)
{
	static const char file[] = "--config.file=file", option[] = "--snapshot.socket=option";

	(void)state;
	write_file("snapshot.socket: /file\n");
	setenv("RUNTIME_DIRECTORY", "/run/other", 1);
	assert_socket(PROGRAM_MEMTALLY, ARGS(), "/run/other/snapshot.sock");
	assert_socket(PROGRAM_MEMTALLY, ARGS(file), "/file");
	setenv("MEMTALLY_SNAPSHOT_SOCKET", "/variable", 1);
	assert_socket(PROGRAM_MEMTALLY, ARGS(), "/variable");
	assert_socket(PROGRAM_MEMTALLY, ARGS(file), "/variable");
	assert_socket(PROGRAM_MEMTALLY, ARGS(file, option), "option");
	for (enum program p = PROGRAM_MEMTALLYD; p < PROGRAM_MEMTALLY; p <<= 1)
		assert_socket(p, ARGS(file), "/file");
	setenv("MEMTALLY_SNAPSHOT_SOCKET", "", 1);
	assert_socket(PROGRAM_MEMTALLY, ARGS(file), "/file");
}

static void variables_are_told_apart(void **state)
{
	AUTO_SETTINGS struct settings *c = NULL;

	(void)state;
	if (!ENABLE_LEDGER)
		return;
	setenv("MEMTALLY_LEDGER_SOCKET", "/ledger", 1);
	c = load_good(PROGRAM_MEMTALLY, ARGS());
	assert_string_equal(c->snapshot_socket, "/run/memtally/snapshot.sock");
	assert_string_equal(c->ledger_socket, "/ledger");
}

/* A path of a variable is relative to no directory. The error names the variable. */
static void refuses_bad_variables(void **state)
{
	struct settings *c = NULL;
	char error[SETTINGS_ERROR_SIZE];

	(void)state;
	setenv("MEMTALLY_SNAPSHOT_SOCKET", "some.sock", 1);
	assert_int_equal(load(PROGRAM_MEMTALLY, ARGS(), &c, error), -EINVAL);
	assert_string_equal(error,
		"MEMTALLY_SNAPSHOT_SOCKET: expected a path of at most 107 bytes that begins with /, "
		"got 'some.sock'");
	setenv("MEMTALLY_SNAPSHOT_SOCKET", "/" X50 X50 "1234567", 1);
	assert_int_equal(load(PROGRAM_MEMTALLY, ARGS("--check-config"), &c, error), -EINVAL);
	assert_string_equal(error,
		"MEMTALLY_SNAPSHOT_SOCKET: expected a path of at most 107 bytes that begins with /, "
		"got '/" X50 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'");
	assert_null(c);
	settings_free(load_good(PROGRAM_MEMTALLY, ARGS("--help")));
	settings_free(load_good(PROGRAM_MEMTALLY, ARGS("--version")));
	settings_free(load_good(PROGRAM_WEB, ARGS()));
}

/* --check-config shows the variables that have an effect. */
static void names_the_variables_in_effect(void **state)
{
	AUTO_SETTINGS struct settings *c = NULL, *option = NULL, *daemon = NULL;
	AUTO_BUFFER struct buffer to = {0};

	(void)state;
	write_file("snapshot.socket: /file\n");
	setenv("MEMTALLY_SNAPSHOT_SOCKET", "/variable", 1);
	c = load_good(PROGRAM_MEMTALLY, ARGS("--check-config", "--config.file=file"));
	settings_say_good(c, &to);
	assert_string_equal(to.data, "the configuration is good: file\n"
				     "MEMTALLY_SNAPSHOT_SOCKET sets snapshot.socket: /variable");
	option = load_good(PROGRAM_MEMTALLY,
		ARGS("--check-config", "--config.file=file", "--snapshot.socket=/x"));
	daemon = load_good(PROGRAM_MEMTALLYD, ARGS("--check-config", "--config.file=file"));
	buffer_clear(&to);
	settings_say_good(option, &to);
	assert_string_equal(to.data, "the configuration is good: file");
	buffer_clear(&to);
	settings_say_good(daemon, &to);
	assert_string_equal(to.data, "the configuration is good: file");
}

/* systemd makes a directory for the service; the file and the option come before it. */
static void directories_are_those_of_the_service(void **state)
{
	AUTO_SETTINGS struct settings *usual = load_good(PROGRAM_RECORDER, ARGS());
	AUTO_SETTINGS struct settings *given = NULL, *option = NULL;

	(void)state;
	assert_string_equal(usual->ledger_directory, "/var/lib/memtally-ledger");
	assert_string_equal(usual->recorder_directory, "/var/lib/memtally-recorder");
	setenv("STATE_DIRECTORY", "/state", 1);
	given = load_good(PROGRAM_RECORDER, ARGS());
	option = load_good(PROGRAM_LEDGER, ARGS("--ledger.directory=/other"));
	unsetenv("STATE_DIRECTORY");
	assert_string_equal(given->recorder_directory, "/state");
	assert_string_equal(given->ledger_directory, "/state");
	assert_string_equal(option->ledger_directory, "/other");
}

static void flags_override_the_file(void **state)
{
	AUTO_SETTINGS struct settings *file = NULL, *options = NULL;

	(void)state;
	write_file("interval: 20s\nexport.users: 7\nsnapshot.socket: /from/file\n");
	file = load_good(PROGRAM_MEMTALLYD, ARGS("--config.file=file"));
	assert_int_equal(file->interval_ns, 20 * NS_PER_SEC);
	assert_int_equal(file->export_users, 7);
	assert_int_equal(file->export_units, 500);
	assert_string_equal(file->snapshot_socket, "/from/file");
	assert_string_equal(file->config_file, "file");

	options = load_good(
		PROGRAM_MEMTALLYD, ARGS("--interval", "5s", "--config.file", "file",
					   "--snapshot.socket", "relative", "--interval=6s"));
	assert_int_equal(options->interval_ns, 6 * NS_PER_SEC); /* the last option counts */
	assert_int_equal(options->export_users, 7);
	assert_string_equal(options->snapshot_socket, "relative");
}

/*
 * A list in the file replaces the default, a list of options replaces that, and options are
 * appended to each other.
 */
static void flag_lists_replace_file_lists(void **state)
{
	AUTO_SETTINGS struct settings *file = NULL, *options = NULL;

	(void)state;
	write_file("web.listen-address: [':1', ':2', ':3']\n");
	file = load_good(PROGRAM_WEB, ARGS("--config.file=file"));
	assert_int_equal(file->web_listen_address.count, 3);
	options = load_good(PROGRAM_WEB, ARGS("--config.file=file", "--web.listen-address=:4",
						 "--web.listen-address", ":5"));
	assert_int_equal(options->web_listen_address.count, 2);
	assert_string_equal(options->web_listen_address.item[0], ":4");
	assert_string_equal(options->web_listen_address.item[1], ":5");
}

/* In the file path.procfs is memtallyd's, and does not make memtally read /proc itself. */
static void path_procfs_flag_implies_live(void **state)
{
	AUTO_SETTINGS struct settings *option = NULL, *file = NULL, *daemon = NULL;

	(void)state;
	write_file("path.procfs: /from/file\n");
	option = load_good(PROGRAM_MEMTALLY, ARGS("--path.procfs=/x"));
	file = load_good(PROGRAM_MEMTALLY, ARGS("--config.file=file"));
	daemon = load_good(PROGRAM_MEMTALLYD, ARGS("--path.procfs=/x"));
	assert_true(option->live);
	assert_string_equal(file->path_procfs, "/from/file");
	assert_false(file->live);
	assert_false(daemon->live);
}

static void the_last_file_named_is_read(void **state)
{
	AUTO_SETTINGS struct settings *c = NULL;

	(void)state;
	write_file("interval: 20s\n");
	c = load_good(PROGRAM_MEMTALLYD, ARGS("--config.file=/nowhere", "--config.file=file"));
	assert_int_equal(c->interval_ns, 20 * NS_PER_SEC);
	assert_string_equal(c->config_file, "file");
}

static void only_the_default_file_may_be_missing(void **state)
{
	struct settings *c = NULL;
	char error[SETTINGS_ERROR_SIZE];

	(void)state;
	assert_int_equal(load(PROGRAM_WEB, ARGS("--config.file=none"), &c, error), -ENOENT);
	assert_string_equal(error, "none: No such file or directory");
	/* Naming the default file counts as naming a file. */
	assert_int_equal(
		load(PROGRAM_WEB, ARGS("--config.file=/etc/memtally/memtally.yaml"), &c, error),
		-ENOENT);
	assert_null(c);
}

static void names_the_file_that_is_good(void **state)
{
	AUTO_SETTINGS struct settings *without = load_good(PROGRAM_MEMTALLYD, ARGS());
	AUTO_SETTINGS struct settings *with = NULL;
	AUTO_BUFFER struct buffer to = {0};

	(void)state;
	write_file("interval: 20s\n");
	with = load_good(PROGRAM_MEMTALLYD, ARGS("--config.file=file", "--check-config"));
	settings_say_good(with, &to);
	assert_string_equal(to.data, "the configuration is good: file");
	buffer_clear(&to);
	settings_say_good(without, &to);
	assert_string_equal(
		to.data, "the configuration is good (there is no /etc/memtally/memtally.yaml)");
}

/* If the default file is unreadable or no YAML, memtally warns and goes on. */
static void memtally_does_without_a_bad_default_file(void **state)
{
	static const struct {
		enum program program;
		const char *option;
		int error, result;
	} cases[] = {
		{PROGRAM_MEMTALLY, NULL, -EACCES, 0},
		{PROGRAM_MEMTALLY, NULL, -ENOENT, 0},
		{PROGRAM_MEMTALLY, "users", -EACCES, 0},
		{PROGRAM_MEMTALLY, "--check-config", -EACCES, -EACCES},
		{PROGRAM_MEMTALLY, "--config.file=/etc/memtally/memtally.yaml", -EACCES, -EACCES},
		{PROGRAM_MEMTALLY, NULL, -EBADMSG, 0},
		{PROGRAM_MEMTALLY, "--check-config", -EBADMSG, -EBADMSG},
		{PROGRAM_MEMTALLY, "--config.file=/etc/memtally/memtally.yaml", -EBADMSG, -EBADMSG},
		{PROGRAM_MEMTALLYD, NULL, -EBADMSG, -EBADMSG},
		{PROGRAM_MEMTALLY, NULL, -EIO, -EIO},
		{PROGRAM_MEMTALLY, NULL, -EINVAL, -EINVAL},
		{PROGRAM_MEMTALLYD, NULL, -EACCES, -EACCES},
		{PROGRAM_WEB, NULL, -EACCES, -EACCES},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_SETTINGS struct settings *c = NULL;
		char error[SETTINGS_ERROR_SIZE];

		default_result = cases[i].error;
		assert_int_equal(
			load(cases[i].program, ARGS(cases[i].option), &c, error), cases[i].result);
		assert_string_equal(error, cases[i].result ? "the default file's error" : "");
		assert_int_equal(c != NULL, cases[i].result == 0);
		if (c && cases[i].error != -ENOENT)
			assert_string_equal(c->ignored, "the default file's error; the file is "
							"ignored and the defaults apply");
		else if (c)
			assert_null(c->ignored);
	}
}

static void only_memtally_takes_operands(void **state)
{
	AUTO_SETTINGS struct settings *c = load_good(
		PROGRAM_MEMTALLY, ARGS("users", "--user", "a", "-", "--user=b", "--json", "--",
					  "--live", "-h", "--"));
	struct settings *none = NULL;
	char error[SETTINGS_ERROR_SIZE];
	static const char *const expected[] = {"users", "-", "--live", "-h", "--"};

	(void)state;
	assert_int_equal(c->operands.count, ARRAY_SIZE(expected));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
		assert_string_equal(c->operands.item[i], expected[i]);
	assert_int_equal(c->user.count, 2);
	assert_true(c->json);
	assert_false(c->live);

	assert_int_equal(load(PROGRAM_WEB, ARGS("users"), &none, error), -EINVAL);
	assert_string_equal(error, "unexpected argument 'users'; try --help");
	assert_int_equal(load(PROGRAM_MEMTALLYD, ARGS("--", "--help"), &none, error), -EINVAL);
	assert_string_equal(error, "unexpected argument '--help'; try --help");
	assert_null(none);
}

/* As getopt() takes them: bundled, and with a value in the same argument or in the next one. */
static void letters_stand_for_options(void **state)
{
	static const struct {
		const char *args[5];
		const char *sort, *order, *user, *operand;
		uint64_t limit;
		bool json, bytes;
	} cases[] = {
		{{"-j"}, .json = true},
		{{"-jb"}, .json = true, .bytes = true},
		{{"-n5"}, .limit = 5},
		{{"-n", "5", "users"}, .limit = 5, .operand = "users"},
		{{"-jn5", "-b"}, .limit = 5, .json = true, .bytes = true},
		{{"-jbn", "5"}, .limit = 5, .json = true, .bytes = true},
		{{"-r"}, .order = "asc"},
		{{"-rsrss", "-n7"}, .order = "asc", .sort = "rss", .limit = 7},
		{{"-sjb"}, .sort = "jb"},
		{{"-s", "-j"}, .sort = "-j"},
		{{"-r", "--order=desc"}, .order = "desc"},
		{{"-ualice", "-j"}, .user = "alice", .json = true},
		{{"-n5", "--limit=6"}, .limit = 6},
		{{"--", "-j"}, .operand = "-j"},
		{{"-j", "-"}, .json = true, .operand = "-"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *const *args = cases[i].args;
		AUTO_SETTINGS struct settings *c = load_good(
			PROGRAM_MEMTALLY, ARGS(args[0], args[1], args[2]));
		const char *const found[] = {c->sort, c->order,
			c->user.count ? c->user.item[0] : NULL,
			c->operands.count ? c->operands.item[0] : NULL};
		const char *const expected[] = {
			cases[i].sort, cases[i].order, cases[i].user, cases[i].operand};

		for (size_t k = 0; k < ARRAY_SIZE(found); k++) {
			assert_int_equal(found[k] != NULL, expected[k] != NULL);
			if (found[k])
				assert_string_equal(found[k], expected[k]);
		}
		assert_int_equal(c->limit, cases[i].limit);
		assert_int_equal(c->json, cases[i].json);
		assert_int_equal(c->bytes, cases[i].bytes);
	}
}

/* The first reading of the options, which looks for --config.file, skips the values of letters. */
static void values_of_letters_are_no_options(void **state)
{
	AUTO_SETTINGS struct settings *c = load_good(
		PROGRAM_MEMTALLY, ARGS("-s", "--config.file=none", "-u", "-h"));

	(void)state;
	assert_string_equal(c->sort, "--config.file=none");
	assert_string_equal(c->user.item[0], "-h");
	assert_int_equal(settings_action(c), SETTINGS_RUN);
}

/* A command line that is refused with .error. */
struct refusal {
	enum program program;
	const char *args[3];
	const char *error;
};

static const struct refusal wrong_values[] = {
	{PROGRAM_MEMTALLYD, {"--interval=soon"},
		"--interval: expected a duration from 100ms to 1d, such as 10s, got 'soon'"},
	{PROGRAM_MEMTALLYD, {"--interval", "0"},
		"--interval: expected a duration from 100ms to 1d, such as 10s, got '0'"},
	{PROGRAM_MEMTALLYD, {"--budget.stall=20"},
		"--budget.stall: expected a duration from 1ms to 10s, such as 20ms, got '20' "
		"(a number without a unit is seconds)"},
	{PROGRAM_MEMTALLYD, {"--export.users=0"},
		"--export.users: expected a whole number from 1 to 100000, got '0'"},
	{PROGRAM_MEMTALLYD, {"--interval"}, "--interval: a value is missing"},
	{PROGRAM_MEMTALLYD, {"--interval="}, "--interval: a value is missing"},
	{PROGRAM_MEMTALLYD, {"--export.users", "--help"},
		"--export.users: expected a whole number from 1 to 100000, got '--help'"},
	{PROGRAM_MEMTALLYD, {"--pss.mode=fast"},
		"--pss.mode: expected exact or adaptive, got 'fast'"},
	{PROGRAM_WEB, {"--log.level=loud"},
		"--log.level: expected error, warning, info or debug, got 'loud'"},
	{PROGRAM_WEB, {"--web.listen-address="}, "--web.listen-address: a value is missing"},
	{PROGRAM_WEB, {"--snapshot.socket", ""}, "--snapshot.socket: a value is missing"},
	{PROGRAM_WEB, {"--config.file"}, "--config.file: a value is missing"},
	{PROGRAM_WEB, {"--web.listen-address=:x"},
		"--web.listen-address: expected HOST:PORT, [IPv6]:PORT, :PORT or unix:PATH "
		"with a PATH of at most 107 bytes, got ':x'"},
	{PROGRAM_WEB, {"--web.listen-address=unix:/" X50 X50 "1234567"},
		"--web.listen-address: expected HOST:PORT, [IPv6]:PORT, :PORT or unix:PATH "
		"with a PATH of at most 107 bytes, got 'unix:/" X50
		"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'"},
	{PROGRAM_MEMTALLY, {"--json=yes"}, "--json: expected true or false, got 'yes'"},
	{PROGRAM_MEMTALLY, {"--json="}, "--json: a value is missing"},
	{PROGRAM_MEMTALLY, {"--sort"}, "--sort: a value is missing"},
	{PROGRAM_MEMTALLY, {"--limit=0"},
		"--limit: expected a whole number from 1 to 1000000, got '0'"},
	{PROGRAM_MEMTALLY, {"--sort=" X50 X50 X50, "--limit=x"},
		"--limit: expected a whole number from 1 to 1000000, got 'x'"},
	{PROGRAM_MEMTALLY, {"--limit=" X50 X50 X50},
		"--limit: expected a whole number from 1 to 1000000, got '" X50 X50 "'"},
	{PROGRAM_MEMTALLY, {"-jn5x"},
		"--limit: expected a whole number from 1 to 1000000, got '5x'"},
	{PROGRAM_MEMTALLY, {"-n=5"},
		"--limit: expected a whole number from 1 to 1000000, got '=5'"},
	{PROGRAM_MEMTALLY, {"-jn"}, "--limit: a value is missing"},
	{PROGRAM_MEMTALLY, {"-n", ""}, "--limit: a value is missing"},
};

static const struct refusal unknown_options[] = {
	{PROGRAM_MEMTALLY, {"--interval=5s"}, "unknown option '--interval=5s'; try --help"},
	{PROGRAM_WEB, {"--interval", "5s"}, "unknown option '--interval'; try --help"},
	{PROGRAM_WEB, {"--inter"}, "unknown option '--inter'; try --help"},
	{PROGRAM_WEB, {"--=x"}, "unknown option '--=x'; try --help"},
	{PROGRAM_WEB, {"---help"}, "unknown option '---help'; did you mean --help?"},
	{PROGRAM_MEMTALLY, {"--usr=root"}, "unknown option '--usr=root'; did you mean --user?"},
	{PROGRAM_MEMTALLYD, {"--intervall", "5s"},
		"unknown option '--intervall'; did you mean --interval?"},
	{PROGRAM_WEB, {"--intervall", "5s"}, "unknown option '--intervall'; try --help"},
	{PROGRAM_WEB, {"-x"}, "unknown option '-x'; try --help"},
	{PROGRAM_WEB, {"-hx"}, "unknown option '-x' in '-hx'; try --help"},
	{PROGRAM_WEB, {"-h=x"}, "unknown option '-=' in '-h=x'; try --help"},
	{PROGRAM_WEB, {"-n5"}, "unknown option '-n' in '-n5'; try --help"},
	{PROGRAM_WEB, {"-interval=5s"}, "unknown option '-i' in '-interval=5s'; try --help"},
	{PROGRAM_MEMTALLYD, {"-interval=5s"},
		"unknown option '-interval=5s'; did you mean --interval?"},
	{PROGRAM_MEMTALLY, {"-limit", "5"}, "unknown option '-limit'; did you mean --limit?"},
	{PROGRAM_MEMTALLY, {"-\xc3\xa4x"}, "unknown option '-\xc3\xa4x'; try --help"},
	{PROGRAM_MEMTALLY, {"-1"}, "unknown option '-1'; try --help"},
	{PROGRAM_WEB, {"--" X50 X50 X50},
		"unknown option '--" X50 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'; "
		"try --help"},
};

static void expect_refusals(const struct refusal *refusal, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct settings *c = NULL;
		char error[SETTINGS_ERROR_SIZE];

		assert_int_equal(load(refusal[i].program,
					 ARGS(refusal[i].args[0], refusal[i].args[1]), &c, error),
			-EINVAL);
		assert_string_equal(error, refusal[i].error);
		assert_null(c);
	}
}

static void describes_wrong_values(void **state)
{
	(void)state;
	expect_refusals(wrong_values, ARRAY_SIZE(wrong_values));
}

static void describes_unknown_options(void **state)
{
	(void)state;
	expect_refusals(unknown_options, ARRAY_SIZE(unknown_options));
}

static void help_precedes_version_and_check(void **state)
{
	static const struct {
		const char *args[3];
		enum settings_action action;
	} cases[] = {
		{{NULL}, SETTINGS_RUN},
		{{"--check-config"}, SETTINGS_CHECK},
		{{"--check-config", "--version"}, SETTINGS_VERSION},
		{{"--version", "--help"}, SETTINGS_HELP},
		{{"--help", "--help=false"}, SETTINGS_RUN},
		{{"-h"}, SETTINGS_HELP},
		{{"--check-config", "-h"}, SETTINGS_HELP},
		{{"-hh"}, SETTINGS_HELP},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_SETTINGS struct settings *c = load_good(
			PROGRAM_WEB, ARGS(cases[i].args[0], cases[i].args[1]));

		assert_int_equal(settings_action(c), cases[i].action);
	}
}

/* --help works even if the configuration file is refused. */
static void help_works_with_a_broken_file(void **state)
{
	static const char *const asks[] = {"--help", "-h", "--version"};
	struct settings *none = NULL;
	char error[SETTINGS_ERROR_SIZE];

	(void)state;
	write_file("broken: true\n");
	for (size_t i = 0; i < ARRAY_SIZE(asks); i++) {
		AUTO_SETTINGS struct settings *c = load_good(
			PROGRAM_WEB, ARGS("--config.file=file", asks[i]));

		assert_int_not_equal(settings_action(c), SETTINGS_RUN);
	}
	assert_int_equal(
		load(PROGRAM_WEB, ARGS("--config.file=file", "--check-config"), &none, error),
		-EINVAL);
	assert_null(none);
}

/* As on SIGHUP: a failed load leaves the settings unchanged. */
static void a_failed_reload_changes_nothing(void **state)
{
	static const char *const bad[] = {
		"interval: 30s\nexport.users: 9\nweb.listen-address: [':1']\nsnapshot.socket: /x\nbad: 1\n",
		"interval: 30s\ninterval: 30s\n", "{", "interval: 30s\nexport.users: 0\n"};
	AUTO_SETTINGS struct settings *c = NULL;

	(void)state;
	write_file("interval: 20s\nsnapshot.socket: /good\n");
	c = load_good(PROGRAM_MEMTALLYD, ARGS("--config.file=file"));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct settings *again = NULL;
		char error[SETTINGS_ERROR_SIZE];

		write_file(bad[i]);
		assert_int_equal(load(PROGRAM_MEMTALLYD, ARGS("--config.file=file"), &again, error),
			strcmp(bad[i], "{") ? -EINVAL : -EBADMSG);
		assert_null(again);
		assert_int_equal(strncmp(error, "file:", 5), 0);
		assert_int_equal(c->interval_ns, 20 * NS_PER_SEC);
		assert_int_equal(c->export_users, 1000);
		assert_string_equal(c->snapshot_socket, "/good");
		assert_int_equal(c->web_listen_address.count, 1);
	}
}

static void returns_errors_without_memory(void **state)
{
	(void)state;
	write_file("web.listen-address: [':1', ':2']\nsnapshot.socket: /s\n");
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_SETTINGS struct settings *c = NULL;
		char error[SETTINGS_ERROR_SIZE];

		allocation_fail_at(n);
		if (!allocation_check(load(PROGRAM_WEB,
			    ARGS("--config.file=file", "--web.listen-address=:3"), &c, error)))
			continue;
		assert_null(c);
		assert_true(!strcmp(error, "out of memory") ||
			    !strcmp(error, "file: Cannot allocate memory"));
	}
	assert_true(allocation_count() > 19);
}

static void freeing_null_is_allowed(void **state)
{
	(void)state;
	assert_null(settings_free(NULL));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(defaults_are_those_of_the_table, reset),
		cmocka_unit_test_setup(runtime_directory_moves_the_socket, reset),
		cmocka_unit_test_setup(refuses_too_long_default_sockets, reset),
		cmocka_unit_test_setup(memtally_takes_sockets_from_variables, reset),
		cmocka_unit_test_setup(variables_are_told_apart, reset),
		cmocka_unit_test_setup(refuses_bad_variables, reset),
		cmocka_unit_test_setup(names_the_variables_in_effect, reset),
		cmocka_unit_test_setup(directories_are_those_of_the_service, reset),
		cmocka_unit_test_setup(flags_override_the_file, reset),
		cmocka_unit_test_setup(flag_lists_replace_file_lists, reset),
		cmocka_unit_test_setup(path_procfs_flag_implies_live, reset),
		cmocka_unit_test_setup(the_last_file_named_is_read, reset),
		cmocka_unit_test_setup(only_the_default_file_may_be_missing, reset),
		cmocka_unit_test_setup(names_the_file_that_is_good, reset),
		cmocka_unit_test_setup(memtally_does_without_a_bad_default_file, reset),
		cmocka_unit_test_setup(only_memtally_takes_operands, reset),
		cmocka_unit_test_setup(letters_stand_for_options, reset),
		cmocka_unit_test_setup(values_of_letters_are_no_options, reset),
		cmocka_unit_test_setup(describes_wrong_values, reset),
		cmocka_unit_test_setup(describes_unknown_options, reset),
		cmocka_unit_test_setup(help_precedes_version_and_check, reset),
		cmocka_unit_test_setup(help_works_with_a_broken_file, reset),
		cmocka_unit_test_setup(a_failed_reload_changes_nothing, reset),
		cmocka_unit_test_setup(returns_errors_without_memory, reset),
		cmocka_unit_test_setup(freeing_null_is_allowed, reset),
	};

	return cmocka_run_group_tests(tests, folder_enter, leave_folder);
}
