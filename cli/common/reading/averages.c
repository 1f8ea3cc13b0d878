/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/common/reading/averages.h"

#include "base/log.h"

enum { WAIT_MS = 500 };

enum mapcounts_verdict averages_find(void)
{
	struct mapcounts m;

	mapcounts_init(&m);
	if (mapcounts_ask(&m) == 0)
		mapcounts_await(&m, WAIT_MS);
	return m.verdict;
}

bool averages_warn(void)
{
	bool averages = averages_find() == MAPCOUNTS_AVERAGED;

	if (averages)
		log_warning("%s", AVERAGES_TEXT);
	return averages;
}
