/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "daemon/surveyor.h"

#include "base/clock.h"
#include "base/saturate.h"
#include "collectors/pass/survey-iterator.h"

/* Before the first survey, when most processes are measured, and between two */
#define FIRST_NS (60 * NS_PER_SEC)
#define SLICE_NS (100 * NS_PER_USEC) /* both as in collectors/adaptive/page-walks.c */
#define PAUSE_NS (2 * NS_PER_MSEC)

enum {
	PPM = 1000000,
	PART = 4,        /* at most a quarter of the budget */
	BROKE_PART = 40, /* while nothing is left of it */
	LOSSES_MAX = 3,  /* in a row that a process may lose its worker in one survey */
};

void surveyor_init(struct surveyor *s, struct pass *pass, uint64_t seed, uint64_t now_ns)
{
	*s = (struct surveyor){.pass = pass, .next_ns = now_ns, .driver_ns = now_ns};
	survey_reader_init(&s->reader, seed);
	survey_reader_init(&s->driver_reader, seed);
	s->driver_reader.skips_files = true;
}

void surveyor_done(struct surveyor *s)
{
	survey_reader_done(&s->reader);
	survey_reader_done(&s->driver_reader);
	survey_result_done(&s->result);
}

/* The last result is not shown any more. */
static void surveyor_withdraw(struct surveyor *s)
{
	survey_result_clear(&s->result);
	survey_iterator_exchange(s->pass, &s->result);
}

static uint64_t least_wait_ns(uint64_t interval_ns)
{
	return interval_ns < FIRST_NS ? interval_ns : FIRST_NS;
}

void surveyor_set(struct surveyor *s, uint64_t interval_ns, uint32_t cpu_ppm, uint64_t now_ns)
{
	s->cpu_ppm = cpu_ppm;
	if (interval_ns == s->interval_ns)
		return;
	s->interval_ns = interval_ns;
	if (interval_ns) {
		if (!s->is_under_way)
			s->next_ns = now_ns + least_wait_ns(interval_ns);
		return;
	}
	survey_reader_begin(&s->reader, 0);
	s->is_under_way = false;
	surveyor_withdraw(s);
}

static uint64_t next_survey_ns(const struct surveyor *s)
{
	return s->interval_ns ? s->next_ns : UINT64_MAX;
}

static uint64_t next_driver_ns(const struct surveyor *s)
{
	return survey_reader_is_reading(&s->driver_reader) || survey_iterator_is_wanting(s->pass)
	               ? s->driver_ns
	               : UINT64_MAX;
}

uint64_t surveyor_next_ns(const struct surveyor *s)
{
	uint64_t survey_ns = next_survey_ns(s), driver_ns = next_driver_ns(s);

	return survey_ns < driver_ns ? survey_ns : driver_ns;
}

static void surveyor_begin(struct surveyor *s, uint64_t now_ns)
{
	survey_reader_begin(&s->reader, clock_now_ns(CLOCK_BOOTTIME));
	s->begun_ns = now_ns;
	s->cpu_ns = 0;
	s->last_pid = s->lost_pid = 0;
	s->is_under_way = true;
}

static int surveyor_end(struct surveyor *s)
{
	int r = survey_reader_end(&s->reader, clock_now_ns(CLOCK_BOOTTIME), &s->result);

	s->is_under_way = false;
	return r < 0 ? r : SURVEYOR_ENDED;
}

static enum survey_quantity counted_as(enum survey_iterator_outcome outcome)
{
	switch (outcome) {
	case SURVEY_ITERATOR_DENIED: return SURVEY_DENIED;
	case SURVEY_ITERATOR_GONE: return SURVEY_GONE;
	case SURVEY_ITERATOR_GIANT: return SURVEY_LEFT_OUT;
	case SURVEY_ITERATOR_BLOCKED: return SURVEY_BLOCKED;
	default: return SURVEY_ERROR;
	}
}

/*
 * Continues to read PID with P. Returns 0, whether PID is done or not; SURVEY_READER_LOST: PID is
 * to be read again; -ENOMEM or -EOVERFLOW.
 */
static int surveyor_step(struct surveyor *s, struct survey_reader *p, pid_t pid)
{
	uint64_t begin_ns = survey_iterator_begin_reads(s->pass, pid);
	int r = survey_reader_step(p, SLICE_NS);

	survey_iterator_end_reads(s->pass, pid, begin_ns);
	if (r == 0 && p->is_read)
		survey_iterator_found(s->pass, pid, p->driver.pss, p->driver.vmalloc);
	if (r == SURVEY_READER_BLOCKED)
		survey_iterator_blocked(s->pass, pid);
	return r == SURVEY_READER_LOST || r < 0 ? r : 0;
}

/*
 * Continues to read the survey's process. If its worker is gone, the process is the next one again.
 */
static int step_survey(struct surveyor *s)
{
	int r = surveyor_step(s, &s->reader, s->last_pid);

	if (r != SURVEY_READER_LOST)
		return r;
	s->losses = s->lost_pid == s->last_pid ? s->losses + 1 : 1;
	s->lost_pid = s->last_pid;
	if (s->losses > LOSSES_MAX)
		survey_reader_count(&s->reader, SURVEY_ERROR);
	else
		s->last_pid--;
	return 0;
}

/*
 * Continues to read a process for its drivers' memory. If its worker is gone, the process stays
 * unread until a pass wants it again.
 */
static int step_driver(struct surveyor *s)
{
	int r = surveyor_step(s, &s->driver_reader, s->driver_pid);

	return r == SURVEY_READER_LOST ? 0 : r;
}

/* Goes to the next process, and begins to read it. */
static int surveyor_call(struct surveyor *s)
{
	struct survey_iterator_entry entry;
	int r = survey_iterator_next(s->pass, s->last_pid, &entry);

	if (r == SURVEY_ITERATOR_END)
		return surveyor_end(s);
	s->last_pid = entry.pid;
	if (r == SURVEY_ITERATOR_ELSEWHERE)
		return 0;
	if (r > 0) {
		survey_reader_count(&s->reader, counted_as((enum survey_iterator_outcome)r));
		return 0;
	}
	survey_reader_enter(&s->reader, &entry.stream, entry.user);
	return step_survey(s);
}

/* Begins to read the next process of which a pass wants the drivers' memory. */
static int call_wanted(struct surveyor *s)
{
	struct survey_iterator_entry entry;

	/* Stays unread until a pass wants it again */
	if (survey_iterator_wanted(s->pass, &entry) != 0)
		return 0;
	s->driver_pid = entry.pid;
	survey_reader_begin(&s->driver_reader, clock_now_ns(CLOCK_BOOTTIME));
	survey_reader_enter(&s->driver_reader, &entry.stream, entry.user);
	return step_driver(s);
}

/* Returns the pause after CPU_NS of CPU time that keeps to the part of the budget. */
static uint64_t pause_ns(const struct surveyor *s, uint64_t cpu_ns)
{
	uint64_t part = survey_iterator_may_spend(s->pass) ? PART : BROKE_PART;
	uint64_t rest_ns = cpu_ns * PPM / s->cpu_ppm * part;

	return rest_ns > PAUSE_NS ? rest_ns : PAUSE_NS;
}

/*
 * A survey has ended: sets the time of the next one. After an error, which may come again, a whole
 * interval passes; else at least least_wait_ns(), however long the survey took.
 */
static void surveyor_rest(struct surveyor *s, uint64_t now_ns, bool has_failed)
{
	uint64_t due_ns = s->begun_ns + s->interval_ns;
	uint64_t least_ns = has_failed ? s->interval_ns : least_wait_ns(s->interval_ns);

	s->next_ns = saturate_max(s->next_ns, saturate_max(due_ns, now_ns + least_ns));
}

/* Charges the CPU time since BEFORE_NS, and the last hold of P. Returns that CPU time. */
static uint64_t surveyor_charge(
	struct surveyor *s, const struct survey_reader *p, uint64_t before_ns)
{
	uint64_t cpu_ns = survey_iterator_cpu_ns(s->pass) - before_ns;

	survey_iterator_charge(s->pass, cpu_ns, p->hold_ns);
	return cpu_ns;
}

static int driver_turn(struct surveyor *s)
{
	uint64_t before_ns = survey_iterator_cpu_ns(s->pass), cpu_ns;
	int r;

	s->driver_reader.hold_ns = 0;
	r = survey_reader_is_reading(&s->driver_reader) ? step_driver(s) : call_wanted(s);
	cpu_ns = surveyor_charge(s, &s->driver_reader, before_ns);
	if (!survey_reader_is_reading(&s->driver_reader))
		survey_reader_done(&s->driver_reader); /* frees its memory */
	s->driver_ns = clock_now_ns(CLOCK_MONOTONIC) + pause_ns(s, cpu_ns);
	return r;
}

static int survey_turn(struct surveyor *s)
{
	uint64_t before_ns = survey_iterator_cpu_ns(s->pass), cpu_ns, now_ns;
	int r;

	if (!s->is_under_way)
		surveyor_begin(s, clock_now_ns(CLOCK_MONOTONIC));
	s->reader.hold_ns = 0;
	r = survey_reader_is_reading(&s->reader) ? step_survey(s) : surveyor_call(s);
	cpu_ns = surveyor_charge(s, &s->reader, before_ns);
	s->cpu_ns += cpu_ns;
	if (r == SURVEYOR_ENDED) {
		survey_result_set(&s->result, SURVEY_CPU, s->cpu_ns);
		survey_iterator_exchange(s->pass, &s->result);
	}
	now_ns = clock_now_ns(CLOCK_MONOTONIC);
	s->next_ns = now_ns + pause_ns(s, cpu_ns);
	if (r < 0) {
		survey_reader_begin(&s->reader, 0);
		s->is_under_way = false;
	}
	if (!s->is_under_way)
		surveyor_rest(s, now_ns, r < 0);
	return r;
}

int surveyor_turn(struct surveyor *s)
{
	return next_driver_ns(s) <= next_survey_ns(s) ? driver_turn(s) : survey_turn(s);
}
