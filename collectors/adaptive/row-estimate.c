/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/adaptive/row-estimate.h"

#include "base/clock.h"
#include "base/saturate.h"
#include "collectors/adaptive/last-measured.h"
#include "collectors/adaptive/sharing-state.h"
#include "snapshot/metric.h"

void row_estimate_init(struct row_estimate *f, uint64_t page_bytes)
{
	*f = (struct row_estimate){.page_bytes = page_bytes, .errors.id = HISTOGRAM_ESTIMATE_ERROR};
}

/* Returns V as faded after ELAPSED_NS. */
static uint64_t row_estimate_faded(uint64_t v, uint64_t elapsed_ns, uint64_t max_age_ns)
{
	return elapsed_ns < max_age_ns ? v - saturate_part(v, elapsed_ns, max_age_ns) : 0;
}

void row_estimate_begin(struct row_estimate *f, uint64_t elapsed_ns, uint64_t max_age_ns)
{
	f->recent_off = row_estimate_faded(f->recent_off, elapsed_ns, max_age_ns);
	f->recent_found = row_estimate_faded(f->recent_found, elapsed_ns, max_age_ns);
	f->file_pss = f->next_file_pss;
	f->file_rss = f->next_file_rss;
	f->next_file_pss = f->next_file_rss = 0;
}

void row_estimate_begin_rows(struct row_estimate *f)
{
	f->measured_ns = 0;
}

/*
 * Estimates a process that was never measured: its memory is private, except that files are as
 * shared as the files of other processes.
 */
static void row_estimate_guess(
	const struct row_estimate *f, const struct tracked *w, struct estimate *ret)
{
	struct estimate_now now = tracked_now(w, f->page_bytes);
	uint64_t pss = saturate_min(f->file_pss, f->file_rss); /* counters may be a little late */
	uint64_t file = f->file_rss ? saturate_part(now.file, pss, f->file_rss) : now.file / 2;

	*ret = (struct estimate){
		.pss_anon = now.anon,
		.pss_file = file,
		.pss = now.anon + file,
		.high = now.anon + now.file,
		.uss = ESTIMATE_UNKNOWN,
		.swap_pss = now.swap,
	};
}

void row_estimate_get(const struct row_estimate *f, const struct tracked *w, struct estimate *ret)
{
	if (!sharing_state_estimate(w, f->page_bytes, NULL, ret, NULL))
		row_estimate_guess(f, w, ret);
}

void row_estimate_found(struct row_estimate *f, uint64_t estimated, uint64_t found)
{
	uint64_t off = saturate_distance(estimated, found);
	uint64_t error = found ? saturate_part(off, NS_PER_SEC, found) : off ? NS_PER_SEC : 0;
	struct snapshot_histogram *h = &f->errors;

	h->bucket[metric_histogram_bucket(metric_histogram(h->id), error)]++;
	h->count++;
	h->sum_ns = saturate_add(h->sum_ns, error);
	f->off_bytes = saturate_add(f->off_bytes, off);
	f->found_bytes = saturate_add(f->found_bytes, found);
	f->recent_off = saturate_add(f->recent_off, off);
	f->recent_found = saturate_add(f->recent_found, found);
}

void row_estimate_fill(struct row_estimate *f, const struct process *p, uint64_t since_ns,
	struct snapshot_process *row)
{
	const struct tracked *w = p->tracked;
	bool is_blocked = block_is_on(&p->block);
	bool is_measured = w->has_base && !w->doubt && w->measured_ns >= since_ns &&
	                   tracked_is_quiet(w, f->page_bytes) && !is_blocked;
	bool is_failed = !w->has_base &&
	                 (is_blocked || (w->measured_ns && w->outcome != OUTCOME_MEASURED));
	struct estimate e;

	row->pid = (uint32_t)p->pid;
	row->uid = p->uid;
	row->gid = p->gid;
	if (is_failed || !ROW_HAS(w, PROCESS_RSS)) {
		row->outcome = is_blocked ? OUTCOME_BLOCKED : w->outcome;
		row->source = ROW_HAS(w, PROCESS_RSS) ? SOURCE_RSS : SOURCE_NONE;
		tracked_fill(w, NULL, f->page_bytes, row);
		return;
	}
	row_estimate_get(f, w, &e);
	row->outcome = is_blocked ? OUTCOME_BLOCKED : OUTCOME_MEASURED;
	row->source = is_measured ? w->source : SOURCE_ESTIMATE;
	tracked_fill(w, &e, f->page_bytes, row);
	if (is_blocked)
		last_measured_widen(row);
	if (!w->has_base)
		return;
	if (!f->measured_ns || w->measured_ns < f->measured_ns)
		f->measured_ns = w->measured_ns;
	f->next_file_pss += w->base.pss_file + w->base.pss_shmem;
	f->next_file_rss += w->base.file;
}

uint64_t row_estimate_oldest_ns(const struct row_estimate *f, uint64_t now_ns)
{
	return f->measured_ns ? saturate_less(now_ns, f->measured_ns) : 0;
}
