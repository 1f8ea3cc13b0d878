/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "recorder/verdicts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/os/resident.h"
#include "base/saturate.h"
#include "growth/growth-rows.h"

/* A step ends after this time, and the next one begins after a break. */
#define STEP_NS  (4 * NS_PER_MSEC)
#define BREAK_NS (100 * NS_PER_MSEC)

/* If the newest snapshot is older, the present is not known. */
#define NEWEST_AGE_NS (900 * NS_PER_SEC)

/* The pause while no current snapshot is recorded. */
#define EMPTY_NS (60 * NS_PER_SEC)

enum {
	ROUND_COMPLETE = 1, /* outcome of round_step() */
	DAMAGED_MAX = 16,   /* a round ends when so many parts of the archive cannot be read */
};

struct verdicts_round {
	struct archive_reader *reader; /* owned; NULL: all snapshots are read */
	struct archive_series series;
	struct growth_rows rows;
	struct trend_judge *judge; /* owned; NULL: snapshots are still read */
	size_t judged;             /* how many rows */
	unsigned int damaged;
	uint64_t cpu_ns; /* CPU time of the round so far */
};

static struct verdicts_round *round_free(struct verdicts_round *p)
{
	if (!p)
		return NULL;
	archive_reader_close(p->reader);
	growth_rows_done(&p->rows);
	trend_judge_free(p->judge);
	free(p);
	return NULL;
}

static void cleanup_round(struct verdicts_round **p)
{
	round_free(*p);
}

static int round_take_rows(struct verdicts_round *p, const struct view *newest)
{
	int r = 0;

	for (size_t i = 0; i < PAST_GROWTH_SCOPES; i++) {
		enum metric_scope scope = past_growth_scope[i];

		for (uint32_t at = 0; r == 0 && at < view_count(newest, scope); at++)
			r = growth_rows_take(&p->rows, newest, scope, at);
	}
	return r == 0 ? growth_rows_ready(&p->rows, VERDICTS_ROWS_MAX) : r;
}

/* Returns whether a snapshot of AT_NS is recent, and not from before the start of the host. */
static bool is_current(uint64_t at_ns, const struct verdicts_now *now)
{
	return at_ns <= now->realtime_ns &&
	       now->realtime_ns - at_ns <= saturate_min(NEWEST_AGE_NS, now->boottime_ns);
}

/* Begins a round over ARCHIVE. Returns 0, ARCHIVE_NONE: no snapshot is current, or an error. */
static int round_begin(const struct archive_reader *archive, const struct verdicts_now *now,
	struct verdicts_round **ret)
{
	CLEANUP(cleanup_round) struct verdicts_round *p = calloc(1, sizeof(*p));
	const uint64_t span_ns = GROWTH_ROWS_SPAN_S * NS_PER_SEC;
	struct archive_coverage coverage;
	struct archive_found newest;
	const char *reason;
	int r = p ? archive_reader_copy(archive, &p->reader) : -ENOMEM;

	if (r == 0)
		r = archive_reader_coverage(p->reader, &coverage);
	/* While memtallyd does not run, each try ends here: no snapshot is decoded. */
	if (r == 0 && saturate_add(coverage.last_ns, NEWEST_AGE_NS) < now->realtime_ns)
		r = ARCHIVE_NONE;
	if (r == 0)
		r = archive_reader_last(p->reader, &newest, &reason);
	if (r == 0 && !is_current(newest.at_ns, now))
		r = ARCHIVE_NONE;
	if (r == 0)
		r = round_take_rows(p, newest.view);
	if (r != 0)
		return r;
	p->series = archive_reader_series(
		saturate_less(newest.at_ns, span_ns), newest.at_ns, FLOORS_SLOT_S * NS_PER_SEC);
	*ret = TAKE_PTR(p);
	return 0;
}

/* Adds the next snapshot to P. Returns 0 or an error. */
static int round_read(struct verdicts_round *p)
{
	struct archive_found found;
	const char *reason;
	int r = archive_reader_next(p->reader, &p->series, &found, &reason);

	if (r == 0)
		return growth_rows_add(&p->rows, found.view);
	/* The reader remembers what it cannot read, and goes on behind it. */
	if (r == ARCHIVE_DAMAGED && ++p->damaged < DAMAGED_MAX)
		return 0;
	if (r != ARCHIVE_NONE)
		return r;
	p->reader = archive_reader_close(p->reader);
	p->judge = trend_judge_new();
	return p->judge ? 0 : -ENOMEM;
}

/* Reads a snapshot or judges a row. Returns 0, ROUND_COMPLETE or an error. */
static int round_step(struct verdicts_round *p)
{
	if (p->reader)
		return round_read(p);
	if (p->judged == p->rows.rows)
		return ROUND_COMPLETE;
	growth_row_judge(p->judge, &p->rows.row[p->judged++]);
	return 0;
}

static void round_count_row(const struct growth_row *row, struct past_growth *to)
{
	switch (row->trend.verdict) {
	case TREND_NONE: to->none++; break;
	case TREND_WATCH: to->watch++; break;
	case TREND_LEAK: to->leak++; break;
	case TREND_VERDICTS: break;
	}
}

static void round_count(
	const struct verdicts_round *p, struct past_growth to[static PAST_GROWTH_SCOPES])
{
	memset(to, 0, PAST_GROWTH_SCOPES * sizeof(*to));
	for (size_t i = 0; i < p->rows.rows; i++) {
		const struct growth_row *row = &p->rows.row[i];

		for (size_t k = 0; row->is_judged && k < PAST_GROWTH_SCOPES; k++)
			if (past_growth_scope[k] == row->scope)
				round_count_row(row, &to[k]);
	}
}

void verdicts_init(struct verdicts *v, const struct archive_reader *archive)
{
	*v = (struct verdicts){.archive = archive};
}

void verdicts_done(struct verdicts *v)
{
	v->round = round_free(v->round);
}

/* Ends the round, or the try to begin one, after R: ROUND_COMPLETE, ARCHIVE_NONE or an error. */
static void verdicts_end(struct verdicts *v, int r, uint64_t now_ns)
{
	uint64_t pause_ns = VERDICTS_PAUSE_LEAST_NS;

	if (!v->round && r == ARCHIVE_NONE) {
		pause_ns = EMPTY_NS;
		v->until_ns = 0;
	}
	if (v->round)
		pause_ns = saturate_clamp(
			VERDICTS_PAUSE_FACTOR * v->round->cpu_ns, pause_ns, VERDICTS_PAUSE_MOST_NS);
	if (v->round && r == ROUND_COMPLETE) {
		round_count(v->round, v->growth);
		v->until_ns = now_ns + 2 * pause_ns;
	}
	v->due_ns = now_ns + pause_ns;
	v->round = round_free(v->round);
	resident_trim();
}

void verdicts_run(struct verdicts *v, const struct verdicts_now *now)
{
	uint64_t begin_ns = clock_now_ns(CLOCK_MONOTONIC);
	uint64_t cpu_ns = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID);
	int r = 0;

	if (now->monotonic_ns < v->due_ns)
		return;
	if (!v->round)
		r = round_begin(v->archive, now, &v->round);
	else
		do
			r = round_step(v->round);
		while (r == 0 && clock_now_ns(CLOCK_MONOTONIC) - begin_ns < STEP_NS);
	if (v->round)
		v->round->cpu_ns += clock_now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns;
	if (r == 0)
		v->due_ns = now->monotonic_ns + BREAK_NS;
	else
		verdicts_end(v, r, now->monotonic_ns);
}

uint64_t verdicts_due_ns(const struct verdicts *v)
{
	return v->due_ns;
}

bool verdicts_count(const struct verdicts *v, uint64_t now_ns,
	struct past_growth ret[static PAST_GROWTH_SCOPES])
{
	if (now_ns >= v->until_ns)
		return false;
	memcpy(ret, v->growth, sizeof(v->growth));
	return true;
}
