/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include "base/cleanup.h"
#include "web/listen.h"

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
		struct listen_address a;

		assert_int_equal(listen_parse(cases[i].text, &a), 0);
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
	char name[LISTEN_HOST_SIZE + 8];
	struct listen_address a;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (listen_parse(cases[i], &a) != -EINVAL)
			fail_msg("'%s'", cases[i]);
	memset(name, 'a', sizeof(name));
	memcpy(name + LISTEN_HOST_SIZE, ":80", 4);
	assert_int_equal(listen_parse(name, &a), -EINVAL);
	assert_int_equal(listen_parse(name + 1, &a), 0);
}

static void opens(void **state)
{
	char *addresses[] = {(char *)"127.0.0.1:0", (char *)"127.0.0.1:0", (char *)":0"};
	const struct text_list list = {.item = addresses, .count = ARRAY_SIZE(addresses)};
	unsigned int before = unit_descriptors();
	char error[LISTEN_ERROR_SIZE];
	struct listen_set set = {0};

	(void)state;
	assert_int_equal(listen_open(&set, &list, error), 0);
	assert_int_equal(set.count, 3);
	assert_true(set.socket[0].site.is_loopback);
	assert_string_equal(set.socket[0].site.name, "127.0.0.1");
	assert_false(set.socket[2].site.is_loopback);
	assert_null(set.socket[2].site.name);
	assert_int_equal(strncmp(set.socket[0].name, "127.0.0.1:", 10), 0);
	assert_string_not_equal(set.socket[0].name, set.socket[1].name);
	listen_done(&set);
	assert_int_equal(unit_descriptors(), before);
}

static void says_what_is_wrong(void **state)
{
	char *addresses[] = {(char *)"127.0.0.1:0", (char *)"192.0.2.1:0"};
	const struct text_list list = {.item = addresses, .count = ARRAY_SIZE(addresses)};
	unsigned int before = unit_descriptors();
	char error[LISTEN_ERROR_SIZE];
	struct listen_set set = {0};

	(void)state;
	assert_int_equal(listen_open(&set, &list, error), -EADDRNOTAVAIL);
	assert_non_null(strstr(error, "can't listen on 192.0.2.1:0: "));
	listen_done(&set);
	assert_int_equal(unit_descriptors(), before);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses),
		cmocka_unit_test(refuses),
		cmocka_unit_test(opens),
		cmocka_unit_test(says_what_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
