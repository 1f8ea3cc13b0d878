/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/table/line.h: lines with a name, folded to the width of a terminal. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <locale.h>

#include "cli/table/line.h"

static void wide_lines_go_on_below_their_text(void **state)
{
	static const struct {
		const char *text, *folded;
		size_t width;
	} cases[] = {
		{"CPU         0.36 % of one core; 1 % allowed\n",
			"CPU         0.36 % of one core; 1 % allowed\n", 0},
		{"CPU         0.36 % of one core; 1 % allowed\n",
			"CPU         0.36 % of one core; 1 % allowed\n", 43},
		{"CPU         0.36 % of one core; 1 % allowed\nKernel      exact\n",
			"CPU         0.36 % of one core; 1 %\n            allowed\nKernel      exact\n",
			42},
		/* a line without a name, and one without a newline */
		{"memtallyd 0.1.0: adaptive, a pass",
			"memtallyd 0.1.0:\n            adaptive,\n            a pass", 21},
		/* a row of a list */
		{"                 1.0 MiB  /lib/a, also in 3 other programs\n",
			"                 1.0 MiB  /lib/a, also in\n"
			"                          3 other programs\n",
			42},
		/* words stay whole */
		{"Largest     /a/long/path/without/blanks 1\n",
			"Largest     /a/long/path/without/blanks\n            1\n", 20},
		/* two columns for each of three characters */
		{"Same        \u6f22\u6f22\u6f22 b\n",
			"Same        \u6f22\u6f22\u6f22\n            b\n", 19},
		{"", "", 80},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_BUFFER struct buffer text = {0}, to = {0};

		buffer_add_text(&text, cases[i].text);
		line_fold(&text, cases[i].width, &to);
		buffer_add_char(&to, '\0');
		assert_int_equal(to.error, 0);
		assert_string_equal(to.data, cases[i].folded);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(wide_lines_go_on_below_their_text),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
