/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens are whole nanoseconds and a rest in millionths, so that frequent calls lose nothing.
 * Elapsed time counts up to what fills the bucket: this keeps the products small, and is why no
 * jump of a clock brings more than one bucket.
 */
#include "config.h"

#include "collectors/schedule/cpu-budget.h"

#include <assert.h>

#include "base/clock.h"
#include "base/saturate.h"

#define MINUTE_NS  (60 * NS_PER_SEC)
#define LONGEST_NS (4 * 60 * MINUTE_NS) /* times CPU_BUDGET_PPM_MAX it fits in 64 bits */
#define PPM        UINT64_C(1000000)

/* A pass that was cheaper than expected lowers the expectation by an eighth of the difference. */
enum { SENSING_FADES = 8 };

/* A dearer pass counts up to this multiple of the usual cost. */
enum { DEARER_TIMES = 2 };

/* The births of one pass move the expectation by an eighth of the difference. */
enum { BIRTHS_FADE = 8 };

/* Quarters of the rate that passes may take. */
enum { PASS_QUARTERS = 3 };

/* Returns the time in which an empty bucket fills. */
static uint64_t cpu_budget_span_of(const struct cpu_budget *b)
{
	return saturate_max(b->interval_ns, MINUTE_NS);
}

uint64_t cpu_budget_capacity_ns(const struct cpu_budget *b)
{
	return cpu_budget_span_of(b) / PPM * b->rate_ppm;
}

/* Returns the millionths of a token that TIME_NS brings, at most to fill an empty bucket. */
static uint64_t brought_by(const struct cpu_budget *b, uint64_t time_ns)
{
	return saturate_min(time_ns, cpu_budget_span_of(b)) * b->rate_ppm;
}

/* Limits both tokens and debt to the capacity. */
static void cpu_budget_limit(struct cpu_budget *b)
{
	int64_t capacity = (int64_t)cpu_budget_capacity_ns(b);

	if (b->tokens_ns >= capacity) {
		b->tokens_ns = capacity;
		b->rest = 0;
	}
	if (b->tokens_ns < -capacity) {
		b->forgiven_ns += (uint64_t)(-capacity - b->tokens_ns);
		b->tokens_ns = -capacity;
	}
}

static void cpu_budget_fill(struct cpu_budget *b, uint64_t now_ns)
{
	uint64_t millionths = b->rest + brought_by(b, saturate_less(now_ns, b->filled_ns));

	b->filled_ns = now_ns;
	b->tokens_ns += (int64_t)(millionths / PPM);
	b->rest = millionths % PPM;
	cpu_budget_limit(b);
}

void cpu_budget_init(struct cpu_budget *b, uint32_t rate_ppm, uint64_t now_ns)
{
	assert(rate_ppm > 0 && rate_ppm <= CPU_BUDGET_PPM_MAX);
	*b = (struct cpu_budget){.rate_ppm = rate_ppm, .filled_ns = now_ns};
	b->tokens_ns = (int64_t)cpu_budget_capacity_ns(b);
}

void cpu_budget_set_rate(struct cpu_budget *b, uint32_t rate_ppm, uint64_t now_ns)
{
	assert(rate_ppm > 0 && rate_ppm <= CPU_BUDGET_PPM_MAX);
	cpu_budget_fill(b, now_ns);
	b->rate_ppm = rate_ppm;
	cpu_budget_fill(b, now_ns);
}

void cpu_budget_charge(struct cpu_budget *b, uint64_t now_ns, uint64_t cpu_ns)
{
	cpu_budget_fill(b, now_ns);
	/* An absurdly large charge leaves a debt, not a credit. */
	b->tokens_ns -= (int64_t)saturate_min(cpu_ns, INT64_MAX / 2);
	cpu_budget_limit(b);
	b->charged_ns += cpu_ns;
}

void cpu_budget_excuse(struct cpu_budget *b, uint64_t cpu_ns)
{
	b->excused_ns += cpu_ns;
}

static void charge_unless_first(struct cpu_budget *b, uint64_t now_ns, uint64_t cpu_ns)
{
	if (b->has_passed)
		cpu_budget_charge(b, now_ns, cpu_ns);
	else
		cpu_budget_excuse(b, cpu_ns);
}

void cpu_budget_charge_birth(struct cpu_budget *b, uint64_t now_ns, uint64_t cpu_ns)
{
	charge_unless_first(b, now_ns, cpu_ns);
	b->born_ns += saturate_min(cpu_ns, LONGEST_NS);
}

static void expect_births(struct cpu_budget *b)
{
	b->births_ns -= (b->births_ns + BIRTHS_FADE - 1) / BIRTHS_FADE;
	if (b->has_passed)
		b->births_ns += saturate_min(b->born_ns, LONGEST_NS) / BIRTHS_FADE;
	b->born_ns = 0;
	b->has_passed = true;
}

void cpu_budget_expect(struct cpu_budget *b, uint64_t cpu_ns)
{
	if (b->usual_ns)
		cpu_ns = saturate_min(cpu_ns, b->usual_ns * DEARER_TIMES);
	b->sensing_ns = saturate_max(b->sensing_ns, cpu_ns);
}

void cpu_budget_charge_pass(struct cpu_budget *b, uint64_t now_ns, uint64_t cpu_ns, uint64_t due_ns)
{
	charge_unless_first(b, now_ns, cpu_ns);
	b->due_ns = due_ns;
	if (cpu_ns < b->sensing_ns)
		b->sensing_ns -= (b->sensing_ns - cpu_ns + SENSING_FADES - 1) / SENSING_FADES;
	cpu_budget_expect(b, saturate_min(cpu_ns, LONGEST_NS));
	b->usual_ns = b->sensing_ns;
	expect_births(b);
}

/* Returns what the next pass will need. */
static uint64_t cpu_budget_expected(const struct cpu_budget *b)
{
	return b->sensing_ns + b->births_ns;
}

uint64_t cpu_budget_available_ns(struct cpu_budget *b, uint64_t now_ns)
{
	uint64_t coming = brought_by(b, saturate_less(b->due_ns, now_ns)) / PPM;
	uint64_t kept = saturate_less(cpu_budget_expected(b), coming);

	cpu_budget_fill(b, now_ns);
	return b->tokens_ns <= 0 ? 0 : saturate_less((uint64_t)b->tokens_ns, kept);
}

uint64_t cpu_budget_each_ns(const struct cpu_budget *b, uint64_t interval_ns)
{
	return saturate_less(brought_by(b, interval_ns) / PPM, cpu_budget_expected(b));
}

uint64_t cpu_budget_cut_ns(const struct cpu_budget *b, uint64_t tokens_ns, uint64_t interval_ns)
{
	return saturate_min(tokens_ns, brought_by(b, interval_ns) / PPM) / 2;
}

uint64_t cpu_budget_set_interval(struct cpu_budget *b, uint64_t interval_ns)
{
	unsigned __int128 needed = (unsigned __int128)cpu_budget_expected(b) * PPM * 4 /
	                           ((uint64_t)b->rate_ppm * PASS_QUARTERS);
	uint64_t borne_ns = needed > LONGEST_NS ? LONGEST_NS : (uint64_t)needed;

	b->interval_ns = borne_ns > interval_ns ? borne_ns : 0;
	return b->interval_ns ? b->interval_ns : interval_ns;
}

uint64_t cpu_budget_time_ns(
	struct cpu_budget *b, uint64_t now_ns, uint64_t cpu_ns, uint64_t taken_ppm)
{
	int64_t lacking;
	unsigned __int128 time_ns;

	assert(taken_ppm < b->rate_ppm);
	cpu_budget_fill(b, now_ns);
	lacking = (int64_t)(saturate_min(cpu_ns, INT64_MAX / 2) + cpu_budget_expected(b)) -
	          b->tokens_ns;
	if (!cpu_ns || lacking <= 0)
		return 0;
	time_ns = (unsigned __int128)lacking * PPM / (b->rate_ppm - taken_ppm);
	return time_ns > UINT64_MAX ? UINT64_MAX : (uint64_t)time_ns;
}

static uint64_t share_ppm(uint64_t cost_ns, uint64_t span_ns)
{
	unsigned __int128 ppm = ((unsigned __int128)cost_ns * PPM + span_ns - 1) / span_ns;

	return ppm > UINT32_MAX ? UINT32_MAX : (uint64_t)ppm;
}

uint64_t cpu_budget_needed_ppm(const struct cpu_budget *b, uint64_t interval_ns,
	uint64_t total_cost_ns, uint64_t max_age_ns)
{
	uint64_t passes_ppm = share_ppm(cpu_budget_expected(b), interval_ns);
	uint64_t borne_ppm = (passes_ppm * 4 + PASS_QUARTERS - 1) / PASS_QUARTERS;
	uint64_t sum_ppm = passes_ppm + share_ppm(total_cost_ns, max_age_ns);

	assert(interval_ns > 0 && max_age_ns > 0);
	return saturate_max(sum_ppm, borne_ppm);
}
