/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/hostsum.h"

#include <unistd.h>

#include "collectors/amount.h"
#include "collectors/relations.h"

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

void hostsum_begin(struct hostsum *h)
{
	pool_begin(&h->pool);
}

/* What the pool is told of W: an estimate without the pool's own doubts. */
struct view_of_member {
	struct estimate_now now;
	struct estimate estimate;
	struct pool_member member; /* points to the former two */
};

/* False: there is no estimate of W, though its counters are in RET->now. */
static bool see(const struct hostsum *h, const struct watch *w, const struct snapshot_process *row,
	struct view_of_member *ret)
{
	const struct watch *speaker;

	ret->now = watch_now(w, h->page_bytes);
	if (row->outcome != OUTCOME_MEASURED ||
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

void hostsum_add(struct hostsum *h, const struct watch *w, const struct snapshot_process *row)
{
	struct view_of_member v;

	if (row->outcome == OUTCOME_SHARED_MM)
		return;
	if (see(h, w, row, &v))
		pool_add(&h->pool, &v.member);
	else
		pool_add_unread(&h->pool, v.now.anon, v.now.file);
}

/* Of the host's sum FIELD before and after: the middle, and by how much that may be off. */
static bool middle(
	const struct hostsum *h, enum meminfo_field field, uint64_t *ret, uint64_t *ret_unsure)
{
	uint64_t before = h->before.q[field], after = h->after.q[field];

	*ret = amount_min(before, after);
	*ret_unsure = (amount_max(before, after) - *ret + 1) / 2;
	*ret += *ret_unsure;
	return ROW_HAS(&h->before, field) && ROW_HAS(&h->after, field);
}

bool hostsum_end(struct hostsum *h, bool is_whole, uint64_t now_ns)
{
	struct pool_host host = {
		.is_whole = is_whole,
		.page_bytes = h->page_bytes,
		.cpus = h->cpus,
		.now_ns = now_ns,
	};

	if (!middle(h, MEMINFO_ANON_PAGES, &host.anon, &host.anon_unsure) ||
		!middle(h, MEMINFO_MAPPED, &host.mapped, &host.mapped_unsure))
		host.is_whole = false;
	return pool_end(&h->pool, &host);
}

void hostsum_settle(struct hostsum *h, const struct watch *w, struct snapshot_process *row)
{
	struct estimate_doubt doubt;
	struct view_of_member v;
	struct estimate e;

	if (!see(h, w, row, &v))
		return;
	pool_doubt(&h->pool, &v.member, &doubt);
	if (!relations_estimate(w, h->page_bytes, &doubt, &e, NULL))
		return;
	pool_narrow(&h->pool, &e);
	watch_fill(w, &e, h->page_bytes, row);
}
