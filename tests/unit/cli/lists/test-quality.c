/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/lists/quality.h: what the status page says about the accuracy of values. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"
#include "cli/lists/quality.h"
#include "tests/unit/support/reported.h"
#include "tests/unit/support/sample.h"

#define MEMORY "Memory      2.0 GiB (PSS) of 1432 processes"
#define OLD    ", from measurements up to 4 min 40 s old\n"
#define OFF                                                                                               \
	"Accuracy    estimates were 12 % off, of 100.0 MiB that were measured again in about the last 5 " \
	"min 0 s, those in doubt first; since the start half of the processes by "
#define NONE                                                                                             \
	"Accuracy    nothing was measured again in about the last 5 min 0 s; since the start estimates " \
	"were off, half of the processes by "

static void quality_follows_from_errors_and_age(void **state)
{
	static const struct {
		struct reported reported;
		const char *text;
	} cases[] = {
		{{.is_exact = true, .low_mib = 2047, .high_mib = 2300}, MEMORY
			", between 2.0 and 2.2 GiB\n"
			"  measured  2.0 GiB, 100 %, within the interval before the snapshot\n"},
		{{.is_whole = true, .low_mib = 2048, .high_mib = 2048}, MEMORY
			"\n"
			"  measured  2.0 GiB, 100 %, by the pass of this snapshot: exact\n" OFF
			"up to 0.01 % (guesses not counted)\n"},
		{{0}, MEMORY
			"\n"
			"  measured  256.0 MiB, 12 %, within the interval before the snapshot\n"
			"  estimated 1.8 GiB, 88 %" OLD OFF "up to 0.01 % (guesses not counted)\n"},
		/*
		 * from 1000 estimates on the 99th percentile is significant; the last bucket has
		 * no bound
		 */
		{{.scale = 9, .is_wrong = true}, MEMORY
			"\n"
			"  measured  256.0 MiB, 12 %, within the interval before the snapshot\n"
			"  estimated 1.8 GiB, 88 %" OLD NONE "over 1000 % (guesses not counted)\n"},
		{{.scale = 10, .is_wrong = true}, MEMORY
			"\n"
			"  measured  256.0 MiB, 12 %, within the interval before the snapshot\n"
			"  estimated 1.8 GiB, 88 %" OLD NONE
			"over 1000 %, 99 of 100 by over 1000 % (guesses not counted)\n"},
		{{.is_young = true, .guessed = 8, .failed = 2},
			MEMORY "\n"
			       "  guessed   2.0 GiB, 100 %, of 8 processes that wait for their "
			       "first measurement\n"
			       "  failed    2 processes could not be read for other reasons\n"},
		{{.is_young = true, .guessed = 1, .denied = 1, .flags = SELF_CAP_PERFMON}, MEMORY
			"\n"
			"  estimated 1.8 GiB, 88 %" OLD
			"  guessed   256.0 MiB, 12 %, of 1 process that waits for its first "
			"measurement\n"
			"  denied    the kernel refuses 1 process in spite of that right: RSS 10.0 MiB, "
			"in the upper bounds only\n"},
		{{.is_young = true, .guessed = 8, .denied = 2},
			MEMORY "\n"
			       "  guessed   2.0 GiB, 100 %, of 8 processes that wait for their "
			       "first measurement\n"
			       "  denied    2 processes may not be read: RSS 20.0 MiB, in the "
			       "upper bounds only\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_VIEW struct view *view = reported_open(&cases[i].reported);
		AUTO_BUFFER struct buffer b = {0};

		quality_render(view, 9 * NS_PER_SEC, &b);
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
