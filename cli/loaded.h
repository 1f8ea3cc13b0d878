/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lays the ELF files that a process has loaded over its mappings: which bytes of each section or symbol are there, and whose.
 */
#ifndef MEMTALLY_CLI_LOADED_H
#define MEMTALLY_CLI_LOADED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "cli/partlist.h"
#include "inside/mounts.h"
#include "inside/pagewalk.h"
#include "inside/residence.h"
#include "inside/target.h"

struct loaded_area;

struct loaded {
	uint64_t start, end; /* which addresses */

	const struct procfs *procfs; /* borrowed */
	struct pagewalk *walk;       /* likewise; its pagemap is that of the process */
	struct partlist *list;       /* likewise; where rows go */
	int fatal;                   /* of printing, or a shortage of ours */
	bool has_failed;             /* a file could not be looked into, and it was said why */

	size_t looked_into, without_symtab; /* files */
	uint64_t budget;                    /* object_open_debug()'s */

	/* Of the process that is looked into. */
	struct target *target; /* borrowed */
	pid_t pid;
	struct loaded_area *area; /* owned */
	size_t areas, areas_room;
	struct buffer paths, name;
	struct mounts mounts;
	struct residence placed, other;
};

void loaded_init(struct loaded *p);
void loaded_done(struct loaded *p);

/* One process, whose pagemap is open. 0, a target_outcome, or an error of reading it; and see .fatal. */
int loaded_look_into(struct loaded *p, struct target *t, pid_t pid);

/* Says what could not be told for want of symbols. */
void loaded_finish(const struct loaded *p);

#endif
