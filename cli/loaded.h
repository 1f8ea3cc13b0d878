/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `memtally pages --sections` and `--symbols`: of each ELF file that processes have loaded, which bytes of each part are there, and whose.
 */
#ifndef MEMTALLY_CLI_LOADED_H
#define MEMTALLY_CLI_LOADED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "cli/partrow.h"
#include "inside/pagewalk.h"
#include "inside/residence.h"
#include "inside/target.h"

struct loaded_area;

struct loaded {
	/* What is asked for. */
	struct partrow_format format;
	bool json, csv;
	bool is_sorted; /* else rows come as they lie, and none is kept */
	enum partrow_field sort;
	bool ascending;
	size_t limit;        /* rows to show; 0: all */
	uint64_t start, end; /* which addresses */

	const struct procfs *procfs; /* borrowed */
	struct pagewalk *walk;       /* likewise; its pagemap is that of the process */
	struct buffer *text;         /* likewise; what is to be printed */
	int fatal;                   /* of printing, or a shortage of ours */
	bool has_failed;             /* a file could not be looked into, and it was said why */

	struct partrow *row; /* owned; those that are kept */
	size_t rows, room;
	struct partrow total;
	size_t count, shown;
	struct buffer files;                /* objects, with commas in between */
	size_t looked_into, without_symtab; /* files */

	/* Of the process that is looked into. */
	pid_t pid;
	struct loaded_area *area; /* owned */
	size_t areas, areas_room;
	struct buffer paths, name;
	struct residence placed, other;
};

void loaded_init(struct loaded *p);
void loaded_done(struct loaded *p);

/* One process, whose pagemap is open. 0, a target_outcome, or an error of reading it; and see .fatal. */
int loaded_look_into(struct loaded *p, struct target *t, pid_t pid);

/* The heads before, and what is kept, and the sums, behind: of JSON up to where "processes" goes on. */
void loaded_begin(struct loaded *p);
int loaded_finish(struct loaded *p);

#endif
