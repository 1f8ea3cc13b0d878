/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/adaptive/row-estimate.h"

#include "base/clock.h"
#include "base/saturate.h"
#include "collectors/adaptive/last-measured.h"
#include "collectors/adaptive/sharing-state.h"
#include "snapshot/metric.h"

void row_estimate_init(struct row_estimate *r, uint64_t page_bytes)
{
	*r = (struct row_estimate){.page_bytes = page_bytes, .errors.id = HISTOGRAM_ESTIMATE_ERROR};
}

/* Returns V as faded after ELAPSED_NS. */
static uint64_t row_estimate_faded(uint64_t v, uint64_t elapsed_ns, uint64_t max_age_ns)
{
	return elapsed_ns < max_age_ns ? v - saturate_part(v, elapsed_ns, max_age_ns) : 0;
}

void row_estimate_begin(struct row_estimate *r, uint64_t elapsed_ns, uint64_t max_age_ns)
{
	r->recent_off = row_estimate_faded(r->recent_off, elapsed_ns, max_age_ns);
	r->recent_found = row_estimate_faded(r->recent_found, elapsed_ns, max_age_ns);
	r->file_pss = r->next_file_pss;
	r->file_rss = r->next_file_rss;
	r->next_file_pss = r->next_file_rss = 0;
	r->measured_ns = 0;
}

/*
 * Estimates a process that was never measured: its memory is private, except that files are as
 * shared as the files of other processes.
 */
static void row_estimate_guess(
	const struct row_estimate *r, const struct tracked *t, struct estimate *ret)
{
	struct estimate_now now = tracked_now(t, r->page_bytes);
	uint64_t pss = saturate_min(r->file_pss, r->file_rss); /* counters may be a little late */
	uint64_t file = r->file_rss ? saturate_part(now.file, pss, r->file_rss) : now.file / 2;

	*ret = (struct estimate){
		.pss_anon = now.anon,
		.pss_file = file,
		.pss = now.anon + file,
		.high = now.anon + now.file,
		.uss = ESTIMATE_UNKNOWN,
		.swap_pss = now.swap,
	};
}

void row_estimate_get(const struct row_estimate *r, const struct tracked *t, struct estimate *ret)
{
	if (!sharing_state_estimate(t, r->page_bytes, NULL, ret, NULL))
		row_estimate_guess(r, t, ret);
}

void row_estimate_found(struct row_estimate *r, uint64_t estimated, uint64_t found)
{
	uint64_t off = saturate_distance(estimated, found);
	uint64_t error = found ? saturate_part(off, NS_PER_SEC, found) : off ? NS_PER_SEC : 0;
	struct snapshot_histogram *h = &r->errors;

	h->bucket[metric_histogram_bucket(metric_histogram(h->id), error)]++;
	h->count++;
	h->sum_ns = saturate_add(h->sum_ns, error);
	r->off_bytes = saturate_add(r->off_bytes, off);
	r->found_bytes = saturate_add(r->found_bytes, found);
	r->recent_off = saturate_add(r->recent_off, off);
	r->recent_found = saturate_add(r->recent_found, found);
}

void row_estimate_fill(struct row_estimate *r, const struct process *p, uint64_t since_ns,
	struct snapshot_process *row)
{
	const struct tracked *t = p->tracked;
	bool is_blocked = block_is_on(&p->block);
	bool is_measured = t->has_base && !t->doubt && t->measured_ns >= since_ns &&
	                   tracked_is_quiet(t, r->page_bytes) && !is_blocked;
	bool is_failed = !t->has_base &&
	                 (is_blocked || (t->measured_ns && t->outcome != OUTCOME_MEASURED));
	struct estimate e;

	row->pid = (uint32_t)p->pid;
	row->uid = p->uid;
	row->gid = p->gid;
	if (is_failed || !ROW_HAS(t, PROCESS_RSS)) {
		row->outcome = is_blocked ? OUTCOME_BLOCKED : t->outcome;
		row->source = ROW_HAS(t, PROCESS_RSS) ? SOURCE_RSS : SOURCE_NONE;
		tracked_fill(t, NULL, r->page_bytes, row);
		return;
	}
	row_estimate_get(r, t, &e);
	row->outcome = is_blocked ? OUTCOME_BLOCKED : OUTCOME_MEASURED;
	row->source = is_measured ? t->source : SOURCE_ESTIMATE;
	tracked_fill(t, &e, r->page_bytes, row);
	if (is_blocked)
		last_measured_widen(row);
	if (!t->has_base)
		return;
	if (!r->measured_ns || t->measured_ns < r->measured_ns)
		r->measured_ns = t->measured_ns;
	r->next_file_pss += t->base.pss_file + t->base.pss_shmem;
	r->next_file_rss += t->base.file;
}

uint64_t row_estimate_oldest_ns(const struct row_estimate *r, uint64_t now_ns)
{
	return r->measured_ns ? saturate_less(now_ns, r->measured_ns) : 0;
}
