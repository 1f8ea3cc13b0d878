/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of web/http/params.h: query parameters. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "web/http/params.h"

enum { PAIRS = 4 };

static void decodes_parameters(void **state)
{
	static const struct {
		const char *query;
		const char *pair[2 * PAIRS + 1];
	} cases[] = {
		{"", {NULL}}, {"a=b", {"a", "b"}}, {"a=", {"a", ""}},
		{"a=b&c=d&a=e", {"a", "b", "c", "d", "a", "e"}},
		{"user=a+b%2Bc", {"user", "a b+c"}}, {"%75ser=%e5%B0%8F", {"user", "\xe5\xb0\x8f"}},
		{"a=b=c", {"a", "b=c"}}, {"a=%26%3d%25", {"a", "&=%"}},
		{"a=x%5cx0ay", {"a", "x\\x0ay"}}, /* as a newline in a name is printed */
	};
	char key[PARAMS_KEY_SIZE], value[QUERY_VALUE_MAX], error[QUERY_ERROR_SIZE];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct params p;

		params_init(&p, cases[i].query, strlen(cases[i].query));
		for (const char *const *pair = cases[i].pair; *pair; pair += 2) {
			assert_int_equal(params_next(&p, key, value, error), 0);
			assert_string_equal(key, pair[0]);
			assert_string_equal(value, pair[1]);
		}
		assert_int_equal(params_next(&p, key, value, error), PARAMS_END);
		assert_int_equal(params_next(&p, key, value, error), PARAMS_END);
	}
}

static void refuses_malformed_parameters(void **state)
{
	static const struct {
		const char *query, *why;
	} cases[] = {
		{"a", "name=value"},
		{"=b", "name=value"},
		{"&a=b", "name=value"},
		{"a=b&&c=d", "name=value"},
		{"a=b&", "ends in '&'"},
		{"a=%", "hexadecimal"},
		{"a=%4", "hexadecimal"},
		{"a=%zz", "hexadecimal"},
		{"a=%4g", "hexadecimal"},
		{"a=% 4", "hexadecimal"},
		{"%=b", "hexadecimal"},
		{"a=%00", "control characters"},
		{"a=%07", "control characters"},
		{"a=x%0ay", "control characters"},
		{"a=\x1b", "control characters"},
		{"a=%ff", "UTF-8"},
		{"a=%c3", "UTF-8"},
		{"a=\xc3", "UTF-8"},
		{"a=%e2%80%ae", "UTF-8"},
	};
	char key[PARAMS_KEY_SIZE], value[QUERY_VALUE_MAX], error[QUERY_ERROR_SIZE];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct params p;
		int r;

		params_init(&p, cases[i].query, strlen(cases[i].query));
		while ((r = params_next(&p, key, value, error)) == 0)
			;
		assert_int_equal(r, -EINVAL);
		assert_non_null(strstr(error, cases[i].why));
	}
}

/* The longest name and value, and one byte more. */
static void accepts_the_longest_parameters(void **state)
{
	static const struct {
		size_t key, value;
		int expected;
	} cases[] = {
		{PARAMS_KEY_SIZE - 1, 1, 0},
		{PARAMS_KEY_SIZE, 1, -EINVAL},
		{1, QUERY_VALUE_MAX - 1, 0},
		{1, QUERY_VALUE_MAX, -EINVAL},
	};
	char key[PARAMS_KEY_SIZE], value[QUERY_VALUE_MAX], error[QUERY_ERROR_SIZE];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char query[PARAMS_KEY_SIZE + QUERY_VALUE_MAX + 2];
		struct params p;

		memset(query, 'x', sizeof(query));
		query[cases[i].key] = '=';
		params_init(&p, query, cases[i].key + 1 + cases[i].value);
		assert_int_equal(params_next(&p, key, value, error), cases[i].expected);
	}
}

/* For random input: either the result is clean and fits, or there is an error. */
static void accepts_or_refuses_any_bytes(void **state)
{
	static const char alphabet[] = "a=&%+0fF \x80\xff\xc3\n";
	uint64_t random = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		char key[PARAMS_KEY_SIZE], value[QUERY_VALUE_MAX], error[QUERY_ERROR_SIZE] = "";
		size_t len = unit_random(&random) % 24;
		/* allocated to the exact size, so that reads past the end are found */
		AUTO_FREE char *query = malloc(len ? len : 1);
		struct params p;
		int r, count = 0;

		assert_non_null(query);
		for (size_t i = 0; i < len; i++)
			query[i] = alphabet[unit_random(&random) % (sizeof(alphabet) - 1)];
		params_init(&p, query, len);
		while ((r = params_next(&p, key, value, error)) == 0) {
			assert_true(text_is_clean(key, strlen(key)));
			assert_true(text_is_clean(value, strlen(value)));
			assert_true(++count <= 12);
		}
		assert_true(r == PARAMS_END || (r == -EINVAL && *error));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(decodes_parameters),
		cmocka_unit_test(refuses_malformed_parameters),
		cmocka_unit_test(accepts_the_longest_parameters),
		cmocka_unit_test(accepts_or_refuses_any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
