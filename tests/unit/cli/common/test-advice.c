/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/common/advice.h: what to do if a socket does not answer. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>

#include "cli/common/advice.h"

static void each_error_has_its_advice(void **state)
{
	static char snapshot[] = "/run/s", ledger[] = "/run/l";
	static const struct settings settings = {
		.snapshot_socket = snapshot, .ledger_socket = ledger};
	static const struct {
		int r;
		const char *memtallyd, *ledger;
	} cases[] = {
		{-ENOENT, "why (start memtallyd, or set --snapshot.socket)",
			"why (start memtally-ledger, or set --ledger.socket)"},
		{-ECONNREFUSED, "why (start memtallyd, or set --snapshot.socket)",
			"why (start memtally-ledger, or set --ledger.socket)"},
		{-EACCES, "why (check the permissions of /run/s)",
			"why (check the permissions of /run/l)"},
		{-ECONNRESET, "why (start memtallyd, or join group memtally)", "why"},
		{-EPROTOTYPE, "why (another program listens there: check --snapshot.socket)",
			"why (another program listens there: check --ledger.socket)"},
		{-ENOMSG, "why (check --snapshot.socket)", "why (check --ledger.socket)"},
		{-EPROTO, "why (restart memtallyd after the upgrade)",
			"why (restart memtally-ledger after the upgrade)"},
		{-ETIMEDOUT, "why", "why"},
	};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		bool is_ledger = i % 2;
		AUTO_BUFFER struct buffer to = {0};

		buffer_add_text(&to, "why");
		advice_add(&to, cases[i / 2].r, is_ledger ? PROGRAM_LEDGER : PROGRAM_MEMTALLYD,
			&settings);
		buffer_add_char(&to, '\0');
		assert_int_equal(to.error, 0);
		assert_string_equal(
			to.data, is_ledger ? cases[i / 2].ledger : cases[i / 2].memtallyd);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_error_has_its_advice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
