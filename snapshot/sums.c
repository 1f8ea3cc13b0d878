/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "snapshot/sums.h"

#include "base/cleanup.h"

/* Quantities of a process that are summed. */
static const struct {
	enum process_quantity process;
	enum scope_quantity scope;
	bool is_own; /* also counts if the process's memory counts at another one */
} summed[] = {
	{PROCESS_PSS, SCOPE_PSS},
	{PROCESS_PSS_LOW, SCOPE_PSS_LOW},
	{PROCESS_USS, SCOPE_USS},
	{PROCESS_RSS, SCOPE_RSS},
	{PROCESS_SWAP_PSS, SCOPE_SWAP_PSS},
	{PROCESS_VM_SWAP, SCOPE_VM_SWAP},
	{PROCESS_VM_PTE, SCOPE_PAGETABLE},
	{PROCESS_VM_SIZE, SCOPE_VM_SIZE},
	{PROCESS_THREADS, SCOPE_THREADS, true},
};

/* Quantities that sums_add_shares() adds. */
static const enum scope_quantity shares[] = {
	SCOPE_PSS_MEASURED, SCOPE_PSS_ESTIMATED, SCOPE_PSS_GUESSED, SCOPE_GUESSED};

/*
 * No host has 2^63 bytes, but a fake proc file system may say so: sums stay at the largest value
 * that a snapshot can hold.
 */
static uint64_t sums_plus(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) || sum > INT64_MAX ? INT64_MAX : sum;
}

static void sums_add_quantity(struct sums *s, enum scope_quantity i, uint64_t value)
{
	ROW_SET(s, i, sums_plus(s->q[i], value));
}

static void sums_raise_to(struct sums *s, enum scope_quantity i, uint64_t value)
{
	if (!ROW_HAS(s, i) || value > s->q[i])
		ROW_SET(s, i, value);
}

static const struct sums_reason reasons[] = {
	{OUTCOME_DENIED, SCOPE_UNMEASURED_DENIED, SCOPE_UNMEASURED_RSS_DENIED},
	{OUTCOME_MALFORMED, SCOPE_UNMEASURED_MALFORMED, SCOPE_UNMEASURED_RSS_MALFORMED},
	{OUTCOME_CHANGING, SCOPE_UNMEASURED_CHANGING, SCOPE_UNMEASURED_RSS_CHANGING},
	{OUTCOME_ERROR, SCOPE_UNMEASURED_ERROR, SCOPE_UNMEASURED_RSS_ERROR},
	{OUTCOME_BLOCKED, SCOPE_UNMEASURED_BLOCKED, SCOPE_UNMEASURED_RSS_BLOCKED},
};

static_assert(ARRAY_SIZE(reasons) == SUMS_REASONS, "sums.h says how many reasons there are");

const struct sums_reason *sums_reason(size_t i)
{
	return &reasons[i];
}

uint64_t sums_unmeasured(uint64_t present, const uint64_t *q)
{
	uint64_t count = 0;

	for (size_t i = 0; i < SUMS_REASONS; i++)
		if (present >> reasons[i].count & 1)
			count = sums_plus(count, q[reasons[i].count]);
	return count;
}

/*
 * Returns the reason why a process with OUTCOME was not measured; NULL: it was measured, or has no
 * memory of its own.
 */
static const struct sums_reason *reason_of(unsigned int outcome)
{
	for (size_t i = 0; i < SUMS_REASONS; i++)
		if (reasons[i].outcome == outcome)
			return &reasons[i];
	return NULL;
}

/* A member without a PSS has at most its RSS, so that goes into the upper bound. */
static void add_high(struct sums *s, const struct snapshot_process *m)
{
	if (ROW_HAS(m, PROCESS_PSS_HIGH))
		sums_add_quantity(s, SCOPE_PSS_HIGH, m->q[PROCESS_PSS_HIGH]);
	else if (ROW_HAS(m, PROCESS_RSS))
		sums_add_quantity(s, SCOPE_PSS_HIGH, m->q[PROCESS_RSS]);
	else
		s->has_unbounded = true;
}

/* Adds to the parts of the PSS that are measured, estimated and guessed. */
static void sums_add_shares(struct sums *s, const struct snapshot_process *m)
{
	bool is_estimate = m->source == SOURCE_ESTIMATE, is_guess = snapshot_is_guess(m);

	if (!ROW_HAS(m, PROCESS_PSS))
		return;
	sums_add_quantity(s, SCOPE_PSS_MEASURED, is_estimate ? 0 : m->q[PROCESS_PSS]);
	sums_add_quantity(s, SCOPE_PSS_ESTIMATED, is_estimate ? m->q[PROCESS_PSS] : 0);
	sums_add_quantity(s, SCOPE_PSS_GUESSED, is_guess ? m->q[PROCESS_PSS] : 0);
	sums_add_quantity(s, SCOPE_GUESSED, is_guess);
}

/* The RSS of M is missing in the PSS only if M has no PSS. */
static void add_unmeasured(
	struct sums *s, const struct snapshot_process *m, const struct sums_reason *reason)
{
	sums_add_quantity(s, reason->count, 1);
	if (ROW_HAS(m, PROCESS_PSS))
		sums_add_quantity(s, reason->rss, 0);
	else if (ROW_HAS(m, PROCESS_RSS))
		sums_add_quantity(s, reason->rss, m->q[PROCESS_RSS]);
}

static void add_hugetlb(struct sums *s, const struct snapshot_process *m)
{
	if (ROW_HAS(m, PROCESS_PRIVATE_HUGETLB)) {
		s->private_hugetlb = sums_plus(s->private_hugetlb, m->q[PROCESS_PRIVATE_HUGETLB]);
		s->has_hugetlb = true;
	}
	if (ROW_HAS(m, PROCESS_SHARED_HUGETLB)) {
		if (m->q[PROCESS_SHARED_HUGETLB] > s->shared_hugetlb_max)
			s->shared_hugetlb_max = m->q[PROCESS_SHARED_HUGETLB];
		s->has_hugetlb = true;
	}
}

static void sums_lower_to(struct sums *s, enum scope_quantity i, uint64_t value)
{
	if (!ROW_HAS(s, i) || value < s->q[i])
		ROW_SET(s, i, value);
}

/* For M with memory that counts at another process: adds 0, so that the sums are present. */
static void add_elsewhere(struct sums *s, const struct snapshot_process *m)
{
	for (size_t i = 0; i < ARRAY_SIZE(summed); i++)
		sums_add_quantity(s, summed[i].scope,
			summed[i].is_own && ROW_HAS(m, summed[i].process) ? m->q[summed[i].process]
									  : 0);
	sums_add_quantity(s, SCOPE_PSS_HIGH, 0);
	for (size_t i = 0; i < ARRAY_SIZE(shares); i++)
		sums_add_quantity(s, shares[i], 0);
}

void sums_add(struct sums *s, const struct snapshot_process *row)
{
	const struct sums_reason *reason = reason_of(row->outcome);

	sums_add_quantity(s, SCOPE_PROCESSES, 1);
	if (reason)
		add_unmeasured(s, row, reason);
	if (ROW_HAS(row, PROCESS_START_TIME))
		sums_lower_to(s, SCOPE_OLDEST_START, row->q[PROCESS_START_TIME]);
	if (row->outcome == OUTCOME_SHARED_MM) {
		add_elsewhere(s, row);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(summed); i++)
		if (ROW_HAS(row, summed[i].process))
			sums_add_quantity(s, summed[i].scope, row->q[summed[i].process]);
	s->lacks_uss |= ROW_HAS(row, PROCESS_PSS) && !ROW_HAS(row, PROCESS_USS);
	add_high(s, row);
	sums_add_shares(s, row);
	add_hugetlb(s, row);
	if (ROW_HAS(row, PROCESS_VM_HWM))
		sums_raise_to(s, SCOPE_VM_HWM_MAX, row->q[PROCESS_VM_HWM]);
}

static void merge_reason(struct sums *to, const struct sums *from, const struct sums_reason *reason)
{
	sums_add_quantity(to, reason->count, from->q[reason->count]);
	if (from->q[reason->count] && ROW_HAS(from, reason->rss))
		sums_add_quantity(to, reason->rss, from->q[reason->rss]);
}

void sums_merge(struct sums *to, const struct sums *from)
{
	/* sums_end() of a sum without members has set zeros that no process had */
	if (!from->q[SCOPE_PROCESSES])
		return;
	for (size_t i = 0; i < ARRAY_SIZE(summed); i++)
		if (ROW_HAS(from, summed[i].scope))
			sums_add_quantity(to, summed[i].scope, from->q[summed[i].scope]);
	sums_add_quantity(to, SCOPE_PROCESSES, from->q[SCOPE_PROCESSES]);
	for (size_t i = 0; i < SUMS_REASONS; i++)
		merge_reason(to, from, &reasons[i]);
	if (ROW_HAS(from, SCOPE_PSS_HIGH))
		sums_add_quantity(to, SCOPE_PSS_HIGH, from->q[SCOPE_PSS_HIGH]);
	for (size_t i = 0; i < ARRAY_SIZE(shares); i++)
		if (ROW_HAS(from, shares[i]))
			sums_add_quantity(to, shares[i], from->q[shares[i]]);
	if (ROW_HAS(from, SCOPE_VM_HWM_MAX))
		sums_raise_to(to, SCOPE_VM_HWM_MAX, from->q[SCOPE_VM_HWM_MAX]);
	if (ROW_HAS(from, SCOPE_OLDEST_START))
		sums_lower_to(to, SCOPE_OLDEST_START, from->q[SCOPE_OLDEST_START]);
	to->has_unbounded = to->has_unbounded || from->has_unbounded;
	to->lacks_uss = to->lacks_uss || from->lacks_uss;
	to->has_hugetlb = to->has_hugetlb || from->has_hugetlb;
	to->private_hugetlb = sums_plus(to->private_hugetlb, from->private_hugetlb);
	if (from->shared_hugetlb_max > to->shared_hugetlb_max)
		to->shared_hugetlb_max = from->shared_hugetlb_max;
}

void sums_merge_row(struct sums *to, const struct snapshot_scope *row)
{
	struct sums from = {
		.present = row->present,
		.has_unbounded = !ROW_HAS(row, SCOPE_PSS_HIGH),
		.lacks_uss = ROW_HAS(row, SCOPE_PSS) && !ROW_HAS(row, SCOPE_USS),
	};

	for (size_t i = 0; i < SCOPE_QUANTITIES; i++)
		from.q[i] = ROW_HAS(row, i) ? row->q[i] : 0;
	sums_merge(to, &from);
}

void sums_end(struct sums *s)
{
	ROW_SET(s, SCOPE_PROCESSES, s->q[SCOPE_PROCESSES]);
	for (size_t i = 0; i < SUMS_REASONS; i++) {
		ROW_SET(s, reasons[i].count, s->q[reasons[i].count]);
		if (!s->q[reasons[i].count]) /* no such process: their RSS is 0 */
			ROW_SET(s, reasons[i].rss, 0);
	}
	if (s->has_unbounded)
		s->present &= ~(UINT64_C(1) << SCOPE_PSS_HIGH);
	if (s->lacks_uss)
		s->present &= ~(UINT64_C(1) << SCOPE_USS);
	if (s->has_hugetlb)
		ROW_SET(s, SCOPE_HUGETLB, sums_plus(s->private_hugetlb, s->shared_hugetlb_max));
	if (s->q[SCOPE_PROCESSES])
		return;
	for (size_t i = 0; i < ARRAY_SIZE(summed); i++)
		ROW_SET(s, summed[i].scope, 0);
	ROW_SET(s, SCOPE_PSS_HIGH, 0);
	for (size_t i = 0; i < ARRAY_SIZE(shares); i++)
		ROW_SET(s, shares[i], 0);
	ROW_SET(s, SCOPE_HUGETLB, 0);
}

void sums_cap(struct sums *s, uint64_t most)
{
	uint64_t *high = &s->q[SCOPE_PSS_HIGH];

	if (ROW_HAS(s, SCOPE_PSS) && s->q[SCOPE_PSS] > most)
		most = s->q[SCOPE_PSS];
	if (ROW_HAS(s, SCOPE_PSS_HIGH) && *high > most)
		*high = most;
}

void sums_raise(struct sums *s, uint64_t least)
{
	uint64_t *low = &s->q[SCOPE_PSS_LOW];

	if (!ROW_HAS(s, SCOPE_PSS) || !ROW_HAS(s, SCOPE_PSS_LOW))
		return;
	least = least < s->q[SCOPE_PSS] ? least : s->q[SCOPE_PSS];
	if (*low < least)
		*low = least;
}
