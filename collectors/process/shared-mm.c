/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/process/shared-mm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "collectors/workers/workers.h"

enum {
	SIEVE_BITS = 1 << 14,
	ORDER_NEW = UINT32_MAX,
};

/* Quantities of a process itself, not of its address space. */
#define OWN_QUANTITIES (UINT64_C(1) << PROCESS_START_TIME | UINT64_C(1) << PROCESS_THREADS)

void shared_mm_done(struct shared_mm *s)
{
	free(s->item);
	s->item = NULL;
	s->count = s->capacity = 0;
}

/*
 * kcmp() takes both processes' exec_update_lock (since Linux 5.11), so it may block. If comparisons
 * have cost as much as one user's reads may, the next one counts as blocked sooner.
 */
static int shared_mm_compare_pids(struct shared_mm *s, pid_t a, pid_t b)
{
	const struct lanes *lanes = s->workers ? &s->workers->lanes : NULL;
	uint64_t before_ns;
	int r;

	if (!lanes)
		return s->compare(a, b);
	before_ns = lanes->waited_ns;
	workers_hurry(s->workers, s->waited_ns >= lanes->control.patience.share_ns);
	r = workers_compare(s->workers, a, b);
	workers_hurry(s->workers, false);
	s->waited_ns += lanes->waited_ns - before_ns;
	return r;
}

/*
 * Whether P is known to hold its exec_update_lock: it is inside execve(). By then it has left its
 * former address space, unless it waits for that one's lock. A comparison with it would block.
 */
static bool is_in_exec(const struct process *p)
{
	return block_is_of(&p->block, false);
}

/*
 * Place of an address space: equal in processes that share one, and in forked siblings, if stat of
 * all of them could be read, or of none.
 */
struct place {
	uint64_t start, end; /* .end 0: not known, so the process cannot be compared */
};

/*
 * stat has the place of a process, measured or not. If the kernel hides it, or stat was never read,
 * a walk of the page tables has it. A stat that is too old to identify the image (.has_stat) still
 * has the place.
 */
static struct place shared_mm_place(const struct process *p)
{
	if (p->stat.start_stack)
		return (struct place){.start = p->stat.start_code, .end = p->stat.start_stack};
	return (struct place){.start = p->range_start, .end = p->range_end};
}

static unsigned int sieve_bit(const struct process *p)
{
	return (unsigned int)((shared_mm_place(p).end >> 4) * 2654435761U >> 7) % SIEVE_BITS;
}

/* Whether P has an address space that can be compared with others. */
static bool shared_mm_has_place(const struct process *p)
{
	return shared_mm_place(p).end && !is_in_exec(p);
}

static bool shared_mm_is_candidate(const struct process *p, const uint64_t *sieve)
{
	unsigned int bit = sieve_bit(p);

	return shared_mm_has_place(p) && ((sieve[bit / 64] >> bit % 64) & 1);
}

static int shared_mm_compare_items(const void *a_, const void *b_)
{
	const struct process *a = *(struct process *const *)a_, *b = *(struct process *const *)b_;
	uint32_t a_order = a->mm_is_new ? ORDER_NEW : a->mm_order;
	uint32_t b_order = b->mm_is_new ? ORDER_NEW : b->mm_order;

	const struct place a_place = shared_mm_place(a), b_place = shared_mm_place(b);

	if (a_place.start != b_place.start)
		return a_place.start < b_place.start ? -1 : 1;
	if (a_place.end != b_place.end)
		return a_place.end < b_place.end ? -1 : 1;
	if (a_order != b_order)
		return a_order < b_order ? -1 : 1;
	return (a->pid > b->pid) - (a->pid < b->pid);
}

static int shared_mm_collect(
	struct shared_mm *s, struct process *const *processes, size_t count, const uint64_t *sieve)
{
	for (size_t i = 0; i < count; i++) {
		if (!shared_mm_is_candidate(processes[i], sieve))
			continue;
		if (ARRAY_RESERVE(s->item, s->capacity, s->count + 1) < 0)
			return -ENOMEM;
		s->item[s->count++] = processes[i];
	}
	return 0;
}

int shared_mm_begin(struct shared_mm *s, struct process *const *processes, size_t count)
{
	uint64_t sieve[SIEVE_BITS / 64] = {0};
	bool any = false;
	int r;

	s->count = s->first = s->sorted = s->next = 0;
	s->refused = false;
	s->waited_ns = 0;
	if (!s->compare)
		return 0;
	for (size_t i = 0; i < count; i++) {
		unsigned int bit = sieve_bit(processes[i]);

		if (is_in_exec(processes[i])) {
			processes[i]->mm_is_new = true; /* compared when it can be read again */
		} else if (shared_mm_has_place(processes[i]) && processes[i]->mm_is_new) {
			sieve[bit / 64] |= UINT64_C(1) << bit % 64;
			any = true;
		}
	}
	if (!any)
		return 0;
	r = shared_mm_collect(s, processes, count, sieve);
	if (r == 0 && s->count)
		qsort((void *)s->item, s->count, sizeof(struct process *), shared_mm_compare_items);
	return r;
}

static bool is_same_place(const struct process *a, const struct process *b)
{
	const struct place a_place = shared_mm_place(a), b_place = shared_mm_place(b);

	return a_place.start == b_place.start && a_place.end == b_place.end;
}

static void shared_mm_join(struct shared_mm *s, struct process *a, struct process *b)
{
	if (!b->mm_group)
		b->mm_group = a->mm_group;
	if (!b->mm_group)
		b->mm_group = ++s->last_group ? s->last_group : ++s->last_group;
	a->mm_group = b->mm_group;
}

static void remove_sorted(struct shared_mm *s, size_t at)
{
	memmove((void *)&s->item[at], (void *)&s->item[at + 1],
		(s->sorted - at - 1) * sizeof(struct process *));
	s->sorted--;
}

/* A dead leader has no address space to compare, and two dead leaders would be "equal". */
static pid_t shared_mm_comparable(const struct process *p)
{
	return p->tid ? p->tid : p->pid;
}

/* Finds P's index among the sorted items of the run. Returns false if P cannot be compared. */
static bool shared_mm_search(struct shared_mm *s, struct process *p, size_t *ret)
{
	size_t low = s->first, high = s->sorted;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = shared_mm_compare_pids(
			s, shared_mm_comparable(p), shared_mm_comparable(s->item[middle]));

		if (order == 0) {
			shared_mm_join(s, p, s->item[middle]);
			*ret = middle + 1;
			return true;
		}
		if (order == 1) {
			high = middle;
		} else if (order == 2) {
			low = middle + 1;
		} else if (shared_mm_compare_pids(
				   s, shared_mm_comparable(p), shared_mm_comparable(p)) != 0) {
			s->refused = s->refused || order == -EPERM;
			return false; /* P has exited or may not be compared */
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
static void end_run(struct shared_mm *s)
{
	for (size_t i = s->first; i < s->sorted; i++)
		s->item[i]->mm_order = (uint32_t)(i - s->first);
}

bool shared_mm_step(struct shared_mm *s)
{
	while (s->next < s->count) {
		struct process *p = s->item[s->next++];
		size_t at;

		if (s->first == s->sorted || !is_same_place(s->item[s->first], p)) {
			end_run(s);
			s->first = s->next - 1;
			s->sorted = s->next;
			s->item[s->first] = p;
			p->mm_is_new = false;
			continue;
		}
		if (!p->mm_is_new) { /* items that are in order already come first */
			s->item[s->sorted++] = p;
			continue;
		}
		if (shared_mm_search(
			    s, p, &at)) { /* else it stays new: the next pass tries again */
			p->mm_is_new = false;
			memmove((void *)&s->item[at + 1], (void *)&s->item[at],
				(s->sorted - at) * sizeof(struct process *));
			s->item[at] = p;
			s->sorted++;
		}
		return true;
	}
	end_run(s);
	s->first = s->sorted = 0;
	return false;
}

bool shared_mm_is_one(struct shared_mm *s, struct process *p, struct process *parent)
{
	if (!s->compare || shared_mm_compare_pids(
				   s, shared_mm_comparable(p), shared_mm_comparable(parent)) != 0)
		return false;
	shared_mm_join(s, p, parent);
	return true;
}

/* How well a process can stand for a shared address space, best first. */
enum standing {
	STANDING_MEASURED,
	STANDING_BLOCKED, /* its last measurement is carried forward */
	STANDING_GUESSED, /* its last walk failed, or there was none */
	STANDING_UNKNOWN, /* it is blocked, and has no PSS */
	STANDING_IN_EXEC, /* it may have left the address space */
};

struct sharer {
	uint64_t start_ticks; /* UINT64_MAX: not known */
	enum standing standing;
	uint32_t group;
	uint32_t row;
};

static enum standing standing_of(const struct process *p, const struct snapshot_process *row)
{
	if (row->outcome == OUTCOME_MEASURED)
		return p->measured ? STANDING_MEASURED : STANDING_GUESSED;
	if (is_in_exec(p))
		return STANDING_IN_EXEC;
	return ROW_HAS(row, PROCESS_PSS) ? STANDING_BLOCKED : STANDING_UNKNOWN;
}

static int compare_sharers(const void *a_, const void *b_)
{
	const struct sharer *a = a_, *b = b_;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->standing != b->standing)
		return a->standing < b->standing ? -1 : 1;
	if (a->start_ticks != b->start_ticks)
		return a->start_ticks < b->start_ticks ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

/* Whether both rows have the same size of the address space. */
static bool is_same_size(const struct snapshot_process *a, const struct snapshot_process *b)
{
	return ROW_HAS(a, PROCESS_VM_SIZE) && ROW_HAS(b, PROCESS_VM_SIZE) &&
	       a->q[PROCESS_VM_SIZE] == b->q[PROCESS_VM_SIZE];
}

/*
 * Whether the processes of rows I and K still share. An exec that leaves name, user and range
 * unchanged (without address space randomisation) shows nowhere else.
 */
static bool still_share(struct shared_mm *s, struct process *const *members,
	const struct snapshot_process *rows, uint32_t i, uint32_t k)
{
	const struct process *a = members[i], *b = members[k];
	int order;

	if (is_in_exec(a) || is_in_exec(b))
		return is_same_size(&rows[i], &rows[k]);
	order = s->compare ? shared_mm_compare_pids(
				     s, shared_mm_comparable(a), shared_mm_comparable(b))
	                   : -ENOSYS;
	s->refused = s->refused || order == -EPERM;
	return order == 0 || order == -ETIMEDOUT; /* while it blocks, the earlier result stands */
}

/* Whether the memory of ROW's process is in sums, or in their upper bounds. */
static bool may_stand(const struct snapshot_process *row)
{
	return row->outcome == OUTCOME_MEASURED || row->outcome == OUTCOME_BLOCKED;
}

int shared_mm_elect(struct shared_mm *s, struct process *const *members,
	struct snapshot_process *rows, size_t count, struct buffer *scratch)
{
	struct sharer *sharers;
	size_t n = 0;

	buffer_clear(scratch);
	for (size_t i = 0; i < count; i++)
		if (may_stand(&rows[i]) && members[i]->mm_group) {
			struct sharer sharer = {
				.start_ticks = members[i]->has_stat ? members[i]->stat.start_ticks
			                                            : UINT64_MAX,
				.standing = standing_of(members[i], &rows[i]),
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
		if (!still_share(s, members, rows, sharers[i].row, sharers[first].row)) {
			p->mm_group = 0;
			p->mm_is_new = true;
			continue;
		}
		row->outcome = OUTCOME_SHARED_MM;
		row->source = SOURCE_NONE;
		row->mm_pid = rows[sharers[first].row].pid;
		row->present &= OWN_QUANTITIES;
	}
	return 0;
}
