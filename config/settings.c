/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "config/settings.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/channel.h"
#include "config/nearest.h"
#include "config/yaml.h"

static const char socket_name[] = "snapshot.sock";

enum settings_action settings_action(const struct settings *c)
{
	if (c->help)
		return SETTINGS_HELP;
	if (c->version)
		return SETTINGS_VERSION;
	if (c->check_config)
		return SETTINGS_CHECK;
	return SETTINGS_RUN;
}

void settings_say_good(const struct settings *c, struct buffer *to)
{
	if (c->is_file_missing)
		buffer_printf(to, "the configuration is good (there is no %s)", c->config_file);
	else
		buffer_printf(to, "the configuration is good: %s", c->config_file);
	for (size_t i = 0; i < c->variables.count; i++)
		buffer_printf(to, "\n%s", c->variables.item[i]);
	buffer_add_char(to, '\0');
}

/*
 * Returns the environment variable NAME if the service manager has set it to exactly one directory;
 * else NULL.
 */
static const char *directory_from(const char *name)
{
	const char *path = getenv(name);

	return path && *path && !strchr(path, ':') ? path : NULL;
}

static int set_defaults(struct settings *c)
{
	size_t count;
	const struct option_spec *spec = option_table(&count);
	const char *runtime = directory_from("RUNTIME_DIRECTORY");
	const char *state = directory_from("STATE_DIRECTORY");
	char **const directories[] = {&c->ledger_directory, &c->recorder_directory};

	for (size_t i = 0; i < count; i++) {
		int r = spec[i].fallback ? option_set(&spec[i], c, spec[i].fallback) : 0;

		if (r < 0)
			return r;
	}
	for (size_t i = 0; state && i < ARRAY_SIZE(directories); i++) {
		char *path = strdup(state);

		if (!path)
			return -ENOMEM;
		free(*directories[i]);
		*directories[i] = path;
	}
	if (runtime) {
		char *path;

		if (asprintf(&path, "%s/%s", runtime, socket_name) < 0)
			return -ENOMEM;
		free(c->snapshot_socket);
		c->snapshot_socket = path;
	}
	return 0;
}

static int settings_refuse(
	char error[static SETTINGS_ERROR_SIZE], const struct option_spec *spec, const char *value)
{
	char expected[OPTION_EXPECTED_SIZE];

	if (!*value) {
		snprintf(error, SETTINGS_ERROR_SIZE, "--%s: a value is missing", spec->name);
		return -EINVAL;
	}
	option_expected(spec, expected);
	snprintf(error, SETTINGS_ERROR_SIZE, "--%s: expected %s, got '%.100s'%s", spec->name,
		expected, value, option_remark(spec, value));
	return -EINVAL;
}

struct arguments {
	enum program program;
	int argc;
	char *const *argv;
	bool early; /* only options that decide about reading the file */
	bool *seen; /* by index in the table: options that the command line has set */
};

/*
 * Sets the field of SPEC in C from VALUE of its environment variable. A path must begin with /, as
 * in the file: the variable stays when the current directory changes.
 */
static int apply_variable(const struct option_spec *spec, const char *value, struct settings *c,
	char error[static SETTINGS_ERROR_SIZE])
{
	bool is_relative = spec->type == OPTION_PATH && *value != '/';
	int r = is_relative ? -EINVAL : option_set(spec, c, value);
	char expected[OPTION_EXPECTED_SIZE];

	if (r == 0 || r == -ENOMEM)
		return r;
	option_expected(spec, expected);
	snprintf(error, SETTINGS_ERROR_SIZE, "%s: expected %s%s, got '%.100s'%s", spec->variable,
		expected, spec->type == OPTION_PATH ? " that begins with /" : "", value,
		option_remark(spec, value));
	return -EINVAL;
}

static int apply_variables(
	enum program program, struct settings *c, char error[static SETTINGS_ERROR_SIZE])
{
	size_t count;
	const struct option_spec *spec = option_table(&count), *end = spec + count;
	int r = 0;

	for (; spec < end && r == 0; spec++) {
		const char *value = option_variable(spec, program);

		if (value)
			r = apply_variable(spec, value, c, error);
	}
	return r;
}

/* Adds to .variables of C a line for each variable that no option has replaced. */
static int note_variables(const struct arguments *a, struct settings *c)
{
	size_t count;
	const struct option_spec *table = option_table(&count);
	int r = 0;

	for (size_t i = 0; i < count && r == 0; i++) {
		const char *value = option_variable(&table[i], a->program);
		char *line;

		if (!value || a->seen[i])
			continue;
		if (asprintf(&line, "%s sets %s: %s", table[i].variable, table[i].name, value) < 0)
			return -ENOMEM;
		r = text_list_add(&c->variables, line);
		free(line);
	}
	return r;
}

/* Checks the default that RUNTIME_DIRECTORY has set. Options and keys have been checked already. */
static int check_socket(const struct settings *c, char error[static SETTINGS_ERROR_SIZE])
{
	assert(c->snapshot_socket);
	if (strlen(c->snapshot_socket) <= CHANNEL_PATH_MAX)
		return 0;
	snprintf(error, SETTINGS_ERROR_SIZE,
		"RUNTIME_DIRECTORY: expected at most %zu bytes before '/%s', got '%.100s'",
		CHANNEL_PATH_MAX - sizeof(socket_name), socket_name, c->snapshot_socket);
	return -EINVAL;
}

/*
 * Returns true for --path.procfs of memtally: a user who names a proc file system wants it to be
 * read, not memtallyd's snapshot.
 */
static bool implies_live(const struct option_spec *spec, enum program program)
{
	return program == PROGRAM_MEMTALLY &&
	       spec->offset == offsetof(struct settings, path_procfs);
}

static bool is_early(const struct option_spec *spec)
{
	return spec->offset == offsetof(struct settings, config_file) ||
	       spec->offset == offsetof(struct settings, check_config) ||
	       spec->offset == offsetof(struct settings, help) ||
	       spec->offset == offsetof(struct settings, version);
}

enum { OPTION_NAME_SIZE = 64 };

/*
 * Copies the name in ARG, an option without its dashes, up to an equals sign. A name that is too
 * long for any option becomes an empty one.
 */
static void copy_name(const char *arg, char to[static OPTION_NAME_SIZE])
{
	size_t len = strcspn(arg, "=");

	snprintf(to, OPTION_NAME_SIZE, "%.*s", (int)(len < OPTION_NAME_SIZE ? len : 0), arg);
}

/* Refuses ARG with the option that it may mean: NAME, the name in ARG, is no option of PROGRAM. */
static int refuse_option(const char *arg, const char *name, enum program program,
	char error[static SETTINGS_ERROR_SIZE])
{
	struct nearest nearest;
	size_t count;
	const struct option_spec *spec = option_table(&count), *end = spec + count;

	nearest_init(&nearest, name);
	for (; spec < end; spec++)
		if (spec->programs & program)
			nearest_consider(&nearest, spec->name, strlen(spec->name));
	if (nearest.len)
		snprintf(error, SETTINGS_ERROR_SIZE, "unknown option '%.100s'; did you mean --%s?",
			arg, nearest.found);
	else
		snprintf(error, SETTINGS_ERROR_SIZE, "unknown option '%.100s'; try --help", arg);
	return -EINVAL;
}

/*
 * Refuses LETTER of ARG, which PROGRAM does not have. If ARG is a long option with one dash, names
 * that option.
 */
static int refuse_letter(
	const char *arg, char letter, enum program program, char error[static SETTINGS_ERROR_SIZE])
{
	const struct option_spec *spec;
	char name[OPTION_NAME_SIZE];

	copy_name(arg + 1, name);
	spec = option_find(name, program);
	if (spec)
		snprintf(error, SETTINGS_ERROR_SIZE, "unknown option '%.100s'; did you mean --%s?",
			arg, spec->name);
	else if (arg[2] && letter > ' ' && letter <= '~')
		snprintf(error, SETTINGS_ERROR_SIZE, "unknown option '-%c' in '%.100s'; try --help",
			letter, arg);
	else
		snprintf(error, SETTINGS_ERROR_SIZE, "unknown option '%.100s'; try --help", arg);
	return -EINVAL;
}

/*
 * Applies SPEC with VALUE. If VALUE is NULL and SPEC needs one, the value is the argument after *I,
 * and *I moves there.
 */
static int apply_option(const struct arguments *a, const struct option_spec *spec,
	const char *value, int *i, struct settings *c, char error[static SETTINGS_ERROR_SIZE])
{
	const struct option_spec *table;
	size_t count;
	int r;

	if (!value && spec->type == OPTION_BOOL)
		value = "true";
	if (!value && *i + 1 >= a->argc)
		return settings_refuse(error, spec, "");
	if (!value)
		value = a->argv[++*i];
	if (a->early && !is_early(spec))
		return 0;
	table = option_table(&count);
	if (option_is_list(spec) && !a->seen[spec - table])
		option_reset(spec, c); /* replaces the file's */
	a->seen[spec - table] = true;
	r = option_set(spec, c, value);
	if (r == 0 && implies_live(spec, a->program))
		c->live = true;
	return r == -ENOMEM ? r : r < 0 ? settings_refuse(error, spec, value) : 0;
}

/*
 * Applies the option at *I: "--name", "--name=value" or "--name value". Moves *I to its last
 * argument.
 */
static int apply_long_option(const struct arguments *a, int *i, struct settings *c,
	char error[static SETTINGS_ERROR_SIZE])
{
	const char *arg = a->argv[*i], *equals = strchr(arg, '=');
	const struct option_spec *spec;
	char name[OPTION_NAME_SIZE];

	copy_name(arg + 2, name);
	spec = option_find(name, a->program);
	if (!spec)
		return refuse_option(arg, name, a->program, error);
	return apply_option(a, spec, equals ? equals + 1 : NULL, i, c, error);
}

/*
 * Applies the short options at *I: "-j", several as in "-jb", or one with a value behind them:
 * "-n5", "-n 5", "-jn5". Moves *I to the last argument.
 */
static int apply_short_options(const struct arguments *a, int *i, struct settings *c,
	char error[static SETTINGS_ERROR_SIZE])
{
	const char *arg = a->argv[*i];

	for (const char *at = arg + 1; *at; at++) {
		const struct option_spec *spec = option_find_letter(*at, a->program);
		bool takes_rest;
		int r;

		if (!spec)
			return refuse_letter(arg, *at, a->program, error);
		takes_rest = spec->type != OPTION_BOOL && !spec->letter_value;
		r = apply_option(
			a, spec, takes_rest && at[1] ? at + 1 : spec->letter_value, i, c, error);
		if (r < 0 || takes_rest)
			return r;
	}
	return 0;
}

static int apply_arguments(
	const struct arguments *a, struct settings *c, char error[static SETTINGS_ERROR_SIZE])
{
	bool ended = false;

	for (int i = 1; i < a->argc; i++) {
		const char *arg = a->argv[i];
		int r = 0;

		if (!ended && !strcmp(arg, "--")) {
			ended = true;
		} else if (!ended && !strncmp(arg, "--", 2)) {
			r = apply_long_option(a, &i, c, error);
		} else if (!ended && arg[0] == '-' && arg[1]) {
			r = apply_short_options(a, &i, c, error);
		} else if (!a->early) {
			r = text_list_add(&c->operands, arg);
		}
		if (r < 0)
			return r;
	}
	return 0;
}

/*
 * Returns true if PROGRAM goes on without its default file, which could not be read because of
 * error R.
 */
static bool may_be_left_out(int r, enum program program, const struct settings *c)
{
	if (r == -ENOENT)
		return true;
	return (r == -EACCES || r == -EBADMSG) && program == PROGRAM_MEMTALLY && !c->check_config;
}

enum { FILE_LEFT_OUT = 1 };

/*
 * Reads the file. NAMED: the user has named it. Returns FILE_LEFT_OUT if PROGRAM goes on without
 * it, and ERROR says why.
 */
static int apply_file(struct settings *c, bool named, enum program program,
	char error[static SETTINGS_ERROR_SIZE])
{
	int r = yaml_load(c->config_file, program, c, error);

	if (r == 0 || named || !may_be_left_out(r, program, c))
		return r;
	if (r != -ENOENT)
		return FILE_LEFT_OUT;
	error[0] = 0;
	c->is_file_missing = true;
	return 0;
}

/*
 * Does the work of settings_load(), with or without the file. Also returns FILE_LEFT_OUT, as
 * apply_file().
 */
static int settings_load_from(const struct arguments *given, bool with_file, struct settings **ret,
	char error[static SETTINGS_ERROR_SIZE])
{
	AUTO_SETTINGS struct settings *c = calloc(1, sizeof(*c));
	AUTO_FREE bool *seen = NULL;
	struct arguments args = *given;
	AUTO_FREE char *fallback = NULL;
	size_t count;
	int r;

	error[0] = 0;
	option_table(&count);
	seen = calloc(count, sizeof(*seen));
	if (!c || !seen)
		return -ENOMEM;
	args.seen = seen;
	r = set_defaults(c);
	if (r == 0) {
		fallback = c->config_file;
		c->config_file = NULL;
		args.early = true;
		r = apply_arguments(&args, c, error);
	}
	if (r == 0) {
		bool named = c->config_file != NULL;

		if (!named)
			c->config_file = TAKE_PTR(fallback);
		/* --help and --version must work with a broken file. */
		if (with_file && !c->help && !c->version)
			r = apply_file(c, named, args.program, error);
	}
	/* These must work with a broken environment, too. */
	if (r == 0 && !c->help && !c->version)
		r = apply_variables(args.program, c, error);
	if (r == 0) {
		args.early = false;
		r = apply_arguments(&args, c, error);
	}
	if (r == 0)
		r = note_variables(&args, c);
	if (r == 0 && args.program != PROGRAM_MEMTALLY && c->operands.count) {
		snprintf(error, SETTINGS_ERROR_SIZE, "unexpected argument '%.100s'; try --help",
			c->operands.item[0]);
		r = -EINVAL;
	}
	if (r == 0 && !c->help && !c->version)
		r = check_socket(c, error);
	if (r == 0)
		*ret = TAKE_PTR(c);
	return r;
}

/* Loads without the file. WHY says why it is left out. */
static int load_without_file(const struct arguments *args, const char *why, struct settings **ret,
	char error[static SETTINGS_ERROR_SIZE])
{
	AUTO_SETTINGS struct settings *c = NULL;
	AUTO_FREE char *ignored = NULL;
	int r;

	if (asprintf(&ignored, "%s; the file is ignored and the defaults apply", why) < 0) {
		ignored = NULL;
		return -ENOMEM;
	}
	r = settings_load_from(args, false, &c, error);
	if (r != 0)
		return r;
	c->ignored = TAKE_PTR(ignored);
	*ret = TAKE_PTR(c);
	return 0;
}

int settings_load(enum program program, int argc, char *const argv[], struct settings **ret,
	char error[static SETTINGS_ERROR_SIZE])
{
	const struct arguments args = {.program = program, .argc = argc, .argv = argv};
	int r = settings_load_from(&args, true, ret, error);

	if (r == FILE_LEFT_OUT) {
		AUTO_FREE char *why = strdup(error);

		r = why ? load_without_file(&args, why, ret, error) : -ENOMEM;
	}
	if (r == -ENOMEM)
		snprintf(error, SETTINGS_ERROR_SIZE, "out of memory");
	return r;
}
