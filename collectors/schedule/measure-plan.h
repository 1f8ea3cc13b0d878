/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measurement Plan
 *
 * Chooses the processes to measure in a pass. There are four kinds:
 *
 * - new: never measured. First, by doubt per cost, for at most half of the tokens if other kinds
 *   want some.
 * - refresh: would be older than the maximum age at the next pass; and as much of the oldest as is
 *   needed to measure every process again in time at an even pace.
 * - doubt: the doubt matters (measure_plan_doubt_matters()). Most doubt per cost first.
 * - minor: any other doubt of processes that are measured within the pass. Most worth per cost
 *   first, from what the other kinds leave of .spare_ns.
 *
 * Excused processes need no tokens: all of them are measured, before all others, the largest first.
 *
 * If the tokens suffice to measure every process again within the maximum age, refreshes come
 * before the other kinds, so that no measurement becomes older, and new ones have half of the rest.
 * If they do not suffice, the rest after new ones is halved between refresh and doubt, and some
 * measurements become too old. What a kind does not need goes to the others. A process that costs
 * more than its kind's part is measured when its kind is drawn by lot, since the tokens may be
 * overdrawn by one read: under any budget, every process is measured at some time.
 *
 * Under memory pressure the caller has cut the tokens, and waiting processes count as deferred for
 * that reason. Under severe pressure only new processes and those that are due in this pass are
 * measured.
 *
 * If its walk would hold a lock for longer than the stall budget, a process is measured only at the
 * age for giants. New ones do not wait for that age.
 *
 * Pure: no clock, no allocation, no state. The cost is a few rounds over the items, and a heap of
 * the candidates, from which only the chosen ones are taken.
 */
#ifndef MEMTALLY_COLLECTORS_SCHEDULE_MEASURE_PLAN_H
#define MEMTALLY_COLLECTORS_SCHEDULE_MEASURE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/procfs/host/psi.h"

/* A process that may be measured. */
struct measure_plan_item {
	uint32_t id;     /* for the caller */
	bool is_new : 1; /* this image was never measured */
	/* a single mapping is predicted to hold the lock for longer than the stall budget */
	bool is_giant : 1;
	bool is_excused : 1;  /* it needs no tokens */
	bool is_in_pass : 1;  /* it would be measured within the pass, rather than between passes */
	bool is_deferred : 1; /* result: deferred for MEASURE_PLAN_BUDGET or MEASURE_PLAN_PRESSURE */
	uint64_t cost_ns;     /* predicted CPU, for the way in which it would be walked */
	uint64_t hold_ns;     /* predicted longest hold of the lock */
	uint64_t doubt_bytes; /* how far off the estimate may be; RSS for new ones */
	/* the same, weighted by how much it matters to owners' sums; for minor doubts */
	uint64_t worth_bytes;
	uint64_t pss_bytes; /* the estimated PSS */
	uint64_t age_ns;    /* of the measurement; for new ones, since the image was first seen */
};

/* The limits of a plan, and the state of the host. */
struct measure_plan_limits {
	uint64_t tokens_ns; /* CPU that measurements may use in this pass, and until the next one */
	/* of .tokens_ns: what all kinds together may use before minor doubts get nothing */
	uint64_t spare_ns;
	uint64_t interval_ns;  /* until the next pass; at least 1 */
	uint64_t max_age_ns;   /* at least 1 */
	uint64_t giant_age_ns; /* 0: giants are never read */
	uint64_t stall_ns;     /* the longest hold that is allowed */
	/* CPU for measuring every process but giants once; 0: the items are every process */
	uint64_t total_cost_ns;
	uint64_t round; /* changes with each pass; lots are drawn by it */
	enum psi_level pressure;
};

/* Why a process is deferred. */
enum measure_plan_reason {
	MEASURE_PLAN_BUDGET, /* not enough tokens */
	MEASURE_PLAN_STALL, /* predicted to hold a lock for too long; waits for the age for giants */
	MEASURE_PLAN_GIANT, /* the same because of a single mapping, which slices cannot divide */
	MEASURE_PLAN_PRESSURE, /* processes wait for memory */
	MEASURE_PLAN_REASONS,
};

/* Numbers of chosen and of deferred processes. */
struct measure_plan_counts {
	uint64_t chosen, chosen_ns; /* including excused ones */
	/* not chosen, though one of the kinds applies; by reason */
	uint64_t deferred[MEASURE_PLAN_REASONS];
};

/*
 * Returns true if DOUBT_BYTES about a process of PSS_BYTES, measured AGE_NS ago, are worth a
 * measurement:
 *
 *	doubt >= max(pss / 50, min(max(pss / 4, 256 KiB), 1 MiB))
 *
 * or half of that if AGE_NS is at least a third of MAX_AGE_NS. The limit is lower for processes
 * below 4 MiB, because many small ones make a large sum.
 */
bool measure_plan_doubt_matters(
	uint64_t doubt_bytes, uint64_t pss_bytes, uint64_t age_ns, uint64_t max_age_ns);

/*
 * Reorders ITEMS. Returns N: the first N items are to be measured now, in this order. *RET_COUNTS
 * says how many were chosen and deferred. Excused items come first; the predicted costs of the
 * others are at most the tokens and one read. Real costs may differ, so the caller asks its budget
 * before each.
 */
size_t measure_plan_choose(struct measure_plan_item *items, size_t count,
	const struct measure_plan_limits *limits, struct measure_plan_counts *ret_counts);

#endif
