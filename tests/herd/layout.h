/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layout and true memory use of the members of a herd
 *
 * From the options follow the parts of memory that each member maps, their addresses, and the RSS,
 * PSS and USS that the kernel must show. Pure: maps and measures nothing.
 */
#ifndef MEMTALLY_TESTS_HERD_LAYOUT_H
#define MEMTALLY_TESTS_HERD_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

enum { HERD_PROGRAMS_MAX = 1000000 };

/* Options of tests/herd/herd; see its --help. */
struct herd_options {
	uint64_t members;
	/* members that share copy-on-write and memfd pages; the last group may have fewer */
	uint64_t group;
	uint64_t private_kib;
	uint64_t cow_kib;   /* copy-on-write memory of each group */
	uint64_t file_kib;  /* mapped file, shared by all members */
	uint64_t memfd_kib; /* memfd of each group */
	uint64_t vmas;      /* number of mappings of the private part */
	uint64_t uids, first_uid;
	uint64_t programs;  /* distinct names */
	uint64_t churn;     /* members replaced in a second */
	uint64_t active;    /* members that allocate, free and write memory all the time */
	uint64_t work_kib;  /* additional memory that an active member works on */
	uint64_t work_ms;   /* mean time between two steps of this work */
	const char *name;   /* name of the program; a prefix if there are several */
	const char *truth;  /* path of the file for the truth; NULL: none */
	const char *folder; /* folder of the mapped file */
};

/* A mapped range. .pages may be fewer than the room between two parts. */
struct herd_part {
	uintptr_t begin;
	uint64_t pages;
};

struct herd_layout {
	struct herd_part tape, private_part, cow, file, memfd;
	struct herd_part work; /* of active members only */
	struct herd_part argv; /* pages of the stack that hold argv, for /proc/PID/cmdline */
	uintptr_t end;         /* end of the parts; argv is above */
};

/*
 * Computes the layout of each member. ARGV_BEGIN and ARGV_END enclose the arguments of this
 * process, which members overwrite with their names.
 */
void layout_init(struct herd_layout *layout, const struct herd_options *options,
	uintptr_t argv_begin, uintptr_t argv_end);

/*
 * Returns mapping V of the private part, which consists of OPTIONS->vmas mappings. .pages may be 0;
 * then the member still maps one page.
 */
struct herd_part layout_private(
	const struct herd_layout *layout, const struct herd_options *options, uint64_t v);

struct herd_truth {
	uint64_t rss_kib, pss_kib, uss_kib;
	uint64_t pss_unrounded_bytes; /* PSS in bytes, before the kernel rounds down to KiB */
};

/* Returns whether member I is one of OPTIONS->active; these are spread evenly over the members. */
bool layout_is_active(const struct herd_options *options, uint64_t i);

/* Returns whether GROUP has an active member. layout_truth() is then wrong for the group. */
bool layout_group_is_active(const struct herd_options *options, uint64_t group);

/* Returns the values that the kernel must show for each member of GROUP. */
struct herd_truth layout_truth(
	const struct herd_layout *layout, const struct herd_options *options, uint64_t group);

/* Return the number of groups, and the number of members in GROUP. */
uint64_t layout_groups(const struct herd_options *options);
uint64_t layout_group_size(const struct herd_options *options, uint64_t group);

#endif
