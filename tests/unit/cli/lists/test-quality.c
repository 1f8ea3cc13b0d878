/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/lists/quality.h: what the status page says about the accuracy of values. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"
#include "cli/lists/quality.h"
#include "tests/unit/support/cli/reported.h"
#include "tests/unit/support/snapshot/sample.h"

#define MEMORY "Memory      2.0 GiB (PSS) of 1432 processes"
#define OLD    ", from measurements up to 4 min 40 s old\n"
#define OFF                                                                                        \
	"Accuracy    estimates 12 % off (100.0 MiB measured again in 5 min 0 s); since the start "
#define NONE "Accuracy    no estimate measured again in 5 min 0 s; since the start "

static void quality_follows_from_errors_and_age(void **state)
{
	static const struct {
		struct reported reported;
		const char *text;
	} cases[] = {
		{{.is_exact = true, .low_mib = 2047, .high_mib = 2300},
			MEMORY ", between 2.0 and 2.2 GiB\n"
			       "  measured  2.0 GiB, 100 %, within the last interval\n"},
		{{.is_whole = true, .low_mib = 2048, .high_mib = 2048},
			MEMORY "\n"
			       "  measured  2.0 GiB, 100 %, in the last pass: exact\n" OFF
			       "half of the estimates up to 0.01 % off\n"},
		{{0}, MEMORY "\n"
			     "  measured  256.0 MiB, 12 %, within the last interval\n"
			     "  estimated 1.8 GiB, 88 %" OLD OFF
			     "half of the estimates up to 0.01 % off\n"},
		/* memtallyd has run for less than the maximum age */
		{{.is_whole = true, .low_mib = 2048, .high_mib = 2048, .up_s = 60}, MEMORY
			"\n"
			"  measured  2.0 GiB, 100 %, in the last pass: exact\n"
			"Accuracy    estimates 12 % off (100.0 MiB measured again in "
			"1 min 0 s); since the start half of the estimates up to 0.01 % off\n"},
		/*
		 * from 1000 estimates on the 99th percentile is significant; the last bucket has
		 * no bound
		 */
		{{.scale = 9, .is_wrong = true},
			MEMORY "\n"
			       "  measured  256.0 MiB, 12 %, within the last interval\n"
			       "  estimated 1.8 GiB, 88 %" OLD NONE
			       "half of the estimates over 1000 % off\n"},
		{{.scale = 10, .is_wrong = true},
			MEMORY "\n"
			       "  measured  256.0 MiB, 12 %, within the last interval\n"
			       "  estimated 1.8 GiB, 88 %" OLD NONE "99 of 100 over 1000 % off\n"},
		{{.is_young = true, .guessed = 8, .failed = 2},
			MEMORY "\n"
			       "  guessed   2.0 GiB, 100 %, 8 processes never measured\n"
			       "  unread    2 processes failed\n"},
		{{.is_young = true, .guessed = 1, .denied = 1, .flags = SELF_CAP_PERFMON}, MEMORY
			"\n"
			"  estimated 1.8 GiB, 88 %" OLD
			"  guessed   256.0 MiB, 12 %, 1 process never measured\n"
			"  unread    1 process denied (RSS 10.0 MiB, in the upper bounds only)\n"},
		{{.is_young = true, .guessed = 8, .denied = 2},
			MEMORY "\n"
			       "  guessed   2.0 GiB, 100 %, 8 processes never measured\n"
			       "  unread    2 processes denied (RSS 20.0 MiB, in the upper "
			       "bounds only)\n"},
		{{.is_young = true, .guessed = 8, .denied = 2, .low_mib = 1536, .high_mib = 2068},
			MEMORY ", likely between 1.5 and 2.0 GiB\n"
			       "  guessed   2.0 GiB, 100 %, 8 processes never measured\n"
			       "  unread    2 processes denied (RSS 20.0 MiB, in the upper "
			       "bounds only)\n"},
		/* An upper bound without room for them has been lowered. */
		{{.is_young = true, .guessed = 8, .denied = 2, .low_mib = 1536, .high_mib = 2067},
			MEMORY
			", likely between 1.5 and 2.0 GiB\n"
			"  guessed   2.0 GiB, 100 %, 8 processes never measured\n"
			"  unread    2 processes denied (RSS 20.0 MiB; the host's own sums set "
			"the upper bound)\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const uint64_t up_s = cases[i].reported.up_s ? cases[i].reported.up_s
		                                             : REPORTED_UP_S;
		AUTO_VIEW struct view *view = reported_open(&cases[i].reported);
		AUTO_BUFFER struct buffer b = {0};

		quality_render(view, 9 * NS_PER_SEC, up_s * NS_PER_SEC, &b);
		buffer_add_char(&b, '\0');
		assert_int_equal(b.error, 0);
		assert_string_equal(b.data, cases[i].text);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(quality_follows_from_errors_and_age),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
