/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/files/mm-set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { LESS = 1, GREATER = 2 };

void mm_set_done(struct mm_set *s)
{
	free(s->item);
	s->item = NULL;
	s->count = s->room = 0;
}

static void mm_set_drop(struct mm_set *s, size_t at)
{
	s->count--;
	memmove(&s->item[at], &s->item[at + 1], (s->count - at) * sizeof(*s->item));
}

static int mm_set_insert(struct mm_set *s, size_t at, const struct space *one)
{
	if (ARRAY_RESERVE(s->item, s->room, s->count + 1) < 0)
		return -ENOMEM;
	memmove(&s->item[at + 1], &s->item[at], (s->count - at) * sizeof(*s->item));
	s->item[at] = *one;
	s->count++;
	return 0;
}

/*
 * Returns the order of A and B as kcmp() does: 0: equal, LESS, GREATER, or another number: unknown.
 */
static int mm_set_compare(const struct mm_set *s, const struct space *a, const struct space *b)
{
	if (a->start_code != b->start_code)
		return a->start_code < b->start_code ? LESS : GREATER;
	if (a->start_stack != b->start_stack)
		return a->start_stack < b->start_stack ? LESS : GREATER;
	return s->compare(a->pid, b->pid);
}

/*
 * Writes the place of ONE to *RET_AT. Returns 0; MM_SET_KNOWN; or a negative errno: item *RET_AT
 * cannot be compared.
 */
static int mm_set_search(const struct mm_set *s, const struct space *one, size_t *ret_at)
{
	size_t low = 0, high = s->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = mm_set_compare(s, one, &s->item[middle]);

		*ret_at = middle;
		if (order == 0)
			return MM_SET_KNOWN;
		if (order == LESS)
			high = middle;
		else if (order == GREATER)
			low = middle + 1;
		else
			return -ESRCH;
	}
	*ret_at = low;
	return 0;
}

int mm_set_add(struct mm_set *s, pid_t pid, const struct stat_info *stat)
{
	struct space one = {
		.start_code = stat->start_code, .start_stack = stat->start_stack, .pid = pid};
	size_t at = 0;
	int r;

	if (!s->compare)
		return 0;
	while ((r = mm_set_search(s, &one, &at)) < 0) {
		if (s->compare(pid, pid) != 0)
			return 0; /* PID has exited */
		mm_set_drop(s, at);
	}
	return r == 0 ? mm_set_insert(s, at, &one) : r;
}
