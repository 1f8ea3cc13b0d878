/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of config/option.h: the option table and the checks of values. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <ctype.h>

#include "base/clock.h"
#include "config/option.h"
#include "config/settings.h"
#include "tests/unit/support/faults/allocation.h"

static const unsigned int programs[] = {
	PROGRAM_MEMTALLYD, PROGRAM_WEB, PROGRAM_LEDGER, PROGRAM_RECORDER, PROGRAM_MEMTALLY};

static size_t size_of(enum option_type type)
{
	switch (type) {
	case OPTION_BOOL: return sizeof(bool);
	case OPTION_COUNT:
	case OPTION_DURATION:
	case OPTION_PERCENT:
	case OPTION_CHOICE: return sizeof(uint64_t);
	case OPTION_TEXT:
	case OPTION_PATH:
	case OPTION_URL_PATH: return sizeof(char *);
	case OPTION_LIST:
	case OPTION_ADDRESSES:
	case OPTION_HOSTS: return sizeof(struct text_list);
	}
	return 0;
}

static bool is_name(const char *name)
{
	for (const char *c = name; *c; c++)
		if (!islower((unsigned char)*c) &&
			(c == name || (*c != '-' && *c != '_' && *c != '.') || !c[1]))
			return false;
	return *name != 0;
}

/* What options, keys, help and man pages assume of every row. */
static void table_is_consistent(void **state)
{
	size_t count;
	const struct option_spec *spec = option_table(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		const struct option_spec *s = &spec[i];
		size_t help = strlen(s->help);

		assert_true(is_name(s->name));
		/* Only options of views may be left out of a build. */
		assert_true(s->programs || (!s->in_file && !(ENABLE_LEDGER && ENABLE_INSPECT)));
		/* Only memtally reads variables. */
		if (s->variable)
			assert_int_equal(strncmp(s->variable, "MEMTALLY_", 9), 0);
		if (!s->programs)
			continue;
		assert_int_equal(s->metavar == NULL, s->type == OPTION_BOOL);
		assert_true(s->choices ? s->type == OPTION_CHOICE || s->type == OPTION_TEXT
				       : s->type != OPTION_CHOICE);
		assert_true(s->offset + size_of(s->type) <= sizeof(struct settings));
		assert_true(help > 10 && s->help[help - 1] == '.' && s->help[0] != ' ');
		/*
		 * Every option has a default; otherwise a program would run with 0 or NULL. An
		 * empty list and no file are valid defaults.
		 */
		if (s->in_file && s->type != OPTION_HOSTS &&
			strcmp(s->name, "web.config.file") != 0 &&
			strcmp(s->name, "naming.process_exporter") != 0)
			assert_non_null(s->fallback);
		if (s->type == OPTION_DURATION || s->type == OPTION_PERCENT)
			assert_non_null(s->fallback);
		if (s->type == OPTION_COUNT || s->type == OPTION_DURATION ||
			s->type == OPTION_PERCENT)
			assert_true(s->min < s->max);
	}
}

/* No two options have the same letter, and a value that a letter stands for is not needed twice. */
static void letters_are_unique(void **state)
{
	AUTO_SETTINGS struct settings *c = calloc(1, sizeof(*c));
	size_t count, letters = 0;
	const struct option_spec *spec = option_table(&count);

	(void)state;
	assert_non_null(c);
	for (size_t i = 0; i < count; i++) {
		if (!spec[i].letter) {
			assert_null(spec[i].letter_value);
			continue;
		}
		letters++;
		assert_true(islower((unsigned char)spec[i].letter));
		assert_ptr_equal(option_find_letter(spec[i].letter, ~0U), &spec[i]);
		assert_ptr_equal(option_find_letter(spec[i].letter, spec[i].programs), &spec[i]);
		assert_null(option_find_letter(spec[i].letter, ~spec[i].programs));
		if (spec[i].letter_value)
			assert_int_equal(option_set(&spec[i], c, spec[i].letter_value), 0);
	}
	assert_int_equal(letters, 8);
	assert_null(option_find_letter(0, ~0U));
	assert_null(option_find_letter('x', ~0U));
}

/* Every setting of a daemon may be in the file, and no other option may. */
static void file_may_have_all_settings_of_daemons(void **state)
{
	static const char *const flags_only[] = {
		"config.file", "config.process-exporter", "check-config", "version", "help"};
	size_t count;
	const struct option_spec *spec = option_table(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		bool expected = spec[i].programs & ~(unsigned int)PROGRAM_MEMTALLY;

		for (size_t k = 0; k < ARRAY_SIZE(flags_only); k++)
			expected &= strcmp(spec[i].name, flags_only[k]) != 0;
		assert_int_equal(spec[i].in_file, expected);
	}
}

/* Whether one of A and B is another name for the other on the command line. */
static bool are_one_setting(const struct option_spec *a, const struct option_spec *b)
{
	return a->offset == b->offset && a->type == b->type && a->in_file != b->in_file;
}

/* No two rows share a name, a field or a key. */
static void rows_do_not_collide(void **state)
{
	size_t count;
	const struct option_spec *spec = option_table(&count);

	(void)state;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < count; k++) {
			size_t len = strlen(spec[i].name);

			if (i == k)
				continue;
			assert_string_not_equal(spec[i].name, spec[k].name);
			assert_true(are_one_setting(&spec[i], &spec[k]) ||
				    spec[i].offset >= spec[k].offset + size_of(spec[k].type) ||
				    spec[k].offset >= spec[i].offset + size_of(spec[i].type));
			/* A key with a value cannot also be a mapping. */
			assert_false(spec[i].in_file && !strncmp(spec[i].name, spec[k].name, len) &&
				     spec[k].name[len] == '.');
		}
}

static void accepts_its_defaults(void **state)
{
	AUTO_SETTINGS struct settings *c = calloc(1, sizeof(*c));
	size_t count;
	const struct option_spec *spec = option_table(&count);

	(void)state;
	assert_non_null(c);
	for (size_t i = 0; i < count; i++)
		if (spec[i].fallback)
			assert_int_equal(option_set(&spec[i], c, spec[i].fallback), 0);
}

/* A build without surveys warns of an interval between them, so its default is none. */
static void surveys_are_a_default_if_there_are_any(void **state)
{
	const struct option_spec *spec = option_find("files.interval", PROGRAM_MEMTALLYD);

	(void)state;
	assert_non_null(spec);
	assert_string_equal(spec->fallback, ENABLE_INSPECT ? "1h" : "0");
}

static void finds_by_name_and_program(void **state)
{
	size_t count;
	const struct option_spec *spec = option_table(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		assert_ptr_equal(
			option_find(spec[i].name, ~0U), spec[i].programs ? &spec[i] : NULL);
		for (size_t p = 0; p < ARRAY_SIZE(programs); p++)
			assert_ptr_equal(option_find(spec[i].name, programs[p]),
				spec[i].programs & programs[p] ? &spec[i] : NULL);
	}
	assert_null(option_find("", ~0U));
	assert_null(option_find("interva", ~0U));
	assert_null(option_find("intervall", ~0U));
	assert_null(option_find("Interval", ~0U));
}

static void programs_have_names(void **state)
{
	(void)state;
	assert_string_equal(option_program_name(PROGRAM_MEMTALLYD), "memtallyd");
	assert_string_equal(option_program_name(PROGRAM_WEB), "memtally-web");
	assert_string_equal(option_program_name(PROGRAM_LEDGER), "memtally-ledger");
	assert_string_equal(option_program_name(PROGRAM_RECORDER), "memtally-recorder");
	assert_string_equal(option_program_name(PROGRAM_MEMTALLY), "memtally");
}

/* An option of each type, with a field in struct settings. */
static const char *const choices[] = {"one", "two", "three", NULL};
static const struct option_spec specs[] = {
	{.name = "b", .type = OPTION_BOOL, .offset = offsetof(struct settings, live)},
	{.name = "n",
		.type = OPTION_COUNT,
		.min = 2,
		.max = 100,
		.offset = offsetof(struct settings, limit)},
	{.name = "d",
		.type = OPTION_DURATION,
		.min = NS_PER_SEC / 4,
		.max = 90 * NS_PER_SEC,
		.fallback = "7s",
		.offset = offsetof(struct settings, interval_ns)},
	{.name = "e",
		.type = OPTION_PERCENT,
		.min = 100,
		.max = 1000000,
		.fallback = "1%",
		.offset = offsetof(struct settings, budget_cpu_ppm)},
	{.name = "c",
		.type = OPTION_CHOICE,
		.choices = choices,
		.offset = offsetof(struct settings, log_level)},
	{.name = "t", .type = OPTION_TEXT, .offset = offsetof(struct settings, sort)},
	{.name = "p", .type = OPTION_PATH, .offset = offsetof(struct settings, path_procfs)},
	{.name = "l", .type = OPTION_LIST, .offset = offsetof(struct settings, user)},
	{.name = "u",
		.type = OPTION_URL_PATH,
		.offset = offsetof(struct settings, web_telemetry_path)},
	{.name = "a",
		.type = OPTION_ADDRESSES,
		.offset = offsetof(struct settings, web_listen_address)},
	{.name = "h", .type = OPTION_HOSTS, .offset = offsetof(struct settings, web_allowed_hosts)},
};

enum { OLD = 55 };

static void numbers_are_in_range(void **state)
{
	static const struct {
		enum option_type type;
		const char *text;
		int result;
		uint64_t value;
	} cases[] = {
		{OPTION_COUNT, "2", 0, 2},
		{OPTION_COUNT, "100", 0, 100},
		{OPTION_COUNT, "1", -ERANGE, OLD},
		{OPTION_COUNT, "101", -ERANGE, OLD},
		{OPTION_COUNT, "18446744073709551616", -ERANGE, OLD},
		{OPTION_COUNT, "", -EINVAL, OLD},
		{OPTION_COUNT, "-2", -EINVAL, OLD},
		{OPTION_COUNT, "2 ", -EINVAL, OLD},
		{OPTION_COUNT, "0x10", -EINVAL, OLD},
		{OPTION_COUNT, "10s", -EINVAL, OLD},
		{OPTION_DURATION, "250ms", 0, NS_PER_SEC / 4},
		{OPTION_DURATION, "1m30s", 0, 90 * NS_PER_SEC},
		{OPTION_DURATION, "5", 0, 5 * NS_PER_SEC},
		{OPTION_DURATION, "249ms", -ERANGE, OLD},
		{OPTION_DURATION, "91s", -ERANGE, OLD},
		{OPTION_DURATION, "0", -ERANGE, OLD},
		{OPTION_DURATION, "", -EINVAL, OLD},
		{OPTION_DURATION, "1 m", -EINVAL, OLD},
		{OPTION_PERCENT, "1%", 0, 10000},
		{OPTION_PERCENT, "1", 0, 10000},
		{OPTION_PERCENT, "100%", 0, 1000000},
		{OPTION_PERCENT, "0.01%", 0, 100},
		{OPTION_PERCENT, "0.5", 0, 5000},
		{OPTION_PERCENT, "12.3456%", 0, 123456},
		{OPTION_PERCENT, "0", -ERANGE, OLD},
		{OPTION_PERCENT, "0%", -ERANGE, OLD},
		{OPTION_PERCENT, "0.0099%", -ERANGE, OLD},
		{OPTION_PERCENT, "100.0001%", -ERANGE, OLD},
		{OPTION_PERCENT, "101%", -ERANGE, OLD},
		{OPTION_PERCENT, "18446744073709551615%", -ERANGE, OLD},
		{OPTION_PERCENT, "18446744073709551616", -ERANGE, OLD},
		{OPTION_PERCENT, "1.00001%", -EINVAL, OLD},
		{OPTION_PERCENT, "-1%", -EINVAL, OLD},
		{OPTION_PERCENT, "1 %", -EINVAL, OLD},
		{OPTION_PERCENT, "1%%", -EINVAL, OLD},
		{OPTION_PERCENT, "1.%", -EINVAL, OLD},
		{OPTION_PERCENT, ".5", -EINVAL, OLD},
		{OPTION_PERCENT, "%", -EINVAL, OLD},
		{OPTION_PERCENT, "", -EINVAL, OLD},
		{OPTION_PERCENT, "1s", -EINVAL, OLD},
		{OPTION_CHOICE, "one", 0, 0},
		{OPTION_CHOICE, "three", 0, 2},
		{OPTION_CHOICE, "", -EINVAL, OLD},
		{OPTION_CHOICE, "One", -EINVAL, OLD},
		{OPTION_CHOICE, "on", -EINVAL, OLD},
		{OPTION_CHOICE, "1", -EINVAL, OLD},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct option_spec *spec = &specs[cases[i].type];
		struct settings c = {
			.limit = OLD, .interval_ns = OLD, .log_level = OLD, .budget_cpu_ppm = OLD};
		uint64_t value;

		assert_int_equal(spec->type, cases[i].type);
		if (option_set(spec, &c, cases[i].text) != cases[i].result)
			fail_msg("'%s'", cases[i].text);
		memcpy(&value, (char *)&c + spec->offset, sizeof(value));
		assert_int_equal(value, cases[i].value);
	}
}

static void booleans_are_true_or_false(void **state)
{
	static const char *const bad[] = {"", "1", "yes", "True", "on", "truee"};
	struct settings c = {.live = true};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(option_set(&specs[OPTION_BOOL], &c, bad[i]), -EINVAL);
	assert_true(c.live);
	assert_int_equal(option_set(&specs[OPTION_BOOL], &c, "false"), 0);
	assert_false(c.live);
	assert_int_equal(option_set(&specs[OPTION_BOOL], &c, "true"), 0);
	assert_true(c.live);
}

static void texts_are_replaced_and_lists_appended(void **state)
{
	AUTO_SETTINGS struct settings *c = calloc(1, sizeof(*c));

	(void)state;
	assert_non_null(c);
	for (int type = OPTION_TEXT; type <= OPTION_LIST; type++) {
		const struct option_spec *spec = &specs[type];

		assert_int_equal(spec->type, type);
		assert_int_equal(option_set(spec, c, "a"), 0);
		assert_int_equal(option_set(spec, c, "b"), 0);
		assert_int_equal(option_set(spec, c, ""), -EINVAL);
	}
	assert_string_equal(c->sort, "b");
	assert_string_equal(c->path_procfs, "b");
	assert_int_equal(c->user.count, 2);
	assert_string_equal(c->user.item[0], "a");
	assert_string_equal(c->user.item[1], "b");
	for (size_t i = 0; i < ARRAY_SIZE(specs); i++)
		option_reset(&specs[i], c);
	assert_null(c->sort);
	assert_null(c->path_procfs);
	assert_int_equal(c->user.count, 0);
	assert_null(c->user.item);
	option_reset(&specs[OPTION_LIST], c); /* freeing twice is allowed */
}

static void paths_have_a_length(void **state)
{
	const struct option_spec *socket = option_find("snapshot.socket", PROGRAM_WEB);
	char path[109] = "";
	AUTO_SETTINGS struct settings *c = calloc(1, sizeof(*c));

	(void)state;
	assert_non_null(c);
	memset(path, 'x', 108);
	assert_int_equal(option_set(socket, c, path), -ERANGE);
	assert_null(c->snapshot_socket);
	path[107] = 0;
	assert_int_equal(option_set(socket, c, path), 0);
	memset(path, 'x', 108);
	assert_int_equal(option_set(&specs[OPTION_PATH], c, path), 0);
}

static void url_paths_are_plain_and_free(void **state)
{
	static const char *const good[] = {"/metrics", "/a/b-c_d.e~f/0", "/api", "/apiary",
		"/healthz/x", "/readyz2", "//", "/assets", "/-/reload", "/ready", "/compat/x"};
	static const char *const bad[] = {"", "metrics", "/a b", "/a?b", "/a#b", "/a%62",
		"/\xc3\xa4", "/a\"b", "/<a>", "/", "/healthz", "/livez", "/-/healthy", "/readyz",
		"/-/ready", "/compat/process-exporter/metrics", "/api/", "/api/v1/host",
		"/api/v9/x", "/assets/", "/assets/x"};
	const struct option_spec *spec = &specs[OPTION_URL_PATH];
	AUTO_SETTINGS struct settings *c = calloc(1, sizeof(*c));

	(void)state;
	assert_non_null(c);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (option_set(spec, c, bad[i]) != -EINVAL)
			fail_msg("'%s'", bad[i]);
	assert_null(c->web_telemetry_path);
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_int_equal(option_set(spec, c, good[i]), 0);
		assert_string_equal(c->web_telemetry_path, good[i]);
	}
}

static void addresses_are_checked_one_by_one(void **state)
{
	const struct option_spec *spec = &specs[OPTION_ADDRESSES];
	AUTO_SETTINGS struct settings *c = calloc(1, sizeof(*c));

	(void)state;
	assert_non_null(c);
	assert_true(option_is_list(spec) && option_is_list(&specs[OPTION_LIST]));
	assert_false(option_is_list(&specs[OPTION_TEXT]));
	assert_int_equal(option_set(spec, c, "127.0.0.1:1"), 0);
	assert_int_equal(option_set(spec, c, "nonsense"), -EINVAL);
	assert_int_equal(option_set(spec, c, "127.0.0.1:99999"), -EINVAL);
	assert_int_equal(option_set(spec, c, ""), -EINVAL);
	assert_int_equal(option_set(spec, c, "unix:/s"), 0);
	assert_int_equal(c->web_listen_address.count, 2);
	assert_string_equal(c->web_listen_address.item[1], "unix:/s");
}

static void hosts_have_no_port(void **state)
{
	const struct option_spec *spec = &specs[OPTION_HOSTS];
	AUTO_SETTINGS struct settings *c = calloc(1, sizeof(*c));

	(void)state;
	assert_non_null(c);
	assert_true(option_is_list(spec));
	assert_int_equal(option_set(spec, c, "a.example"), 0);
	assert_int_equal(option_set(spec, c, "a.example:80"), -EINVAL);
	assert_int_equal(option_set(spec, c, ""), -EINVAL);
	assert_int_equal(option_set(spec, c, "b"), 0);
	assert_int_equal(c->web_allowed_hosts.count, 2);
	assert_string_equal(c->web_allowed_hosts.item[1], "b");
}

static void knows_the_options_that_are_set(void **state)
{
	static const struct {
		enum option_type type;
		const char *empty, *text;
	} cases[] = {
		{OPTION_BOOL, "false", "true"},
		{OPTION_COUNT, NULL, "2"},
		{OPTION_CHOICE, "one", "two"}, /* the first choice is 0 */
		{OPTION_TEXT, NULL, "a"},
		{OPTION_PATH, NULL, "a"},
		{OPTION_LIST, NULL, "a"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_SETTINGS struct settings *c = calloc(1, sizeof(*c));
		const struct option_spec *spec = &specs[cases[i].type];

		assert_non_null(c);
		assert_false(option_is_set(spec, c));
		if (cases[i].empty)
			assert_int_equal(option_set(spec, c, cases[i].empty), 0);
		assert_false(option_is_set(spec, c));
		assert_int_equal(option_set(spec, c, cases[i].text), 0);
		for (size_t k = 0; k < ARRAY_SIZE(specs); k++)
			assert_int_equal(option_is_set(&specs[k], c), k == cases[i].type);
	}
}

static void returns_errors_without_memory(void **state)
{
	(void)state;
	for (int type = OPTION_TEXT; type <= OPTION_LIST; type++)
		for (unsigned int n = 1; n; n = allocation_next(n)) {
			AUTO_SETTINGS struct settings *c = calloc(1, sizeof(*c));
			const struct option_spec *spec = &specs[type];

			assert_non_null(c);
			assert_int_equal(option_set(spec, c, "old"), 0);
			allocation_fail_at(n);
			if (allocation_check(option_set(spec, c, "new"))) {
				if (type == OPTION_LIST)
					assert_int_equal(c->user.count, 1);
				else
					assert_string_equal(
						type == OPTION_TEXT ? c->sort : c->path_procfs,
						"old");
			}
		}
}

static void describes_accepted_values(void **state)
{
	static const struct {
		struct option_spec spec;
		const char *expected;
	} cases[] = {
		{{.type = OPTION_BOOL}, "true or false"},
		{{.type = OPTION_COUNT, .min = 0, .max = UINT64_MAX},
			"a whole number from 0 to 18446744073709551615"},
		{{.type = OPTION_DURATION, .min = 0, .max = 90 * NS_PER_SEC, .fallback = "10s"},
			"0 or a duration up to 90s, such as 10s"},
		{{.type = OPTION_PERCENT, .min = 100, .max = 1000000, .fallback = "1%"},
			"a percentage from 0.01% to 100%, such as 1%"},
		{{.type = OPTION_PERCENT, .min = 10000, .max = 123450, .fallback = "1%"},
			"a percentage from 1% to 12.345%, such as 1%"},
		{{.type = OPTION_DURATION,
			 .min = 1500 * NS_PER_MSEC,
			 .max = 7200 * NS_PER_SEC,
			 .fallback = "1m"},
			"a duration from 1500ms to 2h, such as 1m"},
		{{.type = OPTION_DURATION,
			 .min = 120 * NS_PER_SEC,
			 .max = 86400 * NS_PER_SEC,
			 .fallback = "1h"},
			"a duration from 2m to 1d, such as 1h"},
		{{.type = OPTION_CHOICE, .choices = choices}, "one, two or three"},
		{{.type = OPTION_CHOICE, .choices = choices + 1}, "two or three"},
		{{.type = OPTION_CHOICE, .choices = choices + 2}, "three"},
		{{.type = OPTION_TEXT}, "a text that is not empty"},
		{{.type = OPTION_LIST}, "a text that is not empty"},
		{{.type = OPTION_PATH}, "a path"},
		{{.type = OPTION_PATH, .max = 107}, "a path of at most 107 bytes"},
		{{.type = OPTION_URL_PATH},
			"a path that nothing else has, of letters, digits and -._~/ behind a '/'"},
		{{.type = OPTION_ADDRESSES},
			"HOST:PORT, [IPv6]:PORT, :PORT or unix:PATH with a PATH of at most 107 bytes"},
		{{.type = OPTION_HOSTS},
			"the name of a host without a port, of letters, digits and -_."},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[OPTION_EXPECTED_SIZE];

		option_expected(&cases[i].spec, text);
		assert_string_equal(text, cases[i].expected);
	}
}

static void cuts_long_lists_of_choices(void **state)
{
	static const char long_choice[150] = {[0 ... 148] = 'x'};
	static const char *const many[] = {long_choice, long_choice, long_choice, NULL};
	const struct option_spec spec = {.type = OPTION_CHOICE, .choices = many};
	char text[OPTION_EXPECTED_SIZE + 1];

	(void)state;
	text[OPTION_EXPECTED_SIZE] = '#';
	option_expected(&spec, text);
	assert_true(strlen(text) < OPTION_EXPECTED_SIZE);
	assert_int_equal(text[OPTION_EXPECTED_SIZE], '#');
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_is_consistent),
		cmocka_unit_test(letters_are_unique),
		cmocka_unit_test(file_may_have_all_settings_of_daemons),
		cmocka_unit_test(rows_do_not_collide),
		cmocka_unit_test(accepts_its_defaults),
		cmocka_unit_test(surveys_are_a_default_if_there_are_any),
		cmocka_unit_test(finds_by_name_and_program),
		cmocka_unit_test(programs_have_names),
		cmocka_unit_test(numbers_are_in_range),
		cmocka_unit_test(booleans_are_true_or_false),
		cmocka_unit_test(texts_are_replaced_and_lists_appended),
		cmocka_unit_test(paths_have_a_length),
		cmocka_unit_test(url_paths_are_plain_and_free),
		cmocka_unit_test(addresses_are_checked_one_by_one),
		cmocka_unit_test(hosts_have_no_port),
		cmocka_unit_test(knows_the_options_that_are_set),
		cmocka_unit_test(returns_errors_without_memory),
		cmocka_unit_test(describes_accepted_values),
		cmocka_unit_test(cuts_long_lists_of_choices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
