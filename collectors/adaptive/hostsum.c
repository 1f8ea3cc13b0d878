/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/adaptive/hostsum.h"

#include <unistd.h>

#include "base/amount.h"
#include "base/cleanup.h"
#include "collectors/adaptive/relations.h"

void hostsum_init(struct hostsum *h, uint64_t page_bytes)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	*h = (struct hostsum){.page_bytes = page_bytes, .cpus = cpus > 0 ? (uint32_t)cpus : 1};
}

static void read_meminfo(int proc_fd, struct meminfo *ret)
{
	if (meminfo_read(proc_fd, ret) < 0)
		*ret = (struct meminfo){0};
}

void hostsum_before(struct hostsum *h, int proc_fd)
{
	read_meminfo(proc_fd, &h->before);
}

void hostsum_after(struct hostsum *h, int proc_fd)
{
	read_meminfo(proc_fd, &h->after);
}

void hostsum_left(struct hostsum *h, uint64_t bytes)
{
	h->leaving = amount_add(h->leaving, bytes);
}

/*
 * Computes the mean of the host's sum FIELD before and after the polls, and its error, in bytes.
 * Returns false if it was not read.
 */
static bool middle(
	const struct hostsum *h, enum meminfo_field field, uint64_t *ret, uint64_t *ret_unsure)
{
	uint64_t before = h->before.q[field], after = h->after.q[field];

	*ret = amount_min(before, after);
	*ret_unsure = (amount_max(before, after) - *ret + 1) / 2;
	*ret += *ret_unsure;
	return ROW_HAS(&h->before, field) && ROW_HAS(&h->after, field);
}

/* By how many bytes the host's counters may be late. */
static uint64_t late_bytes(const struct hostsum *h)
{
	return h->page_bytes * h->cpus * POOL_PAGES_PER_CPU;
}

/* Returns the upper bound of the host's sum FIELD; UINT64_MAX: not known. */
static uint64_t most_of(const struct hostsum *h, enum meminfo_field field)
{
	uint64_t sum, unsure;

	return middle(h, field, &sum, &unsure) ? sum + unsure + late_bytes(h) : UINT64_MAX;
}

void hostsum_begin(struct hostsum *h)
{
	h->left = h->leaving;
	h->leaving = h->absent = 0;
	h->anon_most = most_of(h, MEMINFO_ANON_PAGES);
	h->file_most = most_of(h, MEMINFO_MAPPED);
	h->has_lower = false;
	pool_begin(&h->pool);
}

/* A process as the pool gets it: an estimate without the pool's own doubts. */
struct view_of_member {
	struct estimate_now now;
	struct estimate estimate;
	struct pool_member member; /* points to the other two */
};

/*
 * Fills *RET for W and its ROW. Returns false if there is no estimate of W; its counters are then
 * in RET->now.
 */
static bool see(const struct hostsum *h, const struct watch *w, const struct snapshot_process *row,
	struct view_of_member *ret)
{
	const struct watch *speaker;

	ret->now = watch_now(w, h->page_bytes);
	if (!snapshot_has_figure(row) ||
		!relations_estimate(w, h->page_bytes, NULL, &ret->estimate, &speaker))
		return false;
	ret->member = (struct pool_member){
		.base = &speaker->base,
		.now = &ret->now,
		.estimate = &ret->estimate,
		.moved_bytes = w->moved * h->page_bytes,
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
static bool is_above(const struct hostsum *h, const struct estimate *e)
{
	return e->pss_anon > h->anon_most || e->pss_file + e->pss_shmem > h->file_most ||
	       e->high > amount_add(h->anon_most, h->file_most);
}

void hostsum_add(struct hostsum *h, const struct watch *w, const struct snapshot_process *row)
{
	struct view_of_member v;
	struct estimate guess;

	if (row->outcome == OUTCOME_SHARED_MM)
		return;
	if (see(h, w, row, &v)) {
		pool_add(&h->pool, &v.member);
		h->has_lower |= !w->has_base && is_above(h, &v.estimate);
		return;
	}
	pool_add_unread(&h->pool, v.now.anon, v.now.file);
	if (see_guess(row, &guess))
		h->has_lower |= is_above(h, &guess);
	else if (w->present >> PROCESS_RSS & 1)
		h->absent = amount_add(h->absent, v.now.anon + v.now.file);
	else
		h->absent = UINT64_MAX;
}

bool hostsum_end(struct hostsum *h, bool sees_all, bool is_whole, uint64_t now_ns)
{
	struct pool_host host = {
		.page_bytes = h->page_bytes,
		.cpus = h->cpus,
		.leaving = h->left,
		.now_ns = now_ns,
	};
	bool has_anon = middle(h, MEMINFO_ANON_PAGES, &host.anon, &host.anon_unsure);
	bool has_mapped = middle(h, MEMINFO_MAPPED, &host.mapped, &host.mapped_unsure);

	h->sees_all = sees_all;
	host.is_whole = sees_all && is_whole && has_anon && has_mapped;
	return pool_end(&h->pool, &host) || h->has_lower;
}

/*
 * Lowers the guess E to the host's sums: a process that maps a page of shared memory many times can
 * have any RSS. Keeps low <= pss <= high.
 */
static void cap(const struct hostsum *h, struct estimate *e)
{
	e->pss_anon = amount_min(e->pss_anon, h->anon_most);
	e->pss_file = amount_min(e->pss_file, h->file_most);
	e->pss_shmem = amount_min(e->pss_shmem, h->file_most - e->pss_file);
	e->pss = e->pss_anon + e->pss_file + e->pss_shmem;
	e->low = amount_min(e->low, e->pss);
	e->high = amount_max(amount_min(e->high, amount_add(h->anon_most, h->file_most)), e->pss);
	if (e->uss != ESTIMATE_UNKNOWN)
		e->uss = amount_min(e->uss, e->pss);
}

static void lower(const struct hostsum *h, const struct watch *w, struct snapshot_process *row)
{
	struct estimate e;

	if (!h->has_lower || !see_guess(row, &e))
		return;
	cap(h, &e);
	watch_fill(w, &e, h->page_bytes, row);
}

void hostsum_settle(struct hostsum *h, const struct watch *w, struct snapshot_process *row)
{
	struct estimate_doubt doubt;
	struct view_of_member v;
	struct estimate e;

	if (!see(h, w, row, &v)) {
		lower(h, w, row);
		return;
	}
	pool_doubt(&h->pool, &v.member, &doubt);
	if (!relations_estimate(w, h->page_bytes, &doubt, &e, NULL))
		return;
	if (!h->is_averaged)
		pool_narrow(&h->pool, &e);
	if (!w->has_base && h->has_lower)
		cap(h, &e);
	watch_fill(w, &e, h->page_bytes, row);
}

static uint64_t below_zero(int64_t v)
{
	return v < 0 ? -(uint64_t)v : 0;
}

/*
 * Computes the least and the most of AnonPages + Mapped before the polls, after them and NOW.
 * Returns false if some are not known.
 */
static bool extremes(
	const struct hostsum *h, const struct meminfo *now, uint64_t *ret_least, uint64_t *ret_most)
{
	const struct meminfo *const read[] = {&h->before, &h->after, now};
	uint64_t least = UINT64_MAX, most = 0;

	for (size_t i = 0; i < ARRAY_SIZE(read); i++) {
		uint64_t sum = amount_add(
			read[i]->q[MEMINFO_ANON_PAGES], read[i]->q[MEMINFO_MAPPED]);

		if (!h->sees_all || !ROW_HAS(read[i], MEMINFO_ANON_PAGES) ||
			!ROW_HAS(read[i], MEMINFO_MAPPED))
			return false;
		least = amount_min(least, sum);
		most = amount_max(most, sum);
	}
	*ret_least = least;
	*ret_most = most;
	return true;
}

uint64_t hostsum_most(const struct hostsum *h, const struct meminfo *now)
{
	const struct pool *p = &h->pool;
	uint64_t least, most, beyond = 2 * late_bytes(h);

	if (!extremes(h, now, &least, &most))
		return UINT64_MAX;
	/* If measurements always find more than the host's sums (a negative bias), that is there,
	 * whatever it is. */
	if (p->anon.is_used)
		beyond = amount_add(beyond, below_zero(p->anon.bias));
	if (p->file.is_used)
		beyond = amount_add(beyond, below_zero(p->file.bias));
	return amount_add(most, beyond);
}

uint64_t hostsum_least(const struct hostsum *h, const struct meminfo *now)
{
	uint64_t others = amount_add(h->absent, h->left), least, most;

	if (h->is_averaged || !extremes(h, now, &least, &most))
		return 0;
	return amount_less(least, amount_add(others, pool_beyond(&h->pool)));
}
