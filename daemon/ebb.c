/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "daemon/ebb.h"

enum { LEAST = 1000, PASSES = 5 };

bool ebb_turns(struct ebb *e, uint64_t processes)
{
	bool turns = processes <= e->most / 2 && e->most - processes >= LEAST;

	if (turns)
		e->passes = PASSES;
	if (turns || processes > e->most)
		e->most = processes;
	if (!e->passes)
		return false;
	e->passes--;
	return true;
}
