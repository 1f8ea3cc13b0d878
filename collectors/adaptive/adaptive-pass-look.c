/* SPDX-License-Identifier: Apache-2.0 */
/* The cheap readings of an adaptive pass: polls, and looks at the processes that have moved. */
#include "config.h"

#include <errno.h>

#include "base/clock.h"
#include "base/saturate.h"
#include "collectors/adaptive/adaptive-pass.h"
#include "collectors/adaptive/tracked.h"
#include "collectors/process/fetch.h"
#include "collectors/process/statm-poll.h"

/*
 * Upper bound of the time in which the kernel frees the memory of an exiting process. A process
 * without memory that is there for longer, and is no zombie, waits for something else.
 */
#define LEAVING_NS_PER_BYTE 20

#define LOOK_MAX_AGE_NS (120 * NS_PER_SEC) /* of status, if nothing else causes a read */

/*
 * Returns an initial age that spreads the later reads of status of processes that were first seen
 * together.
 */
static uint64_t first_age_ns(const struct adaptive_pass *a, const struct process *p)
{
	uint64_t span_ns = saturate_less(LOOK_MAX_AGE_NS, 2 * a->limits.interval_ns);

	return span_ns / 64 * ((uint32_t)p->pid * 2654435761U >> 26);
}

/*
 * A process that shares its parent's address space (vfork) is no fork with memory of its own, and
 * is not measured.
 */
static void record_birth(struct adaptive_pass *a, struct process *p, uint64_t born_ns)
{
	struct process *parent = sharing_state_parent(
		&a->sharing_state, p, born_ns, a->previous_ns);

	if (parent && shared_mm_is_one(a->sharing, p, parent))
		p->tracked->relations = TRACKED_ELSEWHERE;
	else
		sharing_state_born(&a->sharing_state, p, parent, born_ns);
}

/* Begins a new image of T: after an exec, or because another process has its pid now. */
static void begin_image(
	struct adaptive_pass *a, struct tracked *t, bool is_exec, uint64_t now_boot_ns)
{
	sharing_state_ended(&a->sharing_state, t, is_exec);
	if (tracked_has_memory(t) && t->relations != TRACKED_ELSEWHERE && !a->is_brief)
		host_check_left(&a->host_check, t->seen.resident * a->page_bytes);
	tracked_renew(t, now_boot_ns);
}

/*
 * T has no memory any more, as S says. While the kernel is still freeing it, the pages are mapped
 * and count in the host's sums: T keeps its relations, and everything else is reset.
 */
static void end_image(
	struct adaptive_pass *a, struct tracked *t, const struct sample *s, uint64_t now_boot_ns)
{
	uint64_t since_ns = t->leaving ? t->first_ns : now_boot_ns;
	uint64_t bytes = t->leaving;

	if (tracked_has_memory(t) && t->relations != TRACKED_ELSEWHERE)
		bytes = t->seen.resident * a->page_bytes;
	if (!s->is_exiting || saturate_less(now_boot_ns, since_ns) / LEAVING_NS_PER_BYTE > bytes)
		bytes = 0;
	if (bytes)
		sharing_state_leaves(&a->sharing_state, t);
	else
		sharing_state_ended(&a->sharing_state, t, false);
	tracked_renew(t, since_ns);
	t->leaving = bytes;
}

void adaptive_pass_note(
	struct adaptive_pass *a, struct process *p, const struct sample *s, uint64_t now_boot_ns)
{
	uint64_t born_ns = p->stat.start_ticks * a->reader->procfs->ns_per_tick;
	struct tracked *t = p->tracked;
	struct statm m;

	if (s->is_new_image || !s->is_member) {
		bool is_exec = s->is_member && tracked_has_memory(t) &&
		               t->member.born_ns == born_ns;

		/* A walk of the former image says nothing about the new one, even if no other read
		 * shows the change. */
		page_walks_forget(&a->walks, p);
		if (s->is_member)
			begin_image(a, t, is_exec, now_boot_ns);
		else
			end_image(a, t, s, now_boot_ns);
	}
	tracked_note(t, s, now_boot_ns, a->page_bytes);
	/* Before Linux 4.5 status has no counters that compare with statm's. */
	if (t->image == TRACKED_SETTLED && !t->is_seen && statm_poll_read(a->reader, p, &m) == 0) {
		t->seen = m;
		t->is_seen = true;
	}
	if (tracked_has_memory(t) && t->relations == TRACKED_ALONE)
		record_birth(a, p, born_ns);
}

typedef int look_with(struct process_reader *, struct process *, uint64_t, struct sample *);

static int adaptive_pass_look_with(struct adaptive_pass *a, look_with *read, struct process *p,
	uint64_t now_ns, struct sample *ret)
{
	uint64_t now_boot_ns = clock_now_ns(CLOCK_BOOTTIME);
	int r = read(a->reader, p, now_ns, ret);

	if (r < 0)
		return r;
	adaptive_pass_note(a, p, ret, now_boot_ns);
	return ADAPTIVE_PASS_SAMPLE;
}

/* Reads a process that is new, or that has to be read from the beginning. */
static int first_look(
	struct adaptive_pass *a, struct process *p, uint64_t now_ns, struct sample *ret)
{
	uint64_t now_boot_ns = clock_now_ns(CLOCK_BOOTTIME);
	uint64_t before_ns = fetch_cpu_ns(a->reader);
	bool is_first = !p->tracked;
	int r;

	if (is_first)
		p->tracked = tracked_new(now_boot_ns);
	if (!p->tracked)
		return -ENOMEM;
	r = adaptive_pass_look_with(a, process_look, p, now_ns, ret);
	if (r >= 0 && is_first) {
		p->tracked->looked_ns -= saturate_min(first_age_ns(a, p), p->tracked->looked_ns);
		p->tracked->was_there = tracked_has_memory(p->tracked) &&
		                        a->begin_ns == a->start_ns && !a->is_brief;
	}
	/* Work that passes do not repeat. */
	cpu_budget_charge_birth(
		&a->budget, clock_now_ns(CLOCK_MONOTONIC), fetch_cpu_ns(a->reader) - before_ns);
	return r;
}

static bool is_look_due(const struct adaptive_pass *a, const struct tracked *t)
{
	uint64_t age_ns = saturate_less(a->begin_ns, t->looked_ns);

	return a->swaps || age_ns + a->limits.interval_ns > LOOK_MAX_AGE_NS;
}

/* Returns true if A is less than half of B, or more than twice as much. */
static bool is_far(uint64_t a, uint64_t b)
{
	return a < b / 2 || a / 2 > b;
}

/*
 * Takes M, the statm of P in a brief pass. Reclaim moves the RSS of many processes, and only allocations,
 * exec and exit move the size of the address space: then P is read as in any pass, since it may be
 * another image. One of the same size has other counters, as a rule far off.
 */
static enum adaptive_pass_need poll_briefly(
	struct adaptive_pass *a, struct process *p, const struct statm *m)
{
	struct tracked *t = p->tracked;

	if (block_is_on(&p->block) || (t->image == TRACKED_EMPTY && !m->size))
		return ADAPTIVE_PASS_NEEDS_NOTHING;
	if (t->image != TRACKED_SETTLED || m->size != t->seen.size ||
		is_far(m->resident, t->seen.resident) || is_far(m->shared, t->seen.shared))
		return ADAPTIVE_PASS_NEEDS_LOOK;
	if (!statm_is_same(m, &t->seen))
		tracked_poll(t, m, a->page_bytes);
	return ADAPTIVE_PASS_NEEDS_NOTHING;
}

/* Reads the statm of P, and finds what P needs. Returns 0 or -ENOMEM. */
static int find_need(
	struct adaptive_pass *a, struct process *p, uint64_t now_ns, enum adaptive_pass_need *ret)
{
	struct tracked *t = p->tracked;
	struct statm m;
	int e;

	*ret = ADAPTIVE_PASS_NEEDS_FIRST_LOOK;
	if (!t || t->image == TRACKED_UNKNOWN || t->image == TRACKED_CHANGING)
		return 0;
	e = statm_poll_read(a->reader, p, &m);
	*ret = ADAPTIVE_PASS_NEEDS_NOTHING;
	if (e < 0)
		return e == -ENOMEM ? e : 0;
	*ret = ADAPTIVE_PASS_NEEDS_LOOK;
	if (e == 0 && a->is_brief) {
		*ret = poll_briefly(a, p, &m);
		return 0;
	}
	if (e != 0 || (block_is_on(&p->block) && !block_is_barred(&p->block)))
		return 0;
	if (t->image == TRACKED_EMPTY && !m.size) {
		*ret = ADAPTIVE_PASS_NEEDS_NOTHING;
	} else if (t->image == TRACKED_SETTLED && t->is_seen && statm_is_same(&m, &t->seen)) {
		if (is_look_due(a, t) || statm_poll_is_anothers(a->reader, p))
			*ret = ADAPTIVE_PASS_NEEDS_REFRESH;
		else
			*ret = process_cgroup_is_due(a->reader, p, now_ns)
			               ? ADAPTIVE_PASS_NEEDS_CGROUP
			               : ADAPTIVE_PASS_NEEDS_NOTHING;
	}
	return 0;
}

int adaptive_pass_poll(
	struct adaptive_pass *a, struct process *p, uint64_t now_ns, enum adaptive_pass_need *ret)
{
	int e = find_need(a, p, now_ns, ret);

	if (e == 0 && *ret >= ADAPTIVE_PASS_NEEDS_LOOK)
		process_announce(a->reader, p, true);
	return e;
}

/*
 * Reads P's status alone, since statm is unchanged. If status says something else than statm, P may
 * have executed a program between the two: then later polls would find the counters of the new
 * image unchanged.
 */
static int adaptive_pass_refresh(
	struct adaptive_pass *a, struct process *p, uint64_t now_ns, struct sample *ret)
{
	struct statm before = p->tracked->seen;
	int r = adaptive_pass_look_with(a, process_refresh, p, now_ns, ret);

	if (r < 0 || statm_is_same(&before, &p->tracked->seen))
		return r;
	return adaptive_pass_look_with(a, process_look, p, now_ns, ret);
}

static int look_as_needed(struct adaptive_pass *a, struct process *p, enum adaptive_pass_need need,
	uint64_t now_ns, struct sample *ret)
{
	int e;

	switch (need) {
	case ADAPTIVE_PASS_NEEDS_FIRST_LOOK: return first_look(a, p, now_ns, ret);
	case ADAPTIVE_PASS_NEEDS_LOOK:
		return adaptive_pass_look_with(a, process_look, p, now_ns, ret);
	case ADAPTIVE_PASS_NEEDS_REFRESH: return adaptive_pass_refresh(a, p, now_ns, ret);
	case ADAPTIVE_PASS_NEEDS_CGROUP:
		e = process_read_cgroup(a->reader, p, now_ns, ret);
		return e < 0 ? e : ret->has_cgroup ? ADAPTIVE_PASS_SAMPLE : 0;
	default: return 0;
	}
}

/*
 * A giant that blocked is not walked again before its age has come. Once a read of its first
 * mapping returns, its last measurement stands again.
 */
static void probe_giant(struct adaptive_pass *a, struct process *p)
{
	const struct tracked *t = p->tracked;

	if (block_is_on(&p->block) && p->block.is_walk && tracked_has_memory(t) && t->has_base &&
		page_walks_forecast(&a->walks, t).is_giant)
		(void)process_probe(a->reader, p);
}

int adaptive_pass_look(struct adaptive_pass *a, struct process *p, enum adaptive_pass_need need,
	uint64_t now_ns, struct sample *ret)
{
	int r = look_as_needed(a, p, need, now_ns, ret);

	if (r >= 0 && need == ADAPTIVE_PASS_NEEDS_LOOK)
		probe_giant(a, p);
	if (p->tracked && p->tracked->leaving && !a->is_brief)
		host_check_left(&a->host_check, p->tracked->leaving);
	return r;
}
