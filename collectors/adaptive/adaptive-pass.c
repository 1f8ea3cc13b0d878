/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/adaptive/adaptive-pass.h"

#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/saturate.h"
#include "collectors/adaptive/tracked.h"
#include "collectors/process/fetch.h"
#include "collectors/process/statm-poll.h"

enum {
	/* bytes, since the status of all processes was read for that reason */
	SWAPPED_MIN = 1 << 20,
};

void adaptive_pass_init(struct adaptive_pass *a, struct process_reader *reader,
	const struct process_table *table, struct shared_mm *sharing)
{
	long page = sysconf(_SC_PAGESIZE);

	*a = (struct adaptive_pass){
		.reader = reader,
		.table = table,
		.sharing = sharing,
		.page_bytes = page > 0 ? (uint64_t)page : 4096,
	};
	lock_trial_init(&a->lock_trial);
	page_walks_init(&a->walks, reader, &a->budget, a->page_bytes);
	row_estimate_init(&a->estimates, a->page_bytes);
	host_check_init(&a->host_check, a->page_bytes);
	sharing_state_init(&a->sharing_state, reader, table, a->page_bytes);
}

void adaptive_pass_done(struct adaptive_pass *a)
{
	lock_trial_done(&a->lock_trial);
	page_walks_done(&a->walks);
	sharing_state_done(&a->sharing_state);
}

static void take_limits(struct adaptive_pass *a)
{
	if (a->limits.max_age_ns != a->next_limits.max_age_ns)
		host_drift_init(&a->host_check.drift, a->next_limits.max_age_ns);
	a->walks.stall_ns = a->next_limits.stall_ns;
	a->limits = a->next_limits;
}

void adaptive_pass_set_limits(struct adaptive_pass *a, const struct adaptive_pass_limits *limits)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);

	if (!a->budget.rate_ppm)
		cpu_budget_init(&a->budget, limits->cpu_ppm, now_ns);
	else if (a->budget.rate_ppm != limits->cpu_ppm)
		cpu_budget_set_rate(&a->budget, limits->cpu_ppm, now_ns);
	a->next_limits = *limits;
	if (!a->limits.max_age_ns) /* the first call */
		take_limits(a);
}

void adaptive_pass_set_interval(struct adaptive_pass *a, uint64_t interval_ns)
{
	a->limits.interval_ns = a->next_limits.interval_ns = interval_ns;
}

void adaptive_pass_restart(struct adaptive_pass *a)
{
	a->begin_ns = a->previous_ns = 0;
}

void adaptive_pass_forget(struct adaptive_pass *a, struct process *p)
{
	page_walks_forget(&a->walks, p);
	if (!p->tracked)
		return;
	sharing_state_ended(&a->sharing_state, p->tracked, false);
	p->tracked = tracked_free(p->tracked);
}

static bool has_more_kills(const struct vmstat *now, const struct vmstat *before)
{
	return ROW_HAS(now, VMSTAT_OOM_KILL) && ROW_HAS(before, VMSTAT_OOM_KILL) &&
	       now->q[VMSTAT_OOM_KILL] > before->q[VMSTAT_OOM_KILL];
}

bool adaptive_pass_sees_kill(const struct adaptive_pass *a)
{
	struct vmstat v;

	return vmstat_read(a->reader->procfs->fd, &v) == 0 && has_more_kills(&v, &a->vmstat);
}

static void read_vmstat(struct adaptive_pass *a)
{
	struct vmstat v;

	a->swaps = a->has_killed = false;
	if (vmstat_read(a->reader->procfs->fd, &v) < 0)
		return;
	for (unsigned int i = 0; i < VMSTAT_SWAPPED_END_; i++)
		if (ROW_HAS(&a->vmstat, i) && ROW_HAS(&v, i))
			a->swapped += saturate_less(v.q[i], a->vmstat.q[i]);
	a->has_killed = has_more_kills(&v, &a->vmstat);
	a->vmstat = v;
	/* statm moves if a page of a process is swapped, unless another page came for it. A few
	 * swapped pages in each pass, as when memory is reclaimed ahead of need, are no reason to
	 * read the status of all processes. */
	if (!a->is_brief && a->swapped >= SWAPPED_MIN / a->page_bytes) {
		a->swaps = true;
		a->swapped = 0;
	}
}

/* Takes the result of the lock trial, once it is there. */
static void hear_of_disturbance(struct adaptive_pass *a)
{
	uint64_t cpu_ns;

	if (!lock_trial_answer(&a->lock_trial, &cpu_ns))
		return;
	cpu_budget_charge(&a->budget, clock_now_ns(CLOCK_MONOTONIC), cpu_ns);
	a->walks.is_undisturbing = a->lock_trial.verdict == LOCK_TRIAL_NO;
}

void adaptive_pass_list(struct adaptive_pass *a)
{
	if (a->is_brief)
		return;
	hear_of_disturbance(a);
	take_limits(a);
	a->previous_ns = a->begin_ns;
	a->begin_ns = clock_now_ns(CLOCK_BOOTTIME);
	if (!a->start_ns)
		a->start_ns = a->begin_ns;
	families_begin(&a->sharing_state.families, a->begin_ns);
}

static void read_psi(struct adaptive_pass *a)
{
	if (psi_read(a->reader->procfs->fd, &a->psi) < 0)
		a->psi = (struct psi){0};
	a->pressure = psi_level(&a->psi, a->pressure);
}

void adaptive_pass_begin(struct adaptive_pass *a)
{
	read_vmstat(a);
	read_psi(a);
	statm_poll_begin(a->reader, a->table->count);
	if (a->is_brief)
		return;
	row_estimate_begin(
		&a->estimates, saturate_less(a->begin_ns, a->previous_ns), a->limits.max_age_ns);
	/* The cost of excused walks must be limited: a user can map memory for memtallyd to walk,
	 * again and again. */
	a->walks.excuses = !a->pressure &&
	                   saturate_less(a->begin_ns, a->start_ns) < a->limits.max_age_ns;
	host_check_before(&a->host_check, a->reader->procfs->fd);
}

void adaptive_pass_end_polls(struct adaptive_pass *a)
{
	uint64_t now_ns;

	host_check_after(&a->host_check, a->reader->procfs->fd);
	now_ns = clock_now_ns(CLOCK_BOOTTIME);
	sharing_state_end_polls(&a->sharing_state, now_ns, a->limits.interval_ns,
		a->limits.max_age_ns,
		cpu_budget_available_ns(&a->budget, clock_now_ns(CLOCK_MONOTONIC)));
}

void adaptive_pass_end_brief_polls(struct adaptive_pass *a)
{
	sharing_state_renew(&a->sharing_state);
}

enum { LATE_PAGES = 64 };

/*
 * Returns by how many bytes the counters of S's process may be too low. Linux before 6.2 keeps back
 * up to 64 pages in each thread; later versions on each CPU 32, or twice the number of CPUs if that
 * is more (percpu_counter_batch).
 */
static uint64_t adaptive_pass_late_bytes(const struct adaptive_pass *a, const struct sample *s)
{
	uint64_t cpus = a->host_check.cpus;
	uint64_t pages = s->threads * (uint64_t)LATE_PAGES +
	                 cpus * saturate_max(LATE_PAGES, 2 * cpus);

	return pages * a->page_bytes;
}

/*
 * Makes S, a sample of P by the walk WALKED, P's measurement, if it is one, and learns from it:
 * about P, and about its sharers.
 */
static void adaptive_pass_measure(struct adaptive_pass *a, struct process *p,
	const struct sample *s, const struct page_walk_result *walked, uint64_t now_boot_ns)
{
	struct tracked *t = p->tracked;
	const struct estimate_base before = t->base;
	const bool had_base = t->has_base;
	struct statm after, *seen = NULL;
	struct estimate expected;

	if (had_base)
		row_estimate_get(&a->estimates, t, &expected);
	if (ROW_HAS(s, PROCESS_PSS) &&
		!(tracked_agrees(t, s, a->page_bytes) && !walked->has_before) &&
		statm_poll_read(a->reader, p, &after) == 0 && after.size)
		seen = &after;
	if (!tracked_measure(t, s, walked->has_before ? &walked->before : NULL, seen,
		    adaptive_pass_late_bytes(a, s), now_boot_ns, a->page_bytes)) {
		/* The former figure would hide that P can no longer be measured. */
		if (s->outcome == OUTCOME_DENIED || s->outcome == OUTCOME_CHANGING)
			sharing_state_unmeasured(t);
		return;
	}
	sharing_state_measured(&a->sharing_state, p,
		&(struct sharing_state_finding){
			.before = had_base ? &before : NULL,
			.expected = &expected,
			.walked = walked,
			.now_ns = now_boot_ns,
			.max_age_ns = a->limits.max_age_ns,
		});
	if (had_base) {
		row_estimate_found(&a->estimates, expected.pss, s->q[PROCESS_PSS]);
		host_drift_measured(&a->host_check.drift, &expected, &t->base);
	}
}

/* Whether S, an attempt to measure T, leaves T's last measurement as it is, with its age. */
static bool says_nothing(const struct tracked *t, const struct sample *s)
{
	return !s->is_member || s->outcome == OUTCOME_BLOCKED ||
	       (t->has_base && (s->outcome == OUTCOME_ERROR || s->outcome == OUTCOME_MALFORMED));
}

void adaptive_pass_take(struct adaptive_pass *a, struct process *p, const struct sample *s,
	const struct page_walk_result *walked)
{
	uint64_t before_ns = fetch_cpu_ns(a->reader), cpu_ns;
	uint64_t now_boot_ns = clock_now_ns(CLOCK_BOOTTIME);
	struct tracked *t = p->tracked;

	adaptive_pass_note(a, p, s, now_boot_ns);
	if (!says_nothing(t, s))
		adaptive_pass_measure(a, p, s, walked, now_boot_ns);
	t->was_there = false;
	t->shown_kib = 0;
	cpu_ns = fetch_cpu_ns(a->reader) - before_ns;
	if (walked->is_excused)
		cpu_budget_excuse(&a->budget, cpu_ns);
	else
		cpu_budget_charge(&a->budget, clock_now_ns(CLOCK_MONOTONIC), cpu_ns);
	page_walks_learn(&a->walks, p, s, walked);
}

void adaptive_pass_begin_estimates(struct adaptive_pass *a)
{
	sharing_state_renew(&a->sharing_state);
	host_check_begin(&a->host_check);
}

/*
 * A process that may not be measured gets no guess, however long it would wait for a measurement.
 * Tried once for each image.
 */
static void adaptive_pass_ask(struct adaptive_pass *a, struct process *p)
{
	struct tracked *t = p->tracked;
	int e;

	if (t->has_base || t->measured_ns || t->is_asked)
		return;
	t->is_asked = true;
	e = process_permits(a->reader, p);
	if (e != -EACCES && e != -EPERM)
		return;
	t->outcome = OUTCOME_DENIED;
	t->measured_ns = clock_now_ns(CLOCK_BOOTTIME);
	t->was_there = false;
}

void adaptive_pass_estimate(
	struct adaptive_pass *a, struct process *p, struct snapshot_process *row)
{
	uint64_t file_pss = a->estimates.next_file_pss, file_rss = a->estimates.next_file_rss;

	if (!a->is_brief)
		adaptive_pass_ask(a, p);
	row_estimate_fill(&a->estimates, p, a->previous_ns, row);
	if (a->is_brief) { /* the sums are of the last full pass */
		a->estimates.next_file_pss = file_pss;
		a->estimates.next_file_rss = file_rss;
	}
}

bool adaptive_pass_end_estimates(struct adaptive_pass *a, bool is_whole)
{
	/* The first pass takes long: its rows are not of about one moment. */
	bool is_used = host_check_end(&a->host_check, is_whole && a->reader->procfs->is_whole,
		a->previous_ns, a->begin_ns);

	/* Before the drift is spread, so that this pass shows the effect. */
	if (host_drift_alarms(&a->host_check.drift))
		cow_faults_alarmed(&a->sharing_state.faults);
	return is_used;
}

void adaptive_pass_set_elsewhere(struct adaptive_pass *a, struct process *p, bool is_elsewhere)
{
	uint64_t born_ns = p->stat.start_ticks * a->reader->procfs->ns_per_tick;
	struct tracked *t = p->tracked;

	if ((t->relations == TRACKED_ELSEWHERE) == is_elsewhere)
		return;
	if (is_elsewhere) {
		sharing_state_ended(&a->sharing_state, t, false);
		t->relations = TRACKED_ELSEWHERE;
		return;
	}
	sharing_state_born(&a->sharing_state, p,
		sharing_state_parent(&a->sharing_state, p, born_ns, a->previous_ns), born_ns);
	if (!t->has_base)
		return;
	if (t->measured_ns >= a->begin_ns) {
		sharing_state_first_measured(&a->sharing_state, p);
		return;
	}
	/* Births and exits since then were counted for the other process. */
	sharing_state_unmeasured(t);
	t->measured_ns = 0;
}
