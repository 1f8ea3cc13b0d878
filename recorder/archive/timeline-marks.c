/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "recorder/archive/timeline-marks.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"

struct marks {
	struct archive_mark *item; /* owned */
	size_t count, room;
};

static void marks_done(struct marks *m)
{
	free(m->item);
}
#define AUTO_MARKS CLEANUP(marks_done)

static int marks_add(struct marks *m, uint64_t at_ns, uint32_t marks)
{
	if (ARRAY_RESERVE(m->item, m->room, m->count + 1) < 0)
		return -ENOMEM;
	m->item[m->count++] = (struct archive_mark){at_ns, marks};
	return 0;
}

/* Reads the marked records of S, if they are not known. Returns 0 or -ENOMEM. */
static int know_marks(struct timeline *t, struct timeline_segment *s)
{
	struct timeline_place place = {.tier = s->file.tier, .number = s->file.number};
	AUTO_MARKS struct marks m = {NULL};
	const struct timeline_open *o;
	int r;

	if (s->has_marks)
		return 0;
	r = timeline_records(t, &place, &o);
	for (size_t i = 0; r == 0 && i < o->index.count; i++)
		if (o->index.entry[i].marks)
			r = marks_add(&m, o->index.entry[i].realtime_ns, o->index.entry[i].marks);
	if (r != 0)
		return r < 0 ? r : 0;
	s->mark = TAKE_PTR(m.item);
	s->marks = m.count;
	s->has_marks = true;
	return 0;
}

static int timeline_marks_compare(const void *a_, const void *b_)
{
	const struct archive_mark *a = a_, *b = b_;

	return a->at_ns < b->at_ns ? -1 : a->at_ns > b->at_ns;
}

/* Sorts M, and merges what has the same time: the same snapshot in several tiers. */
static void sort_marks(struct marks *m)
{
	size_t kept = 0;

	if (m->count)
		qsort(m->item, m->count, sizeof(m->item[0]), timeline_marks_compare);
	for (size_t i = 0; i < m->count; i++) {
		if (kept && m->item[kept - 1].at_ns == m->item[i].at_ns)
			m->item[kept - 1].marks |= m->item[i].marks;
		else
			m->item[kept++] = m->item[i];
	}
	m->count = kept;
}

int timeline_marks(struct timeline *t, uint64_t from_ns, uint64_t until_ns, uint32_t mask,
	struct archive_mark **ret, size_t *ret_count)
{
	AUTO_MARKS struct marks m = {NULL};

	for (size_t i = 0; i < t->count; i++) {
		struct timeline_segment *s = &t->segment[i];
		int r;

		if (s->is_skipped || !(s->summary.marks & mask) || s->summary.first_ns > until_ns ||
			s->summary.last_ns < from_ns)
			continue;
		r = know_marks(t, s);
		for (size_t k = 0; r == 0 && s->has_marks && k < s->marks; k++) {
			const struct archive_mark *mark = &s->mark[k];

			if ((mark->marks & mask) && mark->at_ns >= from_ns &&
				mark->at_ns <= until_ns)
				r = marks_add(&m, mark->at_ns, mark->marks);
		}
		if (r < 0)
			return r;
	}
	sort_marks(&m);
	*ret = TAKE_PTR(m.item);
	*ret_count = m.count;
	return 0;
}
