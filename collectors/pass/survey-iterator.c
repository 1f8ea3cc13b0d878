/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/pass/survey-iterator.h"

#include <errno.h>

#include "base/array.h"
#include "base/clock.h"
#include "collectors/pass/pass-private.h"
#include "collectors/process/fetch.h"

/* Returns the index of the first process with a pid above AFTER. */
static size_t place_after(const struct process_table *t, pid_t after)
{
	return ARRAY_FIRST(t->count, i, t->item[i]->pid > after);
}

static bool survey_iterator_has_memory(const struct process *p)
{
	return p->known && (!p->tracked || tracked_has_memory(p->tracked));
}

/* Whether A is the older one of two processes with one address space, or has the lower pid. */
static bool is_before(const struct process *a, const struct process *b)
{
	uint64_t a_ticks = a->has_stat ? a->stat.start_ticks : UINT64_MAX;
	uint64_t b_ticks = b->has_stat ? b->stat.start_ticks : UINT64_MAX;

	return a_ticks != b_ticks ? a_ticks < b_ticks : a->pid < b->pid;
}

/* Whether another process stands for P's address space. */
static bool survey_iterator_is_elsewhere(const struct process_table *t, const struct process *p)
{
	for (size_t i = 0; p->mm_group && i < t->count; i++) {
		const struct process *other = t->item[i];

		if (other != p && other->mm_group == p->mm_group &&
			survey_iterator_has_memory(other) && is_before(other, p))
			return true;
	}
	return false;
}

/*
 * Only adaptive passes know what walks cost, and have a stall budget. A process that needs a walk
 * by slices may have a mapping of any size until its largest one is known.
 */
static bool is_giant(const struct pass *pass, const struct process *p)
{
	struct page_walk_forecast f;

	if (!pass->options.is_adaptive || !p->tracked)
		return false;
	f = page_walks_forecast(&pass->adaptive.walks, p->tracked);
	return f.is_giant || (f.way == WALK_COST_SLICES && !f.work.largest_pages);
}

static int survey_iterator_outcome_of(int error)
{
	switch (error) {
	case -ESRCH: return SURVEY_ITERATOR_GONE;
	case -EACCES:
	case -EPERM: return SURVEY_ITERATOR_DENIED;
	case -ETIMEDOUT: return SURVEY_ITERATOR_BLOCKED;
	default: return SURVEY_ITERATOR_ERROR;
	}
}

/* Returns the user that P is counted for. */
static uint32_t survey_iterator_user_of(const struct pass *pass, const struct process *p)
{
	struct sample sample;

	process_fill_owners(&pass->reader, p, &sample);
	return sample.user;
}

/*
 * Opens smaps of P. Returns 0 or an enum survey_iterator_outcome. Sets *RET in both cases; its
 * stream is open only after 0.
 */
static int open_smaps(struct pass *pass, struct process *p, struct survey_iterator_entry *ret)
{
	int e;

	*ret = (struct survey_iterator_entry){
		.pid = p->pid, .user = survey_iterator_user_of(pass, p), .stream = STREAM_CLOSED};
	if (survey_iterator_is_elsewhere(&pass->table, p))
		return SURVEY_ITERATOR_ELSEWHERE;
	if (is_giant(pass, p))
		return SURVEY_ITERATOR_GIANT;
	e = process_open_stream(&pass->reader, p, false, &ret->stream);
	return e < 0 ? survey_iterator_outcome_of(e) : 0;
}

int survey_iterator_next(struct pass *pass, pid_t after, struct survey_iterator_entry *ret)
{
	const struct process_table *t = &pass->table;

	for (size_t i = place_after(t, after); i < t->count; i++)
		if (survey_iterator_has_memory(t->item[i]))
			return open_smaps(pass, t->item[i], ret);
	return SURVEY_ITERATOR_END;
}

bool survey_iterator_is_wanting(const struct pass *pass)
{
	return pass->drivers_wanted > 0;
}

/* Returns the wanted process with the largest change of RssFile, NULL if there is none. */
static struct process *most_moved(const struct process_table *t)
{
	struct process *found = NULL;

	for (size_t i = 0; i < t->count; i++) {
		struct process *p = t->item[i];

		if (p->driver.is_wanted && survey_iterator_has_memory(p) &&
			(!found || driver_moved(&p->driver) > driver_moved(&found->driver)))
			found = p;
	}
	return found;
}

int survey_iterator_wanted(struct pass *pass, struct survey_iterator_entry *ret)
{
	struct process *p = pass->drivers_wanted ? most_moved(&pass->table) : NULL;
	uint64_t now_ns = clock_now_ns(CLOCK_BOOTTIME);
	int r;

	if (!p) {
		pass->drivers_wanted = 0;
		return SURVEY_ITERATOR_END;
	}
	pass->drivers_wanted--;
	driver_asked(&p->driver, now_ns);
	r = open_smaps(pass, p, ret);
	if (r == SURVEY_ITERATOR_GIANT)
		driver_deferred(&p->driver, now_ns);
	return r;
}

void survey_iterator_found(struct pass *pass, pid_t pid, uint64_t pss, uint64_t vmalloc)
{
	struct process *p = process_table_find(&pass->table, pid);

	if (p)
		driver_found(&p->driver, pss, vmalloc, clock_now_ns(CLOCK_BOOTTIME));
}

uint64_t survey_iterator_begin_reads(struct pass *pass, pid_t pid)
{
	const struct process *p = process_table_find(&pass->table, pid);

	return p ? fetch_begin_reads(&pass->reader, p) : 0;
}

void survey_iterator_end_reads(struct pass *pass, pid_t pid, uint64_t begin_ns)
{
	const struct process *p = process_table_find(&pass->table, pid);

	if (p)
		fetch_end_reads(&pass->reader, p, begin_ns);
}

void survey_iterator_blocked(struct pass *pass, pid_t pid)
{
	struct process *p = process_table_find(&pass->table, pid);

	if (p)
		fetch_note_stream(&pass->reader, p, FETCH_SMAPS, -ETIMEDOUT);
}

bool survey_iterator_may_spend(struct pass *pass)
{
	return !pass->options.is_adaptive || (pass->adaptive.pressure == PSI_CALM &&
						     cpu_budget_available_ns(&pass->adaptive.budget,
							     clock_now_ns(CLOCK_MONOTONIC)) > 0);
}

uint64_t survey_iterator_cpu_ns(const struct pass *pass)
{
	return fetch_cpu_ns(&pass->reader);
}

void survey_iterator_charge(struct pass *pass, uint64_t cpu_ns, uint64_t hold_ns)
{
	if (pass->options.is_adaptive)
		cpu_budget_charge(&pass->adaptive.budget, clock_now_ns(CLOCK_MONOTONIC), cpu_ns);
	if (hold_ns)
		lock_hold_add(&pass->reader.holds, hold_ns);
}

void survey_iterator_exchange(struct pass *pass, struct survey_result *c)
{
	struct survey_result before = pass->survey;

	pass->survey = *c;
	*c = before;
}
