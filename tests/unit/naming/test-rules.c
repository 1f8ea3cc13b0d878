/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of naming/rules.h. Processes, configurations and names marked "seen" are those that
 * process-exporter 0.7.10 was run with, and the names that it printed.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>

#include "base/buffer.h"
#include "naming/rules.h"
#include "snapshot/record.h"
#include "tests/unit/support/faults/allocation.h"

static void rules_cleanup(struct naming_rules **r)
{
	naming_rules_free(*r);
}

#define AUTO_RULES CLEANUP(rules_cleanup)

static struct naming_rules *parse_good(const char *text)
{
	struct naming_rules *rules;
	char error[NAMING_ERRORS_SIZE];

	if (naming_rules_parse("f", text, strlen(text), &rules, error) != 0)
		fail_msg("%s\n%s", text, error);
	assert_string_equal(error, "");
	return rules;
}

/* The length of a literal with NUL bytes, without its terminator. */
#define BYTES(text) text, sizeof(text) - 1

#define PROCESS(pid_, name, args, user, uid_, groups, start)                                       \
	{                                                                                          \
		.pid = (pid_), .comm = (name), .comm_len = sizeof(name) - 1, .cmdline = (args),    \
		.cmdline_len = sizeof(args) - 1, .username = (user), .uid = (uid_),                \
		.cgroup = (groups), .cgroup_len = sizeof(groups) - 1, .start_s = (start)           \
	}

#define ROOT "0::/\n"
#define BOOT 1700000000

static const struct naming_process processes[] = {
	PROCESS(1, "systemd", "/sbin/init\0", "root", 0, ROOT, BOOT),
	PROCESS(2, "kthreadd", "", "root", 0, ROOT, BOOT),
	PROCESS(10, "kworker/0:1", "", "root", 0, ROOT, BOOT),
	PROCESS(100, "bash", "-bash\0", NULL, 61000, ROOT, BOOT + 50),
	PROCESS(101, "python3", "/usr/bin/python3\0/srv/app/main.py\0--cfg\0a.ini\0", NULL, 61000,
		"0::/user.slice/user-61000.slice/session-1.scope\n", BOOT + 10),
	PROCESS(102, "python3", "/opt/py/python3\0-m\0x\0", NULL, 61000, ROOT, BOOT + 10),
	PROCESS(103, "postgres", "postgres: writer process   \0", "backup", 34, ROOT, BOOT + 10),
	PROCESS(104, "sshd", "sshd: alice@pts/0\0", "root", 0, ROOT, BOOT + 10),
	PROCESS(105, "java", "java\0-Xmx1g\0-jar\0/srv/foo.jar\0", "root", 0,
		"12:pids:/docker/abc\n11:memory:/docker/abc\n0::/x\n", BOOT + 10),
	PROCESS(106, "nullargs", "a\0b\0\0c\0", "root", 0, ROOT, BOOT + 10),
	PROCESS(107, "notrail", "prog arg without nul", "root", 0, ROOT, BOOT + 10),
	PROCESS(108, "weird) (x", "/bin/weird\0", "root", 0, ROOT, BOOT + 70),
	PROCESS(109, "utf8", "/bin/\xc3\xa9\0", NULL, 4242, ROOT, BOOT + 10),
	PROCESS(110, "orphanchild", "child-of-sshd\0", "root", 0, ROOT, BOOT + 10),
};

enum { PROCESSES = ARRAY_SIZE(processes) };

/* Writes the name that RULES give P to RET; "-" if no rule matches. Returns whether all went well. */
static bool match(struct naming_rules *rules, const struct naming_process *p, char *ret)
{
	AUTO_BUFFER struct buffer name = {0};
	bool failed;
	int r;

	buffer_add_text(&name, "kept");
	r = naming_rules_match(rules, p, NAMING_MOST, &name, &failed);
	assert_true(r == 0 || r == 1);
	assert_true(name.len <= 4 + SNAPSHOT_NAME_MAX);
	assert_int_equal(r == 1, name.len > 4);
	if (r == 0)
		buffer_add_char(&name, '-');
	buffer_add_char(&name, 0);
	assert_memory_equal(name.data, "kept", 4);
	memcpy(ret, name.data + 4, name.len - 4);
	return !failed;
}

static void assert_name(
	struct naming_rules *rules, const struct naming_process *p, const char *name)
{
	char found[SNAPSHOT_NAME_MAX + 1];

	assert_true(match(rules, p, found));
	assert_string_equal(found, name);
}

/* NAMES are in the order of the processes. */
static void assert_names(const char *text, const char *const names[PROCESSES])
{
	AUTO_RULES struct naming_rules *rules = parse_good(text);

	for (size_t i = 0; i < PROCESSES; i++)
		assert_name(rules, &processes[i], names[i]);
}

/* Seen: each process with a command line is in the group of its name. */
static void the_default_of_debian_names_by_comm(void **state)
{
	static const char *const names[PROCESSES] = {"systemd", "-", "-", "bash", "python3",
		"python3", "postgres", "sshd", "java", "nullargs", "notrail", "weird) (x", "utf8",
		"orphanchild"};

	(void)state;
	assert_names("process_names: [{name: '{{.Comm}}', cmdline: ['.+']}]", names);
}

/* Seen, but for process 101: process-exporter does not match it with the first rule. */
static void selectors_and_templates(void **state)
{
	static const char text[] =
		"process_names:\n"
		"  - exe: [/usr/bin/python3, /opt/py/python3]\n"
		"    name: 'dup:{{.ExeFull}}'\n"
		"  - comm: [kthreadd]\n"
		"  - cmdline: ['.*']\n"
		"    comm: ['kworker/0:1']\n"
		"    name: 'kw:{{.ExeBase}}:{{.Matches}}'\n"
		"  - comm: [postgres, sshd, nullargs, notrail, utf8]\n"
		"    cmdline: ['^(?P<first>\\S+)(\\s.*)?$']\n"
		"    name: '{{.ExeBase}}|{{.Matches.first}}|{{.Matches.nope}}|{{.Matches}}|{{.Username}}'\n"
		"  - comm: [java]\n"
		"    cmdline: ['-jar\\s+(?P<jar>\\S+)', '-Xmx(?P<mx>\\S+)']\n"
		"    name: '{{.Comm}} {{.Matches.jar}} {{.Matches.mx}} {{index .Cgroups 0}}"
		" {{range .Cgroups}}<{{.}}>{{end}}'\n"
		"  - comm: ['weird) (x']\n"
		"    name: '{{ printf \"<%s>\" .Comm }}{{if eq .Username \"root\"}} R{{else}} N{{end}}'\n";
	static const char *const names[PROCESSES] = {"-", "kthreadd", "kw:kworker/0:1:map[:]", "-",
		"dup:/usr/bin/python3", "dup:/opt/py/python3",
		("postgres: writer process   |postgres:|<no value>|map[: writer process    "
		 "first:postgres:]|backup"),
		"0|sshd:|<no value>|map[: alice@pts/0 first:sshd:]|root",
		"java /srv/foo.jar 1g /docker/abc </docker/abc></docker/abc></x>",
		"a|a|<no value>|map[: b  c first:a]|root",
		"prog arg without nul|prog|<no value>|map[: arg without nul first:prog]|root",
		"<weird) (x> R",
		"\xc3\xa9|/bin/\xc3\xa9|<no value>|map[: first:/bin/\xc3\xa9]|4242", "-"};

	(void)state;
	assert_names(text, names);
}

/* Seen. */
static void templates_have_all_fields(void **state)
{
	AUTO_RULES struct naming_rules *rules = parse_good(
		"process_names:\n- comm: [python3]\n  name: 'comm:{{.ExeBase}}:{{.ExeFull}}:{{.Username}}"
		":{{.PID}}:{{.StartTime}}:{{.Cgroups}}:{{.Matches}}'\n");

	(void)state;
	assert_name(rules, &processes[4],
		"comm:python3:/usr/bin/python3:61000:101:2023-11-14 22:13:30 +0000 UTC:"
		"[/user.slice/user-61000.slice/session-1.scope]:map[]");
}

/* Seen. A child without a rule is in no group here: the caller knows its parent. */
static void unmatched_processes_have_no_name(void **state)
{
	AUTO_RULES struct naming_rules *rules = parse_good(
		"process_names: [{comm: [sshd], name: 'ssh:{{.Username}}'}]");

	(void)state;
	assert_name(rules, &processes[7], "ssh:root");
	assert_name(rules, &processes[13], "-");
}

/* Seen, but for the name: process-exporter has a group with an empty name. */
static void groups_without_a_name_are_unnamed(void **state)
{
	AUTO_RULES struct naming_rules *rules = parse_good(
		"process_names:\n- comm: [java]\n  name: '{{.Nope}}'\n"
		"- comm: [bash]\n  name: 'x{{.Nope}}'\n"
		"- comm: [sshd]\n  name: '{{if false}}x{{end}}'\n");
	char name[SNAPSHOT_NAME_MAX + 1];

	(void)state;
	assert_false(match(rules, &processes[8], name));
	assert_string_equal(name, "(unnamed)");
	assert_false(match(rules, &processes[3], name));
	assert_string_equal(name, "x");
	assert_name(rules, &processes[7], "(unnamed)");
}

/* Seen: the base name, and what is an argument. */
static void splits_command_lines(void **state)
{
	static const struct {
		const char *args;
		size_t len;
		const char *name;
	} cases[] = {
		{BYTES("t1\0x\0\0\0"), "t1|t1|map[:t1 x]"},
		{BYTES("\0"), "|.|map[:]"},
		{BYTES("\0\0"), "|.|map[:]"},
		{BYTES("\0foo\0"), "|.|map[: foo]"},
		{BYTES("/usr/bin/foo/\0a\0"), "/usr/bin/foo/|foo|map[:/usr/bin/foo/ a]"},
		{BYTES("///\0a\0"), "///|/|map[:/// a]"},
		{BYTES("/\0"), "/|/|map[:/]"},
		{BYTES(""), "n/m|n/m|map[:]"},
	};
	AUTO_RULES struct naming_rules *rules = parse_good(
		"process_names:\n- cmdline: ['^.*$']\n  name: '{{.ExeFull}}|{{.ExeBase}}|{{.Matches}}'\n");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct naming_process p = {
			.comm = "n/m", .comm_len = 3, .cmdline_len = cases[i].len};

		p.cmdline = cases[i].len ? cases[i].args : NULL;
		assert_name(rules, &p, cases[i].name);
	}
}

/* Returns whether a rule with SELECTORS, in YAML, matches P. */
static bool is_selected(const char *selectors, const struct naming_process *p)
{
	AUTO_BUFFER struct buffer text = {0};
	AUTO_RULES struct naming_rules *rules = NULL;
	char name[SNAPSHOT_NAME_MAX + 1];

	buffer_printf(&text, "process_names:\n- {%s}\n%c", selectors, 0);
	assert_int_equal(text.error, 0);
	rules = parse_good(text.data);
	assert_true(match(rules, p, name));
	return strcmp(name, "-") != 0;
}

static void selectors(void **state)
{
	static const struct {
		const char *selectors;
		unsigned int process; /* its index */
		bool is_selected;
	} cases[] = {
		{"comm: [java]", 8, true},
		{"comm: [jav]", 8, false},
		{"comm: [javaa]", 8, false},
		{"comm: [a, java, b]", 8, true},
		{"comm: []", 8, false},
		{"comm: ['']", 8, false},
		{"comm: [null]", 8, false},

		{"exe: [java]", 8, true},
		{"exe: [/bin/java]", 8, false},
		{"exe: [init]", 0, true},
		{"exe: [/sbin/init]", 0, true},
		{"exe: [/bin/init]", 0, false},
		{"exe: [sbin/init]", 0, false},
		{"exe: [/sbin]", 0, false},
		{"exe: []", 0, false},
		{"exe: [bash]", 3, false},
		{"exe: [-bash]", 3, true},
		{"exe: [postgres]", 6, false},
		{"exe: ['postgres: writer process   ']", 6, true},
		{"exe: ['0']", 7, true},
		{"exe: ['sshd: alice@pts/0']", 7, true},
		{"exe: [kthreadd]", 1, false},
		{"exe: ['.', '']", 1, false},
		{"exe: [\"/bin/\\u00e9\"]", 12, true},
		{"exe: [\"\\u00e9\"]", 12, true},
		/* process-exporter matches the last of each pair only */
		{"exe: [/sbin/init, /bin/init]", 0, true},
		{"exe: [/bin/init, /sbin/init]", 0, true},
		{"exe: [/bin/init, init]", 0, true},
		{"exe: [init, /bin/init]", 0, true},

		{"cmdline: []", 1, true},
		{"cmdline: ['.+']", 1, false},
		{"cmdline: ['.*']", 1, true},
		{"cmdline: ['^$']", 1, true},
		{"cmdline: [null]", 8, true},
		{"cmdline: [java, Xmx1g, '-jar /srv']", 8, true},
		{"cmdline: [java, Xmx2g]", 8, false},

		{"comm: [java], cmdline: [foo]", 8, true},
		{"comm: [java], cmdline: [bar]", 8, false},
		{"comm: [jav], cmdline: [foo]", 8, false},
		{"comm: [systemd], exe: [init], cmdline: [sbin]", 0, true},
		{"comm: [systemd], exe: [systemd], cmdline: [sbin]", 0, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (is_selected(cases[i].selectors, &processes[cases[i].process]) !=
			cases[i].is_selected)
			fail_msg("%s: %d", cases[i].selectors, !cases[i].is_selected);
}

static void raw_names_are_compared(void **state)
{
	static const struct naming_process p = PROCESS(
		1, "a\xff", "/b\xff/c\xff\0\xfe\0", NULL, 1, ROOT, BOOT);

	(void)state;
	assert_false(is_selected("comm: [\"a\\ufffd\"]", &p));
	assert_false(is_selected("exe: [\"c\\ufffd\"]", &p));
	assert_true(is_selected("cmdline: [\"^/b\\ufffd/c\\ufffd \\ufffd$\"]", &p));
}

static void the_first_rule_that_matches_names(void **state)
{
	AUTO_RULES struct naming_rules *rules = parse_good(
		"process_names:\n- comm: [java]\n  cmdline: [nothing]\n  name: a\n"
		"- comm: [java, sshd]\n  name: b\n- comm: [java]\n  name: c\n"
		"- cmdline: []\n  exe: [child-of-sshd]\n");

	(void)state;
	assert_name(rules, &processes[8], "b");
	assert_name(rules, &processes[7], "b");
	assert_name(rules, &processes[13], "child-of-sshd");
	assert_name(rules, &processes[3], "-");
}

/* Seen: a pattern's whole match has the empty name, as groups without a name have. */
static void patterns_share_their_groups(void **state)
{
	AUTO_RULES struct naming_rules *rules = parse_good(
		"process_names:\n- comm: [java]\n  cmdline: ['ja(v)a', 'ar (?P<b>.)']\n"
		"  name: '{{.Comm}}{{.Matches}}'\n"
		"- comm: [sshd]\n  cmdline: ['(?P<n>a)l', '(?P<n>p)ts', '^(?P<u>x)?s']\n"
		"  name: '{{.Matches}}'\n");

	(void)state;
	assert_name(rules, &processes[8], "javamap[:ar / b:/]");
	assert_name(rules, &processes[7], "map[:s n:p u:]");
}

/* A pattern that was found does not count if another one of its rule was not. */
static void groups_are_of_the_rule_that_matched(void **state)
{
	AUTO_RULES struct naming_rules *rules = parse_good(
		"process_names:\n- cmdline: ['(j)(a)(v)(a)', nothing]\n- cmdline: ['(?P<x>j)', nothing]\n"
		"- comm: [java]\n  name: '{{.Matches}}'\n");

	(void)state;
	assert_name(rules, &processes[8], "map[]");
}

static void names_are_clean(void **state)
{
	static const struct naming_process p = PROCESS(
		7, "a\xff\n", "(other)\0x\xfe\x1b\0", "\xfcser", 7, "3:a:/\xff:b\nx\n0::/c", 0);
	AUTO_RULES struct naming_rules *rules = NULL;

	(void)state;
	rules = parse_good("process_names:\n- cmdline: [' (.*)']\n"
			   "  name: '{{.Comm}}|{{.Matches}}|{{.Username}}|{{.Cgroups}}'\n");
	assert_name(rules, &p,
		"a\xef\xbf\xbd\\x0a|map[:x\xef\xbf\xbd\\x1b]|\xef\xbf\xbdser|[/\xef\xbf\xbd:b /c]");
	naming_rules_free(rules);
	rules = parse_good("process_names:\n- cmdline: ['']\n");
	assert_name(rules, &p, "\\x28other)");
	naming_rules_free(rules);
	rules = parse_good("process_names: [{cmdline: [''], name: (unnamed)}]");
	assert_name(rules, &p, "\\x28unnamed)");
}

static void names_are_cut(void **state)
{
	AUTO_RULES struct naming_rules *rules = parse_good(
		"process_names: [{cmdline: [''], name: '{{.ExeFull}}'}]");
	char args[3000], name[SNAPSHOT_NAME_MAX + 1];

	(void)state;
	for (int fill = 'a'; fill >= 0; fill -= 'a') {
		struct naming_process p = {
			.comm = "", .cmdline = args, .cmdline_len = sizeof(args)};

		memset(args, fill ? fill : 1, sizeof(args));
		match(rules, &p, name);
		assert_in_range(strlen(name), SNAPSHOT_NAME_MAX - 6, SNAPSHOT_NAME_MAX);
	}
}

/* Rules see the first NAMING_CMDLINE_MAX bytes. */
static void long_command_lines_are_cut(void **state)
{
	enum { LEN = 1 << 20 };
	AUTO_RULES struct naming_rules *rules = parse_good(
		"process_names:\n- cmdline: [end]\n  name: all\n- cmdline: ['^x+y$']\n  name: cut\n");
	AUTO_FREE char *args = malloc(LEN);
	struct naming_process p = {.comm = "", .cmdline = args, .cmdline_len = LEN};

	(void)state;
	assert_non_null(args);
	memset(args, 'x', LEN);
	args[NAMING_CMDLINE_MAX - 1] = 'y';
	memcpy(args + LEN - 4, "end", 4);
	assert_name(rules, &p, "cut");
	memcpy(args + NAMING_CMDLINE_MAX - 3, "end", 3);
	assert_name(rules, &p, "all");
	memcpy(args + NAMING_CMDLINE_MAX - 2, "end", 3);
	assert_name(rules, &p, "-");
}

/* The patterns take time that is exponential in the length of the arguments. */
static void patterns_that_take_too_long_do_not_match(void **state)
{
	static const struct naming_process p = PROCESS(
		1, "x", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\0", "u", 1, ROOT, 0);
	AUTO_RULES struct naming_rules *rules = parse_good(
		"process_names:\n- cmdline: ['^a', '^(a|aa)+[bc]']\n  name: a\n"
		"- comm: [x]\n  name: b\n");
	AUTO_RULES struct naming_rules *none = parse_good(
		"process_names:\n- cmdline: ['^((a|aa)+)+[bc]']\n  name: a\n");
	char name[SNAPSHOT_NAME_MAX + 1];

	(void)state;
	assert_false(match(rules, &p, name));
	assert_string_equal(name, "b");
	assert_false(match(none, &p, name));
	assert_string_equal(name, "-");
}

static void tells_what_rules_need(void **state)
{
	static const struct {
		const char *text;
		bool username, cgroup;
	} cases[] = {
		{"process_names: []", false, false},
		{"process_names: [{comm: [a]}, {comm: [a], name: '{{.PID}}{{.StartTime}}'}]", false,
			false},
		{"process_names: [{comm: [a], name: '{{.Username}}'}, {comm: [a]}]", true, false},
		{"process_names: [{comm: [a]}, {comm: [a], name: '{{.Cgroups}}'}, {comm: [a]}]",
			false, true},
		{"process_names: [{comm: [a], name: '{{.Username}}'},"
		 " {comm: [a], name: '{{index .Cgroups 0}}'}]",
			true, true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_RULES struct naming_rules *rules = parse_good(cases[i].text);
		struct naming_needs needs = naming_rules_needs(rules);

		assert_int_equal(needs.username, cases[i].username);
		assert_int_equal(needs.cgroup, cases[i].cgroup);
	}
}

/* Without a text of /proc/PID/cgroup, as for a process that exited. */
static void cgroups_may_be_unknown(void **state)
{
	AUTO_RULES struct naming_rules *rules = parse_good(
		"process_names: [{comm: [a], name: 'c{{.Cgroups}}'}]");
	struct naming_process p = PROCESS(1, "a", "", "u", 1, "", 0);

	(void)state;
	assert_name(rules, &p, "c[]");
	p.cgroup = NULL;
	p.cgroup_len = 1;
	assert_name(rules, &p, "c[]");
	p.cgroup = "\n:\n1:\n0::";
	p.cgroup_len = 9;
	assert_name(rules, &p, "c[]");
	p.cgroup_len = 8;
	assert_name(rules, &p, "c[]");
}

static void assert_refused(const char *text, int result, const char *const errors[], size_t count)
{
	struct naming_rules *rules = NULL;
	char error[NAMING_ERRORS_SIZE];
	char *line = error;

	assert_int_equal(naming_rules_parse("f", text, strlen(text), &rules, error), result);
	assert_null(rules);
	for (size_t i = 0; i < count; i++) {
		char *end = strchrnul(line, '\n');

		if (strncmp(line, errors[i], strlen(errors[i])) != 0 || (i + 1 == count) != !*end)
			fail_msg("%s\nexpected %s\ngot      %s", text, errors[i], line);
		line = end + 1;
	}
}

/* Their own tests have the reasons of pattern.h, template.h and rules-file.h. */
static void reports_all_faults(void **state)
{
	static const char *const errors[] = {
		"f:2: item 1: cmdline: pattern '(?<bad': ",
		"f:4: item 1: cmdline: pattern '(': ",
		"f:5: item 2 selects nothing: comm, exe or cmdline expected",
		"f:7: item 3: name: ",
		"f:6: item 3: cmdline: pattern '(?=a)': ",
		"f:8: item 4: unknown key 'com': expected name, comm, exe or cmdline",
		"f:10: item 6: name: ",
	};

	(void)state;
	assert_refused(
		"process_names:\n- cmdline: ['(?<bad', ok,\n    fine,\n    '(']\n- name: x\n"
		"- cmdline: ['(?=a)']\n  name: '{{.Foo'\n- com: [a]\n- comm: [b]\n- {comm: [c], name: '{{'}\n",
		-EINVAL, errors, ARRAY_SIZE(errors));
	assert_refused("process_names: [", -EBADMSG,
		(const char *const[]){"f:2: not YAML: did not find expected node content"}, 1);
}

/* Parses COUNT rules with a pattern that is nearly as large as a pattern may be. */
static int parse_large(int count, char error[static NAMING_ERRORS_SIZE])
{
	AUTO_BUFFER struct buffer text = {0};
	AUTO_RULES struct naming_rules *rules = NULL;

	buffer_add_text(&text, "process_names:\n");
	for (int i = 0; i < count; i++)
		buffer_add_text(&text, "- cmdline: ['(?:abcdefgh|ijkl){200}']\n");
	assert_int_equal(text.error, 0);
	return naming_rules_parse("f", text.data, text.len, &rules, error);
}

/* One fault, although each of the further patterns is too much, too. */
static void memory_of_all_patterns_is_limited(void **state)
{
	char error[NAMING_ERRORS_SIZE];

	(void)state;
	assert_int_equal(parse_large(300, error), 0);
	assert_int_equal(parse_large(2000, error), -EINVAL);
	assert_non_null(strstr(error, ": cmdline: the patterns up to here take more than 16 MiB"));
	assert_null(strchr(error, '\n'));
}

static void reads_files(void **state)
{
	char path[] = "test-rules-XXXXXX", error[NAMING_ERRORS_SIZE], expected[128];
	AUTO_RULES struct naming_rules *rules = NULL;
	struct naming_rules *none = NULL;
	AUTO_CLOSE int fd = mkstemp(path);
	static const char text[] = "process_names: [{comm: [a]}]\n";

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(naming_rules_load(path, &none, error), -EINVAL);
	snprintf(expected, sizeof(expected), "%s:1: expected the key process_names", path);
	assert_string_equal(error, expected);

	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	assert_int_equal(naming_rules_load(path, &rules, error), 0);
	assert_non_null(rules);

	assert_int_equal(ftruncate(fd, (1 << 20) + 1), 0);
	assert_int_equal(naming_rules_load(path, &none, error), -EFBIG);
	snprintf(expected, sizeof(expected), "%s: File too large", path);
	assert_string_equal(error, expected);

	assert_int_equal(unlink(path), 0);
	assert_int_equal(naming_rules_load(path, &none, error), -ENOENT);
	snprintf(expected, sizeof(expected), "%s: No such file or directory", path);
	assert_string_equal(error, expected);
	assert_null(none);
}

static void rules_of_one_text_are_the_same(void **state)
{
	static const char text[] = "process_names: [{comm: [a]}]";
	AUTO_RULES struct naming_rules *a = parse_good(text), *b = parse_good(text),
				       *longer = parse_good("process_names: [{comm: [a]}]\n"),
				       *other = parse_good("process_names: [{comm: [b]}]");

	(void)state;
	assert_true(naming_rules_are_same(a, b));
	assert_true(naming_rules_are_same(NULL, NULL));
	assert_false(naming_rules_are_same(a, longer));
	assert_false(naming_rules_are_same(a, other));
	assert_false(naming_rules_are_same(a, NULL));
	assert_false(naming_rules_are_same(NULL, a));
}

static const char everything[] =
	"process_names:\n- comm: [a]\n  exe: [b]\n  cmdline: ['(x)', (?P<n>y)]\n  name: '{{.Comm}}'\n"
	"- comm: [java]\n  exe: [java, /java]\n  cmdline: ['-jar (.*)', java]\n"
	"  name: '{{.ExeBase}} {{.Matches}} {{.Cgroups}} {{.Username}}'\n";

static void parses_without_memory(void **state)
{
	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_RULES struct naming_rules *rules = NULL;
		char error[NAMING_ERRORS_SIZE];

		int r;

		allocation_fail_at(n);
		r = naming_rules_parse("f", BYTES(everything), &rules, error);
		allocation_check(r);
		assert_string_equal(error, r < 0 ? "f: Cannot allocate memory" : "");
	}
	assert_true(allocation_count() > 10);
}

static void matches_without_memory(void **state)
{
	AUTO_RULES struct naming_rules *rules = parse_good(everything);

	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_BUFFER struct buffer name = {0};
		bool failed;
		int r;

		allocation_fail_at(n);
		r = naming_rules_match(rules, &processes[8], NAMING_MOST, &name, &failed);
		allocation_check(r == 1 ? 0 : r);
		if (r != 1)
			continue;
		assert_false(failed);
		buffer_add_char(&name, 0);
		assert_string_equal(name.data, "java map[:java] [/docker/abc /docker/abc /x] root");
	}
	assert_true(allocation_count() > 4);
}

/* A process with the command line ARGS of LEN bytes, for which the pattern x*x*[yz] takes most steps. */
static struct naming_process costly(char *args, size_t len)
{
	struct naming_process p = processes[8];

	memset(args, 'x', len);
	p.cmdline = args;
	p.cmdline_len = len;
	return p;
}

/* Writes COUNT rules with a costly pattern, and a last one that matches every process. */
static struct naming_rules *parse_costly(int count)
{
	AUTO_BUFFER struct buffer text = {0};

	buffer_add_text(&text, "process_names:\n");
	for (int i = 0; i < count; i++)
		buffer_add_text(&text, "- cmdline: ['x*x*[yz]']\n  name: x\n");
	buffer_add_text(&text, "- comm: [java]\n  name: last\n");
	buffer_add_char(&text, 0);
	assert_int_equal(text.error, 0);
	return parse_good(text.data);
}

/* Rules without patterns go on. */
static void steps_of_a_process_are_bounded(void **state)
{
	enum { RULES = 400, MOST = 1000000 + 2 * (20000 + 400 * RULES) };
	AUTO_RULES struct naming_rules *rules = parse_costly(RULES);
	char args[4096];
	struct naming_process p = costly(args, sizeof(args));
	AUTO_BUFFER struct buffer name = {0};
	bool failed;

	(void)state;
	assert_int_equal(naming_rules_match(rules, &p, NAMING_MOST, &name, &failed), 1);
	assert_true(failed);
	assert_int_equal(name.len, 4);
	assert_memory_equal(name.data, "last", 4);
	assert_in_range(naming_rules_extra_steps(rules), 1000000, MOST);
}

static void less_effort_ends_after_fewer_steps(void **state)
{
	static const struct {
		enum naming_effort effort;
		uint64_t most; /* beyond the least */
	} cases[] = {{NAMING_LEAST, 0}, {NAMING_USUAL, 9 * 2040}};
	AUTO_RULES struct naming_rules *rules = parse_costly(1);
	char args[4096];
	struct naming_process p = costly(args, sizeof(args));
	AUTO_BUFFER struct buffer name = {0};
	bool failed = true;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		p.cmdline_len = sizeof(args);
		assert_int_equal(
			naming_rules_match(rules, &p, cases[i].effort, &name, &failed), -EAGAIN);
		assert_true(failed); /* unchanged */
		assert_int_equal(name.len, 0);
		assert_in_range(naming_rules_extra_steps(rules), cases[i].most,
			cases[i].most + sizeof(args));
	}
	p.cmdline_len = 40; /* steps grow with its cube */
	assert_int_equal(naming_rules_match(rules, &p, NAMING_LEAST, &name, &failed), -EAGAIN);
	assert_int_equal(naming_rules_match(rules, &p, NAMING_USUAL, &name, &failed), 1);
	assert_false(failed);
	assert_in_range(naming_rules_extra_steps(rules), 8000, 9 * 2040);
	p.cmdline_len = 20;
	buffer_clear(&name);
	assert_int_equal(naming_rules_match(rules, &p, NAMING_LEAST, &name, &failed), 1);
	assert_int_equal(naming_rules_extra_steps(rules), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_default_of_debian_names_by_comm),
		cmocka_unit_test(selectors_and_templates),
		cmocka_unit_test(templates_have_all_fields),
		cmocka_unit_test(unmatched_processes_have_no_name),
		cmocka_unit_test(groups_without_a_name_are_unnamed),
		cmocka_unit_test(splits_command_lines),
		cmocka_unit_test(selectors),
		cmocka_unit_test(raw_names_are_compared),
		cmocka_unit_test(the_first_rule_that_matches_names),
		cmocka_unit_test(patterns_share_their_groups),
		cmocka_unit_test(groups_are_of_the_rule_that_matched),
		cmocka_unit_test(names_are_clean),
		cmocka_unit_test(names_are_cut),
		cmocka_unit_test(long_command_lines_are_cut),
		cmocka_unit_test(patterns_that_take_too_long_do_not_match),
		cmocka_unit_test(steps_of_a_process_are_bounded),
		cmocka_unit_test(less_effort_ends_after_fewer_steps),
		cmocka_unit_test(tells_what_rules_need),
		cmocka_unit_test(cgroups_may_be_unknown),
		cmocka_unit_test(reports_all_faults),
		cmocka_unit_test(reads_files),
		cmocka_unit_test(memory_of_all_patterns_is_limited),
		cmocka_unit_test(rules_of_one_text_are_the_same),
		cmocka_unit_test(parses_without_memory),
		cmocka_unit_test(matches_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
