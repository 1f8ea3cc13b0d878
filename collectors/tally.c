/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PSS is integrated by the trapezoid of two neighbouring passes over CLOCK_MONOTONIC; a row that
 * appears rises from 0, one that loses its members falls to 0, so that the integrals of all rows add
 * up to the host's as the sums do. The halves are kept exact by storing twice the integral.
 */
#include "config.h"

#include "collectors/tally.h"

#include <string.h>

#include "base/clock.h"

void tally_init(struct tally *t, uint64_t created_ns)
{
	*t = (struct tally){.host = {.created_ns = created_ns}};
	for (size_t i = 0; i < TALLY_TABLES; i++)
		t->other[i].created_ns = created_ns;
}

void tally_done(struct tally *t)
{
	for (size_t i = 0; i < TALLY_TABLES; i++)
		scopes_done(&t->table[i]);
}

static void scope_begin(struct scope *s)
{
	s->present = 0;
	memset(s->q, 0, sizeof(s->q));
	s->private_hugetlb = s->shared_hugetlb_max = 0;
	s->has_hugetlb = s->has_unbounded = false;
	s->delta = (struct scope_counters){0};
}

void tally_begin(struct tally *t, uint64_t created_ns)
{
	scope_begin(&t->host);
	for (size_t i = 0; i < TALLY_TABLES; i++) {
		t->table[i].created_ns = created_ns;
		scope_begin(&t->other[i]);
		for (struct scope *s = NULL; (s = scopes_next(&t->table[i], s));)
			scope_begin(s);
	}
}

/* Quantities of a process that are summed as they are. */
static const struct {
	uint8_t process, scope;
} summed[] = {
	{PROCESS_PSS, SCOPE_PSS},
	{PROCESS_PSS_LOW, SCOPE_PSS_LOW},
	{PROCESS_USS, SCOPE_USS},
	{PROCESS_RSS, SCOPE_RSS},
	{PROCESS_SWAP_PSS, SCOPE_SWAP_PSS},
	{PROCESS_VM_SWAP, SCOPE_VM_SWAP},
	{PROCESS_VM_PTE, SCOPE_PAGETABLE},
};

static void add(struct scope *s, enum scope_quantity i, uint64_t value)
{
	uint64_t sum;

	/* No host has 2^63 bytes; a tree of invented numbers may, and stays at the largest that can be told. */
	if (__builtin_add_overflow(s->q[i], value, &sum) || sum > INT64_MAX)
		sum = INT64_MAX;
	ROW_SET(s, i, sum);
}

static void raise_to(struct scope *s, enum scope_quantity i, uint64_t value)
{
	if (!ROW_HAS(s, i) || value > s->q[i])
		ROW_SET(s, i, value);
}

/* Which count of unmeasured members OUTCOME belongs to; SCOPE_QUANTITIES: none. */
static enum scope_quantity unmeasured_of(unsigned int outcome)
{
	switch (outcome) {
	case OUTCOME_DENIED: return SCOPE_UNMEASURED_DENIED;
	case OUTCOME_MALFORMED: return SCOPE_UNMEASURED_MALFORMED;
	case OUTCOME_CHANGING: return SCOPE_UNMEASURED_CHANGING;
	case OUTCOME_ERROR: return SCOPE_UNMEASURED_ERROR;
	default: return SCOPE_QUANTITIES;
	}
}

/* The bounds know that a member without a measurement has at most its RSS. */
static void add_high(struct scope *s, const struct snapshot_process *m)
{
	if (ROW_HAS(m, PROCESS_PSS_HIGH))
		add(s, SCOPE_PSS_HIGH, m->q[PROCESS_PSS_HIGH]);
	else if (ROW_HAS(m, PROCESS_RSS))
		add(s, SCOPE_PSS_HIGH, m->q[PROCESS_RSS]);
	else
		s->has_unbounded = true;
}

static void add_hugetlb(struct scope *s, const struct snapshot_process *m)
{
	if (ROW_HAS(m, PROCESS_PRIVATE_HUGETLB)) {
		s->private_hugetlb += m->q[PROCESS_PRIVATE_HUGETLB];
		s->has_hugetlb = true;
	}
	if (ROW_HAS(m, PROCESS_SHARED_HUGETLB)) {
		if (m->q[PROCESS_SHARED_HUGETLB] > s->shared_hugetlb_max)
			s->shared_hugetlb_max = m->q[PROCESS_SHARED_HUGETLB];
		s->has_hugetlb = true;
	}
}

static void scope_add(struct scope *s, const struct snapshot_process *m, uint64_t hwm_growth,
	uint64_t swap_growth)
{
	enum scope_quantity unmeasured = unmeasured_of(m->outcome);

	add(s, SCOPE_PROCESSES, 1);
	if (unmeasured != SCOPE_QUANTITIES)
		add(s, unmeasured, 1);
	if (m->outcome == OUTCOME_SHARED_MM)
		return;
	for (size_t i = 0; i < sizeof(summed) / sizeof(summed[0]); i++)
		if (ROW_HAS(m, summed[i].process))
			add(s, (enum scope_quantity)summed[i].scope, m->q[summed[i].process]);
	add_high(s, m);
	add_hugetlb(s, m);
	if (ROW_HAS(m, PROCESS_VM_HWM))
		raise_to(s, SCOPE_VM_HWM_MAX, m->q[PROCESS_VM_HWM]);
	s->delta.hwm_growth_bytes += hwm_growth;
	s->delta.swap_growth_bytes += swap_growth;
}

void tally_add(struct tally *t, const struct process *p, const struct snapshot_process *row,
	uint64_t hwm_growth, uint64_t swap_growth)
{
	const uint32_t slot[TALLY_TABLES] = {p->user, p->program, p->unit};

	scope_add(&t->host, row, hwm_growth, swap_growth);
	for (size_t i = 0; i < TALLY_TABLES; i++)
		scope_add(scopes_at(&t->table[i], slot[i]), row, hwm_growth, swap_growth);
}

/* The counters as a snapshot shows them. */
static void show_counters(struct scope *s)
{
	double byte_seconds = (double)s->total.pss_byte_ns / 2 / (double)NS_PER_SEC;

	ROW_SET(s, SCOPE_VM_HWM_GROWTH, s->total.hwm_growth_bytes);
	ROW_SET(s, SCOPE_VM_SWAP_GROWTH, s->total.swap_growth_bytes);
	ROW_SET(s, SCOPE_PSS_BYTE_SECONDS, metric_real_bits(byte_seconds));
}

static void show_gauges(struct scope *s)
{
	for (unsigned int i = SCOPE_UNMEASURED_DENIED; i <= SCOPE_UNMEASURED_ERROR; i++)
		ROW_SET(s, i, s->q[i]);
	ROW_SET(s, SCOPE_PROCESSES, s->q[SCOPE_PROCESSES]);
	if (s->has_unbounded)
		s->present &= ~(UINT64_C(1) << SCOPE_PSS_HIGH);
	if (s->has_hugetlb) {
		s->q[SCOPE_HUGETLB] = 0;
		add(s, SCOPE_HUGETLB, s->private_hugetlb);
		add(s, SCOPE_HUGETLB, s->shared_hugetlb_max);
	}
	if (s->q[SCOPE_PROCESSES])
		return;
	/* The sums over no process at all are known: they are 0. The largest of none is not. */
	for (size_t i = 0; i < sizeof(summed) / sizeof(summed[0]); i++)
		ROW_SET(s, summed[i].scope, 0);
	ROW_SET(s, SCOPE_PSS_HIGH, 0);
	ROW_SET(s, SCOPE_HUGETLB, 0);
}

static void counters_add(struct scope_counters *to, const struct scope_counters *from)
{
	to->hwm_growth_bytes += from->hwm_growth_bytes;
	to->swap_growth_bytes += from->swap_growth_bytes;
	to->pss_byte_ns += from->pss_byte_ns;
}

static void scope_end(struct scope *s, uint64_t elapsed_ns, uint64_t now_ns)
{
	uint64_t pss;

	show_gauges(s);
	pss = ROW_HAS(s, SCOPE_PSS) ? s->q[SCOPE_PSS] : 0;
	s->delta.pss_byte_ns = ((unsigned __int128)s->last_pss + pss) * elapsed_ns;
	s->last_pss = pss;
	counters_add(&s->total, &s->delta);
	show_counters(s);
	if (s->q[SCOPE_PROCESSES])
		s->empty_ns = 0;
	else if (!s->empty_ns)
		s->empty_ns = now_ns;
}

void tally_end(struct tally *t, uint64_t now_ns)
{
	uint64_t elapsed_ns = t->last_ns ? now_ns - t->last_ns : 0;

	t->last_ns = now_ns;
	scope_end(&t->host, elapsed_ns, now_ns);
	for (size_t i = 0; i < TALLY_TABLES; i++)
		for (struct scope *s = NULL; (s = scopes_next(&t->table[i], s));)
			scope_end(s, elapsed_ns, now_ns);
}

/* Adds a row's finished sums. */
static void add_row(struct scope *to, const struct scope *from)
{
	for (size_t i = 0; i < sizeof(summed) / sizeof(summed[0]); i++)
		if (ROW_HAS(from, summed[i].scope))
			add(to, (enum scope_quantity)summed[i].scope, from->q[summed[i].scope]);
	for (unsigned int i = SCOPE_PROCESSES; i <= SCOPE_UNMEASURED_ERROR; i++)
		add(to, (enum scope_quantity)i, from->q[i]);
	if (ROW_HAS(from, SCOPE_PSS_HIGH))
		add(to, SCOPE_PSS_HIGH, from->q[SCOPE_PSS_HIGH]);
	if (ROW_HAS(from, SCOPE_VM_HWM_MAX))
		raise_to(to, SCOPE_VM_HWM_MAX, from->q[SCOPE_VM_HWM_MAX]);
	to->has_unbounded = to->has_unbounded || from->has_unbounded;
	to->has_hugetlb = to->has_hugetlb || from->has_hugetlb;
	to->private_hugetlb += from->private_hugetlb;
	if (from->shared_hugetlb_max > to->shared_hugetlb_max)
		to->shared_hugetlb_max = from->shared_hugetlb_max;
	counters_add(&to->delta, &from->delta);
}

void tally_sum_other(struct tally *t, enum metric_scope scope)
{
	struct scope *other = &t->other[scope - METRIC_USER];

	for (struct scope *s = NULL; (s = scopes_next(tally_table(t, scope), s));)
		if (!s->exported)
			add_row(other, s);
	show_gauges(other);
	counters_add(&other->total, &other->delta);
	show_counters(other);
}
