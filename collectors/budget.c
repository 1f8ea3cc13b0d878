/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens are counted in whole nanoseconds and the rest in millionths, so that frequent looks lose
 * nothing. Time is taken for at most a minute at once: that fills the bucket, keeps the products small,
 * and is why no jump of a clock brings more than one bucket.
 */
#include "config.h"

#include "collectors/budget.h"

#include <assert.h>

#include "base/clock.h"

#define MINUTE_NS (60 * NS_PER_SEC)
#define PPM       UINT64_C(1000000)

/* A pass that was cheaper than expected lowers what is expected by an eighth of the difference. */
enum { SENSING_FADES = 8 };

/* What passes may take of the rate, in quarters. */
enum { PASS_QUARTERS = 3 };

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t budget_capacity_ns(const struct budget *b)
{
	return MINUTE_NS / PPM * b->rate_ppm;
}

static void fill(struct budget *b, uint64_t now_ns)
{
	int64_t capacity = (int64_t)budget_capacity_ns(b);
	uint64_t passed = now_ns > b->filled_ns ? now_ns - b->filled_ns : 0;
	uint64_t millionths;

	b->filled_ns = now_ns;
	millionths = b->rest + min_u64(passed, MINUTE_NS) * b->rate_ppm;
	b->tokens_ns += (int64_t)(millionths / PPM);
	b->rest = millionths % PPM;
	if (b->tokens_ns >= capacity) {
		b->tokens_ns = capacity;
		b->rest = 0;
	}
}

/* Saturates: a charge of nonsense leaves a debt of nonsense, not a wealth. */
static void take(struct budget *b, uint64_t cpu_ns)
{
	int64_t taken = cpu_ns > INT64_MAX ? INT64_MAX : (int64_t)cpu_ns;

	if (__builtin_sub_overflow(b->tokens_ns, taken, &b->tokens_ns))
		b->tokens_ns = INT64_MIN;
}

void budget_init(struct budget *b, uint32_t rate_ppm, uint64_t now_ns)
{
	assert(rate_ppm > 0 && rate_ppm <= BUDGET_PPM_MAX);
	*b = (struct budget){.rate_ppm = rate_ppm, .filled_ns = now_ns};
	b->tokens_ns = (int64_t)budget_capacity_ns(b);
}

void budget_set_rate(struct budget *b, uint32_t rate_ppm, uint64_t now_ns)
{
	assert(rate_ppm > 0 && rate_ppm <= BUDGET_PPM_MAX);
	fill(b, now_ns);
	b->rate_ppm = rate_ppm;
	fill(b, now_ns);
}

void budget_charge(struct budget *b, uint64_t now_ns, uint64_t cpu_ns)
{
	fill(b, now_ns);
	take(b, cpu_ns);
	b->charged_ns += cpu_ns;
}

void budget_charge_pass(struct budget *b, uint64_t now_ns, uint64_t cpu_ns, uint64_t due_ns)
{
	budget_charge(b, now_ns, cpu_ns);
	b->due_ns = due_ns;
	if (cpu_ns >= b->sensing_ns)
		b->sensing_ns = cpu_ns;
	else
		b->sensing_ns -= (b->sensing_ns - cpu_ns + SENSING_FADES - 1) / SENSING_FADES;
}

/* What the time until the next pass brings. */
static uint64_t coming(const struct budget *b, uint64_t now_ns)
{
	uint64_t until = b->due_ns > now_ns ? b->due_ns - now_ns : 0;

	return min_u64(until, MINUTE_NS) * b->rate_ppm / PPM;
}

uint64_t budget_available_ns(struct budget *b, uint64_t now_ns)
{
	uint64_t brought = coming(b, now_ns);
	uint64_t kept = b->sensing_ns > brought ? b->sensing_ns - brought : 0;

	fill(b, now_ns);
	if (b->tokens_ns <= 0 || kept >= (uint64_t)b->tokens_ns)
		return 0;
	return (uint64_t)b->tokens_ns - kept;
}

uint64_t budget_until_due_ns(struct budget *b, uint64_t now_ns)
{
	int64_t most = (int64_t)budget_capacity_ns(b);
	int64_t tokens;

	fill(b, now_ns);
	tokens = b->tokens_ns + (int64_t)coming(b, now_ns);
	if (tokens > most)
		tokens = most;
	if (tokens <= 0 || b->sensing_ns >= (uint64_t)tokens)
		return 0;
	return (uint64_t)tokens - b->sensing_ns;
}

uint64_t budget_cut_ns(const struct budget *b, uint64_t tokens_ns, uint64_t interval_ns)
{
	return min_u64(tokens_ns, min_u64(interval_ns, MINUTE_NS) * b->rate_ppm / PPM) / 2;
}

uint64_t budget_interval_ns(const struct budget *b, uint64_t interval_ns)
{
	unsigned __int128 needed = (unsigned __int128)b->sensing_ns * PPM * 4 /
	                           ((uint64_t)b->rate_ppm * PASS_QUARTERS);

	if (needed > UINT64_MAX)
		return UINT64_MAX;
	return needed > interval_ns ? (uint64_t)needed : interval_ns;
}

static uint64_t share_ppm(uint64_t cost_ns, uint64_t span_ns)
{
	unsigned __int128 ppm = ((unsigned __int128)cost_ns * PPM + span_ns - 1) / span_ns;

	return ppm > UINT32_MAX ? UINT32_MAX : (uint64_t)ppm;
}

uint64_t budget_needed_ppm(
	const struct budget *b, uint64_t interval_ns, uint64_t total_cost_ns, uint64_t max_age_ns)
{
	assert(interval_ns > 0 && max_age_ns > 0);
	return share_ppm(b->sensing_ns, interval_ns) + share_ppm(total_cost_ns, max_age_ns);
}
