/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/pass/pass.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/os/kcmp.h"
#include "base/os/userns.h"
#include "base/saturate.h"
#include "collectors/adaptive/last-measured.h"
#include "collectors/owners/owner-names.h"
#include "collectors/pass/pass-private.h"
#include "collectors/process/fetch.h"
#include "collectors/process/statm-poll.h"
#include "collectors/workers/workers.h"

#define CGROUP_MAX_AGE_NS (60 * NS_PER_SEC)
#define MOUNT_LOOK_NS     (60 * NS_PER_SEC) /* between two checks how /proc is mounted */

enum {
	/* A host with less than this part of its memory available is short of it. */
	SHORT_PART = 32,
	FDS_RESERVED = 64, /* for sockets, clients and files that are open for one read */
};

static size_t kept_max(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur <= FDS_RESERVED)
		return 0;
	return limit.rlim_cur - FDS_RESERVED;
}

static void pass_forget(void *to, struct process *p)
{
	struct pass *pass = to;

	last_measured_drop(p);
	free(p->activity);
	p->activity = NULL;
	adaptive_pass_forget(&pass->adaptive, p);
}

/* The cgroups in a tree that is no /proc are not those that are mounted here. */
static void look_for_charges(struct pass *pass)
{
	if (pass->procfs.is_kernels)
		memcg_charges_look(&pass->charges, pass->procfs.fd);
}

int pass_open(const struct pass_options *options, struct pass **ret)
{
	AUTO_PASS struct pass *pass = calloc(1, sizeof(*pass));
	int r;

	if (!pass)
		return -ENOMEM;
	pass->procfs.fd = -1;
	memcg_charges_init(&pass->charges);
	namegroups_init(&pass->namegroups, &pass->sums, &pass->reader, &pass->table);
	mapcounts_init(&pass->mapcounts);
	r = procfs_open(options->procfs, &pass->procfs);
	if (r < 0)
		return r;
	if (getrandom(pass->instance, sizeof(pass->instance), 0) != sizeof(pass->instance))
		return -EIO;
	owner_sums_init(&pass->sums, clock_now_ns(CLOCK_REALTIME));
	pass->reader.procfs = &pass->procfs;
	pass->reader.own_pid = pass->procfs.live ? getpid() : 0;
	pass->reader.kept_max = kept_max();
	pass->reader.is_single = options->is_single;
	pass->sums.is_single = options->is_single;
	adaptive_pass_init(&pass->adaptive, &pass->reader, &pass->table, &pass->sharing);
	measure_pacer_init(&pass->pacer, &pass->adaptive, &pass->sums, &pass->scratch);
	pass->table.forget = pass_forget;
	pass->table.to = pass;
	pass->euid = geteuid();
	pass->userns = userns_id();
	pass->sharing.compare = pass->procfs.live ? kcmp_memory : NULL;
	/*
	 * An address space compares equal to itself, unless the system call is missing or filtered.
	 */
	pass->can_compare = pass->procfs.live && kcmp_memory(getpid(), getpid()) == 0;
	pass->counts.durations.id = HISTOGRAM_PASS_DURATION;
	pass->counts.holds = &pass->reader.holds;
	pass_set_options(pass, options);
	look_for_charges(pass);
	pass->looked_ns = clock_now_ns(CLOCK_MONOTONIC); /* procfs_open() checks, too */
	self_usage_read(&pass->self);
	/* meminfo may be missing; then thresholds are low until the first pass has ended. */
	(void)meminfo_read(pass->procfs.fd, &pass->meminfo);
	*ret = TAKE_PTR(pass);
	return 0;
}

bool pass_may_block(const struct pass *pass)
{
	return pass->procfs.is_kernels;
}

void pass_set_workers(struct pass *pass, struct workers *workers)
{
	pass->reader.workers = workers;
	pass->sharing.workers = workers;
}

void pass_set_naming(struct pass *pass, struct naming_rules *rules)
{
	namegroups_set(&pass->namegroups, rules);
}

/* Frees the state that passes keep of processes. */
static void forget_all(struct pass *pass)
{
	for (size_t i = 0; i < pass->table.count; i++) {
		struct process *p = pass->table.item[i];

		pass_forget(pass, p);
		process_close_file(&pass->reader, p);
	}
}

struct pass *pass_free(struct pass *pass)
{
	if (!pass)
		return NULL;
	forget_all(pass);
	measure_pacer_done(&pass->pacer);
	adaptive_pass_done(&pass->adaptive);
	process_table_done(&pass->table);
	process_reader_done(&pass->reader);
	shared_mm_done(&pass->sharing);
	owner_sums_done(&pass->sums);
	memcg_charges_done(&pass->charges);
	namegroups_done(&pass->namegroups);
	mapcounts_done(&pass->mapcounts);
	builder_done(&pass->builder);
	free((void *)pass->member);
	shmem_done(&pass->shmem);
	survey_result_done(&pass->survey);
	buffer_done(&pass->scratch);
	procfs_close(&pass->procfs);
	free(pass->pids);
	free(pass);
	return NULL;
}

/* Sets the one value that decides when the next pass is due. */
static void set_interval(struct pass *pass)
{
	const struct pass_options *options = &pass->next_options;
	struct adaptive_pass *a = &pass->adaptive;

	pass->interval_ns = options->interval_ns;
	if (!options->is_adaptive)
		return;
	pass->interval_ns = cpu_budget_set_interval(&a->budget, options->interval_ns);
	adaptive_pass_set_interval(a, pass->interval_ns);
}

int pass_try_map_counts(struct pass *pass)
{
	return mapcounts_ask(&pass->mapcounts);
}

void pass_set_map_counts(struct pass *pass, enum mapcounts_verdict verdict)
{
	pass->mapcounts.verdict = verdict;
}

void pass_set_options(struct pass *pass, const struct pass_options *options)
{
	pass->next_options = *options;
	pass->next_options.procfs = NULL;
	pass->looked_ns = 0;
	if (options->is_adaptive)
		adaptive_pass_set_limits(
			&pass->adaptive, &(struct adaptive_pass_limits){
						 .interval_ns = options->interval_ns,
						 .max_age_ns = options->max_age_ns,
						 .stall_ns = options->stall_ns,
						 .giant_age_ns = options->giant_age_ns,
						 .cpu_ppm = options->budget_cpu_ppm,
						 .spare_ppm = options->spare_ppm,
					 });
	pass->reader.holds.limit_ns = options->is_adaptive ? options->stall_ns : 0;
	set_interval(pass);
}

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
		forget_all(pass);
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

#define THP_FOLDER "/sys/kernel/mm/transparent_hugepage"

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
		look_for_charges(pass);
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

static int pass_step_until(struct pass *pass, uint64_t deadline_ns)
{
	assert(pass->phase != PHASE_IDLE);
	do {
		int r;

		if (pass->phase == PHASE_READY)
			return 0;
		r = pass_phases_advance(pass);
		if (r < 0) {
			pass->phase = PHASE_IDLE;
			return r;
		}
		if (pass->asks_names) {
			pass->asks_names = false;
			return PASS_NAMES;
		}
	} while (clock_now_ns(CLOCK_MONOTONIC) < deadline_ns);
	return pass->phase == PHASE_READY ? 0 : PASS_MORE;
}

int pass_step(struct pass *pass, uint64_t deadline_ns)
{
	uint64_t before_ns = fetch_cpu_ns(&pass->reader),
		 used_ns = cpu_budget_used_ns(&pass->adaptive.budget);
	int r = pass_step_until(pass, deadline_ns);

	/* First looks and measurements have charged or excused their own CPU time. */
	pass->cpu_ns += fetch_cpu_ns(&pass->reader) - before_ns -
	                (cpu_budget_used_ns(&pass->adaptive.budget) - used_ns);
	if (!pass->reader.workers)
		return r;
	if (r != PASS_MORE && r != PASS_NAMES)
		lanes_end_pass(&pass->reader.workers->lanes);
	return pass->reader.workers->lanes.is_stopped ? -ECANCELED : r;
}

bool pass_next_unnamed(struct pass *pass, struct principal *ret)
{
	for (unsigned int kind = 0; kind < OWNER_KINDS; kind++) {
		ret->kind = (enum owner_kind)kind;
		if (owner_names_are_of(ret->kind) && owner_names_next(&pass->sums.table[kind],
							     &pass->name_cursor[kind], &ret->id))
			return true;
	}
	ret->kind = OWNER_USER;
	return namegroups_next_unnamed(&pass->namegroups, &ret->id);
}

void pass_name(struct pass *pass, const struct principal *who, const char *name)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);

	owner_names_set(&pass->sums.table[who->kind], who->id, name, now_ns);
	if (who->kind == OWNER_USER)
		owner_names_set(&pass->namegroups.users, who->id, name, now_ns);
}

void pass_name_failed(struct pass *pass, const struct principal *who)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);

	owner_names_fail(&pass->sums.table[who->kind], who->id, now_ns);
	if (who->kind == OWNER_USER)
		owner_names_fail(&pass->namegroups.users, who->id, now_ns);
}

void pass_give_up_names(struct pass *pass)
{
	for (unsigned int kind = 0; kind < OWNER_KINDS; kind++)
		if (owner_names_are_of((enum owner_kind)kind))
			owner_names_give_up(&pass->sums.table[kind], clock_now_ns(CLOCK_MONOTONIC));
	owner_names_give_up(&pass->namegroups.users, clock_now_ns(CLOCK_MONOTONIC));
}

bool pass_awaits_names(const struct pass *pass)
{
	for (unsigned int kind = 0; kind < OWNER_KINDS; kind++)
		if (owner_names_are_of((enum owner_kind)kind) &&
			owner_names_are_awaited(&pass->sums.table[kind]))
			return true;
	return owner_names_are_awaited(&pass->namegroups.users);
}

int pass_publish(struct pass *pass, bool with_public, int *ret_fd, int *ret_public_fd)
{
	uint64_t before_ns = fetch_cpu_ns(&pass->reader), needed_ppm = 0;
	int r;

	if (pass->options.is_adaptive && !pass->is_brief)
		cpu_budget_expect(&pass->adaptive.budget, pass->cpu_ns);
	set_interval(pass);
	/*
	 * The cost of measurements is added up only if there is a plan, or if passes alone exceed
	 * the budget.
	 */
	if (pass->pacer.total_cost_ns || pass->interval_ns > pass->next_options.interval_ns)
		(void)pass_interval_ns(pass, &needed_ppm);
	r = pass_publish_make(pass, needed_ppm, with_public, ret_fd, ret_public_fd);
	pass->cpu_ns += fetch_cpu_ns(&pass->reader) - before_ns;
	return r;
}

static void pass_plan_until(struct pass *pass, uint64_t due_ns)
{
	uint64_t before_ns = fetch_cpu_ns(&pass->reader), cpu_ns = pass->cpu_ns;
	/* The rows of a lost pass may be incomplete. */
	uint32_t count = pass->is_whole ? builder_process_count(&pass->builder) : 0;

	if (pass->is_brief)
		measure_pacer_end_brief(&pass->pacer, clock_now_ns(CLOCK_MONOTONIC), cpu_ns,
			pass->member, builder_process(&pass->builder, 0), count);
	else
		measure_pacer_begin_rest(&pass->pacer, clock_now_ns(CLOCK_MONOTONIC), cpu_ns,
			due_ns, pass->member, builder_process(&pass->builder, 0), count);
	cpu_budget_charge(&pass->adaptive.budget, clock_now_ns(CLOCK_MONOTONIC),
		fetch_cpu_ns(&pass->reader) - before_ns);
}

void pass_plan(struct pass *pass, uint64_t due_ns)
{
	if (pass->options.is_adaptive)
		pass_plan_until(pass, due_ns);
	pass->has_planned |= pass->is_whole && pass->options.is_adaptive;
	pass->is_whole = false; /* the rows are gone */
	builder_rest(&pass->builder);
	buffer_rest(&pass->scratch);
}

uint64_t pass_next_measure_ns(const struct pass *pass, uint64_t now_ns)
{
	return pass->options.is_adaptive ? measure_pacer_next_ns(&pass->pacer, now_ns) : UINT64_MAX;
}

int pass_measure(struct pass *pass)
{
	struct cpu_budget *budget = &pass->adaptive.budget;
	uint64_t end_ns = clock_now_ns(CLOCK_MONOTONIC) + MEASURE_PACER_LENGTH_NS;
	uint64_t before_ns = fetch_cpu_ns(&pass->reader), used_ns = cpu_budget_used_ns(budget);
	int r;

	do
		r = pass_phases_measure(pass);
	while (r == MEASURE_PACER_SAMPLE && clock_now_ns(CLOCK_MONOTONIC) < end_ns);
	/* Walks have charged or excused their own CPU time; charges the rest. */
	cpu_budget_charge(budget, clock_now_ns(CLOCK_MONOTONIC),
		saturate_less(fetch_cpu_ns(&pass->reader) - before_ns,
			cpu_budget_used_ns(budget) - used_ns));
	return r < 0 ? r : 0;
}

uint64_t pass_interval_ns(const struct pass *pass, uint64_t *ret_needed_ppm)
{
	const struct pass_options *options = &pass->next_options;

	*ret_needed_ppm = !options->is_adaptive
	                          ? 0
	                          : cpu_budget_needed_ppm(&pass->adaptive.budget,
					    options->interval_ns, pass->pacer.total_cost_ns,
					    options->max_age_ns);
	return pass->interval_ns;
}

static bool is_untold(const struct block *b, uint64_t least_ns, uint64_t now_ns)
{
	return block_is_on(b) && !b->is_deferred && !b->is_told && now_ns - b->since_ns >= least_ns;
}

bool pass_next_blocked(struct pass *pass, uint64_t least_ns, struct pass_blocked *ret)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);

	for (size_t i = 0; pass->counts.blocked_now && i < pass->table.count; i++) {
		struct process *p = pass->table.item[i];
		struct block *b = &p->block;

		if (!is_untold(b, least_ns, now_ns))
			continue;
		b->is_told = true;
		*ret = (struct pass_blocked){
			.pid = p->pid, .file = b->file, .duration_ns = now_ns - b->since_ns};
		return true;
	}
	return false;
}

size_t pass_untold_blocked(const struct pass *pass, uint64_t least_ns)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);
	size_t count = 0;

	for (size_t i = 0; pass->counts.blocked_now && i < pass->table.count; i++)
		count += is_untold(&pass->table.item[i]->block, least_ns, now_ns);
	return count;
}

/*
 * By the kernel's averages of memory pressure; on kernels without these, if nearly all memory is in
 * use.
 */
static bool pass_is_short(const struct pass *pass)
{
	const struct adaptive_pass *a = &pass->adaptive;
	const struct meminfo *m = &pass->meminfo;

	if (!pass->options.is_adaptive)
		return false;
	if (a->psi.is_known)
		return a->pressure != PSI_CALM;
	return ROW_HAS(m, MEMINFO_TOTAL) && ROW_HAS(m, MEMINFO_AVAILABLE) &&
	       m->q[MEMINFO_AVAILABLE] < m->q[MEMINFO_TOTAL] / SHORT_PART;
}

void pass_summary(const struct pass *pass, struct pass_summary *ret)
{
	static_assert(sizeof(ret->outcome) / sizeof(ret->outcome[0]) == OUTCOME_COUNT_,
		"one count for each outcome");
	static_assert(sizeof(ret->charges) / sizeof(ret->charges[0]) == CHARGE_OUTCOMES,
		"one count for each outcome");
	*ret = (struct pass_summary){
		.sequence = pass->counts.passes,
		.duration_ns = pass->end_ns - pass->begin_ns,
		.cpu_ns = pass->cpu_ns,
		.is_short = pass_is_short(pass),
		.processes = pass->table.count,
		.proc_hidden = pass_is_hidden(pass),
		.proc_hides = pass->procfs.hidepid,
		.has_sys_ptrace = pass->self.has_sys_ptrace,
		.has_perfmon = pass->self.has_perfmon,
	};
	memcpy(ret->outcome, pass->counts.outcome, sizeof(ret->outcome));
	ret->lacks_charges = pass->procfs.is_kernels && !memcg_charges_are_there(&pass->charges);
	memcpy(ret->charges, pass->charges.counts, sizeof(ret->charges));
	ret->unmeasured_yet = pass->counts.guessed;
}
