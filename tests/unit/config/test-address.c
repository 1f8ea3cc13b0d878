/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the parsing of addresses to listen on. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "base/os/channel.h"
#include "config/address.h"

static void parses(void **state)
{
	static const struct {
		const char *text, *host, *port, *path;
	} cases[] = {
		{"127.0.0.1:9636", "127.0.0.1", "9636", NULL},
		{"localhost:0", "localhost", "0", NULL},
		{":65535", "", "65535", NULL},
		{"[::1]:9636", "::1", "9636", NULL},
		{"[fe80::1%lo]:80", "fe80::1%lo", "80", NULL},
		{"unix:/run/memtally/web.sock", "", "", "/run/memtally/web.sock"},
		{"unix:relative", "", "", "relative"},
		{"unix:80", "", "", "80"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct address a;

		assert_int_equal(address_parse(cases[i].text, &a), 0);
		assert_string_equal(a.host, cases[i].host);
		assert_string_equal(a.port, cases[i].port);
		assert_int_equal(!a.path, !cases[i].path);
		if (a.path)
			assert_string_equal(a.path, cases[i].path);
	}
}

static void refuses(void **state)
{
	static const char *const cases[] = {"", "localhost", "9636", "localhost:", "localhost:http",
		"localhost:65536", "localhost:-1", "localhost: 80", "localhost:000080", "::1",
		"::1:80", "[::1]", "[::1]80", "[]:80", "[::1:80", "::1]:80", "unix:", "a:b:80"};
	char name[ADDRESS_HOST_SIZE + 8], path[sizeof("unix:") + CHANNEL_PATH_MAX + 1] = "unix:";
	struct address a;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (address_parse(cases[i], &a) != -EINVAL)
			fail_msg("'%s'", cases[i]);
	memset(name, 'a', sizeof(name));
	memcpy(name + ADDRESS_HOST_SIZE, ":80", 4);
	assert_int_equal(address_parse(name, &a), -EINVAL);
	assert_int_equal(address_parse(name + 1, &a), 0);
	memset(path + 5, 'x', CHANNEL_PATH_MAX + 1);
	assert_int_equal(address_parse(path, &a), -ERANGE);
	path[5 + CHANNEL_PATH_MAX] = 0;
	assert_int_equal(address_parse(path, &a), 0);
}

static void knows_names_of_hosts(void **state)
{
	static const struct {
		const char *text;
		bool is_host;
	} cases[] = {
		{"localhost", true},
		{"metrics.example.org", true},
		{"xn--bcher-kva.example", true},
		{"a_b", true},
		{"192.0.2.1", true},
		{"web1.", true},
		{"", false},
		{".example", false},
		{"a..b", false},
		{"*.example", false},
		{"web1:9636", false},
		{"[::1]", false},
		{"http://web1", false},
		{"a b", false},
		{"\xc3\xbc.example", false},
	};
	char name[255];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (address_is_host(cases[i].text) != cases[i].is_host)
			fail_msg("'%s'", cases[i].text);
	memset(name, 'a', sizeof(name));
	name[254] = 0;
	assert_false(address_is_host(name));
	assert_true(address_is_host(name + 1));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses),
		cmocka_unit_test(refuses),
		cmocka_unit_test(knows_names_of_hosts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
