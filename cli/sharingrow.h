/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What groups of processes have alone and share, as a table, JSON or comma-separated values. Pure.
 */
#ifndef MEMTALLY_CLI_SHARINGROW_H
#define MEMTALLY_CLI_SHARINGROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "cli/table.h"
#include "inside/stakes.h"

/* Bytes, but for the last. */
enum sharing_field {
	SHARING_COMES_BACK, /* were the group to end: what follows, but what is kept, and files' */
	SHARING_ANON,       /* that nobody else maps, as the next two */
	SHARING_SHMEM,
	SHARING_KEPT, /* of the shared memory what stays: others map it, too, or it has a name */
	SHARING_UNMAPPED, /* shared memory in nobody's page tables that is the group's alone and goes with it */
	SHARING_STAYS_CACHED, /* of files */
	SHARING_PAGE_TABLES,
	SHARING_USS, /* all that nobody else maps: its anonymous and shared memory and that of files */
	SHARING_SWAP_UNIQUE,
	SHARING_FAIR,     /* each page divided by the groups that map it */
	SHARING_RESIDENT, /* each page once */
	SHARING_PSS,      /* each page divided by its mappings */
	SHARING_RSS,      /* each page as often as it is mapped */
	SHARING_SWAP,
	SHARING_HUGETLB_UNIQUE,
	SHARING_HUGETLB,
	SHARING_PROCESSES,
	SHARING_FIELDS
};

/* "comes_back_bytes" ...; the field of that name, or SHARING_FIELDS. */
const char *sharing_field_name(enum sharing_field field);
enum sharing_field sharing_find_field(const char *name);

struct sharing_row {
	const char *name; /* clean; borrowed */
	const char *user; /* whose own it is, likewise; NULL or "": nobody's */
	uint32_t group;   /* of the stakes */
	uint64_t present; /* bits of sharing_field */
	uint32_t denied;  /* processes that could not be read: they are in none of .q */
	uint32_t
		elsewhere; /* those whose address space is another group's, too, and counted there: in .processes alone */
	uint64_t q[SHARING_FIELDS];
};

/* As many groups as are compared with each other, those that come first. */
enum { SHARING_MATRIX_MAX = 128 };

/* How it came to be, beside the figures. */
struct sharing_course {
	uint64_t read, ended, refused; /* processes */
	uint64_t span_ns, cpu_ns;
	uint64_t memory_bytes; /* that the tables of pages took */
};

struct sharing_report {
	const char *by;          /* "user"; NULL: those who were chosen are one */
	const char *title;       /* of their column: "USER" */
	bool has_user;           /* rows may have .user */
	struct sharing_row *row; /* owned; in order */
	size_t rows;
	size_t limit;             /* rows to show; 0: all */
	bool bytes;               /* exact, instead of in KiB, MiB ... */
	struct sharing_row total; /* of all groups, be they among the rows or not: */
	size_t groups;
	uint64_t others_shared, others_fair, others_pss; /* of whom nobody has looked at; bytes */
	uint64_t many, changed, gone;                    /* stakes.h */
	uint64_t unmapped_kept, unmapped_untold;         /* remnants.h */
	uint64_t *matrix; /* owned; of .compared rows of as many; NULL: none */
	size_t compared;
	struct sharing_course course;
};

void sharing_report_done(struct sharing_report *r);
#define AUTO_SHARING_REPORT CLEANUP(sharing_report_done)

/*
 * What STAKE is of PAGE_TABLES bytes and PROCESSES; with .fair where HAS_FAIR, and what swap only it has where HAS_SWAP, or it
 * has none.
 */
void sharing_fill(struct sharing_row *row, const struct stake *stake, uint64_t page_tables,
	uint32_t processes, bool has_fair, bool has_swap);

/*
 * DENIED of its processes could not be read, and ELSEWHERE are counted at other groups: where there are no others, and nothing was
 * met of those who were denied, ROW has no figure but its processes.
 */
void sharing_lack(struct sharing_row *row, uint32_t denied, uint32_t elsewhere);

/* By FIELD, the largest first; those that lack it last. */
void sharing_sort(struct sharing_report *r, enum sharing_field field, bool ascending);

/* A row for each group and a total; the matrix, of as many groups as have room. -ENOMEM. */
int sharing_table(const struct sharing_report *r, struct table *ret);
int sharing_matrix_table(const struct sharing_report *r, struct table *ret);

/* All of it. */
void sharing_json(const struct sharing_report *r, struct buffer *to);

/* A line for each group; for each two groups that share something. */
void sharing_csv(const struct sharing_report *r, struct buffer *to);
void sharing_matrix_csv(const struct sharing_report *r, struct buffer *to);

#endif
