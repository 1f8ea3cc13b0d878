/* SPDX-License-Identifier: Apache-2.0 */
/* As TCP finds its retransmission timeout (RFC 6298): the mean, and four times the mean deviation. */
#include "config.h"

#include "collectors/judgement.h"

#include <stdbool.h>

#include "collectors/amount.h"

enum {
	/* Of what is likely. */
	MOST_TIMES = 16,
	/* Lessons. */
	EXPERIENCED = 8,
	/* Bytes; of less the rounding of what is measured says as much. */
	TELLING_MIN = 16 << 10,
	/* Of the PSS; what changes more is measured each time, for it is known for no longer than that. */
	CALM_PART = 64,
	MEAN_PART = 8,
	DEVIATION_PART = 4,
	DEVIATIONS = 4,
};

/* By a PART of the way from A to B, up to it at last. */
static uint32_t nearer(uint32_t a, uint32_t b, uint32_t part)
{
	return b > a ? a + (b - a + part - 1) / part : a - (a - b + part - 1) / part;
}

static void learn(struct judgement_mean *m, uint32_t found, bool is_first)
{
	uint32_t apart = found > m->mean ? found - m->mean : m->mean - found;

	if (is_first) {
		*m = (struct judgement_mean){.mean = found, .deviation = found / 2};
		return;
	}
	m->deviation = nearer(m->deviation, apart, DEVIATION_PART);
	m->mean = nearer(m->mean, found, MEAN_PART);
}

static uint64_t most(const struct judgement_mean *m)
{
	return m->mean + DEVIATIONS * (uint64_t)m->deviation;
}

void judgement_learn(struct judgement *j, uint64_t likely, uint64_t changed, uint64_t pss)
{
	const uint64_t limit = MOST_TIMES * JUDGEMENT_ONE;
	uint64_t times = amount_part(changed, JUDGEMENT_ONE, likely);
	uint64_t part = amount_part(changed, JUDGEMENT_ONE, amount_max(pss, 1));

	if (likely < TELLING_MIN)
		return;
	learn(&j->times, (uint32_t)amount_min(times, limit), !j->lessons);
	learn(&j->part, (uint32_t)amount_min(part, limit), !j->lessons);
	if (j->lessons < EXPERIENCED)
		j->lessons++;
}

uint64_t judgement_doubt(const struct judgement *j, uint64_t likely)
{
	uint64_t times = MOST_TIMES * JUDGEMENT_ONE;

	if (j->lessons >= EXPERIENCED && most(&j->part) <= JUDGEMENT_ONE / CALM_PART)
		times = amount_min(times, amount_max(JUDGEMENT_ONE, most(&j->times)));
	return amount_part(likely, times, JUDGEMENT_ONE);
}
