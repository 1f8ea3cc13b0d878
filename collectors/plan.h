/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which processes to measure in a pass. There are four kinds:
 *
 *   new      never measured: first, by doubt per cost, for at most half of the tokens if others want some
 *   refresh  what else would be older than the maximum age at the next pass, and so much of the oldest that
 *            everything is read again in time at an even pace
 *   doubt    the most doubt per cost, where the doubt matters
 *   minor    any other doubt of what is read within the pass, the most worth per cost, from what these leave of .spare_ns
 *
 * What is excused needs no tokens: all of it is read, before all else, the largest first.
 *
 * Where the tokens suffice to read everything again within the maximum age, refreshes come before all else, so
 * that nothing is ever older, and new ones have half of what that leaves. Where they don't, what new ones leave is
 * halved between refresh and doubt, and what is too old shows. Whatever a kind does not need goes to the others.
 * What is dearer than its kind's part is read when the lot falls on it, for the tokens may be overdrawn by one
 * read: nothing starves under any budget.
 *
 * Where memory is short, the caller has cut the tokens, and what waits is counted as put off for that. In
 * severe shortage only new ones and those that are due in this pass are read.
 *
 * What would hold a lock for longer than the stall budget is read at the age for giants only, after what else is
 * due, or, where not all of that can be read, by how late it is. New ones that are such do not wait for that age.
 *
 * Pure: no clock, no allocation, no state. Costs a few passes over the items and a heap of those that want to be
 * read, of which only the chosen ones are taken out.
 */
#ifndef MEMTALLY_COLLECTORS_PLAN_H
#define MEMTALLY_COLLECTORS_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/psi.h"

struct plan_item {
	uint32_t id;          /* the caller's */
	bool is_new;          /* this image was never measured */
	bool is_giant;        /* one mapping alone is predicted to be above the stall budget */
	bool is_excused;      /* it needs no tokens */
	bool is_in_pass;      /* it would be read within the pass, and not until the next one */
	bool is_put_off;      /* the plan says: for PLAN_BUDGET or PLAN_PRESSURE */
	uint64_t cost_ns;     /* predicted, of the way in which it would be read */
	uint64_t hold_ns;     /* predicted, the longest one */
	uint64_t doubt_bytes; /* how far off the estimate may be; for new ones the RSS */
	uint64_t
		worth_bytes; /* the same, weighted by how much it matters to owners' sums; for minor doubts */
	uint64_t pss_bytes; /* the estimate */
	uint64_t age_ns;    /* of the measurement; for new ones since they were first seen */
};

struct plan_limits {
	uint64_t tokens_ns; /* what reads may use in this pass, and until the next one */
	uint64_t
		spare_ns; /* of these, what all kinds together may use before minor doubts get nothing */
	uint64_t interval_ns;  /* until the next pass; at least 1 */
	uint64_t max_age_ns;   /* at least 1 */
	uint64_t giant_age_ns; /* 0: giants are never read */
	uint64_t stall_ns;     /* the longest hold that is allowed */
	uint64_t
		total_cost_ns; /* of reading everything but giants once; 0: the items are everything */
	uint64_t round;        /* another number for each pass, by which lots are drawn */
	enum psi_level pressure;
};

enum plan_reason {
	PLAN_BUDGET,   /* no tokens */
	PLAN_STALL,    /* predicted to hold a lock for too long, until the age for giants */
	PLAN_GIANT,    /* the same, by a single mapping, which can't be read by slices */
	PLAN_PRESSURE, /* the host is short of memory */
	PLAN_REASONS,
};

struct plan_counts {
	uint64_t chosen, chosen_ns;      /* with those that are excused */
	uint64_t deferred[PLAN_REASONS]; /* wanted to be read, and are not to be now */
};

/*
 * Whether DOUBT_BYTES about a process of PSS_BYTES, measured AGE_NS ago, are worth a read: as much as
 * max(2 %, 1 MiB), or half of that if a third of the maximum age has gone by. Of a process below 4 MiB a
 * quarter (but not less than 256 KiB) is as much, for many small ones make a large sum.
 */
bool plan_doubt_matters(
	uint64_t doubt_bytes, uint64_t pss_bytes, uint64_t age_ns, uint64_t max_age_ns);

/*
 * Reorders ITEMS: the first N, which it returns, are to be read now in this order. Their predicted
 * costs are at most the tokens and one read, but for those that are excused, which come first. Real
 * costs may differ: the caller asks its budget before each.
 */
size_t plan_choose(struct plan_item *items, size_t count, const struct plan_limits *limits,
	struct plan_counts *ret_counts);

#endif
