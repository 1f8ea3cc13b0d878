/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "daemon/surveyor.h"

#include "base/clock.h"
#include "collectors/rollcall.h"

#define FIRST_NS (60 * NS_PER_SEC)   /* most has been measured by then; and between two */
#define SLICE_NS (100 * NS_PER_USEC) /* as collectors/walks.c has it, */
#define PAUSE_NS (2 * NS_PER_MSEC)   /* and why */

enum {
	PPM = 1000000,
	PART = 4,        /* of the budget, at most */
	BROKE_PART = 40, /* where there is nothing left of it */
};

void surveyor_init(struct surveyor *s, struct pass *pass, uint64_t seed, uint64_t now_ns)
{
	*s = (struct surveyor){.pass = pass, .next_ns = now_ns};
	perusal_init(&s->perusal, seed);
}

void surveyor_done(struct surveyor *s)
{
	perusal_done(&s->perusal);
	catalogue_done(&s->catalogue);
}

/* What was found is not shown any more. */
static void withdraw(struct surveyor *s)
{
	catalogue_clear(&s->catalogue);
	rollcall_exchange(s->pass, &s->catalogue);
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
	perusal_begin(&s->perusal, 0);
	s->is_under_way = false;
	withdraw(s);
}

uint64_t surveyor_next_ns(const struct surveyor *s)
{
	return s->interval_ns ? s->next_ns : UINT64_MAX;
}

static void begin(struct surveyor *s, uint64_t now_ns)
{
	perusal_begin(&s->perusal, clock_now_ns(CLOCK_BOOTTIME));
	s->begun_ns = now_ns;
	s->cpu_ns = 0;
	s->at = 0;
	s->is_under_way = true;
}

static int end(struct surveyor *s)
{
	int r = perusal_end(&s->perusal, clock_now_ns(CLOCK_BOOTTIME), &s->catalogue);

	s->is_under_way = false;
	return r < 0 ? r : SURVEYOR_ENDED;
}

static enum survey_quantity counted_as(enum rollcall_outcome outcome)
{
	switch (outcome) {
	case ROLLCALL_DENIED: return SURVEY_DENIED;
	case ROLLCALL_GONE: return SURVEY_GONE;
	case ROLLCALL_GIANT: return SURVEY_LEFT_OUT;
	default: return SURVEY_ERROR;
	}
}

/* Reads on. */
static int step(struct surveyor *s)
{
	int r = perusal_step(&s->perusal, SLICE_NS);

	return r < 0 ? r : 0;
}

/* Goes to the next process, and begins to read it. */
static int call(struct surveyor *s)
{
	struct rollcall_entry entry;
	int r = rollcall_next(s->pass, s->at, &entry);

	if (r == ROLLCALL_END)
		return end(s);
	s->at = entry.pid;
	if (r == ROLLCALL_ELSEWHERE)
		return 0;
	if (r > 0) {
		perusal_count(&s->perusal, counted_as((enum rollcall_outcome)r));
		return 0;
	}
	perusal_enter(&s->perusal, entry.fd, entry.user);
	return step(s);
}

/* After CPU_NS, so that no more than the part that is allowed is used. */
static uint64_t pause_ns(const struct surveyor *s, uint64_t cpu_ns)
{
	uint64_t part = rollcall_may_spend(s->pass) ? PART : BROKE_PART;
	uint64_t rest_ns = cpu_ns * PPM / s->cpu_ppm * part;

	return rest_ns > PAUSE_NS ? rest_ns : PAUSE_NS;
}

static uint64_t later(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns > b_ns ? a_ns : b_ns;
}

/* It is over: after an error, which may come again, a whole interval passes, and else some time, however long it took. */
static void rest(struct surveyor *s, uint64_t now_ns, bool has_failed)
{
	uint64_t due_ns = s->begun_ns + s->interval_ns;
	uint64_t least_ns = has_failed ? s->interval_ns : least_wait_ns(s->interval_ns);

	s->next_ns = later(s->next_ns, later(due_ns, now_ns + least_ns));
}

int surveyor_turn(struct surveyor *s)
{
	uint64_t before_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID), cpu_ns, now_ns;
	int r;

	if (!s->is_under_way)
		begin(s, clock_now_ns(CLOCK_MONOTONIC));
	s->perusal.hold_ns = 0;
	r = perusal_is_reading(&s->perusal) ? step(s) : call(s);
	cpu_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns;
	rollcall_charge(s->pass, cpu_ns, s->perusal.hold_ns);
	s->cpu_ns += cpu_ns;
	if (r == SURVEYOR_ENDED) {
		catalogue_set(&s->catalogue, SURVEY_CPU, s->cpu_ns);
		rollcall_exchange(s->pass, &s->catalogue);
	}
	now_ns = clock_now_ns(CLOCK_MONOTONIC);
	s->next_ns = now_ns + pause_ns(s, cpu_ns);
	if (r < 0) {
		perusal_begin(&s->perusal, 0);
		s->is_under_way = false;
	}
	if (!s->is_under_way)
		rest(s, now_ns, r < 0);
	return r;
}
