/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of naming/template.h. Unless a comment says otherwise, the names are those that
 * process-exporter 0.7.10 gave such a process.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "naming/template.h"

#include "tests/unit/support/faults/allocation.h"

#define TEXT(literal)                                                                              \
	{                                                                                          \
		literal, sizeof(literal) - 1                                                       \
	}

enum { NAME_MAX_BYTES = 1023 };

static const struct template_text cgroups[] = {TEXT("/a"), TEXT("/b"), TEXT("/x.slice/y")};

/* The names are not in order, and two are there twice. */
static const struct capture matches[] = {{"mx", "2", 1}, {"jar", "/srv/foo.jar", 12},
	{"", "before", 6}, {"mx", "1", 1}, {"", "g", 1}};

static const struct template_process java = {
	.comm = TEXT("java"),
	.exe_base = TEXT("j\xc3\xa4va"),
	.exe_full = TEXT("/usr/bin/j\xc3\xa4va"),
	.username = TEXT("www-data"),
	.matches = matches,
	.matches_count = ARRAY_SIZE(matches),
	.cgroups = cgroups,
	.cgroups_count = ARRAY_SIZE(cgroups),
	.start_s = 1700000010,
	.pid = 105,
};

static void free_template(struct template **t)
{
	template_free(*t);
}

static void compile(const char *text, struct template **ret)
{
	char error[NAMING_ERROR_SIZE] = "";

	if (template_new(text, ret, error) != 0)
		fail_msg("%s: %s", text, error);
}

/* Runs the template TEXT for P, and compares the name and what template_run() returns. */
static void check(const char *text, const struct template_process *p, size_t size, int expected,
	const char *name)
{
	CLEANUP(free_template) struct template *t = NULL;
	AUTO_BUFFER struct buffer b = {0};
	int r;

	compile(text, &t);
	buffer_add_text(&b, "<");
	r = template_run(t, p, size, &b);
	buffer_add_char(&b, 0);
	assert_int_equal(b.error, 0);
	if (r != expected || strcmp(b.data + 1, name) != 0)
		fail_msg("%s: %d, \"%s\" is not %d, \"%s\"", text, r, b.data + 1, expected, name);
}

struct example {
	const char *text, *name;
};

static void check_all(const struct example *examples, size_t count, int expected)
{
	for (size_t i = 0; i < count; i++)
		check(examples[i].text, &java, NAME_MAX_BYTES, expected, examples[i].name);
}

static void prints_text_and_fields(void **state)
{
	static const struct example examples[] = {
		{"", ""},
		{"plain }} { text", "plain }} { text"},
		{"{{.Comm}}:{{.ExeBase}}:{{.ExeFull}}:{{.Username}}:{{.PID}}",
			"java:j\xc3\xa4va:/usr/bin/j\xc3\xa4va:www-data:105"},
		{"{{.StartTime}}", "2023-11-14 22:13:30 +0000 UTC"},
		{"{{.Cgroups}}", "[/a /b /x.slice/y]"},
		{"{{.Matches}}", "map[:g jar:/srv/foo.jar mx:1]"},
		{"{{.Matches.jar}} {{.Matches.mx}}", "/srv/foo.jar 1"},
		{"{{.Matches.nope}} {{.Matches.nope.more}}", "<no value> <no value>"},
		{"{{$.Comm}} {{$.Matches.jar}} {{(.Comm)}}", "java /srv/foo.jar java"},
		{"{{ .Comm\n}}{{.Comm|print}}{{\t.Comm |print|len}}", "javajava4"},
		{"  {{- .Comm -}}  x {{- /* c */ -}}  y{{/* {{c}} */}} z {{- \"a\" }} {{ \"b\" -}} \n e",
			"javaxy za be"},
		{"{{true}} {{false}} {{1}} {{-5}} {{+5}} {{0x1F}} {{9223372036854775807}}",
			"true false 1 -5 5 31 9223372036854775807"},
		{"{{`raw\\n`}}", "raw\\n"},
		/* Go's reference */
		{"{{\"\\a\\b\\f\\n\\r\\t\\v\\\\\\\"\xe2\x82\xac\"}}",
			"\a\b\f\n\r\t\v\\\"\xe2\x82\xac"},
		{"{{`a\r\nb`}}", "a\nb"},
	};

	(void)state;
	check_all(examples, ARRAY_SIZE(examples), 0);
}

static void calls_functions(void **state)
{
	static const struct example examples[] = {
		{"{{and 1 0 2}} {{and 1 2}} {{or 0 \"\" 3 4}} {{or 0 \"\"}}|{{or .Matches.nope .Comm}} "
		 "{{or .Matches.nope}} {{and .Matches.nope 1}} {{or true .Nope}}",
			"0 2 3 |java <no value> <no value> true"},
		{"{{not .Comm}} {{not .Matches.nope}} {{not 0}} {{not .Cgroups}}",
			"false true true false"},
		{"{{\"x\" | or \"\"}} {{\"x\" | and \"y\"}} {{.Comm | printf \"%s-%s\" \"a\"}} "
		 "{{.Comm | len | printf \"%d\"}}",
			"x x a-java 4"},
		{"{{eq .Comm \"a\" \"java\"}} {{eq .Comm \"a\" \"b\"}} {{eq .PID 1 2}} "
		 "{{eq true true}} {{ne .Comm \"a\"}} {{ne 1 1}}",
			"true false false true true false"},
		{"{{eq .Matches.nope \"x\"}} {{eq .Matches.nope .Matches.nope}} "
		 "{{eq .StartTime .StartTime}} {{eq .Matches.nope .Cgroups}}",
			"false true true false"},
		{"{{eq .Comm \"java\" 1}}", "true"},
		{"{{lt 1 2}} {{lt 2 1}} {{le 1 1}} {{gt 2 1}} {{ge 1 1}} {{lt \"a\" \"b\"}} "
		 "{{ge \"a\" \"b\"}} {{gt -1 0x10}} {{lt \"\" \"a\"}} {{lt \"a\" \"ab\"}} {{le 2 1}}",
			"true false true true true true false false true true false"},
		{"{{len .Comm}} {{len .ExeBase}} {{len .Cgroups}} {{len .Matches}}", "4 5 3 3"},
		{"{{index .Cgroups 0}} {{index .Cgroups 2}} {{index .Cgroups}} "
		 "{{index .Matches \"jar\"}}|{{index .Matches \"nope\"}}|{{index .Matches \"\"}}|"
		 "{{index .Cgroups 0 1}}",
			"/a /x.slice/y [/a /b /x.slice/y] /srv/foo.jar||g|97"},
		{"{{slice .Comm 1}} {{slice .Comm 1 3}} {{slice .Comm}} {{slice .Cgroups 1}} "
		 "{{slice .Cgroups 0 2}} {{slice .Comm 4}}|",
			"ava av java [/b /x.slice/y] [/a /b] |"},
		{"{{print .Comm .PID 1 2 .Comm true false \"x\" \"y\" .Matches.nope .Matches.nope}}|",
			"java105 1 2javatrue falsexy<nil> <nil>|"},
		{"{{print}}|{{print print \"x\"}}", "|x"},
		{"{{print 1 .Cgroups .Matches .StartTime}}",
			"1 [/a /b /x.slice/y] map[:g jar:/srv/foo.jar mx:1] "
			"2023-11-14 22:13:30 +0000 UTC"},
		{"{{print \"a\" 1 \"b\"}} {{print 1 \"b\"}} {{print true 1}} {{print \"a\" .Cgroups}} "
		 "{{print 1 .Cgroups \"x\" 1}}",
			"a1b 1b true 1 a[/a /b /x.slice/y] 1 [/a /b /x.slice/y]x1"},
		{"{{and .Comm \"\"}}|{{and \"\" .Comm}}|{{or \"\" .Cgroups}}|{{not .StartTime}}",
			"||[/a /b /x.slice/y]|false"},
		{"{{(.Matches).jar}} {{(index .Cgroups 0)}} {{((.Comm))}}", "/srv/foo.jar /a java"},
		{"{{index .Matches \"jar\" | len}} {{index (slice .Cgroups 1) 0}} "
		 "{{slice (print .Comm 105) 2}} {{.Comm | eq \"java\"}}",
			"12 /b va105 true"},
	};

	(void)state;
	check_all(examples, ARRAY_SIZE(examples), 0);
}

static void formats(void **state)
{
	static const struct example examples[] = {
		{"{{printf \"%s|%v|%d|%v|%% 100%%\" .Comm .Comm .PID -7}}",
			"java|java|105|-7|% 100%"},
		{"{{printf \"%v %s\" .Cgroups .Cgroups}}", "[/a /b /x.slice/y] [/a /b /x.slice/y]"},
		{"{{printf \"%v %s\" .Matches .Matches}}",
			"map[:g jar:/srv/foo.jar mx:1] map[:g jar:/srv/foo.jar mx:1]"},
		{"{{printf \"%v %s\" .StartTime .StartTime}}",
			"2023-11-14 22:13:30 +0000 UTC 2023-11-14 22:13:30 +0000 UTC"},
		{"{{printf \"%v %v\" true .Matches.nope}}", "true <nil>"},
		{"{{printf .Comm}}", "java"},
		{"{{printf \"%s:%d\" .Comm 5 | printf \"%s\"}}{{printf \"\"}}", "java:5"},
	};

	(void)state;
	check_all(examples, ARRAY_SIZE(examples), 0);
}

static void branches(void **state)
{
	static const struct example examples[] = {
		{"{{if .Comm}}a{{end}}{{if 0}}b{{else if .Nope2}}{{end}}", "a"},
		{"{{if 0}}a{{else if \"\"}}b{{else if .Cgroups}}c{{else}}d{{end}}"
		 "{{if .StartTime}}t{{end}}{{if .Matches}}m{{end}}",
			"ctm"},
		{"{{if true }}x{{ else }}y{{ end }}{{if(eq 1 2)}}x{{else}}y{{end}}", "xy"},
		{"{{if eq .Comm \"java\"}}{{if .PID}}in{{end}}{{end}}", "in"},
		{"{{with .Matches.jar}}<{{.}}|{{$.Comm}}>{{else}}E{{end}}"
		 "{{with .Matches.nope}}<{{.}}>{{else}}E{{.Comm}}{{end}}",
			"</srv/foo.jar|java>Ejava"},
		{"{{with .Matches.jar}}{{with $.Comm}}{{.}} {{end}}{{.}}{{end}} {{.PID}}",
			"java /srv/foo.jar 105"},
		{"{{with print .Comm 1}}{{print .}} {{.}}{{end}}", "java1 java1"},
		{"{{range .Cgroups}}[{{.}} {{$.PID}}]{{end}} {{range .Matches}}[{{.}}]{{end}} "
		 "{{range .Matches.nope}}a{{else}}b{{end}} "
		 "{{range slice .Cgroups 0 0}}a{{else}}b{{end}}",
			"[/a 105][/b 105][/x.slice/y 105] [g][/srv/foo.jar][1] b b"},
		{"{{with .Cgroups}}{{index . 0}}{{end}} {{with .Matches}}{{.jar}} {{.nope}}{{end}} "
		 "{{with .Matches.nope.x}}a{{else}}b{{end}}",
			"/a /srv/foo.jar <no value> b"},
		{"{{range .Cgroups}}{{if eq . \"/a\"}}A{{else}}{{.}}{{end}}{{end}}",
			"A/b/x.slice/y"},
		{"{{range .Cgroups}}{{range $.Cgroups}}{{.}}{{end}}{{.}} {{end}}",
			"/a/b/x.slice/y/a /a/b/x.slice/y/b /a/b/x.slice/y/x.slice/y "},
		{"{{range(.Cgroups)}}y{{end}}{{if true}}{{else}}{{end}}", "yyy"},
	};

	(void)state;
	/* process-exporter: .Nope2 fails, and the name is the same. */
	check_all(examples, 1, -EINVAL);
	check_all(examples + 1, ARRAY_SIZE(examples) - 1, 0);
}

static void prints_what_is_absent(void **state)
{
	static const struct template_process none = {.pid = 2};

	(void)state;
	check("{{.Cgroups}} {{.Matches}} {{len .Cgroups}} {{len .Matches}}|{{.Comm}}{{.Username}}|"
	      "{{slice .Comm 0 0}}{{slice .Cgroups 0}}{{printf \"%s\" .Comm}} {{.StartTime}}",
		&none, NAME_MAX_BYTES, 0, "[] map[] 0 0||[] 1970-01-01 00:00:00 +0000 UTC");
	check("{{if .Cgroups}}a{{end}}{{if .Matches}}b{{end}}{{if .Comm}}c{{end}}"
	      "{{range .Matches}}d{{else}}e{{end}}",
		&none, NAME_MAX_BYTES, 0, "e");
}

static void fails(void **state)
{
	static const struct example examples[] = {
		{"{{.Nope}}", ""},
		{"a{{.Nope}}b", "a"},
		{"a{{.comm}}b", "a"},
		{"a{{.Comm.x}}", "a"},
		{"a{{.PID.x}}b", "a"},
		{"a{{.Cgroups.x}}b", "a"},
		{"a{{$.Nope}}b", "a"},
		{"{{.Comm}}{{range .Cgroups}}{{.Comm}}{{end}}", "java"},
		{"a{{index .Cgroups 3}}b", "a"},
		{"a{{index .Cgroups -1}}b", "a"},
		{"a{{index .Cgroups \"x\"}}b", "a"},
		{"a{{index .Matches 1}}b", "a"},
		{"a{{index .Comm 4}}b", "a"},
		{"a{{slice .Comm 3 1}}b", "a"},
		{"a{{slice .Comm 5}}b", "a"},
		{"a{{slice .PID 0}}b", "a"},
		{"a{{slice .Comm \"x\"}}b", "a"},
		{"a{{slice .Comm -1}}b", "a"},
		{"a{{len .PID}}b", "a"},
		{"a{{len .StartTime}}b", "a"},
		{"a{{len .Matches.nope}}b", "a"},
		{"a{{eq .Comm 1 \"java\"}}b", "a"},
		{"a{{eq 1 true}}b", "a"},
		{"a{{eq .Comm \"java\" .Nope}}b", "a"},
		{"a{{eq .Cgroups .Cgroups}}b", "a"},
		{"a{{eq .Comm .Cgroups}}b", "a"},
		{"a{{eq .StartTime \"x\"}}b", "a"},
		{"a{{lt true false}}b", "a"},
		{"a{{lt 1 \"x\"}}b", "a"},
		{"a{{lt .Matches.nope \"x\"}}b", "a"},
		{"a{{range .Comm}}x{{end}}b", "a"},
		{"a{{range 3}}x{{end}}b", "a"},
		{"a{{printf .Matches.nope}}b", "a"},
		{"a{{printf .PID}}b", "a"},
		{"a{{with .Nope}}{{end}}b", "a"},
		{"a{{if .Nope}}{{end}}b", "a"},
		{"a{{range .Nope}}{{end}}b", "a"},
		{"a{{not .Nope}}b", "a"},
		{"a{{print 1 .Nope}}b", "a"},
		{"a{{printf \"%s\" .Nope}}b", "a"},
		{"a{{lt 1 .Nope}}b", "a"},
		{"a{{slice .Comm .Nope}}b", "a"},
		{"a{{index .Cgroups .Nope}}b", "a"},
		{"a{{index .Matches.nope}}b", "a"},
		{"a{{(print 1).x}}b", "a"},
		{"a{{and false .Nope}}{{and .Nope false}}b", "afalse"},
		{"a{{.Matches.jar.x}}b", "a"},
		/* not supported: process-exporter prints something */
		{"a{{printf \"%d\" .StartTime}}b", "a"},
		{"a{{printf \"%d\" .Comm}}b", "a"},
		{"a{{printf \"%d\" .Cgroups}}b", "a"},
		{"a{{printf \"%s\" .PID}}b", "a"},
		{"a{{printf \"%s\" true}}b", "a"},
		{"a{{printf \"%s\" .Matches.nope}}b", "a"},
		{"a{{printf .ExeFull 1}}b", "a"},
		{"a{{printf (print \"%s\")}}b", "a"},
		{"a{{printf (print \"%x\") 1}}b", "a"},
		{"a{{printf (print \"%\")}}b", "a"},
	};

	(void)state;
	check_all(examples, ARRAY_SIZE(examples), -EINVAL);
}

static void refuses(void **state)
{
	static const struct example examples[] = {
		/* not in the language */
		{"{{.Comm}", "character 8: a space expected"},
		{"{{", "character 3: a value expected"},
		{"{{}}", "character 3: a value expected"},
		{"{{- }}", "character 5: a value expected"},
		{"{{ -}}", "character 4: a value expected"},
		{"{{if}}a{{end}}", "character 5: a value expected"},
		{"a{{if 1}}b", "character 4: {{end}} is missing"},
		{"{{range .Cgroups}}{{else}}a", "character 3: {{end}} is missing"},
		{"{{if 1}}{{else}}{{else}}{{end}}", "character 3: a second {{else}}"},
		{"{{end}}", "character 8: {{end}} or {{else}} without its beginning"},
		{"a {{else}}", "character 9: {{end}} or {{else}} without its beginning"},
		{"{{end 1}}", "character 7: }} expected"},
		{"{{if 1}}{{else 1}}{{end}}", "character 16: }} expected"},
		{"{{with 1}}{{else with 2}}{{end}}", "character 18: }} expected"},
		{"{{if true}}x{{elseif}}{{end}}", "character 15: elseif is not supported"},
		{"{{foo}}", "character 3: foo is not supported"},
		{"{{print\"x\"}}", "character 8: a space expected"},
		{"{{print (\"x\")(\"y\")}}", "character 14: a space expected"},
		{"{{1 | 2}}", "character 7: only functions have arguments"},
		{"{{.Comm | \"x\"}}", "character 11: only functions have arguments"},
		{"{{\"abc}}", "character 9: a string without its end"},
		{"{{`abc}}", "character 9: a string without its end"},
		{"{{\"a\nb\"}}", "character 5: a string without its end"},
		{"{{\"\xc3\xa4\\'\"}}", "character 6: an escape that is not supported"},
		{"{{\"\\", "character 5: an escape that is not supported"},
		{"{{/* x */ }}", "character 10: }} expected"},
		{"{{/* x */ -x}}", "character 11: }} expected"},
		{"{{ /* x */}}", "character 4: a value expected"},
		{"{{/* x }}", "character 3: a comment without its end"},
		{"{{..}}", "character 4: the name of a field expected"},
		{"{{.Comm.}}", "character 9: the name of a field expected"},
		{"{{ .Matches.1}}", "character 13: the name of a field expected"},
		{"{{.Comm-}}", "character 8: a space expected"},
		{"{{..Comm}}", "character 4: the name of a field expected"},
		{"{{range .Cgroups}}{{len ..Comm}}{{end}}",
			"character 26: the name of a field expected"},
		{"{{ . Comm}}", "character 4: the process itself is no value: name a field"},
		{"{{(.Comm)Comm}}", "character 10: a space expected"},
		{"{{()}}", "character 4: a value expected"},
		{"{{(.Comm}}", "character 9: ) expected"},
		{"{{.Comm)}}", "character 8: }} expected"},
		{"{{true.x}}", "character 7: a space expected"},
		{"{{print 1 |}}", "character 12: a value expected"},
		{"{{\xc3\xa4}}", "character 3: a value expected"},
		/* not supported */
		{"{{$x := 1}}", "character 4: variables are not supported"},
		{"{{range $i, $e := .Cgroups}}{{end}}",
			"character 10: variables are not supported"},
		{"{{define \"x\"}}{{end}}", "character 3: define is not supported"},
		{"{{template \"x\"}}", "character 3: template is not supported"},
		{"{{block \"x\" .}}{{end}}", "character 3: block is not supported"},
		{"{{range .Cgroups}}{{break}}{{end}}", "character 21: break is not supported"},
		{"{{range .Cgroups}}{{continue}}{{end}}",
			"character 21: continue is not supported"},
		{"{{html .Comm}}", "character 3: html is not supported"},
		{"{{.Comm | js}}", "character 11: js is not supported"},
		{"{{urlquery .Comm}}", "character 3: urlquery is not supported"},
		{"{{call .Comm}}", "character 3: call is not supported"},
		{"{{nil}}", "character 3: nil is not supported"},
		{"{{'a'}}", "character 3: character constants are not supported"},
		{"{{\"\\x41\"}}", "character 5: an escape that is not supported"},
		{"{{\"\\101\"}}", "character 5: an escape that is not supported"},
		{"{{println .Comm}}", "character 3: println is not supported"},
		{"{{.}}", "character 3: the process itself is no value: name a field"},
		{"{{if 1}}{{print . }}{{end}}",
			"character 17: the process itself is no value: name a field"},
		{"{{with $}}{{end}}", "character 8: the process itself is no value: name a field"},
		{"{{with .Matches.x}}{{.}}{{else}}{{.}}{{end}}",
			"character 35: the process itself is no value: name a field"},
		{"{{.5}}", "character 4: a number that is not supported"},
		{"{{.StartTime.Unix}}", "character 14: methods of StartTime are not supported"},
		/* process-exporter accepts these, and they always fail when they run */
		{"{{len}}", "character 3: len: a wrong number of arguments: 0"},
		{"{{print len}}", "character 9: len: a wrong number of arguments: 0"},
		{"{{not 1 2}}", "character 3: not: a wrong number of arguments: 2"},
		{"{{eq 1}}", "character 3: eq: a wrong number of arguments: 1"},
		{"{{.Comm 1}}", "character 3: only functions have arguments"},
		{"{{\xc3\xa4}}", "character 3: a value expected"},
		{"\xc3\xa4{{1 | .Comm}}", "character 8: only functions have arguments"},
		{"{{(print 1) 2}}", "character 3: only functions have arguments"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(examples); i++) {
		char error[NAMING_ERROR_SIZE] = "";
		struct template *t = NULL;

		assert_int_equal(template_new(examples[i].text, &t, error), -EINVAL);
		assert_null(t);
		if (strcmp(error, examples[i].name) != 0)
			fail_msg("%s: %s", examples[i].text, error);
	}
}

static void refuses_numbers_and_formats(void **state)
{
	static const char *const numbers[] = {"{{1.5}}", "{{017}}", "{{1_000}}", "{{0b11}}",
		"{{1e3}}", "{{-}}", "{{+}}", "{{0x}}", "{{9223372036854775808}}",
		"{{99999999999999999999}}", "{{1i}}"};
	static const char *const texts[] = {"%x", "%t", "%+v", "% d", "%q", "%*d", "%[1]s", "%5s",
		"%-5v", "%05d", "%.3s", "%", "%!", "%5%", "%s%"};
	char error[NAMING_ERROR_SIZE], text[64];
	struct template *t = NULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		assert_int_equal(template_new(numbers[i], &t, error), -EINVAL);
		assert_non_null(strstr(error, "character 3: a number that is not supported: only"));
	}
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		snprintf(text, sizeof(text), "{{printf \"%s\" 1}}", texts[i]);
		assert_int_equal(template_new(text, &t, error), -EINVAL);
		assert_non_null(strstr(error, "character 3: printf: only %s, %v and %d are"));
	}
	assert_int_equal(template_new("{{printf \"%s %%\"}}", &t, error), -EINVAL);
	assert_string_equal(error, "character 3: printf: verbs: 1, arguments for them: 0");
	assert_int_equal(template_new("{{1 | printf \"%s\" 2}}", &t, error), -EINVAL);
	assert_string_equal(error, "character 7: printf: verbs: 1, arguments for them: 2");
	assert_null(t);
}

static void says_what_it_uses(void **state)
{
	static const struct {
		const char *text;
		unsigned int uses;
	} examples[] = {
		{"{{.Comm}}{{.ExeBase}}{{.ExeFull}}{{.Matches.Username}}{{.Nope}}{{\".PID\"}}", 0},
		{"{{.Username}}", TEMPLATE_USERNAME},
		{"{{$.Username}}{{(print 1 .PID)}}", TEMPLATE_USERNAME},
		{"{{range .Cgroups}}<{{.}}>{{end}}", TEMPLATE_CGROUPS},
		{"{{with .Matches.x}}{{$.Username}}{{else}}{{.Cgroups}}{{end}}",
			TEMPLATE_USERNAME | TEMPLATE_CGROUPS},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(examples); i++) {
		CLEANUP(free_template) struct template *t = NULL;

		compile(examples[i].text, &t);
		assert_int_equal(template_uses(t), examples[i].uses);
	}
}

static void cuts_at_a_character(void **state)
{
	static const char *const cuts[] = {
		"", "[", "[/", "[/a", "[/a ", "[/a /", "[/a /b", "[/a /b "};
	static const struct template_text others[] = {TEXT("/\xf0\x9f\x90\xa7"), TEXT("x")};
	struct template_process p = java;

	(void)state;
	for (size_t size = 0; size < ARRAY_SIZE(cuts); size++)
		check("{{.Cgroups}}b{{.Comm}}", &java, size, 0, cuts[size]);
	check("abc{{.Nope}}", &java, 2, 0, "ab"); /* the rest does not matter */
	check("abc{{.Nope}}", &java, 3, -EINVAL, "abc");
	check("{{.ExeBase}}", &java, 2, 0, "j");
	check("{{.ExeBase}}", &java, 3, 0, "j\xc3\xa4");
	p.cgroups = others;
	p.cgroups_count = ARRAY_SIZE(others);
	for (size_t size = 2; size < 6; size++)
		check("{{.Cgroups}}", &p, size, 0, "[/");
	check("{{.Cgroups}}", &p, 6, 0, "[/\xf0\x9f\x90\xa7");
	/* A slice has bytes. */
	check("{{slice .ExeBase 0 2}}|{{slice .ExeBase 2 3}}", &java, 9, 0, "j\xc3|\xa4");
}

/* Returns BEFORE, then COUNT times MIDDLE, then AFTER, for the caller to free. */
static char *repeat(const char *before, const char *middle, size_t count, const char *after)
{
	struct buffer b = {0};

	buffer_add_text(&b, before);
	for (size_t i = 0; i < count; i++)
		buffer_add_text(&b, middle);
	buffer_add_text(&b, after);
	buffer_add_char(&b, 0);
	assert_int_equal(b.error, 0);
	return b.data;
}

static void check_limit(char *text, const char *message)
{
	AUTO_FREE char *owned = text;
	char error[NAMING_ERROR_SIZE] = "";
	struct template *t = NULL;

	assert_int_equal(template_new(owned, &t, error), message ? -EINVAL : 0);
	assert_string_equal(error, message ? message : "");
	template_free(t);
}

static void limits_templates(void **state)
{
	AUTO_FREE char *parens = repeat("", ")", 32, "}}"), *ends = repeat("", "{{end}}", 32, "");
	AUTO_FREE char *more_parens = repeat("", ")", 33, "}}");
	AUTO_FREE char *more_ends = repeat("", "{{end}}", 33, "");

	(void)state;
	check_limit(repeat("{{", "(", 32, parens), "character 35: a value expected");
	check_limit(repeat("{{", "(", 33, more_parens), "character 35: more than 32 levels");
	check_limit(repeat("", "{{if 1}}", 32, ends), NULL);
	check_limit(repeat("", "{{if 1}}", 33, more_ends), "character 259: more than 32 levels");
	check_limit(repeat("{{", ".a", 32, "}}"), NULL);
	check_limit(repeat("{{", ".a", 33, "}}"), "character 68: more than 32 levels");
	check_limit(repeat("{{1", "|print", 7, "}}"), NULL);
	check_limit(repeat("{{1", "|print", 8, "}}"),
		"character 47: more than 8 commands in a pipeline");
	check_limit(repeat("", "a", 16384, ""), NULL);
	check_limit(repeat("", "a", 16385, ""), "character 16385: more than 16384 bytes");
	/* These are not levels of each other. */
	check_limit(repeat("{{if 0}}a", "{{else if eq 1 1}}b", 500, "{{end}}"), NULL);
	check_limit(repeat("", "{{if 1}}{{(1)}}{{end}}", 100, ""), NULL);
	check_limit(repeat("{{print", " 1", 5000, "}}"), NULL);
}

enum { MANY = 100000 };

/* A process with MANY control groups and MANY matches, and a command of 1 MiB. */
static void hostile_process(struct template_process *p)
{
	struct template_text *groups = calloc(MANY, sizeof(*groups));
	struct capture *captures = calloc(MANY, sizeof(*captures));
	char *text = malloc(1 << 20);

	assert_true(groups && captures && text);
	memset(text, '\x01', 1 << 20);
	for (size_t i = 0; i < MANY; i++) {
		groups[i] = (struct template_text){"/a", i % 3};
		captures[i] = (struct capture){i % 2 ? "a" : "b", text, 1};
	}
	*p = (struct template_process){
		.comm = {text, 1 << 20},
		.matches = captures,
		.matches_count = MANY,
		.cgroups = groups,
		.cgroups_count = MANY,
	};
}

static void limits_work(void **state)
{
	static const char *const texts[] = {
		"{{range .Cgroups}}{{range $.Cgroups}}{{range $.Cgroups}}{{end}}{{end}}{{end}}",
		"{{range slice .Cgroups 0 99}}{{with $.Comm}}{{if eq . $.Comm}}{{end}}{{end}}{{end}}",
		("{{range .Cgroups}}{{if len (slice (printf \"%s\" (slice $.Comm 0 9999)) 0 1)}}"
		 "{{end}}{{end}}"),
		"{{range .Cgroups}}{{if $.Matches.nope}}{{end}}{{end}}",
		"{{range .Cgroups}}{{if eq (len $.Matches) 0}}{{end}}{{end}}",
		"{{len (print .Comm)}}",
		"{{len (print .Cgroups)}}",
		"{{range .Matches}}{{range $.Cgroups}}{{end}}{{end}}",
		"{{len .Matches}}",
	};
	struct template_process p;

	(void)state;
	hostile_process(&p);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		check(texts[i], &p, NAME_MAX_BYTES, -EINVAL, "");
	check("{{.Matches}}", &p, NAME_MAX_BYTES, -EINVAL, "map[]");
	check("{{.Cgroups}}", &p, 9, 0, "[ / /a  /");
	free((void *)p.comm.text);
	free((void *)p.matches);
	free((void *)p.cgroups);
}

static void survives_without_memory(void **state)
{
	static const char text[] = "{{if eq .Comm \"x\"}}a{{else if .PID}}{{range .Cgroups}}{{. | "
				   "printf \"%s\" | print $.Comm}}{{end}}{{end}} {{.Cgroups}}";
	char error[NAMING_ERROR_SIZE] = "";

	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_BUFFER struct buffer b = {0};
		struct template *t = NULL;
		int r;

		allocation_fail_at(n);
		r = template_new(text, &t, error);
		if (r == 0)
			r = template_run(t, &java, NAME_MAX_BYTES, &b);
		template_free(t);
		if (allocation_check(r))
			continue;
		buffer_add_char(&b, 0);
		assert_string_equal(b.data, "java/ajava/bjava/x.slice/y [/a /b /x.slice/y]");
	}
	assert_string_equal(error, "");
	template_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prints_text_and_fields),
		cmocka_unit_test(calls_functions),
		cmocka_unit_test(formats),
		cmocka_unit_test(branches),
		cmocka_unit_test(prints_what_is_absent),
		cmocka_unit_test(fails),
		cmocka_unit_test(refuses),
		cmocka_unit_test(refuses_numbers_and_formats),
		cmocka_unit_test(says_what_it_uses),
		cmocka_unit_test(cuts_at_a_character),
		cmocka_unit_test(limits_templates),
		cmocka_unit_test(limits_work),
		cmocka_unit_test(survives_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
