/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include "base/cleanup.h"
#include "base/userns.h"

static void knows_the_map_of_all(void **state)
{
	static const struct {
		const char *text;
		bool has_unmapped;
	} cases[] = {
		{"         0          0 4294967295\n", false}, /* the host's own */
		{"         0       1000          1\n", true},
		{"         0     100000      65536\n",
			true}, /* a container's: 65534 may be nobody's or nobody */
		{"         0          0      65534\n     65535      65535 4294901760\n", true},
		{"", true}, /* no map is written yet: nobody has a uid */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(userns_parse_has_unmapped(cases[i].text, strlen(cases[i].text)),
			cases[i].has_unmapped);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_the_map_of_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
