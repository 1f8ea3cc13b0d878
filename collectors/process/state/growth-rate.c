/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/process/state/growth-rate.h"

#include <assert.h>
#include <math.h>

#include "base/clock.h"

#define SLOT_NS (GROWTH_RATE_SLOT_SECONDS * NS_PER_SEC)

enum { TICKS_PER_SECOND = 200 };
static_assert(
	GROWTH_RATE_SLOT_SECONDS * TICKS_PER_SECOND <= UINT16_MAX, "a time in a slot must fit");

/*
 * Stores the mean of the current slot in place of that of an hour ago. Five minutes without a
 * reading have no mean.
 */
static void close_open(struct growth_rate *t, uint32_t next)
{
	unsigned int at = (unsigned int)(t->open % GROWTH_RATE_SLOTS);

	t->has &= (uint16_t) ~(1u << at);
	if (t->count) {
		t->mean[at] = (float)(t->sum / t->count);
		t->ticks[at] = (uint16_t)(t->sum_seconds / t->count * TICKS_PER_SECOND);
		t->has |= (uint16_t)(1u << at);
	}
	if (next - t->open > GROWTH_RATE_SLOTS)
		t->has = 0;
	else
		for (uint32_t skipped = t->open + 1; skipped < next; skipped++)
			t->has &= (uint16_t) ~(1u << (skipped % GROWTH_RATE_SLOTS));
	t->sum = 0;
	t->sum_seconds = 0;
	t->count = 0;
	t->open = next;
}

void growth_rate_add(struct growth_rate *t, uint64_t value, uint64_t now_ns)
{
	uint32_t slot = (uint32_t)(now_ns / SLOT_NS);

	if (slot > t->open)
		close_open(t, slot);
	t->sum += (double)value;
	t->sum_seconds += (float)((double)(now_ns % SLOT_NS) / (double)NS_PER_SEC);
	t->count++;
}

/* Returns how many seconds before the current slot the mean at AT was. */
static double growth_rate_ago(const struct growth_rate *t, unsigned int at)
{
	uint32_t back = (t->open + GROWTH_RATE_SLOTS - 1 - at) % GROWTH_RATE_SLOTS + 1;

	return (double)back * GROWTH_RATE_SLOT_SECONDS - (double)t->ticks[at] / TICKS_PER_SECOND;
}

bool growth_rate_slope(const struct growth_rate *t, double *ret_slope, double *ret_error)
{
	unsigned int n = 0;
	double x_mean = 0, y_mean = 0, xx = 0, xy = 0, off = 0, slope;

	for (unsigned int i = 0; i < GROWTH_RATE_SLOTS; i++)
		if ((t->has >> i) & 1) {
			n++;
			x_mean -= growth_rate_ago(t, i);
			y_mean += (double)t->mean[i];
		}
	if (n < GROWTH_RATE_LEAST)
		return false;
	x_mean /= n;
	y_mean /= n;
	for (unsigned int i = 0; i < GROWTH_RATE_SLOTS; i++)
		if ((t->has >> i) & 1) {
			double x = -growth_rate_ago(t, i) - x_mean;

			xx += x * x;
			xy += x * ((double)t->mean[i] - y_mean);
		}
	slope = xy / xx; /* means of different slots are never of the same moment */
	for (unsigned int i = 0; i < GROWTH_RATE_SLOTS; i++)
		if ((t->has >> i) & 1) {
			double y = (double)t->mean[i] - y_mean -
			           slope * (-growth_rate_ago(t, i) - x_mean);

			off += y * y;
		}
	*ret_slope = slope;
	*ret_error = sqrt(off / (n - 2) / xx);
	return true;
}
