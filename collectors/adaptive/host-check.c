/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/adaptive/host-check.h"

#include <unistd.h>

#include "base/cleanup.h"
#include "base/saturate.h"
#include "collectors/adaptive/sharing-state.h"

void host_check_init(struct host_check *h, uint64_t page_bytes)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	*h = (struct host_check){.page_bytes = page_bytes, .cpus = cpus > 0 ? (uint32_t)cpus : 1};
}

static void read_meminfo(int proc_fd, struct meminfo *ret)
{
	if (meminfo_read(proc_fd, ret) < 0)
		*ret = (struct meminfo){0};
}

void host_check_before(struct host_check *h, int proc_fd)
{
	read_meminfo(proc_fd, &h->before);
}

void host_check_after(struct host_check *h, int proc_fd)
{
	read_meminfo(proc_fd, &h->after);
}

void host_check_left(struct host_check *h, uint64_t bytes)
{
	h->leaving = saturate_add(h->leaving, bytes);
}

/*
 * Computes the mean of the host's sum FIELD before and after the polls, and its error, in bytes.
 * Returns false if it was not read.
 */
static bool host_check_middle(
	const struct host_check *h, enum meminfo_field field, uint64_t *ret, uint64_t *ret_unsure)
{
	uint64_t before = h->before.q[field], after = h->after.q[field];

	*ret = saturate_min(before, after);
	*ret_unsure = (saturate_max(before, after) - *ret + 1) / 2;
	*ret += *ret_unsure;
	return ROW_HAS(&h->before, field) && ROW_HAS(&h->after, field);
}

/* By how many bytes the host's counters may be late. */
static uint64_t host_check_late_bytes(const struct host_check *h)
{
	return h->page_bytes * h->cpus * HOST_CHECK_PAGES_PER_CPU;
}

/* Returns the upper bound of the host's sum FIELD; UINT64_MAX: not known. */
static uint64_t host_check_most_of(const struct host_check *h, enum meminfo_field field)
{
	uint64_t sum, unsure;

	return host_check_middle(h, field, &sum, &unsure) ? sum + unsure + host_check_late_bytes(h)
	                                                  : UINT64_MAX;
}

void host_check_begin(struct host_check *h)
{
	h->left = h->leaving;
	h->leaving = h->absent = 0;
	h->anon_most = host_check_most_of(h, MEMINFO_ANON_PAGES);
	h->file_most = host_check_most_of(h, MEMINFO_MAPPED);
	h->has_lower = false;
	host_drift_begin(&h->drift);
}

/* A process as the pool gets it: an estimate without host drift's own doubts. */
struct view_of_member {
	struct estimate_now now;
	struct estimate estimate;
	struct host_drift_member member; /* points to the other two */
};

/*
 * Fills *RET for T and its ROW. Returns false if there is no estimate of T; its counters are then
 * in RET->now.
 */
static bool host_check_see(const struct host_check *h, const struct tracked *t,
	const struct snapshot_process *row, struct view_of_member *ret)
{
	const struct tracked *speaker;

	ret->now = tracked_now(t, h->page_bytes);
	if (!snapshot_has_figure(row) ||
		!sharing_state_estimate(t, h->page_bytes, NULL, &ret->estimate, &speaker))
		return false;
	ret->member = (struct host_drift_member){
		.base = &speaker->base,
		.now = &ret->now,
		.estimate = &ret->estimate,
		.moved_bytes = t->moved * h->page_bytes,
		.measured_ns = speaker->measured_ns,
	};
	return true;
}

/*
 * Takes the estimate from ROW of a process that was never measured. Returns false if it shows none.
 */
static bool see_guess(const struct snapshot_process *row, struct estimate *ret)
{
	if (!ROW_HAS(row, PROCESS_PSS))
		return false;
	*ret = (struct estimate){
		.pss_anon = row->q[PROCESS_PSS_ANON],
		.pss_file = row->q[PROCESS_PSS_FILE],
		.pss_shmem = row->q[PROCESS_PSS_SHMEM],
		.pss = row->q[PROCESS_PSS],
		.low = row->q[PROCESS_PSS_LOW],
		.high = row->q[PROCESS_PSS_HIGH],
		.uss = ESTIMATE_UNKNOWN,
		.swap_pss = row->q[PROCESS_SWAP_PSS],
	};
	return true;
}

/* Whether the guess E exceeds the host's sums. */
static bool is_above(const struct host_check *h, const struct estimate *e)
{
	return e->pss_anon > h->anon_most || e->pss_file + e->pss_shmem > h->file_most ||
	       e->high > saturate_add(h->anon_most, h->file_most);
}

void host_check_add(
	struct host_check *h, const struct tracked *t, const struct snapshot_process *row)
{
	struct view_of_member v;
	struct estimate guess;

	if (row->outcome == OUTCOME_SHARED_MM)
		return;
	if (host_check_see(h, t, row, &v)) {
		host_drift_add(&h->drift, &v.member);
		h->has_lower |= !t->has_base && is_above(h, &v.estimate);
		return;
	}
	host_drift_add_unread(&h->drift, v.now.anon, v.now.file);
	if (see_guess(row, &guess))
		h->has_lower |= is_above(h, &guess);
	else if (ROW_HAS(t, PROCESS_RSS))
		h->absent = saturate_add(h->absent, v.now.anon + v.now.file);
	else
		h->absent = UINT64_MAX;
}

bool host_check_end(struct host_check *h, bool sees_all, bool is_whole, uint64_t now_ns)
{
	struct host_drift_host host = {
		.late_bytes = host_check_late_bytes(h),
		.leaving = h->left,
		.now_ns = now_ns,
	};
	bool has_anon = host_check_middle(h, MEMINFO_ANON_PAGES, &host.anon, &host.anon_unsure);
	bool has_mapped = host_check_middle(h, MEMINFO_MAPPED, &host.mapped, &host.mapped_unsure);

	h->sees_all = sees_all;
	host.is_whole = sees_all && is_whole && has_anon && has_mapped;
	return host_drift_end(&h->drift, &host) || h->has_lower;
}

/*
 * Lowers the guess E to the host's sums: a process that maps a page of shared memory many times can
 * have any RSS. Keeps low <= pss <= high.
 */
static void host_check_cap(const struct host_check *h, struct estimate *e)
{
	e->pss_anon = saturate_min(e->pss_anon, h->anon_most);
	e->pss_file = saturate_min(e->pss_file, h->file_most);
	e->pss_shmem = saturate_min(e->pss_shmem, h->file_most - e->pss_file);
	e->pss = e->pss_anon + e->pss_file + e->pss_shmem;
	e->low = saturate_min(e->low, e->pss);
	e->high = saturate_max(
		saturate_min(e->high, saturate_add(h->anon_most, h->file_most)), e->pss);
	if (e->uss != ESTIMATE_UNKNOWN)
		e->uss = saturate_min(e->uss, e->pss);
}

static void host_check_lower(
	const struct host_check *h, const struct tracked *t, struct snapshot_process *row)
{
	struct estimate e;

	if (!h->has_lower || !see_guess(row, &e))
		return;
	host_check_cap(h, &e);
	tracked_fill(t, &e, h->page_bytes, row);
}

void host_check_settle(struct host_check *h, const struct tracked *t, struct snapshot_process *row)
{
	struct estimate_doubt doubt;
	struct view_of_member v;
	struct estimate e;

	if (!host_check_see(h, t, row, &v)) {
		host_check_lower(h, t, row);
		return;
	}
	host_drift_doubt(&h->drift, &v.member, &doubt);
	if (!sharing_state_estimate(t, h->page_bytes, &doubt, &e, NULL))
		return;
	if (!h->is_averaged)
		host_drift_narrow(&h->drift, &e);
	if (!t->has_base && h->has_lower)
		host_check_cap(h, &e);
	tracked_fill(t, &e, h->page_bytes, row);
}

static uint64_t below_zero(int64_t v)
{
	return v < 0 ? -(uint64_t)v : 0;
}

/*
 * Computes the least and the most of AnonPages + Mapped before the polls, after them and NOW.
 * Returns false if some are not known.
 */
static bool host_check_extremes(const struct host_check *h, const struct meminfo *now,
	uint64_t *ret_least, uint64_t *ret_most)
{
	const struct meminfo *const read[] = {&h->before, &h->after, now};
	uint64_t least = UINT64_MAX, most = 0;

	for (size_t i = 0; i < ARRAY_SIZE(read); i++) {
		uint64_t sum = saturate_add(
			read[i]->q[MEMINFO_ANON_PAGES], read[i]->q[MEMINFO_MAPPED]);

		if (!h->sees_all || !ROW_HAS(read[i], MEMINFO_ANON_PAGES) ||
			!ROW_HAS(read[i], MEMINFO_MAPPED))
			return false;
		least = saturate_min(least, sum);
		most = saturate_max(most, sum);
	}
	*ret_least = least;
	*ret_most = most;
	return true;
}

uint64_t host_check_most(const struct host_check *h, const struct meminfo *now)
{
	const struct host_drift *d = &h->drift;
	uint64_t least, most, beyond = 2 * host_check_late_bytes(h);

	if (!host_check_extremes(h, now, &least, &most))
		return UINT64_MAX;
	/* If measurements always find more than the host's sums (a negative bias), that is there,
	 * whatever it is. */
	if (d->anon.is_used)
		beyond = saturate_add(beyond, below_zero(d->anon.bias));
	if (d->file.is_used)
		beyond = saturate_add(beyond, below_zero(d->file.bias));
	return saturate_add(most, beyond);
}

uint64_t host_check_least(const struct host_check *h, const struct meminfo *now)
{
	uint64_t others = saturate_add(h->absent, h->left), least, most;

	if (h->is_averaged || !host_check_extremes(h, now, &least, &most))
		return 0;
	return saturate_less(least, saturate_add(others, host_drift_beyond(&h->drift)));
}
