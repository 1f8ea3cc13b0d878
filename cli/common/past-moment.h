/* SPDX-License-Identifier: Apache-2.0 */
/* Moments of the past, as --at, --from, --to and operands name them. Pure except for TZ. */
#ifndef MEMTALLY_CLI_COMMON_PAST_MOMENT_H
#define MEMTALLY_CLI_COMMON_PAST_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/common/cli-option.h"

struct past_moment {
	uint64_t at_ns; /* CLOCK_REALTIME; with .is_oom the present */
	bool is_oom;    /* the last snapshot before the last OOM kill */
};

/*
 * Parses TEXT, the value of OPTION (such as "--at"), in *RET: what when_parse_moment() takes
 * (base/when.h), or "oom". NOW_NS is the present (CLOCK_REALTIME). Returns 0, or -EINVAL with a
 * sentence for the user in ERROR if TEXT is no moment, or in the future.
 */
int past_moment_parse(const char *option, const char *text, uint64_t now_ns,
	struct past_moment *ret, char error[static CLI_OPTION_ERROR_SIZE]);

/*
 * Parses TEXT, the value of OPTION (such as "--since"), in *RET_S, seconds since 1970: what
 * when_parse_moment() takes, also in the future. NOW_S is the present. Returns 0, or -EINVAL with a
 * sentence for the user in ERROR.
 */
int past_moment_parse_second(const char *option, const char *text, int64_t now_s, int64_t *ret_s,
	char error[static CLI_OPTION_ERROR_SIZE]);

#endif
