/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The work of a pass, in pieces between which it can be interrupted:
 *
 *     exact       READ each process -> SHARE -> SHMEM -> NAMEGROUPS -> ACTIVITY -> OWNERS -> CHARGES
 *     adaptive    POLL each -> MEASURE some -> ROWS (an estimate of each) -> SHARE -> HOST_CHECK
 *                 -> SETTLE -> SHMEM -> NAMEGROUPS -> ACTIVITY -> OWNERS -> CHARGES
 *     brief       as adaptive, without MEASURE, SHMEM and ACTIVITY
 */
#include "config.h"

#include "collectors/pass/pass-private.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/saturate.h"
#include "collectors/adaptive/last-measured.h"
#include "collectors/adaptive/tracked.h"

#define KILLS_APART_NS (30 * NS_PER_SEC)

/* Adds a zeroed row for P, which is valid until the next one. Returns NULL if memory runs out. */
static struct snapshot_process *pass_phases_add_row(struct pass *pass, struct process *p)
{
	struct snapshot_process *row = builder_add_process(&pass->builder);
	uint32_t count = builder_process_count(&pass->builder);

	if (!row || ARRAY_RESERVE(pass->member, pass->members_capacity, count) < 0)
		return NULL;
	pass->member[count - 1] = p;
	return row;
}

static int add_member(struct pass *pass, struct process *p, const struct sample *s)
{
	struct snapshot_process *row = pass_phases_add_row(pass, p);

	if (!row)
		return -ENOMEM;
	row->pid = (uint32_t)p->pid;
	row->uid = s->uid;
	row->gid = s->gid;
	row->source = (uint8_t)s->source;
	row->outcome = (uint8_t)s->outcome;
	row->present = s->present;
	memcpy(row->q, s->q, sizeof(row->q));
	/* The time of the reading; pass_publish_make() turns it into an age. */
	if (s->outcome == OUTCOME_MEASURED)
		ROW_SET(row, PROCESS_PSS_AGE, clock_now_ns(CLOCK_BOOTTIME));
	else if (s->outcome == OUTCOME_BLOCKED)
		last_measured_fill(p, row);
	return membership_set(&pass->sums, &pass->charges, &pass->reader, p, s);
}

/*
 * Lets a worker read files of as many processes as there is room for. The next ones are announced
 * when these have been taken, so that the worker is woken once for all of them: each wake costs as
 * much as reading a process.
 */
static void pass_phases_announce(struct pass *pass)
{
	if (pass->announced > pass->at)
		return;
	pass->announced = pass->at;
	process_announce_none(&pass->reader);
	while (pass->announced < pass->table.count && process_announce_has_room(&pass->reader))
		process_announce(&pass->reader, pass->table.item[pass->announced++], false);
}

static int pass_phases_read_one(struct pass *pass)
{
	struct process *p;
	struct sample s;
	int r;

	pass_phases_announce(pass);
	p = pass->table.item[pass->at++];
	r = process_read(&pass->reader, p, clock_now_ns(CLOCK_MONOTONIC), &s);
	if (r == 0)
		last_measured_keep(p, &s, clock_now_ns(CLOCK_BOOTTIME));
	if (r == 0 && s.is_member) {
		if (s.outcome == OUTCOME_MEASURED && s.uid != pass->euid)
			pass->reads_foreign = true;
		r = add_member(pass, p, &s);
	} else if (r == 0) {
		pass->counts.outcome[s.outcome]++;
		membership_drop(p);
	}
	if (r < 0) /* its name or unit may be lost: the next pass must read them again */
		membership_drop(p);
	return r;
}

/* Sets P's membership from S, a sample of an adaptive pass. */
static int pass_phases_take_sample(struct pass *pass, struct process *p, const struct sample *s)
{
	int r = 0;

	if (s->is_member)
		r = membership_set(&pass->sums, &pass->charges, &pass->reader, p, s);
	else
		membership_drop(p);
	if (r < 0) {
		membership_drop(p);
		p->tracked->image = TRACKED_CHANGING;
	}
	return r;
}

/* Polls the next processes until some must be looked at, or there are no more. */
static int poll_some(struct pass *pass, uint64_t now_ns)
{
	pass->moved_at = pass->moved_count = 0;
	for (unsigned int i = 0; i < PASS_POLLED_MAX && pass->moved_count < PASS_MOVED_MAX &&
				 pass->at < pass->table.count;
		i++) {
		struct process *p = pass->table.item[pass->at++];
		enum adaptive_pass_need need;
		int r = adaptive_pass_poll(&pass->adaptive, p, now_ns, &need);

		if (r < 0)
			return r;
		if (need == ADAPTIVE_PASS_NEEDS_NOTHING)
			continue;
		pass->moved[pass->moved_count++] = (struct moved){.process = p, .need = need};
	}
	return 0;
}

/* Looks at the next process that has changed, or polls more of them. */
static int look_some(struct pass *pass)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);
	const struct moved *m = &pass->moved[pass->moved_at];
	struct sample s;
	int r;

	if (pass->moved_at == pass->moved_count)
		return poll_some(pass, now_ns);
	pass->moved_at++;
	r = adaptive_pass_look(&pass->adaptive, m->process, m->need, now_ns, &s);
	return r == ADAPTIVE_PASS_SAMPLE ? pass_phases_take_sample(pass, m->process, &s) : r;
}

int pass_phases_measure(struct pass *pass)
{
	struct process *p;
	struct sample s;
	int r = measure_pacer_measure(&pass->pacer, clock_now_ns(CLOCK_MONOTONIC), &s, &p), e = 0;

	if (r == MEASURE_PACER_SAMPLE)
		e = pass_phases_take_sample(pass, p, &s);
	return e < 0 ? e : r;
}

static int add_estimate(struct pass *pass)
{
	struct process *p = pass->table.item[pass->at++];
	struct snapshot_process *row;

	if (!tracked_has_memory(p->tracked)) {
		pass->counts.outcome[p->tracked->outcome]++;
		return 0;
	}
	row = pass_phases_add_row(pass, p);
	if (!row)
		return -ENOMEM;
	adaptive_pass_estimate(&pass->adaptive, p, row);
	if (row->outcome == OUTCOME_MEASURED && p->tracked->has_base && row->uid != pass->euid)
		pass->reads_foreign = true;
	return 0;
}

static void pool_one(struct pass *pass)
{
	host_check_add(&pass->adaptive.host_check, pass->member[pass->at]->tracked,
		builder_process(&pass->builder, pass->at));
	pass->at++;
}

static void settle_one(struct pass *pass)
{
	host_check_settle(&pass->adaptive.host_check, pass->member[pass->at]->tracked,
		builder_process(&pass->builder, pass->at));
	pass->at++;
}

/*
 * Returns whether this pass must read all cgroups: the kernel has killed a process, and a cgroup's
 * counter tells where. A user can have processes killed in a cgroup of its own again and again, so
 * this is done at most once in KILLS_APART_NS; later kills wait for their cgroup's turn.
 */
static bool charges_are_urgent(struct pass *pass)
{
	if (!pass->adaptive.has_killed ||
		(pass->killed_ns && pass->begin_ns - pass->killed_ns < KILLS_APART_NS))
		return false;
	pass->killed_ns = pass->begin_ns;
	return true;
}

/*
 * Begins the reading of charges. The period allows for passes that are a little late. In exact mode
 * each pass reads all cgroups; in adaptive mode, as many as a tenth of the budget pays for. A brief
 * pass reads the oldest one, and new ones.
 */
static int begin_charges(struct pass *pass)
{
	const struct pass_options *o = &pass->options;
	uint64_t period_ns = pass->interval_ns + pass->interval_ns / 16, spare_ns = UINT64_MAX;

	if (o->is_adaptive)
		spare_ns = saturate_part(
			o->interval_ns, o->budget_cpu_ppm, 10 * CPU_BUDGET_PPM_MAX);
	if (pass->interval_ns > o->interval_ns)
		spare_ns = 0; /* passes alone exceed the budget */
	if (pass->is_brief)
		period_ns = spare_ns = 0;
	if (o->is_adaptive && charges_are_urgent(pass))
		spare_ns = UINT64_MAX;
	return memcg_charges_begin(&pass->charges, &pass->sums, period_ns, spare_ns);
}

/*
 * Begins to assign groups. Command lines that take the rules their longest get a tenth of a core, or
 * a quarter of the budget, since passes beyond three quarters of it stretch the interval.
 */
static void begin_namegroups(struct pass *pass)
{
	const struct pass_options *o = &pass->options;
	uint64_t cpu_ns = o->is_adaptive ? saturate_part(o->interval_ns, o->budget_cpu_ppm,
						   4 * CPU_BUDGET_PPM_MAX)
	                                 : o->interval_ns / 10;

	pass->phase = PHASE_OWNERS;
	if (!namegroups_are_used(&pass->namegroups))
		return;
	pass->phase = PHASE_NAMEGROUPS;
	namegroups_begin(
		&pass->namegroups, pass->member, builder_process_count(&pass->builder), cpu_ns);
}

static void end_namegroups(struct pass *pass)
{
	pass->sums.has_activity = pass_activity_is_read(pass);
	pass->sums.ns_per_tick = pass->procfs.ns_per_tick;
	if (!pass->sums.has_activity || pass->is_brief) {
		pass_activity_keep(pass);
		pass->phase = PHASE_OWNERS;
		return;
	}
	pass->phase = PHASE_ACTIVITY;
	pass_activity_begin(pass);
}

static int find_namegroups(struct pass *pass)
{
	int r = namegroups_step(&pass->namegroups);

	if (r == 0)
		end_namegroups(pass);
	pass->asks_names = r == NAMEGROUPS_NAMES;
	return r;
}

/* Returns whether the phase has taken all processes of the table. */
static bool has_taken_all(const struct pass *pass)
{
	return pass->at == pass->table.count;
}

static bool has_taken_all_rows(const struct pass *pass)
{
	return pass->at == builder_process_count(&pass->builder);
}

static void begin_phase(struct pass *pass, enum phase phase)
{
	pass->phase = phase;
	pass->at = 0;
}

static int begin_share(struct pass *pass)
{
	pass->phase = PHASE_SHARE;
	return shared_mm_begin(&pass->sharing, pass->table.item, pass->table.count);
}

static void begin_rows(struct pass *pass)
{
	begin_phase(pass, PHASE_ROWS);
	adaptive_pass_begin_estimates(&pass->adaptive);
}

static int advance_poll(struct pass *pass)
{
	if (!has_taken_all(pass) || pass->moved_at < pass->moved_count)
		return look_some(pass);
	if (pass->is_brief) {
		adaptive_pass_end_brief_polls(&pass->adaptive);
		begin_rows(pass);
		return 0;
	}
	pass->phase = PHASE_MEASURE;
	return measure_pacer_choose(&pass->pacer, clock_now_ns(CLOCK_MONOTONIC));
}

static int advance_measure(struct pass *pass)
{
	int r = pass_phases_measure(pass);

	if (r == 0)
		begin_rows(pass);
	return r;
}

static int advance_share(struct pass *pass)
{
	int r;

	if (shared_mm_step(&pass->sharing))
		return 0;
	begin_phase(pass, pass->options.is_adaptive ? PHASE_HOST_CHECK : PHASE_SHMEM);
	r = shared_mm_elect(&pass->sharing, pass->member, builder_process(&pass->builder, 0),
		builder_process_count(&pass->builder), &pass->scratch);
	pass->compares_mm = pass->can_compare && !pass->sharing.refused;
	return r;
}

static void advance_host_check(struct pass *pass)
{
	if (!has_taken_all_rows(pass))
		pool_one(pass);
	else if (adaptive_pass_end_estimates(&pass->adaptive, !pass_is_hidden(pass)))
		begin_phase(pass, PHASE_SETTLE);
	else
		begin_phase(pass, PHASE_SHMEM);
}

static void advance_settle(struct pass *pass)
{
	if (!has_taken_all_rows(pass))
		settle_one(pass);
	else
		begin_phase(pass, PHASE_SHMEM);
}

static int advance_owners(struct pass *pass)
{
	if (!has_taken_all_rows(pass)) {
		pass_totals_add(pass, pass->at++);
		return 0;
	}
	pass->phase = PHASE_CHARGES;
	return begin_charges(pass);
}

static int advance_charges(struct pass *pass)
{
	int r;

	if (memcg_charges_step(&pass->charges))
		return 0;
	r = pass_totals_end(pass);
	if (r == 0) {
		pass->phase = PHASE_READY;
		pass->is_whole = true;
	}
	return r;
}

int pass_phases_advance(struct pass *pass)
{
	switch (pass->phase) {
	case PHASE_POLL: return advance_poll(pass);
	case PHASE_MEASURE: return advance_measure(pass);
	case PHASE_ROWS: return has_taken_all(pass) ? begin_share(pass) : add_estimate(pass);
	case PHASE_READ:
		return has_taken_all(pass) ? begin_share(pass) : pass_phases_read_one(pass);
	case PHASE_SHARE: return advance_share(pass);
	case PHASE_HOST_CHECK: advance_host_check(pass); return 0;
	case PHASE_SETTLE: advance_settle(pass); return 0;
	case PHASE_SHMEM:
		if (pass->is_brief ||
			!shmem_step(&pass->shmem, &pass->procfs, clock_now_ns(CLOCK_MONOTONIC)))
			begin_namegroups(pass);
		return 0;
	case PHASE_NAMEGROUPS: return find_namegroups(pass);
	case PHASE_ACTIVITY:
		if (!pass_activity_step(pass))
			begin_phase(pass, PHASE_OWNERS);
		return 0;
	case PHASE_OWNERS: return advance_owners(pass);
	case PHASE_CHARGES: return advance_charges(pass);
	default: return 0;
	}
}
