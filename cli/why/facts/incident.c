/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/why/facts/incident.h"

#include "base/saturate.h"

enum { ANY_EVENT = PAST_MARK_OOM | PAST_MARK_PRESSURE };

/* Marks by ascending time. */
struct marks {
	const struct past_point *point;
	size_t count;
};

/* Returns the mark next to AT with any of WANTED, in the direction STEP (1 or -1); AT: none. */
static size_t incident_next(const struct marks *m, size_t at, int step, uint32_t wanted)
{
	size_t i = at;

	while (step > 0 ? i + 1 < m->count : i > 0) {
		i = step > 0 ? i + 1 : i - 1;
		if (m->point[i].marks & wanted)
			return i;
	}
	return at;
}

/*
 * Returns the furthest mark in the direction STEP that belongs to mark AT: from one with any of
 * WANTED to the next at most GAP_NS, and none with any of UNWANTED between.
 */
static size_t incident_end(const struct marks *m, size_t at, int step, uint32_t wanted,
	uint32_t unwanted, uint64_t gap_ns)
{
	size_t i = at;

	for (;;) {
		size_t next = incident_next(m, i, step, wanted | unwanted);

		if (next == i || m->point[next].marks & unwanted ||
			saturate_distance(m->point[next].at_ns, m->point[i].at_ns) > gap_ns)
			return i;
		i = next;
	}
}

/* Returns the time of the mark of the next kill from KILL on in the direction STEP; 0: none. */
static uint64_t incident_other_kill(const struct marks *m, size_t kill, int step)
{
	size_t other = incident_next(m, kill, step, PAST_MARK_OOM);

	return other == kill ? 0 : m->point[other].at_ns;
}

/*
 * Returns the furthest mark of memory pressure in the direction STEP that belongs to the KILL. Up to
 * another kill (at OTHER_NS; 0: none) the pressure may be that of the other one.
 */
static size_t incident_pressure_end(const struct marks *m, size_t kill, int step, uint64_t other_ns)
{
	size_t end = incident_end(m, kill, step, ANY_EVENT, 0, INCIDENT_GAP_NS);
	bool is_beyond = other_ns && (step < 0 ? m->point[end].at_ns <= other_ns
					       : m->point[end].at_ns >= other_ns);

	return is_beyond ? incident_end(m, kill, step, PAST_MARK_PRESSURE, PAST_MARK_OOM,
				   INCIDENT_KILL_NS)
	                 : end;
}

static void incident_note_pressure(
	const struct marks *m, size_t first, size_t last, struct incident *ret)
{
	for (size_t i = first; i <= last; i++) {
		if (!(m->point[i].marks & PAST_MARK_PRESSURE))
			continue;
		if (!ret->pressure_first_ns)
			ret->pressure_first_ns = m->point[i].at_ns;
		ret->pressure_last_ns = m->point[i].at_ns;
	}
}

/* Returns the OOM kill from FIRST to LAST that is nearest to AT; M->count: there is none. */
static size_t incident_kill(const struct marks *m, size_t first, size_t last, size_t at)
{
	size_t best = m->count;

	for (size_t i = first; i <= last; i++)
		if (m->point[i].marks & PAST_MARK_OOM &&
			(best == m->count ||
				saturate_distance(m->point[i].at_ns, m->point[at].at_ns) <=
					saturate_distance(
						m->point[best].at_ns, m->point[at].at_ns)))
			best = i;
	return best;
}

/* Describes the incident that mark AT belongs to. */
static void describe_incident(const struct marks *m, size_t at, struct incident *ret)
{
	size_t first = incident_end(m, at, -1, ANY_EVENT, 0, INCIDENT_GAP_NS);
	size_t last = incident_end(m, at, 1, ANY_EVENT, 0, INCIDENT_GAP_NS);
	size_t kill = incident_kill(m, first, last, at);

	*ret = (struct incident){.kind = INCIDENT_PRESSURE};
	if (kill < m->count) {
		ret->kind = INCIDENT_OOM;
		ret->earlier_kill_ns = incident_other_kill(m, kill, -1);
		ret->later_kill_ns = incident_other_kill(m, kill, 1);
		first = incident_pressure_end(m, kill, -1, ret->earlier_kill_ns);
		last = incident_pressure_end(m, kill, 1, ret->later_kill_ns);
	}
	incident_note_pressure(m, first, last, ret);
	if (kill < m->count)
		first = last = kill;
	ret->first_ns = m->point[first].at_ns;
	ret->last_ns = m->point[last].at_ns;
}

bool incident_last(
	const struct past_point *point, size_t count, bool only_oom, struct incident *ret)
{
	const struct marks m = {.point = point, .count = count};
	uint32_t wanted = only_oom ? PAST_MARK_OOM : ANY_EVENT;

	for (size_t i = count; i-- > 0;)
		if (point[i].marks & wanted) {
			describe_incident(&m, i, ret);
			return true;
		}
	return false;
}

/* A time that people write is any time of its second. */
static uint64_t incident_second_ns(uint64_t at_ns)
{
	return at_ns - at_ns % NS_PER_SEC;
}

/* Returns how far the mark at MARK_NS is from AT_NS for incident_near(). */
static uint64_t incident_away_ns(
	uint64_t mark_ns, uint64_t at_ns, uint64_t next_ns, uint32_t wanted)
{
	if (incident_second_ns(mark_ns) == incident_second_ns(at_ns))
		return 0;
	if (wanted == PAST_MARK_OOM && mark_ns == next_ns)
		return 1;
	return saturate_distance(mark_ns, at_ns);
}

bool incident_near(const struct past_point *point, size_t count, uint64_t at_ns, uint64_t next_ns,
	struct incident *ret)
{
	static const uint32_t wanted[] = {PAST_MARK_OOM, PAST_MARK_PRESSURE};
	const struct marks m = {.point = point, .count = count};

	for (size_t w = 0; w < ARRAY_SIZE(wanted); w++) {
		uint64_t best_ns = INCIDENT_NEAR_NS;
		size_t best = count;

		for (size_t i = 0; i < count; i++) {
			uint64_t away_ns = incident_away_ns(
				point[i].at_ns, at_ns, next_ns, wanted[w]);

			if (point[i].marks & wanted[w] && away_ns <= best_ns) {
				best = i;
				best_ns = away_ns;
			}
		}
		if (best < count) {
			describe_incident(&m, best, ret);
			ret->asked_ns = at_ns;
			return true;
		}
	}
	return false;
}

uint64_t incident_asked_away_ns(const struct incident *i, bool *ret_is_earlier)
{
	uint64_t asked_ns = incident_second_ns(i->asked_ns);
	uint64_t first_ns = incident_second_ns(i->first_ns);
	uint64_t last_ns = incident_second_ns(i->last_ns);

	*ret_is_earlier = asked_ns > last_ns;
	if (!i->asked_ns || i->kind == INCIDENT_NONE)
		return 0;
	return *ret_is_earlier ? asked_ns - last_ns : saturate_less(first_ns, asked_ns);
}
