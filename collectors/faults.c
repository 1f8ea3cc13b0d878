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

bool faults_found(const struct faults *f, struct relations *relations,
	struct process_reader *reader, struct process *p, const struct walked *walked,
	const struct estimate *before, uint64_t now_ns)
{
	struct watch *w = p->watch;
	uint64_t written = UINT64_MAX, since_ns = now_ns, faults;

	if (w->broken_kib && process_faults(reader, p, &faults) == 0) {
		written = (uint64_t)((uint32_t)faults - w->faults) * f->page_bytes;
		if ((uint32_t)faults == w->looked_faults)
			since_ns = w->broken_ns;
	} else if (w->has_faults && walked->has_faults) {
		written = (uint64_t)(walked->faults - w->faults) * f->page_bytes;
	}
	return relations_broke(relations, w, before, written, since_ns);
}

void faults_measured(struct watch *w, const struct walked *walked, uint64_t max_age_ns)
{
	w->has_faults = walked->has_faults && may_break(w, max_age_ns);
	w->faults = w->has_faults ? walked->faults : 0;
}

/* At every TURNS'th, and at those in whose family somebody has written since SINCE_NS. */
static void look(struct faults *f, struct process_reader *reader, const struct proctable *table,
	uint64_t turns, uint64_t since_ns)
{
	uint64_t faults;

	f->turn++;
	for (size_t i = 0; i < table->count; i++) {
		struct process *p = table->item[i];
		struct watch *w = p->watch;

		if (!w || !w->has_base || !w->has_faults || w->is_elsewhere ||
			(((uint64_t)p->pid + f->turn) % turns && !kin_breaks(&w->kin, since_ns)))
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
	look(f, reader, table, amount_max(max_age_ns / interval_ns / LOOKS_IN_AN_AGE, 1),
		amount_less(clock_now_ns(CLOCK_BOOTTIME), max_age_ns));
}

void faults_heed(struct faults *f, struct process_reader *reader, const struct proctable *table)
{
	if (f->is_alarmed)
		look(f, reader, table, 1, 0);
	f->is_alarmed = false;
}
