/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The totals of a pass: adds every row to its owners and the host, then decides which owners and
 * processes have series of their own.
 */
#include "config.h"

#include "collectors/pass/pass-private.h"

#include "base/clock.h"
#include "base/saturate.h"
#include "collectors/owners/owner-names.h"
#include "collectors/owners/top-owners.h"
#include "collectors/process/state/driver.h"
#include "collectors/process/state/growth.h"
#include "collectors/procfs/host/psi.h"
#include "collectors/procfs/host/vmstat.h"
#include "collectors/procfs/host/zoneinfo.h"

static bool are_averaged(const struct pass *pass)
{
	return pass->mapcounts.verdict == MAPCOUNTS_AVERAGED;
}

/*
 * A figure carried forward has the outcome "measured" in its row, but is counted as estimated or
 * guessed.
 */
static void count_outcome(struct image_build_counts *counts, const struct snapshot_process *row)
{
	if (row->outcome != OUTCOME_MEASURED || row->source != SOURCE_ESTIMATE)
		counts->outcome[row->outcome]++;
	else if (ROW_HAS(row, PROCESS_PSS_AGE))
		counts->estimated++;
	else
		counts->guessed++;
}

/*
 * Keeps the earliest time since which a process has been without a measurement. The maximum age
 * limits it.
 */
static void note_unmeasured(
	struct pass *pass, const struct tracked *w, const struct snapshot_process *row)
{
	uint64_t since_ns = w->has_base ? w->measured_ns : w->first_ns;

	/* giants have a maximum age of their own */
	if (row->outcome == OUTCOME_MEASURED && since_ns < pass->unmeasured_since_ns &&
		!page_walks_forecast(&pass->adaptive.walks, w).is_giant)
		pass->unmeasured_since_ns = since_ns;
}

static void count_waiting(
	struct pass *pass, const struct tracked *w, const struct snapshot_process *row)
{
	if (row->outcome != OUTCOME_MEASURED || !w->is_waiting)
		return;
	pass->counts.waiting++;
	pass->counts.waiting_cpu_ns = saturate_add(pass->counts.waiting_cpu_ns,
		page_walks_forecast(&pass->adaptive.walks, w).prediction.cpu_ns);
}

/* Uses the meminfo of the last pass, since that of this pass is not read yet. */
static uint64_t threshold_of(const struct pass *pass)
{
	const struct meminfo *m = &pass->meminfo;

	return driver_threshold(ROW_HAS(m, MEMINFO_TOTAL) ? m->q[MEMINFO_TOTAL] : 0);
}

static void add_to_sheet(struct pass *pass, struct process *p, const struct snapshot_process *row)
{
	struct driver_amounts driver;

	if (!ROW_HAS(row, PROCESS_PSS) || row->outcome == OUTCOME_SHARED_MM)
		return;
	driver_see(&p->driver, row, threshold_of(pass), pass->begin_boottime_ns);
	pass->drivers_wanted += p->driver.is_wanted;
	driver = driver_amounts(&p->driver, row);
	balance_sheet_add(&pass->parts, row, &driver);
}

static bool has_bounds(const struct snapshot_process *row)
{
	return ROW_HAS(row, PROCESS_PSS) && ROW_HAS(row, PROCESS_PSS_LOW) &&
	       ROW_HAS(row, PROCESS_PSS_HIGH);
}

/* Widens the bounds of a row if they depend on map counts or on a complete list of sharers. */
static void pass_totals_widen(
	const struct pass *pass, const struct process *p, struct snapshot_process *row)
{
	bool is_cut = pass->options.is_adaptive && p->tracked->is_cut;

	if ((are_averaged(pass) || is_cut) && has_bounds(row))
		mapcounts_widen(row, are_averaged(pass) ? pass->large_anon : 0);
}

void pass_totals_add(struct pass *pass, size_t i)
{
	struct process *p = pass->member[i];
	struct snapshot_process *row = builder_process(&pass->builder, i);
	struct growth_step step = {0};

	row->ppid = (uint32_t)pass_parent_pid(pass, p);
	count_outcome(&pass->counts, row);
	if (pass->options.is_adaptive) {
		note_unmeasured(pass, p->tracked, row);
		count_waiting(pass, p->tracked, row);
	}
	if (snapshot_has_figure(row) || row->source == SOURCE_RSS)
		pass->counts.source[row->source]++;
	if (p->has_stat)
		ROW_SET(row, PROCESS_ELAPSED,
			saturate_less(pass->begin_boottime_ns,
				p->stat.start_ticks * pass->procfs.ns_per_tick));
	pass_totals_widen(pass, p, row);
	/* VmSwap and RssAnon are of different times in a brief pass: their sum may be too high. */
	if (pass->is_brief)
		growth_show(&p->growth, row, pass->begin_boottime_ns);
	else if (!pass->options.is_single)
		step = growth_take(&p->growth, row, pass->begin_ns, pass->begin_boottime_ns);
	owner_sums_add(&pass->sums, p, row, &step);
	add_to_sheet(pass, p, row);
}

/* Removes owners that have no members and no series. */
static void remove_empty(struct owner_table *table)
{
	for (struct scope *s = owner_table_next(table, NULL), *next; s; s = next) {
		next = owner_table_next(table, s);
		if (!s->sums.q[SCOPE_PROCESSES] && !s->exported)
			owner_table_remove(table, s);
	}
}

/* The host's limit for the sum of all processes: cuts bounds that add up to more. */
static uint64_t pass_totals_most(const struct pass *pass)
{
	const struct meminfo *m = &pass->meminfo;
	uint64_t total = ROW_HAS(m, MEMINFO_TOTAL) ? m->q[MEMINFO_TOTAL] : UINT64_MAX;

	return pass->options.is_adaptive
	               ? saturate_min(total, host_check_most(&pass->adaptive.host_check, m))
	               : total;
}

static uint64_t pass_totals_least(const struct pass *pass)
{
	return pass->options.is_adaptive
	               ? host_check_least(&pass->adaptive.host_check, &pass->meminfo)
	               : 0;
}

/*
 * Reads the host's files together: memory that is freed or taken between two reads is counted in
 * only one of them.
 */
static void read_host(struct pass *pass, struct balance_sheet_sources *s, struct vmstat *vmstat)
{
	int fd = pass->procfs.fd;

	s->has_lists = zoneinfo_read(fd, &pass->scratch, &s->list_pages) == 0;
	if (meminfo_read(fd, &pass->meminfo) < 0)
		pass->meminfo = (struct meminfo){0};
	if (vmstat_read(fd, vmstat) < 0)
		*vmstat = (struct vmstat){0};
	s->meminfo = &pass->meminfo;
	s->vmstat = vmstat;
}

/* Sets in the host's row the kernel's counters. */
static void show_kernel_counters(struct pass *pass, const struct vmstat *vmstat)
{
	struct sums *host = &pass->sums.host.sums;
	struct psi psi;

	if (ROW_HAS(vmstat, VMSTAT_OOM_KILL))
		ROW_SET(host, SCOPE_OOM_KILLS, saturate_min(vmstat->q[VMSTAT_OOM_KILL], INT64_MAX));
	if (psi_read(pass->procfs.fd, &psi) < 0)
		return;
	if (psi.has_waited)
		ROW_SET(host, SCOPE_MEMORY_WAITING, psi.waited_ns);
	if (psi.has_stalled)
		ROW_SET(host, SCOPE_MEMORY_STALLED, psi.stalled_ns);
}

static void make_sheet(struct pass *pass, struct balance_sheet_sources *s)
{
	const struct shmem *shmem = &pass->shmem;

	s->page_bytes = pass->adaptive.page_bytes;
	s->processes = &pass->parts;
	s->lacks_drivers = pass->options.lacks_drivers;
	s->host = &pass->sums.host.sums;
	s->has_sysv = shmem->has_sysv;
	s->sysv_unattached_bytes = shmem_owners_sum(&shmem->owners, SHMEM_SYSV_UNATTACHED);
	s->sysv_swap_bytes = shmem_owners_sum(&shmem->owners, SHMEM_SYSV_SWAP);
	s->has_tmpfs = shmem_has_tmpfs(shmem);
	s->tmpfs_bytes = shmem_owners_sum(&shmem->owners, SHMEM_TMPFS);
	s->tmpfs_unread = shmem->tmpfs.unread;
	s->directories_unread = shmem->tmpfs.directories_unread;
	balance_sheet_make(s, &pass->balance);
	if (pass->mapcounts.verdict != MAPCOUNTS_UNKNOWN)
		ROW_SET(&pass->balance, BALANCE_MAP_COUNTS_EXACT, !are_averaged(pass));
}

/* Chooses the rows of KIND that have series. Ranks count full passes, which are evenly spaced. */
static int choose_series(struct pass *pass, enum owner_kind kind)
{
	return pass->is_brief
	               ? 0
	               : top_owners_scopes(&pass->sums.table[kind],
				 pass->options.export_owners[kind], pass->end_ns, &pass->scratch);
}

int pass_totals_end(struct pass *pass)
{
	struct balance_sheet_sources sources = {0};
	struct vmstat vmstat;
	int r = 0;

	read_host(pass, &sources, &vmstat);
	pass->end_ns = clock_now_ns(CLOCK_MONOTONIC);
	owner_sums_end(&pass->sums, pass->end_ns, pass_totals_least(pass), pass_totals_most(pass));
	memcg_charges_end(&pass->charges, &pass->sums, clock_now_ns(CLOCK_BOOTTIME));
	if (pass->namegroups.rules && !pass->options.is_single)
		ROW_SET(&pass->sums.host.sums, SCOPE_NAMING_FAILURES, pass->namegroups.failures);
	show_kernel_counters(pass, &vmstat);
	pass->counts.charges = pass->charges.are_counted ? pass->charges.counts : NULL;
	make_sheet(pass, &sources);
	owner_sums_tidy(&pass->sums);
	for (unsigned int i = 0; i < OWNER_KINDS; i++) {
		int e = choose_series(pass, (enum owner_kind)i);

		/*
		 * Also after an error: counters that were added to the rows are added to (other),
		 * too.
		 */
		owner_sums_sum_other(&pass->sums, (enum owner_kind)i);
		remove_empty(&pass->sums.table[i]);
		r = r ? r : e;
	}
	owner_names_renew(&pass->sums.table[OWNER_USER], pass->end_ns);
	owner_names_renew(&pass->sums.table[OWNER_GROUP], pass->end_ns);
	if (r == 0 && !pass->is_brief)
		r = top_owners_processes(pass->member, builder_process(&pass->builder, 0),
			builder_process_count(&pass->builder), pass->options.export_processes,
			&pass->scratch);
	return r;
}
