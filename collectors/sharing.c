/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/sharing.h"

#include <errno.h>
#include <linux/kcmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	SIEVE_BITS = 1 << 14,
	ORDER_NEW = UINT32_MAX,
};

int sharing_kcmp(pid_t a, pid_t b)
{
	long r = syscall(SYS_kcmp, a, b, KCMP_VM, 0UL, 0UL);

	return r < 0 ? -errno : (int)r;
}

void sharing_done(struct sharing *s)
{
	free(s->item);
	s->item = NULL;
	s->count = s->capacity = 0;
}

static unsigned int sieve_bit(const struct process *p)
{
	return (unsigned int)((p->range_start >> 12) * 2654435761U >> 7) % SIEVE_BITS;
}

static bool is_candidate(const struct process *p, const uint64_t *sieve)
{
	unsigned int bit = sieve_bit(p);

	return p->measured && ((sieve[bit / 64] >> bit % 64) & 1);
}

static int compare_items(const void *a_, const void *b_)
{
	const struct process *a = *(struct process *const *)a_, *b = *(struct process *const *)b_;
	uint32_t a_order = a->mm_is_new ? ORDER_NEW : a->mm_order;
	uint32_t b_order = b->mm_is_new ? ORDER_NEW : b->mm_order;

	if (a->range_start != b->range_start)
		return a->range_start < b->range_start ? -1 : 1;
	if (a->range_end != b->range_end)
		return a->range_end < b->range_end ? -1 : 1;
	if (a_order != b_order)
		return a_order < b_order ? -1 : 1;
	return (a->pid > b->pid) - (a->pid < b->pid);
}

static int collect(
	struct sharing *s, struct process *const *processes, size_t count, const uint64_t *sieve)
{
	for (size_t i = 0; i < count; i++) {
		if (!is_candidate(processes[i], sieve))
			continue;
		if (s->count == s->capacity) {
			size_t capacity = s->capacity ? s->capacity * 2 : 256;
			struct process **item = reallocarray(
				(void *)s->item, capacity, sizeof(struct process *));

			if (!item)
				return -ENOMEM;
			s->item = item;
			s->capacity = capacity;
		}
		s->item[s->count++] = processes[i];
	}
	return 0;
}

int sharing_begin(struct sharing *s, struct process *const *processes, size_t count)
{
	uint64_t sieve[SIEVE_BITS / 64] = {0};
	bool any = false;
	int r;

	s->count = s->first = s->sorted = s->next = 0;
	s->refused = false;
	if (!s->compare)
		return 0;
	for (size_t i = 0; i < count; i++)
		if (processes[i]->measured && processes[i]->mm_is_new) {
			unsigned int bit = sieve_bit(processes[i]);

			sieve[bit / 64] |= UINT64_C(1) << bit % 64;
			any = true;
		}
	if (!any)
		return 0;
	r = collect(s, processes, count, sieve);
	if (r == 0 && s->count)
		qsort((void *)s->item, s->count, sizeof(struct process *), compare_items);
	return r;
}

static bool is_same_range(const struct process *a, const struct process *b)
{
	return a->range_start == b->range_start && a->range_end == b->range_end;
}

static void join(struct sharing *s, struct process *a, struct process *b)
{
	if (!b->mm_group)
		b->mm_group = ++s->last_group ? s->last_group : ++s->last_group;
	a->mm_group = b->mm_group;
}

static void remove_sorted(struct sharing *s, size_t at)
{
	memmove((void *)&s->item[at], (void *)&s->item[at + 1],
		(s->sorted - at - 1) * sizeof(struct process *));
	s->sorted--;
}

/* A dead leader has no address space to compare, and two of them would be "equal". */
static pid_t comparable(const struct process *p)
{
	return p->tid ? p->tid : p->pid;
}

/* Finds P's place among the run's items in order. False: P can't be compared. */
static bool find_place(struct sharing *s, struct process *p, size_t *ret)
{
	size_t low = s->first, high = s->sorted;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = s->compare(comparable(p), comparable(s->item[middle]));

		if (order == 0) {
			join(s, p, s->item[middle]);
			*ret = middle + 1;
			return true;
		}
		if (order == 1) {
			high = middle;
		} else if (order == 2) {
			low = middle + 1;
		} else if (s->compare(comparable(p), comparable(p)) != 0) {
			s->refused = s->refused || order == -EPERM;
			return false; /* it is P that ended or may not be looked at */
		} else {
			s->refused = s->refused || order == -EPERM;
			remove_sorted(s, middle);
			high--;
		}
	}
	*ret = low;
	return true;
}

/* Numbers the run, so that the next pass finds it in order. */
static void end_run(struct sharing *s)
{
	for (size_t i = s->first; i < s->sorted; i++)
		s->item[i]->mm_order = (uint32_t)(i - s->first);
}

bool sharing_step(struct sharing *s)
{
	while (s->next < s->count) {
		struct process *p = s->item[s->next++];
		size_t place;

		if (s->first == s->sorted || !is_same_range(s->item[s->first], p)) {
			end_run(s);
			s->first = s->next - 1;
			s->sorted = s->next;
			s->item[s->first] = p;
			p->mm_is_new = false;
			continue;
		}
		if (!p->mm_is_new) { /* those in order already come first */
			s->item[s->sorted++] = p;
			continue;
		}
		if (find_place(
			    s, p, &place)) { /* else it stays new, and is tried in the next pass */
			p->mm_is_new = false;
			memmove((void *)&s->item[place + 1], (void *)&s->item[place],
				(s->sorted - place) * sizeof(struct process *));
			s->item[place] = p;
			s->sorted++;
		}
		return true;
	}
	end_run(s);
	s->first = s->sorted = 0;
	return false;
}

bool sharing_is_one(struct sharing *s, struct process *p, struct process *parent)
{
	if (!s->compare || s->compare(comparable(p), comparable(parent)) != 0)
		return false;
	join(s, p, parent);
	return true;
}

struct sharer {
	uint64_t start_ticks; /* UINT64_MAX: not known */
	uint32_t group;
	uint32_t row;
};

static int compare_sharers(const void *a_, const void *b_)
{
	const struct sharer *a = a_, *b = b_;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->start_ticks != b->start_ticks)
		return a->start_ticks < b->start_ticks ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

/*
 * Whether they share now, and not only when they were compared: an exec that leaves name, user and
 * range as they were (without address space randomisation) shows nowhere else.
 */
static bool still_share(struct sharing *s, const struct process *a, const struct process *b)
{
	int order = s->compare ? s->compare(comparable(a), comparable(b)) : -ENOSYS;

	s->refused = s->refused || order == -EPERM;
	return order == 0;
}

int sharing_elect(struct sharing *s, struct process *const *members, struct snapshot_process *rows,
	size_t count, struct buffer *scratch)
{
	struct sharer *sharers;
	size_t n = 0;

	buffer_clear(scratch);
	for (size_t i = 0; i < count; i++)
		if (rows[i].outcome == OUTCOME_MEASURED && members[i]->mm_group) {
			struct sharer sharer = {
				.start_ticks = members[i]->has_stat ? members[i]->stat.start_ticks
			                                            : UINT64_MAX,
				.group = members[i]->mm_group,
				.row = (uint32_t)i,
			};

			buffer_add(scratch, &sharer, sizeof(sharer));
			n++;
		}
	if (scratch->error)
		return scratch->error;
	if (!n)
		return 0;
	sharers = (struct sharer *)(void *)scratch->data;
	qsort(sharers, n, sizeof(*sharers), compare_sharers);
	for (size_t i = 1, first = 0; i < n; i++) {
		struct snapshot_process *row = &rows[sharers[i].row];
		struct process *p = members[sharers[i].row];

		if (sharers[i].group != sharers[first].group) {
			first = i;
			continue;
		}
		if (!still_share(s, p, members[sharers[first].row])) {
			p->mm_group = 0;
			p->mm_is_new = true;
			continue;
		}
		row->outcome = OUTCOME_SHARED_MM;
		row->source = SOURCE_NONE;
		row->mm_pid = rows[sharers[first].row].pid;
		row->present &= UINT64_C(1) << PROCESS_START_TIME;
	}
	return 0;
}
