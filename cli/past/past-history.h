/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `memtally history`: the PSS of the host, an owner or a process over time. Recent points are those
 * of memtally-recorder, and points of the time before the recording those of memtally-ledger.
 */
#ifndef MEMTALLY_CLI_PAST_PAST_HISTORY_H
#define MEMTALLY_CLI_PAST_PAST_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/common/cli-option.h"
#include "cli/common/past-moment.h"
#include "config/settings.h"
#include "snapshot/metric.h"

struct past_history {
	enum metric_scope scope; /* METRIC_HOST, of owners, or METRIC_PROCESS */
	const char *name;        /* borrowed from the settings, of an owner; NULL: none */
	uint32_t pid;            /* of a process */
	struct past_moment from, to;
};

/*
 * Reads the operands and options of history from SETTINGS in *RET. NOW_NS is the present
 * (CLOCK_REALTIME). Returns 0, or -EINVAL with a sentence for the user in ERROR. Pure except for TZ.
 */
int past_history_parse(const struct settings *settings, uint64_t now_ns, struct past_history *ret,
	char error[static CLI_OPTION_ERROR_SIZE]);

/* The run() of struct command (cli/common/command.h). */
int past_history_run(const struct settings *settings, bool is_check);

#endif
