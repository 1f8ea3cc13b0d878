/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/common/past-moment.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/when.h"

#define TIMES                                                                                      \
	"a time of day (03:12), a date (2026-11-01), a date and a time (\"2026-11-01 08:00\"), a " \
	"duration ago (-15m)"

int past_moment_parse(const char *option, const char *text, uint64_t now_ns,
	struct past_moment *ret, char error[static CLI_OPTION_ERROR_SIZE])
{
	uint64_t at_ns = now_ns;
	bool is_oom = !strcmp(text, "oom");

	if (!is_oom && when_parse_moment(text, now_ns, &at_ns) < 0)
		return cli_option_refuse(
			option, text, TIMES ", yesterday, today, now or oom", error);
	if (at_ns > now_ns) {
		snprintf(error, CLI_OPTION_ERROR_SIZE,
			"%s is in the future; choose an earlier time, such as -15m", option);
		return -EINVAL;
	}
	*ret = (struct past_moment){.at_ns = at_ns, .is_oom = is_oom};
	return 0;
}

int past_moment_parse_second(const char *option, const char *text, int64_t now_s, int64_t *ret_s,
	char error[static CLI_OPTION_ERROR_SIZE])
{
	uint64_t ns;

	/* It has no limit in the far future. */
	if (when_parse(text, now_s, ret_s) == 0)
		return 0;
	if (when_parse_moment(text, (uint64_t)now_s * NS_PER_SEC, &ns) < 0)
		return cli_option_refuse(option, text, TIMES ", yesterday, today or now", error);
	*ret_s = (int64_t)(ns / NS_PER_SEC);
	return 0;
}
