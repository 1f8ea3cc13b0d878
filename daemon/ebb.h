/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When so many processes have ended that what was remembered of them is worth giving back: the C library keeps it for
 * those to come, and they may never come. Pure.
 */
#ifndef MEMTALLY_DAEMON_EBB_H
#define MEMTALLY_DAEMON_EBB_H

#include <stdbool.h>
#include <stdint.h>

struct ebb {
	uint64_t most; /* processes of a pass since it was last given back */
	unsigned int
		passes; /* after which it is to be given back yet: not all goes with the processes */
};

/*
 * After a pass over so many processes: whether to give back what is free. Where at most half are left and a thousand at
 * least have ended, and after the four passes behind that one.
 */
bool ebb_turns(struct ebb *e, uint64_t processes);

#endif
