/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory that groups of processes have alone and share, as a table, JSON or comma-separated
 * values. Pure.
 */
#ifndef MEMTALLY_CLI_SHARING_SHARING_ROW_H
#define MEMTALLY_CLI_SHARING_SHARING_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "cli/table/list.h"
#include "inspect/frames/frame-owners.h"

/* Quantities of a group, in bytes except for SHARING_PROCESSES. */
enum sharing_field {
	/*
	 * freed when all processes of the group exit: ANON + (SHMEM - KEPT) + UNMAPPED + UNLINKED +
	 * (DRIVER - DRIVER_KEPT) + PAGE_TABLES
	 */
	SHARING_COMES_BACK,
	SHARING_ANON, /* anonymous memory that no other process maps */
	/* resident shared memory that no other process has in its page tables; includes the next */
	SHARING_SHMEM,
	/* of that, memory that stays: another process maps it, or it has a name */
	SHARING_KEPT,
	SHARING_UNMAPPED, /* shared memory in no page table that is freed on exit */
	SHARING_UNLINKED, /* files without a name that no other process maps or has open */
	/*
	 * drivers' memory that no other process maps: packet rings, BPF maps and others; includes
	 * the next two
	 */
	SHARING_DRIVER,
	SHARING_DRIVER_KEPT, /* packet rings that stay: another process has the socket open */
	/*
	 * drivers' memory that the kernel frees if nothing else keeps it, such as a name of a BPF
	 * map
	 */
	SHARING_DRIVER_UNTOLD,
	SHARING_STAYS_CACHED, /* pages of files that no other process maps */
	SHARING_PAGE_TABLES,
	SHARING_USS,         /* all resident pages that no other process maps */
	SHARING_SWAP_UNIQUE, /* swapped pages that no other process has */
	SHARING_FAIR,        /* each page divided by the groups that map it */
	SHARING_RESIDENT,    /* each page once */
	SHARING_PSS,         /* each page divided by its mappings */
	SHARING_RSS,         /* each page as often as it is mapped */
	SHARING_SWAP,
	SHARING_HUGETLB_UNIQUE,
	SHARING_HUGETLB,
	SHARING_PROCESSES,
	SHARING_FIELDS
};

/* The columns of groups; those that --sort takes have a sharing_field as .index. */
extern const struct columns sharing_columns;

struct sharing_row {
	const char *name; /* clean; borrowed */
	const char *user; /* clean; borrowed; the owner of the group; NULL or "": none */
	uint32_t group;   /* number of the group in struct frame_owners */
	uint64_t present; /* bits of sharing_field */
	/* Processes that are not in .q: they could not be read, or reading them blocked. */
	uint32_t denied, blocked;
	/* processes with an address space that counts in another group: only in .processes */
	uint32_t elsewhere;
	uint64_t q[SHARING_FIELDS];
};

/* The greatest number of groups, the first ones, that the matrix compares. */
enum { SHARING_MATRIX_MAX = 128 };

/* Statistics of the scan. */
struct sharing_statistics {
	uint64_t read;           /* address spaces */
	uint64_t ended, refused; /* processes */
	uint64_t span_ns, cpu_ns;
	uint64_t memory_bytes; /* memory used for tables of pages */
};

/* The value of --by, JSON and CSV for all chosen processes as one group. */
#define SHARING_SELECTION "selection"

struct sharing_report {
	const char *by;          /* "user"; NULL: the chosen processes are one group */
	const char *title;       /* head of the column of names: "USER" */
	bool has_user;           /* rows may have .user */
	struct sharing_row *row; /* owned; in order */
	size_t rows;
	enum sharing_field sort; /* rows are sorted by it: a table always shows it */
	struct list_look look;
	struct sharing_row total; /* of all .groups, also those without a row */
	size_t groups;
	bool has_none; /* one of .groups has the processes without an owner of the kind */
	/* of processes that were not read; bytes */
	uint64_t others_shared, others_fair, others_pss;
	uint64_t many, changed, gone;            /* frame-owners.h */
	uint64_t unmapped_kept, unmapped_untold; /* unmapped-shmem.h */
	uint64_t *matrix;                        /* owned; .compared rows and columns; NULL: none */
	size_t compared;
	struct sharing_statistics statistics;
};

/* Frees what R owns. */
void sharing_report_done(struct sharing_report *r);
#define AUTO_SHARING_REPORT CLEANUP(sharing_report_done)

/*
 * Fills ROW from STAKE, PAGE_TABLES bytes and the number of PROCESSES. It has a per-group PSS only
 * if HAS_FAIR, and SHARING_SWAP_UNIQUE only if HAS_SWAP or if the group has no swap at all.
 */
void sharing_fill(struct sharing_row *row, const struct frame_owner *owner, uint64_t page_tables,
	uint32_t processes, bool has_fair, bool has_swap);

/*
 * Notes in ROW that DENIED of its processes could not be read, that reading BLOCKED of them
 * blocked, and that ELSEWHERE are counted at other groups. If it has no other processes, and
 * nothing was found of these, ROW keeps no figure but its number of processes.
 */
void sharing_lack(struct sharing_row *row, uint32_t denied, uint32_t blocked, uint32_t elsewhere);

/* Sorts the rows of R by .sort, the largest first unless ASCENDING; rows without it come last. */
void sharing_sort(struct sharing_report *r, bool ascending);

/*
 * Appends a row for each group that is shown: a table with a total; objects of a JSON array without
 * its brackets; or comma-separated values. Returns 0, -ENOMEM, or a negative errno of write().
 */
int sharing_print_rows(const struct sharing_report *r, struct buffer *to);

/*
 * Appends the matrix: a table, with as many groups as a table has columns for, or comma-separated
 * values, with a line for each two groups that share memory; then logs how many groups are compared
 * if not all are. Returns as sharing_print_rows().
 */
int sharing_print_matrix(const struct sharing_report *r, struct buffer *to);

/* Appends all of R as JSON. Returns as sharing_print_rows(). */
int sharing_json(const struct sharing_report *r, struct buffer *to);

#endif
