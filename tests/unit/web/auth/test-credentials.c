/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the parsing of the Authorization header (scheme Basic). */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "web/auth/credentials.h"

static void splits_name_and_password(void **state)
{
	static const struct {
		const char *value, *name, *password;
	} cases[] = {
		/* example of RFC 7617 */
		{"Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "Aladdin", "open sesame"},
		{"Basic dGVzdDoxMjPCow==", "test", "123\xc2\xa3"},
		{"basic  YTo=", "a", ""},
		{"BASIC OmI=", "", "b"},
		{"Basic YTpiOmM=", "a", "b:c"},
		{"Basic YTr7/w==", "a", "\xfb\xff"},
		{"Basic YTpi", "a", "b"},
		{"Basic YTpiYg==", "a", "bb"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct credentials c;

		if (!credentials_parse(cases[i].value, &c))
			fail_msg("%s was refused", cases[i].value);
		assert_string_equal(c.name, cases[i].name);
		assert_string_equal(c.password, cases[i].password);
	}
}

static void refuses_invalid_values(void **state)
{
	static const char *const cases[] = {
		"",
		"Basic",
		"Basic ",
		"Basic YQ==", /* no colon */
		"Basic YTpi=",
		"Basic YTpiYg=",
		"Basic YTpiYg",
		"Basic YTp iYg==",
		"Basic YTpiYg== ",
		"Basic YT==pi",
		"Basic =YTp",
		"Basic ====",
		"Basic YTpi-w==", /* base64 for URLs */
		"Basic YTpiADo=", /* a NUL byte */
		"Basic AGE6Yg==",
		"Basically YTpi",
		"Bearer YTpi",
		"BasicYTpi",
		"Basic\tYTpi",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct credentials c = {.name = "before"};

		if (credentials_parse(cases[i], &c))
			fail_msg("'%s' was taken", cases[i]);
		assert_string_equal(c.name, "before");
	}
}

/*
 * Returns whether a name of NAME_LEN bytes and a password of PASSWORD_LEN bytes are accepted.
 * "YWFh" is "aaa", "OmFh" ":aa".
 */
static bool takes(size_t name_len, size_t password_len)
{
	char value[2048] = "Basic ";
	struct credentials c;
	size_t at = strlen(value);

	assert_true(name_len % 3 == 0 && password_len % 3 == 2);
	for (size_t i = 0; i < name_len / 3; i++, at += 4)
		memcpy(value + at, "YWFh", 5);
	memcpy(value + at, "OmFh", 5);
	at += 4;
	for (size_t i = 0; i < password_len / 3; i++, at += 4)
		memcpy(value + at, "YWFh", 5);
	if (!credentials_parse(value, &c))
		return false;
	assert_int_equal(strlen(c.name), name_len);
	assert_int_equal(strlen(c.password), password_len);
	return true;
}

static void accepts_up_to_the_limit(void **state)
{
	(void)state;
	assert_true(takes(255, 509));
	assert_false(takes(258, 5));
	assert_false(takes(3, 512));
	assert_false(takes(300, 1001));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(splits_name_and_password),
		cmocka_unit_test(refuses_invalid_values),
		cmocka_unit_test(accepts_up_to_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
