/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Publishing: completes the image of a pass with names, marks, ages and memtallyd's own row, and
 * seals it, once with the rows of processes and once without.
 */
#include "config.h"

#include "collectors/pass/pass-private.h"

#include <assert.h>
#include <string.h>

#include "base/clock.h"
#include "base/saturate.h"
#include "collectors/pass/image-shmem.h"
#include "collectors/workers/workers.h"
#include "snapshot/metric.h"
#include "snapshot/sums.h"

enum {
	STALE_FACTOR = 3,
};

/* Sets names, marks and ages in the rows of processes. */
static void finish_processes(struct pass *pass, uint64_t now_boottime_ns)
{
	uint32_t count = builder_process_count(&pass->builder);

	for (uint32_t i = 0; i < count; i++) {
		struct snapshot_process *row = builder_process(&pass->builder, i);
		const struct process *p = pass->member[i];
		const uint32_t *owner = owner_sums_owners(&pass->sums, p->membership);

		for (unsigned int kind = 0; kind < OWNER_KINDS; kind++)
			row->owner[kind] =
				owner_table_at(&pass->sums.table[kind], owner[kind])->name_ref;
		row->flags = p->exported ? PROCESS_EXPORTED : 0;
		if (ROW_HAS(row, PROCESS_PSS_AGE))
			row->q[PROCESS_PSS_AGE] = now_boottime_ns - row->q[PROCESS_PSS_AGE];
	}
}

static uint32_t self_flags(const struct pass *pass)
{
	return (pass->self.has_sys_ptrace ? SELF_CAP_SYS_PTRACE : 0U) |
	       (pass->self.has_perfmon ? SELF_CAP_PERFMON : 0U) |
	       (pass->reads_foreign ? SELF_READS_FOREIGN : 0U) |
	       (pass->compares_mm ? SELF_COMPARES_MM : 0U) |
	       (pass_is_hidden(pass) ? SELF_PROC_HIDDEN : 0U) |
	       (pass->procfs.hidepid ? SELF_PROC_RESTRICTED : 0U) |
	       (pass->reader.user_by == ACCOUNTING_REAL ? SELF_USERS_BY_REAL : 0U) |
	       (pass->reader.user_by == ACCOUNTING_LOGIN ? SELF_USERS_BY_LOGIN : 0U);
}

static void count_duration(struct pass *pass, uint64_t duration_ns)
{
	size_t bucket = metric_histogram_bucket(
		metric_histogram(HISTOGRAM_PASS_DURATION), duration_ns);
	struct snapshot_histogram *durations = &pass->counts.durations;

	durations->bucket[bucket]++;
	durations->count++;
	durations->sum_ns += duration_ns;
	pass->counts.duration_ns = duration_ns;
	pass->counts.passes++;
	if (duration_ns > pass->interval_ns)
		pass->counts.overruns++;
}

static void count_blocked(struct pass *pass)
{
	const struct workers *workers = pass->reader.workers;
	struct image_build_counts *counts = &pass->counts;
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);

	counts->blocked_now = counts->blocked_oldest_ns = 0;
	if (!workers)
		return;
	for (size_t i = 0; i < pass->table.count; i++) {
		const struct block *b = &pass->table.item[i]->block;

		if (!block_is_on(b) || b->is_deferred) /* a deferred read was not tried */
			continue;
		counts->blocked_now++;
		counts->blocked_oldest_ns = saturate_max(
			counts->blocked_oldest_ns, now_ns - b->since_ns);
	}
	counts->blocked_total = workers->lanes.blocked;
	counts->workers_replaced = workers->lanes.replaced;
	pass->self.workers_cpu_ns = lanes_total_cpu_ns(&workers->lanes);
}

static bool is_complete(const struct pass *pass)
{
	for (size_t i = 0; i < SUMS_REASONS; i++)
		if (pass->counts.outcome[sums_reason(i)->outcome])
			return false;
	return !pass_is_hidden(pass);
}

/* The public image comes first: it must not have the paths of mapped files. */
static int pass_publish_seal(struct pass *pass, const struct image_header *head, bool with_public,
	int *ret_fd, int *ret_public_fd)
{
	AUTO_CLOSE int public_fd = -1;
	int r = 0;

	if (with_public) {
		struct image_header public_head = *head;

		public_head.flags |= IMAGE_PUBLIC;
		r = builder_seal(&pass->builder, &public_head, &public_fd);
	}
	if (r == 0) {
		finish_processes(pass, head->boottime_ns);
		r = survey_result_add_files(&pass->survey, &pass->builder);
	}
	if (r == 0)
		r = builder_seal(&pass->builder, head, ret_fd);
	if (r == 0)
		*ret_public_fd = TAKE_FD(public_fd);
	return r;
}

/* Returns the age at the beginning of the pass: its own duration does not count. */
static uint64_t longest_unmeasured_ns(const struct pass *pass)
{
	return pass->unmeasured_since_ns == UINT64_MAX
	               ? UINT64_MAX
	               : saturate_less(pass->begin_boottime_ns, pass->unmeasured_since_ns);
}

/*
 * Returns how long the budget takes to pay for all waiting measurements. NEEDED_PPM of it are
 * needed for other work.
 */
static uint64_t backlog_ns(struct pass *pass, uint64_t needed_ppm)
{
	struct cpu_budget *b = &pass->adaptive.budget;

	if (!needed_ppm || needed_ppm >= b->rate_ppm)
		return UINT64_MAX;
	return cpu_budget_time_ns(
		b, clock_now_ns(CLOCK_MONOTONIC), pass->counts.waiting_cpu_ns, needed_ppm);
}

/* NOW_NS is CLOCK_BOOTTIME. */
static void describe_adaptive(
	struct pass *pass, uint64_t now_ns, uint64_t needed_ppm, struct image_build_adaptive *ret)
{
	struct adaptive_pass *a = &pass->adaptive;

	if (!pass->options.is_adaptive)
		return;
	*ret = (struct image_build_adaptive){
		.walks = &a->walks.counts,
		.deferred = pass->pacer.queue.deferred,
		.estimates = &a->estimates,
		.budget = (double)a->budget.rate_ppm / CPU_BUDGET_PPM_MAX,
		.needed = (double)needed_ppm / CPU_BUDGET_PPM_MAX,
		.available_ns = cpu_budget_available_ns(&a->budget, clock_now_ns(CLOCK_MONOTONIC)),
		.is_pressed = a->pressure != PSI_CALM,
		.backlog_ns = backlog_ns(pass, needed_ppm),
		.oldest_ns = row_estimate_oldest_ns(&a->estimates, now_ns),
		/* No process can be measured more often than passes are made. */
		.max_age_ns = saturate_max(a->limits.max_age_ns, pass->options.interval_ns),
		.longest_ns = longest_unmeasured_ns(pass),
		.psi = &a->psi,
		.lock_trial = a->lock_trial.verdict,
	};
}

int pass_publish_make(
	struct pass *pass, uint64_t needed_ppm, bool with_public, int *ret_fd, int *ret_public_fd)
{
	uint64_t now_ns = clock_now_ns(CLOCK_BOOTTIME);
	uint64_t duration_ns = pass->end_ns - pass->begin_ns;
	uint64_t period_ns = duration_ns > pass->interval_ns ? duration_ns : pass->interval_ns;
	struct image_header head = {
		.sequence = pass->counts.passes + 1,
		.realtime_ns = clock_now_ns(CLOCK_REALTIME),
		.boottime_ns = now_ns,
		.stale_ns = now_ns + STALE_FACTOR * period_ns,
		.interval_ns = pass->interval_ns,
		.pass_begin_ns = pass->begin_boottime_ns,
		.userns = pass->userns,
	};
	struct image_build_adaptive adaptive;
	int r;

	assert(pass->phase == PHASE_READY);
	pass->phase = PHASE_IDLE;
	count_duration(pass, duration_ns);
	memcpy(head.instance, pass->instance, sizeof(head.instance));
	if (is_complete(pass))
		head.flags |= IMAGE_COMPLETE;
	if (pass->is_brief)
		head.flags |= IMAGE_PRESSURE;
	r = image_build_scopes(&pass->sums, &pass->meminfo, &pass->builder, &pass->scratch);
	if (r == 0)
		r = image_build_balance(&pass->balance, &pass->builder);
	if (r == 0)
		r = image_shmem_add(&pass->shmem, &pass->sums.table[OWNER_USER], &pass->builder);
	if (r == 0)
		r = survey_result_add_survey(&pass->survey, now_ns, &pass->builder);
	if (r == 0) {
		pass->counts.period_ns = pass->interval_ns;
		count_blocked(pass);
		self_usage_read(&pass->self);
		describe_adaptive(pass, now_ns, needed_ppm, &adaptive);
		r = image_build_self(&pass->counts, pass->options.is_adaptive ? &adaptive : NULL,
			&pass->self, self_flags(pass), pass->options.version, &pass->builder);
	}
	if (r == 0)
		r = pass_publish_seal(pass, &head, with_public, ret_fd, ret_public_fd);
	return r;
}
