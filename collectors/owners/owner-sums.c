/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PSS is integrated over CLOCK_MONOTONIC by the trapezoid rule, from each pass to the next. An
 * owner that appears rises from 0, and one that loses its members falls to 0, so the integrals of
 * all owners add up to the host's as the sums do. Twice the integral is stored, so that halves are
 * exact.
 */
#include "config.h"

#include "collectors/owners/owner-sums.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/saturate.h"

static_assert(SCOPE_OTHER_STATE - SCOPE_RUNNING == ACTIVITY_OTHER &&
		      SCOPE_SLEEPING - SCOPE_RUNNING == ACTIVITY_SLEEPING,
	"quantities are in the order of enum activity_state");
static_assert(sizeof(struct membership) == 2 * OWNER_KINDS * sizeof(uint32_t),
	"a key must have no padding bytes");

void owner_sums_init(struct owner_sums *t, uint64_t created_ns)
{
	*t = (struct owner_sums){.host = {.created_ns = created_ns}};
	for (size_t i = 0; i < OWNER_KINDS; i++)
		t->other[i].created_ns = created_ns;
}

void owner_sums_done(struct owner_sums *t)
{
	for (size_t i = 0; i < OWNER_KINDS; i++)
		owner_table_done(&t->table[i]);
	owner_table_done(&t->memberships);
}

int owner_sums_join(struct owner_sums *t, const struct membership *m, uint32_t *ret_membership)
{
	struct scope *s = owner_table_get(&t->memberships, m, sizeof(*m));

	if (!s)
		return -ENOMEM;
	*ret_membership = s->slot;
	return 0;
}

static void scope_begin(struct scope *s)
{
	s->sums = (struct sums){0};
	s->delta = (struct scope_counters){0};
}

static void activity_begin(struct scope_activity *a)
{
	memset(a->states, 0, sizeof(a->states));
	a->delta = (struct activity_counts){0};
}

void owner_sums_begin(struct owner_sums *t, uint64_t created_ns)
{
	scope_begin(&t->host);
	for (struct scope *s = NULL; (s = owner_table_next(&t->memberships, s));) {
		scope_begin(s);
		activity_begin(&s->activity);
	}
	for (size_t i = 0; i < OWNER_KINDS; i++) {
		t->table[i].created_ns = created_ns;
		scope_begin(&t->other[i]);
		for (struct scope *s = NULL; (s = owner_table_next(&t->table[i], s));)
			scope_begin(s);
	}
	activity_begin(&t->other[OWNER_NAMEGROUP].activity);
	for (struct scope *s = NULL; (s = owner_table_next(&t->table[OWNER_NAMEGROUP], s));)
		activity_begin(&s->activity);
}

void owner_sums_add(struct owner_sums *t, const struct process *p,
	const struct snapshot_process *row, const struct growth_step *growth)
{
	struct scope *s = owner_table_at(&t->memberships, p->membership);

	sums_add(&s->sums, row);
	if (t->has_activity && p->activity && p->activity->is_read) {
		activity_counts_add(&s->activity.delta, &p->activity->step);
		s->activity.states[p->activity->state]++;
	}
	if (row->outcome == OUTCOME_SHARED_MM)
		return;
	growth_step_add(&s->delta.growth, growth);
}

/* Sets the counters in .sums as a snapshot shows them. */
static void show_counters(const struct owner_sums *t, struct scope *s)
{
	double byte_seconds = (double)s->total.pss_byte_ns / 2 / (double)NS_PER_SEC;

	if (t->is_single)
		return;
	ROW_SET(&s->sums, SCOPE_VM_HWM_GROWTH, s->total.growth.hwm_bytes);
	ROW_SET(&s->sums, SCOPE_VM_SWAP_GROWTH, s->total.growth.swap_bytes);
	ROW_SET(&s->sums, SCOPE_ANON_GROWTH, s->total.growth.anon_bytes);
	ROW_SET(&s->sums, SCOPE_PSS_BYTE_SECONDS, metric_real_bits(byte_seconds));
}

/* TICKS of CPU time in ns, at most INT64_MAX as all sums. */
static uint64_t ticks_ns(const struct owner_sums *t, uint64_t ticks)
{
	return saturate_min(saturate_part(ticks, t->ns_per_tick, 1), INT64_MAX);
}

/*
 * Sets in .sums the states of the processes of S, a namegroup. If one of them was not read, the others
 * are not all, so none is set.
 */
static void show_states(struct scope *s)
{
	uint64_t read = 0;

	for (size_t i = 0; i < ACTIVITY_STATES; i++)
		read += s->activity.states[i];
	if (read != s->sums.q[SCOPE_PROCESSES])
		return;
	for (size_t i = 0; i < ACTIVITY_STATES; i++)
		ROW_SET(&s->sums, SCOPE_RUNNING + i, s->activity.states[i]);
}

/*
 * Ends the activity of S, a namegroup, and sets it in .sums. A process that was not read adds its part
 * to the counters in the first pass that reads it.
 */
static void activity_end(const struct owner_sums *t, struct scope *s)
{
	struct activity_counts *total = &s->activity.total;

	if (!t->has_activity)
		return;
	activity_counts_add(total, &s->activity.delta);
	ROW_SET(&s->sums, SCOPE_CPU_USER, ticks_ns(t, total->user_ticks));
	ROW_SET(&s->sums, SCOPE_CPU_SYSTEM, ticks_ns(t, total->system_ticks));
	ROW_SET(&s->sums, SCOPE_MINOR_FAULTS, total->minor_faults);
	ROW_SET(&s->sums, SCOPE_MAJOR_FAULTS, total->major_faults);
	show_states(s);
}

static void owner_sums_counters_add(struct scope_counters *to, const struct scope_counters *from)
{
	growth_step_add(&to->growth, &from->growth);
	to->pss_byte_ns += from->pss_byte_ns;
}

static void scope_merge(struct scope *to, const struct scope *from)
{
	sums_merge(&to->sums, &from->sums);
	owner_sums_counters_add(&to->delta, &from->delta);
}

static void activity_merge(struct scope_activity *to, const struct scope_activity *from)
{
	for (size_t i = 0; i < ACTIVITY_STATES; i++)
		to->states[i] += from->states[i];
	activity_counts_add(&to->delta, &from->delta);
}

/* Adds the sum of each membership to its owners and the host. */
static void owner_sums_spread(struct owner_sums *t)
{
	for (struct scope *s = NULL; (s = owner_table_next(&t->memberships, s));) {
		const uint32_t *owner = owner_sums_owners(t, s->slot);

		if (!s->sums.q[SCOPE_PROCESSES])
			continue;
		scope_merge(&t->host, s);
		for (size_t i = 0; i < OWNER_KINDS; i++)
			scope_merge(owner_table_at(&t->table[i], owner[i]), s);
		activity_merge(&owner_table_at(&t->table[OWNER_NAMEGROUP], owner[OWNER_NAMEGROUP])
					->activity,
			&s->activity);
	}
}

static void scope_end(const struct owner_sums *t, struct scope *s, uint64_t elapsed_ns,
	uint64_t now_ns, uint64_t most)
{
	uint64_t pss;

	sums_end(&s->sums);
	sums_cap(&s->sums, most);
	pss = ROW_HAS(&s->sums, SCOPE_PSS) ? s->sums.q[SCOPE_PSS] : 0;
	s->delta.pss_byte_ns = ((unsigned __int128)s->last_pss + pss) * elapsed_ns;
	s->last_pss = pss;
	owner_sums_counters_add(&s->total, &s->delta);
	show_counters(t, s);
	if (s->sums.q[SCOPE_PROCESSES])
		s->empty_ns = 0;
	else if (!s->empty_ns)
		s->empty_ns = now_ns;
}

void owner_sums_end(struct owner_sums *t, uint64_t now_ns, uint64_t least, uint64_t most)
{
	uint64_t elapsed_ns = t->last_ns ? now_ns - t->last_ns : 0;

	t->last_ns = now_ns;
	owner_sums_spread(t);
	scope_end(t, &t->host, elapsed_ns, now_ns, most);
	sums_raise(&t->host.sums, least);
	/* If the sum exceeds the limit, all owners still get one and the same bound. */
	t->most = ROW_HAS(&t->host.sums, SCOPE_PSS) ? saturate_max(most, t->host.sums.q[SCOPE_PSS])
	                                            : most;
	for (size_t i = 0; i < OWNER_KINDS; i++)
		for (struct scope *s = NULL; (s = owner_table_next(&t->table[i], s));)
			scope_end(t, s, elapsed_ns, now_ns, t->most);
	for (struct scope *s = NULL; (s = owner_table_next(&t->table[OWNER_NAMEGROUP], s));)
		activity_end(t, s);
}

/* Makes the activity of (other) that of the namegroups which are not exported. */
static void end_other_activity(struct owner_sums *t)
{
	struct scope *other = &t->other[OWNER_NAMEGROUP];

	for (struct scope *s = NULL; (s = owner_table_next(&t->table[OWNER_NAMEGROUP], s));)
		if (!s->exported)
			activity_merge(&other->activity, &s->activity);
	activity_end(t, other);
}

void owner_sums_sum_other(struct owner_sums *t, enum owner_kind kind)
{
	struct scope *other = &t->other[kind];

	for (struct scope *s = NULL; (s = owner_table_next(&t->table[kind], s));)
		if (!s->exported)
			scope_merge(other, s);
	sums_end(&other->sums);
	sums_cap(&other->sums, t->most);
	owner_sums_counters_add(&other->total, &other->delta);
	show_counters(t, other);
	if (kind == OWNER_NAMEGROUP)
		end_other_activity(t);
}

void owner_sums_tidy(struct owner_sums *t)
{
	for (struct scope *s = owner_table_next(&t->memberships, NULL), *next; s; s = next) {
		next = owner_table_next(&t->memberships, s);
		if (!s->sums.q[SCOPE_PROCESSES])
			owner_table_remove(&t->memberships, s);
	}
}
