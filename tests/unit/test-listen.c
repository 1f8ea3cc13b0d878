/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include "base/cleanup.h"
#include "web/listen.h"

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
		cmocka_unit_test(opens),
		cmocka_unit_test(says_what_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
