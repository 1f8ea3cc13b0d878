/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/common/advice.h: what to do if a socket does not answer. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>

#include "cli/common/advice.h"

static void each_error_has_its_advice(void **state)
{
	static const struct {
		int r;
		const char *text;
	} cases[] = {
		{-ENOENT, "why (start memtallyd, or set --snapshot.socket)"},
		{-ECONNREFUSED, "why (start memtallyd, or set --snapshot.socket)"},
		{-EACCES, "why (run as root, or join group memtally)"},
		{-EPROTOTYPE, "why (another program listens there: check --snapshot.socket)"},
		{-ENOMSG, "why (check --snapshot.socket)"},
		{-EPROTO, "why (restart memtallyd after the upgrade)"},
		{-ETIMEDOUT, "why"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_BUFFER struct buffer to = {0};

		buffer_add_text(&to, "why");
		advice_add(&to, cases[i].r, "memtallyd", "--snapshot.socket");
		buffer_add_char(&to, '\0');
		assert_int_equal(to.error, 0);
		assert_string_equal(to.data, cases[i].text);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_error_has_its_advice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
