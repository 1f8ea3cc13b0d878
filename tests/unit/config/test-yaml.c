/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of config/yaml.h: the configuration file. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/log.h"
#include "config/yaml.h"
#include "tests/unit/support/faults/allocation.h"

static struct settings *new_settings(void)
{
	struct settings *c = calloc(1, sizeof(*c));

	assert_non_null(c);
	return c;
}

/* memtally ignores errors in settings that it does not use, unless it is to check the file. */
static int parse(const char *text, enum program program, struct settings *c, char *error)
{
	c->check_config = true;
	return yaml_parse("f.yaml", text, strlen(text), program, c, error);
}

static struct settings *parse_good(const char *text, enum program program)
{
	struct settings *c = new_settings();
	char error[SETTINGS_ERROR_SIZE];

	if (parse(text, program, c, error) != 0)
		fail_msg("%s\n%s", text, error);
	return c;
}

/* The same settings in every notation. */
static void keys_may_be_nested_or_dotted(void **state)
{
	static const char *const texts[] = {
		"pss.mode: exact\ninterval: 3s\nexport.users: 7\nexport.units: 8\n",
		"pss:\n  mode: exact\ninterval: 3s\nexport:\n  users: 7\n  units: 8\n",
		"{pss: {mode: exact}, interval: 3s, export: {users: 7, units: 8}}",
		"{\"pss\": {\"mode\": \"exact\"}, \"interval\": \"3s\","
		" \"export\": {\"users\": 7, \"units\": \"8\"}}",
		"# a comment\n---\ninterval: '3s' # another\nexport.users: 7\nexport: {units: 8}\n"
		"pss.mode: exact\n...\n",
		"%YAML 1.1\n---\n\"interval\": 3\nexport: {users: 07, units: 8}\npss.mode:\n  exact\n",
		"\xef\xbb\xbfinterval: 3000ms\r\nexport:\r\n    users: 7\r\n    units: 8\r\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		AUTO_SETTINGS struct settings *c = parse_good(texts[i], PROGRAM_MEMTALLYD);

		assert_int_equal(c->interval_ns, 3 * NS_PER_SEC);
		assert_int_equal(c->export_users, 7);
		assert_int_equal(c->export_units, 8);
		assert_int_equal(c->pss_mode, PSS_MODE_EXACT);
	}
}

static void an_empty_file_sets_nothing(void **state)
{
	static const char *const texts[] = {"", "\n\n", "# nothing\n", "---\n", "---\n...\n", "{}",
		"pss: {}\n", "\xef\xbb\xbf"};
	static const struct settings zero;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		AUTO_SETTINGS struct settings *c = parse_good(texts[i], PROGRAM_MEMTALLYD);

		c->check_config = false;
		assert_memory_equal(c, &zero, sizeof(zero));
	}
}

static void lists_may_be_a_text_or_a_sequence(void **state)
{
	static const struct {
		const char *text;
		size_t count;
	} cases[] = {
		{"web.listen-address: :80", 1},
		{"web:\n  listen-address: ':80'\n", 1},
		{"web.listen-address: [':80']", 1},
		{"web.listen-address:\n- :80\n- unix:/run/x\n- '[::1]:80'\n", 3},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_SETTINGS struct settings *c = parse_good(cases[i].text, PROGRAM_WEB);

		assert_int_equal(c->web_listen_address.count, cases[i].count);
		assert_string_equal(c->web_listen_address.item[0], ":80");
	}
}

/* The previous content, for example a default, does not stay in the list. */
static void lists_are_replaced(void **state)
{
	AUTO_SETTINGS struct settings *c = new_settings();
	char error[SETTINGS_ERROR_SIZE];

	(void)state;
	assert_int_equal(text_list_add(&c->web_listen_address, "the default"), 0);
	assert_int_equal(text_list_add(&c->web_listen_address, "of two"), 0);
	assert_int_equal(parse("web.listen-address: [':1', ':2', ':3']", PROGRAM_WEB, c, error), 0);
	assert_int_equal(c->web_listen_address.count, 3);
	assert_string_equal(c->web_listen_address.item[0], ":1");
	assert_string_equal(c->web_listen_address.item[2], ":3");
}

/* Settings of other programs share the file. They are checked and have no effect. */
static void other_programs_keys_have_no_effect(void **state)
{
	static const char text[] =
		"web.listen-address: [':1', ':2']\nweb.telemetry-path: /m\ninterval: 5s\n"
		"log.level: debug\n";
	AUTO_SETTINGS struct settings *daemon = parse_good(text, PROGRAM_MEMTALLYD);
	AUTO_SETTINGS struct settings *web = parse_good(text, PROGRAM_WEB);
	AUTO_SETTINGS struct settings *memtally = parse_good(text, PROGRAM_MEMTALLY);

	(void)state;
	assert_int_equal(daemon->web_listen_address.count, 0);
	assert_null(daemon->web_telemetry_path);
	assert_int_equal(daemon->interval_ns, 5 * NS_PER_SEC);
	assert_int_equal(web->web_listen_address.count, 2);
	assert_string_equal(web->web_telemetry_path, "/m");
	assert_int_equal(web->interval_ns, 0);
	assert_int_equal(memtally->interval_ns, 0);
	assert_int_equal(daemon->log_level, LOG_LEVEL_DEBUG);
	assert_int_equal(web->log_level, LOG_LEVEL_DEBUG);
	assert_int_equal(memtally->log_level, LOG_LEVEL_DEBUG);
}

#define UNKNOWN(key)                                                                               \
	"unknown key '" key "': expected a setting that the manual page memtally.yaml(5) lists"
#define MEANT(key, meant) UNKNOWN(key) "; did you mean '" meant "'?"
#define A_URL_PATH        "a path that nothing else has, of letters, digits and -._~/ behind a '/'"
#define AN_ADDRESS        "HOST:PORT, [IPv6]:PORT, :PORT or unix:PATH with a PATH of at most 107 bytes"
#define A_COUNT           "a whole number from 1 to 100000"
#define A_DURATION        "a duration from 100ms to 1d, such as 10s"
#define X50               "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

/* Each error names the file, the line, the key and what was expected. */
static const struct {
	const char *text, *error;
} bad[] = {
	/* keys */
	{"intervall: 5s", "f.yaml:1: " MEANT("intervall", "interval")},
	{"# first\n\nInterval: 5s", "f.yaml:3: " MEANT("Interval", "interval")},
	{"pss:\n  mode: exact\n  speed: 9\n", "f.yaml:3: " UNKNOWN("pss.speed")},
	{"pss.mode.x: 1", "f.yaml:1: " MEANT("pss.mode.x", "pss.mode")},
	{"pss:\n  '': 1", "f.yaml:2: " MEANT("pss.", "pss")},
	{"'': 1", "f.yaml:1: " UNKNOWN("")},
	{"'.': 1", "f.yaml:1: " UNKNOWN(".")},
	{"pss: {pss.mode: exact}", "f.yaml:1: " UNKNOWN("pss.pss.mode")},
	{"5: 5", "f.yaml:1: " UNKNOWN("5")},
	{"live: true", "f.yaml:1: " UNKNOWN("live")}, /* an option only */
	{"config.file:\n\n  /x", "f.yaml:1: " UNKNOWN("config.file")},
	{"config:\n  file: /x", "f.yaml:1: " UNKNOWN("config")},
	{X50 X50 X50 ": 1", "f.yaml:1: " UNKNOWN(X50 X50)},
	{"interval: 5s\ninterval: 6s\n", "f.yaml:2: key 'interval' stands twice"},
	{"pss.mode: exact\npss:\n  mode:\n\n    exact\n", "f.yaml:3: key 'pss.mode' stands twice"},
	{"export:\n  users: 1\nexport:\n  units: 1\n", "f.yaml:3: key 'export' stands twice"},
	{"web.listen-address: :1\nweb.listen-address:\n- :2\n",
		"f.yaml:2: key 'web.listen-address' stands twice"},
	{"[a]: 1", "f.yaml:1: expected a key"},
	{"{a: 1}: 1", "f.yaml:1: expected a key"},
	{"*a : 1", "f.yaml:1: expected a key"},
	{"\"a\\0b\": 1", "f.yaml:1: expected a key"},

	{"lnterval: 5s", "f.yaml:1: " MEANT("lnterval", "interval")},
	{"web.listen_address: ':1'",
		"f.yaml:1: " MEANT("web.listen_address", "web.listen-address")},
	{"web:\n  tcp-scpoe: auto\n", "f.yaml:2: " MEANT("web.tcp-scpoe", "web.tcp_scope")},
	{"exprot: {users: 5}", "f.yaml:1: " MEANT("exprot", "export")},

	/* values */
	{"interval: soon", "f.yaml:1: interval: expected " A_DURATION ", got 'soon'"},
	{"interval:\n  1us\n", "f.yaml:2: interval: expected " A_DURATION ", got '1us'"},
	{"interval: 99ms", "f.yaml:1: interval: expected " A_DURATION ", got '99ms'"},
	{"interval: 90000", "f.yaml:1: interval: expected " A_DURATION
			    ", got '90000' (a number without a unit is seconds)"},
	{"interval: 25h", "f.yaml:1: interval: expected " A_DURATION ", got '25h'"},
	{"interval: \"5s\\0x\"", "f.yaml:1: interval: expected " A_DURATION ", got '5s'"},
	{"interval:", "f.yaml:1: interval: expected " A_DURATION ", got ''"},
	{"interval: ~", "f.yaml:1: interval: expected " A_DURATION ", got '~'"},
	{"interval: [5s]", "f.yaml:1: interval: expected " A_DURATION ", got a list"},
	{"interval: {a: 5s}", "f.yaml:1: interval: expected " A_DURATION ", got a mapping"},
	{"export:\n  users: 0\n", "f.yaml:2: export.users: expected " A_COUNT ", got '0'"},
	{"export.users: 1e3", "f.yaml:1: export.users: expected " A_COUNT ", got '1e3'"},
	{"export.users: -1", "f.yaml:1: export.users: expected " A_COUNT ", got '-1'"},
	{"export.users: 100001", "f.yaml:1: export.users: expected " A_COUNT ", got '100001'"},
	{"pss.mode: fast", "f.yaml:1: pss.mode: expected exact or adaptive, got 'fast'"},
	{"log.level: INFO",
		"f.yaml:1: log.level: expected error, warning, info or debug, got 'INFO'"},
	{"path.procfs: proc",
		"f.yaml:1: path.procfs: expected a path that begins with /, got 'proc'"},
	{"path.procfs: ''", "f.yaml:1: path.procfs: expected a path that begins with /, got ''"},
	{"web.telemetry-path: ''", "f.yaml:1: web.telemetry-path: expected " A_URL_PATH ", got ''"},
	{"web.telemetry-path: /healthz",
		"f.yaml:1: web.telemetry-path: expected " A_URL_PATH ", got '/healthz'"},
	{"snapshot.socket: /" X50 X50 X50,
		"f.yaml:1: snapshot.socket: expected a path of at most 107 bytes that begins with "
		"/, got '/" X50 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'"},
	{"web.listen-address: 127.0.0.1:99999",
		"f.yaml:1: web.listen-address: expected " AN_ADDRESS ", got '127.0.0.1:99999'"},
	{"web.listen-address:\n- 127.0.0.1:1\n- nonsense\n",
		"f.yaml:3: web.listen-address: expected " AN_ADDRESS ", got 'nonsense'"},
	{"web.listen-address:\n- :1\n- unix:/" X50 X50 X50,
		"f.yaml:3: web.listen-address: expected " AN_ADDRESS ", got 'unix:/" X50
		"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'"},
	{"interval: " X50 X50 X50,
		"f.yaml:1: interval: expected " A_DURATION ", got '" X50 X50 "'"},
	{"pss: exact", "f.yaml:1: pss: expected a mapping"},
	{"pss:\n- mode\n", "f.yaml:2: pss: expected a mapping"},
	{"pss:", "f.yaml:1: pss: expected a mapping"},

	/* lists */
	{"web.listen-address: []",
		"f.yaml:1: web.listen-address: expected a list that is not empty"},
	{"web.listen-address:\n- :1\n- [b]\n",
		"f.yaml:3: web.listen-address: expected a list of texts"},
	{"web.listen-address:\n- :1\n- b: c\n",
		"f.yaml:3: web.listen-address: expected a list of texts"},
	{"web.listen-address:\n- :1\n-\n",
		"f.yaml:3: web.listen-address: expected " AN_ADDRESS ", got ''"},
	{"web.listen-address: {a: b}",
		"f.yaml:1: web.listen-address: expected " AN_ADDRESS ", got a mapping"},

	/* YAML features that are not supported */
	{"interval: &a 5s", "f.yaml:1: expected no anchor, got '&a'"},
	{"&a interval: 5s", "f.yaml:1: expected no anchor, got '&a'"},
	{"pss: &a {mode: exact}", "f.yaml:1: expected no anchor, got '&a'"},
	{"&a\npss: {mode: exact}", "f.yaml:1: expected no anchor, got '&a'"},
	{"web.listen-address: &a\n- x\n", "f.yaml:1: expected no anchor, got '&a'"},
	{"web.listen-address:\n- &a x\n", "f.yaml:2: expected no anchor, got '&a'"},
	{"interval: *a", "f.yaml:1: interval: expected " A_DURATION ", got a reference"},
	{"web.listen-address: [':1', *a]",
		"f.yaml:1: web.listen-address: expected a list of texts"},
	{"pss: *a", "f.yaml:1: pss: expected a mapping"},
	{"interval: !!int 5", "f.yaml:1: expected no tag, got 'tag:yaml.org,2002:int'"},
	{"interval: !x 5", "f.yaml:1: expected no tag, got '!x'"},
	{"--- !x\ninterval: 5", "f.yaml:1: expected no tag, got '!x'"},
	{"interval: 5s\n---\ninterval: 6s\n", "f.yaml:2: expected one document"},
	{"interval: 5s\n--- {}\n", "f.yaml:2: expected one document"},

	/* not a mapping */
	{"interval", "f.yaml:1: expected 'key: value' lines"},
	{"- interval: 5s", "f.yaml:1: expected 'key: value' lines"},
	{"\n~", "f.yaml:2: expected 'key: value' lines"},
	{"*a", "f.yaml:1: expected 'key: value' lines"},

	/* not YAML: the rest of the message is libyaml's */
	{"interval: 5s\n\tpss: {}\n", "f.yaml:2: not YAML: "},
	{"interval: 5s\npss: {mode: exact\n", "f.yaml:3: not YAML: "},
	{"interval: 'x\n\n", "f.yaml:3: not YAML: "},
	{"interval: 5s\nlog.level: in\xff"
	 "fo\n",
		"f.yaml:2: not YAML: "},
	{"interval: 5s\n\nlog.level: \x01\n", "f.yaml:3: not YAML: "},
	{"? [[[[[[[[[[[[[[[[", "f.yaml:1: expected a key\n"
			       "f.yaml:1: expected at most 16 levels of lists and mappings"},
};

static bool says(const char *error, const char *expected)
{
	size_t len = strlen(expected);

	if (expected[len - 1] != ' ')
		return !strcmp(error, expected);
	return !strncmp(error, expected, len) && error[len];
}

static int expected_result(const char *error)
{
	return strstr(error, "not YAML") || strstr(error, "at most 16 levels") ? -EBADMSG : -EINVAL;
}

static void names_line_and_key_of_errors(void **state)
{
	static const enum program programs[] = {PROGRAM_MEMTALLYD, PROGRAM_WEB, PROGRAM_MEMTALLY};
	unsigned int wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		for (size_t p = 0; p < ARRAY_SIZE(programs); p++) { /* one file with all of them */
			AUTO_SETTINGS struct settings *c = new_settings();
			char error[SETTINGS_ERROR_SIZE];
			int r = parse(bad[i].text, programs[p], c, error);

			if (r == expected_result(bad[i].error) && says(error, bad[i].error))
				continue;
			print_error("%s\n%d, %s\ninstead of\n%s\n\n", bad[i].text, r, error,
				bad[i].error);
			wrong++;
		}
	assert_int_equal(wrong, 0);
}

/*
 * An error does not hide later ones anywhere in the file, and valid settings between them cause
 * none.
 */
static void reports_all_errors(void **state)
{
	static const struct {
		const char *text, *error;
		int result;
	} cases[] = {
		{"intervall: 5s\npss.mode: fast\nexport.users: 5\nexport:\n  units: 0\n  groups: 7\n"
		 "  pods: -1\nlog.level: info\nweb: [1, {a: b}]\nbudget.cpu: 1%\n",
			"f.yaml:1: " MEANT("intervall",
				"interval") "\n"
					    "f.yaml:2: pss.mode: expected exact or adaptive, got 'fast'\n"
					    "f.yaml:5: export.units: expected " A_COUNT
					    ", got '0'\n"
					    "f.yaml:7: export.pods: expected " A_COUNT
					    ", got '-1'\n"
					    "f.yaml:9: web: expected a mapping",
			-EINVAL},
		{"nothing: {of: [this, {is: known}], nor: this}\ninterval: soon\n",
			"f.yaml:1: " UNKNOWN("nothing") "\n"
							"f.yaml:2: interval: expected " A_DURATION
							", got 'soon'",
			-EINVAL},
		{"web.listen-address:\n- a\n- :1\n- [b, [c]]\n- {d: e}\n- :2\ninterval: 1\nx: y\n",
			"f.yaml:2: web.listen-address: expected " AN_ADDRESS ", got 'a'\n"
			"f.yaml:4: web.listen-address: expected a list of texts\n"
			"f.yaml:5: web.listen-address: expected a list of texts\n"
			"f.yaml:8: " UNKNOWN("x"),
			-EINVAL},
		{"{a: 1}: {b: [1]}\n? [c]\n: d\n&e interval: 5s\ninterval: &f [1, [2]]\ninterval: 0\n",
			"f.yaml:1: expected a key\nf.yaml:2: expected a key\n"
			"f.yaml:4: expected no anchor, got '&e'\n"
			"f.yaml:5: expected no anchor, got '&f'\n"
			"f.yaml:6: interval: expected " A_DURATION ", got '0'",
			-EINVAL},
		{"interval: \"a\\nb\"\npss.mode: fast\n",
			"f.yaml:1: interval: expected " A_DURATION ", got 'a b'\n"
			"f.yaml:2: pss.mode: expected exact or adaptive, got 'fast'",
			-EINVAL},
		{"interval: soon\npss: {mode: exact\n",
			"f.yaml:1: interval: expected " A_DURATION ", got 'soon'\n"
			"f.yaml:3: not YAML: did not find expected ',' or '}'",
			-EBADMSG},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_SETTINGS struct settings *c = new_settings();
		char error[SETTINGS_ERROR_SIZE];

		assert_int_equal(
			parse(cases[i].text, PROGRAM_MEMTALLYD, c, error), cases[i].result);
		assert_string_equal(error, cases[i].error);
	}
}

/* The text has a maximum length and says how many errors are left out. */
static void counts_errors_beyond_the_text(void **state)
{
	AUTO_SETTINGS struct settings *c = new_settings();
	AUTO_BUFFER struct buffer text = {0};
	char error[SETTINGS_ERROR_SIZE];
	unsigned int lines = 1;
	const char *last;

	(void)state;
	for (int i = 0; i < 1000; i++)
		buffer_printf(&text, "bad%d: 1\n", i);
	assert_int_equal(text.error, 0);
	assert_int_equal(
		yaml_parse("f", text.data, text.len, PROGRAM_MEMTALLYD, c, error), -EINVAL);
	last = strrchr(error, '\n');
	for (const char *at = error; (at = strchr(at, '\n')); at++)
		lines++;
	assert_true(lines > 20);
	buffer_clear(&text);
	buffer_printf(&text, "\nand %u more", 1000 - (lines - 1));
	buffer_add_char(&text, 0);
	assert_string_equal(last, text.data);
}

/* Settings that memtally does not use concern other programs: it goes on with a warning. */
static void memtally_ignores_errors_in_unused_settings(void **state)
{
	static const struct {
		const char *text, *ignored;
	} cases[] = {
		{"interval: soon\nlog.level: debug\n", "f.yaml:1: interval: expected " A_DURATION
						       ", got 'soon'; this setting is ignored"},
		{"intervall: 5s\nlog.level: debug\n",
			"f.yaml:1: " MEANT("intervall", "interval") "; this setting is ignored"},
		{"pss: exact\nlog.level: debug\nnew: {setting: [1]}\nweb.telemetry-path: x\n",
			"f.yaml:1: pss: expected a mapping; this setting is ignored, and 2 more faults "
			"like it (see memtally --check-config)"},
		{"interval: 5s\nlog: {level: debug}\ninterval: 5s\n",
			"f.yaml:3: key 'interval' stands twice; this setting is ignored"},
		{"interval: 5s\nlog: {level: debug}\n", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_SETTINGS struct settings *c = new_settings(), *other = new_settings();
		char error[SETTINGS_ERROR_SIZE];
		const char *text = cases[i].text;

		assert_int_equal(
			yaml_parse("f.yaml", text, strlen(text), PROGRAM_MEMTALLY, c, error), 0);
		assert_string_equal(error, "");
		assert_int_equal(c->log_level, LOG_LEVEL_DEBUG);
		if (cases[i].ignored)
			assert_string_equal(c->ignored, cases[i].ignored);
		else
			assert_null(c->ignored);
		assert_int_equal(
			yaml_parse("f.yaml", text, strlen(text), PROGRAM_WEB, other, error),
			cases[i].ignored ? -EINVAL : 0);
		assert_null(other->ignored);
	}
}

/* Errors in its own settings count, and so do unknown settings. */
static void memtally_refuses_errors_in_its_settings(void **state)
{
	static const struct {
		const char *text, *error;
		int result;
	} cases[] = {
		{"interval: soon\nlog.level: loud\n",
			"f.yaml:2: log.level: expected error, warning, info or debug, got 'loud'",
			-EINVAL},
		{"snapshot: {public: all, socket: run}\n",
			"f.yaml:1: snapshot.socket: expected a path of at most 107 bytes that begins with "
			"/, got 'run'",
			-EINVAL},
		{"interval: soon\n[a]: b\n", "f.yaml:2: expected a key", -EINVAL},
		{"interval: {\n", "f.yaml:2: not YAML: did not find expected node content",
			-EBADMSG},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_SETTINGS struct settings *c = new_settings();
		char error[SETTINGS_ERROR_SIZE];

		assert_int_equal(yaml_parse("f.yaml", cases[i].text, strlen(cases[i].text),
					 PROGRAM_MEMTALLY, c, error),
			cases[i].result);
		assert_string_equal(error, cases[i].error);
	}
}

/* A file name may have any length: the message is cut. */
static void survives_long_file_names(void **state)
{
	AUTO_SETTINGS struct settings *c = new_settings();
	char error[SETTINGS_ERROR_SIZE + 1], name[2 * SETTINGS_ERROR_SIZE];

	(void)state;
	memset(name, 'n', sizeof(name));
	for (size_t len = SETTINGS_ERROR_SIZE - 20; len < sizeof(name); len++) {
		name[len] = 0;
		memset(error, '#', sizeof(error));
		assert_int_equal(
			yaml_parse(name, "bad: 1", 6, PROGRAM_MEMTALLYD, c, error), -EINVAL);
		assert_true(strlen(error) < SETTINGS_ERROR_SIZE);
		assert_int_equal(error[SETTINGS_ERROR_SIZE], '#');
		name[len] = 'n';
	}
}

/* No nesting depth does harm. */
static void survives_deep_nesting(void **state)
{
	static const char *const openings[] = {"[", "{", "{a: ", "pss: {", "{pss: ", "- ", "? "};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(openings); i++) {
		AUTO_SETTINGS struct settings *c = new_settings();
		AUTO_BUFFER struct buffer text = {0};
		char error[SETTINGS_ERROR_SIZE] = "";

		for (int depth = 0; depth < 2000; depth++)
			buffer_add_text(&text, openings[i]);
		assert_int_equal(text.error, 0);
		assert_true(yaml_parse("f", text.data, text.len, PROGRAM_MEMTALLYD, c, error) < 0);
		assert_true(strlen(error) > 0);
	}
}

/* A truncated file is valid, or is refused with a line number. */
static void survives_truncated_files(void **state)
{
	static const char text[] =
		"# comment\npss:\n  mode: \"exact\"\ninterval: 10s\nexport: {users: 5, units: 6}\n"
		"web:\n  listen-address:\n  - 127.0.0.1:9636\n  - unix:/run/x\nlog.level: 'info'\n";

	(void)state;
	for (size_t len = 0; len < sizeof(text); len++) {
		AUTO_SETTINGS struct settings *c = new_settings();
		AUTO_FREE char *cut = malloc(len + 1); /* so that a read past the end is found */
		char error[SETTINGS_ERROR_SIZE] = "";
		int r;

		assert_non_null(cut);
		memcpy(cut + 1, text, len);
		r = yaml_parse("f", cut + 1, len, PROGRAM_WEB, c, error);
		assert_true(
			r == 0 || ((r == -EINVAL || r == -EBADMSG) && !strncmp(error, "f:", 2)));
		assert_int_equal(r == 0, !error[0]);
	}
}

static void returns_errors_without_memory(void **state)
{
	static const char text[] = "pss: {mode: exact}\nweb.listen-address: [':1', ':2']\n"
				   "web.telemetry-path: /m\nsnapshot.socket: /run/x\n";

	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_SETTINGS struct settings *c = new_settings();
		char error[SETTINGS_ERROR_SIZE];

		allocation_fail_at(n);
		allocation_check(parse(text, PROGRAM_WEB, c, error));
	}
	assert_true(allocation_count() > 4);
}

static void reads_files(void **state)
{
	char path[] = "test-yaml-XXXXXX", error[SETTINGS_ERROR_SIZE], expected[128];
	AUTO_SETTINGS struct settings *c = new_settings();
	AUTO_CLOSE int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "interval: 5s\n", 13), 13);
	assert_int_equal(yaml_load(path, PROGRAM_MEMTALLYD, c, error), 0);
	assert_int_equal(c->interval_ns, 5 * NS_PER_SEC);

	assert_int_equal(write(fd, "bad: 1\n", 7), 7);
	assert_int_equal(yaml_load(path, PROGRAM_MEMTALLYD, c, error), -EINVAL);
	snprintf(expected, sizeof(expected), "%s:2: " UNKNOWN("bad"), path);
	assert_string_equal(error, expected);

	assert_int_equal(ftruncate(fd, (1 << 20) + 1), 0);
	assert_int_equal(yaml_load(path, PROGRAM_MEMTALLYD, c, error), -EFBIG);
	snprintf(expected, sizeof(expected), "%s: File too large", path);
	assert_string_equal(error, expected);

	assert_int_equal(unlink(path), 0);
	assert_int_equal(yaml_load(path, PROGRAM_MEMTALLYD, c, error), -ENOENT);
	snprintf(expected, sizeof(expected), "%s: No such file or directory", path);
	assert_string_equal(error, expected);
	assert_int_equal(yaml_load("/", PROGRAM_MEMTALLYD, c, error), -EISDIR);
	assert_string_equal(error, "/: Is a directory");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_may_be_nested_or_dotted),
		cmocka_unit_test(an_empty_file_sets_nothing),
		cmocka_unit_test(lists_may_be_a_text_or_a_sequence),
		cmocka_unit_test(lists_are_replaced),
		cmocka_unit_test(other_programs_keys_have_no_effect),
		cmocka_unit_test(names_line_and_key_of_errors),
		cmocka_unit_test(reports_all_errors),
		cmocka_unit_test(counts_errors_beyond_the_text),
		cmocka_unit_test(memtally_ignores_errors_in_unused_settings),
		cmocka_unit_test(memtally_refuses_errors_in_its_settings),
		cmocka_unit_test(survives_long_file_names),
		cmocka_unit_test(survives_deep_nesting),
		cmocka_unit_test(survives_truncated_files),
		cmocka_unit_test(returns_errors_without_memory),
		cmocka_unit_test(reads_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
