/* SPDX-License-Identifier: Apache-2.0 */
/* The begin of a pass, full or brief: its options, its processes, and what it tries. */
#include "config.h"

#include <assert.h>
#include <string.h>

#include "base/clock.h"
#include "collectors/adaptive/adaptive-pass.h"
#include "collectors/pass/pass-private.h"
#include "collectors/process/fetch.h"
#include "collectors/workers/workers.h"

#define CGROUP_MAX_AGE_NS (60 * NS_PER_SEC)
#define MOUNT_LOOK_NS     (60 * NS_PER_SEC) /* between two checks how /proc is mounted */
#define THP_FOLDER        "/sys/kernel/mm/transparent_hugepage"

/*
 * Passes may be a little late. The last pass within the maximum age of a cgroup must read it again.
 */
static uint64_t cgroup_age_ns(const struct pass *pass, uint64_t max_age_ns)
{
	uint64_t period_ns = pass->interval_ns + pass->interval_ns / 16;

	return period_ns < max_age_ns ? max_age_ns - period_ns : 0;
}

/*
 * The ID that decides the user has changed. The next samples find the new user when they read the
 * cgroup.
 */
static void count_anew(struct pass *pass)
{
	pass->reader.user_by = pass->options.user_by;
	for (size_t i = 0; i < pass->table.count; i++)
		pass->table.item[i]->cgroup_ns = 0;
}

/* Closes the file of each process that exact passes keep open: adaptive passes keep another one. */
static void close_files(struct pass *pass)
{
	for (size_t i = 0; i < pass->table.count; i++)
		process_close_file(&pass->reader, pass->table.item[i]);
}

static void take_options(struct pass *pass)
{
	pass->options = pass->next_options;
	if (pass->was_adaptive && !pass->options.is_adaptive) {
		pass_forget_all(pass);
		pass->has_planned = false;
		adaptive_pass_restart(&pass->adaptive);
		pass->reader.files_first = 0;
	} else if (!pass->was_adaptive && pass->options.is_adaptive) {
		close_files(pass);
	}
	pass->was_adaptive = pass->options.is_adaptive;
	pass->reader.cgroup_max_age_ns = cgroup_age_ns(pass, CGROUP_MAX_AGE_NS);
	if (pass->reader.user_by != pass->options.user_by)
		count_anew(pass);
}

static void look_at_map_counts(struct pass *pass)
{
	mapcounts_answer(&pass->mapcounts);
	pass->adaptive.host_check.is_averaged = pass->mapcounts.verdict == MAPCOUNTS_AVERAGED;
	if (pass->adaptive.host_check.is_averaged)
		pass->large_anon = mapcounts_large_anon(THP_FOLDER);
}

/* Removes unlisted processes from the list of COUNT pids. Returns how many are left. */
static size_t leave_out(struct pass *pass, size_t count)
{
	const struct pass_options *o = &pass->options;
	size_t left = 0;

	for (size_t i = 0; i < count; i++) {
		bool is_unlisted = false;

		for (size_t k = 0; k < o->unlisted_count && !is_unlisted; k++)
			is_unlisted = pass->pids[i] == o->unlisted[k];
		if (!is_unlisted)
			pass->pids[left++] = pass->pids[i];
	}
	return left;
}

/* Chooses the blocked processes that this pass tries to read again. Returns 0 or -ENOMEM. */
static int choose_attempts(struct pass *pass)
{
	struct buffer *scratch = &pass->scratch;
	size_t count = 0;

	buffer_clear(scratch);
	for (size_t i = 0; i < pass->table.count; i++) {
		struct process *p = pass->table.item[i];
		struct attempts_due due = {
			.block = &p->block, .uid = p->known ? p->ruid : OWNER_NO_ID};

		if (pass->is_brief || !block_is_due(&p->block, pass->begin_ns))
			continue;
		buffer_add(scratch, &due, sizeof(due));
		count++;
	}
	if (scratch->error)
		return scratch->error;
	attempts_begin(&pass->reader.attempts, (struct attempts_due *)(void *)scratch->data, count,
		pass->begin_ns);
	return 0;
}

static int pass_begin_scan(struct pass *pass)
{
	ssize_t n;
	int r;

	pass->phase = PHASE_IDLE;
	take_options(pass);
	pass->adaptive.is_brief = pass->is_brief;
	pass->is_whole = false;
	builder_begin(&pass->builder); /* the processes of its rows may be freed now */
	pass->begin_boottime_ns = clock_now_ns(CLOCK_BOOTTIME);
	pass->begin_ns = clock_now_ns(CLOCK_MONOTONIC);
	if (!pass->looked_ns || pass->begin_ns - pass->looked_ns >= MOUNT_LOOK_NS) {
		procfs_look(&pass->procfs);
		pass_look_for_charges(pass);
		pass->looked_ns = pass->begin_ns;
	}
	if (pass->options.is_adaptive) {
		measure_pacer_drop(&pass->pacer);
		adaptive_pass_list(&pass->adaptive);
	}
	n = procfs_list(&pass->procfs, &pass->pids, &pass->pids_capacity);
	if (n < 0)
		return (int)n;
	r = process_table_sync(&pass->table, &pass->reader, pass->pids, leave_out(pass, (size_t)n));
	if (r == 0)
		r = choose_attempts(pass);
	if (r < 0)
		return r;
	namegroups_list(&pass->namegroups);
	if (pass->options.is_adaptive)
		adaptive_pass_begin(&pass->adaptive);
	else
		process_begin_exact(&pass->reader, pass->table.count);
	owner_sums_begin(&pass->sums, clock_now_ns(CLOCK_REALTIME));
	memset(pass->counts.outcome, 0, sizeof(pass->counts.outcome));
	memset(pass->counts.source, 0, sizeof(pass->counts.source));
	pass->counts.estimated = pass->counts.guessed = 0;
	pass->counts.waiting = pass->counts.waiting_cpu_ns = 0;
	pass->counts.interval_ns = pass->options.interval_ns;
	pass->unmeasured_since_ns = UINT64_MAX;
	pass->parts = (struct balance_sheet_processes){0};
	pass->drivers_wanted = 0;
	look_at_map_counts(pass);
	if (!pass->is_brief)
		shmem_begin(&pass->shmem);
	pass->reads_foreign = false;
	memset(pass->name_cursor, 0, sizeof(pass->name_cursor));
	pass->at = pass->announced = 0;
	pass->asks_names = false;
	pass->parent_pid = 0;
	pass->moved_at = pass->moved_count = 0;
	if (pass->reader.workers)
		workers_begin_pass(pass->reader.workers);
	pass->phase = pass->options.is_adaptive ? PHASE_POLL : PHASE_READ;
	return 0;
}

static int pass_begin_as(struct pass *pass, bool is_brief)
{
	uint64_t before_ns = fetch_cpu_ns(&pass->reader);
	int r;

	pass->is_brief = is_brief;
	r = pass_begin_scan(pass);
	pass->cpu_ns = fetch_cpu_ns(&pass->reader) - before_ns;
	return r;
}

int pass_begin(struct pass *pass)
{
	return pass_begin_as(pass, false);
}

bool pass_may_be_brief(const struct pass *pass)
{
	return pass->next_options.is_adaptive && pass->was_adaptive && pass->has_planned;
}

bool pass_sees_kill(const struct pass *pass)
{
	return adaptive_pass_sees_kill(&pass->adaptive);
}

int pass_begin_brief(struct pass *pass)
{
	assert(pass_may_be_brief(pass));
	return pass_begin_as(pass, true);
}
