/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/own/counters.h"

#include <assert.h>

const unsigned int counters_status[COUNTERS_STATUSES] = {
	200, 304, 400, 401, 403, 404, 405, 413, 417, 421, 429, 503};

void counters_add(struct counters *c, unsigned int status)
{
	for (size_t i = 0; i < COUNTERS_STATUSES; i++)
		if (counters_status[i] == status) {
			c->answers[i]++;
			return;
		}
	assert(!"a status without a counter");
}
