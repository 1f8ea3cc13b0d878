/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include "base/cleanup.h"
#include "web/credentials.h"

static void takes_them_apart(void **state)
{
	static const struct {
		const char *value, *name, *password;
	} cases[] = {
		{"Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "Aladdin", "open sesame"}, /* RFC 7617 */
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

static void refuses_others(void **state)
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
		"Basic YTpi-w==", /* of the alphabet for URLs */
		"Basic YTpiADo=", /* a NUL */
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

/* So many bytes of NAME and PASSWORD, "YWFh" being "aaa" and "OmFh" ":aa". */
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

static void has_room_for_so_much(void **state)
{
	(void)state;
	assert_true(takes(255, 509));
	assert_false(takes(258, 5));
	assert_false(takes(3, 512));
	assert_false(takes(300, 1001));
}

static void leaves_nothing(void **state)
{
	static const struct credentials zero;
	struct credentials c;

	(void)state;
	assert_true(credentials_parse("Basic YTpi", &c));
	credentials_wipe(&c);
	assert_memory_equal(&c, &zero, sizeof(zero));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_them_apart),
		cmocka_unit_test(refuses_others),
		cmocka_unit_test(has_room_for_so_much),
		cmocka_unit_test(leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
