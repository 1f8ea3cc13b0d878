/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "daemon/heap-trim.h"

enum { LEAST = 100, PASSES = 5 };

bool heap_trim_is_due(struct heap_trim *e, uint64_t processes)
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
