/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/faults.h"

#include "base/clock.h"
#include "collectors/amount.h"
#include "collectors/plan.h"
#include "collectors/relations.h"

enum { LOOKS_IN_AN_AGE = 8 };

/* Whether W shares so much anonymous memory that it would have to be measured if it wrote to that. */
static bool may_break(const struct watch *w, uint64_t max_age_ns)
{
	const struct estimate_base *b = &w->base;

	return plan_doubt_matters(relations_room(w), b->pss_anon + b->pss_file + b->pss_shmem,
		max_age_ns, max_age_ns);
}

void faults_measured(struct process_reader *reader, struct process *p, uint64_t max_age_ns)
{
	struct watch *w = p->watch;
	uint64_t faults;

	w->has_faults = may_break(w, max_age_ns) && process_faults(reader, p, &faults) == 0;
	w->faults = w->has_faults ? (uint32_t)faults : 0;
}

/* At every TURNS'th. */
static void look(struct faults *f, struct process_reader *reader, const struct proctable *table,
	uint64_t turns)
{
	uint64_t faults;

	f->turn++;
	for (size_t i = 0; i < table->count; i++) {
		struct process *p = table->item[i];
		struct watch *w = p->watch;

		if (!w || !w->has_base || !w->has_faults || w->is_elsewhere ||
			((uint64_t)p->pid + f->turn) % turns)
			continue;
		if (process_faults(reader, p, &faults) == 0)
			relations_faulted(w, faults, f->page_bytes, clock_now_ns(CLOCK_BOOTTIME));
		/* Where one has, others may have at the same time. */
		if (!w->calm && w->broken_kib && relations_broken(w) >= relations_room(w) / 4)
			f->is_alarmed = true;
	}
}

void faults_look(struct faults *f, struct process_reader *reader, const struct proctable *table,
	uint64_t interval_ns, uint64_t max_age_ns)
{
	look(f, reader, table, amount_max(max_age_ns / interval_ns / LOOKS_IN_AN_AGE, 1));
}

void faults_heed(struct faults *f, struct process_reader *reader, const struct proctable *table)
{
	if (f->is_alarmed)
		look(f, reader, table, 1);
	f->is_alarmed = false;
}
