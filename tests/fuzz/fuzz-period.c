/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/when.h"
#include "cli/usage/period.h"

/* The input is a time zone, a newline, and a point in time. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int64_t now_s = 1795413600;
	AUTO_FREE char *text = fuzz_text(data, size);
	char *time = strchr(text, '\n');
	uint64_t ns;
	int64_t s;

	if (!time || strchr(text, '/'))
		return 0;
	*time++ = 0;
	setenv("TZ", text, 1);
	tzset();
	if (when_parse_moment(time, (uint64_t)now_s * NS_PER_SEC, &ns) == 0)
		fuzz_check(ns <= INT64_MAX);
	if (when_parse(time, now_s, &s) < 0)
		return 0;
	for (unsigned int per = USAGE_PER_ALL; per <= USAGE_PER_MONTH; per++) {
		AUTO_FREE struct period *list = NULL;
		char name[PERIOD_TEXT_SIZE];
		size_t count;

		period_name((enum usage_per)per, s, name);
		period_format(s, name);
		if (period_list((enum usage_per)per, s, now_s, &list, &count) < 0)
			continue;
		fuzz_check(count >= 1 && count <= PERIODS_MAX);
		fuzz_check(list[0].from_s == s && list[count - 1].to_s == now_s);
		for (size_t i = 1; i < count; i++)
			fuzz_check(list[i].from_s == list[i - 1].to_s &&
				   list[i].from_s < list[i].to_s);
	}
	return 0;
}
