/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "daemon/keepalive.h"

bool keepalive_is_due(struct keepalive *k, bool is_passing, uint64_t progress, uint64_t now_ns,
	uint64_t due_ns, uint64_t late_ns)
{
	bool advanced = progress != k->last_progress;

	k->last_progress = progress;
	if (is_passing)
		return advanced;
	return advanced || now_ns < due_ns || now_ns - due_ns <= late_ns;
}
