/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What there is of a file that is memory (memfiles.h) and no process has in its page tables, and whether it goes with those
 * who map it. The file is found where one of these has it mapped, below map_files, which takes CAP_SYS_ADMIN or
 * CAP_CHECKPOINT_RESTORE.
 */
#ifndef MEMTALLY_INSIDE_REMNANT_H
#define MEMTALLY_INSIDE_REMNANT_H

#include <stdbool.h>

#include "inside/memfiles.h"

enum remnant_outcome {
	REMNANT_GONE = 1, /* it is not there any more where it was met, or is refused */
};

/*
 * Completes FILE, which is mapped, below PROCFS_FD. It is kept where it has a name, or is a SysV segment that is not marked to go
 * with its last mapping, as far as may be seen from here. IS_SWAPPING: some of the host's memory is in swap, as this one's may
 * be, which is left out. 0; REMNANT_GONE; -ENOMEM, -EMFILE or -ENFILE.
 */
int remnant_read(int procfs_fd, struct memfile *file, bool is_swapping);

#endif
