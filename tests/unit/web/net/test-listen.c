/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of web/net/listen.h: listening sockets, and which addresses are loopback. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "web/net/listen.h"

static void opens(void **state)
{
	char *addresses[] = {(char *)"127.0.0.1:0", (char *)"127.0.0.1:0", (char *)":0",
		(char *)"unix:test-listen.sock"};
	const struct text_list list = {.item = addresses, .count = ARRAY_SIZE(addresses)};
	unsigned int before = unit_descriptors();
	char error[LISTEN_ERROR_SIZE];
	struct listen_set set = {0};

	(void)state;
	assert_int_equal(listen_open(&set, &list, error), 0);
	assert_int_equal(set.count, 4);
	assert_string_equal(set.socket[0].host, "127.0.0.1");
	assert_false(set.socket[0].is_unix);
	assert_null(set.socket[2].host);
	assert_false(set.socket[2].is_unix);
	assert_null(set.socket[3].host);
	assert_true(set.socket[3].is_unix);
	assert_int_equal(strncmp(set.socket[0].name, "127.0.0.1:", 10), 0);
	assert_string_not_equal(set.socket[0].name, set.socket[1].name);
	assert_true(set.socket[0].is_local && !set.socket[2].is_local && set.socket[3].is_local);
	listen_done(&set);
	assert_int_equal(unit_descriptors(), before);
}

/* All loopback addresses, and some that look like one. */
static void knows_loopback(void **state)
{
	static const struct {
		const char *address;
		bool is_local;
	} cases[] = {
		{"127.0.0.1:0", true},
		{"127.255.255.254:0", true},
		{"[::1]:0", true},
		{"[::ffff:127.0.0.1]:0", true},
		{"0.0.0.0:0", false},
		{"[::]:0", false},
		{"[::ffff:0.0.0.0]:0", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *address = (char *)cases[i].address;
		const struct text_list list = {.item = &address, .count = 1};
		char error[LISTEN_ERROR_SIZE];
		struct listen_set set = {0};

		if (listen_open(&set, &list, error) == 0) {
			if (set.socket[0].is_local != cases[i].is_local)
				fail_msg("%s", cases[i].address);
		} else if (address[0] != '[') { /* the host may lack IPv6 */
			fail_msg("%s", error);
		}
		listen_done(&set);
	}
}

static void names_the_failed_address(void **state)
{
	char *addresses[] = {(char *)"127.0.0.1:0", (char *)"192.0.2.1:0"};
	const struct text_list list = {.item = addresses, .count = ARRAY_SIZE(addresses)};
	unsigned int before = unit_descriptors();
	char error[LISTEN_ERROR_SIZE];
	struct listen_set set = {0};

	(void)state;
	assert_int_equal(listen_open(&set, &list, error), -EADDRNOTAVAIL);
	assert_non_null(strstr(error, "cannot listen on 192.0.2.1:0: "));
	listen_done(&set);
	assert_int_equal(unit_descriptors(), before);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(opens),
		cmocka_unit_test(knows_loopback),
		cmocka_unit_test(names_the_failed_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
