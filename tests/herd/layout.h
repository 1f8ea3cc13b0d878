/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a herd is to be, where each part of a member lies, and what its memory therefore amounts to.
 * Pure: nothing here maps or measures anything.
 */
#ifndef MEMTALLY_TESTS_HERD_LAYOUT_H
#define MEMTALLY_TESTS_HERD_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

enum { HERD_PROGRAMS_MAX = 1000000 };

struct herd_options {
	uint64_t members;
	uint64_t
		group; /* members that share copy-on-write and memfd pages; the last may be fewer */
	uint64_t private_kib;
	uint64_t cow_kib;   /* a group */
	uint64_t file_kib;  /* mapped by all members */
	uint64_t memfd_kib; /* a group */
	uint64_t vmas;      /* mappings of the private part */
	uint64_t uids, first_uid;
	uint64_t programs;  /* distinct names */
	uint64_t churn;     /* members replaced a second */
	uint64_t active;    /* members that allocate, free and dirty memory all the time */
	uint64_t work_kib;  /* what an active member works on, besides its other parts */
	uint64_t work_ms;   /* from one step of its work to the next, on average */
	const char *name;   /* of the program, or its beginning where there are several */
	const char *truth;  /* file; NULL: none */
	const char *folder; /* where the mapped file lies */
};

/* One mapped range. Its last page may lie short of the room that is set aside for it. */
struct herd_part {
	uintptr_t begin;
	uint64_t pages;
};

struct herd_layout {
	struct herd_part tape, private_part, cow, file, memfd;
	struct herd_part work; /* of the active members alone */
	struct herd_part argv; /* the pages of the stack that hold argv, for /proc/PID/cmdline */
	uintptr_t end;         /* of the parts; argv lies above */
};

/* Lays out members by OPTIONS; ARGV_BEGIN and ARGV_END are the bytes of this process's arguments. */
void layout_init(struct herd_layout *layout, const struct herd_options *options,
	uintptr_t argv_begin, uintptr_t argv_end);

/* The mapping V of a private part cut into OPTIONS->vmas: never empty, but perhaps without pages. */
struct herd_part layout_private(
	const struct herd_layout *layout, const struct herd_options *options, uint64_t v);

struct herd_truth {
	uint64_t rss_kib, pss_kib, uss_kib;
	uint64_t pss_unrounded_bytes; /* before the kernel rounds down to KiB */
};

/* Whether member I is one of OPTIONS->active; they are spread evenly. */
bool layout_is_active(const struct herd_options *options, uint64_t i);

/* Whether GROUP has an active member: then the truth below is that of the group at rest. */
bool layout_group_is_active(const struct herd_options *options, uint64_t group);

/* What the kernel must say of each member of GROUP. */
struct herd_truth layout_truth(
	const struct herd_layout *layout, const struct herd_options *options, uint64_t group);

uint64_t layout_groups(const struct herd_options *options);
uint64_t layout_group_size(const struct herd_options *options, uint64_t group);

#endif
