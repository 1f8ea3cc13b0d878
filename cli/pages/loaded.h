/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loaded ELF files
 *
 * Finds where a process has loaded ELF files, and computes which bytes of each section or symbol
 * are resident, private, written or swapped. The result is rows of a partlist.
 */
#ifndef MEMTALLY_CLI_PAGES_LOADED_H
#define MEMTALLY_CLI_PAGES_LOADED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "cli/pages/partlist.h"
#include "inspect/files/mounts.h"
#include "inspect/maps/target.h"
#include "inspect/pages/pagewalk.h"
#include "inspect/pages/resident-ranges.h"

struct loaded_area;

struct loaded {
	uint64_t start, end; /* addresses to report on */

	const struct procfs *procfs; /* borrowed */
	struct pagewalk *walk;       /* borrowed; with the pagemap of the process */
	struct partlist *list;       /* borrowed; gets the rows */
	int fatal;                   /* error of printing, or -ENOMEM: ends the run */
	bool has_failed;             /* a file could not be read, which has been logged */

	size_t looked_into, without_symtab; /* files */
	/* bytes of debugging files that may still be checked: see elf_open_debug() */
	uint64_t budget;

	/* The process that is being read. */
	struct target *target; /* borrowed */
	pid_t pid;
	struct loaded_area *area; /* owned */
	size_t areas, areas_room;
	struct buffer paths, name;
	struct mounts mounts;
	struct resident_ranges placed, other;
};

/* Completes P. The caller has set .start, .end, .procfs, .walk and .list; the rest is zero. */
void loaded_init(struct loaded *p);

/* Frees what P owns. */
void loaded_done(struct loaded *p);

/*
 * Adds the rows of process T with pid PID, with its pagemap open in P->walk. Returns 0; an enum
 * target_outcome; or a negative errno of reading. If .fatal is set, the run must end.
 */
int loaded_look_into(struct loaded *p, struct target *t, pid_t pid);

/* Logs how many files had only exported symbols. */
void loaded_finish(const struct loaded *p);

#endif
