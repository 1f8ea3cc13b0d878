/* SPDX-License-Identifier: Apache-2.0 */
/* Tests which Host and Origin headers memtally-web accepts. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "web/http/host.h"

static void checks_hosts(void **state)
{
	static const struct {
		const char *value;
		bool valid, served;
	} cases[] = {
		{"localhost", true, true},
		{"LocalHost:9636", true, true},
		{"127.0.0.1", true, true},
		{"127.0.0.1:9636", true, true},
		{"192.0.2.7:80", true, true}, /* DNS rebinding cannot change an address */
		{"[::1]", true, true},
		{"[::1]:9636", true, true},
		{"[::ffff:127.0.0.1]:1", true, true},
		{"own.example", true, true}, /* the name that the listener has */
		{"OWN.EXAMPLE:9636", true, true},
		{"localhost:", true, true},
		{"web1.site.example", true, true}, /* the name of the machine */
		{"WEB1.site.example:80", true, true},
		{"web1", true, true},
		{"web1:9636", true, true},
		{"web", true, false},
		{"web1.", true, true}, /* a final dot makes a name absolute; it is the same name */
		{"web1.site.example.", true, true},
		{"WEB1.site.example.:80", true, true},
		{"own.example.:9636", true, true},
		{"metrics.example.", true, true},
		{"dotted.example", true, true}, /* the administrator wrote the name with the dot */
		{"dotted.example.", true, true},
		{"evil.example.", true, false},
		{"web1..", true, false},
		{".", true, false},
		{"..", true, false},
		{"127.0.0.1.", true, true},
		{"127.0.0.1..", true, false},
		{"[::1].", false, false},
		{"web1.site", true, false},
		{"site.example", true, false},
		{"web1.evil.example", true, false},
		{"metrics.example", true, true}, /* allowed by the administrator */
		{"Metrics:8080", true, true},
		{"x.metrics.example", true, false},
		{"metrics.example.evil.example", true, false},
		{"evil.example", true, false},
		{"localhost.evil.example", true, false},
		{"own.example.evil.example", true, false},
		{"notlocalhost", true, false},
		{"local", true, false},
		{"127.0.0.1.evil.example", true, false},
		/* some resolvers take it for an address; here it is a name */
		{"127.1", true, false},
		{"0x7f.0.0.1", true, false},
		{"localhost.", true, true},
		{"localhost.:9636", true, true},
		{"", false, false},
		{":80", false, false},
		{"localhost:http", false, false},
		{"localhost:65536", false, false},
		{"localhost:80:80", false, false},
		{"::1", false, false},
		{"[::1", false, false},
		{"[]", false, false},
		{"[::1]x", false, false},
		{"[localhost]", false, false},
		{"[::zz]", false, false},
		{"[12345::]", true, false},
		{"a b", false, false},
		{"user@localhost", false, false},
		{"local\thost", false, false},
		{"localhost/", false, false},
	};

	char *const items[] = {
		(char *)"metrics.example", (char *)"metrics", (char *)"dotted.example."};
	const struct text_list allowed = {.item = (char **)items, .count = ARRAY_SIZE(items)};
	const struct host_names names = {
		.listener = "own.example", .machine = "web1.site.example", .allowed = &allowed};
	const struct host_names nobody = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (host_is_valid(cases[i].value) != cases[i].valid)
			fail_msg("'%s': validity", cases[i].value);
		if (host_is_served(cases[i].value, &names) != cases[i].served)
			fail_msg("'%s': service", cases[i].value);
	}
	assert_true(host_is_served("localhost", &nobody));
	assert_false(host_is_served("own.example", &nobody));
	assert_false(host_is_served("web1", &nobody));
	assert_false(host_is_served(".", &nobody));
}

static void refuses_long_names(void **state)
{
	char name[300];

	(void)state;
	memset(name, 'a', sizeof(name));
	name[255] = 0;
	assert_true(host_is_valid(name));
	name[255] = 'a';
	name[256] = 0;
	assert_false(host_is_valid(name));
}

static void checks_origins(void **state)
{
	static const struct {
		const char *origin, *host;
		bool same;
	} cases[] = {
		{"http://localhost:9636", "localhost:9636", true},
		{"HTTP://LOCALHOST:9636", "localhost:9636", true},
		{"https://metrics.example", "metrics.example", true},
		/* as nginx passes a Host on */
		{"http://metrics.example.", "metrics.example", true},
		{"http://metrics.example.:80", "metrics.example:80", true},
		{"http://metrics.example", "metrics.example.", true},
		{"http://metrics.example..", "metrics.example.", false},
		{"http://.", ".", false},
		{"http://[::1]:80", "[::1]:80", true},
		{"http://[::1]", "[::2]", false},
		{"http://localhost", "localhost:9636", false},
		{"http://localhost:9636", "localhost:9637", false},
		{"http://evil.example", "localhost", false},
		{"http://localhost.evil.example", "localhost", false},
		{"null", "localhost", false},
		{"null", "null", false},
		{"", "localhost", false},
		{"http://", "", false},
		{"file://localhost", "localhost", false},
		{"localhost", "localhost", false},
		{"http://localhost/", "localhost", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (host_is_same_origin(cases[i].origin, cases[i].host) != cases[i].same)
			fail_msg("'%s' on '%s'", cases[i].origin, cases[i].host);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(checks_hosts),
		cmocka_unit_test(refuses_long_names),
		cmocka_unit_test(checks_origins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
