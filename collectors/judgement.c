/* SPDX-License-Identifier: Apache-2.0 */
/* As TCP finds its retransmission timeout (RFC 6298): the mean, and four times the mean deviation. */
#include "config.h"

#include "collectors/judgement.h"

#include "collectors/amount.h"

enum {
	MOST_TIMES = 16, /* that are believed of any guess, and of all before there is experience */
	EXPERIENCED = 8, /* lessons */
	TELLING_MIN = 16 << 10, /* bytes; of less the rounding of what is measured says as much */
	MEAN_PART = 8,
	DEVIATION_PART = 4,
	DEVIATIONS = 4,
};

/* By a PART of the way from A to B, up to it at last. */
static uint32_t nearer(uint32_t a, uint32_t b, uint32_t part)
{
	return b > a ? a + (b - a + part - 1) / part : a - (a - b + part - 1) / part;
}

void judgement_learn(struct judgement *j, uint64_t likely, uint64_t off)
{
	uint32_t times, apart;

	if (likely < TELLING_MIN)
		return;
	times = (uint32_t)amount_min(
		amount_part(off, JUDGEMENT_ONE, likely), MOST_TIMES * JUDGEMENT_ONE);
	if (!j->lessons) {
		*j = (struct judgement){.mean = times, .deviation = times / 2, .lessons = 1};
		return;
	}
	apart = times > j->mean ? times - j->mean : j->mean - times;
	j->deviation = nearer(j->deviation, apart, DEVIATION_PART);
	j->mean = nearer(j->mean, times, MEAN_PART);
	if (j->lessons < EXPERIENCED)
		j->lessons++;
}

uint64_t judgement_doubt(const struct judgement *j, uint64_t likely)
{
	uint64_t times = MOST_TIMES * JUDGEMENT_ONE;

	if (j->lessons >= EXPERIENCED)
		times = amount_min(times,
			amount_max(JUDGEMENT_ONE, j->mean + DEVIATIONS * (uint64_t)j->deviation));
	return amount_part(likely, times, JUDGEMENT_ONE);
}
